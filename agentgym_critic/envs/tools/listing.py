"""`listed_calls`: all calls that use only values the request names and results have shown."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from agentgym_critic.envs.tools.calls import write_call
from agentgym_critic.envs.tools.desk import Desk, Fact
from agentgym_critic.envs.tools.tasks import Task, bill_amount

__all__ = ["listed_calls"]


def listed_calls(desk: Desk, seen: frozenset[Fact], task: Task) -> list[str]:
    """The calls, sorted; ``finish()`` is among them."""
    return sorted({*_lookups(desk, seen, task), *_changes(desk, seen, task), "finish()"})


def _lookups(desk: Desk, seen: frozenset[Fact], task: Task) -> Iterator[str]:
    yield write_call("list_mail")
    yield write_call("list_payments")
    yield from (write_call("list_events", date=date) for date in task.given.dates)
    yield from (write_call("get_balance", account=account) for account in task.given.accounts)
    yield from (write_call("read_mail", id=mail.id) for mail in desk.inbox if ("mail", mail.id) in seen)


def _changes(desk: Desk, seen: frozenset[Fact], task: Task) -> Iterator[str]:
    given = task.given
    slots = list(product(given.dates, given.times))
    once = {event.title: (event.date, event.time) for event in task.desk.events if ("event", event.id) in seen}
    for title in (*given.titles, *once):
        for date, time in (*slots, *([once[title]] if title in once else [])):
            yield write_call("add_event", title=title, date=date, time=time)
    for event in desk.events:
        if ("event", event.id) in seen:
            yield write_call("cancel_event", id=event.id)
            for date, time in (*slots, *([once[event.title]] if event.title in once else [])):
                yield write_call("move_event", id=event.id, date=date, time=time)
    for payment in desk.payments:
        if ("payment", payment.id) in seen:
            yield write_call("cancel_payment", id=payment.id)
    bills = [bill_amount(mail) for mail in desk.inbox if ("body", mail.id) in seen]
    shown = [payment[1:] for payment in task.desk.payments if ("payment", payment.id) in seen]
    for to, amount in (*product(given.people, (*given.amounts, *bills)), *shown):
        yield write_call("pay", to=to, amount=amount)
    for to, subject, body in product(given.people, given.subjects, (*given.bodies, *_told(seen, task))):
        yield write_call("send_mail", to=to, subject=subject, body=body)


def _told(seen: frozenset[Fact], task: Task) -> Iterator[str]:
    """What results have shown that a mail can be about: times of events as they were, and balances."""
    yield from (event.time for event in task.desk.events if ("event", event.id) in seen)
    yield from (str(balance) for account, balance in task.desk.balances if ("balance", account) in seen)
