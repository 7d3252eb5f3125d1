from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from worlds import CORRIDOR, CorridorEnv

from agentgym_critic.envs import FreeText, Outcome, make_env
from agentgym_critic.envs.base import clean_action
from agentgym_critic.errors import ConfigError, EnvError


class NamedStart(CorridorEnv):
    """A corridor whose start can be chosen."""

    episode_options = frozenset({"cell", "side"})

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        if options.get("cell", 0) >= self.length:
            raise ConfigError("no such cell")
        super()._begin(rng, options)
        self.cell = options.get("cell", self.cell)
        return self._view()


class NoView(CorridorEnv):
    def _view(self) -> str:
        return super(CorridorEnv, self)._view()

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        return "Go."


def started(env: CorridorEnv, cell: int) -> CorridorEnv:
    env.reset(seed=0)
    env.cell = cell
    return env


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_steps": 0}, r"max_steps is at least 1, or None for no limit; got 0"),
        ({"max_steps": True}, r"max_steps is a whole number, or None for no limit; got True"),
        ({"max_steps": 1.5}, r"max_steps is a whole number, or None for no limit; got 1.5"),
        ({"max_steps": float("nan")}, r"max_steps is a whole number, or None for no limit; got nan"),
        ({"max_steps": "5"}, r"max_steps is a whole number, or None for no limit; got '5'"),
        ({"render_mode": "human"}, r"render_mode is one of \['ansi'\] or None; got 'human'"),
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        CorridorEnv(**settings)


def test_reset_gives_every_key_of_info() -> None:
    env = CorridorEnv()
    observation, info = env.reset(seed=0)
    assert observation == f"You are in cell {env.cell}."
    assert info == {
        "admissible_actions": ["left", "right"],
        "invalid_action": False,
        "invalid_reason": "",
        "success": False,
        "task": "Reach cell 5.",
        "task_id": "corridor-6",
        "state_key": f"6:{env.cell}",
    }
    assert env.current() == (observation, info)


def test_success_ends_the_episode() -> None:
    env = started(CorridorEnv(), 4)
    observation, reward, terminated, truncated, info = env.step("right")
    assert (observation, reward, terminated, truncated) == ("You are in cell 5.", 1.0, True, False)
    assert info["success"]
    assert info["admissible_actions"] == []
    with pytest.raises(EnvError, match=r"the episode is over or was never started; call reset\(\) before step\(\)"):
        env.step("left")


def test_a_step_needs_an_episode() -> None:
    with pytest.raises(EnvError, match="was never started") as raised:
        CorridorEnv().step("left")
    assert raised.value.component == "<CorridorEnv>"


def test_the_step_limit_truncates_but_not_a_success() -> None:
    env = started(CorridorEnv(max_steps=2), 3)
    assert env.step("right")[2:4] == (False, False)
    assert env.step("right")[2:4] == (True, False)
    started(env, 3)
    env.step("right")
    assert env.step("left")[2:4] == (False, True)


def test_no_limit_never_truncates() -> None:
    env = started(CorridorEnv(max_steps=None), 0)
    assert not any(env.step("left")[3] for _ in range(500))


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("left", "'left' is not possible here. Possible: right."),
        ("", "An action is at least one word, got an empty one."),
        (" \n", "An action is at least one word, got an empty one."),
        (None, "An action is a string, got NoneType."),
        (b"right", "An action is a string, got bytes."),
        ("right " * 200, "An action has at most 1000 characters, got 1199."),
        ("right\0", "'right\ufffd' is not possible here. Possible: right."),
    ],
)
def test_an_illegal_action_is_explained_and_costs_a_step(action: Any, reason: str) -> None:
    env = started(CorridorEnv(max_steps=2), 0)
    observation, reward, terminated, truncated, info = env.step(action)
    assert observation == f"{reason}\n\nYou are in cell 0."
    assert (reward, terminated, truncated, env.cell) == (0.0, False, False, 0)
    assert (info["invalid_action"], info["invalid_reason"]) == (True, reason)
    assert env.step(action)[3]


def test_the_reason_is_gone_after_a_legal_action() -> None:
    env = started(CorridorEnv(), 1)
    env.step("up")
    info = env.step("right")[4]
    assert (info["invalid_action"], info["invalid_reason"]) == (False, "")


def test_white_space_around_an_action_does_not_matter() -> None:
    env = started(CorridorEnv(), 1)
    assert not env.step(" right\n")[4]["invalid_action"]


def test_a_world_without_a_view_says_what_to_define() -> None:
    env = NoView()
    env.reset(seed=0)
    with pytest.raises(NotImplementedError, match=r"NoView defines neither _view\(\) nor _refused\(\)"):
        env.step("fly")


def test_options_are_known_or_refused() -> None:
    env = NamedStart()
    assert env.reset(seed=0, options={"cell": 2})[0] == "You are in cell 2."
    with pytest.raises(
        ConfigError, match=r"options of an episode of NamedStart are \['cell', 'side'\]; got \['7', 'room'\]"
    ):
        env.reset(options={"cell": 1, "room": 1, 7: 1})
    assert env.current()[0] == "You are in cell 2."
    with pytest.raises(ConfigError, match=r"options of an episode of CorridorEnv do not exist; got \['cell'\]"):
        CorridorEnv().reset(options={"cell": 1})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"options": 5}, r"^options: a dictionary or None; got 5$"),
        ({"options": ""}, r"^options: a dictionary or None; got ''$"),
        ({"options": ["cell"]}, r"^options: a dictionary or None; got \['cell'\]$"),
        ({"seed": "7"}, r"^seed: whole numbers from 0, or None; got '7'$"),
        ({"seed": -1}, r"^seed: whole numbers from 0, or None; got -1$"),
        ({"seed": True}, r"^seed: whole numbers from 0, or None; got True$"),
        ({"seed": 1.0}, r"^seed: whole numbers from 0, or None; got 1.0$"),
    ],
)
def test_a_reset_that_makes_no_sense_changes_nothing(arguments: dict[str, Any], message: str) -> None:
    env = NamedStart()
    before = env.reset(seed=0, options={"cell": 2})
    with pytest.raises(ConfigError, match=message):
        env.reset(**arguments)
    assert env.current() == before
    assert not env.step("right")[4]["invalid_action"]


def test_seeds_of_numpy_are_seeds() -> None:
    assert CorridorEnv(length=1000).reset(seed=np.int64(7)) == CorridorEnv(length=1000).reset(seed=7)


def test_an_episode_that_could_not_begin_cannot_be_played() -> None:
    env = NamedStart()
    env.reset(seed=0)
    with pytest.raises(ConfigError, match="no such cell"):
        env.reset(seed=0, options={"cell": 9})
    with pytest.raises(EnvError, match="never started"):
        env.step("left")


def test_unseeded_resets_follow_from_the_last_seed() -> None:
    def three() -> list[tuple[int, str]]:
        env = CorridorEnv(length=10_000)
        env.reset(seed=4)
        return [(env.episode_seed, env.reset()[0]) for _ in range(3)]

    assert three() == three()
    assert len(set(three())) == 3


@given(st.integers(0, 2**63), st.lists(st.sampled_from(["left", "right", "up"]), max_size=25), st.integers(0, 25))
def test_snapshots_are_exact(seed: int, actions: list[str], cut: int) -> None:
    env = CorridorEnv(length=9)
    env.reset(seed=seed)

    def go(rest: list[str]) -> list[Any]:
        return [env.step(action) for action in rest if env._running]

    go(actions[:cut])
    saved, before = env.snapshot(), env.current()
    ahead = go(actions[cut:])
    for snapshot in (saved, pickle.loads(pickle.dumps(saved))):
        env.restore(snapshot)
        assert env.current() == before
        assert env.snapshot() == saved
        assert go(actions[cut:]) == ahead


@pytest.mark.parametrize("foreign", [None, 3, (1, 2, 3, 4, 5, 6), CorridorEnv()])
def test_what_is_no_snapshot_is_refused_and_changes_nothing(foreign: Any) -> None:
    env = CorridorEnv()
    env.reset(seed=0)
    before = env.current(), env.snapshot()
    seen = type(foreign).__name__
    with pytest.raises(EnvError, match=rf"restore\(\) takes what snapshot\(\) gave, got {seen}"):
        env.restore(foreign)
    assert (env.current(), env.snapshot()) == before


class OtherEnv(CorridorEnv):
    """Another world, whose moments look alike."""


def test_a_moment_of_another_world_is_refused_and_changes_nothing() -> None:
    env, other = CorridorEnv(), OtherEnv()
    env.reset(seed=0)
    other.reset(seed=1)
    before = env.current(), env.snapshot()
    with pytest.raises(EnvError, match=r"^the snapshot is of OtherEnv, and this is CorridorEnv$"):
        env.restore(other.snapshot())
    assert (env.current(), env.snapshot()) == before


class ChoosyEnv(CorridorEnv):
    """Refuses by itself what is foreign."""

    def _kind(self) -> str:
        return ""

    def _set_world(self, world: Any) -> None:
        raise EnvError("not one of ours")


def test_a_world_may_refuse_by_itself_what_is_foreign() -> None:
    env, other = CorridorEnv(), ChoosyEnv()
    env.reset(seed=0)
    other.reset(seed=0)
    with pytest.raises(EnvError, match=r"^not one of ours$"):
        other.restore(env.snapshot())
    with pytest.raises(EnvError, match=r"^the snapshot is of ChoosyEnv, and this is CorridorEnv$"):
        env.restore(other.snapshot())


def test_render_shows_the_observation() -> None:
    env = CorridorEnv(render_mode="ansi")
    assert env.reset(seed=0)[0] == env.render()
    silent = CorridorEnv()
    silent.reset(seed=0)
    assert silent.render() is None


def test_repr_names_the_id_where_there_is_one() -> None:
    assert repr(CorridorEnv()) == "<CorridorEnv>"
    assert repr(make_env(CORRIDOR).unwrapped) == f"<CorridorEnv {CORRIDOR}>"


@given(st.text() | st.integers() | st.none())
def test_clean_actions_are_one_storable_line(action: Any) -> None:
    text = clean_action(action)
    assert text.encode().decode() == text
    assert len(text.splitlines()) <= 1
    assert text == text.strip()
    assert clean_action(text) == text


def test_free_text_holds_any_script_up_to_its_length() -> None:
    space = FreeText(5)
    assert "дверь" in space
    assert "" in space
    assert "too long" not in space
    assert 5 not in space
    assert repr(space) == "FreeText(5)"
    space = FreeText()
    space.seed(0)
    samples = [space.sample() for _ in range(20)]
    assert all(sample in space and 1 <= len(sample) <= 20 for sample in samples)


def test_an_outcome_is_unsuccessful_unless_told() -> None:
    assert Outcome("x") == ("x", 0.0, False, False)
