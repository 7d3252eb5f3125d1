"""`assess_pilot`: does a gate do more good than harm? Told from pairs of episodes, with and without it.

After "The Intervention Paradox" (Vasudev et al., arXiv 2602.03338): an accurate critic may still make an agent worse,
since interventions also break episodes that would have succeeded. With the failure rate p without the gate, the
recovery rate r and the disruption rate d, the gate changes the share of successes by p r - (1 - p) d, which is above
0 exactly if p is above d / (r + d).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from statistics import NormalDist
from typing import Literal, NamedTuple

import numpy as np

from agentgym_critic.errors import ConfigError
from agentgym_critic.evaluation.bootstrap import Interval, Rows, bootstrap
from agentgym_critic.learning import trajectory_id
from agentgym_critic.store import Run, RunStore
from agentgym_critic.types import Record, Trajectory

__all__ = ["Pair", "Pilot", "PilotDecision", "assess_pilot", "matched_pairs", "pairs_needed", "sign_test"]

PilotDecision = Literal["deploy", "do not deploy", "undecided"]


class Pair(NamedTuple):
    """Two episodes that differ in the gate only: same task, same seeds, same agent."""

    without: Trajectory
    gated: Trajectory


class Pilot(Record, frozen=True):
    """What pairs of episodes say of a gate."""

    pairs: int
    both_succeeded: int
    recovered: int
    """Failed without, succeeded with the gate."""
    disrupted: int
    """Succeeded without, failed with the gate."""
    both_failed: int
    intervened: int
    """Pairs in which the gate did something."""
    unexplained: int
    """Pairs that ended differently though the gate did nothing: chance that equal seeds do not control."""
    failure_rate: Interval
    """p: share of failures without the gate."""
    recovery: Interval
    """r: share of those that succeeded with it."""
    disruption: Interval
    """d: share of the successes without the gate that failed with it."""
    break_even: Interval
    """p*: the failure rate above which the gate helps; None where no outcome changed or one rate is unknown."""
    effect: Interval
    """Change in the share of successes."""
    level: float
    """Of the intervals."""
    p_value: float
    """Of the exact sign test: how likely pairs change outcome as unevenly if the gate does as much good as harm."""
    decision: PilotDecision
    more_pairs: int | None
    """How many more pairs would decide it, if the rates stay as they are; None if no number would."""


def assess_pilot(
    pairs: Sequence[Pair], *, level: float = 0.95, power: float = 0.8, resamples: int = 1_000, seed: int = 0
) -> Pilot:
    """Weigh what the gate recovered against what it disrupted.

    It is decided if the interval of the effect leaves out 0 and the exact sign test agrees: with a handful of pairs
    that all point one way the interval has no width. The test takes all pairs for independent; the interval does not.

    Args:
        pairs: matched episodes; those of one task and seed are drawn together.
        level: of the intervals and, as 1 - level, of the test.
        power: chance to see an effect of the size found, for `Pilot.more_pairs`.
        resamples: of the intervals.
        seed: of the resamples.

    Raises:
        ConfigError: there are no pairs, the episodes of one do not belong together, or a number is out of range.
    """
    if not pairs or not 0 < level < 1 or not 0 < power < 1:
        raise ConfigError(f"at least one pair, and a level and a power in (0, 1); got {len(pairs)}, {level}, {power}")
    clusters = _clusters(pairs)
    rows = np.concatenate(clusters)
    interval = partial(bootstrap, clusters, resamples=resamples, level=level, seed=seed)
    recovered, disrupted = (int(count) for count in (_changed(rows, 0).sum(), _changed(rows, 1).sum()))
    effect, p_value = interval(_effect), sign_test(recovered, disrupted)
    decision = _decision(effect, p_value, 1 - level)
    needed = pairs_needed(recovered / len(rows), disrupted / len(rows), level=level, power=power)
    return Pilot(
        pairs=len(pairs),
        both_succeeded=int(rows[:, 0].sum()) - disrupted,
        recovered=recovered,
        disrupted=disrupted,
        both_failed=int((1 - rows[:, 0]).sum()) - recovered,
        intervened=sum(map(_intervened, pairs)),
        unexplained=sum(pair.without.success != pair.gated.success and not _intervened(pair) for pair in pairs),
        failure_rate=interval(_failure_rate),
        recovery=interval(_recovery),
        disruption=interval(_disruption),
        break_even=interval(_break_even),
        effect=effect,
        level=level,
        p_value=p_value,
        decision=decision,
        more_pairs=_more(decision, needed, len(pairs)),
    )


def matched_pairs(store: RunStore, without: Run, gated: Run) -> list[Pair]:
    """The episodes that both runs have, in order; what failed in one of them has no partner and is left out."""
    numbers = sorted(store.committed(without) & store.committed(gated))
    ids = ((trajectory_id(without, number), trajectory_id(gated, number)) for number in numbers)
    return [Pair(store.trajectory(one), store.trajectory(other)) for one, other in ids]


def sign_test(recovered: int, disrupted: int) -> float:
    """The exact two-sided p-value of McNemar's test (1947): a fair coin falls at least as unevenly.

    >>> sign_test(6, 0)
    0.03125
    """
    changed, fewer = recovered + disrupted, min(recovered, disrupted)
    tail: int = sum(math.comb(changed, count) for count in range(fewer + 1))
    return min(1.0, 2 * tail / (1 << changed))


def pairs_needed(recovered: float, disrupted: float, *, level: float = 0.95, power: float = 0.8) -> int | None:
    """How many pairs show an effect, after Connor (Biometrics 43, 1987, pp. 207-211).

    n = (z_(1+level)/2 sqrt(s) + z_power sqrt(s - e^2))^2 / e^2, with the share s = recovered + disrupted of pairs that
    change outcome and the effect e = recovered - disrupted; and at least so many that enough pairs change outcome
    for the sign test to reach the level at all, which log2(2 / (1 - level)) that all agree do.

    Args:
        recovered: share of all pairs.
        disrupted: share of all pairs.
        level: of the two-sided interval.
        power: chance to see the effect.

    Returns:
        None if there is no effect to see.
    """
    changed, effect = recovered + disrupted, recovered - disrupted
    if not effect:
        return None
    z = NormalDist().inv_cdf
    root = z((1 + level) / 2) * math.sqrt(changed) + z(power) * math.sqrt(max(0.0, changed - effect**2))
    return math.ceil(max((root / effect) ** 2, math.ceil(math.log2(2 / (1 - level))) / changed))


def _clusters(pairs: Sequence[Pair]) -> list[Rows]:
    """Outcomes, `[pairs, 2]` for each task and seed: without and with the gate."""
    clusters: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for number, (without, gated) in enumerate(pairs):
        for name in ("env_id", "task_id", "seed", "agent"):
            if (one := getattr(without, name)) != (other := getattr(gated, name)):
                raise ConfigError(f"pair {number} is none: its episodes differ in {name}, {one!r} and {other!r}")
        clusters[without.group_id].append((float(without.success), float(gated.success)))
    return [np.array(outcomes) for outcomes in clusters.values()]


def _intervened(pair: Pair) -> bool:
    return any(not each.dropped for each in pair.gated.held_back)


def _changed(rows: Rows, before: int) -> Rows:
    changed: Rows = ((rows[:, 0] == before) & (rows[:, 1] != before)).astype(float)
    return changed


def _effect(rows: Rows) -> float:
    return float((rows[:, 1] - rows[:, 0]).mean())


def _failure_rate(rows: Rows) -> float:
    return float((1 - rows[:, 0]).mean())


def _recovery(rows: Rows) -> float | None:
    failures = rows[rows[:, 0] == 0]
    return float(failures[:, 1].mean()) if len(failures) else None


def _disruption(rows: Rows) -> float | None:
    successes = rows[rows[:, 0] == 1]
    return float((1 - successes[:, 1]).mean()) if len(successes) else None


def _break_even(rows: Rows) -> float | None:
    recovery, disruption = _recovery(rows), _disruption(rows)
    if recovery is None or disruption is None or not recovery + disruption:
        return None
    return disruption / (recovery + disruption)


def _decision(effect: Interval, p_value: float, error: float) -> PilotDecision:
    if effect.low is None or effect.high is None or p_value > error:
        return "undecided"
    if effect.low > 0:
        return "deploy"
    return "do not deploy" if effect.high < 0 else "undecided"


def _more(decision: PilotDecision, needed: int | None, pairs: int) -> int | None:
    if decision != "undecided":
        return 0
    return None if needed is None else max(1, needed - pairs)
