"""Story files of the Z-machine, and whether one is whole: the interpreter crashes on those that are not.

Source: The Z-Machine Standards Document 1.1, section 11 (the header).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from agentgym_critic.errors import ConfigError, MissingDataError

__all__ = ["Story", "read_story"]

_HEADER_BYTES = 64

_LENGTH_UNIT = {3: 2, 4: 4, 5: 4, 8: 8}
"""Versions that can be played, with the bytes that the header counts the file in."""

_ADDRESSES = {
    "the start of high memory": 0x04,
    "the first instruction": 0x06,
    "the dictionary": 0x08,
    "the object table": 0x0A,
    "the global variables": 0x0C,
    "static memory": 0x0E,
}
"""Addresses in the header, which all lie behind it and inside the file."""


class Story(NamedTuple):
    """A story file that is whole."""

    path: Path
    version: int

    @property
    def word_chars(self) -> int:
        """How many letters of a word the story looks at."""
        return 6 if self.version == 3 else 9


def read_story(path: str | os.PathLike[str]) -> Story:
    """Check a story file against what its header says.

    Raises:
        MissingDataError: there is no such file.
        ConfigError: it is no story of a version that can be played, or it is damaged.
    """
    file = Path(path)
    try:
        data = file.read_bytes()
    except FileNotFoundError as cause:
        raise MissingDataError(f"there is no story file {file}; name one that you have") from cause
    except OSError as cause:
        raise ConfigError(f"the story file {file} cannot be read: {cause}") from cause
    if problem := next(_problems(data), ""):
        raise ConfigError(f"{file} cannot be played: {problem}")
    return Story(file.resolve(), data[0])


def _problems(data: bytes) -> Iterator[str]:
    if len(data) < _HEADER_BYTES:
        yield f"it has {len(data)} bytes, and a Z-machine story at least {_HEADER_BYTES}"
        return
    if data[0] not in _LENGTH_UNIT:
        known = ", ".join(map(str, _LENGTH_UNIT))
        yield f"its first byte, the version of the Z-machine, is {data[0]}; versions {known} can be played"
        return
    length = _word(data, 0x1A) * _LENGTH_UNIT[data[0]]
    if length > len(data):
        yield f"it has {len(data)} bytes of the {length} that its header promises; get the whole file"
        return
    for what, place in _ADDRESSES.items():
        if not _HEADER_BYTES <= _word(data, place) < len(data):
            yield f"its header puts {what} at {_word(data, place)}, outside the file; get it anew"
    total = sum(data[_HEADER_BYTES : length or len(data)]) % 2**16
    if length and total != _word(data, 0x1C):  # the oldest stories have neither length nor checksum
        yield f"its checksum is {total}, and its header says {_word(data, 0x1C)}: it is damaged; get it anew"


def _word(data: bytes, place: int) -> int:
    return int.from_bytes(data[place : place + 2], "big")
