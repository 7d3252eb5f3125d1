"""What is saved comes back exactly; what is committed survives; what is wrong is said."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import msgspec
import pytest
import strategies
from hypothesis import HealthCheck, given, settings
from samples import CONFIG, save_many, simple_trajectory

from agentgym_critic.errors import (
    NewerSchemaError,
    NotAStoreError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    UnknownIdError,
)
from agentgym_critic.store import Failure, RunStore
from agentgym_critic.store.schema import MIGRATIONS
from agentgym_critic.types import Action, Trajectory


@given(trajectory=strategies.trajectory())
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_trajectories_come_back_exactly(trajectory: Trajectory) -> None:
    trajectory = _numbered(trajectory)
    with RunStore(":memory:") as store:
        run = store.start_run(CONFIG)
        assert store.save(trajectory, run, 0)
        assert store.trajectory(trajectory.id) == trajectory
        assert list(store.trajectories(run)) == [trajectory]


def _numbered(trajectory: Trajectory) -> Trajectory:
    """With steps numbered as the loop numbers them."""
    steps = tuple(msgspec.structs.replace(step, index=index) for index, step in enumerate(trajectory.steps))
    return msgspec.structs.replace(trajectory, steps=steps)


def test_runs_and_failures_come_back_exactly() -> None:
    with RunStore(":memory:") as store:
        run = store.start_run(CONFIG, stream_start=7, versions={"python": "3.11"})
        assert store.runs() == [run]
        assert store.run() == store.run(run.id) == run
        garbled = Failure(episode=4, seed=7, component="env \ud800", error="ValueError", message="no\ud800")
        store.record_failure(garbled, run)
        [failure] = store.failures(run)
        assert (failure.episode, failure.message) == (4, "no\ufffd")
        assert failure.failed_at


def test_text_that_is_no_unicode_costs_no_episode() -> None:
    trajectory = simple_trajectory()
    bad = msgspec.structs.replace(trajectory.steps[0], action=Action(text="go \udcff", raw="\udcff\0"))
    with RunStore(":memory:") as store:
        store.save(msgspec.structs.replace(trajectory, steps=(bad,)), store.start_run(CONFIG), 0)
        assert store.trajectory("t").steps[0].action.raw == "\ufffd\ufffd"


def test_an_episode_is_committed_once() -> None:
    with RunStore(":memory:") as store:
        run = store.start_run(CONFIG)
        assert store.save(simple_trajectory("first"), run, 0)
        assert not store.save(simple_trajectory("second"), run, 0)
        assert store.committed(run) == {0}
        assert store.last_id() == "first"


def test_the_tables_can_be_queried_directly(tmp_path: Path) -> None:
    with RunStore(tmp_path / "a.db") as store:
        store.save(simple_trajectory(), store.start_run(CONFIG), 0)
    with sqlite3.connect(tmp_path / "a.db") as connection:
        rows = connection.execute(
            "SELECT s.action, s.reward, v.p FROM steps s JOIN verdicts v USING (trajectory_id, step)"
            " WHERE v.role = 'pre' ORDER BY step"
        ).fetchall()
    connection.close()
    assert rows == [("go", 0.5, 0.25), ("go", 0.5, 0.25)]


def test_unknown_ids_suggest_the_nearest() -> None:
    with RunStore(":memory:") as store:
        with pytest.raises(StoreError, match="holds no runs yet; `agentgym-critic run --out :memory:` makes one"):
            store.run()
        with pytest.raises(StoreError, match=":memory: holds no trajectories yet"):
            store.last_id()
        run = store.start_run(CONFIG)
        store.save(simple_trajectory("abcdef-00001"), run, 1)
        with pytest.raises(UnknownIdError, match=r"There is no trajectory 'abcdef-0001'\. Did you mean 'abcdef-00001'"):
            store.trajectory("abcdef-0001")
        with pytest.raises(UnknownIdError, match=f"There is no run .* Did you mean '{run.id}'"):
            store.run(run.id[:-1] + "x")


def test_a_file_that_is_no_store_is_refused_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("my notes, longer than a header of SQLite would be: " * 20)
    before = path.read_bytes()
    with pytest.raises(NotAStoreError, match=r"notes\.txt is not an SQLite file"):
        RunStore(path)
    assert path.read_bytes() == before


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    RunStore(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    with pytest.raises(NewerSchemaError, match=f"schema version {len(MIGRATIONS) + 1}.*upgrade it"):
        RunStore(path)


def test_a_damaged_row_is_named(tmp_path: Path) -> None:
    with RunStore(tmp_path / "a.db") as store:
        store.save(simple_trajectory(), store.start_run(CONFIG), 0)
        with sqlite3.connect(tmp_path / "a.db") as connection:
            connection.execute("""UPDATE verdicts SET record = '{"p": 7, "critic": "x"}'""")
        connection.close()
        with pytest.raises(NotAStoreError, match=r"a row is damaged \(.*probability in \[0, 1\], got 7"):
            store.trajectory("t")


def test_a_store_locked_by_another_process_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with RunStore(path, busy_timeout_s=0.1) as store:
        run = store.start_run(CONFIG)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreLockedError, match=r"a\.db is locked: another process"):
            store.save(simple_trajectory(), run, 0)
        other.execute("ROLLBACK")
        other.close()
        assert store.save(simple_trajectory(), run, 0)


def test_a_full_disk_says_so_and_loses_nothing(tmp_path: Path) -> None:
    with RunStore(tmp_path / "a.db") as store:
        run = store.start_run(CONFIG)
        store.save(simple_trajectory("kept"), run, 0)
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(f"PRAGMA max_page_count = {pages + 1}")
        with pytest.raises(StoreFullError, match="the disk is full"):
            store.save(simple_trajectory("too much", steps=500), run, 1)
        assert [trajectory.id for trajectory in store.trajectories()] == ["kept"]


def test_several_processes_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with RunStore(path) as store:
        run = store.start_run(CONFIG)
        context = multiprocessing.get_context("spawn")
        # Each pair overlaps by half: an episode is committed by whoever is first.
        workers = [context.Process(target=save_many, args=(path, run.id, 20 * number, 40)) for number in range(3)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
            assert worker.exitcode == 0
        assert store.committed(run) == set(range(80))
        assert len(list(store.trajectories(run))) == 80


def test_threads_share_a_store() -> None:
    with RunStore(":memory:") as store:
        run = store.start_run(CONFIG)
        threads = [
            threading.Thread(target=store.save, args=(simple_trajectory(f"t{number}"), run, number))
            for number in range(20)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert store.committed(run) == set(range(20))


def test_a_killed_writer_loses_no_committed_episode(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    program = textwrap.dedent(f"""
        import sys
        sys.path.insert(0, {str(Path(__file__).parents[1])!r})
        from samples import CONFIG, simple_trajectory
        from agentgym_critic.store import RunStore
        store = RunStore({str(path)!r})
        run = store.start_run(CONFIG)
        for episode in range(100_000):
            store.save(simple_trajectory(f"t{{episode}}", steps=40), run, episode)
            print(episode, flush=True)
    """)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for line in writer.stdout:
            if int(line) == 20:
                break
        time.sleep(0.01)  # into the middle of a later transaction
        os.kill(writer.pid, signal.SIGKILL)
        reported = [20, *(int(line) for line in writer.stdout if line.strip().isdigit())]
    with RunStore(path) as store:
        saved = list(store.trajectories())
        assert len(saved) >= max(reported) + 1
        assert all(len(trajectory.steps) == 40 for trajectory in saved)
        assert store._db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "a.db")
    run = store.start_run(CONFIG)
    store.close()
    store.close()
    for use in (store.runs, store.last_id, lambda: store.save(simple_trajectory(), run, 0)):
        with pytest.raises(StoreError, match=r"the run store .*a\.db is closed; open it again"):
            use()
