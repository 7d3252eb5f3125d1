"""Generated houses as a split: no data, a house for every seed, and no setting that is silently ignored."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from agentgym_critic.envs import check_text_env, make_env
from agentgym_critic.envs.alfworld import AlfworldEnv, make_alfworld
from agentgym_critic.envs.alfworld.houses import HouseSettings
from agentgym_critic.envs.alfworld.layout import TASK_TYPES
from agentgym_critic.envs.alfworld.procedural import make_houses
from agentgym_critic.envs.alfworld.source import find_source
from agentgym_critic.errors import ConfigError, UnknownIdError


@pytest.fixture(autouse=True)
def no_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Games cannot come from anywhere but the generator."""
    monkeypatch.setenv("ALFWORLD_DATA", str(tmp_path / "nowhere"))


@pytest.fixture
def env() -> AlfworldEnv:
    return make_alfworld(split="procedural")


def test_keeps_the_contract(env: AlfworldEnv) -> None:
    check_text_env(env, seeds=(0, 1), steps=12)


def test_every_seed_is_a_house_that_the_oracle_solves(env: AlfworldEnv) -> None:
    seen = set()
    for seed in range(12):
        _, info = env.reset(seed=seed)
        seen.add(info["task_id"])
        while not info["success"]:
            *_, info = env.step(env.oracle().actions[0])
    assert len(seen) == 12
    assert len({house.partition("-")[0] for house in seen}) > 3


def test_the_same_seed_is_the_same_house_everywhere(env: AlfworldEnv) -> None:
    text, info = env.reset(seed=5)
    other = pickle.loads(pickle.dumps(make_env("agentgym_critic/ALFWorld-v0", split="procedural")))
    assert other.reset(seed=5) == (text, info)


def test_houses_have_no_end_and_no_official_split(env: AlfworldEnv) -> None:
    assert env.game_ids is None
    assert env.split_report is None
    assert "/seed_2147483648-" in env.reset(seed=2**31)[1]["task_id"]


def test_a_house_is_played_by_name(env: AlfworldEnv) -> None:
    _, info = env.reset(seed=7)
    assert env.reset(seed=0, options={"game_id": info["task_id"]})[1]["task_id"] == info["task_id"]


@pytest.mark.parametrize("seed", [10**19, 10**25, 10**400])
def test_a_house_of_a_large_seed_is_played_by_name(env: AlfworldEnv, seed: int) -> None:
    text, info = env.reset(seed=seed)
    assert env.reset(seed=0, options={"game_id": info["task_id"]}) == (text, info)


@pytest.mark.parametrize("name", ["seed_7", "pick/seed_7-00000000", "pick/seed_9999999999999999999999-0"])
def test_a_house_that_is_not_made_is_refused(env: AlfworldEnv, name: str) -> None:
    with pytest.raises(UnknownIdError, match=rf"There is no generated house '{name}'.* These are made by HouseS"):
        env.reset(seed=0, options={"game_id": name})


def test_a_house_of_other_settings_is_refused_and_the_nearest_named(env: AlfworldEnv) -> None:
    games = make_houses({"room": "kitchen"})
    asked, nearest = env.reset(seed=7)[1]["task_id"], games.pick(7).id
    with pytest.raises(UnknownIdError, match=f"'{asked}'. (Did you mean|Known:) '?{nearest}"):
        games.require(asked)


def test_settings_by_name_and_as_an_object_are_the_same() -> None:
    by_name = make_houses({"room": ["kitchen", "bedroom"], "min_solution": 4})
    assert by_name == make_houses(HouseSettings(room=("kitchen", "bedroom"), min_solution=4))
    assert len(by_name.pick(3).file.walkthrough) >= 4


def test_houses_of_a_task_type() -> None:
    for task_type in TASK_TYPES:
        assert make_houses(task_type=[task_type]).pick(0).id.startswith(f"{task_type}-")
    assert make_houses(task_type=TASK_TYPES[0]).version == make_houses({"task_type": TASK_TYPES[0]}).version


def test_the_version_changes_with_the_settings() -> None:
    kitchens = make_alfworld(split="procedural", houses={"room": "kitchen"})
    assert kitchens.env_version.startswith(f"games procedural {HouseSettings(room='kitchen').version}, ")
    assert kitchens.env_version != make_alfworld(split="procedural").env_version


@pytest.mark.parametrize(("dialect", "words"), [("move", "move … to …"), ("put", "put … in/on …")])
def test_the_version_tells_the_dialect(dialect: str, words: str) -> None:
    env = make_alfworld(split="procedural", houses={"dialect": dialect})
    env.reset(seed=0)
    assert env.env_version.endswith(f", {words}")


def test_environments_share_a_house() -> None:
    assert make_houses().pick(4) is make_houses().pick(4)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"split": "procedurl"}, r"no ALFWorld split 'procedurl'\. Did you mean 'procedural'"),
        (
            {"split": "procedural", "data": "x", "game_id": "y"},
            r"split 'procedural' makes its games from seeds, so game_id, data would be ignored; leave it out",
        ),
        (
            {"split": "train", "houses": {}},
            r"split 'train' is read from a folder, so houses would be ignored; leave it out",
        ),
        ({"split": "procedural", "houses": {"rom": "kitchen"}}, r"houses: .*'rom'.*; it takes \(.*room"),
        ({"split": "procedural", "houses": ""}, r"houses are settings by name, .*; got ''"),
        ({"split": "procedural", "houses": []}, r"houses are settings by name, .*; got \[\]"),
        ({"split": "procedural", "houses": {"room": {"a": 1}}}, r"^houses: room is text or a list of texts or None, "),
        ({"split": "procedural", "houses": {"min_solution": "5"}}, r"^houses: min_solution is a whole number, got '5'"),
        ({"split": "procedural", "task_type": []}, r"^task_type is a name or a list of at least one, got \[\]$"),
        ({"split": "train", "task_type": []}, r"^task_type is a name or a list of at least one, got \[\]$"),
        ({"split": 5}, r"There is no ALFWorld split '5'"),
        ({"split": "procedural", "houses": "kitchen"}, r"houses are settings by name, .*; got 'kitchen'"),
        ({"split": "procedural", "houses": {"room": "kitchn"}}, r"no kind of room 'kitchn'\. Did you mean 'kitchen'"),
        ({"split": "procedural", "task_type": "pick"}, r"no ALFWorld task type 'pick'"),
        (
            {"split": "procedural", "task_type": TASK_TYPES[0], "houses": {"task_type": TASK_TYPES[1]}},
            r"task_type='look_at_obj_in_light' and houses with task_type='pick_and_place_simple' are given; leave out",
        ),
    ],
)
def test_what_cannot_be_is_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        find_source(**settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_steps": "abc"}, "max_steps is a whole number or None, got 'abc'"),
        ({"task_type": 5}, "task_type is text or a list of texts or None, got 5"),
        ({"split": None}, "split is text, got None"),
        ({"engine": ["native"]}, "engine is text, got ['native']"),
        ({"data": 5}, "data is text or a path or None, got 5"),
        (
            {"foo": 1},
            "got an unexpected keyword argument 'foo'; it takes (engine='native', *, split='train', task_type=None, "
            "game_id=None, data=None, cache=None, houses=None, max_steps=50, render_mode=None)",
        ),
    ],
)
def test_a_setting_of_the_wrong_name_or_type_is_named(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        make_env("agentgym_critic/ALFWorld-v0", **{"split": "procedural", **settings})
    assert str(refused.value) == f"environment agentgym_critic/ALFWorld-v0: {message}"


def test_what_the_environment_takes_is_passed_on() -> None:
    env = make_env("agentgym_critic/ALFWorld-v0", split="procedural", max_steps=1, render_mode="ansi")
    text, _ = env.reset(seed=0)
    assert env.render() == text
    assert env.step("look")[3]
