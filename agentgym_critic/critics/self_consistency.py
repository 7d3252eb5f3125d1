"""`SelfConsistencyCritic`: how often a language model that is asked again says the same.

Self-consistency (Wang et al. 2022, arXiv 2203.11171) as a measure of confidence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, TypeVar, get_args

from agentgym_critic.critics.calls import asked, read_reply
from agentgym_critic.critics.echo import ECHO_RULE, uncopied
from agentgym_critic.critics.player import PlayerPrompt, plain, read_action
from agentgym_critic.critics.reply import read_judgement
from agentgym_critic.critics.scene import JudgePrompt
from agentgym_critic.critics.templates import template
from agentgym_critic.errors import ConfigError, LMError
from agentgym_critic.lm.base import LanguageModel, Message
from agentgym_critic.lm.meter import MeteredLM
from agentgym_critic.prompts import fingerprint
from agentgym_critic.types import Action, Experience, Turn, Verdict

__all__ = ["SampleOf", "SelfConsistencyCritic"]

SampleOf = Literal["actions", "confidences"]

T = TypeVar("T")


class SelfConsistencyCritic:
    """Samples `samples` replies and compares, or averages, them.

    With ``of="actions"`` the model is asked for the player's next action, once for all proposals of a turn,
    and p is the share of the sampled actions that are the proposed one, but for case and spacing; a reply ends
    with its first line. With
    ``of="confidences"`` it is asked about each proposal as `VerbalizedCritic` asks, and p is the mean of the
    sampled confidences. `votes` holds what each sample says, None where it cannot be read, even after it
    was sent back once; such a one counts nothing, and where all are, the action is unscored.

    Args:
        lm: generates.
        samples: how many replies, at least 1.
        of: what is sampled.
        temperature: of the sampling, above 0 for several samples.
        seed: of the sampling.
        retries: how often an unreadable reply is sent back.
        max_tokens: longest reply; None for 32 with actions and 200 with confidences.
        history_steps: show only this many of the latest steps; None for all.

    Raises:
        ConfigError: a setting is out of range.
    """

    id = "self-consistency"
    recall_k = 0

    def __init__(
        self,
        lm: LanguageModel,
        samples: int = 5,
        *,
        of: SampleOf = "actions",
        temperature: float = 0.7,
        seed: int = 0,
        retries: int = 1,
        max_tokens: int | None = None,
        history_steps: int | None = None,
    ) -> None:
        if of not in get_args(SampleOf) or samples < 1 or retries < 0:
            raise ConfigError(
                f"of is actions or confidences, samples at least 1 and retries at least 0; got {of!r}, {samples} "
                f"and {retries}"
            )
        if samples > 1 and not temperature > 0:
            raise ConfigError(
                f"{samples} samples at temperature {temperature:g} would all be the same; raise it or ask for 1"
            )
        self._lm, self._of, self._samples, self._retries, self._seed = lm, of, samples, retries, seed
        self._sampling: dict[str, Any] = {
            "max_tokens": max_tokens or (32 if of == "actions" else 200),
            "temperature": temperature,
            "stop": ("\n",) if of == "actions" else (),
        }
        self._player = PlayerPrompt(history_steps=history_steps)
        self._question = JudgePrompt(question="verbalized", history_steps=history_steps)

    @property
    def version(self) -> str:
        """The model's id and a fingerprint of prompts and settings."""
        asks_player = self._of == "actions"
        prompt = self._player.fingerprint if asks_player else self._question.fingerprint
        retry = template("player_retry" if asks_player else "retry")
        settings = (self._samples, self._sampling, self._seed, self._retries, ECHO_RULE)
        return f"{self._lm.id}:{fingerprint(prompt, retry, settings)}"

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        """One verdict for each action; the cost of actions sampled for all of them is the first one's."""
        if self._of == "actions":
            return asked(self, self._lm, len(actions), partial(self._compare, turn, actions))
        return [asked(self, self._lm, 1, partial(self._average, turn, action))[0] for action in actions]

    def _compare(self, turn: Turn, actions: Sequence[Action], lm: MeteredLM) -> list[Verdict]:
        reader = partial(read_action, admissible=turn.admissible_actions)
        sampled = self._sample(lm, self._player.messages(turn), reader, complaint="player_retry")
        return [self._verdict(_votes(sampled, action), "of the sampled actions are this one") for action in actions]

    def _average(self, turn: Turn, action: Action, lm: MeteredLM) -> list[Verdict]:
        messages = self._question.messages(turn, action)
        sampled = self._sample(lm, messages, uncopied(read_judgement, messages), complaint="retry")
        votes = [None if each is None else each.p for each in sampled]
        return [self._verdict(votes, "is the mean of the sampled confidences")]

    def _sample(
        self, lm: MeteredLM, messages: list[Message], reader: Callable[[str], T], *, complaint: str
    ) -> list[T | None]:
        """What each sample says, None where it cannot be read; raises if none can."""
        replies = lm.generate(messages, n=self._samples, seed=self._seed, **self._sampling)
        read: list[T | None] = []
        failed: LMError | None = None
        for place, reply in enumerate(replies):
            seed = self._seed + self._samples + place
            try:
                read.append(
                    read_reply(
                        lm,
                        messages,
                        reply.text,
                        reader,
                        retries=self._retries,
                        complaint=complaint,
                        seed=seed,
                        **self._sampling,
                    )
                )
            except LMError as error:
                read.append(None)
                failed = failed or error
        if failed and all(each is None for each in read):
            raise failed
        return read

    def _verdict(self, votes: Sequence[float | None], what: str) -> Verdict:
        counted = [vote for vote in votes if vote is not None]
        p = min(1.0, math.fsum(counted) / len(counted))
        return Verdict(
            p=p,
            critic=self.id,
            version=self.version,
            critique=f"{p:.0%} {what} ({len(counted)} samples).",
            votes=tuple(votes),
        )


def _votes(sampled: Sequence[str | None], action: Action) -> list[float | None]:
    return [None if each is None else float(plain(each) == plain(action.text)) for each in sampled]
