"""Tasks from random numbers: a desk, a request about it in words, and the goal, measured by the planner.

What a request leaves out must be looked up: the identity of a row, the sum a mail names, a balance, the time of
an event. Such values never occur in a request, so that knowing them means having been shown them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from agentgym_critic.envs.tools.desk import Desk, Event, Fact, Mail, Payment, Sent
from agentgym_critic.envs.tools.planner import Goal, calls_left

__all__ = ["MAX_CALLS", "Given", "Task", "draw_task"]

MAX_CALLS = 12
"""Calls of the longest task."""

CONTACTS = ("ann", "bob", "carla", "dev", "elif", "finn")
BILLERS = ("grace", "hugo", "ida")
PAYEES = ("jon", "kim", "lea", "max")
TITLES = ("choir", "dentist", "dinner", "exam", "gym", "haircut", "interview", "lecture", "lunch", "optician", "picnic",
          "rehearsal", "seminar", "swimming", "tennis", "theatre", "walk", "workshop")  # fmt: skip
BILLS = ("books", "concert", "flowers", "groceries", "rent", "repair", "tickets", "train")
SUBJECTS = ("birthday", "holiday", "keys", "meeting", "news", "photos", "question", "recipe", "thanks", "weekend")
BODIES = ("All went well.", "Can you call me?", "I will be late.", "It is done.", "Many thanks!", "See you soon.")
ACCOUNTS = ("checking", "savings", "shared")
DATES = tuple(f"2025-03-{day:02}" for day in range(3, 10))


class Given(NamedTuple):
    """The values a request names."""

    titles: tuple[str, ...]
    dates: tuple[str, ...]
    times: tuple[str, ...]
    people: tuple[str, ...]
    amounts: tuple[int, ...]
    accounts: tuple[str, ...]
    subjects: tuple[str, ...]
    bodies: tuple[str, ...]


class Task(NamedTuple):
    """What is asked for, and of what desk."""

    desk: Desk
    request: str
    goal: Goal
    given: Given
    salt: int
    """Decides which calls fail."""


def draw_task(rng: np.random.Generator, calls: int) -> Task:
    """A task whose shortest solution has exactly `calls` calls before ``finish()``."""
    draft = _Draft(rng, _draw_desk(rng))
    while room := calls - draft.length():
        kinds = [kind for kind, (pool, most) in _KINDS.items() if most <= room and draft.free[pool]]
        kinds[rng.integers(len(kinds))](draft)
    return Task(draft.desk, draft.request(), draft.goal(), draft.names(), salt=int(rng.integers(2**32)))


class _Draft:
    """A request that is being put together, line by line."""

    def __init__(self, rng: np.random.Generator, desk: Desk) -> None:
        self.rng, self.desk = rng, desk
        self.lines: list[str] = []
        self.events = {event.id: event[1:] for event in desk.events}
        self.payments = {payment.id: payment[1:] for payment in desk.payments}
        self.added: list[tuple[str, str, str]] = []
        self.ordered: list[tuple[str, int]] = []
        self.sent: list[Sent] = []
        self.needs: dict[Any, frozenset[Fact]] = {}
        taken = {event.title for event in desk.events}
        self.free: dict[str, list[Any]] = {
            "account": [name for name, _ in desk.balances],
            "bill": list(desk.inbox),
            "event": list(desk.events),
            "payee": list(PAYEES),
            "payment": list(desk.payments),
            "subject": list(SUBJECTS),
            "title": [title for title in TITLES if title not in taken],
        }
        """What no line is about yet."""
        self.given: dict[str, list[Any]] = {field: [] for field in Given._fields}

    def goal(self) -> Goal:
        """The tables once all is done."""
        events = (*self.events.values(), *self.added)
        payments = (*self.payments.values(), *self.ordered)
        return Goal(tuple(sorted(events)), tuple(sorted(payments)), tuple(self.sent), dict(self.needs))

    def length(self) -> int:
        """Calls of the shortest solution."""
        left = calls_left(self.desk, frozenset(), self.goal())
        assert left is not None, "what was drafted can be done"
        return left

    def request(self) -> str:
        """The lines, numbered."""
        lines = [f"{number}. {line}" for number, line in enumerate(self.lines, start=1)]
        return "\n".join(["Do this and nothing else, then call finish():", *lines])

    def names(self) -> Given:
        """The values that the lines name, each once."""
        return Given(**{field: tuple(dict.fromkeys(values)) for field, values in self.given.items()})

    def take(self, pool: str) -> Any:
        """Something no line is about yet."""
        return self.free[pool].pop(int(self.rng.integers(len(self.free[pool]))))

    def pick(self, words: Sequence[str]) -> str:
        """One of some words."""
        return words[int(self.rng.integers(len(words)))]

    def slot(self) -> tuple[str, str]:
        """A date, and a time on the hour, when no event of the desk is."""
        return self.pick(DATES), f"{int(self.rng.integers(8, 20)):02}:00"

    def add(self, line: str, **given: Any) -> None:
        """A line, with the values it names."""
        self.lines.append(line)
        for field, value in given.items():
            self.given[field].append(value)


def _add_event(draft: _Draft) -> None:
    title, (date, time) = draft.take("title"), draft.slot()
    draft.added.append((title, date, time))
    draft.add(f"Enter the event {title!r} on {date} at {time}.", titles=title, dates=date, times=time)


def _move_event(draft: _Draft) -> None:
    event, (date, time) = draft.take("event"), draft.slot()
    draft.events[event.id] = (event.title, date, time)
    draft.add(f"Move the event {event.title!r} of {event.date} to {date} at {time}.", dates=date, times=time)
    draft.given["dates"].append(event.date)


def _cancel_event(draft: _Draft) -> None:
    event = draft.take("event")
    del draft.events[event.id]
    draft.add(f"Cancel the event {event.title!r} of {event.date}.", dates=event.date)


def _tell_time(draft: _Draft) -> None:
    event, to, subject = draft.take("event"), draft.pick(CONTACTS), draft.take("subject")
    mail = Sent(to, subject, event.time)
    draft.sent.append(mail)
    draft.needs[mail] = frozenset({("event", event.id)})
    draft.add(
        f"Send {to} a mail with the subject {subject!r}; its body is the time of the event {event.title!r} of "
        f"{event.date}, such as 08:30.",
        people=to, subjects=subject, dates=event.date,
    )  # fmt: skip


def _tell_balance(draft: _Draft) -> None:
    account, to, subject = draft.take("account"), draft.pick(CONTACTS), draft.take("subject")
    mail = Sent(to, subject, str(dict(draft.desk.balances)[account]))
    draft.sent.append(mail)
    draft.needs[mail] = frozenset({("balance", account)})
    draft.add(
        f"Send {to} a mail with the subject {subject!r}; its body is the balance of the account {account!r}, "
        "the number alone.",
        people=to, subjects=subject, accounts=account,
    )  # fmt: skip


def _send(draft: _Draft) -> None:
    to, subject, body = draft.pick(CONTACTS), draft.take("subject"), draft.pick(BODIES)
    draft.sent.append(Sent(to, subject, body))
    draft.add(f"Send {to} a mail with the subject {subject!r} and the body {body!r}.",
              people=to, subjects=subject, bodies=body)  # fmt: skip


def _pay(draft: _Draft) -> None:
    to, amount = draft.take("payee"), 5 * int(draft.rng.integers(1, 60))
    draft.ordered.append((to, amount))
    draft.add(f"Pay {to} {amount}.", people=to, amounts=amount)


def _pay_bill(draft: _Draft) -> None:
    mail = draft.take("bill")
    payment = (mail.sender, bill_amount(mail))
    draft.ordered.append(payment)
    draft.needs[payment] = frozenset({("body", mail.id)})
    draft.add(f"Pay {mail.sender} the sum that the mail {mail.subject!r} names.", people=mail.sender)


def _withdraw(draft: _Draft) -> None:
    payment = draft.take("payment")
    del draft.payments[payment.id]
    draft.add(f"Withdraw the payment of {payment.amount} to {payment.to}.")


_KINDS: dict[Callable[[_Draft], None], tuple[str, int]] = {
    _add_event: ("title", 1),
    _cancel_event: ("event", 2),
    _move_event: ("event", 2),
    _pay: ("payee", 1),
    _pay_bill: ("bill", 3),
    _send: ("subject", 1),
    _tell_balance: ("account", 2),
    _tell_time: ("event", 2),
    _withdraw: ("payment", 2),
}
"""What a line can ask for: the pool it draws from, and the calls it takes, at most."""


def bill_amount(mail: Mail) -> int:
    """The sum that a mail names."""
    return int(mail.body.split()[3])


def _draw_desk(rng: np.random.Generator) -> Desk:
    """Tables in which all times of events, and all sums, are different."""
    ids = iter(rng.choice(np.arange(100, 1000), size=20, replace=False).tolist())
    minutes = rng.choice(np.arange(8 * 12, 20 * 12), size=48, replace=False).tolist()
    times = iter([f"{each // 12:02}:{each % 12 * 5:02}" for each in minutes if each % 12])  # none on the hour
    titles, bills = rng.permutation(TITLES)[:8].tolist(), rng.permutation(BILLS)[:5].tolist()
    sums = iter([each for each in rng.permutation(np.arange(11, 999)).tolist() if each % 5])
    events = [Event(next(ids), title, _one(rng, DATES), next(times)) for title in titles]
    payments = [Payment(next(ids), name, next(sums)) for name in rng.permutation(CONTACTS)[:4].tolist()]
    inbox = [Mail(next(ids), _one(rng, BILLERS), bill, f"Please pay me {next(sums)} for the {bill}.") for bill in bills]
    balances = [(account, next(sums)) for account in ACCOUNTS]
    return Desk(tuple(events), tuple(payments), (), tuple(inbox), tuple(balances), (*CONTACTS, *BILLERS, *PAYEES))


def _one(rng: np.random.Generator, words: Sequence[str]) -> str:
    return words[int(rng.integers(len(words)))]
