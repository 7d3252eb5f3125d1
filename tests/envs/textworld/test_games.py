"""Generated games: the same everywhere, written whole, and nothing of the caller is touched."""

from __future__ import annotations

import hashlib
import os
import random
import threading
from pathlib import Path

import numpy as np
import pytest

from agentgym_critic.envs.textworld import games
from agentgym_critic.envs.textworld.challenges import CoinCollector, TreasureHunter
from agentgym_critic.envs.textworld.games import game_file
from agentgym_critic.errors import ConfigError, EnvError

HUNT = TreasureHunter(level=2)


def digest(story: Path) -> str:
    return hashlib.sha256(story.with_suffix(".json").read_bytes()).hexdigest()


def test_a_game_is_generated_once(games_cache: Path) -> None:
    story = game_file("tw-treasure_hunter", HUNT, 0, games_cache)
    assert sorted(path.name for path in story.parent.iterdir()) == ["tw-game.json", "tw-game.z8"]
    written = story.stat().st_mtime_ns
    assert game_file("tw-treasure_hunter", HUNT, 0, games_cache) == story
    assert story.stat().st_mtime_ns == written


def test_a_seed_is_a_game_whatever_the_hash_seed(
    games_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", "123")
    again = game_file("tw-treasure_hunter", HUNT, 0, tmp_path)
    assert digest(again) == digest(game_file("tw-treasure_hunter", HUNT, 0, games_cache))


def test_seeds_and_parameters_are_different_games(games_cache: Path) -> None:
    stories = [
        game_file("tw-treasure_hunter", HUNT, 0, games_cache),
        game_file("tw-treasure_hunter", HUNT, 2**40, games_cache),
        game_file("tw-treasure_hunter", TreasureHunter(level=2, goal="detailed"), 0, games_cache),
    ]
    assert len({digest(story) for story in stories}) == 3


def test_random_state_of_the_caller_is_untouched(games_cache: Path) -> None:
    np.random.seed(3)
    random.seed(3)
    game_file("tw-treasure_hunter", HUNT, 1, games_cache)
    assert np.random.randint(1000) == np.random.RandomState(3).randint(1000)
    assert random.random() == random.Random(3).random()


def test_generating_at_once_leaves_one_whole_game(tmp_path: Path) -> None:
    stories: list[Path] = []
    workers = [
        threading.Thread(target=lambda: stories.append(game_file("tw-treasure_hunter", HUNT, 4, tmp_path)))
        for _ in range(2)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(set(stories)) == 1
    assert [path.name for path in stories[0].parent.parent.iterdir()] == ["4"]


def test_an_unwritable_cache_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"TextWorld games cannot be kept: .*Name another folder with cache=\."):
        game_file("tw-treasure_hunter", HUNT, 0, tmp_path / "file")


def test_a_generator_that_fails_is_quoted_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(EnvError, match=r"(?s)textworld could not make the game .*tw-nothing.*KeyError"):
        game_file("tw-nothing", CoinCollector(), 0, tmp_path)
    assert [name for _, _, names in os.walk(tmp_path) for name in names] == []


def test_a_generator_that_hangs_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "TIMEOUT_SECONDS", 0.05)
    with pytest.raises(EnvError, match=r"textworld could not make the game .*timed out after 0\.05 seconds"):
        game_file("tw-treasure_hunter", HUNT, 9, tmp_path)


def test_modules_in_the_working_directory_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "textworld.py").write_text("raise SystemExit('the wrong textworld')")
    monkeypatch.chdir(tmp_path)
    assert game_file("tw-treasure_hunter", HUNT, 0, tmp_path / "cache").is_file()


def test_the_version_is_part_of_the_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "make_game", lambda folder, request: None)
    before = game_file("tw-coin_collector", CoinCollector(), 0, tmp_path)
    monkeypatch.setattr(games, "GENERATOR", 99)
    assert game_file("tw-coin_collector", CoinCollector(), 0, tmp_path) != before
