"""Java that is missing, does not start, or dies."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from agentgym_critic.envs.scienceworld import ScienceWorldEnv
from agentgym_critic.envs.scienceworld.java import JavaProcess, find_java
from agentgym_critic.errors import EnvError, MissingExtraError

pytestmark = pytest.mark.usefixtures("env")  # skipped where it is


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A $JAVA_HOME whose java says why it does not start."""
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'Unrecognized VM option hashCode' >&2\nexit 1\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    return tmp_path


def test_java_of_java_home_comes_first(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_java() == str(home / "bin" / "java")
    monkeypatch.delenv("JAVA_HOME")
    assert find_java() == shutil.which("java")


def test_no_java_is_explained_at_construction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingExtraError, match=r"runs in Java, and `java` is not on the path; install a Java runtime"):
        ScienceWorldEnv()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(MissingExtraError, match=r"\$JAVA_HOME is '.*' and has no bin/java; install .* or point"):
        ScienceWorldEnv()


def test_a_java_that_does_not_start_is_quoted(home: Path) -> None:
    said = r"Java did not start ScienceWorld: Unrecognized VM option hashCode\. It takes a HotSpot Java"
    with pytest.raises(EnvError, match=said):
        JavaProcess("none.jar")
    with pytest.raises(EnvError, match=said):
        ScienceWorldEnv().reset(seed=0)


def test_close_ends_the_process_and_removes_its_folder() -> None:
    java = JavaProcess("none.jar")
    folder, pid = java.folder, java.pid
    with java.calling():
        assert java.jvm.java.lang.Math.abs(-3) == 3
    java.close()
    java.close()
    assert not folder.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_call_that_fails_says_that_the_process_lives() -> None:
    java = JavaProcess("none.jar")
    with (
        pytest.raises(
            EnvError, match=r"(?s)Java process failed in a call \(.*NumberFormatException.*this episode is lost"
        ),
        java.calling(),
    ):
        java.jvm.java.lang.Integer.parseInt("x")
    java.close()
