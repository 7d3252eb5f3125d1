"""`LMAgent`: a language model that thinks and answers an action in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from agentgym_critic.agents.calls import call_seed
from agentgym_critic.agents.matching import LONGEST_ACTION, shortened
from agentgym_critic.agents.prompt import chat, check_system, explained, template, wording
from agentgym_critic.agents.reply import ReplyForm
from agentgym_critic.agents.window import Window
from agentgym_critic.errors import ConfigError, LMContextError
from agentgym_critic.lm.base import Completion, LanguageModel, Message
from agentgym_critic.lm.meter import MeteredLM
from agentgym_critic.prompts import fill, one_line, quote
from agentgym_critic.types import Action, Turn, clean_text

__all__ = ["LMAgent"]

STOP = ("\n| ",)
"""A model that begins to imagine the game's answer, which prompts quote in such lines, is stopped."""

ALTERNATIVES_TEMPERATURE = 0.8
"""For several proposals at once where the agent itself is greedy."""


class LMAgent:
    """Prompts a language model with the episode so far and reads the action from its reply.

    A reply from which no action can be read is explained back to the model a few times, within
    the same turn. If none can be read after that, the raw reply itself is proposed, with
    `Action.problem` set: the environment refuses it, and the step counts.

    Args:
        lm: the model.
        temperature: of its sampling; 0 is greedy.
        max_tokens: longest reply, in tokens.
        thought: whether it is asked for a thought before the action.
        retries: how often an unreadable reply is explained back.
        system: the system message, with the places ``{{task}}`` and ``{{form}}``, instead of
            the packaged one.

    Raises:
        ConfigError: a setting is out of range, or the system message has other places.
    """

    def __init__(
        self,
        lm: LanguageModel,
        *,
        temperature: float = 0.7,
        max_tokens: int = 200,
        thought: bool = True,
        retries: int = 2,
        system: str | None = None,
    ) -> None:
        if not temperature >= 0 or max_tokens < 1 or retries < 0:
            raise ConfigError(
                "temperature and retries are at least 0 and max_tokens at least 1; "
                f"got temperature={temperature}, retries={retries}, max_tokens={max_tokens}"
            )
        self._lm = lm
        self._temperature, self._max_tokens, self._retries = temperature, max_tokens, retries
        self._form = ReplyForm(thought)
        self._system = check_system(template("lm_system") if system is None else system, {"task", "form"})
        self.reset(0)

    @property
    def id(self) -> str:
        """Model, settings and a fingerprint of the prompts."""
        return (
            f"lm({self._lm.id}, temperature={self._temperature:g}, max_tokens={self._max_tokens}, "
            f"thought={self._form.thought}, retries={self._retries}, prompts={wording(self._system)})"
        )

    def reset(self, seed: int) -> None:
        """Forget the last episode; sample the next one from `seed`."""
        self._seed = seed
        self._window = Window(self._lm)
        self._said: dict[tuple[int, str], str] = {}

    def propose(self, turn: Turn) -> Action:
        """The action the model answers.

        Raises:
            LMContextError: the turn alone does not fit the model.
            LMError: the model failed.
        """
        lm, messages = MeteredLM(self._lm), self.messages(turn)
        action = self._ask(lm, messages, turn)
        for attempt in range(1, self._retries + 1):
            if not action.problem:
                break
            messages = explained(messages, action.raw, action.problem)
            try:
                action = self._ask(lm, messages, turn, attempt)
            except LMContextError:  # no room left to explain
                break
        return msgspec.structs.replace(action, cost=lm.cost)

    def propose_alternatives(self, turn: Turn, n: int) -> list[Action]:
        """Up to `n` different actions from `n` replies sampled at once, the most frequent first.

        Unreadable replies are left out, unless all are: then the first one is proposed. The
        first action carries the cost of the whole call.

        Raises:
            LMContextError: the turn alone does not fit the model.
            LMError: the model failed.
        """
        lm, temperature = MeteredLM(self._lm), self._temperature or ALTERNATIVES_TEMPERATURE
        completions = self._generate(lm, self.messages(turn), turn, n=n, temperature=temperature)
        actions = [self._read(turn, completion) for completion in completions]
        readable = [action for action in actions if not action.problem] or actions[:1]
        first_of = {action.text: action for action in reversed(readable)}
        best, *rest = [first_of[text] for text, _ in Counter(action.text for action in readable).most_common()]
        return [msgspec.structs.replace(best, cost=lm.cost), *rest]

    def messages(self, turn: Turn) -> list[Message]:
        """The prompt for a turn, as much of the episode as fits the model.

        Raises:
            LMContextError: the turn alone does not fit.
        """
        system = fill(self._system, task=quote(turn.task), form=self._form.instructions)
        return self._window.fit(
            lambda dropped: chat(turn, system, self._answer, dropped), len(turn.history), self._max_tokens
        )

    def _answer(self, step: int, action: str) -> str:
        """The model's own words where it said them in this episode, so that its prefix cache holds."""
        return self._said.get((step, action)) or self._form.write(shortened(one_line(action)))

    def _ask(self, lm: MeteredLM, messages: Sequence[Message], turn: Turn, attempt: int = 0) -> Action:
        (completion,) = self._generate(lm, messages, turn, attempt=attempt, temperature=self._temperature)
        return self._read(turn, completion)

    def _generate(
        self,
        lm: MeteredLM,
        messages: Sequence[Message],
        turn: Turn,
        *,
        temperature: float,
        n: int = 1,
        attempt: int = 0,
    ) -> list[Completion]:
        return lm.generate(
            messages,
            n=n,
            max_tokens=self._max_tokens,
            temperature=temperature,
            seed=call_seed(self._seed, turn, attempt),
            stop=STOP,
        )

    def _read(self, turn: Turn, completion: Completion) -> Action:
        raw = clean_text(completion.text)
        reply = self._form.read(raw, turn.admissible_actions)
        if not reply.problem:
            self._said[turn.index, reply.action] = raw
        return Action(
            text=raw[: 2 * LONGEST_ACTION] if reply.problem else reply.action,
            thought=reply.thought,
            raw=raw,
            token_ids=completion.token_ids,
            logprobs=completion.logprobs,
            problem=reply.problem,
            dropped_turns=self._window.dropped,
        )
