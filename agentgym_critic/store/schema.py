"""The tables of a run store, and records as their rows.

The tables are made to be queried directly: one row a trajectory, a step, a verdict. The column
`record` holds the exact JSON of what the row stands for, less what other tables hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from sqlite_utils import Database

from agentgym_critic.store.records import Failure, Run, RunConfig
from agentgym_critic.types import Step, Trajectory, Verdict, clean_text, from_json, to_json

__all__ = [
    "MIGRATIONS",
    "failure_row",
    "insert",
    "run_from_row",
    "run_row",
    "step_rows",
    "trajectory_from_rows",
    "trajectory_row",
    "verdict_rows",
]

Row = tuple[Any, ...]


def m001_runs(db: Database) -> None:
    """Runs, trajectories, steps, verdicts and failures."""
    db.table("runs").create(
        {"id": str, "created_at": str, "stream_start": int, "config": str, "versions": str}, pk="id"
    )
    db.table("trajectories").create(
        {
            "id": str,
            "run_id": str,
            "episode": int,
            "task_id": str,
            "seed": int,
            "end": str,
            "success": int,
            "episode_return": float,
            "step_count": int,
            "tokens": int,
            "seconds": float,
            "record": str,
        },
        pk="id",
        foreign_keys=[("run_id", "runs", "id")],
    )
    db.table("trajectories").create_index(["run_id", "episode"], unique=True)
    db.table("steps").create(
        {"trajectory_id": str, "step": int, "action": str, "reward": float, "invalid_action": int, "record": str},
        pk=("trajectory_id", "step"),
        foreign_keys=[("trajectory_id", "trajectories", "id")],
    )
    db.table("verdicts").create(
        {"trajectory_id": str, "step": int, "role": str, "critic": str, "p": float, "failure": str, "record": str},
        pk=("trajectory_id", "step", "role"),
        foreign_keys=[("trajectory_id", "trajectories", "id")],
    )
    db.table("failures").create(
        {"run_id": str, "episode": int, "component": str, "error": str, "message": str, "record": str},
        foreign_keys=[("run_id", "runs", "id")],
    )


MIGRATIONS = (m001_runs,)


def insert(table: str, columns: int) -> str:
    """The statement that adds a full row."""
    return f"INSERT INTO {table} VALUES ({', '.join('?' * columns)})"  # noqa: S608 - both are ours


def run_row(run: Run) -> Row:
    """A run as a row of `runs`."""
    return (run.id, run.created_at, run.stream_start, _json(run.config), _json(run.versions))


def run_from_row(row: Sequence[Any]) -> Run:
    """The run that `run_row` wrote."""
    return Run(
        id=row[0],
        created_at=row[1],
        stream_start=row[2],
        config=from_json(row[3], RunConfig),
        versions=from_json(row[4], dict[str, str]),
    )


def failure_row(failure: Failure, run: Run) -> Row:
    """A failure as a row of `failures`."""
    texts = map(clean_text, (failure.component, failure.error, failure.message))
    return (run.id, failure.episode, *texts, _json(failure))


def trajectory_row(trajectory: Trajectory, run: Run, episode: int) -> Row:
    """A trajectory, without its steps, as a row of `trajectories`."""
    return (
        trajectory.id,
        run.id,
        episode,
        clean_text(trajectory.task_id),
        trajectory.seed,
        trajectory.end,
        int(trajectory.success),
        trajectory.episode_return,
        len(trajectory.steps),
        trajectory.cost.tokens,
        trajectory.seconds,
        _json(msgspec.structs.replace(trajectory, steps=())),
    )


def step_rows(trajectory: Trajectory) -> list[Row]:
    """The steps, without their verdicts, as rows of `steps`."""
    return [
        (
            trajectory.id,
            step.index,
            clean_text(step.action.text),
            step.reward,
            int(step.invalid_action),
            _json(msgspec.structs.replace(step, verdict=None, hindsight=None)),
        )
        for step in trajectory.steps
    ]


def verdict_rows(trajectory: Trajectory) -> list[Row]:
    """Both verdicts of every step as rows of `verdicts`."""
    return [
        (trajectory.id, step.index, role, clean_text(verdict.critic), verdict.p, verdict.failure, _json(verdict))
        for step in trajectory.steps
        for role, verdict in (("pre", step.verdict), ("hindsight", step.hindsight))
        if verdict
    ]


def trajectory_from_rows(record: str, steps: Iterable[str], verdicts: Iterable[tuple[int, str, str]]) -> Trajectory:
    """The trajectory that the three functions above wrote.

    Args:
        record: its own JSON.
        steps: the JSON of its steps, in order.
        verdicts: step number, role and JSON of its verdicts, in any order.
    """
    judged = {(step, role): from_json(verdict, Verdict) for step, role, verdict in verdicts}
    whole = tuple(
        msgspec.structs.replace(
            step, verdict=judged.get((step.index, "pre")), hindsight=judged.get((step.index, "hindsight"))
        )
        for step in (from_json(text, Step) for text in steps)
    )
    return msgspec.structs.replace(from_json(record, Trajectory), steps=whole)


def _json(record: Any) -> str:
    return to_json(record).decode()
