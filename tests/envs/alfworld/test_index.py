"""The cached list of games: fast when nothing changed, right when something did."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
from pathlib import Path

import pytest

from agentgym_critic.envs.alfworld import index
from agentgym_critic.envs.alfworld.index import list_games


@pytest.fixture
def scans(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders that were really listed."""
    seen: list[Path] = []
    scan = index._scan

    def counted(folder: Path) -> index.Index:
        seen.append(folder)
        return scan(folder)

    monkeypatch.setattr(index, "_scan", counted)
    return seen


def test_lists_games_sorted_and_skips_trials_without_one(attic) -> None:
    (attic.folder / "pick_and_place_simple-Cup-None-Shelf-2" / "trial_9").mkdir(parents=True)
    (attic.folder / "notes.txt").write_text("not a task")
    assert list_games(attic.folder, attic.cache) == [attic.lamp, attic.bell]


@pytest.mark.parametrize("marked", [{"solvable": False}, {"solvable": None, "walkthrough": None}])
def test_a_game_that_is_not_solvable_is_not_listed_until_it_is(attic, scans, marked: dict[str, object]) -> None:
    file = attic.write(attic.lamp, attic.game("lamp", **marked))
    os.utime(file, (0, 0))
    attic.settle()
    for _ in range(2):
        assert list_games(attic.folder, attic.cache) == [attic.bell]
    assert len(scans) == 1
    file.write_text(json.dumps(attic.game("lamp")))
    assert list_games(attic.folder, attic.cache) == [attic.lamp, attic.bell]


def test_a_game_whose_text_speaks_of_solvable_is_listed(attic) -> None:
    attic.write(attic.lamp, attic.game("lamp", pddl_problem='; "solvable": false'))
    assert list_games(attic.folder, attic.cache) == [attic.lamp, attic.bell]


def test_a_settled_folder_is_listed_once(attic, scans) -> None:
    attic.settle()
    first = list_games(attic.folder, attic.cache)
    assert list_games(attic.folder, attic.cache) == first
    assert len(scans) == 1


def test_a_folder_that_has_just_changed_is_not_cached(attic, scans) -> None:
    list_games(attic.folder, attic.cache)
    list_games(attic.folder, attic.cache)
    assert len(scans) == 2
    assert not attic.cache.exists()


def test_added_task_trial_and_late_game_are_noticed(attic, scans) -> None:
    empty = attic.folder / "pick_and_place_simple-Cup-None-Shelf-2" / "trial_9"
    empty.mkdir(parents=True)
    attic.settle()
    assert len(list_games(attic.folder, attic.cache)) == 2
    for game_id in (
        "look_at_obj_in_light-Cup-None-DeskLamp-3/trial_1",
        f"{attic.lamp.partition('/')[0]}/trial_7",
        "pick_and_place_simple-Cup-None-Shelf-2/trial_9",
    ):
        attic.write(game_id, attic.game("lamp"))
        assert game_id in list_games(attic.folder, attic.cache)
        attic.settle()
        list_games(attic.folder, attic.cache)
    assert len(list_games(attic.folder, attic.cache)) == 5


def test_a_removed_task_is_noticed(attic) -> None:
    attic.settle()
    list_games(attic.folder, attic.cache)
    shutil.rmtree(attic.folder / attic.bell.partition("/")[0])
    assert list_games(attic.folder, attic.cache) == [attic.lamp]


@pytest.mark.parametrize("damage", [bytes(40), b"", b"{", b"\xff\xfe", b'{"format": 1}', b'{"format":"1","games":3}'])
def test_a_damaged_cache_is_listed_anew(attic, damage: bytes, caplog: pytest.LogCaptureFixture) -> None:
    attic.settle()
    expected = list_games(attic.folder, attic.cache)
    (file,) = (attic.cache / "alfworld").iterdir()
    file.write_bytes(damage)
    assert list_games(attic.folder, attic.cache) == expected
    assert f"The index {file} is damaged" in caplog.text
    assert file.read_bytes() != damage


@pytest.mark.parametrize("name", ["a\\u0000b", "\\udc80"])
def test_an_index_with_a_name_that_no_file_has_is_listed_anew(attic, scans, name: str) -> None:
    attic.settle()
    expected = list_games(attic.folder, attic.cache)
    (file,) = (attic.cache / "alfworld").iterdir()
    file.write_text(file.read_text().replace('"stamps":{', f'"stamps":{{"{name}":1,'))
    assert list_games(attic.folder, attic.cache) == expected
    assert len(scans) == 2


def test_names_that_are_no_text_do_no_harm(attic, scans, tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"d\xff")
    shutil.copytree(attic.folder, odd)
    shutil.copytree(attic.folder / attic.lamp, odd / os.fsdecode(b"pick_and_place_simple-\xff/trial_1"))
    for path, _, _ in os.walk(odd):
        os.utime(path, (0, 0))
    for _ in range(2):
        assert list_games(odd, attic.cache) == [attic.lamp, attic.bell]
    assert len(scans) == 1


def test_another_format_is_listed_anew(attic, scans) -> None:
    attic.settle()
    list_games(attic.folder, attic.cache)
    (file,) = (attic.cache / "alfworld").iterdir()
    file.write_bytes(file.read_bytes().replace(b'"format":2', b'"format":1'))
    list_games(attic.folder, attic.cache)
    assert len(scans) == 2


def test_a_cache_that_cannot_be_written_only_costs_time(attic, caplog: pytest.LogCaptureFixture) -> None:
    attic.settle()
    attic.cache.write_text("a file where the cache folder should be")
    assert list_games(attic.folder, attic.cache) == [attic.lamp, attic.bell]
    assert "could not be kept" in caplog.text


def test_two_data_folders_do_not_share_an_index(attic, tmp_path: Path) -> None:
    attic.settle()
    other = shutil.copytree(attic.folder, tmp_path / "other")
    shutil.rmtree(other / attic.bell.partition("/")[0])
    for path, _, _ in os.walk(other):
        os.utime(path, (0, 0))
    assert list_games(attic.folder, attic.cache) == [attic.lamp, attic.bell]
    assert list_games(other, attic.cache) == [attic.lamp]


def test_several_processes_may_list_at_once(attic) -> None:
    attic.settle()
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        answers = pool.starmap(list_games, [(attic.folder, attic.cache)] * 8)
    assert answers == [[attic.lamp, attic.bell]] * 8
    (file,) = (attic.cache / "alfworld").iterdir()
    assert index._read(file) is not None
