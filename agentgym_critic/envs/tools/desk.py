"""`Desk`: calendar, bank and mail as tables that never change, and what a checked call makes of them.

Beside its result every call tells which *facts* it showed: the identity of a row, the text of a mail, a
balance. The planner counts with them; the player sees only the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from agentgym_critic.envs.tools.calls import Call

__all__ = ["Desk", "Done", "Event", "Fact", "Mail", "Payment", "Sent", "carry_out"]

Fact: TypeAlias = tuple[str, int | str]
"""``("event", id)``, ``("payment", id)``, ``("mail", id)``: the row was shown; ``("body", id)``: the text of that
mail; ``("balance", account)``."""


class Event(NamedTuple):
    """An entry of the calendar."""

    id: int
    title: str
    date: str
    time: str


class Payment(NamedTuple):
    """A payment that was ordered."""

    id: int
    to: str
    amount: int


class Mail(NamedTuple):
    """A mail that came in."""

    id: int
    sender: str
    subject: str
    body: str


class Sent(NamedTuple):
    """A mail that went out."""

    to: str
    subject: str
    body: str


class Desk(NamedTuple):
    """All tables."""

    events: tuple[Event, ...]
    payments: tuple[Payment, ...]
    sent: tuple[Sent, ...]
    inbox: tuple[Mail, ...]
    balances: tuple[tuple[str, int], ...]
    contacts: tuple[str, ...]


class Done(NamedTuple):
    """What became of a call."""

    desk: Desk
    result: dict[str, Any]
    """``{"ok": ...}`` or ``{"error": {"type": ..., "message": ...}}``."""
    shown: frozenset[Fact] = frozenset()


def carry_out(desk: Desk, call: Call) -> Done:
    """Carry out a call that `check_call` lets pass; one that finds nothing changes nothing."""
    return _DEEDS[call.name](desk, **call.arguments)


def _add_event(desk: Desk, title: str, date: str, time: str) -> Done:
    event = Event(_next_id(desk.events), title, date, time)
    return _ok(desk._replace(events=(*desk.events, event)), event._asdict(), ("event", event.id))


def _cancel_event(desk: Desk, id: int) -> Done:
    event = _find(desk.events, id)
    if event is None:
        return _not_found(desk, f"there is no event {id}")
    return _ok(desk._replace(events=_without(desk.events, event)), event._asdict(), ("event", id))


def _move_event(desk: Desk, id: int, date: str, time: str) -> Done:
    event = _find(desk.events, id)
    if event is None:
        return _not_found(desk, f"there is no event {id}")
    moved = event._replace(date=date, time=time)
    events = tuple(moved if each.id == id else each for each in desk.events)
    return _ok(desk._replace(events=events), {"was": event._asdict(), "is": moved._asdict()}, ("event", id))


def _list_events(desk: Desk, date: str) -> Done:
    found = sorted((event for event in desk.events if event.date == date), key=lambda event: (event.time, event.id))
    return _ok(desk, [event._asdict() for event in found], *(("event", event.id) for event in found))


def _list_payments(desk: Desk) -> Done:
    rows = [payment._asdict() for payment in desk.payments]
    return _ok(desk, rows, *(("payment", payment.id) for payment in desk.payments))


def _pay(desk: Desk, to: str, amount: int) -> Done:
    if to not in desk.contacts:
        return _not_found(desk, f"{to[:50]!r} is none of your contacts: {', '.join(desk.contacts)}")
    payment = Payment(_next_id(desk.payments), to, amount)
    return _ok(desk._replace(payments=(*desk.payments, payment)), payment._asdict(), ("payment", payment.id))


def _cancel_payment(desk: Desk, id: int) -> Done:
    payment = _find(desk.payments, id)
    if payment is None:
        return _not_found(desk, f"there is no payment {id}")
    return _ok(desk._replace(payments=_without(desk.payments, payment)), payment._asdict(), ("payment", id))


def _get_balance(desk: Desk, account: str) -> Done:
    balances = dict(desk.balances)
    if account not in balances:
        return _not_found(desk, f"{account[:50]!r} is none of your accounts: {', '.join(balances)}")
    return _ok(desk, {"account": account, "balance": balances[account]}, ("balance", account))


def _list_mail(desk: Desk) -> Done:
    rows = [{"id": mail.id, "from": mail.sender, "subject": mail.subject} for mail in desk.inbox]
    return _ok(desk, rows, *(("mail", mail.id) for mail in desk.inbox))


def _read_mail(desk: Desk, id: int) -> Done:
    mail = _find(desk.inbox, id)
    if mail is None:
        return _not_found(desk, f"there is no mail {id}")
    row = {"id": id, "from": mail.sender, "subject": mail.subject, "body": mail.body}
    return _ok(desk, row, ("mail", id), ("body", id))


def _send_mail(desk: Desk, to: str, subject: str, body: str) -> Done:
    if to not in desk.contacts:
        return _not_found(desk, f"{to[:50]!r} is none of your contacts: {', '.join(desk.contacts)}")
    return _ok(desk._replace(sent=(*desk.sent, Sent(to, subject, body))), {"sent": True})


_DEEDS: dict[str, Callable[..., Done]] = {
    "add_event": _add_event,
    "cancel_event": _cancel_event,
    "cancel_payment": _cancel_payment,
    "get_balance": _get_balance,
    "list_events": _list_events,
    "list_mail": _list_mail,
    "list_payments": _list_payments,
    "move_event": _move_event,
    "pay": _pay,
    "read_mail": _read_mail,
    "send_mail": _send_mail,
}


def _ok(desk: Desk, result: Any, *shown: Fact) -> Done:
    return Done(desk, {"ok": result}, frozenset(shown))


def _not_found(desk: Desk, message: str) -> Done:
    return Done(desk, {"error": {"type": "not_found", "message": message}})


def _find(rows: tuple[Any, ...], id: int) -> Any:
    return next((row for row in rows if row.id == id), None)


def _without(rows: tuple[Any, ...], row: Any) -> Any:
    return tuple(each for each in rows if each.id != row.id)


def _next_id(rows: tuple[Any, ...]) -> int:
    return max((row.id for row in rows), default=100) + 1
