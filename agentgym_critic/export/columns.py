"""The columns of the Parquet file: one row a step, with the trajectory's columns repeated.

Knows no Parquet: types are the names of Arrow types. ``docs/export.md`` documents every column.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from agentgym_critic.types import Step, Trajectory, Verdict, undone_by

__all__ = ["COLUMNS", "Column", "rows"]


class Column(NamedTuple):
    """One column."""

    name: str
    type: str
    """An Arrow type, as `agentgym_critic.export.parquet` spells it."""
    path: str
    """Where the value is, from the row on; null if anything on the way is None."""


class _Row(NamedTuple):
    """A step and the trajectory it is from."""

    trajectory: Trajectory
    step: Step

    @property
    def before(self) -> Verdict | None:
        return self.step.verdict

    @property
    def after(self) -> Verdict | None:
        return self.step.hindsight

    @property
    def episode_steps(self) -> int:
        return len(self.trajectory.steps)

    @property
    def rejected_kinds(self) -> list[str]:
        return [intervention.kind for intervention in self.step.interventions]

    @property
    def rejected_actions(self) -> list[str]:
        return [intervention.action.text for intervention in self.step.interventions]

    @property
    def rejected_p(self) -> list[float | None]:
        return [intervention.verdict.p for intervention in self.step.interventions]

    @property
    def rejected_dropped(self) -> list[str]:
        return [intervention.dropped for intervention in self.step.interventions]

    @property
    def undone_actions(self) -> list[str]:
        return [step.action.text for step in undone_by(self.step.interventions)]


def _cost(of: str, path: str) -> list[Column]:
    return [
        Column(f"calls_{of}", "int64", f"{path}.calls"),
        Column(f"prompt_tokens_{of}", "int64", f"{path}.prompt_tokens"),
        Column(f"completion_tokens_{of}", "int64", f"{path}.completion_tokens"),
        Column(f"seconds_{of}", "float64", f"{path}.seconds"),
        Column(f"env_steps_{of}", "int64", f"{path}.env_steps"),
    ]


def _verdict(when: str) -> list[Column]:
    return [
        Column(f"p_{when}", "float64", f"{when}.p"),
        Column(f"critic_{when}", "string", f"{when}.critic"),
        Column(f"critic_version_{when}", "string", f"{when}.version"),
        Column(f"failure_{when}", "string", f"{when}.failure"),
        Column(f"failure_detail_{when}", "string", f"{when}.failure_detail"),
        Column(f"critique_{when}", "string", f"{when}.critique"),
        Column(f"suggestion_{when}", "string", f"{when}.suggestion"),
        Column(f"dimensions_{when}", "map<string, float64>", f"{when}.dimensions"),
        Column(f"votes_{when}", "list<float64>", f"{when}.votes"),
        Column(f"recalled_{when}", "list<string>", f"{when}.recalled"),
        *_cost(when, f"{when}.cost"),
    ]


COLUMNS: list[Column] = [
    Column("trajectory_id", "string", "trajectory.id"),
    Column("group_id", "string", "trajectory.group_id"),
    Column("env_id", "string", "trajectory.env_id"),
    Column("env_version", "string", "trajectory.env_version"),
    Column("task_id", "string", "trajectory.task_id"),
    Column("task", "string", "trajectory.task"),
    Column("seed", "int64", "trajectory.seed"),
    Column("agent", "string", "trajectory.agent"),
    Column("critic", "string", "trajectory.critic"),
    Column("hindsight_critic", "string", "trajectory.hindsight_critic"),
    Column("end", "string", "trajectory.end"),
    Column("episode_steps", "int64", "episode_steps"),
    Column("episode_return", "float64", "trajectory.episode_return"),
    Column("episode_seconds", "float64", "trajectory.seconds"),
    Column("stream_position", "int64", "trajectory.stream_position"),
    Column("schema_version", "int64", "trajectory.schema_version"),
    Column("step", "int64", "step.index"),
    Column("observation", "string", "step.observation"),
    Column("admissible_actions", "list<string>", "step.admissible_actions"),
    Column("action", "string", "step.action.text"),
    Column("thought", "string", "step.action.thought"),
    Column("raw", "string", "step.action.raw"),
    Column("token_ids", "list<int64>", "step.action.token_ids"),
    Column("logprobs", "list<float64>", "step.action.logprobs"),
    Column("problem", "string", "step.action.problem"),
    Column("dropped_turns", "int64", "step.action.dropped_turns"),
    *_cost("agent", "step.action.cost"),
    Column("rejected_kinds", "list<string>", "rejected_kinds"),
    Column("rejected_actions", "list<string>", "rejected_actions"),
    Column("rejected_p", "list<float64>", "rejected_p"),
    Column("rejected_dropped", "list<string>", "rejected_dropped"),
    Column("undone_actions", "list<string>", "undone_actions"),
    Column("next_observation", "string", "step.next_observation"),
    Column("reward", "float64", "step.reward"),
    Column("terminated", "bool", "step.terminated"),
    Column("truncated", "bool", "step.truncated"),
    Column("success", "bool", "step.success"),
    Column("invalid_action", "bool", "step.invalid_action"),
    Column("invalid_reason", "string", "step.invalid_reason"),
    Column("state_key", "string", "step.state_key"),
    Column("next_state_key", "string", "step.next_state_key"),
    *_verdict("before"),
    *_verdict("after"),
]


def rows(trajectory: Trajectory) -> Iterator[dict[str, Any]]:
    """One row a step."""
    for step in trajectory.steps:
        row = _Row(trajectory, step)
        yield {column.name: _value(row, column.path) for column in COLUMNS}


def _value(row: _Row, path: str) -> Any:
    value: Any = row
    for name in path.split("."):
        if value is None:
            return None
        value = getattr(value, name)
    return list(value.items()) if isinstance(value, dict) else value
