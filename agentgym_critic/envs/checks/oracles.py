"""Rules about `oracle`: it keeps what it promises, and asking it changes nothing."""

from __future__ import annotations

import random
from collections.abc import Iterator

from agentgym_critic.envs.base import TextEnv
from agentgym_critic.envs.checks.bench import Bench, Moment, Rule, compare, go_on, play
from agentgym_critic.types import Oracle

__all__ = ["RULES"]


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
    """No action leads nearer to success than those it names, and all it names do."""
    for seed in bench.seeds:
        with bench.fresh() as env:
            _, info = env.reset(seed=seed)
            told = env.oracle()
            if told and told.exact:
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
    for left in range(told.steps_left, 0, -1):
        told = env.oracle()
        if told is None or told.steps_left != left or not told.actions:
            yield f"with {left} steps left to promise, it said {told}; steps_left falls by one along its actions"
            return
        admissible = env.current()[1]["admissible_actions"]
        if admissible is not None and (unknown := set(told.actions) - set(admissible)):
            yield f"it names {sorted(unknown)}, which is not admissible; name legal actions only"
            return
        moment = Moment(told.actions[0], *env.step(told.actions[0]))
        if moment.over and left > 1:
            if not moment.truncated:
                yield f"the task ended {left - 1} steps before it promised; count the steps right"
            return
    if not env.current()[1]["success"]:
        yield "following it to the end was no success; its actions lead to success"
    elif env.oracle() != Oracle(actions=(), steps_left=0):
        yield f"after success it said {env.oracle()}; say Oracle(actions=(), steps_left=0)"


def _inexact(env: TextEnv, action: str, told: Oracle) -> Iterator[str]:
    env.step(action)
    after = env.oracle()
    left = after.steps_left if after else None
    if left is not None and left < told.steps_left - 1:
        yield f"it promised {told.steps_left} steps, but {left} after {action!r}; find the shortest, or set exact=False"
    elif action in told.actions and left != told.steps_left - 1:
        yield f"it names {action!r} with {told.steps_left} steps left, after which it needs {left}; name the best only"


RULES: tuple[Rule, ...] = (
    oracle_is_an_oracle,
    oracle_keeps_its_promise,
    exact_oracle_is_exact,
    oracle_changes_nothing,
)
