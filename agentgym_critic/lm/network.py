"""A causal language model as numbers: token ids in, logits out.

Hides what differs between transformers versions and model families. Knows no text, no
sampling and no scoring.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from agentgym_critic.errors import LMError
from agentgym_critic.lm.base import LOGPROB_FLOOR
from agentgym_critic.lm.prefix_cache import Prefix, PrefixCache

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Network", "Output", "log_softmax", "picked"]


class Output(NamedTuple):
    """What a forward pass gives back."""

    logits: Tensor
    """`[rows, kept, vocabulary]`, in the model's number format."""
    cache: Any
    """The library's cache object, grown by this pass."""


class Network:
    """Runs a transformers model; not thread-safe.

    Args:
        model: a ``transformers`` causal language model in evaluation mode.
        cache: where computed prompts are kept.
    """

    def __init__(self, model: Any, cache: PrefixCache) -> None:
        parameters = inspect.signature(type(model).forward).parameters
        self._model = model
        self._cache = cache
        # transformers 5.24 renamed the argument, and the output with it.
        self._cache_name = "cache" if "cache" in parameters else "past_key_values"
        self._config = model.config.get_text_config()

    @property
    def exact(self) -> bool:
        """Whether it computes in float32."""
        return str(self._model.dtype) == "torch.float32"

    def forward(self, ids: Sequence[Sequence[int]], *, keep: int, cache: Any = None, **inputs: Tensor) -> Output:
        """One pass over `ids` `[rows, tokens]`; logits of the last `keep` positions only.

        Args:
            ids: rows of equal length.
            keep: how many positions to return logits for.
            cache: what `start` or an earlier pass gave; None starts afresh.
            inputs: further arguments of the model.
        """
        import torch

        tokens = torch.tensor(ids, device=self._model.device)
        with torch.inference_mode():
            result = self._model(
                input_ids=tokens, use_cache=True, logits_to_keep=keep, **{self._cache_name: cache}, **inputs
            )
        return Output(result.logits, getattr(result, self._cache_name))

    def prefix(self, ids: Sequence[int]) -> tuple[Prefix, int]:
        """Keys and values of `ids`, and how many of the tokens did not have to be computed."""
        known = self._cache.longest(ids)
        if len(known.ids) == len(ids):
            return known, len(ids)
        cache = self.forward([ids[len(known.ids) :]], keep=1, cache=self.start(known)).cache
        prefix = Prefix(tuple(ids), tuple((layer.keys, layer.values) for layer in cache.layers))
        self._cache.add(prefix)
        return prefix, len(known.ids)

    def start(self, prefix: Prefix, rows: int = 1) -> Any:
        """A cache object that begins with `prefix` in each of `rows`, by reference."""
        from transformers import DynamicCache

        cache = DynamicCache()
        for index, (keys, values) in enumerate(prefix.layers):
            # Handing `update` the tensors would copy them; a layer filled by hand only refers to them.
            cache.update(keys[..., :0, :], values[..., :0, :], index)
            layer = cache.layers[index]
            layer.keys, layer.values = keys.expand(rows, -1, -1, -1), values.expand(rows, -1, -1, -1)
        return cache

    def branch(
        self, prefix: Prefix, ids: Sequence[int], depths: Sequence[int], visible: Sequence[Sequence[int]]
    ) -> Tensor:
        """One pass over a tree of tokens that grows from the end of `prefix`.

        Args:
            prefix: what every token sees.
            ids: the tokens of the tree, parents first.
            depths: for each its distance from the end of the prefix.
            visible: for each the indices of the tokens of the tree it sees, itself included.

        Returns:
            Logits `[len(ids), vocabulary]`.
        """
        import torch

        device, dtype, past = self._model.device, self._model.dtype, len(prefix.ids)
        mask = torch.full((len(ids), past + len(ids)), torch.finfo(dtype).min, dtype=dtype)
        mask[:, :past] = 0
        for row, columns in enumerate(visible):
            mask[row, [past + column for column in columns]] = 0
        positions = torch.tensor([[past + depth for depth in depths]], device=device)
        cache, mask = self.start(prefix), mask[None, None].to(device)
        return self.forward([ids], keep=len(ids), cache=cache, position_ids=positions, attention_mask=mask).logits[0]

    def clear(self) -> None:
        """Forget what `prefix` kept."""
        self._cache.clear()

    def can_branch(self, length: int) -> bool:
        """Whether sequences of `length` tokens may be cut, shared and branched: plain attention only.

        A recurrent state cannot be cut back, and a sliding window is plain attention only
        while everything fits into it.
        """
        kinds = set(getattr(self._config, "layer_types", None) or ())
        window = getattr(self._config, "sliding_window", None) or math.inf
        plain = kinds <= {"full_attention", "sliding_attention"} and not getattr(self._model, "_is_stateful", False)
        return plain and length <= window


def log_softmax(logits: Tensor) -> Tensor:
    """Natural-log probabilities in float32, same shape.

    Raises:
        LMError: the logits are not numbers.
    """
    import torch

    logprobs = torch.log_softmax(logits.float(), dim=-1)
    if torch.isnan(logprobs).any():
        raise LMError("the model's logits are not numbers (NaN or infinite); try dtype='float32'", "TransformersLM")
    return logprobs


def picked(logprobs: Tensor, ids: Sequence[int]) -> list[float]:
    """``logprobs[i, ids[i]]`` for each i, at least `LOGPROB_FLOOR`.

    Args:
        logprobs: `[len(ids), vocabulary]`.
        ids: one token a row.
    """
    import torch

    values = logprobs.gather(1, torch.tensor(ids, device=logprobs.device)[:, None])[:, 0]
    return [float(value) for value in values.clamp(min=LOGPROB_FLOOR).tolist()]
