"""JerichoEnv on a story that TextWorld made."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from agentgym_critic.envs import check_text_env, make_env
from agentgym_critic.envs.jericho import JerichoEnv, probe
from agentgym_critic.errors import ConfigError, EnvError, MissingDataError


@pytest.fixture
def env(made):
    env = JerichoEnv(made.known, walkthrough=made.walkthrough, max_steps=20)
    yield env
    env.close()


def test_keeps_the_contract(env: JerichoEnv) -> None:
    check_text_env(env, seeds=(0, 1), steps=12, single_task=True)


def test_keeps_it_with_a_story_that_jericho_does_not_know(made) -> None:
    check_text_env(JerichoEnv(made.unknown, max_steps=10), seeds=(0,), steps=8, single_task=True)


def test_is_registered(made) -> None:
    env = make_env("agentgym_critic/Jericho-v0", story=made.unknown)
    text, info = env.reset(seed=0)
    assert (info["task_id"], info["task"]) == ("supper", "Play the story supper to a good end.")
    assert info["admissible_actions"] is None
    assert "Kitchen" in text
    assert not text.endswith(">")
    env.close()


def test_the_walkthrough_gains_all_points(env: JerichoEnv, made) -> None:
    _, info = env.reset(seed=0)
    assert info["task"].endswith(f"gain as many of its {env.max_score} points as you can.")
    rewards = []
    for left in range(len(made.walkthrough), 0, -1):
        told = env.oracle()
        assert (told.steps_left, told.exact) == (left, False)
        _, reward, terminated, _, info = env.step(told.actions[0])
        rewards.append(reward)
    assert (terminated, info["success"], sum(rewards)) == (True, True, env.max_score)
    assert env.oracle().steps_left == 0


def test_the_oracle_is_silent_off_the_way_and_speaks_again_on_it(env: JerichoEnv, made) -> None:
    env.reset(seed=0)
    start = env.snapshot()
    env.step("look")
    assert env.oracle() is None
    env.restore(start)
    assert env.oracle().steps_left == len(made.walkthrough)


def test_a_walkthrough_that_fails_is_not_told(made) -> None:
    env = JerichoEnv(made.known, walkthrough=["look", "inventory"])
    env.reset(seed=0)
    assert env.oracle() is None
    env.close()


def test_asking_the_oracle_changes_no_reward(env: JerichoEnv) -> None:
    env.reset(seed=0)
    env.oracle()
    assert env.step("look")[1] == 0.0


def test_world_key_knows_objects_alone(env: JerichoEnv) -> None:
    _, info = env.reset(seed=0)
    key = env.world_key()
    *_, after = env.step("xyzzy")
    assert (env.world_key(), after["state_key"]) == (key, info["state_key"])
    *_, after = env.step("open fridge")
    assert env.world_key() != key
    assert after["state_key"] != info["state_key"]


def test_pickle_and_close(env: JerichoEnv) -> None:
    env.reset(seed=3)
    env.step("open fridge")
    twin = pickle.loads(pickle.dumps(env))
    assert twin.step("inventory") == env.step("inventory")
    twin.close()
    saved, seen = env.snapshot(), env.current()
    env.close()
    env.close()
    with pytest.raises(EnvError, match=r"call reset\(\) before step\(\)"):
        env.step("look")
    env.restore(saved)
    assert env.current() == seen


def test_listed_actions_are_all_there_is(made, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match=r"lists actions for the stories it knows, and tw-game\.z8 is none of them"):
        JerichoEnv(made.known, list_actions=True)
    from jericho import FrotzEnv

    monkeypatch.setattr(JerichoEnv, "_settled", lambda self, frotz: None)
    monkeypatch.setattr(FrotzEnv, "get_valid_actions", lambda self, **settings: ["open fridge", "Examine Cookbook"])
    env = JerichoEnv(made.known, list_actions=True, max_steps=12)
    _, info = env.reset(seed=0)
    assert info["admissible_actions"] == ["examine cookbook", "inventory", "look", "open fridge", "wait"]
    *_, info = env.step("take banana")
    assert info["invalid_reason"].startswith("'take banana' is not possible here. Possible: examine cookbook, ")
    check_text_env(env, seeds=(0,), steps=6, single_task=True, another_process=False)
    env.close()


def test_the_seed_of_the_story(made) -> None:
    class Seeds(JerichoEnv):
        drawn: Any = None

        def _story_seed(self, rng: Any) -> int:
            self.drawn = super()._story_seed(rng)
            return self.drawn

    env = Seeds(made.known, story_seed=7)
    env.reset(seed=1)
    assert env.drawn == 7
    env.close()
    env = Seeds(made.known)
    assert len({env.reset(seed=seed) and env.drawn for seed in (0, 1, 0)}) == 2
    env.close()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"story_seed": "walkthrough"},
            r"jericho has no walkthrough of supper\.z8, and so no seed of one; give story_",
        ),
        ({"story_seed": 0}, "story_seed is a number from 1 to 2147483647; got 0"),
        ({"max_steps": 0}, "max_steps is at least 1"),
    ],
)
def test_settings_that_do_not_fit(made, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        JerichoEnv(made.unknown, **settings)


@pytest.mark.parametrize(("place", "value"), [(0x08, 0x5000), (0x0C, 0x40)])
def test_a_spoilt_header_does_not_end_this_process(
    made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: int, value: int
) -> None:
    data = bytearray(made.unknown.read_bytes())
    data[place : place + 2] = value.to_bytes(2, "big")
    spoilt = tmp_path / "spoilt.z8"
    spoilt.write_bytes(data)
    monkeypatch.setattr(probe, "TIMEOUT_S", 5.0)
    said = r"the interpreter (ended with code -?\d+ on it.*|had not opened it after 5 seconds)"
    with pytest.raises(
        ConfigError, match=rf"(?s)spoilt\.z8 cannot be played: {said}; its header is damaged, get it anew"
    ):
        JerichoEnv(spoilt)


def test_a_story_must_be_named(made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JERICHO_STORY", raising=False)
    with pytest.raises(
        MissingDataError, match=r"none comes with this package: name it with story=PATH or in \$JERICHO"
    ):
        JerichoEnv()
    monkeypatch.setenv("JERICHO_STORY", os.fspath(made.unknown))
    env = JerichoEnv()
    assert env.story.path == Path(made.unknown).resolve()
    env.close()
