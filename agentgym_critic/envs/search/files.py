"""`read_library`: documents and questions from a file of JSON lines, each line checked.

A line is a document, ``{"title": ..., "text": ...}``, or a question, ``{"question": ..., "answers": [...],
"support": [titles of documents]}`` with an ``"id"`` if wanted. They may come in any order.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import msgspec

from agentgym_critic.envs.base import MAX_ACTION_CHARS, clean_action
from agentgym_critic.envs.search.library import Document, Library, Question, words
from agentgym_critic.errors import ConfigError, MissingDataError, abridged
from agentgym_critic.types import clean_text

__all__ = ["read_library"]

LONGEST = MAX_ACTION_CHARS - len("search[]")
"""Characters of a title, and of an answer, at most: each must fit into an action."""


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """Any line; which it is, the fields tell."""

    title: str | None = None
    text: str | None = None
    id: str | None = None
    question: str | None = None
    answers: list[str] | None = None
    support: list[str] | None = None


def read_library(path: str | os.PathLike[str]) -> Library:
    """Read a library.

    Raises:
        MissingDataError: there is no such file, or it cannot be read.
        ConfigError: a line is not what it should be; the message names file and line.
    """
    file = Path(path)
    try:
        return _read(file)
    except OSError as cause:
        raise MissingDataError(f"{abridged(str(file))} cannot be read: {cause.strerror}") from cause


def _read(file: Path) -> Library:
    if not file.is_file():
        raise MissingDataError(f"there is no file {file}; path is a file of JSON lines, documents and questions")
    digest = hashlib.blake2b(digest_size=8)
    documents: dict[int, Document] = {}
    questions: dict[int, _Line] = {}
    for number, raw in _lines(file):
        digest.update(raw)
        line = _decoded(file, number, raw)
        if line.question is None:
            documents[number] = _document(file, number, line)
        else:
            questions[number] = line
    places = _places(file, documents)
    asked = tuple(_question(file, number, line, places) for number, line in questions.items())
    if not asked:
        raise ConfigError(f"{file} has no question; a question is a line with question, answers and support")
    _require_different_ids(file, dict(zip(questions, asked, strict=True)))
    return Library(f"{file.stem}-{digest.hexdigest()}", tuple(documents.values()), asked)


def _lines(file: Path) -> Iterator[tuple[int, bytes]]:
    with file.open("rb") as stream:
        yield from ((number, raw) for number, raw in enumerate(stream, start=1) if raw.strip())


def _decoded(file: Path, number: int, raw: bytes) -> _Line:
    try:
        return msgspec.json.decode(raw, type=_Line)
    except (msgspec.DecodeError, UnicodeDecodeError) as cause:
        raise ConfigError(f"{file}:{number}: this is no document and no question: {cause}") from cause


def _document(file: Path, number: int, line: _Line) -> Document:
    if line.answers is not None or line.support is not None:
        _refuse(file, number, "a line with answers or support is a question, and has a question")
    if not line.title or not words(line.title):
        _refuse(file, number, "a document has a title with a word in it")
    if not line.text or not line.text.strip():
        _refuse(file, number, f"the document {line.title!r} has no text")
    return Document(_action_text(file, number, "title", line.title), clean_text(line.text))


def _places(file: Path, documents: dict[int, Document]) -> dict[str, int]:
    """The number of each document by its title, whose words belong to no other."""
    first: dict[tuple[str, ...], int] = {}
    for number, document in documents.items():
        before = first.setdefault(tuple(words(document.title)), number)
        if before != number:
            _refuse(file, number, f"the title {document.title!r} is that of line {before}")
    return {document.title: place for place, document in enumerate(documents.values())}


def _question(file: Path, number: int, line: _Line, places: dict[str, int]) -> Question:
    if line.title is not None or line.text is not None:
        _refuse(file, number, "a question has neither title nor text")
    if not line.question or not line.question.strip():
        _refuse(file, number, "the question is empty")
    if not line.answers or not all(answer.strip() for answer in line.answers):
        _refuse(file, number, "a question has a list of answers, none of them empty")
    if not line.support:
        _refuse(file, number, "a question has a list of the titles of the documents that support the answer")
    titles = [clean_action(title) for title in line.support]
    if unknown := [title for title in titles if title not in places]:
        _refuse(file, number, f"the support names {unknown[0]!r}, which is the title of no document of this file")
    support = tuple(dict.fromkeys(places[title] for title in titles))
    answers = tuple(_action_text(file, number, "answer", answer) for answer in line.answers)
    return Question(line.id or str(number), clean_text(line.question), answers, support)


def _action_text(file: Path, number: int, what: str, text: str) -> str:
    """A text as it stands in an action: on one line, with single spaces, and short enough."""
    clean = clean_action(text)
    if len(clean) > LONGEST:
        _refuse(file, number, f"the {what} {clean[:50]!r}... has {len(clean)} characters, and {LONGEST} fit an action")
    return clean


def _require_different_ids(file: Path, questions: dict[int, Question]) -> None:
    first: dict[str, int] = {}
    for number, question in questions.items():
        before = first.setdefault(question.id, number)
        if before != number:
            _refuse(file, number, f"the id {question.id!r} is that of line {before}")


def _refuse(file: Path, number: int, what: str) -> NoReturn:
    raise ConfigError(f"{file}:{number}: {what}")
