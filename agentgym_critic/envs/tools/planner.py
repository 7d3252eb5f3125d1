"""How many calls a desk is from what was asked for, exactly, and which calls come next. Privileged.

It plans for a player who uses only what the request says and what results have shown: a row is changed
after it was listed, a sum is paid after the mail that names it was read. Then what must be done is
forced. Each row too many of a calendar is moved or cancelled, each missing one moved there or
added, so a title with s too many and m missing takes max(s, m) calls; each payment too many is
withdrawn, each missing one ordered; each missing mail is sent, and one too many can never be undone.
Each fact still needed takes the one lookup that shows it, and lookups are shared. Nothing else helps,
so the sum is the shortest way. (Exhaustive search over all calls agrees: see the tests.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from agentgym_critic.envs.tools.calls import read_call, write_call
from agentgym_critic.envs.tools.desk import Desk, Event, Fact, Payment, Sent, carry_out

__all__ = ["Goal", "calls_left", "next_calls"]


_Row = TypeVar("_Row", Event, Payment)


class Goal(NamedTuple):
    """What the tables must hold in the end, identities aside, and what must be known to get there."""

    events: tuple[tuple[str, str, str], ...]
    """Title, date, time."""
    payments: tuple[tuple[str, int], ...]
    """To whom, how much."""
    sent: tuple[Sent, ...]
    needs: Mapping[Hashable, frozenset[Fact]]
    """For some payments and mails the facts that they are written from."""


class _Gap(NamedTuple):
    """How the tables differ from the goal."""

    extra_events: list[Event]
    missing_events: list[tuple[str, str, str]]
    extra_payments: list[Payment]
    missing_payments: list[tuple[str, int]]
    missing_sent: list[Sent]
    extra_sent: bool


def calls_left(desk: Desk, seen: frozenset[Fact], goal: Goal) -> int | None:
    """The fewest calls until the tables are as asked for; None if they can never be."""
    gap = _gap(desk, seen, goal)
    lookups = _lookups(desk, seen, goal, gap)
    if gap.extra_sent or lookups is None:
        return None
    extra, missing = Counter(event.title for event in gap.extra_events), Counter(row[0] for row in gap.missing_events)
    changes = (extra | missing).total() + len(gap.extra_payments) + len(gap.missing_payments) + len(gap.missing_sent)
    return changes + len(lookups)


def next_calls(desk: Desk, seen: frozenset[Fact], goal: Goal) -> tuple[str, ...]:
    """All calls that begin a shortest way, sorted; none if there is nothing to do or no way."""
    left = calls_left(desk, seen, goal)
    if not left:
        return ()
    return tuple(sorted({text for text in _sensible(desk, seen, goal) if _after(desk, seen, goal, text) == left - 1}))


def _after(desk: Desk, seen: frozenset[Fact], goal: Goal, text: str) -> int | None:
    done = carry_out(desk, read_call(text))
    return calls_left(done.desk, seen | done.shown, goal)


def _sensible(desk: Desk, seen: frozenset[Fact], goal: Goal) -> Iterator[str]:
    """The calls that could be worth a step: what is needed, from what is known."""
    gap = _gap(desk, seen, goal)
    for text in _lookups(desk, seen, goal, gap) or ():
        call = read_call(text)
        if call.name != "read_mail" or ("mail", call.arguments["id"]) in seen:
            yield text
    for event in _alike(desk.events, gap.extra_events):
        if ("event", event.id) in seen:
            yield write_call("cancel_event", id=event.id)
            for title, date, time in gap.missing_events:
                if title == event.title:
                    yield write_call("move_event", id=event.id, date=date, time=time)
    for title, date, time in gap.missing_events:
        yield write_call("add_event", title=title, date=date, time=time)
    for payment in _alike(desk.payments, gap.extra_payments):
        if ("payment", payment.id) in seen:
            yield write_call("cancel_payment", id=payment.id)
    for to, amount in gap.missing_payments:
        if goal.needs.get((to, amount), frozenset()) <= seen:
            yield write_call("pay", to=to, amount=amount)
    for sent in gap.missing_sent:
        if goal.needs.get(sent, frozenset()) <= seen:
            yield write_call("send_mail", **sent._asdict())


def _alike(rows: Iterable[_Row], some: Iterable[_Row]) -> list[_Row]:
    """The rows whose contents are those of some: each of them would do."""
    contents = {row[1:] for row in some}
    return [row for row in rows if row[1:] in contents]


def _gap(desk: Desk, seen: frozenset[Fact], goal: Goal) -> _Gap:
    extra_events, missing_events = _difference("event", desk.events, goal.events, seen)
    extra_payments, missing_payments = _difference("payment", desk.payments, goal.payments, seen)
    sent, wanted = Counter(desk.sent), Counter(goal.sent)
    missing_sent = list((wanted - sent).elements())
    return _Gap(extra_events, missing_events, extra_payments, missing_payments, missing_sent, bool(sent - wanted))


def _difference(
    kind: str, rows: Iterable[Any], wanted: Iterable[Any], seen: frozenset[Fact]
) -> tuple[list[Any], list[Any]]:
    """The rows too many and the contents missing; of rows alike those already shown are the ones too many."""
    missing, extra = Counter(wanted), []
    for row in sorted(rows, key=lambda row: (kind, row.id) in seen):
        if missing[row[1:]] > 0:
            missing[row[1:]] -= 1
        else:
            extra.append(row)
    return extra, list(missing.elements())


def _lookups(desk: Desk, seen: frozenset[Fact], goal: Goal, gap: _Gap) -> set[str] | None:
    """The lookups that show what must still be known; None if something can no longer be looked up."""
    needed: set[Fact] = {("event", event.id) for event in gap.extra_events}
    needed |= {("payment", payment.id) for payment in gap.extra_payments}
    for row in (*gap.missing_payments, *gap.missing_sent):
        needed |= goal.needs.get(row, frozenset())
    found: set[str] = set()
    for fact in needed - seen:
        lookups = _lookups_of(fact, desk, seen)
        if lookups is None:
            return None
        found |= lookups
    return found


def _lookups_of(fact: Fact, desk: Desk, seen: frozenset[Fact]) -> set[str] | None:
    kind, key = fact
    if kind == "balance":
        return {write_call("get_balance", account=key)}
    if kind == "payment":
        return {write_call("list_payments")}
    if kind == "body":
        return {write_call("read_mail", id=key)} | (set() if ("mail", key) in seen else {write_call("list_mail")})
    event = next((event for event in desk.events if event.id == key), None)
    return {write_call("list_events", date=event.date)} if event else None
