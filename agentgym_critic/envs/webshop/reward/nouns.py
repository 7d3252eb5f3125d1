"""Where the nouns of a title come from: spaCy, as in the reference, or a list of words that are none."""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Protocol

from agentgym_critic.errors import MissingExtraError, UnknownIdError

__all__ = ["NounSource", "SpacyNouns", "WordNouns", "pick_nouns"]

MODEL = "en_core_web_sm"
SOURCES = ("spacy", "words")
REMEMBERED = 20_000
"""Titles whose nouns a source keeps."""

STOP_WORDS = "stop_words.txt"
WORD = re.compile(r"[^\W_]+")


class NounSource(Protocol):
    """Finds the nouns of a title."""

    id: str
    """Which nouns these are: rewards of different sources cannot be compared."""

    def nouns(self, title: str) -> Sequence[str]:
        """All nouns and names, lowercase, as often as they occur."""


class WordNouns:
    """The words of a title, without numbers and those that can hardly be nouns."""

    id = "words-2"

    def __init__(self) -> None:
        self.nouns = lru_cache(maxsize=REMEMBERED)(_words)

    def __reduce__(self) -> tuple[Callable[[str], NounSource], tuple[str]]:
        """A copy is the source of the process it is in."""
        return _source, ("words",)


class SpacyNouns:
    """Nouns by spaCy's small English model, as in the reference.

    Raises:
        MissingExtraError: spaCy or its model is not installed.
    """

    def __init__(self) -> None:
        try:
            spacy: Any = importlib.import_module("spacy")
            # Its rules for tags read what the parser found.
            self._model = spacy.load(MODEL, disable=["ner", "lemmatizer"])
        except (ImportError, OSError) as cause:
            raise MissingExtraError(
                f"nouns='spacy' needs spaCy and its model: pip install spacy && python -m spacy download {MODEL}"
            ) from cause
        self.id = f"spacy {spacy.__version__} {MODEL} {self._model.meta['version']}"
        self.nouns = lru_cache(maxsize=REMEMBERED)(self._nouns)

    def __reduce__(self) -> tuple[Callable[[str], NounSource], tuple[str]]:
        """A copy is the source of the process it is in."""
        return _source, ("spacy",)

    def _nouns(self, title: str) -> tuple[str, ...]:
        return tuple(word.text.lower() for word in self._model(title) if word.pos_ in ("NOUN", "PROPN"))


def pick_nouns(name: str | None = None) -> NounSource:
    """A source of nouns, one for all who ask for it.

    Args:
        name: ``"spacy"`` or ``"words"``; None for spaCy's if its model is installed, else words.

    Raises:
        UnknownIdError: no such source.
        MissingExtraError: spaCy or its model is not installed.
    """
    if name is not None and name not in SOURCES:
        raise UnknownIdError("source of nouns", name, SOURCES)
    return _source(name or ("spacy" if importlib.util.find_spec(MODEL) else "words"))


@cache
def _source(name: str) -> NounSource:
    return SpacyNouns() if name == "spacy" else WordNouns()


def _words(title: str) -> tuple[str, ...]:
    words = WORD.findall(title.lower())
    return tuple(word for word in words if word not in _stop_words() and not word.isdecimal())


@cache
def _stop_words() -> frozenset[str]:
    text = resources.files(__package__).joinpath(STOP_WORDS).read_text(encoding="ascii")
    return frozenset(text.split())
