"""Threads and processes that share a bank, one that holds its lock, and one that is killed."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from agentgym_critic.errors import StoreLockedError
from agentgym_critic.memory import MemoryBank
from agentgym_critic.types import Action, Turn

WRITER = """
import sys
from agentgym_critic.memory import MemoryBank
from agentgym_critic.types import Action, Step, Trajectory, Verdict

path, name, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
def trajectory(index):
    steps = tuple(
        Step(index=step, observation=f"room {step}", action=Action(text=f"do {index}"), next_observation="shared",
             reward=0.0, hindsight=Verdict(p=1.0, critic="c"))
        for step in range(5)
    )
    return Trajectory(id=f"{name}-{index}", env_id="e", task_id="t", task="t", seed=0, steps=steps, end="success",
                      stream_position=index)
with MemoryBank(path) as bank:
    for index in range(number):
        bank.remember(trajectory(index))
        print(index, flush=True)
"""


def start(path: Path, name: str, number: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), name, str(number)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_processes_write_to_one_bank(tmp_path: Path) -> None:
    writers = [start(tmp_path / "a.db", f"w{number}", 20) for number in range(3)]
    for writer in writers:
        writer.communicate()
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    with MemoryBank(tmp_path / "a.db") as bank:
        stats = bank.stats()
        found = bank.recall(Turn(task="t", observation="room 3"), Action(text="do 7"), 1)
    assert (stats.trajectories, stats.sightings, stats.experiences) == (60, 300, 100)
    assert [(each.state, each.action, each.count) for each in found] == [("room 3", "do 7", 3)]


def test_a_killed_process_loses_no_committed_trajectory(tmp_path: Path) -> None:
    writer = start(tmp_path / "a.db", "w", 100_000)
    assert writer.stdout
    done = 0
    while done < 50:
        done = int(writer.stdout.readline())
    writer.send_signal(signal.SIGKILL)
    done = max([done, *(int(line) for line in writer.stdout.read().split())])
    writer.wait()
    writer.stdout.close()
    with MemoryBank(tmp_path / "a.db") as bank:
        assert all(bank.knows(f"w-{index}") for index in range(done + 1))
        stats = bank.stats()
        assert stats.sightings == 5 * stats.trajectories  # whole trajectories only
        assert bank._db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_threads_share_a_bank(tmp_path: Path, reviewed) -> None:
    failures: list[BaseException] = []

    def work(bank: MemoryBank, name: int) -> None:
        try:
            for index in range(20):
                steps = [(f"room {step}", f"do {index}", "shared", 1.0) for step in range(5)]
                bank.remember(reviewed(f"{name}-{index}", steps, position=index))
                assert bank.recall(Turn(task="t", observation="room 3"), Action(text="do 7"), 2)
        except BaseException as failure:
            failures.append(failure)

    with MemoryBank(tmp_path / "a.db") as bank:
        threads = [threading.Thread(target=work, args=(bank, name)) for name in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures
        stats = bank.stats()
    assert (stats.trajectories, stats.sightings, stats.experiences) == (120, 600, 100)


def test_a_lock_held_elsewhere_is_waited_for_and_then_reported(tmp_path: Path, reviewed) -> None:
    trajectory = reviewed("t", [("a", "b", "c", 1.0)])
    with MemoryBank(tmp_path / "a.db", busy_timeout_s=0.1) as bank:
        holder = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreLockedError, match="another process has been writing to it for longer than the busy"):
            bank.remember(trajectory)
        assert bank.recall(Turn(task="t", observation="a"), Action(text="b"), 1) == []  # reading is not blocked
        holder.execute("ROLLBACK")
        holder.close()
        assert bank.remember(trajectory) == 1
