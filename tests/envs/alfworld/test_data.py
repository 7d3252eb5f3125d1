"""Whether an altered, a damaged and a missing file are told from an unchanged one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import msgspec
import pytest

from agentgym_critic import doctor
from agentgym_critic.envs.alfworld import data, splits
from agentgym_critic.envs.alfworld.data import main, record_splits, verify_data
from agentgym_critic.errors import EnvError, MissingDataError, UnknownIdError


@pytest.fixture
def recorded(attic, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """The attic's two games are what valid_seen officially is, next to one that nobody has."""
    monkeypatch.setenv("AGENTGYM_CRITIC_CACHE", str(tmp_path / "cache"))
    official = record_splits({"valid_seen": [attic.lamp, attic.bell]}, attic.data)
    for module in (splits, data):
        monkeypatch.setattr(module, "official_splits", lambda: official)
    splits._game_hashes.cache_clear()
    yield attic
    splits._game_hashes.cache_clear()


def check(attic) -> data.SplitCheck:
    (only,) = verify_data(attic.data)
    return only


def test_unchanged_games_are_intact(recorded) -> None:
    assert check(recorded).intact
    assert str(check(recorded)) == "valid_seen 2 of 2 official games: 2 unchanged"


def test_the_layout_of_a_file_does_not_matter(recorded) -> None:
    game = recorded.game("lamp")
    recorded.write(recorded.lamp, json.dumps(dict(reversed(game.items())), indent=3))
    assert check(recorded).intact


@pytest.mark.parametrize("part", ["pddl_domain", "pddl_problem", "grammar", "walkthrough"])
def test_a_change_in_any_part_that_matters_is_seen(recorded, part: str) -> None:
    game = recorded.game("lamp")
    recorded.write(recorded.lamp, {**game, part: [*game[part], "look"] if part == "walkthrough" else game[part] + " "})
    assert check(recorded).altered == (recorded.lamp,)
    assert not check(recorded).intact
    assert str(check(recorded)).endswith(f": 1 unchanged, 1 altered (first {recorded.lamp})")


def test_a_truncated_file_is_damaged(recorded) -> None:
    file = recorded.folder / recorded.bell / "game.tw-pddl"
    file.write_bytes(file.read_bytes()[:-20])
    assert check(recorded).damaged == (recorded.bell,)
    assert not check(recorded).intact


def test_a_missing_game_is_not_intact(recorded) -> None:
    shutil.rmtree(recorded.folder / recorded.bell)
    assert not check(recorded).intact
    assert str(check(recorded)) == "valid_seen 1 of 2 official games (incomplete: 1 missing): 1 unchanged"


def test_a_foreign_game_is_not_intact_and_not_opened(recorded) -> None:
    recorded.write("look_at_obj_in_light-Cup-None-DeskLamp-3/trial_1", "damaged")
    assert check(recorded).report.foreign == 1
    assert not check(recorded).intact
    assert not check(recorded).damaged


def test_a_game_that_was_not_there_is_recorded_by_its_id_alone(attic, monkeypatch: pytest.MonkeyPatch) -> None:
    late = "look_at_obj_in_light-Cup-None-DeskLamp-3/trial_1"
    official = record_splits({"valid_seen": [attic.lamp, late]}, attic.data)
    monkeypatch.setattr(data, "official_splits", lambda: official)
    attic.write(late, attic.game("lamp"))
    (checked,) = verify_data(attic.data, cache=attic.cache)
    assert (checked.unchanged, checked.unrecorded) == (1, 1)
    assert str(checked).endswith(": 1 unchanged, 1 not recorded")


def test_a_damaged_game_is_not_recorded(attic) -> None:
    attic.write(attic.lamp, "{")
    with pytest.raises(EnvError, match="is not a readable ALFWorld game"):
        record_splits({"valid_seen": [attic.lamp]}, attic.data)


def test_missing_and_unknown_splits_are_named(attic) -> None:
    with pytest.raises(MissingDataError, match=r"There is no folder .*valid_unseen\. Download"):
        verify_data(attic.data, ["valid_unseen"])
    with pytest.raises(UnknownIdError, match=r"no ALFWorld split 'valid_sen'\. Did you mean 'valid_seen'"):
        verify_data(attic.data, ["valid_sen"])


def test_the_doctor_names_altered_validation_games(recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALFWORLD_DATA", str(recorded.data))
    assert doctor._alfworld_data().state == "ok"
    recorded.write(recorded.lamp, recorded.game("bell"))
    found = doctor._alfworld_data()
    assert found.state == "broken"
    assert f"the files of valid_seen are not as recorded: 1 altered (first {recorded.lamp}); get the" in found.detail


def test_the_doctor_takes_an_incomplete_folder_for_usable(recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALFWORLD_DATA", str(recorded.data))
    shutil.rmtree(recorded.folder / recorded.bell)
    found = doctor._alfworld_data()
    assert found.state == "ok"
    assert "valid_seen 1 of 2 official games (incomplete: 1 missing); no" in found.detail


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return (int(ended.value.code or 0), *capsys.readouterr())


def test_the_command_answers_in_words_and_in_json(recorded, capsys: pytest.CaptureFixture[str]) -> None:
    where = str(recorded.data)
    assert run(capsys, "verify", where) == (0, "valid_seen 2 of 2 official games: 2 unchanged\n", "")
    recorded.write(recorded.lamp, recorded.game("bell"))
    code, out, error = run(capsys, "verify", where, "--split", "valid_seen", "--json")
    assert error == f"Not the official games, whole and unchanged: valid_seen (1 altered (first {recorded.lamp})).\n"
    (document,) = json.loads(out)
    assert code == 1
    assert document.pop("digest") == splits.game_set_digest([recorded.lamp, recorded.bell])
    assert document == {
        "name": "valid_seen",
        "state": "complete",
        "official": 2,
        "found": 2,
        "missing": 0,
        "foreign": 0,
        "unchanged": 1,
        "unrecorded": 0,
        "altered": [recorded.lamp],
        "damaged": [],
        "intact": False,
    }


def test_the_command_and_the_doctor_say_of_missing_games_what_each_makes_of_it(
    recorded, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ALFWORLD_DATA", str(recorded.data))
    shutil.rmtree(recorded.folder / recorded.bell)
    code, out, error = run(capsys, "verify")
    assert (code, out) == (1, "valid_seen 1 of 2 official games (incomplete: 1 missing): 1 unchanged\n")
    assert error == "Not the official games, whole and unchanged: valid_seen (incomplete).\n"
    assert doctor._alfworld_data().state == "ok"


def test_the_command_knows_that_houses_from_seeds_have_no_files(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, error = run(capsys, "verify", "--split", "procedural")
    assert (code, out) == (2, "")
    assert error.startswith("Error: the split 'procedural' is made from seeds and has no files; name one of train, ")


def test_the_command_says_what_it_lacks(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, error = run(capsys, "verify", str(tmp_path / "nowhere"))
    assert code == 2
    assert "nowhere is not a folder. Download the games" in error
    assert run(capsys, "verify", "--splitt", "train")[0] == 2


def test_the_command_records_what_is_packaged(attic, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ids = tmp_path / "ids.json"
    ids.write_text(json.dumps({"valid_seen": [attic.lamp]}))
    code, out, _ = run(capsys, "record", str(ids), str(attic.data))
    assert code == 0
    assert msgspec.json.decode(out, type=dict[str, splits.OfficialSplit]) == record_splits(
        {"valid_seen": [attic.lamp]}, attic.data
    )


@pytest.mark.data
def test_the_real_validation_games_are_as_recorded(alfworld_data: Path, tmp_path: Path) -> None:
    for checked in verify_data(alfworld_data, ["valid_train", "valid_seen", "valid_unseen"], tmp_path):
        assert checked.intact
        assert checked.unchanged == checked.report.official
