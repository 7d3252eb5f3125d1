"""`PolicyGradient`: plays groups of episodes, gives each step its credit, and makes good actions likelier."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import gymnasium
import numpy as np

from agentgym_critic.agents.text_ranker import RankerAgent
from agentgym_critic.agents.text_ranker.heavy import torch
from agentgym_critic.credit import Credit
from agentgym_critic.critics.adapt import CriticLike, HindsightCriticLike
from agentgym_critic.errors import ConfigError
from agentgym_critic.loop import Place, run_episode
from agentgym_critic.training.learner import Learner, minibatches
from agentgym_critic.training.losses import clipped_gradient_loss, entropy
from agentgym_critic.training.rows import Choice, choices_of
from agentgym_critic.training.signals import Signal
from agentgym_critic.types import Record, Trajectory

__all__ = ["GradientSettings", "Judges", "PolicyGradient"]


class GradientSettings(Record, frozen=True):
    """How episodes are played and learnt from."""

    groups: int = 8
    """Tasks of each iteration."""
    group_size: int = 8
    """Episodes of each task."""
    first_seed: int = 0
    seeds: int = 1_000
    """How many different tasks, drawn anew for each iteration."""
    epochs: int = 2
    """Passes over an iteration's steps."""
    batch: int = 64
    learning_rate: float = 5e-4
    clip_low: float = 0.2
    clip_high: float = 0.2
    entropy: float = 0.0
    """Weight of the policy's entropy, which is raised."""
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense."""
        if min(self.groups, self.seeds, self.epochs, self.batch) < 1 or not self.learning_rate > 0:
            raise ConfigError(f"groups, seeds, epochs and batch are at least 1, and learning_rate above 0; got {self}")
        if self.group_size < 2:
            raise ConfigError(
                f"a group of {self.group_size} has nothing to be compared with and teaches nothing; group_size is at "
                "least 2"
            )
        if not 0 < self.clip_low < 1 or not self.clip_high > 0 or self.entropy < 0:
            raise ConfigError(f"clip_low is in (0, 1), clip_high above 0 and entropy at least 0; got {self}")


class Judges(NamedTuple):
    """The critics whose verdicts a signal needs."""

    critic: CriticLike | None = None
    hindsight: HindsightCriticLike | None = None


class _Taken(NamedTuple):
    """A choice with what is learnt from it."""

    choice: Choice
    before: float
    """Log-probability when it was made."""
    advantage: float


class PolicyGradient:
    """On-policy: collect, credit, update, repeat. The share of steps that each part of the credit moves is reported.

    Args:
        learner: the policy.
        make_env: builds the environment.
        signal: gives the credit.
        judges: the critics it needs.
        settings: how.

    Raises:
        ConfigError: the signal needs a critic that is not there.
    """

    def __init__(
        self,
        learner: Learner,
        make_env: Callable[[], gymnasium.Env[str, str]],
        signal: Signal,
        settings: GradientSettings,
        judges: Judges = Judges(),  # noqa: B008 - immutable
    ) -> None:
        for needed, given, kind in (
            (signal.hindsight, judges.hindsight, "a hindsight critic"),
            (signal.before, judges.critic, "a critic that says value and baseline, for example monte-carlo"),
        ):
            if needed and given is None:
                raise ConfigError(f"this credit needs {kind}; name one")
        self.learner, self.settings, self._signal, self._judges = learner, settings, signal, judges
        self._env = make_env()

    def begin(self, folder: Path, iteration: int) -> None:
        """Set the pace; nothing is kept but the learner."""
        self.learner.learning_rate = self.settings.learning_rate

    def iterate(self, iteration: int) -> dict[str, float]:
        """One round of play and learning.

        Raises:
            TrainingError: a loss is no number.
        """
        played = self._collect(iteration)
        credit = self._signal.credit(played)
        choices, tally = choices_of(self.learner.ranker, played)
        taken = self._taken(choices, credit)
        rng = np.random.default_rng((self.settings.seed, iteration, 1))
        losses = [minibatches(taken, self.settings.batch, rng, self._learn) for _ in range(self.settings.epochs)]
        return {
            "loss": losses[-1],
            "success": float(np.mean([each.success for each in played])),
            "return": float(np.mean([each.episode_return for each in played])),
            "env_steps": env_steps(played),
            "rows": tally.used,
            "dropped": sum(tally.dropped.values()),
            **_shares(credit, choices),
        }

    def _collect(self, iteration: int) -> list[Trajectory]:
        settings = self.settings
        rng = np.random.default_rng((settings.seed, iteration))
        few = settings.groups > settings.seeds
        tasks = settings.first_seed + rng.choice(settings.seeds, settings.groups, replace=few)
        agent = RankerAgent(self.learner.ranker, temperature=1.0, label=f"iteration {iteration}")
        return [
            self._play(agent, int(task), f"{iteration}-{group}-{member}", int(rng.integers(2**31)))
            for group, task in enumerate(tasks)
            for member in range(settings.group_size)
        ]

    def _play(self, agent: RankerAgent, seed: int, name: str, agent_seed: int) -> Trajectory:
        place = Place(trajectory_id=name, agent_seed=agent_seed)
        critic, hindsight = self._judges
        return run_episode(self._env, agent, seed=seed, critic=critic, hindsight=hindsight, place=place)

    def _taken(self, choices: Sequence[Choice], credit: Credit) -> list[_Taken]:
        taken = []
        with torch.no_grad():
            for start in range(0, len(choices), 256):
                some = choices[start : start + 256]
                chances = self.learner.ranker.log_chances([each.encoded for each in some])
                for each, own in zip(some, chances, strict=True):
                    taken.append(_Taken(each, float(own[each.chosen]), float(credit.advantages[each.step])))
        return taken

    def _learn(self, taken: list[_Taken]) -> float:
        chances = self.learner.ranker.log_chances([each.choice.encoded for each in taken])
        chosen = torch.stack([own[each.choice.chosen] for own, each in zip(chances, taken, strict=True)])
        before, advantages = torch.tensor([(each.before, each.advantage) for each in taken], dtype=torch.float32).T
        loss = clipped_gradient_loss(chosen, before, advantages, self.settings.clip_low, self.settings.clip_high)
        return self.learner.descend(loss - self.settings.entropy * entropy(chances))


def env_steps(played: Sequence[Trajectory]) -> int:
    """What the episodes took, the steps that critics played in the simulator included."""
    steps = [step for each in played for step in each.ran]
    judged = [verdict for step in steps for verdict in (step.verdict, step.hindsight) if verdict]
    return len(steps) + int(sum(verdict.dimensions.get("env_steps", 0.0) for verdict in judged))


def _shares(credit: Credit, choices: Sequence[Choice]) -> dict[str, float]:
    """For each component, and the total, the share of the rows in the loss for which it is not 0."""
    places = [choice.step for choice in choices]
    every = {**credit.components, "total": credit.advantages}
    return {f"share_{name}": float(np.mean(part[places] != 0)) if places else 0.0 for name, part in every.items()}
