"""Nested lists of words, the form in which PDDL is written. All words are lower case.

Reading keeps no positions: a line is looked for only once something is wrong there.
"""

from __future__ import annotations

import re
from typing import NoReturn, TypeAlias

from agentgym_critic.envs.alfworld.native.budget import check_size
from agentgym_critic.errors import EnvError

__all__ = ["Nested", "line_of", "read_lisp", "refuse"]

Nested: TypeAlias = "str | list[Nested]"

DEEPEST = 100
"""Brackets within brackets; real games have ten."""

LONGEST = 10_000
"""Characters of a word; real games have at most 87. Texts repeat names; some of megabytes would fill the memory."""

_COMMENT = re.compile(r";[^\n]*")
_TOKEN = re.compile(r"[()]|\?[^\s()?]*|[^\s()?]+", re.ASCII)


def read_lisp(text: str, what: str) -> list[Nested]:
    """The one list that a text holds.

    Args:
        text: PDDL; a comment goes from ``;`` to the end of its line.
        what: how errors name the text.

    Raises:
        EnvError: the brackets do not match, or are nested too deeply, or a word is not ASCII.
    """
    plain = _COMMENT.sub("", text) if ";" in text else text
    if not plain.isascii():
        refuse(what, text, next(word for word in _TOKEN.findall(plain) if not word.isascii()).lower(), "is not ASCII")
    tokens = _TOKEN.findall(plain.lower())
    check_size(f"the characters of a word of the {what}", max(map(len, tokens), default=0), LONGEST)
    if tokens[:1] != ["("]:
        refuse(what, text, tokens[0] if tokens else "", "stands where '(' was expected")
    open_lists: list[list[Nested]] = [[]]
    for number, word in enumerate(tokens):
        if word == "(":
            open_lists.append([])
            if len(open_lists) > DEEPEST:
                raise EnvError(f"the {what} is nested deeper than {DEEPEST} brackets", what)
        elif word == ")":
            done = open_lists.pop()
            if not open_lists:
                raise EnvError(f"the {what} has a ')' too many after {number} words", what)
            open_lists[-1].append(done)
        elif len(open_lists) == 1:
            refuse(what, text, word, "stands outside all brackets")
        else:
            open_lists[-1].append(word)
    if len(open_lists) > 1:
        raise EnvError(f"the {what} ends with {len(open_lists) - 1} brackets open; it may be cut off", what)
    if len(open_lists[0]) != 1 or isinstance(open_lists[0][0], str):
        raise EnvError(f"the {what} holds {len(open_lists[0])} lists where one was expected", what)
    return open_lists[0][0]


def refuse(what: str, text: str, word: str, wrong: str) -> NoReturn:
    """Say what is wrong with a word of a text, and in which line it first stands.

    Raises:
        EnvError: always.
    """
    line = line_of(text, word)
    raise EnvError(f"the {what}{f', line {line}' if line else ''}: {word[:80]!r} {wrong}", what)


def line_of(text: str, word: str) -> int | None:
    """The number of the first line, from 1 on, that has a word outside comments."""
    for number, line in enumerate(text.split("\n"), 1):
        if word and word in _TOKEN.findall(_COMMENT.sub("", line).lower()):
            return number
    return None
