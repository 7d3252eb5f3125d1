"""`Planner`: the fewest searches that show all documents an answer stands on. Privileged.

It counts searches for titles, each once it was *named*: in the question or in a document shown. All ways of
one search are tried, then all of two, and so on, so the number is exact among such ways. In a game that
lists its actions these are all searches there are. Else it considers only the titles of the supporting
documents, those that no other of them names from the start, and other words may do as well.

A library made by hand can name so many titles that nobody can try all ways. The search for one answer
therefore gives up after a number of tries, which does not depend on what was asked before.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from agentgym_critic.envs.search.index import Index
from agentgym_critic.envs.search.library import Library, Names, Question

__all__ = ["MOST_TRIES", "Planner"]

MOST_TRIES = 4_000_000
"""Searches tried for one answer, about ten seconds; generated worlds were seen to take a bit more than half of it."""


class _Way(NamedTuple):
    """How all support can be shown."""

    searches: int | None
    """The fewest; None if there is no way, or it was not found in time."""
    first: tuple[str, ...]
    """The titles that begin one."""


class _TooManyError(Exception):
    """The limit of tries is reached."""


class Planner:
    """Counts searches for the questions of a library.

    Args:
        library: documents and questions.
        index: searches the documents.
        shown_at_once: documents that a search shows, at most.
        all_titles: whether any named title may be searched for, or only those of supporting documents.
    """

    def __init__(self, library: Library, index: Index, shown_at_once: int, all_titles: bool) -> None:
        self._library, self._index = library, index
        self._limit, self._all_titles = shown_at_once, all_titles
        self._names = Names(library.documents)
        self._found: dict[str, frozenset[int]] = {}
        self._mentions: dict[int, tuple[str, ...]] = {}
        self._known: dict[tuple[frozenset[int], int], bool] = {}
        """For the answer that is worked out, whether from documents shown so many searches show the rest."""
        self._tries = 0
        self._way_of = lru_cache(maxsize=256)(self._find_way)

    def named(self, question: Question, shown: frozenset[int]) -> list[str]:
        """The titles named in the question, and of and in the documents shown; each once."""
        titles = self._names.mentioned(question.text)
        for number in sorted(shown):
            titles += self._mentioned(number)
        return list(dict.fromkeys(titles))

    def searches_left(self, question: Question, shown: frozenset[int]) -> int | None:
        """The fewest searches until all support has been shown.

        None if that takes more than one for each of it, or more than `MOST_TRIES` to find out.
        """
        return self._way_of(question, shown).searches

    def next_titles(self, question: Question, shown: frozenset[int]) -> list[str]:
        """The titles to search for that begin a shortest way; none if there is nothing to search or no way."""
        return list(self._way_of(question, shown).first)

    def _find_way(self, question: Question, shown: frozenset[int]) -> _Way:
        self._known, self._tries = {}, 0
        missing = len(set(question.support) - shown)
        try:
            left = next((count for count in range(missing + 1) if self._within(question, shown, count)), None)
            ways = self._ways(question, shown) if left else ()
            return _Way(left, tuple(title for title, after in ways if self._within(question, after, (left or 0) - 1)))
        except _TooManyError:
            return _Way(None, ())
        finally:
            self._known = {}

    def _within(self, question: Question, shown: frozenset[int], searches: int) -> bool:
        """Whether so many searches can show all support."""
        missing = set(question.support) - shown
        if not missing or len(missing) > searches * self._limit:
            return not missing
        key = shown, searches
        if key not in self._known:
            self._known[key] = self._leads_there(question, shown, missing, searches)
        return self._known[key]

    def _leads_there(self, question: Question, shown: frozenset[int], missing: set[int], searches: int) -> bool:
        if searches == 1:
            return any(missing <= self._finds(title) for title in self._tried(question, shown))
        after = {after for _, after in self._ways(question, shown) if after != shown}
        return any(self._within(question, each, searches - 1) for each in after)

    def _ways(self, question: Question, shown: frozenset[int]) -> Iterator[tuple[str, frozenset[int]]]:
        """The titles to search for, with what has been shown afterwards."""
        for title in self._tried(question, shown):
            yield title, shown | self._finds(title)

    def _tried(self, question: Question, shown: frozenset[int]) -> list[str]:
        """The titles to search for, counted."""
        titles = self._candidates(question, shown)
        self._tries += len(titles)
        if self._tries > MOST_TRIES:
            raise _TooManyError
        return titles

    def _candidates(self, question: Question, shown: frozenset[int]) -> list[str]:
        named = self.named(question, shown)
        if self._all_titles:
            return named
        support = [self._library.documents[number].title for number in question.support]
        led_to = {title for number in question.support for title in self._mentioned(number)[1:]}
        return [title for title in support if title in named or title not in led_to]

    def _finds(self, title: str) -> frozenset[int]:
        if title not in self._found:
            self._found[title] = frozenset(self._index.search(title, self._limit))
        return self._found[title]

    def _mentioned(self, number: int) -> tuple[str, ...]:
        """A document's title, and the others in its text."""
        if number not in self._mentions:
            title, text = self._library.documents[number]
            others = [other for other in self._names.mentioned(text) if other != title]
            self._mentions[number] = (title, *others)
        return self._mentions[number]
