"""`LikelihoodCritic`: how likely a language model finds the proposed action, in four measures.

The classic baselines of confidence: they tell how surprising a text is, not whether it helps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Literal, get_args

from agentgym_critic.critics.calls import asked
from agentgym_critic.critics.player import PlayerPrompt
from agentgym_critic.critics.reply import UnreadableReplyError
from agentgym_critic.errors import ConfigError, LMError, OutOfRangeError
from agentgym_critic.lm.base import LanguageModel
from agentgym_critic.lm.meter import MeteredLM
from agentgym_critic.prompts import fingerprint, one_line
from agentgym_critic.types import Action, Experience, Turn, Verdict

__all__ = ["LikelihoodCritic", "Measure"]

Measure = Literal["sequence", "joint", "perplexity", "entropy"]

_ROUNDING = 1e-3
"""Log-probabilities may be this much above 0, by the rounding of half precision."""


class LikelihoodCritic:
    """p by how likely the model finds the action as the player's next reply.

    With ``l`` the log-probabilities of the action's n tokens given the turn:

    - ``sequence``: ``exp(mean l)``, the length-normalised probability; p is the value.
    - ``joint``: ``exp(sum l)``, the probability of the whole action; p is the value.
    - ``perplexity``: ``exp(-mean l)``, from 1; ``p = 1 / (1 + (value - 1) / perplexity_scale)``.
    - ``entropy``: of a token of the model's own replies, mean, in nats; ``p = exp(-value / entropy_scale)``.

    Sequence and perplexity order actions alike; with ``perplexity_scale=1`` they are the same. The entropy is
    estimated without bias from `samples` replies at temperature 1, ``-(sum of all l) / (number of tokens)``,
    since models tell no entropies: it says how undecided the model is at the turn, and is the same
    for all proposals of it.

    An action that carries its own log-probabilities (of the whole reply it was read from, a thought
    included) is not scored again, unless `own_logprobs` is False. `dimensions` holds the value and the
    number of tokens.

    Args:
        lm: scores; for the entropy, generates and tells the log-probabilities.
        measure: one of the four.
        own_logprobs: whether an action's own log-probabilities are used where it has them.
        perplexity_scale: the perplexity above 1 at which p is 0.5; chosen by hand.
        entropy_scale: the entropy, in nats, at which p is 1/e; chosen by hand.
        samples: replies for the entropy.
        max_tokens: longest reply for the entropy.
        seed: of the sampling.
        history_steps: show only this many of the latest steps; None for all.

    Raises:
        ConfigError: a setting is out of range.
    """

    id = "likelihood"
    recall_k = 0

    def __init__(
        self,
        lm: LanguageModel,
        measure: Measure = "sequence",
        *,
        own_logprobs: bool = True,
        perplexity_scale: float = 10.0,
        entropy_scale: float = 1.0,
        samples: int = 5,
        max_tokens: int = 32,
        seed: int = 0,
        history_steps: int | None = None,
    ) -> None:
        if measure not in get_args(Measure):
            raise ConfigError(f"measure is one of {', '.join(get_args(Measure))}; got {measure!r}")
        if not perplexity_scale > 0 or not entropy_scale > 0 or samples < 1 or max_tokens < 1:
            raise ConfigError(
                "perplexity_scale and entropy_scale are above 0, samples and max_tokens at least 1; got "
                f"{perplexity_scale}, {entropy_scale}, {samples} and {max_tokens}"
            )
        self._lm, self._measure, self._own = lm, measure, own_logprobs
        self._perplexity_scale, self._entropy_scale = perplexity_scale, entropy_scale
        self._samples, self._max_tokens, self._seed = samples, max_tokens, seed
        self._prompt = PlayerPrompt(history_steps=history_steps)

    @property
    def version(self) -> str:
        """The model's id and a fingerprint of prompts and settings."""
        scales = (self._perplexity_scale, self._entropy_scale)
        settings = (self._measure, self._own, scales, self._samples, self._max_tokens, self._seed)
        return f"{self._lm.id}:{fingerprint(self._prompt.fingerprint, settings)}"

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        """One verdict for each action; one call of the model each, or one for all with the entropy."""
        if self._measure == "entropy":
            return asked(self, self._lm, len(actions), partial(self._undecided, turn, len(actions)))
        return [asked(self, self._lm, 1, partial(self._surprise, turn, action))[0] for action in actions]

    def _undecided(self, turn: Turn, count: int, lm: MeteredLM) -> list[Verdict]:
        replies = lm.generate(
            self._prompt.messages(turn), n=self._samples, max_tokens=self._max_tokens, temperature=1.0, seed=self._seed
        )
        logprobs = [each for reply in replies for each in reply.logprobs]
        if not logprobs:
            raise LMError(f"{self._lm.id} tells no log-probabilities of what it samples", self._lm.id)
        return [self._verdict(logprobs)] * count

    def _surprise(self, turn: Turn, action: Action, lm: MeteredLM) -> list[Verdict]:
        if self._own and action.logprobs:
            return [self._verdict(action.logprobs)]
        if not (text := one_line(action.text)):
            raise UnreadableReplyError("empty", "the proposed action is empty, so it has no probability")
        return [self._verdict(lm.score(self._prompt.messages(turn), [text])[0].logprobs)]

    def _verdict(self, logprobs: Sequence[float]) -> Verdict:
        total = math.fsum(logprobs)
        if not logprobs or not math.isfinite(total) or total > _ROUNDING * len(logprobs):
            raise OutOfRangeError(f"{self._lm.id} gave the log-probabilities {list(logprobs[:5])}")
        value, p = self._valued(min(0.0, total), len(logprobs))
        return Verdict(
            p=p,
            critic=self.id,
            version=self.version,
            critique=f"Its {_NAMES[self._measure]} under the model is {value:.3g}.",
            dimensions={self._measure: value, "tokens": float(len(logprobs))},
        )

    def _valued(self, total: float, tokens: int) -> tuple[float, float]:
        """The measure, and the p it becomes."""
        surprise = min(-total / tokens, _MOST_SURPRISE)
        if self._measure == "perplexity":
            return math.exp(surprise), 1 / (1 + math.expm1(surprise) / self._perplexity_scale)
        if self._measure == "entropy":
            return surprise, math.exp(-surprise / self._entropy_scale)
        value = math.exp(-surprise if self._measure == "sequence" else total)
        return value, value


_NAMES: dict[Measure, str] = {
    "sequence": "probability a token",
    "joint": "probability",
    "perplexity": "perplexity",
    "entropy": "mean entropy a token",
}

_MOST_SURPRISE = 700.0
"""Nats a token, so that its exponential is finite."""
