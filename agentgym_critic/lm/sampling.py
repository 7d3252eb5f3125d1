"""Sampled continuations of one prompt, token by token. Knows the text only to look for stop strings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from agentgym_critic.lm.network import Network, log_softmax, picked
from agentgym_critic.lm.request import cut_at_stop

if TYPE_CHECKING:
    from torch import Generator, Tensor

__all__ = ["Sample", "Sampler", "Samples"]

Ids = Sequence[int]


@dataclass
class Sample:
    """One continuation as it grows."""

    ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    text: str = ""
    finish: Literal["stop", "length"] | None = None
    """None while it grows."""


class Samples(NamedTuple):
    """The result for one prompt."""

    samples: list[Sample]
    cached_tokens: int
    """Prompt tokens that were not computed."""


class Sampler(NamedTuple):
    """How to continue a prompt."""

    max_tokens: int
    temperature: float
    """0 is greedy."""
    seed: int | None
    """Of all rows of a call together; None draws one."""
    stop: Sequence[str]
    """The text ends before the first of these."""
    end_ids: frozenset[int]
    """Tokens that end a reply."""
    decode: Callable[[Ids], str]

    def run(self, network: Network, prompt: Ids, rows: int, batch_rows: int) -> Samples:
        """`rows` continuations of `prompt`, at most `batch_rows` at a time."""
        generator = _generator(self.seed)
        samples: list[Sample] = []
        cached = []
        while len(samples) < rows:
            batch, known = self._batch(network, prompt, min(batch_rows, rows - len(samples)), generator)
            samples += batch
            cached.append(known)
        return Samples(samples, cached[0])

    def _batch(self, network: Network, prompt: Ids, rows: int, generator: Generator) -> Samples:
        cache, cached = None, 0
        unread: list[Ids] = [prompt] * rows
        if network.can_branch(len(prompt) + self.max_tokens):
            prefix, cached = network.prefix(prompt[:-1])
            cache, unread = network.start(prefix, rows), [prompt[-1:]] * rows
        samples = [Sample() for _ in range(rows)]
        while any(sample.finish is None for sample in samples):
            logits, cache = network.forward(unread, keep=1, cache=cache)
            logprobs = log_softmax(logits[:, -1])
            ids = self._choose(logprobs, generator)
            for sample, id, logprob in zip(samples, ids, picked(logprobs, ids), strict=True):
                self._extend(sample, id, logprob)
            unread = [[id] for id in ids]
        return Samples(samples, cached)

    def _choose(self, logprobs: Tensor, generator: Generator) -> list[int]:
        import torch

        if self.temperature == 0:
            return [int(id) for id in logprobs.argmax(dim=-1).tolist()]
        # Drawn on the processor, so that a seed means the same on every device.
        probabilities = torch.softmax(logprobs.cpu() / self.temperature, dim=-1)
        return [int(id) for id in torch.multinomial(probabilities, 1, generator=generator)[:, 0].tolist()]

    def _extend(self, sample: Sample, id: int, logprob: float) -> None:
        if sample.finish is not None:
            return
        sample.ids.append(id)
        sample.logprobs.append(logprob)
        if id in self.end_ids:
            sample.finish = "stop"
        elif len(sample.ids) == self.max_tokens:
            sample.finish = "length"
        if self.stop or sample.finish:
            sample.text = self.decode(sample.ids)
        sample.text, stopped = cut_at_stop(sample.text, self.stop)
        if stopped:
            sample.finish = "stop"


def _generator(seed: int | None) -> Generator:
    import torch

    generator = torch.Generator()
    if seed is None:
        generator.seed()
    else:
        generator.manual_seed(seed)
    return generator
