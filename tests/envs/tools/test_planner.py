"""The planner against exhaustive search over all calls with known values."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.envs.tools.calls import read_call
from agentgym_critic.envs.tools.desk import Desk, Event, Fact, Mail, Payment, Sent, carry_out
from agentgym_critic.envs.tools.listing import listed_calls
from agentgym_critic.envs.tools.planner import Goal, calls_left, next_calls
from agentgym_critic.envs.tools.tasks import Given, Task, draw_task

State = tuple[Desk, frozenset[Fact]]


def content(desk: Desk) -> tuple[object, ...]:
    """The tables without identities and order."""
    return (
        sorted(event[1:] for event in desk.events),
        sorted(payment[1:] for payment in desk.payments),
        sorted(desk.sent),
    )


def solved(desk: Desk, goal: Goal) -> bool:
    return content(desk) == (sorted(goal.events), sorted(goal.payments), sorted(goal.sent))


def after(state: State, text: str) -> State:
    done = carry_out(state[0], read_call(text))
    return done.desk, state[1] | done.shown


def searched(state: State, task: Task, most: int) -> int | None:
    """The fewest calls to the goal, by looking at all states that so many calls lead to."""
    layer, known = {state}, {state}
    for calls in range(most + 1):
        if any(solved(desk, task.goal) for desk, _ in layer):
            return calls
        reached = {after(each, text) for each in layer for text in listed_calls(*each, task) if text != "finish()"}
        layer = reached - known
        known |= layer
    return None


@pytest.mark.parametrize("calls", [1, 2, 3])
def test_tasks_have_the_length_asked_for_and_no_shorter_way(calls: int) -> None:
    for seed in range(12):
        task = draw_task(np.random.default_rng(seed), calls)
        assert calls_left(task.desk, frozenset(), task.goal) == calls
        assert searched((task.desk, frozenset()), task, calls) == calls


@given(seed=st.integers(0, 100_000), calls=st.integers(1, 4), strayed=st.integers(0, 3), left=st.integers(0, 2))
@settings(max_examples=40, deadline=None)
def test_off_the_way_it_agrees_with_exhaustive_search(seed: int, calls: int, strayed: int, left: int) -> None:
    """From states that random calls and then the planner's own lead to, where up to three calls are left."""
    task, rng = draw_task(np.random.default_rng(seed), calls), random.Random(seed)
    state = (task.desk, frozenset[Fact]())
    for _ in range(strayed):
        state = after(state, rng.choice([text for text in listed_calls(*state, task) if text != "finish()"]))
    while (told := calls_left(*state, task.goal)) is not None and told > left:
        state = after(state, rng.choice(next_calls(*state, task.goal)))
    assert searched(state, task, 2) == told
    if told:
        best = [text for text in listed_calls(*state, task) if text != "finish()"
                and searched(after(state, text), task, told - 1) == told - 1]  # fmt: skip
        assert list(next_calls(*state, task.goal)) == best


DESK = Desk(
    events=(Event(1, "gym", "2025-03-03", "08:05"), Event(2, "exam", "2025-03-03", "09:05")),
    payments=(Payment(5, "ann", 12),),
    sent=(),
    inbox=(Mail(7, "ida", "rent", "Please pay me 137 for the rent."),),
    balances=(("savings", 512),),
    contacts=("ann", "ida"),
)
GYM, EXAM = DESK.events[0][1:], DESK.events[1][1:]
ANN = DESK.payments[0][1:]


def goal(events=(GYM, EXAM), payments=(ANN,), sent=(), needs=()) -> Goal:  # type: ignore[no-untyped-def]
    return Goal(tuple(events), tuple(payments), tuple(sent), dict(needs))


LATER = ("gym", "2025-03-04", "10:00")
TOLD = Sent("ann", "hi", "512")


@pytest.mark.parametrize(
    ("wanted", "left", "first"),
    [
        (goal(), 0, ()),
        (goal(events=[LATER, EXAM]), 2, ('list_events(date="2025-03-03")',)),
        (goal(events=[]), 3, ('list_events(date="2025-03-03")',)),  # one lookup for both
        (goal(payments=[]), 2, ("list_payments()",)),
        (goal(payments=[ANN, ("ida", 137)], needs={("ida", 137): frozenset({("body", 7)})}), 3, ("list_mail()",)),
        (goal(sent=[TOLD], needs={TOLD: frozenset({("balance", "savings")})}), 2, ('get_balance(account="savings")',)),
        (goal(sent=[TOLD]), 1, ('send_mail(to="ann", subject="hi", body="512")',)),
        (goal(events=[GYM, GYM, EXAM]), 1, ('add_event(title="gym", date="2025-03-03", time="08:05")',)),
    ],
)
def test_small_cases(wanted: Goal, left: int, first: tuple[str, ...]) -> None:
    assert calls_left(DESK, frozenset(), wanted) == left
    assert next_calls(DESK, frozenset(), wanted) == first


def test_of_rows_alike_the_known_one_goes() -> None:
    twice = carry_out(DESK, read_call('add_event(title="gym", date="2025-03-03", time="08:05")'))
    new = twice.desk.events[-1].id
    assert next_calls(twice.desk, twice.shown, goal()) == (f"cancel_event(id={new})",)
    both = twice.shown | {("event", 1)}
    assert next_calls(twice.desk, both, goal()) == ("cancel_event(id=1)", f"cancel_event(id={new})")
    assert calls_left(twice.desk, twice.shown, goal()) == 1


def test_of_rows_alike_an_unknown_one_may_stay() -> None:
    twice = DESK._replace(events=(Event(9, *GYM), *DESK.events))
    assert calls_left(twice, frozenset({("event", 9)}), goal()) == 1
    assert next_calls(twice, frozenset({("event", 9)}), goal()) == ("cancel_event(id=9)",)
    assert calls_left(twice, frozenset(), goal()) == 2


def test_a_mail_too_many_is_final() -> None:
    sent = carry_out(DESK, read_call('send_mail(to="ann", subject="hi", body="512")')).desk
    assert calls_left(sent, frozenset(), goal()) is None
    assert next_calls(sent, frozenset(), goal()) == ()


def test_what_can_no_longer_be_looked_up_is_hopeless() -> None:
    need = {TOLD: frozenset({("event", 1)})}
    gone = DESK._replace(events=DESK.events[1:])
    assert calls_left(gone, frozenset(), goal(events=[EXAM], sent=[TOLD], needs=need)) is None


def test_requests_name_no_value_that_is_to_be_looked_up() -> None:
    for seed in range(200):
        task = draw_task(np.random.default_rng(seed), 12)
        named = {str(value) for values in Given(*task.given) for value in values}
        secret = {event.time for event in task.desk.events} | {str(sum_) for _, sum_ in task.desk.balances}
        secret |= {mail.body.split()[3] for mail in task.desk.inbox}
        assert not named & secret
        assert len({event.time for event in task.desk.events}) == len(task.desk.events)
