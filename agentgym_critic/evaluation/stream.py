"""The stream protocol: all steps of a trajectory are judged, and only then is it remembered.

Every critic judges the same steps with the same experiences to recall from. What fills the bank are the
hindsight verdicts that the trajectories carry; the truth about the steps never does. A critic that simulates
is shown a second copy of the world, brought to the moment of each step.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import repeat
from typing import Any, NamedTuple

import msgspec
import numpy as np

from agentgym_critic.critics.attach import attached
from agentgym_critic.critics.base import LearnsFromHindsight, PreCritic
from agentgym_critic.critics.recall import recalled_for
from agentgym_critic.critics.relabel import require_original
from agentgym_critic.critics.replica import Env, replayed
from agentgym_critic.critics.safe import safe_judge
from agentgym_critic.critics.simulation import taken_back
from agentgym_critic.envs import TextEnv
from agentgym_critic.evaluation.verdict_log import VerdictLog
from agentgym_critic.memory import MemoryBank
from agentgym_critic.turns import turns_of
from agentgym_critic.types import Action, Experience, Trajectory, Turn, Verdict

__all__ = ["Judged", "WorldOf", "judge_stream", "shuffled"]

WorldOf = Callable[[Trajectory], Env]
"""The environment as a trajectory was made in it, version and settings included. It is played; nobody else uses it."""


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
    world_of: WorldOf | None = None,
) -> Iterator[Judged]:
    """Let every critic judge every trajectory, in the order of the stream.

    A verdict that `log` knows is not asked for again; so an evaluation that was interrupted goes on.

    Args:
        trajectories: in stream order, with hindsight verdicts if anything is to be learnt.
        critics: by the names they are reported under.
        log: keeps the verdicts.
        bank: empty, filled on the way; None for one in memory.
        max_steps: of the episodes, for `Turn.steps_left`.
        world_of: finds the world for critics with a method ``attach(env)``; None leaves them without, and so
            their verdicts unscored.

    Yields:
        For each trajectory, one `Judged` a critic, in the order of `critics`.

    Raises:
        ConfigError: a trajectory is relabelled.
        EnvError: a world cannot be played as the trajectory was.
    """
    require_original(trajectories)
    bank = bank or MemoryBank(":memory:")
    stream, now = "", dict(critics)
    for position, trajectory in enumerate(trajectories):
        recall = _Recall(bank, position)
        for name, critic in now.items():
            learns = isinstance(critic, LearnsFromHindsight)
            key = (f"{critic.id}@{critic.version}", stream if critic.recall_k or learns else "", trajectory.id)
            verdicts = log.verdicts(*key)
            if verdicts is None:
                verdicts = _judge(critic, trajectory, recall, max_steps, world_of)
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


class _Recall:
    """What a bank recalls at a position of the stream; looked for once for critics that recall alike."""

    def __init__(self, bank: MemoryBank, position: int) -> None:
        self._bank, self._position = bank, position
        self._known: dict[tuple[int, int, str], list[Experience]] = {}

    def __call__(self, critic: PreCritic, turn: Turn, action: Action) -> list[Experience]:
        key = (turn.index, critic.recall_k, getattr(critic, "recall_by", "similarity"))
        if key not in self._known:
            self._known[key] = recalled_for(critic, self._bank, turn, action, self._position)
        return self._known[key]


def _judge(
    critic: PreCritic,
    trajectory: Trajectory,
    recall: _Recall,
    max_steps: int | None,
    world_of: WorldOf | None,
) -> list[Verdict]:
    verdicts: list[Verdict] = []
    world = world_of(trajectory) if world_of and hasattr(critic, "attach") else None
    judge, moments = (critic, repeat(None)) if world is None else _shown(critic, world, trajectory)
    for turn, step, _ in zip(turns_of(trajectory, max_steps), trajectory.steps, moments, strict=False):
        with _kept_as_it_is(world):
            verdicts += safe_judge(judge, turn, [step.action], [recall(judge, turn, step.action)])
    return verdicts


def _shown(critic: PreCritic, world: Env, trajectory: Trajectory) -> tuple[PreCritic, Iterator[Any]]:
    """The critic with the world before its eyes, and the moments to bring that to."""
    return attached(critic, world.unwrapped), replayed(world, trajectory)


def _kept_as_it_is(world: Env | None) -> AbstractContextManager[Any]:
    """A critic that leaves the world elsewhere must not spoil the next step."""
    return taken_back(world.unwrapped) if world and isinstance(world.unwrapped, TextEnv) else nullcontext()


def _continued(stream: str, trajectory: Trajectory) -> str:
    """A key of the stream with one more trajectory, its hindsight verdicts included."""
    learnt = [step.hindsight and (step.hindsight.p, step.hindsight.critic) for step in trajectory.steps]
    return hashlib.blake2b(repr((stream, trajectory.id, learnt)).encode(), digest_size=12).hexdigest()
