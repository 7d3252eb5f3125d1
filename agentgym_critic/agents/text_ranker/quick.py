"""The scores of one turn in NumPy: what `ScoreNet` says, without what torch takes to be asked for so little."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agentgym_critic.agents.text_ranker.encoding import Encoded
from agentgym_critic.agents.text_ranker.network import ScoreNet

__all__ = ["quick_scores"]

Floats = NDArray[np.float32]


def quick_scores(network: ScoreNet, turn: Encoded) -> NDArray[np.float64]:
    """The score of every action, float64 `[actions]`; as `network`'s, up to rounding."""
    weights: dict[str, Floats] = {name: own.detach().numpy() for name, own in network.layers.named_parameters()}
    state = weights["state.weight"][turn.state].sum(axis=0, keepdims=True)
    action = np.add.reduceat(weights["action.weight"][turn.actions], turn.starts)
    single = np.add.reduceat(weights["single.weight"][turn.actions, 0], turn.starts)
    state, action = _scaled(weights, "state_scale", state), _scaled(weights, "action_scale", action)
    both = np.concatenate([np.broadcast_to(state, action.shape), action, state * action], axis=1)
    hidden = np.maximum(both @ weights["hidden.weight"].T + weights["hidden.bias"], 0)
    scores: NDArray[np.float64] = (hidden @ weights["score.weight"][0] + single).astype(np.float64)
    return scores


def _scaled(weights: dict[str, Floats], layer: str, rows: Floats) -> Floats:
    """Layer normalisation (Ba et al. 2016, 1607.06450) with torch's epsilon."""
    spread = np.sqrt(rows.var(axis=1, keepdims=True) + np.float32(1e-5))
    centred = (rows - rows.mean(axis=1, keepdims=True)) / spread
    scaled: Floats = centred * weights[f"{layer}.weight"] + weights[f"{layer}.bias"]
    return scaled
