"""Tasks are handed out in order, never too far ahead, and a failure stops everybody."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from agentgym_critic.errors import ConfigError
from agentgym_critic.workers import Schedule, run_workers


def run(schedule: Schedule, parallel: int, act) -> None:
    def work() -> None:
        while (task := schedule.take()) is not None:
            try:
                act(task)
            finally:
                schedule.done(task)

    run_workers(work, schedule, parallel)


@pytest.mark.parametrize("parallel", [1, 4])
def test_every_task_runs_once_in_order_of_start(parallel: int) -> None:
    started: list[int] = []
    run(Schedule(range(30)), parallel, started.append)
    assert sorted(started) == list(range(30))
    if parallel == 1:
        assert started == list(range(30))


def test_a_task_waits_for_all_tasks_a_window_before_it() -> None:
    ended: set[int] = set()
    too_early: list[int] = []

    def act(task: int) -> None:
        too_early.extend(earlier for earlier in range(task - 2) if earlier not in ended)
        time.sleep(0.02 if task == 0 else 0.001)
        ended.add(task)

    run(Schedule(range(20), window=3), 3, act)
    assert too_early == []
    assert ended == set(range(20))


@pytest.mark.parametrize("parallel", [1, 3])
def test_what_a_worker_raises_is_raised_and_stops_the_others(parallel: int) -> None:
    started: list[int] = []

    def act(task: int) -> None:
        started.append(task)
        if task == 2:
            raise ValueError("task 2")
        time.sleep(0.005)

    schedule = Schedule(range(1000))
    with pytest.raises(ValueError, match="task 2"):
        run(schedule, parallel, act)
    assert len(started) < 100


def test_stop_wakes_a_waiting_worker() -> None:
    schedule = Schedule([0, 5], window=1)
    assert schedule.take() == 0
    waiting = threading.Thread(target=schedule.take)
    waiting.start()
    schedule.stop()
    waiting.join(timeout=5)
    assert not waiting.is_alive()
    assert schedule.stopped


def test_too_many_threads_are_refused_and_leave_none_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    start, started = threading.Thread.start, []

    def start_three(thread: threading.Thread) -> None:
        if len(started) == 3:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_three)
    with pytest.raises(
        ConfigError, match=r"no more than 3 threads now \(can't start new thread\), got parallel=8; lower"
    ):
        run(Schedule(range(100_000)), 8, lambda _: time.sleep(0.001))
    assert not any(thread.is_alive() for thread in started)


def test_an_interrupt_waits_for_the_workers_also_for_the_one_it_was_waiting_for() -> None:
    schedule, ended = Schedule(range(3)), []

    def work() -> None:
        first = schedule.take() == 0
        if first:
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        time.sleep(0.6 if first else 0.05)
        ended.append(first)

    with pytest.raises(KeyboardInterrupt):
        run_workers(work, schedule, 3)
    assert sorted(ended) == [False, False, True]
