"""`plan_helper`: where to intervene so that most episodes succeed within a budget of interventions.

After Min et al., "Self-Regulation and Requesting Interventions" (arXiv 2502.04576): collect episodes with randomly
triggered interventions, estimate what follows from what, solve the small decision process with a price on every
intervention, and look for the price at which the budget is kept. Here a state is the critic's `p` in bins, or
"unscored". What interventions do is taken to depend on nothing else, not even on the step; what is best to do
does depend on it, since few steps are left at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agentgym_critic.critics.policies.helper import HelperPolicy, bin_of
from agentgym_critic.errors import ConfigError
from agentgym_critic.types import Intervention, Trajectory, Verdict

__all__ = ["plan_helper"]

Floats: TypeAlias = NDArray[np.float64]


def plan_helper(
    trajectories: Sequence[Trajectory],
    *,
    budget: float = 1.0,
    bins: int = 5,
    steps: int | None = None,
    prior: float = 1.0,
) -> HelperPolicy:
    """The table that is best under the budget, by what was seen.

    Args:
        trajectories: with a critic and a gate that intervened by chance, for example by `RandomPolicy`.
        budget: interventions that an episode may have on average. The gate's own budget is a limit of each one.
        bins: of the critic's `p`.
        steps: how many an episode has at most; None for the longest one seen.
        prior: how many transitions of all states count in addition to a state's own.

    Raises:
        ConfigError: a number is out of range, or too little was seen to tell.
    """
    if budget < 0 or bins < 1 or prior <= 0 or (steps is not None and steps < 1):
        raise ConfigError(
            f"a budget of at least 0, bins and steps of at least 1 and a prior above 0; got {budget}, {bins}, {steps}, "
            f"{prior}"
        )
    paths = [(path, _ending(each, bins)) for each in trajectories if (path := list(_decisions(each, bins)))]
    model = _model(paths, bins, prior)
    horizon = steps or max(len(path) for path, _ in paths)
    low, high, best = 0.0, 1.0, _solve(model, 0.0, horizon)
    if best.interventions > budget:
        best = _solve(model, high, horizon)
        for _ in range(30):  # the dearer an intervention, the fewer there are
            price = (low + high) / 2
            plan = _solve(model, price, horizon)
            low, high, best = (price, high, best) if plan.interventions > budget else (low, price, plan)
    return best


class _Model(NamedTuple):
    """What follows from what. States: bins, "unscored"; after them the endings: failure, success."""

    start: Floats
    """`[states]`: shares of the first states."""
    after: Floats
    """`[2, states, states + 2]`: chances of what follows where nothing is done (0) and where something is (1)."""


def _decisions(trajectory: Trajectory, bins: int) -> Iterator[tuple[int, int]]:
    """Every decision in order: the state it was made in, and whether it was to intervene."""
    for step in trajectory.steps:
        yield from _at_once(step.interventions, step.verdict, bins)
    if trajectory.interventions:
        yield from _at_once(trajectory.interventions, None, bins)


def _at_once(interventions: Sequence[Intervention], last: Verdict | None, bins: int) -> Iterator[tuple[int, int]]:
    """The decisions on one step, which were several if it was taken back; the last let the verdict `last` through."""
    done: Verdict | None = None
    for each in interventions:
        if each.undone:
            yield _decision(done, each.undone.verdict, bins)
        done = done if each.dropped else each.verdict
    yield _decision(done, last, bins)


def _decision(done: Verdict | None, let: Verdict | None, bins: int) -> tuple[int, int]:
    return _state(done or let, bins), int(done is not None)


def _state(verdict: Verdict | None, bins: int) -> int:
    return bins if verdict is None or verdict.p is None else bin_of(verdict.p, bins)


def _ending(trajectory: Trajectory, bins: int) -> int | None:
    """Number of the ending; None where only the steps ran out, which the horizon stands for."""
    return None if trajectory.end == "step_limit" else bins + 1 + trajectory.success


def _model(paths: Sequence[tuple[Sequence[tuple[int, int]], int | None]], bins: int, prior: float) -> _Model:
    counts = np.zeros((2, bins + 1, bins + 3))
    start = np.zeros(bins + 1)
    for path, ending in paths:
        start[path[0][0]] += 1
        following = [*(state for state, _ in path[1:]), *([] if ending is None else [ending])]
        for (state, done), after in zip(path, following, strict=False):
            counts[done, state, after] += 1
    seen = counts.sum(axis=(1, 2))
    if not seen.all():
        raise ConfigError(
            f"what follows was seen {seen[0]:.0f} times where nothing was done and {seen[1]:.0f} times after an "
            "intervention; both are needed: play episodes with Gate(policy=RandomPolicy()) to learn from"
        )
    counts += prior * counts.sum(axis=1, keepdims=True) / seen[:, None, None]
    return _Model(start / start.sum(), counts / counts.sum(axis=2, keepdims=True))


def _solve(model: _Model, price: float, horizon: int) -> HelperPolicy:
    """The best table at this price, by backward induction over the steps."""
    states = len(model.start)
    value, success, usage = np.zeros(states), np.zeros(states), np.zeros(states)
    table = []
    for _ in range(horizon):
        let, act = (_expected(after, value) for after in model.after)
        intervene = act - price > let
        intervene[-1] = False  # the gate lets unscored proposals run
        value = np.where(intervene, act - price, let)
        usage = intervene + _chosen(model, intervene, usage, won=0.0)
        success = _chosen(model, intervene, success, won=1.0)
        table.append(tuple(map(bool, intervene[:-1])))
    return HelperPolicy(
        table=tuple(reversed(table)),
        price=price,
        interventions=float(model.start @ usage),
        success=float(model.start @ success),
    )


def _expected(after: Floats, value: Floats, won: float = 1.0) -> Floats:
    expected: Floats = after @ np.append(value, (0.0, won))
    return expected


def _chosen(model: _Model, intervene: NDArray[np.bool_], value: Floats, won: float) -> Floats:
    let, act = (_expected(after, value, won) for after in model.after)
    return np.where(intervene, act, let)
