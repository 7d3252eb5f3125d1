"""A vector does what its environments do alone, and what Gymnasium's own vector of them does."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec, load_env_creator
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics
from hypothesis import given
from hypothesis import strategies as st
from worlds import BRITTLE, CORRIDOR, BrittleEnv, CorridorEnv

from agentgym_critic.envs import TextEnv, TextVectorEnv, env_ids, make_env, make_vector_env
from agentgym_critic.errors import ConfigError, EnvError, UnknownIdError

SOKOBAN = "agentgym_critic/Sokoban-v0"
MODES = list(AutoresetMode)


class NamedStart(CorridorEnv):
    """A corridor whose start can be chosen, and whose `info` tells it there only."""

    episode_options = frozenset({"cell", "mood"})
    mood: str | None = None

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        super()._begin(rng, options)
        self.cell, self.mood = options.get("cell", self.cell), options.get("mood")
        return self._view()

    def _info(self) -> dict[str, Any]:
        return {**super()._info(), **({"mood": self.mood} if self.mood else {})}


class Clumsy(CorridorEnv):
    """Fails in whatever method is named."""

    fails_in = ""
    closed = False

    def _fail(self, method: str) -> None:
        if self.fails_in == method:
            raise RuntimeError(f"{method} failed")

    def reset(self, **arguments: Any) -> Any:
        self._fail("reset")
        return super().reset(**arguments)

    def oracle(self) -> Any:
        self._fail("oracle")
        return super().oracle()

    def close(self) -> None:
        self.closed = True
        self._fail("close")


class Alone:
    """One environment, played by the rules of a mode."""

    def __init__(self, env: TextEnv, mode: AutoresetMode) -> None:
        self.env, self.mode, self.over = env, mode, False

    def step(self, action: str) -> tuple[Any, ...]:
        if self.over and self.mode is AutoresetMode.NEXT_STEP:
            self.over = False
            observation, info = self.env.reset()
            return observation, 0.0, False, False, info
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.over = terminated or truncated
        if self.over and self.mode is AutoresetMode.SAME_STEP:
            last = {"final_obs": observation, "final_info": info}
            observation, info = self.env.reset()
            return observation, reward, terminated, truncated, {**info, **last}
        return observation, reward, terminated, truncated, info


def corridors(count: int, mode: AutoresetMode | str = AutoresetMode.NEXT_STEP, **settings: Any) -> TextVectorEnv:
    return TextVectorEnv([lambda: CorridorEnv(**settings)] * count, autoreset_mode=mode)


def taken_apart(infos: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """The infos of each environment."""
    apart: list[dict[str, Any]] = [{} for _ in range(count)]
    for key, column in infos.items():
        for index in np.flatnonzero(infos.get(f"_{key}", [])):
            values = taken_apart(column, count) if isinstance(column, dict) else column
            apart[index][key] = values[index]
    return apart


def plain(result: Any) -> Any:
    """What compares with `==`: types and values."""
    if isinstance(result, dict):
        return {key: plain(value) for key, value in result.items()}
    if isinstance(result, np.ndarray):
        return result.dtype, result.tolist()
    return [plain(each) for each in result] if isinstance(result, tuple) else result


modes = st.sampled_from(MODES)
words = st.sampled_from(["left", "right", "right", "fly", ""])
seeds = st.lists(st.integers(0, 2**40), min_size=1, max_size=4)
plans = seeds.flatmap(lambda seed: st.tuples(st.just(seed), st.lists(st.tuples(*[words] * len(seed)), max_size=25)))


@given(modes, plans, st.integers(1, 6))
def test_it_plays_as_its_environments_do_alone(mode: AutoresetMode, plan: Any, max_steps: int) -> None:
    seed, actions = plan
    vector = corridors(len(seed), mode, length=4, max_steps=max_steps)
    alone = [Alone(CorridorEnv(length=4, max_steps=max_steps), mode) for _ in seed]
    observations, infos = vector.reset(seed=seed)
    begun = [each.env.reset(seed=number) for each, number in zip(alone, seed, strict=True)]
    assert list(zip(observations, taken_apart(infos, len(seed)), strict=True)) == begun
    for words in actions:
        if mode is AutoresetMode.DISABLED and any(each.over for each in alone):
            mask = np.array([each.over for each in alone])
            observations, infos = vector.reset(options={"reset_mask": mask})
            for index in np.flatnonzero(mask):
                alone[index].over = False
                begun = alone[index].env.reset()
                assert (observations[index], taken_apart(infos, len(seed))[index]) == begun
        *columns, infos = vector.step(words)
        played = [each.step(word) for each, word in zip(alone, words, strict=True)]
        assert list(zip(*columns, taken_apart(infos, len(seed)), strict=True)) == played


@given(modes, plans, st.integers(1, 6))
def test_it_does_what_gymnasium_s_vector_does(mode: AutoresetMode, plan: Any, max_steps: int) -> None:
    seed, actions = plan
    ours = corridors(len(seed), mode, length=4, max_steps=max_steps)
    theirs = SyncVectorEnv([lambda: CorridorEnv(length=4, max_steps=max_steps)] * len(seed), autoreset_mode=mode)
    assert plain(ours.reset(seed=seed)) == plain(theirs.reset(seed=seed))
    for words in actions:
        ours_did, theirs_did = ours.step(words), theirs.step(words)
        assert plain(ours_did) == plain(theirs_did)
        over = ours_did[2] | ours_did[3]
        if mode is AutoresetMode.DISABLED and over.any():
            resets = [each.reset(options={"reset_mask": over.copy()}) for each in (ours, theirs)]
            assert plain(resets[0]) == plain(resets[1])
    assert ours.np_random_seed == theirs.np_random_seed
    assert [each.bit_generator.state for each in ours.np_random] == [
        each.bit_generator.state for each in theirs.np_random
    ]


def test_shapes_and_types() -> None:
    vector = corridors(3, length=1000)
    vector.reset(seed=0)
    observations, rewards, terminations, truncations, infos = vector.step(["right"] * 3)
    assert isinstance(observations, tuple)
    assert observations in vector.observation_space
    assert vector.action_space.sample() in vector.action_space
    assert (rewards.dtype, rewards.shape) == (np.float64, (3,))
    assert (terminations.dtype, truncations.dtype) == (np.bool_, np.bool_)
    assert infos["admissible_actions"].dtype == object
    assert infos["admissible_actions"][0] == ["left", "right"]
    assert infos["_admissible_actions"].tolist() == [True] * 3
    assert infos["success"].dtype == np.bool_


def test_spaces_metadata_and_modes_are_gymnasium_s() -> None:
    theirs = SyncVectorEnv([CorridorEnv] * 3, autoreset_mode="SameStep")
    ours = TextVectorEnv([CorridorEnv] * 3, autoreset_mode="SameStep")
    for name in ("observation_space", "action_space", "single_observation_space", "single_action_space"):
        assert getattr(ours, name) == getattr(theirs, name), name
    assert (ours.metadata, ours.render_mode, ours.num_envs) == (theirs.metadata, theirs.render_mode, 3)
    assert "autoreset_mode" not in CorridorEnv.metadata


def test_what_was_returned_does_not_change_later() -> None:
    vector = corridors(2)
    first, _ = vector.reset(seed=0)
    step = vector.step(["right", "right"])
    before = plain((first, *step))
    vector.step(["left", "fly"])
    assert plain((first, *step)) == before


@pytest.mark.parametrize("seed", [7, np.int64(7), [7, 8, 9], (7, 8, 9), np.array([7, 8, 9])], ids=repr)
def test_seeds(seed: Any) -> None:
    vector = corridors(3, length=1000)
    observations, _ = vector.reset(seed=seed)
    assert list(observations) == [CorridorEnv(length=1000).reset(seed=each)[0] for each in (7, 8, 9)]


@pytest.mark.parametrize("seed", [7, [7, 8], (7, 8), [7, 7, 7, 8, 8, 8]], ids=repr)
def test_copies_of_a_group_start_alike(seed: Any) -> None:
    vector = TextEnv.make_vec(CORRIDOR, 6, group=3, length=1000)
    observations, _ = vector.reset(seed=seed)
    starts = [CorridorEnv(length=1000).reset(seed=each)[0] for each in (7, 8)]
    assert list(observations) == [starts[0]] * 3 + [starts[1]] * 3


def test_copies_of_a_group_stay_together_without_seeds() -> None:
    vector = TextEnv.make_vec(CORRIDOR, 4, group=2, length=1000)
    for _ in range(3):
        observations, _ = vector.reset()
        assert observations[0] == observations[1] != observations[2] == observations[3]
    before = observations
    observations, _ = vector.reset(options={"reset_mask": np.array([True, True, False, False])})
    assert observations[0] == observations[1] != before[0]
    assert observations[2:] == before[2:]


def test_a_group_s_n_th_episodes_are_alike() -> None:
    vector = TextEnv.make_vec(CORRIDOR, 4, group=2, autoreset_mode="SameStep", length=1000, max_steps=1)
    vector.reset(seed=0)
    for _ in range(3):
        observations, *_, infos = vector.step(["right", "left", "right", "right"])
        assert observations[0] == observations[1] != observations[2] == observations[3]
        assert infos["final_obs"][0] != infos["final_obs"][1]
        assert infos["final_info"]["_state_key"].all()


@pytest.mark.parametrize(
    ("n", "group", "message"),
    [
        (4, 3, "4 environments do not fall into groups of 3; take a multiple of 3"),
        (4, 0, "group is a whole number from 1, got 0"),
        (4, True, "group is a whole number from 1, got True"),
        (4, "2", "group is a whole number from 1, got '2'"),
    ],
)
def test_groups_that_do_not_fit_are_refused(n: int, group: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        TextEnv.make_vec(CORRIDOR, n, group=group)
    with pytest.raises(ConfigError, match=message):
        TextVectorEnv([CorridorEnv] * n, group=group)


def test_without_a_seed_each_goes_on_from_its_last() -> None:
    vector, alone = corridors(2, length=1000), CorridorEnv(length=1000)
    vector.reset(seed=[3, 4])
    alone.reset(seed=3)
    observations, _ = vector.reset(seed=[None, 4])
    assert observations == (alone.reset()[0], CorridorEnv(length=1000).reset(seed=4)[0])
    assert vector.reset()[0][0] == alone.reset()[0]


def test_options_for_all_for_some_and_for_each() -> None:
    vector = TextVectorEnv([NamedStart] * 3)
    assert vector.reset(options={"cell": 2})[0] == ("You are in cell 2.",) * 3
    options = {
        "reset_mask": [True, False, True],
        "cell": 4,
        "per_env": [{"cell": 1, "mood": "good"}, {"cell": 3}, None],
    }
    observations, infos = vector.reset(seed=0, options=options)
    assert observations == ("You are in cell 1.", "You are in cell 2.", "You are in cell 4.")
    assert infos["_task"].tolist() == [True, False, True]
    assert infos["task"].tolist() == ["Reach cell 5.", None, "Reach cell 5."]
    assert infos["mood"].tolist() == ["good", None, None]
    assert infos["_mood"].tolist() == [True, False, False]
    assert sorted(options) == ["cell", "per_env", "reset_mask"]


def test_a_masked_reset_in_the_mode_next_step_begins_a_fresh_episode() -> None:
    vector = corridors(2, max_steps=1)
    vector.reset(seed=0)
    vector.step(["left", "fly"])
    vector.reset(options={"reset_mask": np.array([True, False])})
    _, _, _, truncations, infos = vector.step(["fly", "fly"])
    assert truncations.tolist() == [True, False]  # the first took a step, the second was reset
    assert infos["invalid_action"].tolist() == [True, False]


@given(st.data())
def test_a_step_of_one_never_changes_another(data: st.DataObject) -> None:
    """Whatever the others do, an environment plays the same."""
    count, mode = data.draw(st.integers(2, 4)), data.draw(modes.filter(lambda mode: mode is not AutoresetMode.DISABLED))
    mine = data.draw(st.lists(words, max_size=15))
    index = data.draw(st.integers(0, count - 1))
    seen = []
    for _ in range(2):
        vector = corridors(count, mode, length=4, max_steps=5)
        others = data.draw(st.lists(st.integers(0, 99), min_size=count, max_size=count))
        vector.reset(seed=[5 if each == index else other for each, other in enumerate(others)])
        seen.append([])
        for word in mine:
            actions = [word if each == index else data.draw(words) for each in range(count)]
            *columns, infos = vector.step(actions)
            seen[-1].append(([column[index] for column in columns], taken_apart(infos, count)[index]))
    assert seen[0] == seen[1]


# ---------------------------------------------------------------------- Keeping a moment


@given(plans, st.integers(0, 25), st.integers(0, 10))
def test_a_moment_comes_back(plan: Any, early: int, more: int) -> None:
    seed, actions = plan
    vector = corridors(len(seed), AutoresetMode.DISABLED, length=1000, max_steps=None)
    vector.reset(seed=seed)
    vector.set_attr("cell", 500)
    for words in actions[:early]:
        vector.step(words)
    saved, now = vector.snapshot(), plain(vector.current())
    then = [plain(vector.step(words)) for words in actions[early : early + more]]
    vector.restore(saved)
    assert plain(vector.current()) == now
    assert [plain(vector.step(words)) for words in actions[early : early + more]] == then


@pytest.mark.parametrize("mode", MODES)
def test_an_episode_that_is_over_is_restored_to_before_its_end(mode: AutoresetMode) -> None:
    vector = corridors(1, mode, max_steps=2)
    vector.reset(seed=0)
    before = vector.snapshot()
    vector.step(["fly"])
    if mode is not AutoresetMode.SAME_STEP:
        vector.step(["fly"])
        over, now = vector.snapshot(), plain(vector.current())
        assert vector.current()[1]["admissible_actions"][0] == []
        vector.restore(before)
        vector.restore(over)
        assert plain(vector.current()) == now
    vector.restore(before)
    assert vector.step(["fly"])[3].tolist() == [False]
    assert vector.step(["fly"])[3].tolist() == [True]


def test_a_moment_of_another_episode_is_refused() -> None:
    vector = corridors(2)
    vector.reset(seed=0)
    saved = vector.snapshot()
    vector.reset(options={"reset_mask": [False, True]})
    now = plain(vector.current())
    with pytest.raises(EnvError, match=r"the snapshot is of other episodes than those that run: \[1\] have begun anew"):
        vector.restore(saved)
    assert plain(vector.current()) == now


def test_a_moment_of_another_vector_is_refused() -> None:
    larger, vector = corridors(3), corridors(2)
    larger.reset(seed=0)
    vector.reset(seed=0)
    with pytest.raises(EnvError, match=r"^the snapshot is of 3 environments, the vector has 2$"):
        vector.restore(larger.snapshot())


@pytest.mark.parametrize("foreign", [None, 3, ("x",)])
def test_what_is_no_snapshot_of_a_vector_is_refused(foreign: Any) -> None:
    vector = corridors(1)
    vector.reset(seed=0)
    now = plain(vector.current())
    seen = type(foreign).__name__
    with pytest.raises(EnvError, match=rf"^restore\(\) takes what snapshot\(\) gave, got {seen}$"):
        vector.restore(foreign)
    assert plain(vector.current()) == now


def test_a_moment_of_other_worlds_is_refused_and_changes_nothing() -> None:
    vector, others = corridors(2), make_vector_env(SOKOBAN, 2)
    vector.reset(seed=0)
    others.reset(seed=0)
    now = plain(vector.current())
    with pytest.raises(EnvError, match=r"^environment 0: the snapshot is of SokobanEnv, and this is CorridorEnv$"):
        vector.restore(others.snapshot())
    assert plain(vector.current()) == now


def test_a_copy_goes_on_alike() -> None:
    vector = make_vector_env(SOKOBAN, 3, autoreset_mode="SameStep", max_steps=2, min_solution=1)
    vector.reset(seed=1)
    vector.step(["up", "left", "down"])
    copy = pickle.loads(pickle.dumps(vector))
    assert copy.action_space == vector.action_space
    for words in (["left"] * 3, ["up"] * 3, ["right"] * 3):
        assert plain(copy.step(words)) == plain(vector.step(words))


# ---------------------------------------------------------------------- Errors


def test_what_raises_is_named_by_its_index() -> None:
    vector = TextVectorEnv([CorridorEnv, BrittleEnv])
    vector.reset(seed=0)
    vector.set_attr("cell", [0, 3])
    saved = vector.snapshot()
    with pytest.raises(EnvError, match=r"^environment 1 raised RuntimeError: the floor gave way$") as raised:
        vector.step(["right", "right"])
    assert raised.value.component == "environment 1"
    assert isinstance(raised.value.__cause__, RuntimeError)
    for act in (lambda: vector.step(["right", "right"]), vector.snapshot, vector.current):
        with pytest.raises(EnvError, match="an error left them apart"):
            act()
    vector.restore(saved)
    assert vector.step(["right", "fly"])[4]["state_key"].tolist() == ["6:1", "6:3"]


def test_errors_of_this_package_are_named_too() -> None:
    vector = TextVectorEnv([CorridorEnv] * 2)
    with pytest.raises(ConfigError, match=r"^environment 0: options of an episode of CorridorEnv do not exist; got"):
        vector.reset(options={"cell": 3})
    vector.reset(seed=0)
    vector.envs[1].max_steps = 1
    vector.envs[1].step("left")
    with pytest.raises(EnvError, match=r"^environment 1: the episode is over or was never started"):
        vector.step(["left", "left"])


def test_failing_resets_and_calls_are_named() -> None:
    vector = TextVectorEnv([Clumsy] * 3)
    vector.reset(seed=0)
    vector.set_attr("fails_in", ["", "", "oracle"])
    with pytest.raises(EnvError, match=r"^environment 2 raised RuntimeError: oracle failed$"):
        vector.call("oracle")
    with pytest.raises(EnvError, match=r"^environment 0 raised AttributeError: "):
        vector.get_attr("colour")
    vector.set_attr("fails_in", ["", "reset", ""])
    with pytest.raises(EnvError, match=r"^environment 1 raised RuntimeError: reset failed$"):
        vector.reset()
    with pytest.raises(EnvError, match=r"^reset all environments before resetting some of them: "):
        vector.reset(options={"reset_mask": [True, False, False]})


def test_nothing_moves_before_the_first_reset_or_once_an_episode_is_over() -> None:
    vector = corridors(2, AutoresetMode.DISABLED, max_steps=1)
    with pytest.raises(EnvError, match=r"^call reset\(\) before step\(\): the environments were never started"):
        vector.step(["left", "left"])
    vector.reset(seed=0)
    vector.step(["left", "left"])
    vector.reset(options={"reset_mask": [True, False]})
    before = plain(vector.current())
    with pytest.raises(EnvError, match=r"^the episodes of environments \[1\] are over; reset these before step\(\)$"):
        vector.step(["left", "left"])
    assert plain(vector.current()) == before


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda vector: vector.step("up"), r"actions: one for each of the 2 environments; got 'up'"),
        (lambda vector: vector.step(["up"]), r"actions: one for each of the 2 environments; got \['up'\]"),
        (lambda vector: vector.step({"left", "up"}), r"actions: a list, since a set has no order; got \{"),
        (lambda vector: vector.step(b"ab"), r"actions: one for each of the 2 environments; got b'ab'"),
        (lambda vector: vector.reset(seed={1, 2}), r"seed: a list, since a set has no order; got \{1, 2\}"),
        (lambda vector: vector.reset(seed={1: 0, 2: 0}.keys()), r"seed: a list, since a set has no order; got dict_"),
        (lambda vector: vector.reset(options={"mood": 1}), r"^environment 0: options of an episode of CorridorEnv do "),
        (
            lambda vector: vector.reset(options={"per_env": [None, {"mood": 1}]}),
            r"^environment 1: options of an episode of CorridorEnv do not exist; got \['mood'\]",
        ),
        (lambda vector: vector.step(None), r"actions: one for each of the 2 environments; got None"),
        (lambda vector: vector.reset(seed=[1]), r"seed: one for each of the 2 environments; got \[1\]"),
        (lambda vector: vector.reset(seed="12"), r"seed: one for each of the 2 environments; got '12'"),
        (lambda vector: vector.reset(seed=0.5), r"seed: one for each of the 2 environments; got 0.5"),
        (lambda vector: vector.reset(seed=[1.5, 2]), r"seed: whole numbers from 0, or None; got 1.5"),
        (lambda vector: vector.reset(seed=-1), r"seed: whole numbers from 0, or None; got -1"),
        (lambda vector: vector.reset(seed=[True, None]), r"seed: whole numbers from 0, or None; got True"),
        (lambda vector: vector.reset(options=3), r"options: a dictionary or None; got 3"),
        (lambda vector: vector.reset(options={"per_env": [None, 2]}), r"options\['per_env'\]\[1\]: a dictionary or N"),
        (
            lambda vector: vector.reset(options={"per_env": {0: 1, 1: 1}}),
            r"options\['per_env'\]: one for each",
        ),
        (lambda vector: vector.reset(options={"reset_mask": [True]}), r"options\['reset_mask'\] has 2 booleans, at "),
        (lambda vector: vector.reset(options={"reset_mask": [0, 1]}), r"at least one of them True; got \[0, 1\]"),
        (lambda vector: vector.reset(options={"reset_mask": [False, False]}), r"one of them True; got \[False, False"),
        (lambda vector: vector.set_attr("cell", [1]), r"values: one for each of the 2 environments; got \[1"),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(act: Callable[[Any], Any], message: str) -> None:
    vector = corridors(2)
    vector.reset(seed=0)
    before = plain(vector.current())
    with pytest.raises(ConfigError, match=message):
        act(vector)
    assert plain(vector.current()) == before


def test_after_an_unknown_option_the_vector_goes_on() -> None:
    vector = TextVectorEnv([NamedStart, CorridorEnv])
    vector.reset(seed=0)
    with pytest.raises(ConfigError, match=r"^environment 1: options of an episode of CorridorEnv do not exist"):
        vector.reset(seed=5, options={"cell": 3})
    assert vector.step(["left", "left"])[4]["state_key"].tolist()
    assert vector.reset(options={"cell": 3, "reset_mask": [True, False]})[0][0] == "You are in cell 3."


class TakesHints(gymnasium.Wrapper[str, str, str, str]):
    """Has an option of its own, which it keeps from the environment."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.hint = (options or {}).pop("hint", None)
        return super().reset(seed=seed, options=options)


def test_a_wrapper_may_have_options_of_its_own() -> None:
    vector = TextVectorEnv([lambda: TakesHints(CorridorEnv())] * 2)
    vector.reset(options={"hint": "go right"})
    assert vector.get_attr("hint") == ("go right", "go right")


@pytest.mark.parametrize("action", [3, None, b"left", ["left"], 1.5, ""])
def test_an_action_that_is_no_string_is_explained_as_alone(action: Any) -> None:
    vector, alone = corridors(2), CorridorEnv()
    vector.reset(seed=4)
    alone.reset(seed=4)
    observations, rewards, _, _, infos = vector.step([action, "left"])
    observation, reward, _, _, info = alone.step(action)
    assert (observations[0], rewards[0], taken_apart(infos, 2)[0]) == (observation, reward, info)
    assert infos["invalid_action"].tolist() == [True, False]


@pytest.mark.parametrize(
    "act",
    [lambda vector: vector.call("oracle"), lambda vector: vector.set_attr("cell", 1), lambda vector: vector.reset()],
)
def test_a_closed_vector_does_nothing(act: Callable[[Any], Any]) -> None:
    vector = corridors(2)
    vector.reset(seed=0)
    vector.close()
    with pytest.raises(EnvError, match="the vector is closed; make a new one"):
        act(vector)


class OtherSpace(CorridorEnv):
    def __init__(self) -> None:
        super().__init__()
        self.action_space = gymnasium.spaces.Text(5)


SHARED = CorridorEnv()


@pytest.mark.parametrize(
    ("env_fns", "message"),
    [
        ([], r"a vector has at least one environment, got none"),
        ([CorridorEnv, OtherSpace], r"the spaces of environment 1 are FreeText\(1000000\) and Text\(1, 5"),
        ([CorridorEnv, lambda: gymnasium.make("CartPole-v1")], r"environment 1 is <.*CartPole.*>, no TextEnv; use "),
        ([lambda: SHARED] * 2, r"an environment is in the vector twice; each function builds a new one"),
        ([CorridorEnv, lambda: CorridorEnv(max_steps=0)], r"environment 1: max_steps is at least 1"),
    ],
)
def test_environments_that_do_not_fit_are_refused(env_fns: list[Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        TextVectorEnv(env_fns)


def test_those_already_built_are_closed_when_one_cannot_be() -> None:
    built: list[Clumsy] = []

    def build() -> Clumsy:
        if len(built) == 2:
            raise OSError("no more")
        built.append(Clumsy())
        return built[-1]

    with pytest.raises(EnvError, match=r"^environment 2 raised OSError: no more$"):
        TextVectorEnv([build] * 4)
    assert [env.closed for env in built] == [True, True]


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"autoreset_mode is one of 'NextStep', 'SameStep', 'Disabled', or an Auto"):
        corridors(1, "next")


def test_all_are_closed_even_if_one_raises() -> None:
    vector = TextVectorEnv([Clumsy] * 3)
    vector.reset(seed=0)
    vector.set_attr("fails_in", ["", "close", "close"])
    with pytest.raises(EnvError, match=r"^environment 1 raised RuntimeError: close failed$"):
        vector.close()
    assert vector.get_attr("closed") == (True, True, True)
    assert vector.closed
    vector.close()
    for act in (lambda: vector.step(["left"] * 3), vector.reset, vector.snapshot):
        with pytest.raises(EnvError, match=r"^the vector is closed; make a new one$"):
            act()


# ---------------------------------------------------------------------- Making one


@pytest.mark.parametrize("env_id", env_ids())
def test_every_environment_has_a_vector_entry_point(env_id: str) -> None:
    spec = gymnasium.spec(env_id)
    assert spec == EnvSpec.from_json(spec.to_json())
    make = load_env_creator(spec.vector_entry_point)
    assert (make.func, make.args) == (make_vector_env, (env_id,))


@pytest.mark.parametrize("mode", ["vector_entry_point", "sync"])
@pytest.mark.parametrize("wrapper", [RecordEpisodeStatistics, DictInfoToList])
def test_gymnasium_makes_and_wraps_it_without_a_warning(mode: str, wrapper: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vector = wrapper(
            gymnasium.make_vec(SOKOBAN, num_envs=2, vectorization_mode=mode, size=5, max_steps=2, min_solution=1)
        )
        vector.reset(seed=3)
        for _ in range(4):
            *_, infos = vector.step(vector.action_space.sample())
    if wrapper is RecordEpisodeStatistics:
        assert vector.episode_count == 2
    else:
        assert [info["success"] for info in infos] == [False, False]
    vector.close()


def test_gymnasium_s_two_ways_agree() -> None:
    both = [gymnasium.make_vec(SOKOBAN, num_envs=3, vectorization_mode=mode) for mode in ("vector_entry_point", "sync")]
    assert plain(both[0].reset(seed=3)) == plain(both[1].reset(seed=3))
    rng = np.random.default_rng(0)
    for _ in range(120):
        words = rng.choice(["up", "down", "left", "right"], 3).tolist()
        assert plain(both[0].step(words)) == plain(both[1].step(words))


def test_its_spec_makes_another() -> None:
    vector = gymnasium.make_vec(SOKOBAN, num_envs=2, size=7, autoreset_mode="SameStep")
    assert vector.spec is not None
    assert repr(vector) == f"TextVectorEnv({SOKOBAN}, num_envs=2)"
    other = gymnasium.make_vec(vector.spec)
    assert isinstance(other, TextVectorEnv)
    assert other.autoreset_mode is AutoresetMode.SAME_STEP
    assert plain(other.reset(seed=0)) == plain(vector.reset(seed=0))


def test_environments_of_others_keep_their_wrappers() -> None:
    vector = make_vector_env(CORRIDOR, 2, length=9, render_mode="ansi")
    vector.reset(seed=0)
    assert vector.render() == vector.reset(seed=0)[0]
    wrapped = TextVectorEnv([lambda: gymnasium.wrappers.TimeLimit(CorridorEnv(), 1)] * 2)
    wrapped.reset(seed=0)
    assert wrapped.step(["left", "left"])[3].tolist() == [True, True]


@pytest.mark.parametrize(
    ("arguments", "settings", "error", "message"),
    [
        (
            ["agentgym_critic/Sokobann-v0", 2],
            {},
            UnknownIdError,
            r"^There is no environment 'agentgym_critic/Sokobann-",
        ),
        ([SOKOBAN, 2], {"colour": "red"}, ConfigError, r"^environment agentgym_critic/Sokoban-v0: .*colour"),
        ([SOKOBAN, 0], {}, ConfigError, r"^num_envs is a whole number from 1, got 0$"),
        ([SOKOBAN, 1.5], {}, ConfigError, r"^num_envs is a whole number from 1, got 1.5$"),
        ([SOKOBAN, True], {}, ConfigError, r"^num_envs is a whole number from 1, got True$"),
    ],
)
def test_what_cannot_be_made_is_refused(
    arguments: list[Any], settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make_vector_env(*arguments, **settings)


def test_oracles_are_asked_through_call() -> None:
    vector = make_vector_env(BRITTLE, 2, length=5)
    vector.reset(seed=0)
    vector.set_attr("cell", [1, 2])
    assert [oracle.steps_left for oracle in vector.call("oracle")] == [3, 2]
    assert vector.call("max_steps") == (20, 20)


def test_a_thousand_episodes_in_one_process() -> None:
    vector, alone = make_vector_env(SOKOBAN, 1000, size=5), make_env(SOKOBAN, size=5)
    _, infos = vector.reset(seed=0)
    actions = [legal[0] for legal in infos["admissible_actions"]]
    *_, infos = vector.step(actions)
    for seed, action in enumerate(actions):
        alone.reset(seed=seed)
        assert infos["state_key"][seed] == alone.step(action)[-1]["state_key"]


@pytest.mark.data
def test_real_games(alfworld_data: Path) -> None:
    settings = {"data": alfworld_data, "split": "valid_seen", "max_steps": 2}
    vector = gymnasium.make_vec("agentgym_critic/ALFWorld-v0", num_envs=2, **settings)
    alone = [make_env("agentgym_critic/ALFWorld-v0", **settings) for _ in range(2)]
    observations, _ = vector.reset(seed=3)
    assert list(observations) == [env.reset(seed=3 + index)[0] for index, env in enumerate(alone)]
    observations, *_, infos = vector.step(["look", "inventory"])
    played = [env.step(action) for env, action in zip(alone, ["look", "inventory"], strict=True)]
    assert [(text, info) for text, *_, info in played] == list(zip(observations, taken_apart(infos, 2), strict=True))
    for each in (vector, *alone):
        each.close()


def test_the_module_has_no_other_names() -> None:
    from agentgym_critic.envs import vector

    with pytest.raises(AttributeError, match=r"module 'agentgym_critic.envs.vector' has no attribute 'Chess-v0'"):
        getattr(vector, "Chess-v0")
