"""ScienceWorldEnv on short tasks."""

from __future__ import annotations

import os
import pickle
import random
import signal
from typing import Any

import pytest

from agentgym_critic.envs import check_text_env, make_env
from agentgym_critic.envs.scienceworld import ScienceWorldEnv
from agentgym_critic.errors import ConfigError, EnvError, UnknownIdError

LIVELY = {"task": "grow-plant", "variation": 3}
"""An episode in which chance has a say at every tick."""


def play(env: ScienceWorldEnv, steps: int, seed: int = 0) -> list[Any]:
    """Everything that a random walk from here sees."""
    rng, seen = random.Random(seed), []
    for _ in range(steps):
        listed = env.current()[1]["admissible_actions"]
        if not listed:
            break
        seen.append(env.step(rng.choice(listed)))
    return seen


@pytest.mark.slow
def test_keeps_the_contract(env: ScienceWorldEnv) -> None:
    check_text_env(env, seeds=(0,), steps=6)


def test_is_registered(env: ScienceWorldEnv) -> None:
    with_defaults = make_env("agentgym_critic/ScienceWorld-v0")
    assert len(with_defaults.unwrapped.tasks) == 30
    assert with_defaults.unwrapped.env_version.startswith("scienceworld 1.")


def test_an_episode_begins_as_the_package_s_own(env: ScienceWorldEnv) -> None:
    text, info = env.reset(seed=0, options={"task": "boil", "variation": 0})
    assert text.startswith("This room is called the hallway. In it, you see: ")
    assert info["task"].startswith("Your task is to boil water.")
    assert info["task_id"] == "boil-0-easy"
    assert "open door to kitchen" not in info["admissible_actions"]  # doors are open, made easy
    assert "look around" in info["admissible_actions"]


def test_the_oracle_is_the_gold_path_and_gains_one(env: ScienceWorldEnv) -> None:
    for seed in (0, 1):
        env.reset(seed=seed)
        rewards, told = [], env.oracle()
        assert told is not None
        for left in range(told.steps_left, 0, -1):
            told = env.oracle()
            assert (told.steps_left, told.exact) == (left, False)
            assert told.actions[0] in env.current()[1]["admissible_actions"]
            _, reward, terminated, _, info = env.step(told.actions[0])
            rewards.append(reward)
        assert (terminated, info["success"], round(sum(rewards), 9)) == (True, True, 1.0)
        assert (env.oracle().actions, env.oracle().steps_left) == ((), 0)


def test_the_oracle_is_silent_off_its_way_and_speaks_again_on_it(env: ScienceWorldEnv) -> None:
    env.reset(seed=0)
    start, told = env.snapshot(), env.oracle()
    env.step("wait1")
    assert env.oracle() is None
    env.restore(start)
    assert env.oracle() == told


def test_the_state_key_counts_what_takes_no_time(env: ScienceWorldEnv) -> None:
    """Goals that ask to stay in a place for some steps count every action."""
    _, info = env.reset(seed=0)
    *_, looked = env.step("look around")
    *_, refused = env.step("frobnicate")
    assert info["state_key"] != looked["state_key"] == refused["state_key"]


def test_a_gold_path_that_fails_is_not_told(env: ScienceWorldEnv, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "agentgym_critic.envs.scienceworld.simulator.Simulator._gold", lambda *_: ["wait1", "focus on air"]
    )
    env.reset(seed=0)
    before = env.current()
    assert env.oracle() is None
    assert env.current() == before
    env.step("wait1")


def test_failing_ends_at_minus_one(env: ScienceWorldEnv) -> None:
    env.reset(seed=0, options={"task": "boil", "variation": 0})
    _, reward, terminated, _, info = env.step("focus on agent")
    assert (reward, terminated, info["success"], info["admissible_actions"]) == (-1.0, True, False, [])


def test_snapshots_are_exact_where_chance_has_a_say(env: ScienceWorldEnv) -> None:
    env.reset(seed=0, options=LIVELY)
    play(env, 2, seed=1)
    saved = env.snapshot()
    expected = play(env, 5, seed=2)
    env.restore(saved)
    assert play(env, 5, seed=2) == expected
    other = pickle.loads(pickle.dumps(env))
    other.restore(pickle.loads(pickle.dumps(saved)))
    assert play(other, 5, seed=2) == expected  # in another process
    other.close()


def test_restoring_is_lazy(env: ScienceWorldEnv) -> None:
    env.reset(seed=0)
    saved, seen = env.snapshot(), env.current()
    play(env, 2)
    env.close()
    env.restore(saved)
    assert env.current() == seen
    assert env._simulator is None
    env.step("look around")
    assert env._simulator is not None


def test_listing_draws_no_random_numbers(env: ScienceWorldEnv) -> None:
    """With and without a list of actions the episode is the same."""
    plain = ScienceWorldEnv("find-non-living-thing", simplifications="easy", list_actions=False)
    keys = []
    for each in (env, plain):
        each.reset(seed=0, options=LIVELY)
        keys.append([each.step(action)[-1]["state_key"] for action in ("wait", "look at air", "wait", "inventory")])
    assert keys[0] == keys[1]
    assert plain.current()[1]["admissible_actions"] is None
    plain.close()


def test_other_words_for_an_action_are_understood(env: ScienceWorldEnv) -> None:
    env.reset(seed=0, options={"task": "boil", "variation": 0})
    *_, info = env.step("EXAMINE the air")
    assert not info["invalid_action"]
    for useless in ("help", "objects"):
        assert not env.step(useless)[-1]["invalid_action"]
    before = env.current()[1]["state_key"]
    text, reward, _, _, info = env.step("frobnicate the air")
    assert info["invalid_reason"].startswith(
        "'frobnicate the air' is not understood here. Actions, with OBJ for what is"
    )
    assert (reward, info["state_key"]) == (0.0, before)
    assert text.startswith(info["invalid_reason"] + "\n\nThis room is called ")


def test_a_question_is_answered_with_a_number(env: ScienceWorldEnv) -> None:
    env.reset(seed=0, options={"task": "grow-fruit", "variation": 0})
    env.step("go to kitchen")
    text, _, _, _, info = env.step("look at door")
    assert text.startswith("Ambiguous request: Please enter the number for the action you intended")
    assert info["admissible_actions"] == ["0", "1", "2"]
    asked = env.snapshot()
    *_, refused = env.step("go to hallway")
    assert refused["invalid_reason"] == "'go to hallway' is none of the numbers asked for: 0, 1, 2."
    answer = env.step("0")
    assert answer[0].startswith("A door to the hallway")
    env.restore(asked)
    assert env.step("0")[0] == answer[0]


def test_a_process_that_dies_is_explained_and_the_next_reset_starts_another(env: ScienceWorldEnv) -> None:
    first = env.reset(seed=0)
    pid = env._simulator.pid
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(
        EnvError, match=r"Java process died with exit code -9; this episode is lost: call reset\(\), which starts a new"
    ):
        env.step("look at air")
    with pytest.raises(EnvError, match=r"call reset\(\) before step\(\)"):
        env.step("look at air")
    assert env.reset(seed=0) == first
    assert env._simulator.pid != pid


def test_splits_and_variations(env: ScienceWorldEnv) -> None:
    env.reset(seed=0)
    simulator = env._simulator
    splits = [set(simulator.variations("boil", split)) for split in ("train", "dev", "test")]
    assert set.union(*splits) == set(simulator.variations("boil", None)) == set(range(30))
    assert sum(map(len, splits)) == 30
    tested = ScienceWorldEnv("boil", split="test")
    for seed in range(3):
        _, info = tested.reset(seed=seed)
        assert int(info["task_id"].removeprefix("boil-")) in splits[2]
    tested.close()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tasks": "boyl"}, r"no ScienceWorld task 'boyl'\. Did you mean 'boil'"),
        ({"split": "valid"}, r"no ScienceWorld split 'valid'\. Known: dev, test, train"),
        (
            {"simplifications": ["teleport"]},
            r"no ScienceWorld simplification 'teleport'\. Did you mean 'teleportAction'",
        ),
        (
            {"simplifications": ["easy", "openDoors"]},
            r"the simplification 'easy' stands for others and comes alone; got \['easy', 'openDoors'\]",
        ),
        (
            {"tasks": ["boil", "power-component"], "simplifications": "noElectricalAction"},
            "power-component takes electrical actions, and noElectricalAction leaves them out; drop one",
        ),
    ],
)
def test_settings_that_do_not_fit(env: ScienceWorldEnv, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        ScienceWorldEnv(**settings)


def test_options_that_do_not_fit(env: ScienceWorldEnv) -> None:
    with pytest.raises(UnknownIdError, match="no ScienceWorld task 'grow-fruits'"):
        env.reset(options={"task": "grow-fruits"})
    with pytest.raises(ConfigError, match="the variations of boil are the numbers 0 to 29; got 30"):
        env.reset(options={"task": "boil", "variation": 30})
    with pytest.raises(EnvError, match=r"call reset\(\) before step\(\)"):
        env.step("look around")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "variation"),
    [("change-the-state-of-matter-of", 7), ("grow-plant", 0), ("identify-life-stages-2", 0), ("test-conductivity", 1)],
)
def test_gold_paths_of_other_tasks(env: ScienceWorldEnv, task: str, variation: int) -> None:
    full = ScienceWorldEnv(list_actions=False)
    full.reset(seed=0, options={"task": task, "variation": variation})
    told = full.oracle()
    assert told is not None
    for left in range(told.steps_left, 0, -1):
        told = full.oracle()
        assert told.steps_left == left
        *_, info = full.step(told.actions[0])
    assert info["success"]
    full.close()
