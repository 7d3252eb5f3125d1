"""Tasks played: the contract, typed errors, failing services, snapshots, the oracle's promise."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.envs import check_text_env, make_env
from agentgym_critic.envs.tools import FUNCTIONS, ToolsEnv
from agentgym_critic.errors import ConfigError, EnvError
from agentgym_critic.types import Oracle


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"listed": True},
        {"calls": 1, "error_rate": 0.0, "listed": True},
        {"calls": 12, "error_rate": 0.5, "listed": True, "max_steps": None},
        {"calls": 12, "error_rate": 0.9, "max_steps": 20},
    ],
    ids=str,
)
def test_it_keeps_every_promise(changed: dict[str, Any]) -> None:
    check_text_env(make_env("agentgym_critic/Tools-v0", **changed))


@given(seed=st.integers(0, 100_000), calls=st.integers(1, 12), error_rate=st.sampled_from([0.0, 0.1, 0.5]))
@settings(max_examples=60, deadline=None)
def test_following_the_oracle_succeeds_as_promised(seed: int, calls: int, error_rate: float) -> None:
    env = ToolsEnv(calls=calls, error_rate=error_rate, max_steps=None)
    env.reset(seed=seed)
    told = env.oracle()
    assert told is not None
    failed, promised, left = 0, told.steps_left, told.steps_left
    while left:
        told = env.oracle()
        assert told is not None
        assert told.steps_left == left
        observation, reward, terminated, _, info = env.step(told.actions[-1])
        failed += '"transient"' in observation
        left -= 1
    assert (reward, terminated, info["success"]) == (1.0, True, True)
    assert promised == calls + failed + 1
    assert env.oracle() == Oracle(actions=(), steps_left=0)


def test_the_task_documents_every_function() -> None:
    task = ToolsEnv().reset(seed=0)[1]["task"]
    assert task.startswith("Do this and nothing else, then call finish():\n1. ")
    assert [name for name in FUNCTIONS if f"\n{name}(" not in task] == []


@pytest.mark.parametrize(
    ("action", "kind", "reason"),
    [
        ("pay jon 40", "syntax_error", "expected `(` at character 5, saw 'jon 40'; write one call such as "
         'send_mail(to="ann", subject="hi", body="...")'),
        ("pay(to='jon', amount=1)\nfinish()", "syntax_error", "expected the end: one call a step at character 24, saw "
         '\' finish()\'; write one call such as send_mail(to="ann", subject="hi", body="...")'),
        ("py(to='jon', amount=1)", "unknown_function", "there is no function 'py'; did you mean pay?"),
        ("pay(to='jon')", "missing_argument", "'amount' is missing; it is pay(to: str, amount: int)."),
        ("pay(to='jon', amount='1')", "wrong_type", "amount is a whole number, got '1'."),
        ("finish(now=1)", "unknown_argument", "there is no argument 'now'; it is finish()."),
        ("", "syntax_error", "An action is at least one word, got an empty one."),
        ("f(" * 600, "syntax_error", "An action has at most 1000 characters, got 1200."),
    ],
)  # fmt: skip
def test_what_is_refused_is_a_typed_error(action: str, kind: str, reason: str) -> None:
    env = ToolsEnv()
    _, before = env.reset(seed=0)
    observation, reward, terminated, _, info = env.step(action)
    assert json.loads(observation) == {"error": {"type": kind, "message": reason}}
    assert (info["invalid_reason"], info["state_key"]) == (reason, before["state_key"])
    assert (reward, terminated) == (0.0, False)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ("cancel_event(id=1)", "there is no event 1"),
        ("move_event(id=1, date='2025-03-03', time='10:00')", "there is no event 1"),
        ("cancel_payment(id=1)", "there is no payment 1"),
        ("read_mail(id=1)", "there is no mail 1"),
        ("pay(to='zoe', amount=1)", "'zoe' is none of your contacts: ann, bob, carla, dev, elif, finn, grace, hugo, "
         "ida, jon, kim, lea, max"),
        ("send_mail(to='', subject='', body='')", "'' is none of your contacts: ann, bob, carla, dev, elif, finn, "
         "grace, hugo, ida, jon, kim, lea, max"),
        ("get_balance(account='gold')", "'gold' is none of your accounts: checking, savings, shared"),
    ],
)  # fmt: skip
def test_what_is_not_found_is_a_result(action: str, message: str) -> None:
    env = ToolsEnv(error_rate=0.0)
    env.reset(seed=0)
    desk = env.snapshot().world[1].desk
    observation, _, _, _, info = env.step(action)
    assert json.loads(observation) == {"error": {"type": "not_found", "message": message}}
    assert not info["invalid_action"]
    assert env.snapshot().world[1].desk == desk


def test_results_are_compact_json() -> None:
    env = ToolsEnv(error_rate=0.0)
    env.reset(seed=0)
    assert env.step("add_event(title='é', date='2025-03-04', time='10:00')")[0].endswith(
        ',"title":"é","date":"2025-03-04","time":"10:00"}}'
    )
    assert env.step("list_events(date='2024-01-01')")[0] == '{"ok":[]}'


def test_calls_fail_as_often_as_said_and_change_nothing() -> None:
    failed = 0
    env = ToolsEnv(error_rate=0.25, max_steps=None)
    for seed in range(20):
        env.reset(seed=seed)
        for _ in range(50):
            before = env.snapshot().world[1]
            observation = env.step("add_event(title='a', date='2025-03-03', time='10:00')")[0]
            if "error" in json.loads(observation):
                failed += 1
                assert json.loads(observation)["error"]["type"] == "transient"
                assert env.snapshot().world[1] == before._replace(calls=before.calls + 1)
    assert failed / 1_000 == pytest.approx(0.25, abs=0.05)


def test_illegal_calls_do_not_move_the_failures() -> None:
    env, other = ToolsEnv(error_rate=0.5), ToolsEnv(error_rate=0.5)
    for each in (env, other):
        each.reset(seed=3)
    results = []
    for _ in range(10):
        other.step("nonsense")
        results.append((env.step("list_mail()")[0], other.step("list_mail()")[0]))
    assert all(one == two for one, two in results)
    assert len({one for one, _ in results}) == 2


def test_where_the_next_call_fails_the_oracle_is_not_called_exact() -> None:
    env, seen = ToolsEnv(error_rate=0.5, max_steps=None), set()
    env.reset(seed=0)
    while (told := env.oracle()) and told.steps_left:
        failed = '"transient"' in env.step(told.actions[0])[0]
        assert told.exact != failed
        seen.add(failed)
    assert seen == {True, False}


def test_finishing_early_fails() -> None:
    env = ToolsEnv()
    env.reset(seed=0)
    observation, reward, terminated, _, info = env.step("finish()")
    assert (observation, reward, terminated, info["success"]) == ('{"ok":"not as asked for"}', 0.0, True, False)
    assert env.oracle() is None


def test_one_spelling() -> None:
    env = ToolsEnv()
    assert env.canonical("pay( amount=40,to='jon' )") == 'pay(to="jon", amount=40)'
    assert env.canonical("pay(") == "pay("


def test_a_snapshot_is_good_in_another_instance() -> None:
    env, other = ToolsEnv(error_rate=0.5), ToolsEnv(error_rate=0.5)
    env.reset(seed=1)
    env.step("list_mail()")
    other.reset(seed=2)
    other.restore(pickle.loads(pickle.dumps(env.snapshot())))
    assert other.current() == env.current()
    assert [other.step("list_mail()") for _ in range(5)] == [env.step("list_mail()") for _ in range(5)]


def test_listed_calls_are_all_there_are() -> None:
    env = ToolsEnv(listed=True, error_rate=0.0)
    _, info = env.reset(seed=0)
    assert info["admissible_actions"] == sorted(info["admissible_actions"])
    observation, _, _, _, after = env.step("list_events(date='2024-01-01')")
    assert after["invalid_reason"] == "only calls with values that were named or shown are possible here"
    assert json.loads(observation)["error"]["type"] == "not_listed"
    first = info["admissible_actions"][0]
    assert not env.step(first.replace('"', "'"))[4]["invalid_action"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"calls": 0}, "calls is a whole number from 1 to 12, got 0"),
        ({"calls": 13}, "calls is a whole number from 1 to 12, got 13"),
        ({"calls": "5"}, "calls is a whole number, got '5'"),
        ({"calls": 5, "max_steps": 5}, r"calls=5 and finish\(\) do not fit into max_steps=5; raise max_steps"),
        ({"error_rate": 1.0}, "error_rate is a chance from 0 to 0.9, got 1.0"),
        ({"error_rate": "0.1"}, "error_rate is a number, got '0.1'"),
        ({"error_rate": float("nan")}, "error_rate is a chance from 0 to 0.9, got nan"),
    ],
)
def test_impossible_settings_are_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_env("agentgym_critic/Tools-v0", **changed)


def test_nothing_is_played_before_reset() -> None:
    env = ToolsEnv()
    for ask in (env.current, env.snapshot, env.oracle):
        with pytest.raises(EnvError, match=r"no task is played; call reset\(\) first"):
            ask()


def test_where_no_call_fails_their_number_is_no_part_of_the_state() -> None:
    keys = {}
    for error_rate in (0.0, 0.1):
        env = ToolsEnv(error_rate=error_rate)
        env.reset(seed=0)
        keys[error_rate] = [env.step("list_mail()")[4]["state_key"] for _ in range(3)]
    assert len(set(keys[0.0])) == 1
    assert len(set(keys[0.1])) == 3
