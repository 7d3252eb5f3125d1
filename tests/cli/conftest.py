"""What the tests of the verbs share."""

from __future__ import annotations

from pathlib import Path

import pytest
from verbs import Result, Verb

from agentgym_critic.cli import main


@pytest.fixture
def verb(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Verb:
    """Runs the command in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Result:
        monkeypatch.setattr("sys.argv", ["agentgym-critic", *arguments])
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capsys.readouterr()
        return Result(int(stopped.value.code or 0), out, err)

    return run
