"""Games from files: compiled, not compiled, and damaged."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentgym_critic.envs import check_text_env
from agentgym_critic.envs.textworld import TextWorldEnv
from agentgym_critic.envs.textworld.challenges import TreasureHunter
from agentgym_critic.envs.textworld.files import find_games
from agentgym_critic.envs.textworld.games import game_file
from agentgym_critic.errors import ConfigError, EnvError, MissingDataError

HUNT = TreasureHunter(level=2)


@pytest.fixture
def folder(games_cache: Path, tmp_path: Path) -> Path:
    """Three games: compiled, as data alone, and for Glulx."""
    folder = tmp_path / "games"
    folder.mkdir()
    for seed, name in enumerate(("compiled", "data", "glulx")):
        story = game_file("tw-treasure_hunter", HUNT, seed, games_cache)
        shutil.copy(story.with_suffix(".json"), folder / f"{name}.json")
        if name == "compiled":
            shutil.copy(story, folder / f"{name}.z8")
    (folder / "glulx.ulx").write_bytes(b"Glul")
    (folder / "readme.txt").write_text("Three games.")
    return folder


def test_all_kinds_are_played_to_their_end(folder: Path, games_cache: Path) -> None:
    env = TextWorldEnv(path=folder, cache=games_cache)
    for seed, name in enumerate(("compiled", "data", "glulx", "compiled")):
        text, info = env.reset(seed=seed)
        assert info["task_id"] == name
        assert text.startswith(info["task"])
        assert text.rstrip() == text
        assert "\n>" not in text
        for left in range(env.oracle().steps_left, 0, -1):
            assert env.oracle().steps_left == left
            *_, info = env.step(env.oracle().actions[0])
        assert info["success"]
    env.close()


def test_a_file_s_game_is_the_generated_one(folder: Path, games_cache: Path) -> None:
    generated = TextWorldEnv("tw-treasure_hunter", params={"level": 2}, cache=games_cache)
    for seed, ending in enumerate((".z8", ".json")):
        env = TextWorldEnv(path=folder / f"{('compiled', 'data')[seed]}{ending}", cache=games_cache)
        seen = []
        for each in (env, generated):
            text, info = each.reset(seed=seed)
            seen.append([text, info["admissible_actions"], each.step(info["admissible_actions"][0])[:4]])
        assert seen[0] == seen[1]
        env.close()
    generated.close()


def test_it_keeps_the_contract(folder: Path, games_cache: Path) -> None:
    env = TextWorldEnv(path=folder, cache=games_cache, max_steps=20)
    check_text_env(env, seeds=(0, 1), steps=8)
    env.close()


def test_files_are_found_by_name(folder: Path) -> None:
    assert [game.name for game in find_games(folder)] == ["compiled", "data", "glulx"]
    assert [game.story is not None for game in find_games(folder)] == [True, False, False]
    assert find_games(folder / "glulx.ulx")[0].data == folder / "glulx.json"


def test_what_is_not_there(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"there are no TextWorld games at .*nowhere; name a folder of them, or"):
        TextWorldEnv(path=tmp_path / "nowhere")
    with pytest.raises(ConfigError, match=r"holds no TextWorld games: none of its files ends in \.json, \.ulx, \.z8"):
        TextWorldEnv(path=tmp_path / "games" / "readme.txt")
    (folder / "data.z8").write_bytes(b"")
    (folder / "data.json").unlink()
    with pytest.raises(ConfigError, match=r"the game .*/data has no data\.json beside it, which holds its logic; copy"):
        TextWorldEnv(path=folder)


def test_damaged_files_are_explained(folder: Path, games_cache: Path) -> None:
    whole = (folder / "data.json").read_text()
    story = bytearray((folder / "compiled.z8").read_bytes())
    story[5000] ^= 1
    (folder / "compiled.z8").write_bytes(story)
    env = TextWorldEnv(path=folder, cache=games_cache)
    with pytest.raises(
        ConfigError, match=r"compiled\.z8 cannot be played: its checksum is .* it is damaged; get it anew"
    ):
        env.reset(seed=0)
    (folder / "data.json").write_text(whole[:-100])
    with pytest.raises(ConfigError, match=r"data\.json is no TextWorld game, or damaged: .*; get it anew"):
        env.reset(seed=1)
    (folder / "data.json").write_text("[]")
    with pytest.raises(
        ConfigError, match=r"data\.json is no TextWorld game: it lacks world, quests, KB, metadata; get"
    ):
        env.reset(seed=1)
    (folder / "data.json").write_text(json.dumps({**json.loads(whole), "world": ["at"]}))
    with pytest.raises(EnvError, match=r"(?s)textworld could not make the game .*data\.json"):
        env.reset(seed=1)
    (folder / "data.json").write_text(whole)
    assert env.reset(seed=1)[1]["task_id"] == "data"
    env.close()


@pytest.mark.parametrize("settings", [{"challenge": "tw-simple"}, {"params": {}}, {"games": 2}])
def test_files_and_challenges_exclude_each_other(folder: Path, settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="path names games that exist; leave out challenge, params and games"):
        TextWorldEnv(path=folder, **settings)
