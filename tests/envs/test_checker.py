from __future__ import annotations

import random
from typing import Any

import gymnasium
import numpy as np
import pytest
from faulty_envs import FAULTS, BytesForReset, HoldsALock, LeavesAThread, LongCorridor, OneStart
from worlds import BRITTLE, CORRIDOR, CorridorEnv

from agentgym_critic.envs import check_text_env, checker
from agentgym_critic.errors import ConfigError, EnvError


class UnlistedCorridor(CorridorEnv):
    """Its actions cannot be listed, it says itself what is wrong with an illegal one, and `info` holds an array."""

    def _admissible(self) -> Any:
        return None

    def _refusal(self, action: str) -> str:
        return "" if action in super()._admissible() else "You can walk left or right."

    def _info(self) -> dict[str, Any]:
        return {**super()._info(), "array": np.arange(3)}


def report(env: gymnasium.Env[str, str], **settings: Any) -> str:
    with pytest.raises(EnvError) as raised:
        check_text_env(env, **settings)
    return str(raised.value)


@pytest.mark.parametrize("env", [CorridorEnv(), CorridorEnv(max_steps=None), LongCorridor(), UnlistedCorridor()])
def test_a_good_environment_passes(env: CorridorEnv) -> None:
    check_text_env(env)


def test_a_registered_one_passes_and_is_left_alone() -> None:
    env = gymnasium.make(CORRIDOR, length=12)
    before = env.reset(seed=5)
    check_text_env(env, seeds=[3, 5], steps=12)
    assert env.unwrapped.current() == before


def test_it_leaves_the_global_random_state_alone() -> None:
    before = random.getstate(), np.random.get_state()[1].tolist()
    check_text_env(CorridorEnv())
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before


@pytest.mark.parametrize(("fault", "line"), FAULTS, ids=lambda value: getattr(value, "__name__", ""))
def test_every_fault_is_reported(fault: type[gymnasium.Env[str, str]], line: str) -> None:
    LeavesAThread.stop.clear()
    try:
        lines = report(fault(), another_process=line.startswith("same seed in a process")).splitlines()
    finally:
        LeavesAThread.stop.set()
    assert [text for text in lines[1:] if text.startswith(f"- {line}")], "\n".join(lines)


def test_every_rule_has_an_environment_that_breaks_it() -> None:
    rules = [rule.__name__.replace("_", " ") for rule in checker._RULES]
    broken = {line.partition(":")[0] for _, line in FAULTS}
    assert [rule for rule in rules if rule not in broken] == []


def test_the_report_counts_the_violations() -> None:
    first, *lines = report(OneStart()).splitlines()
    assert first == "<OneStart> breaks the contract of a TextEnv in 1 place:"
    assert len(lines) == 1
    first, *lines = report(BytesForReset()).splitlines()
    assert first == f"<BytesForReset> breaks the contract of a TextEnv in {len(lines)} places:"
    assert all(line.startswith("- ") for line in lines)


def test_one_task_may_be_declared() -> None:
    check_text_env(OneStart(), single_task=True)
    check_text_env(OneStart(), seeds=[7])


def test_a_factory_replaces_pickle() -> None:
    lines = report(HoldsALock(), make=HoldsALock).splitlines()
    assert [line.partition(";")[0] for line in lines[1:]] == [
        "- pickle round trip: it raised TypeError: cannot pickle '_thread.lock' object",
    ]


def test_an_error_is_reported_once_with_its_traceback() -> None:
    with pytest.raises(EnvError) as raised:
        check_text_env(gymnasium.make(BRITTLE))
    lines = str(raised.value).splitlines()[1:]
    assert len(lines) == 1
    assert lines[0].endswith("it raised RuntimeError: the floor gave way; the traceback is this error's cause")
    assert "more)" in lines[0]
    assert isinstance(raised.value.__cause__, RuntimeError)


@pytest.mark.parametrize("settings", [{"seeds": []}, {"steps": 0}])
def test_there_must_be_something_to_play(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="the check needs at least one seed and one step, got "):
        check_text_env(CorridorEnv(), **settings)
