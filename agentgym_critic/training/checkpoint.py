"""A training under way in one safetensors file: the ranker, the optimizer's memory and the metrics so far.

A checkpoint is a ranker's file, too: `TextRanker.load` reads it.
"""

from __future__ import annotations

from pathlib import Path

from agentgym_critic.agents.text_ranker.heavy import safetensors_torch
from agentgym_critic.agents.text_ranker.ranker import FORMAT, read_tensors
from agentgym_critic.errors import ConfigError
from agentgym_critic.files import whole_file
from agentgym_critic.training.learner import Learner
from agentgym_critic.types import Record, from_json, to_json

__all__ = ["Progress", "load_checkpoint", "save_checkpoint"]


class Progress(Record, frozen=True):
    """How far a training has come."""

    trainer: str
    """Its class."""
    settings: str
    """Its settings, as JSON."""
    metrics: tuple[dict[str, float], ...] = ()
    """Of each iteration that is done."""


def save_checkpoint(path: Path, learner: Learner, progress: Progress) -> None:
    """Replace the checkpoint, whole or not at all.

    Raises:
        StoreFullError: it cannot be written.
    """
    about = {
        "format": FORMAT,
        "settings": to_json(learner.ranker.settings).decode(),
        "progress": to_json(progress).decode(),
    }
    with whole_file(path, overwrite=True) as draft:
        safetensors_torch.save_file(learner.tensors(), draft, metadata=about)


def load_checkpoint(path: Path, learner: Learner, expected: Progress) -> Progress:
    """Put a learner where it was.

    Args:
        path: of the checkpoint.
        learner: of a ranker with the same settings.
        expected: the trainer and settings that are to go on.

    Raises:
        ConfigError: there is no checkpoint, or it is of another model or another training; nothing has changed.
    """
    about, tensors = read_tensors(path)
    if "progress" not in about:
        raise ConfigError(f"{path} is no checkpoint of a training, but a model without one; start from it instead")
    if (own := to_json(learner.ranker.settings).decode()) != about["settings"]:
        raise ConfigError(f"{path} holds another model: {about['settings']}, and this one is {own}")
    progress = from_json(about["progress"], Progress)
    for name in ("trainer", "settings"):
        if (was := getattr(progress, name)) != (now := getattr(expected, name)):
            raise ConfigError(
                f"{path} cannot be resumed: its {name} was {was}, and is now {now}; keep it, or name another folder"
            )
    learner.load_tensors(tensors, str(path))
    return progress
