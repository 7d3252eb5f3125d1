"""`TextRanker`: scores the listed actions of a turn, and is kept in one safetensors file."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from agentgym_critic.agents.text_ranker.encoding import Encoded, encode
from agentgym_critic.agents.text_ranker.heavy import safetensors, safetensors_torch, torch
from agentgym_critic.agents.text_ranker.network import ScoreNet
from agentgym_critic.agents.text_ranker.quick import quick_scores
from agentgym_critic.agents.text_ranker.settings import RankerSettings
from agentgym_critic.errors import ConfigError
from agentgym_critic.files import whole_file
from agentgym_critic.types import Turn, from_json, to_json

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["FORMAT", "TextRanker", "read_tensors"]

FORMAT = "agentgym_critic.text_ranker.1"
"""Written into every file; changes whenever the same weights would score otherwise."""


class TextRanker:
    """A small network over hashed features of task, observation, history and action.

    It learns from scratch in minutes on a processor: what it is shown of an action says which names of the
    task it has, what was done with them and where they were met, so that it carries over to unseen games.

    Args:
        settings: its shape.
    """

    def __init__(self, settings: RankerSettings | None = None) -> None:
        self.settings = settings or RankerSettings()
        self.network = ScoreNet(self.settings)

    def encode(self, turn: Turn, actions: Sequence[str]) -> Encoded:
        """The features of a turn and the actions to choose from, at least one."""
        return encode(turn, actions, self.settings.buckets)

    def log_chances(self, turns: Sequence[Encoded]) -> list[Tensor]:
        """The log-probability of every action, float32 `[actions]` for each turn; with gradients."""
        scores = torch.split(self.network(turns), [len(turn.starts) for turn in turns])
        return [torch.log_softmax(own, dim=0) for own in scores]

    def scores(self, turn: Turn, actions: Sequence[str]) -> NDArray[np.float64]:
        """The score of each action, float64 `[actions]`: the logit of its probability, up to a constant."""
        return quick_scores(self.network, self.encode(turn, actions))

    def fingerprint(self) -> str:
        """Eight hexadecimal digits of settings and weights."""
        sum_ = zlib.crc32(FORMAT.encode() + to_json(self.settings))
        for weights in self.network.layers.state_dict().values():
            sum_ = zlib.crc32(weights.detach().numpy().tobytes(), sum_)
        return f"{sum_:08x}"

    def tensors(self) -> dict[str, Tensor]:
        """The weights by name."""
        return {name: weights.detach().contiguous() for name, weights in self.network.layers.state_dict().items()}

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write weights and settings into one safetensors file, whole or not at all.

        Raises:
            ConfigError: the file exists and may not be replaced, or its folder is missing.
            StoreFullError: it cannot be written.
        """
        about = {"format": FORMAT, "settings": to_json(self.settings).decode()}
        with whole_file(Path(path), overwrite=overwrite) as draft:
            safetensors_torch.save_file(self.tensors(), draft, metadata=about)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what `save` wrote, or the ranker within a training checkpoint.

        Raises:
            ConfigError: there is no such file, or it holds another model.
        """
        about, tensors = read_tensors(Path(path))
        if about.get("format") != FORMAT:
            raise ConfigError(
                f"{path} is no text ranker of this version: its format is {about.get('format')!r}, not {FORMAT!r}"
            )
        ranker = cls(from_json(about["settings"], RankerSettings))
        ranker.load_tensors(tensors, str(path))
        return ranker

    def load_tensors(self, tensors: dict[str, Tensor], where: str) -> None:
        """Take weights by name; others than the network's are left alone.

        Raises:
            ConfigError: weights are missing, of another shape, or not finite; nothing has changed.
        """
        own = self.network.layers.state_dict()
        for name, weights in own.items():
            found = tuple(tensors[name].shape) if name in tensors else None
            if found != tuple(weights.shape):
                raise ConfigError(
                    f"{where} holds another model: {name} is {tuple(weights.shape)} here, and {found} there"
                )
            if not torch.isfinite(tensors[name]).all():
                raise ConfigError(f"{where}: the weights {name} are not finite")
        self.network.layers.load_state_dict({name: tensors[name] for name in own})


def read_tensors(path: Path) -> tuple[dict[str, str], dict[str, Any]]:
    """A safetensors file's metadata and tensors.

    Raises:
        ConfigError: there is no such file, or it is something else.
    """
    if not path.is_file():
        raise ConfigError(f"there is no file {path}; train a ranker first, or name another")
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            return dict(file.metadata() or {}), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (safetensors.SafetensorError, OSError, msgspec.DecodeError) as cause:
        raise ConfigError(f"{path} is no safetensors file, or damaged: {cause}") from cause
