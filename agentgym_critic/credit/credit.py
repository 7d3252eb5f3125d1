"""`Credit`: advantages of steps, kept together with the named components they are the sum of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from agentgym_critic.credit.rollouts import Floats, Ints
from agentgym_critic.errors import ConfigError

__all__ = ["Credit", "combine", "on_tokens"]


class Credit(NamedTuple):
    """One advantage a step."""

    advantages: Floats
    """`[steps]`: the weighted sum of the components."""
    components: dict[str, Floats]
    """By name, each `[steps]` and weighted."""

    @property
    def shares(self) -> dict[str, float]:
        """For each component the share of steps for which it is not 0; and ``"total"``."""
        every = {**self.components, "total": self.advantages}
        return {name: float(np.mean(part != 0)) if len(part) else 0.0 for name, part in every.items()}


def combine(components: Mapping[str, Floats], weights: Mapping[str, float] | None = None) -> Credit:
    """The weighted sum of components; one with weight 0 is left out and changes nothing.

    Args:
        components: by name, float64 `[steps]`.
        weights: by name; 1 for those not named.

    Raises:
        ConfigError: there are no components, they differ in length, hold NaN, or a weight has none.
    """
    given = dict(weights or {})
    if unknown := given.keys() - components.keys():
        raise ConfigError(f"there are weights for {sorted(unknown)}, and the components are {sorted(components)}")
    if not components or len({part.shape for part in components.values()}) > 1:
        raise ConfigError(
            f"components are of one length; got { {name: part.shape for name, part in components.items()} }"
        )
    parts = {name: given.get(name, 1.0) * part for name, part in components.items() if given.get(name, 1.0) != 0}
    for name, part in parts.items():
        if not np.isfinite(part).all():
            raise ConfigError(f"the component {name!r} is not finite at step {np.flatnonzero(~np.isfinite(part))[0]}")
    return Credit(sum(parts.values(), np.zeros(len(next(iter(components.values()))))), parts)


def on_tokens(advantages: Floats, step: Ints) -> Floats:
    """The advantage of each token: that of the step whose action it is part of, and 0 for all other tokens.

    Args:
        advantages: `[steps]`.
        step: `[tokens]`: the number of the step, or -1 for tokens that no action consists of.

    Raises:
        ConfigError: a token belongs to a step that is none.
    """
    if len(step) and not -1 <= step.min() <= step.max() < len(advantages):
        raise ConfigError(f"tokens belong to steps 0 to {len(advantages) - 1}, or -1; got {step.min()} to {step.max()}")
    return np.where(step >= 0, advantages[np.maximum(step, 0)], 0.0) if len(advantages) else np.zeros(len(step))
