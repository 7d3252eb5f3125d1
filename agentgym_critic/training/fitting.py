"""`fit`: runs a trainer, iteration by iteration, each of them kept; a killed one goes on where it was."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from agentgym_critic.errors import ConfigError
from agentgym_critic.training.checkpoint import Progress, load_checkpoint, save_checkpoint
from agentgym_critic.training.learner import Learner
from agentgym_critic.training.metrics import Metrics, open_tensorboard, write_csv
from agentgym_critic.types import Record, to_json

__all__ = ["CHECKPOINT", "METRICS", "Trainer", "fit"]

CHECKPOINT = "checkpoint.safetensors"
METRICS = "metrics.csv"

Evaluate = Callable[[Learner], Metrics]


class Trainer(Protocol):
    """One way to learn. All that an iteration needs follows from its number, the learner and the folder."""

    learner: Learner

    @property
    def settings(self) -> Record:
        """Must be the same to go on with a checkpoint."""
        ...

    def begin(self, folder: Path, iteration: int) -> None:
        """Make ready for this iteration and those that follow; a folder is given, made and maybe empty."""
        ...

    def iterate(self, iteration: int) -> Metrics:
        """Learn for one iteration."""
        ...


def fit(
    trainer: Trainer,
    folder: str | Path,
    iterations: int,
    *,
    resume: bool = False,
    evaluate: Evaluate | None = None,
    evaluate_every: int = 1,
    on_metrics: Callable[[Metrics], None] | None = None,
    tensorboard: bool = False,
    seconds: float | None = None,
) -> list[Metrics]:
    """Train, and keep a checkpoint and the metrics after every iteration.

    Args:
        trainer: what learns, and how.
        folder: made if it is not there; holds `CHECKPOINT` and `METRICS`.
        iterations: how many there are in the end, those found included.
        resume: go on from the folder's checkpoint; without one, begin.
        evaluate: called every so many iterations; its metrics join the others with ``eval_`` before their names.
        evaluate_every: how many.
        on_metrics: told of every iteration.
        tensorboard: also write for TensorBoard.
        seconds: begin no iteration after so many; None for no limit.

    Returns:
        The metrics of all iterations, those found included.

    Raises:
        ConfigError: a number is out of range, the folder has a checkpoint that was not to be resumed, or it is of
            another model or training.
        TrainingError: a loss is no number; the last checkpoint is as it was.
        StoreFullError: the folder cannot be written.
    """
    if iterations < 1 or evaluate_every < 1:
        raise ConfigError(f"iterations and evaluate_every are at least 1, got {iterations} and {evaluate_every}")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    progress = _beginning(trainer, folder, resume=resume)
    rows, started = list(progress.metrics), time.monotonic()
    trainer.begin(folder, len(rows))
    writer = open_tensorboard(folder, len(rows)) if tensorboard else None
    for iteration in range(len(rows), iterations):
        if seconds is not None and time.monotonic() - started > seconds:
            break
        metrics: Metrics = {"iteration": iteration, **trainer.iterate(iteration)}
        if evaluate and (iteration + 1) % evaluate_every == 0:
            metrics.update({f"eval_{name}": value for name, value in evaluate(trainer.learner).items()})
        rows.append(metrics)
        save_checkpoint(folder / CHECKPOINT, trainer.learner, _progress(trainer, rows))
        write_csv(folder / METRICS, rows)
        _tell(writer, iteration, metrics)
        if on_metrics:
            on_metrics(metrics)
    if writer:
        writer.close()
    return rows


def _beginning(trainer: Trainer, folder: Path, *, resume: bool) -> Progress:
    path, fresh = folder / CHECKPOINT, _progress(trainer, [])
    if not path.exists():
        return fresh
    if not resume:
        raise ConfigError(f"{path} exists; resume it (--resume), or name another folder")
    return load_checkpoint(path, trainer.learner, fresh)


def _progress(trainer: Trainer, rows: list[Metrics]) -> Progress:
    settings = to_json(trainer.settings).decode()
    return Progress(trainer=type(trainer).__name__, settings=settings, metrics=tuple(rows))


def _tell(writer: Any, iteration: int, metrics: Metrics) -> None:
    if writer:
        for name, value in metrics.items():
            writer.add_scalar(name, value, iteration)
