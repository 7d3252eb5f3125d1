"""Documents and questions about them, wherever they come from; and the names that a text mentions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

__all__ = ["Document", "Library", "Names", "Question", "words"]

_WORD = re.compile(r"[^\W_]+")


class Document(NamedTuple):
    """A text with a title."""

    title: str
    text: str


class Question(NamedTuple):
    """A question, its answers, and the documents that show why."""

    id: str
    text: str
    answers: tuple[str, ...]
    """Each of them is right."""
    support: tuple[int, ...]
    """Numbers of documents, in the order in which one leads to the next."""


class Library(NamedTuple):
    """What is searched, and what is asked."""

    name: str
    """Different for different contents."""
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]


class Names:
    """Finds titles in texts, as whole words in any case; of titles that overlap the longest, the first."""

    def __init__(self, documents: Iterable[Document]) -> None:
        titles: dict[tuple[str, ...], str] = {tuple(words(document.title)): document.title for document in documents}
        self._titles: Mapping[tuple[str, ...], str] = titles
        self._longest = max(map(len, titles), default=0)

    def mentioned(self, text: str) -> list[str]:
        """The titles in a text, each once, in its order."""
        return list(dict.fromkeys(self._found(words(text))))

    def _found(self, said: list[str]) -> Iterator[str]:
        place = 0
        while place < len(said):
            for length in range(min(self._longest, len(said) - place), 0, -1):
                if title := self._titles.get(tuple(said[place : place + length])):
                    yield title
                    place += length - 1
                    break
            place += 1


def words(text: str) -> list[str]:
    """The words and numbers of a text, in small letters; accents count, however they are encoded.

    >>> words("Ada's 2nd: the-end")
    ['ada', 's', '2nd', 'the', 'end']
    """
    return _WORD.findall(unicodedata.normalize("NFC", text).lower())
