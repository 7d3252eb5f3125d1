"""A language model that says what an episode achieved instead of its task."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec

from agentgym_critic.critics.achievements import Achievement
from agentgym_critic.critics.calls import read_reply
from agentgym_critic.critics.echo import ECHO_RULE, uncopied
from agentgym_critic.critics.episode import episode_prompt
from agentgym_critic.critics.reply import UnreadableReplyError, read_object
from agentgym_critic.critics.templates import template
from agentgym_critic.errors import ConfigError, LMError
from agentgym_critic.lm.base import LanguageModel
from agentgym_critic.lm.meter import MeteredLM
from agentgym_critic.prompts import fingerprint, one_line
from agentgym_critic.types import Cost, Trajectory

__all__ = ["MAX_GOAL_CHARS", "AchievedGoal", "Found"]

MAX_GOAL_CHARS = 400
"""A longer goal is refused: it is a story, or a copy of what was seen."""


class Found(NamedTuple):
    """What was said of an episode."""

    achievement: Achievement | None
    cost: Cost = Cost()
    error: LMError | None = None
    """Why nothing was said."""


class _Said(msgspec.Struct, frozen=True):
    achieved: str | None
    step: int | None


class AchievedGoal:
    """One call an episode. An episode that does not fit the model's context is left alone.

    Args:
        lm: generates.
        temperature: of the sampling; 0 is greedy.
        seed: of the sampling.
        retries: how often an unreadable reply is sent back.
        max_tokens: longest reply.

    Raises:
        ConfigError: a number makes no sense.
    """

    def __init__(
        self, lm: LanguageModel, *, temperature: float = 0.0, seed: int = 0, retries: int = 1, max_tokens: int = 160
    ) -> None:
        if retries < 0 or max_tokens < 1:
            raise ConfigError(f"retries is at least 0 and max_tokens at least 1, got {retries} and {max_tokens}")
        self._lm, self._seed, self._retries = lm, seed, retries
        self._sampling: dict[str, Any] = {"temperature": temperature, "max_tokens": max_tokens}

    @property
    def version(self) -> str:
        """The model's id and a fingerprint of prompts and settings."""
        settings = (self._sampling, self._seed, self._retries, ECHO_RULE)
        return f"{self._lm.id}:{fingerprint(template('relabel'), template('retry'), settings)}"

    def find(self, trajectory: Trajectory) -> Found:
        """What an episode of at least one step achieved."""
        lm = MeteredLM(self._lm)
        messages = episode_prompt("relabel", trajectory, trajectory.steps)
        numbers = [step.index + 1 for step in trajectory.steps]
        read = uncopied(partial(_read, numbers=numbers), messages)
        try:
            reply = lm.generate(messages, seed=self._seed, **self._sampling)[0].text
            said = read_reply(lm, messages, reply, read, retries=self._retries, seed=self._seed + 1, **self._sampling)
        except LMError as error:
            return Found(None, lm.cost, error)
        return Found(said, lm.cost)


def _read(reply: str, numbers: Sequence[int]) -> Achievement | None:
    said = read_object(reply, "achieved", _Said)
    if said.achieved is None and said.step is None:
        return None
    goal = one_line(said.achieved or "")
    if not goal or len(goal) > MAX_GOAL_CHARS:
        raise UnreadableReplyError(
            "unparsable", f"achieved is a sentence of 1 to {MAX_GOAL_CHARS} characters, or null as step then is too."
        )
    if said.step not in numbers:
        raise UnreadableReplyError(
            "wrong_count", f"step is the number of a step, {numbers[0]} to {numbers[-1]}; got {said.step}."
        )
    return Achievement(goal, numbers.index(said.step))
