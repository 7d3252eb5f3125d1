"""`SearchEnv`: questions answered by searching, as a text environment. All else is elsewhere in this folder."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from agentgym_critic.envs.base import Outcome, TextEnv
from agentgym_critic.envs.ranges import whole
from agentgym_critic.envs.search.index import Index
from agentgym_critic.envs.search.library import Document, Question
from agentgym_critic.envs.search.planner import Planner
from agentgym_critic.envs.search.scoring import Score, normalized, score
from agentgym_critic.envs.search.sources import by_hops, find_library
from agentgym_critic.errors import ConfigError, EnvError, UnknownIdError
from agentgym_critic.types import Oracle

__all__ = ["SearchEnv"]

_ACTION = re.compile(r"(search|answer)\[(.*)\]", re.DOTALL)
_NUMBER = re.compile(r"\b[0-9]+\b")
_FORM = "An action is search[words] or answer[text]."
REWARDS = ("em", "f1")


class _Moment(NamedTuple):
    """All that changes during an episode."""

    shown: frozenset[int] = frozenset()
    """Documents that searches have shown."""
    query: str | None = None
    found: tuple[int, ...] = ()
    """What the last search found."""
    answer: str | None = None


class SearchEnv(TextEnv):
    """Answer a question whose answer takes several documents; search for them first.

    Actions are ``search[words]``, which shows the documents that fit best, and ``answer[text]``, which ends the
    episode. It counts as success if the answer matches exactly. `info` has besides ``score``: exact match and F1
    of the answer, or None before it.

    Args:
        path: a file of documents and questions, see `read_library`; None generates them.
        corpus_seed: of a generated world; None for 0.
        size: documents of a generated world; None for 100.
        hops: the fewest and the most documents that a question of a generated world stands on; None for 2 and 4.
        shown_at_once: documents that a search shows, at most.
        reward: ``"em"`` or ``"f1"``, the score that is given for the answer.
        grounded: whether an answer counts only if all documents it stands on were shown.
        listed: whether only searches for titles, and answers, that were named are possible; they are then listed as
            admissible. If anything may be searched for, actions cannot be listed.
        max_steps: steps until the episode is truncated; None for no limit.
        render_mode: ``"ansi"`` or None.

    Raises:
        ConfigError: a setting, or a line of the file, is refused.
        MissingDataError: there is no such file.
    """

    episode_options = frozenset({"question"})

    def __init__(
        self,
        *,
        path: str | os.PathLike[str] | None = None,
        corpus_seed: int | None = None,
        size: int | None = None,
        hops: Sequence[int] | None = None,
        shown_at_once: int = 3,
        reward: str = "em",
        grounded: bool = False,
        listed: bool = False,
        max_steps: int | None = 20,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(max_steps=max_steps, render_mode=render_mode)
        whole("shown_at_once", shown_at_once, 1, 20)
        if reward not in REWARDS:
            raise UnknownIdError("reward", reward, REWARDS)
        self.library = find_library(path, corpus_seed, size, hops)
        self.shown_at_once, self.reward, self.grounded, self.listed = shown_at_once, reward, grounded, listed
        self.env_version = f"1, {self.library.name}"
        self._index = _index(self.library.documents)
        self._planner = Planner(self.library, self._index, shown_at_once, all_titles=listed)
        if listed and path is not None:
            self._require_beginnings()
            self._require_answers()
        self._questions = {each.id: each for each in self.library.questions}
        self._by_hops = by_hops(self.library.questions)
        self._asked: Question | None = None
        self._now = _Moment()

    def oracle(self) -> Oracle | None:
        """The searches that begin a shortest way to all support, and its length with the answer.

        See `Planner`. It is exact if actions are listed and answers must be grounded: otherwise an answer can
        be guessed, or other words be searched for. None once the episode is over without success.
        """
        question, now = self._playing(), self._now
        if self._success:
            return Oracle(actions=(), steps_left=0)
        left = self._planner.searches_left(question, now.shown)
        if left is None or now.answer is not None or not self._running:
            return None
        titles = self._planner.next_titles(question, now.shown)
        actions = tuple(f"search[{title}]" for title in titles) or self._right_answers(question)
        return Oracle(actions=actions, steps_left=left + 1, exact=self.listed and self.grounded)

    def __getstate__(self) -> dict[str, Any]:
        """All but what the planner has worked out."""
        return self.__dict__ | {"_planner": None, "_index": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """The index is shared again, the planner starts anew."""
        self.__dict__.update(state)
        self._index = _index(self.library.documents)
        self._planner = Planner(self.library, self._index, self.shown_at_once, all_titles=self.listed)

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        self._asked = self._questions[options["question"]] if "question" in options else self._drawn(rng)
        self._now = _Moment()
        return self._view()

    def _drawn(self, rng: np.random.Generator) -> Question:
        """A question: first how many documents it stands on, then which."""
        questions = self._by_hops[int(rng.integers(len(self._by_hops)))]
        return questions[int(rng.integers(len(questions)))]

    def _check_options(self, options: dict[str, Any]) -> None:
        super()._check_options(options)
        name = options.get("question", self.library.questions[0].id)
        if not isinstance(name, str) or name not in self._questions:
            raise UnknownIdError("question", name, self._questions)

    def _act(self, action: str) -> Outcome:
        verb, said = _parsed(action)
        if verb == "answer":
            return self._end(said)
        found = self._index.search(said, self.shown_at_once)
        self._now = _Moment(self._now.shown | set(found), said, found)
        return Outcome(self._view())

    def _end(self, said: str) -> Outcome:
        self._now = self._now._replace(answer=said)
        given = self._score()
        counts = not self.grounded or self._now.shown.issuperset(self._playing().support)
        assert given is not None, "it was just answered"
        reward = (given.em if self.reward == "em" else given.f1) * counts
        return Outcome(f"You answered: {said}", reward, terminated=True, success=bool(given.em and counts))

    def _score(self) -> Score | None:
        return None if self._now.answer is None else score(self._now.answer, self._playing().answers)

    def _admissible(self) -> list[str] | None:
        if not self.listed:
            return None
        question, shown = self._playing(), self._now.shown
        named = self._planner.named(question, shown)
        return [f"search[{title}]" for title in named] + [f"answer[{text}]" for text in self._candidates(shown, named)]

    def _candidates(self, shown: frozenset[int], named: list[str]) -> list[str]:
        """Titles that were named, and numbers that were shown."""
        numbers = [text for number in sorted(shown) for text in _NUMBER.findall(self.library.documents[number].text)]
        return list(dict.fromkeys([*named, *numbers]))

    def _right_answers(self, question: Question) -> tuple[str, ...]:
        if not self.listed:
            return (f"answer[{question.answers[0]}]",)
        named = self._planner.named(question, self._now.shown)
        right = set(map(normalized, question.answers))
        candidates = self._candidates(self._now.shown, named)
        return tuple(f"answer[{each}]" for each in candidates if normalized(each) in right)

    def _refusal(self, action: str) -> str:
        verb, said = _parsed(action)
        if not verb:
            return f"{_FORM} Got {action[:50]!r}."
        if not said:
            return f"There is nothing in the brackets of {verb}[]. {_FORM}"
        if self.listed and action not in (self._admissible() or ()):
            return f"{said[:50]!r} was not named so far; only titles and answers that were can be used."
        return ""

    def _view(self) -> str:
        asked, now = f"Question: {self._playing().text}", self._now
        if now.query is None:
            return asked
        documents = [self.library.documents[number] for number in now.found]
        found = [
            f"({place}) {title}: {' '.join(text.split())}"  # one line each, whatever a text says
            for place, (title, text) in enumerate(documents, start=1)
        ]
        return "\n".join([asked, "", f"Found for {now.query!r}:", *(found or ["nothing"])])

    def _get_world(self) -> Any:
        return self.library.name, self._playing(), self._now

    def _set_world(self, world: Any) -> None:
        name, question, now = world
        if name != self.library.name:
            raise EnvError(f"the snapshot is of the library {name}, not {self.library.name}", repr(self))
        self._asked, self._now = question, now

    def _state_key(self) -> str:
        now = self._now
        state = (self.library.name, self._playing().id, sorted(now.shown), now.query, now.found, now.answer)
        return hashlib.blake2b(repr(state).encode(errors="replace"), digest_size=8).hexdigest()

    def _task(self) -> tuple[str, str]:
        question = self._playing()
        rules = (
            f"Search with search[words], which shows up to {self.shown_at_once} documents, as often as needed, and end "
            "with answer[text]: the answer alone, a name or a number as the documents have it."
        )
        return f"{self.library.name}-{question.id}", f"{question.text}\n{rules}"

    def _info(self) -> dict[str, Any]:
        return super()._info() | {"score": self._score()}

    def _playing(self) -> Question:
        if self._asked is None:
            raise EnvError("no question is asked; call reset() first", repr(self))
        return self._asked

    def _require_beginnings(self) -> None:
        for question in self.library.questions:
            if not self._planner.named(question, frozenset()):
                raise ConfigError(
                    f"with listed=True a question names the title of a document to begin with; question "
                    f"{question.id!r} names none"
                )

    def _require_answers(self) -> None:
        for question in self.library.questions:
            shown = frozenset(question.support)
            candidates = self._candidates(shown, self._planner.named(question, shown))
            if not set(map(normalized, question.answers)) & set(map(normalized, candidates)):
                raise ConfigError(
                    f"with listed=True answers are titles or numbers in the documents; question {question.id!r} has "
                    f"{question.answers[0][:50]!r}"
                )


@lru_cache(maxsize=16)
def _index(documents: tuple[Document, ...]) -> Index:
    return Index(documents)


def _parsed(action: str) -> tuple[str, str]:
    """The verb and what is in the brackets; both empty if it is no action."""
    found = _ACTION.fullmatch(action)
    return (found[1], found[2].strip()) if found else ("", "")
