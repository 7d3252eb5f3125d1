"""The stream protocol: all steps of a trajectory are judged, and only then is it remembered.

Every critic judges the same steps with the same experiences to recall from. What fills the bank are the
hindsight verdicts that the trajectories carry; the truth about the steps never does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from agentgym_critic.critics.base import LearnsFromHindsight, PreCritic
from agentgym_critic.critics.recall import recalled_for
from agentgym_critic.critics.relabel import require_original
from agentgym_critic.critics.safe import safe_judge
from agentgym_critic.evaluation.replay import turns_of
from agentgym_critic.evaluation.verdict_log import VerdictLog
from agentgym_critic.memory import MemoryBank
from agentgym_critic.types import Experience, Trajectory, Verdict

__all__ = ["Judged", "judge_stream", "shuffled"]


_Recalls = dict[tuple[int, int, str], list[Experience]]
"""What was recalled in a trajectory, by step, number and way."""


class Judged(NamedTuple):
    """A trajectory and what a critic said of its steps."""

    critic: str
    """The name it was given."""
    position: int
    """Number of the trajectory in the stream."""
    trajectory: Trajectory
    verdicts: list[Verdict]


def judge_stream(
    trajectories: Sequence[Trajectory],
    critics: Mapping[str, PreCritic],
    log: VerdictLog,
    *,
    bank: MemoryBank | None = None,
    max_steps: int | None = None,
) -> Iterator[Judged]:
    """Let every critic judge every trajectory, in the order of the stream.

    A verdict that `log` knows is not asked for again; so an evaluation that was interrupted goes on.

    Args:
        trajectories: in stream order, with hindsight verdicts if anything is to be learnt.
        critics: by the names they are reported under.
        log: keeps the verdicts.
        bank: empty, filled on the way; None for one in memory.
        max_steps: of the episodes, for `Turn.steps_left`.

    Yields:
        For each trajectory, one `Judged` a critic, in the order of `critics`.

    Raises:
        ConfigError: a trajectory is relabelled.
    """
    require_original(trajectories)
    bank = bank or MemoryBank(":memory:")
    stream, now = "", dict(critics)
    for position, trajectory in enumerate(trajectories):
        recalls: _Recalls = {}
        for name, critic in now.items():
            learns = isinstance(critic, LearnsFromHindsight)
            key = (f"{critic.id}@{critic.version}", stream if critic.recall_k or learns else "", trajectory.id)
            verdicts = log.verdicts(*key)
            if verdicts is None:
                verdicts = _judge(critic, trajectory, bank, position, max_steps, recalls)
                log.save_verdicts(*key, verdicts)
            yield Judged(name, position, trajectory, verdicts)
            if isinstance(critic, LearnsFromHindsight):
                now[name] = critic.learned(trajectory.with_verdicts(verdicts))
        bank.remember(msgspec.structs.replace(trajectory, stream_position=position))
        stream = _continued(stream, trajectory)


def shuffled(trajectories: Sequence[Trajectory], order: int) -> list[Trajectory]:
    """The trajectories in an order of their own; 0 leaves them as they are."""
    if order == 0:
        return list(trajectories)
    return [trajectories[place] for place in np.random.default_rng(order).permutation(len(trajectories))]


def _judge(
    critic: PreCritic,
    trajectory: Trajectory,
    bank: MemoryBank,
    position: int,
    max_steps: int | None,
    recalls: _Recalls,
) -> list[Verdict]:
    """The verdicts on a trajectory; what was recalled for an earlier critic is not looked for again."""
    verdicts: list[Verdict] = []
    for turn, step in zip(turns_of(trajectory, max_steps), trajectory.steps, strict=True):
        key = (step.index, critic.recall_k, getattr(critic, "recall_by", "similarity"))
        if key not in recalls:
            recalls[key] = recalled_for(critic, bank, turn, step.action, position)
        verdicts += safe_judge(critic, turn, [step.action], [recalls[key]])
    return verdicts


def _continued(stream: str, trajectory: Trajectory) -> str:
    """A key of the stream with one more trajectory, its hindsight verdicts included."""
    learnt = [step.hindsight and (step.hindsight.p, step.hindsight.critic) for step in trajectory.steps]
    return hashlib.blake2b(repr((stream, trajectory.id, learnt)).encode(), digest_size=12).hexdigest()
