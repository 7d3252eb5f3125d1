"""The comparison of engines: it finds a difference where there is one, and a record stands for the reference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentgym_critic.envs.alfworld.conformance import __main__ as conformance
from agentgym_critic.envs.alfworld.conformance.__main__ import in_turn, main
from agentgym_critic.envs.alfworld.conformance.compare import first_difference
from agentgym_critic.envs.alfworld.conformance.transcript import Moment, digest
from agentgym_critic.envs.alfworld.native.engine import NativeEngine

ONE = [Moment("", "Hello.", ["go", "look"], False), Moment("look", "A room.", ["go"], False)]


@pytest.mark.parametrize(
    ("other", "what", "ours", "reference"),
    [
        ([ONE[0], ONE[1]._replace(text="A hall.")], "text", "'A room.'", "'A hall.'"),
        ([ONE[0], ONE[1]._replace(admissible=["wait"])], "admissible", "also ['go']", "also ['wait']"),
        (
            [ONE[0]._replace(admissible=["look", "go"])],
            "admissible",
            "in order ['go', 'look']",
            "in order ['look', 'go']",
        ),
        ([ONE[0], ONE[1]._replace(won=True)], "won", "False", "True"),
        (ONE[:1], "length", "goes on", "ended"),
        ([*ONE, ONE[1]], "length", "ended", "goes on"),
    ],
)
def test_the_first_difference_is_told(other: list[Moment], what: str, ours: str, reference: str) -> None:
    found = first_difference(ONE, other)
    assert found is not None
    assert (found.what, found.ours, found.reference) == (what, ours, reference)
    assert digest(ONE) != digest(other)


def test_equal_transcripts_have_no_difference() -> None:
    assert first_difference(ONE, list(ONE)) is None
    assert digest(ONE) == digest(list(ONE))


def test_a_sample_takes_each_split_and_type_in_turn() -> None:
    names = ("seen/heat-A/t1", "seen/heat-B/t2", "seen/cool-A/t3", "unseen/heat-C/t4", "seen/heat-A/t5")
    games = [Path(name) / "game.tw-pddl" for name in names]
    assert in_turn(games) == [games[place] for place in (0, 2, 3, 1, 4)]


@pytest.fixture
def games(attic: Any) -> str:
    pytest.importorskip("textworld")
    pytest.importorskip("alfworld")
    return str(attic.folder)


def summary(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    return dict(json.loads(capsys.readouterr().out.splitlines()[-1]))


@pytest.mark.parametrize("once", [[], ["--once"]])
def test_side_by_side_the_engines_agree(games: str, once: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([games, "--steps", "12", *once]) == 0
    told = summary(capsys)
    assert (told["games"], told["differences"]) == (2, 0)
    assert told["moments"] > 2 * 12


def test_what_is_done_is_said_on_standard_error(
    games: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([games, "--steps", "0"]) == 0
    assert capsys.readouterr().err == "2 of 2 games\n"
    monkeypatch.setattr(conformance, "SAID_EVERY_SECONDS", -1.0)
    assert main([games, "--steps", "0"]) == 0
    out, err = capsys.readouterr()
    assert err == "1 of 2 games\n2 of 2 games\n"
    assert len(out.splitlines()) == 1


def test_wrong_usage_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["x", "--steps", "-1"])
    assert ended.value.code == 2
    assert "Invalid value for '--steps': -1 is not in the range x>=0" in capsys.readouterr().err


def test_a_record_is_the_same_however_it_was_made(games: str, tmp_path: Path) -> None:
    for name, once in (("plain", []), ("once", ["--once"])):
        assert main([games, "--steps", "8", "--record", str(tmp_path / name), *once]) == 0
    plain, once = (json.loads((tmp_path / name).read_text()) for name in ("plain", "once"))
    assert plain["digests"] == once["digests"]
    assert len(plain["digests"]) == 2


def test_an_engine_that_says_something_else_is_caught(
    games: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record = str(tmp_path / "record")
    main([games, "--steps", "8", "--record", record])
    assert main([games, "--against", record]) == 0
    monkeypatch.setattr(NativeEngine, "won", property(lambda self: False))
    assert main([games, "--against", record]) == 1
    assert main([games, "--steps", "8"]) == 1
    assert '"what":"won"' in capsys.readouterr().out


def test_a_record_of_something_else_is_refused(games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "record"
    main([games, "--steps", "8", "--record", str(record)])
    assert main([games, "--steps", "9", "--record", str(record)]) == 2
    assert "8 steps, seed 0" in capsys.readouterr().err
    assert main([games, "--steps", "8", "--against", str(record)]) == 2
    assert "--steps, --seed and --once are those of the record" in capsys.readouterr().err
    digests = json.loads(record.read_text()) | {"digests": {}}
    record.write_text(json.dumps(digests))
    assert main([games, "--against", str(record)]) == 2
    assert "none of the 2 games is in the record" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([games, "--record", str(record), "--against", str(record)])
    record.write_text("[]")
    assert main([games, "--against", str(record)]) == 2
    assert "is not a file of recorded transcripts" in capsys.readouterr().err
    assert main([str(tmp_path / "empty")]) == 2
