"""`Dagger`: the student plays, the expert says what it should have done, and all of it is learnt.

DAgger, Ross, Gordon and Bagnell 2011 (1011.0686).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import gymnasium
import numpy as np

from agentgym_critic.errors import ConfigError, TrainingError
from agentgym_critic.loop import Place, run_episode
from agentgym_critic.training.experts import Expert, Guided
from agentgym_critic.training.learner import Learner
from agentgym_critic.training.row_files import read_rows, write_rows
from agentgym_critic.training.rows import Row
from agentgym_critic.training.supervised import imitate
from agentgym_critic.types import Record

__all__ = ["Dagger", "DaggerSettings"]


class DaggerSettings(Record, frozen=True):
    """How a student is guided."""

    episodes: int = 100
    """Of each iteration."""
    first_seed: int = 0
    """Iterations play the seeds that follow, each once, then begin again."""
    seeds: int = 1_000
    """How many different ones."""
    expert_share: tuple[float, ...] = (1.0, 0.5, 0.0)
    """Chance that a step is the expert's, for each iteration; the last one holds on."""
    epochs: int = 2
    """Passes over all rows so far, in each iteration."""
    batch: int = 64
    learning_rate: float = 2e-3
    temperature: float = 0.5
    """Of the student while it is guided."""
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense."""
        if min(self.episodes, self.seeds, self.epochs, self.batch) < 1 or not self.learning_rate > 0:
            raise ConfigError(
                f"episodes, seeds, epochs and batch are at least 1, and learning_rate above 0; got {self}"
            )
        if not self.expert_share or not all(0 <= share <= 1 for share in self.expert_share):
            raise ConfigError(f"expert_share holds at least one chance in [0, 1], got {self.expert_share}")


class Dagger:
    """Collects and learns, in turn. With shares of 1 it is cloning of the expert's own play.

    Args:
        learner: the student.
        make_env: builds the environment.
        expert: answers at any state.
        settings: how.
    """

    def __init__(
        self,
        learner: Learner,
        make_env: Callable[[], gymnasium.Env[str, str]],
        expert: Expert,
        settings: DaggerSettings,
    ) -> None:
        self.learner, self.settings = learner, settings
        self._env, self._expert = make_env(), expert
        self._rows: list[Row] = []
        self._folder: Path | None = None

    def begin(self, folder: Path, iteration: int) -> None:
        """Read the rows of the iterations that are done.

        Raises:
            ConfigError: they are missing.
        """
        self.learner.learning_rate = self.settings.learning_rate
        self._folder = folder
        self._rows = [row for done in range(iteration) for row in read_rows(_rows_path(folder, done))]

    def iterate(self, iteration: int) -> dict[str, float]:
        """Play `episodes`, keep what the expert said, learn all there is.

        Raises:
            TrainingError: the expert said nothing that can be learnt, or a loss is no number.
        """
        metrics = self._collect(iteration)
        rng = np.random.default_rng((self.settings.seed, iteration, 1))
        losses = [imitate(self.learner, self._rows, self.settings.batch, rng) for _ in range(self.settings.epochs)]
        return {"loss": losses[-1], "rows": len(self._rows), **metrics}

    def _collect(self, iteration: int) -> dict[str, float]:
        settings = self.settings
        share = settings.expert_share[min(iteration, len(settings.expert_share) - 1)]
        guided = Guided(self.learner.ranker, self._expert, share, temperature=settings.temperature)
        first = iteration * settings.episodes
        numbers = range(first, first + settings.episodes)
        played = [self._play(guided, number) for number in numbers]
        if not guided.rows:
            raise TrainingError(f"{self._expert.id} said nothing that can be learnt: {guided.tally}")
        if self._folder:
            write_rows(_rows_path(self._folder, iteration), guided.rows)
        self._rows += guided.rows
        steps, wins = np.array(played).T
        return {
            "success": float(wins.mean()),
            "env_steps": int(steps.sum()),
            "expert_share": share,
            "dropped": sum(guided.tally.dropped.values()),
        }

    def _play(self, guided: Guided, number: int) -> tuple[int, bool]:
        seed = self.settings.first_seed + number % self.settings.seeds
        agent_seed = int(np.random.SeedSequence((self.settings.seed, number)).generate_state(1)[0])
        episode = run_episode(self._env, guided, seed=seed, place=Place(agent_seed=agent_seed))
        return len(episode.steps), episode.success


def _rows_path(folder: Path, iteration: int) -> Path:
    return folder / f"rows-{iteration:04}.safetensors"
