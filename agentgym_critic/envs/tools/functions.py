"""The functions there are, with their documentation, and the checks of a call that need no look at the tables."""

from __future__ import annotations

import difflib
import re
from typing import NamedTuple

from agentgym_critic.envs.tools.calls import BadCall, Call, Value

__all__ = ["FUNCTIONS", "Function", "check_call", "manual"]

_DATE = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")
_TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")


class Function(NamedTuple):
    """A function of the world."""

    parameters: dict[str, type]
    about: str


FUNCTIONS: dict[str, Function] = {
    "add_event": Function({"title": str, "date": str, "time": str}, "enter an event into the calendar"),
    "cancel_event": Function({"id": int}, "take an event out of the calendar"),
    "cancel_payment": Function({"id": int}, "withdraw a payment that was ordered"),
    "finish": Function({}, "say that everything is done; ends the task"),
    "get_balance": Function({"account": str}, "the balance of one of your accounts"),
    "list_events": Function({"date": str}, "the events of a day"),
    "list_mail": Function({}, "who wrote to you about what"),
    "list_payments": Function({}, "the payments that are ordered"),
    "move_event": Function({"id": int, "date": str, "time": str}, "give an event another date and time"),
    "pay": Function({"to": str, "amount": int}, "order a payment to one of your contacts"),
    "read_mail": Function({"id": int}, "the text of a mail"),
    "send_mail": Function({"to": str, "subject": str, "body": str}, "write to one of your contacts; final"),
}
"""By name, sorted."""

_TYPE_NAMES = {str: "a string", int: "a whole number"}


def manual() -> str:
    """The functions with their parameters, a line each."""
    return "\n".join(f"{_signature(name)} - {function.about}" for name, function in FUNCTIONS.items())


def check_call(call: Call) -> None:
    """Refuse a call that can be seen to be wrong without looking at the tables.

    Raises:
        BadCall: an ``unknown_function``, ``unknown_argument``, ``missing_argument``, ``wrong_type`` or
            ``invalid_value``.
    """
    if call.name not in FUNCTIONS:
        near = difflib.get_close_matches(call.name, FUNCTIONS, n=1)
        advice = f"did you mean {near[0]}?" if near else f"there are {', '.join(FUNCTIONS)}."
        raise BadCall("unknown_function", f"there is no function {call.name[:50]!r}; {advice}")
    parameters = FUNCTIONS[call.name].parameters
    if unknown := [key for key in call.arguments if key not in parameters]:
        raise BadCall("unknown_argument", f"there is no argument {unknown[0][:50]!r}; it is {_signature(call.name)}.")
    if missing := [key for key in parameters if key not in call.arguments]:
        raise BadCall("missing_argument", f"{missing[0]!r} is missing; it is {_signature(call.name)}.")
    for key, value in call.arguments.items():
        _check_value(key, value, parameters[key])


def _check_value(key: str, value: Value, kind: type) -> None:
    if type(value) is not kind:
        raise BadCall("wrong_type", f"{key} is {_TYPE_NAMES[kind]}, got {_shown(value)}.")
    if key == "date" and not _DATE.fullmatch(str(value)):
        raise BadCall("invalid_value", f"date is year-month-day such as 2025-03-04, got {_shown(value)}.")
    if key == "time" and not _TIME.fullmatch(str(value)):
        raise BadCall("invalid_value", f"time is from 00:00 to 23:59, got {_shown(value)}.")
    if key == "amount" and isinstance(value, int) and not 0 < value <= 1_000_000:
        raise BadCall("invalid_value", f"amount is from 1 to 1000000, got {_shown(value)}.")


def _signature(name: str) -> str:
    inside = ", ".join(f"{key}: {kind.__name__}" for key, kind in FUNCTIONS[name].parameters.items())
    return f"{name}({inside})"


def _shown(value: Value) -> str:
    text = repr(value)
    return text if len(text) <= 50 else f"{text[:50]}..."
