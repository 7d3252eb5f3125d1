r"""One line of text as a function call, read without evaluating anything, and written back.

A call is a name and arguments by name; a value is a string in quotes or a number, as in Python. Only ASCII
letters make names. Knows no function.
"""

from __future__ import annotations

import re
from typing import NamedTuple, TypeAlias

__all__ = ["BadCall", "Call", "Value", "read_call", "write_call"]

Value: TypeAlias = str | int | float | bool | None

_NAME = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*")
_STRING = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'", re.DOTALL)
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?(?![\w.])", re.ASCII)
_WORD = re.compile(r"(True|true|False|false|None|null)\b", re.ASCII)
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "none": None, "null": None}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", '"': '"', "'": "'", "\\": "\\"}
_FORM = 'write one call such as send_mail(to="ann", subject="hi", body="...")'


class BadCall(ValueError):  # noqa: N818 - it is told to the player, who called badly
    """What was wrong with a call, by type and in words."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind, self.message = kind, message


class Call(NamedTuple):
    """A function's name and its arguments, in the order they were written in."""

    name: str
    arguments: dict[str, Value]


def read_call(text: str) -> Call:
    """Read a call.

    >>> read_call("pay(to='bob', amount=40)")
    Call(name='pay', arguments={'to': 'bob', 'amount': 40})

    Raises:
        BadCall: a ``syntax_error``; the message says where.
    """
    name, place = _name(text, 0, "a function's name")
    place = _expect(text, place, "(")
    arguments: dict[str, Value] = {}
    while not text.startswith(")", place):
        key, place = _name(text, place, "an argument's name or `)`")
        place = _skip(text, _expect(text, place, "="))
        if key in arguments:
            raise BadCall("syntax_error", f"the argument {key} is given twice; {_FORM}")
        arguments[key], place = _value(text, place)
        place = _skip(text, place)
        if not text.startswith(")", place):
            place = _skip(text, _expect(text, place, ","))
    if text[place + 1 :].strip():
        raise _bad(text, place + 1, "the end: one call a step")
    return Call(name, arguments)


def write_call(name: str, **arguments: Value) -> str:
    r"""A call in the one spelling that `read_call` reads back the same.

    >>> write_call("pay", to='b"o', amount=40)
    'pay(to="b\\"o", amount=40)'
    """
    return f"{name}({', '.join(f'{key}={_written(value)}' for key, value in arguments.items())})"


def _written(value: Value) -> str:
    if not isinstance(value, str):
        return repr(value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def _name(text: str, place: int, what: str) -> tuple[str, int]:
    found = _NAME.match(text, place)
    if not found:
        raise _bad(text, place, what)
    return found[1], found.end()


def _value(text: str, place: int) -> tuple[Value, int]:
    if found := _STRING.match(text, place):
        inside = found[1] if found[1] is not None else found[2]
        return _ESCAPE.sub(_unescaped, inside), found.end()
    if found := _NUMBER.match(text, place):
        return float(found[0]) if found[1] else int(found[0]), found.end()
    if found := _WORD.match(text, place):
        return _WORDS[found[1].lower()], found.end()
    raise _bad(text, place, "a string in quotes or a number")


def _unescaped(found: re.Match[str]) -> str:
    if found[1] not in _ESCAPED:
        raise BadCall("syntax_error", f"there is no escape {found[0]!r} in strings; write \\\\ for a backslash")
    return _ESCAPED[found[1]]


def _expect(text: str, place: int, mark: str) -> int:
    if not text.startswith(mark, place):
        raise _bad(text, place, f"`{mark}`")
    return place + 1


def _skip(text: str, place: int) -> int:
    while text[place : place + 1].isspace():
        place += 1
    return place


def _bad(text: str, place: int, expected: str) -> BadCall:
    seen = repr(text[place : place + 20]) if text[place:] else "nothing more"
    return BadCall("syntax_error", f"expected {expected} at character {place + 1}, saw {seen}; {_FORM}")
