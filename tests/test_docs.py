"""Every Python block of the documentation runs, every link leads somewhere, every verb is documented."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import get_args

import pytest

import agentgym_critic
from agentgym_critic import registry
from agentgym_critic.cli import cli
from agentgym_critic.types import FailureClass, InterventionKind

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
_BLOCK = re.compile(r"^(?:<!-- needs: (\w+) -->\n)?```python\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)

_COMMANDS = re.compile(r"^<!-- run -->\n```sh\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)


def _programs() -> list[tuple[Path, str, str]]:
    """For each page and each thing its blocks need ("" for nothing) those blocks as one program."""
    programs: dict[tuple[Path, str], list[str]] = {}
    for page in PAGES:
        for needs, block in _BLOCK.findall(page.read_text()):
            programs.setdefault((page, needs), []).append(block)
    return [(page, needs, "\n".join(blocks)) for (page, needs), blocks in programs.items()]


@pytest.mark.parametrize(
    ("page", "program", "needs"),
    [
        pytest.param(page, program, needs, id=page.name, marks=[getattr(pytest.mark, needs)] if needs else [])
        for page, needs, program in _programs()
    ],
)
def test_python_blocks_run(
    page: Path,
    program: str,
    needs: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The blocks of a page run in order, in one process, in an empty folder."""
    if needs == "data":
        monkeypatch.setenv("ALFWORLD_DATA", str(request.getfixturevalue("alfworld_data")))
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "page", [page for page in PAGES if _COMMANDS.search(page.read_text())], ids=lambda page: page.name
)
def test_shell_blocks_marked_so_run(page: Path, tmp_path: Path) -> None:
    """They run in order, in one shell, in an empty folder."""
    script = "\n".join(_COMMANDS.findall(page.read_text()))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        assert target.startswith("https://") or (page.parent / target).exists(), target


def test_the_generated_pages_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, str(ROOT / "docs" / "make.py"), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_verb_and_public_name_is_documented() -> None:
    verbs, reference = (ROOT / "docs" / "cli.md").read_text(), (ROOT / "docs" / "reference.md").read_text()
    assert [name for name in cli.commands if f"## {name}" not in verbs] == []
    assert [name for name in agentgym_critic.__all__ if f"`{name}`" not in reference] == []


def test_every_critic_failure_class_and_gate_mode_is_documented() -> None:
    page = (ROOT / "docs" / "critics.md").read_text()
    names = {*registry._registered["critic"], *registry._registered["hindsight"], *get_args(FailureClass)}
    assert [name for name in sorted(names) if f"| `{name}` |" not in page] == []
    assert [mode for mode in get_args(InterventionKind) if f"`{mode}`" not in page] == []


def test_the_example_of_a_plugin_is_the_one_that_is_tested() -> None:
    [example] = re.findall(
        r"^```toml\n(.*?)^```$", (ROOT / "docs" / "plugins.md").read_text(), re.DOTALL | re.MULTILINE
    )
    shown = tomllib.loads(example)["project"]
    real = tomllib.loads((ROOT / "tests" / "plugin_package" / "pyproject.toml").read_text())["project"]
    assert shown["name"] == real["name"]
    for group, entries in shown["entry-points"].items():
        assert entries.items() <= real["entry-points"][group].items()


@pytest.mark.parametrize("example", sorted(ROOT.glob("examples/*.py")), ids=lambda path: path.name)
def test_examples_run_and_are_short(example: Path, tmp_path: Path) -> None:
    assert len(example.read_text().splitlines()) <= 80
    done = subprocess.run([sys.executable, str(example)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout
