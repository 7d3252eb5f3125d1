"""Export and import: exact, whole or not at all, and every bad line named."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.errors import ConfigError, NewerSchemaError, NotAStoreError, StoreError
from agentgym_critic.memory import HashingEmbedder, MemoryBank
from agentgym_critic.types import Action, Turn

text = st.text(st.characters(), max_size=30)  # lone surrogates and NUL included
judged = st.tuples(text, text, text, st.none() | st.floats(0, 1))
stream = st.lists(st.tuples(st.lists(judged, max_size=4), text, st.integers(-3, 2**53)), max_size=5)


def exported(bank: MemoryBank) -> str:
    target = io.StringIO()
    bank.export_jsonl(target)
    return target.getvalue()


@settings(deadline=None, max_examples=60)
@given(stream=stream, name=text)
def test_a_round_trip_is_exact_even_into_another_embedder(reviewed, stream, name) -> None:
    with MemoryBank(":memory:") as bank, MemoryBank(":memory:", HashingEmbedder(32)) as copy:
        for number, (steps, task, position) in enumerate(stream):
            bank.remember(reviewed(f"{number} {name}", steps, task=task, position=position))
        lines = exported(bank)
        assert copy.import_jsonl(io.StringIO(lines)) == (len(stream), bank.stats().sightings, 0)
        assert exported(copy) == lines
        assert copy.import_jsonl(io.StringIO(lines)) == (0, 0, len(stream))
        ours, theirs = bank.stats(), copy.stats()
        assert (ours.experiences, ours.productive, ours.position) == (
            theirs.experiences,
            theirs.productive,
            theirs.position,
        )


def test_a_copy_recalls_what_the_original_does(tmp_path: Path, reviewed) -> None:
    query = Turn(task="find the mug", observation="a"), Action(text="b"), 5
    with MemoryBank(tmp_path / "a.db") as bank, MemoryBank(tmp_path / "b.db") as copy:
        bank.remember(reviewed("t", [("a", "b", "c", 1.0), ("a", "b", "d", 0.0)], position=3))
        bank.remember(reviewed("u", [("a", "b", "c", 0.75)], position=1))
        assert bank.export_jsonl(tmp_path / "a.jsonl") == 2
        assert copy.import_jsonl(tmp_path / "a.jsonl") == (2, 3, 0)
        assert copy.recall(*query) == bank.recall(*query)
        assert copy.recall(*query, before=2) == bank.recall(*query, before=2)


def test_the_layout_of_a_line(reviewed) -> None:
    with MemoryBank(":memory:") as bank:
        bank.remember(reviewed("t", [("a", "b", "c", 1.0)], position=3))
        line = json.loads(exported(bank))
    assert line == {
        "trajectory": "t",
        "position": 3,
        "sightings": [
            {"step": 0, "env_id": "Kitchen-v0", "task": "find the mug", "state": "a", "action": "b", "outcome": "c",
             "p": 1.0}
        ],
        "schema_version": 1,
    }  # fmt: skip


GOOD = '{"trajectory": "t", "position": 0}'
SIGHTING = '{"step": 0, "env_id": "e", "task": "t", "state": "s", "action": "a", "outcome": "o", "p": %s}'
TAUGHT = '{"trajectory": "t", "position": 0, "sightings": [%s]}'
BAD_LINES = {
    "not json": "malformed",
    "[]": "Expected `object`, got `array`",
    '{"position": 0}': "missing required field `trajectory`",
    '{"trajectory": "t", "position": 1e99}': "position",
    '{"trajectory": "t", "position": 9007199254740993}': "position",
    TAUGHT % (SIGHTING % "1.5"): r"<= 1.0.*\$.sightings\[0\].p",
    TAUGHT % (SIGHTING % "NaN"): "malformed",
    TAUGHT % (SIGHTING % "0.5"): "p = 0.5 is undecided",
    TAUGHT % ", ".join([SIGHTING % "1", SIGHTING % "0"]): "judged twice",
    '{"trajectory": "\udcff", "position": 0}': "surrogates not allowed",
    '{"trajectory": "\0", "position": 0}': "malformed",
}


@pytest.mark.parametrize(("line", "message"), BAD_LINES.items())
def test_a_bad_line_is_named_and_nothing_is_imported(line: str, message: str) -> None:
    with MemoryBank(":memory:") as bank:
        with pytest.raises(
            NotAStoreError, match=rf"line 3: not a line of an exported memory bank .*{message}"
        ) as failure:
            bank.import_jsonl(io.StringIO(f"{GOOD}\n\n{line}\n"))
        assert "nothing was imported" in str(failure.value)
        assert bank.stats().trajectories == 0


def test_a_newer_line_is_refused() -> None:
    with MemoryBank(":memory:") as bank, pytest.raises(NewerSchemaError, match="line 1: written with schema version 2"):
        bank.import_jsonl(io.StringIO('{"trajectory": "t", "position": 0, "schema_version": 2}'))


def test_a_binary_file_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(bytes(range(256)))
    with MemoryBank(":memory:") as bank, pytest.raises(NotAStoreError, match=r"a.jsonl, line 1: not a line"):
        bank.import_jsonl(tmp_path / "a.jsonl")


def test_a_missing_file_and_folder_are_explained(tmp_path: Path) -> None:
    with MemoryBank(":memory:") as bank:
        with pytest.raises(StoreError, match=r"a.jsonl cannot be read or written: .*No such file"):
            bank.import_jsonl(tmp_path / "a.jsonl")
        with pytest.raises(ConfigError, match=r"a.jsonl cannot be written: there is no folder .*nowhere"):
            bank.export_jsonl(tmp_path / "nowhere" / "a.jsonl")


def test_an_existing_file_is_kept_unless_told_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("precious")
    with MemoryBank(":memory:") as bank:
        with pytest.raises(ConfigError, match=r"a\.jsonl exists; name another file or pass overwrite=True"):
            bank.export_jsonl(path)
        assert path.read_text() == "precious"
        assert bank.export_jsonl(path, overwrite=True) == 0
        assert path.read_text() == ""


def test_an_export_leaves_the_umask_of_the_process_alone(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("os.umask", lambda mask: pytest.fail("the umask was changed"))
    with MemoryBank(":memory:") as bank:
        bank.export_jsonl(tmp_path / "a.jsonl")


def test_an_interrupted_export_leaves_the_old_file(tmp_path: Path, reviewed, monkeypatch) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("old")

    def interrupted(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupted)

    with MemoryBank(":memory:") as bank:
        bank.remember(reviewed("t", [("a", "b", "c", 1.0)]))
        with pytest.raises(KeyboardInterrupt):
            bank.export_jsonl(path, overwrite=True)
        assert (path.read_text(), list(tmp_path.iterdir())) == ("old", [path])
        monkeypatch.undo()
        bank.export_jsonl(path, overwrite=True)
        assert path.read_text() == exported(bank)
