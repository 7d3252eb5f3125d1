"""Lessons as JSON lines, one trajectory a line. Knows neither database nor vectors."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import msgspec

from agentgym_critic.errors import NewerSchemaError, NotAStoreError, StoreError, StoreFullError
from agentgym_critic.files import whole_file
from agentgym_critic.memory.lessons import LESSON_VERSION, Lesson
from agentgym_critic.types import from_json, to_json

__all__ = ["read_jsonl", "write_jsonl"]


def write_jsonl(lessons: Iterable[Lesson], target: str | Path | IO[str], *, overwrite: bool) -> int:
    """Write one line for each lesson; a file appears whole or not at all.

    Args:
        lessons: what to write.
        target: a path, or a text stream, which stays open.
        overwrite: whether an existing file may be replaced.

    Returns:
        The number of lines.

    Raises:
        ConfigError: the file exists, or its folder does not.
        StoreFullError: the disk is full, or the file may not be written.
        StoreError: the stream cannot be written for another reason.
    """
    if isinstance(target, str | Path):
        with (
            whole_file(Path(target), overwrite=overwrite) as draft,
            draft.open("w", encoding="utf-8", newline="\n") as stream,
        ):
            return _write(lessons, stream)
    with _file_errors(target):
        return _write(lessons, target)


def _write(lessons: Iterable[Lesson], stream: IO[str]) -> int:
    number = 0
    for number, lesson in enumerate(lessons, 1):  # noqa: B007
        stream.write(to_json(lesson).decode() + "\n")
    return number


def read_jsonl(source: str | Path | IO[str]) -> list[Lesson]:
    """All lessons of a file; blank lines are skipped.

    Args:
        source: a path, or a text stream.

    Raises:
        NotAStoreError: a line is no lesson; the message has its number.
        NewerSchemaError: a line was written by a newer version.
        StoreError: the file cannot be read.
    """
    with _file_errors(source):
        if not isinstance(source, str | Path):
            return _read(source, getattr(source, "name", "the stream"))
        with open(source, encoding="utf-8", errors="replace", newline="\n") as stream:
            return _read(stream, source)


def _read(stream: IO[str], name: object) -> list[Lesson]:
    return [_lesson(line, f"{name}, line {number}") for number, line in enumerate(stream, 1) if line.strip()]


def _lesson(line: str, place: str) -> Lesson:
    try:
        lesson = from_json(line, Lesson)
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise NotAStoreError(
            f"{place}: not a line of an exported memory bank ({error}); nothing was imported"
        ) from error
    if lesson.schema_version > LESSON_VERSION:
        raise NewerSchemaError(
            f"{place}: written with schema version {lesson.schema_version}, and this agentgym-critic knows versions "
            f'up to {LESSON_VERSION}; upgrade it: pip install --upgrade "agentgym-critic"; nothing was imported'
        )
    return lesson


@contextmanager
def _file_errors(file: object) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        kind = StoreFullError if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS) else StoreError
        raise kind(f"{getattr(file, 'name', file)} cannot be read or written: {error}") from error
