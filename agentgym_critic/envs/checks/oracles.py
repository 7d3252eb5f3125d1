"""Rules about `oracle`: it keeps what it promises, and asking it changes nothing."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

from agentgym_critic.envs.base import TextEnv
from agentgym_critic.envs.checks.bench import Bench, Moment, Rule, compare, go_on, play
from agentgym_critic.types import Oracle

__all__ = ["RULES"]

_LONGEST = 2_000
"""Steps after which following an oracle that promises none is given up."""


def oracle_is_an_oracle(bench: Bench) -> Iterator[str]:
    """At the start `oracle` returns an `Oracle` or None."""
    for seed in bench.seeds:
        with bench.fresh() as env:
            env.reset(seed=seed)
            told: object = env.oracle()
            if told is not None and not isinstance(told, Oracle):
                yield f"it returned a {type(told).__name__}; return agentgym_critic.types.Oracle, or None"


def oracle_keeps_its_promise(bench: Bench) -> Iterator[str]:
    """Following it succeeds in exactly the promised number of steps, from the start and, if exact, from elsewhere."""
    for seed in bench.seeds:
        with bench.fresh() as env:
            _, info = env.reset(seed=seed)
            yield from (f"seed {seed}: {problem}" for problem in _broken_promises(env))
            told = env.oracle()
            if told and told.exact:
                _, info = env.reset(seed=seed)
                strayed = list(go_on(env, info, 3, random.Random(seed)))  # noqa: S311 -- no secret
                if not strayed[-1].over:
                    yield from (f"seed {seed}, off the way: {problem}" for problem in _broken_promises(env))


def exact_oracle_is_exact(bench: Bench) -> Iterator[str]:
    """It names the actions that keep the optimum, and no others: none leads nearer to success."""
    for seed in bench.seeds:
        with bench.fresh() as env:
            _, info = env.reset(seed=seed)
            told = env.oracle()
            if told and told.exact and told.certain:
                start = env.snapshot()
                for action in info["admissible_actions"] or told.actions:
                    env.restore(start)
                    yield from (f"seed {seed}: {problem}" for problem in _inexact(env, action, told))


def oracle_changes_nothing(bench: Bench) -> Iterator[str]:
    """An episode in which the oracle is asked is the episode in which it is not."""
    for seed in bench.seeds:
        with bench.fresh() as env:
            played, cheap = [], True
            for moment in play(env, seed, bench.steps):
                played.append(moment)
                told = env.oracle() if cheap else None
                cheap = told is None or told.exact  # a planner that takes minutes is asked once
            if problem := compare(bench.episode(seed), played):
                yield f"seed {seed}: with oracle() called before each step {problem}; let it work on copies"


def _broken_promises(env: TextEnv) -> Iterator[str]:
    told = env.oracle()
    if told is None:
        return
    if not told.certain:
        yield from _unplayable(env)
        return
    for left in range(told.steps_left, 0, -1):
        told = env.oracle()
        if told is None or told.steps_left != left or not told.actions:
            yield f"with {left} steps left to promise, it said {told}; steps_left falls by one along its actions"
            return
        if unknown := _unknown(env, told):
            yield f"it names {unknown}, which is not admissible; name legal actions only"
            return
        moment = Moment(told.actions[0], *env.step(told.actions[0]))
        if moment.over and left > 1:
            if not moment.truncated:
                yield f"the task ended {left - 1} steps before it promised; count the steps right"
            return
    if not env.current()[1]["success"]:
        yield "following it to the end was no success; its actions lead to success"
    elif (told := env.oracle()) is None or told.actions or told.steps_left:
        yield f"after success it said {told}; say Oracle(actions=(), steps_left=0)"


def _unplayable(env: TextEnv) -> Iterator[str]:
    """Where nothing is certain: it names legal actions as long as it knows any, and promises no steps."""
    for _ in range(_LONGEST):
        told = env.oracle()
        if told is None or not told.actions:
            return
        if unknown := _unknown(env, told):
            yield f"it names {unknown}, which is not admissible; name legal actions only"
            return
        if Moment(told.actions[0], *env.step(told.actions[0])).over:
            return


def _unknown(env: TextEnv, told: Oracle) -> list[str]:
    admissible = env.current()[1]["admissible_actions"]
    return [] if admissible is None else sorted(set(told.actions) - set(admissible))


def _inexact(env: TextEnv, action: str, told: Oracle) -> Iterator[str]:
    env.step(action)
    after = env.oracle()
    left, worth = (after.steps_left, after.value) if after else (None, None)
    if told.value is not None and worth is not None and not math.isclose(worth, told.value, abs_tol=1e-9):
        if worth > told.value:
            yield f"it promised {told.value:g}, but {worth:g} after {action!r}; find the best, or set exact=False"
        elif action in told.actions:
            yield f"it names {action!r}, after which {told.value:g} has become {worth:g}; name the best only"
        return
    if left is not None and left < told.steps_left - 1:
        yield f"it promised {told.steps_left} steps, but {left} after {action!r}; find the shortest, or set exact=False"
    elif action in told.actions and left != told.steps_left - 1:
        yield f"it names {action!r} with {told.steps_left} steps left, after which it needs {left}; name the best only"
    elif action not in told.actions and left == told.steps_left - 1:
        yield f"it leaves out {action!r}, after which it needs {left} steps of {told.steps_left}; name all of the best"


RULES: tuple[Rule, ...] = (
    oracle_is_an_oracle,
    oracle_keeps_its_promise,
    exact_oracle_is_exact,
    oracle_changes_nothing,
)
