"""Log-probabilities of given continuations of one prompt: whole, or branched off a shared prefix.

Both ways give the same numbers up to rounding. Token ids only; knows no text.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from agentgym_critic.lm.network import Network, log_softmax, picked

__all__ = ["Scores", "branching_agrees", "score_branched", "score_whole"]

Ids = Sequence[int]

_FLOAT32_GAP = 1e-3
_HALF_GAP = 0.25
"""Largest difference of log-probabilities that rounding may explain."""

_log = logging.getLogger(__name__)


class Scores(NamedTuple):
    """The result for one prompt."""

    logprobs: list[list[float]]
    """For each continuation, one natural-log probability a token."""
    cached_tokens: int
    """Prompt tokens that were not computed."""


class _Tree(NamedTuple):
    """The continuations with what they share stored once; node 0 is the prompt's last token."""

    ids: list[int]
    depths: list[int]
    visible: list[list[int]]
    """For each node itself and its ancestors."""
    nodes: dict[tuple[int, ...], int]
    """The node reached by a beginning of a continuation."""


def score_branched(network: Network, prompt: Ids, continuations: Sequence[Ids], batch_tokens: int) -> Scores:
    """Compute the prompt once (or find it), then all continuations as branches of one tree.

    Tree attention as in SpecInfer (Miao et al. 2024): the tokens of all branches lie in one
    row, each at its own position, each seeing only the prompt and its own ancestors. The
    prompt is not copied, nothing is padded, and beginnings that continuations share are
    computed once.
    """
    prefix, cached = network.prefix(prompt[:-1])
    logprobs: list[list[float]] = []
    for chunk in _chunks(continuations, len, batch_tokens):
        tree = _tree(prompt[-1], chunk)
        logits = network.branch(prefix, tree.ids, tree.depths, tree.visible)
        for ids in chunk:
            path = [tree.nodes[tuple(ids[:end])] for end in range(len(ids))]
            logprobs.append(picked(log_softmax(logits[path]), ids))
    return Scores(logprobs, cached)


def score_whole(network: Network, prompt: Ids, continuations: Sequence[Ids], batch_tokens: int) -> Scores:
    """Compute prompt and continuation together for each continuation, in padded batches."""
    logprobs: list[list[float]] = []
    for chunk in _chunks(continuations, lambda ids: len(prompt) + len(ids), batch_tokens):
        longest = max(map(len, chunk))
        # Padded on the right, where causal attention never looks: no mask is needed.
        rows = [[*prompt, *ids[:-1], *[prompt[-1]] * (longest - len(ids))] for ids in chunk]
        logits = network.forward(rows, keep=longest).logits
        logprobs += [picked(log_softmax(row[: len(ids)]), ids) for row, ids in zip(logits, chunk, strict=True)]
    return Scores(logprobs, 0)


def branching_agrees(network: Network) -> bool:
    """Whether both ways agree on a small example.

    Some architectures do not follow a given mask or given positions, and no attribute says
    which. Only the worst of them fail loudly.
    """
    prompt, continuations = list(range(4)), [[5, 6, 7, 5], [8, 9, 10, 8]]
    if not network.can_branch(len(prompt) + len(continuations[0])):
        return False
    try:
        branched = score_branched(network, prompt, continuations, batch_tokens=64).logprobs
    except Exception as reason:
        _log.warning("prefix cache off: the model cannot branch off a shared prompt (%s)", reason)
        return False
    finally:
        network.clear()
    whole = score_whole(network, prompt, continuations, batch_tokens=64).logprobs
    gap = max(abs(b - w) for pair in zip(branched, whole, strict=True) for b, w in zip(*pair, strict=True))
    if gap > (_FLOAT32_GAP if network.exact else _HALF_GAP):
        _log.warning("prefix cache off: scores off a shared prompt differ by %g from whole ones", gap)
        return False
    return True


def _tree(root: int, continuations: Sequence[Ids]) -> _Tree:
    tree = _Tree([root], [0], [[0]], {(): 0})
    for ids in continuations:
        # The last token is only predicted, never read.
        for end in range(1, len(ids)):
            branch = tuple(ids[:end])
            if branch not in tree.nodes:
                tree.visible.append([*tree.visible[tree.nodes[branch[:-1]]], len(tree.ids)])
                tree.nodes[branch] = len(tree.ids)
                tree.ids.append(branch[-1])
                tree.depths.append(end)
    return tree


def _chunks(continuations: Sequence[Ids], size: Callable[[Ids], int], limit: int) -> Iterator[list[Ids]]:
    """Consecutive continuations whose sizes add up to at most `limit`, or single ones."""
    chunk: list[Ids] = []
    total = 0
    for ids in continuations:
        if chunk and total + size(ids) > limit:
            yield chunk
            chunk, total = [], 0
        chunk.append(ids)
        total += size(ids)
    if chunk:
        yield chunk
