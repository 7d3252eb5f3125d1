"""`GroupwiseCritic`: ranks all proposals of a turn in one call."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, get_args

import msgspec
import numpy as np

from agentgym_critic.critics.calls import asked, read_reply
from agentgym_critic.critics.echo import ECHO_RULE, uncopied
from agentgym_critic.critics.reply import UnreadableReplyError, read_object, read_percent
from agentgym_critic.critics.scene import JudgePrompt
from agentgym_critic.critics.templates import template
from agentgym_critic.errors import ConfigError
from agentgym_critic.lm.base import LanguageModel, Message, user
from agentgym_critic.lm.meter import MeteredLM
from agentgym_critic.prompts import fill, fingerprint, one_line
from agentgym_critic.types import Action, Experience, Turn, Verdict

__all__ = ["GroupwiseCritic", "PFrom"]

PFrom = Literal["confidence", "rank"]


class GroupwiseCritic:
    """A model that compares the candidates of a turn: a rank and a confidence for each, from one reply.

    With ``p_from="confidence"`` p is a hundredth of the confidence; with ``"rank"``, for models whose
    numbers mean nothing, p is ``1 - (rank - 0.5) / n``, so that one candidate alone gets 0.5. `dimensions`
    holds the rank, from 1. The candidates are shown in an order of their own, drawn from seed and turn, so
    that a model's liking for early places does not favour the agent's first proposal. Equal proposals are
    shown once. One unreadable reply leaves all unscored; its cost is written to the first.

    Args:
        lm: generates.
        p_from: what p is made of.
        tokens_per_action: longest reply, for each candidate.
        temperature: 0 is greedy.
        seed: of the sampling and the order.
        retries: how often an unreadable reply is sent back.
        history_steps: show only this many of the latest steps; None for all.

    Raises:
        ConfigError: a setting is out of range.
    """

    id = "groupwise"
    recall_k = 0

    def __init__(
        self,
        lm: LanguageModel,
        *,
        p_from: PFrom = "confidence",
        tokens_per_action: int = 64,
        temperature: float = 0.0,
        seed: int = 0,
        retries: int = 1,
        history_steps: int | None = None,
    ) -> None:
        if p_from not in get_args(PFrom) or tokens_per_action < 1 or retries < 0 or seed < 0:
            raise ConfigError(
                "p_from is confidence or rank, tokens_per_action at least 1, retries and seed at least 0; got "
                f"{p_from!r}, {tokens_per_action}, {retries} and {seed}"
            )
        self._lm, self._p_from, self._seed, self._retries = lm, p_from, seed, retries
        self._tokens_per_action, self._temperature = tokens_per_action, temperature
        self._prompt = JudgePrompt(question="groupwise", history_steps=history_steps)

    @property
    def version(self) -> str:
        """The model's id and a fingerprint of prompts and settings."""
        settings = (self._p_from, self._tokens_per_action, self._temperature, self._seed, self._retries, ECHO_RULE)
        return f"{self._lm.id}:{fingerprint(self._prompt.fingerprint, template('retry'), settings)}"

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        """One verdict for each action, from one call of the model, and one more per retry."""
        return asked(self, self._lm, len(actions), partial(self._judge, turn, actions))

    def _judge(self, turn: Turn, actions: Sequence[Action], lm: MeteredLM) -> list[Verdict]:
        shown = self._order(turn, actions)
        messages = self._messages(turn, shown)
        sampling: dict[str, Any] = {
            "max_tokens": 32 + self._tokens_per_action * len(shown),
            "temperature": self._temperature,
            "seed": self._seed,
        }
        reply = lm.generate(messages, **sampling)[0].text
        reader = uncopied(partial(_read, count=len(shown)), messages)
        ranking = read_reply(lm, messages, reply, reader, retries=self._retries, **sampling)
        verdicts = {shown[each.action - 1]: self._verdict(each, rank, len(shown)) for rank, each in enumerate(ranking)}
        return [verdicts[one_line(action.text)] for action in actions]

    def _order(self, turn: Turn, actions: Sequence[Action]) -> list[str]:
        """The different texts, in the order in which they are shown."""
        texts = sorted({one_line(action.text) for action in actions})
        places = np.random.default_rng([self._seed, turn.index]).permutation(len(texts))
        return [texts[place] for place in places]

    def _messages(self, turn: Turn, shown: Sequence[str]) -> list[Message]:
        """The usual prompt, with a numbered list in place of the one action."""
        listing = Action(text="\n".join(f"{number}. {text}" for number, text in enumerate(shown, start=1)))
        (message,) = self._prompt.messages(turn, listing)
        head = message.content.removesuffix(template("groupwise"))
        return [user(head + fill(template("groupwise"), count=str(len(shown))))]

    def _verdict(self, said: _Ranked, place: int, count: int) -> Verdict:
        return Verdict(
            p=said.confidence / 100 if self._p_from == "confidence" else 1 - (place + 0.5) / count,
            critic=self.id,
            version=self.version,
            critique=said.reason.strip(),
            dimensions={"rank": place + 1.0},
        )


class _Ranked(msgspec.Struct, frozen=True):
    action: int
    """Number, from 1."""
    reason: str
    confidence: float


class _Ranking(msgspec.Struct, frozen=True):
    ranking: list[_Ranked]


def _read(reply: str, count: int) -> list[_Ranked]:
    """The ranking of exactly the numbers 1 to `count`, best first."""
    ranking = read_object(reply, "ranking", _Ranking).ranking
    numbers = [each.action for each in ranking]
    if sorted(numbers) != list(range(1, count + 1)):
        raise UnreadableReplyError(
            "wrong_count", f"the ranking holds the numbers 1 to {count} once each; got {numbers[:20]}."
        )
    for each in ranking:
        read_percent("confidence", each.confidence)
    return ranking
