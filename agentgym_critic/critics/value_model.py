"""`ValueModelCritic`: a small trained head over an embedder's vectors of task, state and action.

Training needs torch; judging with a trained one needs only the embedder and, to load it, safetensors.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import msgspec
import numpy as np

from agentgym_critic.critics.value_head import Floats, HeadSettings, Weights, head_p, train_head
from agentgym_critic.critics.value_targets import Target, examples_of
from agentgym_critic.errors import ConfigError, MissingDataError, require
from agentgym_critic.files import whole_file
from agentgym_critic.memory.base import Embedder
from agentgym_critic.memory.embedders import HashingEmbedder
from agentgym_critic.types import Action, Experience, Record, Trajectory, Turn, Verdict, from_json, to_json

__all__ = ["ValueModelConfig", "ValueModelCritic"]

_CONFIG = "agentgym_critic.value_model"


class ValueModelConfig(Record, frozen=True):
    """What a value model was trained on and how; stored with its weights."""

    embedder: str
    """Id of the embedder."""
    dim: int
    """Length of one of its vectors."""
    target: Target
    gamma: float
    examples: int
    """Steps it has learnt from."""
    settings: HeadSettings


class ValueModelCritic:
    """p is what the head says of the three vectors, one after the other.

    It is as good as its labels: trained on hindsight verdicts it foretells these, trained on returns it gives a value
    between the lowest and the highest return it saw, which is no probability that a step helps.

    Args:
        path: a file that `save` wrote.
        embedder: the one it was trained with; None for the hashing embedder of the length it names.

    Raises:
        MissingDataError: there is no such file.
        ConfigError: it is something else, or was trained with another embedder.
        MissingExtraError: safetensors is not installed.
    """

    id = "value-model"
    recall_k = 0

    def __init__(self, path: str | Path, *, embedder: Embedder | None = None) -> None:
        self._begin(*_loaded(Path(path)), embedder)

    @classmethod
    def fit(
        cls,
        trajectories: Sequence[Trajectory],
        *,
        target: Target = "hindsight",
        embedder: Embedder | None = None,
        gamma: float = 0.95,
        settings: HeadSettings | None = None,
    ) -> Self:
        """Train one on stored episodes; the same seed gives the same weights on the same machine.

        Args:
            trajectories: with what the target needs.
            target: what is learnt.
            embedder: None for a `HashingEmbedder`.
            gamma: discount a step, for returns.
            settings: of the training.

        Raises:
            ConfigError: there is nothing to learn from, or a setting is out of range.
            MissingExtraError: torch is not installed.
        """
        embedder, settings = embedder or HashingEmbedder(), settings or HeadSettings()
        examples = examples_of(trajectories, target, gamma)
        x = _features(embedder, [(each.task, each.state, each.action) for each in examples])
        weights = train_head(x, np.array([each.label for each in examples], np.float32), settings)
        config = ValueModelConfig(
            embedder=embedder.id,
            dim=embedder.dim,
            target=target,
            gamma=gamma,
            examples=len(examples),
            settings=settings,
        )
        critic = cls.__new__(cls)
        critic._begin(config, weights, embedder)
        return critic

    def _begin(self, config: ValueModelConfig, weights: Weights, embedder: Embedder | None) -> None:
        embedder = embedder or _usual(config)
        if (embedder.id, embedder.dim) != (config.embedder, config.dim):
            raise ConfigError(f"the value model was trained with the embedder {config.embedder}, got {embedder.id}")
        self.config, self._weights, self._embedder = config, weights, embedder

    @property
    def version(self) -> str:
        """A digest of configuration and weights."""
        digest = hashlib.blake2b(to_json(self.config), digest_size=4)
        for name in sorted(self._weights):
            digest.update(self._weights[name].tobytes())
        return digest.hexdigest()

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write weights and configuration to one safetensors file.

        Raises:
            ConfigError: the file exists and may not be replaced, or its folder is missing.
            MissingExtraError: safetensors is not installed.
        """
        library = require("safetensors.numpy", "lm", "saving a value model")
        with whole_file(Path(path), overwrite=overwrite) as draft:
            library.save_file(self._weights, draft, {_CONFIG: to_json(self.config).decode()})

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        """One verdict for each action."""
        x = _features(self._embedder, [(turn.task, turn.observation, action.text) for action in actions])
        return [Verdict(p=float(p), critic=self.id, version=self.version) for p in head_p(self._weights, x)]


def _features(embedder: Embedder, rows: Sequence[tuple[str, str, str]]) -> Floats:
    """The vectors of task, state and action in a row, float32 `[n, 3 * dim]`; a text is embedded once."""
    texts = list(dict.fromkeys(text for row in rows for text in row))
    place = {text: number for number, text in enumerate(texts)}
    vectors = np.asarray(embedder.embed(texts), np.float32)
    return vectors[[[place[text] for text in row] for row in rows]].reshape(len(rows), -1)


def _usual(config: ValueModelConfig) -> Embedder:
    """The hashing embedder, if it is the one."""
    return HashingEmbedder(config.dim)


def _loaded(path: Path) -> tuple[ValueModelConfig, Weights]:
    if not path.is_file():
        raise MissingDataError(f"there is no value model {path}; ValueModelCritic.fit(...).save(path) makes one")
    library = require("safetensors", "lm", "a value model")
    try:
        with library.safe_open(path, framework="numpy") as file:
            config = from_json((file.metadata() or {}).get(_CONFIG, ""), ValueModelConfig)
            weights = {name: np.asarray(file.get_tensor(name)) for name in file.keys()}  # noqa: SIM118 - no mapping
    except (library.SafetensorError, msgspec.DecodeError, OSError) as cause:
        raise ConfigError(f"{path} is no value model of this version ({cause})") from cause
    _check_shapes(path, config, weights)
    return config, weights


def _check_shapes(path: Path, config: ValueModelConfig, weights: Weights) -> None:
    inputs, hidden = 3 * config.dim, config.settings.hidden
    wanted = {"w1": (inputs, hidden), "b1": (hidden,), "w2": (hidden,), "b2": (1,)}
    got = {name: weight.shape for name, weight in weights.items()}
    if got != wanted or not all(np.isfinite(weight).all() for weight in weights.values()):
        raise ConfigError(f"{path} is damaged: its weights are finite and of the shapes {wanted}, got {got}")
