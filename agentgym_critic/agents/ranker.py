"""`LMRanker`: a language model that picks the listed action it finds most likely."""

from __future__ import annotations

import math
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from agentgym_critic.agents.calls import call_seed
from agentgym_critic.agents.choices import choices
from agentgym_critic.agents.matching import shortened
from agentgym_critic.agents.prompt import chat, check_system, template, wording
from agentgym_critic.agents.window import Window
from agentgym_critic.errors import AgentError, ConfigError
from agentgym_critic.lm.base import LanguageModel, Message, ScoredText, user
from agentgym_critic.lm.meter import MeteredLM
from agentgym_critic.prompts import fill, one_line, quote
from agentgym_critic.types import Action, Turn

__all__ = ["LMRanker"]


class LMRanker:
    """Scores every admissible action as the assistant's answer and picks the best.

    Always legal, never misread, and one call a turn, which makes it the agent for small models.
    Actions the gate handed back are not picked again while there are others.

    Args:
        lm: the model; it must be able to score.
        normalize: ``"mean"`` divides an action's log-probability by its tokens, so that long
            actions are not at a disadvantage; ``"sum"`` is the probability of the whole action.
        temperature: 0 picks the best; above, actions are sampled by the softmax of their scores
            divided by it.
        system: the system message, with the place ``{{task}}``, instead of the packaged one.

    Raises:
        ConfigError: a setting is out of range, or the system message has other places.
    """

    def __init__(
        self,
        lm: LanguageModel,
        *,
        normalize: Literal["mean", "sum"] = "mean",
        temperature: float = 0.0,
        system: str | None = None,
    ) -> None:
        if normalize not in ("mean", "sum"):
            raise ConfigError(f"normalize is 'mean' or 'sum', got {normalize!r}")
        if not 0 <= temperature < math.inf:
            raise ConfigError(f"temperature is at least 0, got {temperature}")
        self._lm, self._normalize, self._temperature = lm, normalize, temperature
        self._system = check_system(template("rank_system") if system is None else system, {"task"})
        self.reset(0)

    @property
    def id(self) -> str:
        """Model, settings and a fingerprint of the prompts."""
        return (
            f"lm-rank({self._lm.id}, normalize={self._normalize}, temperature={self._temperature:g}, "
            f"prompts={wording(self._system)})"
        )

    def reset(self, seed: int) -> None:
        """Forget the last episode; sample the next one from `seed`."""
        self._seed = seed
        self._window = Window(self._lm)

    def propose(self, turn: Turn) -> Action:
        """The best action, or one sampled by the scores.

        Raises:
            AgentError: the actions cannot be listed, or the model's scores are no numbers.
            LMContextError: the turn alone does not fit the model.
            LMError: the model failed or cannot score.
        """
        return self.propose_alternatives(turn, 1)[0]

    def propose_alternatives(self, turn: Turn, n: int) -> list[Action]:
        """The `n` best actions, or `n` sampled by the scores without replacement, best first.

        The first action carries the cost of the whole call.

        Raises:
            AgentError: the actions cannot be listed, or the model's scores are no numbers.
            LMContextError: the turn alone does not fit the model.
            LMError: the model failed or cannot score.
        """
        candidates = tuple(dict.fromkeys(choices(turn, self.id)))
        lm = MeteredLM(self._lm)
        scored = lm.score(self._messages(turn, candidates), candidates)
        ranked = [self._action(scored[place]) for place in self._order(turn, scored)[:n]]
        return [msgspec.structs.replace(ranked[0], cost=lm.cost), *ranked[1:]]

    def messages(self, turn: Turn) -> list[Message]:
        """The prompt for a turn, as much of the episode as fits the model.

        Raises:
            AgentError: the actions cannot be listed.
            LMContextError: the turn alone does not fit.
        """
        return self._messages(turn, choices(turn, self.id))

    def _messages(self, turn: Turn, candidates: tuple[str, ...]) -> list[Message]:
        system = fill(self._system, task=quote(turn.task))
        longest = self._lm.count_tokens([user(max(candidates, key=len))])
        return self._window.fit(lambda dropped: chat(turn, system, _answer, dropped), len(turn.history), longest)

    def _order(self, turn: Turn, scored: list[ScoredText]) -> list[int]:
        """Places of the actions, best first; earlier ones first among equals."""
        keys = np.array([self._value(text) for text in scored])
        if self._temperature > 0:
            keys = keys / self._temperature + _gumbel(call_seed(self._seed, turn), len(scored))
        return [int(place) for place in np.argsort(-keys, kind="stable")]

    def _value(self, scored: ScoredText) -> float:
        total = math.fsum(scored.logprobs)
        if not scored.logprobs or not math.isfinite(total):
            raise AgentError(
                f"{self._lm.id} gave the action {scored.text!r} the log-probabilities {scored.logprobs}", self.id
            )
        return total / len(scored.logprobs) if self._normalize == "mean" else total

    def _action(self, scored: ScoredText) -> Action:
        return Action(
            text=scored.text,
            raw=scored.text,
            token_ids=scored.token_ids,
            # Some servers tell log-probabilities but no ids; an action's belong to its ids.
            logprobs=scored.logprobs if scored.token_ids else (),
            dropped_turns=self._window.dropped,
        )


def _answer(step: int, action: str) -> str:
    return shortened(one_line(action))


def _gumbel(seed: int, size: int) -> NDArray[np.float64]:
    """Noise float64 `[size]`: the order of softmax logits plus it is a draw without replacement.

    The Gumbel-max trick: Gumbel (1954), Statistical Theory of Extreme Values; for draws without
    replacement Kool et al. (2019), https://arxiv.org/abs/1903.06059.
    """
    return np.random.default_rng(seed).gumbel(size=size)
