"""JSON Lines: exact both ways, whole or not at all, and wrong lines are named."""

import errno
import os
from pathlib import Path

import pytest
import strategies
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from samples import simple_trajectory

from agentgym_critic.errors import ConfigError, NewerSchemaError, NotAStoreError, StoreFullError
from agentgym_critic.export import export_jsonl, read_jsonl
from agentgym_critic.types import Action, to_json


@given(trajectories=st.lists(strategies.trajectory(), max_size=3))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_trajectories_come_back_exactly(tmp_path_factory, trajectories):
    path = tmp_path_factory.mktemp("jsonl") / "runs.jsonl"
    assert export_jsonl(iter(trajectories), path) == len(trajectories)
    assert list(read_jsonl(path)) == trajectories
    assert path.read_bytes().count(b"\n") == len(trajectories)


def test_text_that_is_no_unicode_is_cleaned(tmp_path):
    trajectory = simple_trajectory("bad\udc80")
    export_jsonl([trajectory], tmp_path / "x")
    assert [read.id for read in read_jsonl(tmp_path / "x")] == ["bad\ufffd"]


def test_an_existing_file_is_kept_unless_told_otherwise(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text("precious")
    with pytest.raises(ConfigError, match=r"x\.jsonl exists; name another file or pass overwrite=True"):
        export_jsonl([], path)
    assert path.read_text() == "precious"
    export_jsonl([simple_trajectory()], path, overwrite=True)
    assert len(list(read_jsonl(path))) == 1


def failing(count):
    yield from (simple_trajectory(str(number)) for number in range(count))
    raise RuntimeError("the source broke")


def test_a_failed_export_leaves_nothing_and_keeps_the_old_file(tmp_path):
    path = tmp_path / "x.jsonl"
    export_jsonl([simple_trajectory("old")], path)
    with pytest.raises(RuntimeError, match="the source broke"):
        export_jsonl(failing(3), path, overwrite=True)
    assert [read.id for read in read_jsonl(path)] == ["old"]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_said(tmp_path, monkeypatch):
    path = tmp_path / "x.jsonl"
    monkeypatch.setattr("secrets.token_hex", lambda size: "1234")
    (tmp_path / ".x.jsonl.1234.part").symlink_to("/dev/full")
    with pytest.raises(StoreFullError, match=rf"x\.jsonl could not be written: .*{os.strerror(errno.ENOSPC)}"):
        export_jsonl([simple_trajectory()], path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_missing_or_in_the_way_is_said(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot be written: there is no folder .*nowhere"):
        export_jsonl([], tmp_path / "nowhere" / "x")
    (tmp_path / "x").mkdir()
    with pytest.raises(ConfigError, match="is a folder; name a file"):
        export_jsonl([], tmp_path / "x", overwrite=True)


def test_a_file_that_cannot_be_opened_is_said(tmp_path):
    with pytest.raises(ConfigError, match=r"x\.jsonl cannot be read: .*No such file"):
        next(read_jsonl(tmp_path / "x.jsonl"))


GOOD = to_json(simple_trajectory())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "Input data was truncated"),
        (b"\xff\xfe", "malformed"),
        (b'"text"', "Expected `object`, got `str`"),
        (b"{}", "missing required field `id`"),
        (to_json(Action(text="a")), "missing required field `id`"),
        (
            GOOD.replace(b'"reward":0.5', b'"reward":"0.5"'),
            r"Expected `float`, got `str` - at `\$\.steps\[0\]",
        ),
        (GOOD.replace(b'"p":0.25', b'"p":1.25'), r"p is a probability in \[0, 1\], got 1.25"),
    ],
)
def test_a_bad_line_is_named_by_number(tmp_path, line, message):
    path = tmp_path / "x.jsonl"
    path.write_bytes(GOOD + b"\n\n" + line + b"\n" + GOOD + b"\n")
    lines = read_jsonl(path)
    assert next(lines) == simple_trajectory()
    with pytest.raises(NotAStoreError, match=rf"x\.jsonl, line 3 is no trajectory: .*{message}"):
        next(lines)


def test_a_newer_line_says_so_even_if_it_could_be_read(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(GOOD.replace(b'"schema_version":1', b'"schema_version":2'))
    with pytest.raises(NewerSchemaError, match="line 1 has schema version 2, newer than the 1 known here; upgrade"):
        next(read_jsonl(path))
