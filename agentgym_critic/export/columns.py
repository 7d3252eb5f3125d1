"""The columns of the Parquet file: one row a step, with the trajectory's columns repeated.

Knows no Parquet: types are the names of Arrow types. ``docs/export.md`` documents every column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from agentgym_critic.types import Step, Trajectory, Verdict

__all__ = ["COLUMNS", "Column", "rows"]

Value = Callable[[Trajectory, Step], Any]


class Column(NamedTuple):
    """One column."""

    name: str
    type: str
    """An Arrow type, as `agentgym_critic.export.parquet` spells it."""
    value: Value


def _of_verdict(when: str, verdict_of: Callable[[Step], Verdict | None]) -> list[Column]:
    """The columns of the pre-operative (``before``) or the hindsight verdict (``after``)."""

    def column(name: str, type: str, value: Callable[[Verdict], Any]) -> Column:
        def of_step(trajectory: Trajectory, step: Step) -> Any:
            verdict = verdict_of(step)
            return None if verdict is None else value(verdict)

        return Column(f"{name}_{when}", type, of_step)

    return [
        column("p", "float64", lambda verdict: verdict.p),
        column("critic", "string", lambda verdict: verdict.critic),
        column("critic_version", "string", lambda verdict: verdict.version),
        column("failure", "string", lambda verdict: verdict.failure),
        column("failure_detail", "string", lambda verdict: verdict.failure_detail),
        column("critique", "string", lambda verdict: verdict.critique),
        column("suggestion", "string", lambda verdict: verdict.suggestion),
        column("dimensions", "map<string, float64>", lambda verdict: list(verdict.dimensions.items())),
        column("votes", "list<float64>", lambda verdict: verdict.votes),
        column("recalled", "list<string>", lambda verdict: verdict.recalled),
        column("calls", "int64", lambda verdict: verdict.cost.calls),
        column("prompt_tokens", "int64", lambda verdict: verdict.cost.prompt_tokens),
        column("completion_tokens", "int64", lambda verdict: verdict.cost.completion_tokens),
        column("seconds", "float64", lambda verdict: verdict.cost.seconds),
    ]


def _rejected_p(trajectory: Trajectory, step: Step) -> list[float | None]:
    return [intervention.verdict.p for intervention in step.interventions]


COLUMNS: list[Column] = [
    Column("trajectory_id", "string", lambda trajectory, step: trajectory.id),
    Column("group_id", "string", lambda trajectory, step: trajectory.group_id),
    Column("env_id", "string", lambda trajectory, step: trajectory.env_id),
    Column("env_version", "string", lambda trajectory, step: trajectory.env_version),
    Column("task_id", "string", lambda trajectory, step: trajectory.task_id),
    Column("task", "string", lambda trajectory, step: trajectory.task),
    Column("seed", "int64", lambda trajectory, step: trajectory.seed),
    Column("agent", "string", lambda trajectory, step: trajectory.agent),
    Column("critic", "string", lambda trajectory, step: trajectory.critic),
    Column("hindsight_critic", "string", lambda trajectory, step: trajectory.hindsight_critic),
    Column("end", "string", lambda trajectory, step: trajectory.end),
    Column("episode_steps", "int64", lambda trajectory, step: len(trajectory.steps)),
    Column("episode_return", "float64", lambda trajectory, step: trajectory.episode_return),
    Column("episode_seconds", "float64", lambda trajectory, step: trajectory.seconds),
    Column("stream_position", "int64", lambda trajectory, step: trajectory.stream_position),
    Column("schema_version", "int64", lambda trajectory, step: trajectory.schema_version),
    Column("step", "int64", lambda trajectory, step: step.index),
    Column("observation", "string", lambda trajectory, step: step.observation),
    Column("admissible_actions", "list<string>", lambda trajectory, step: step.admissible_actions),
    Column("action", "string", lambda trajectory, step: step.action.text),
    Column("thought", "string", lambda trajectory, step: step.action.thought),
    Column("raw", "string", lambda trajectory, step: step.action.raw),
    Column("token_ids", "list<int64>", lambda trajectory, step: step.action.token_ids),
    Column("logprobs", "list<float64>", lambda trajectory, step: step.action.logprobs),
    Column("problem", "string", lambda trajectory, step: step.action.problem),
    Column("dropped_turns", "int64", lambda trajectory, step: step.action.dropped_turns),
    Column("calls_agent", "int64", lambda trajectory, step: step.action.cost.calls),
    Column("prompt_tokens_agent", "int64", lambda trajectory, step: step.action.cost.prompt_tokens),
    Column("completion_tokens_agent", "int64", lambda trajectory, step: step.action.cost.completion_tokens),
    Column("seconds_agent", "float64", lambda trajectory, step: step.action.cost.seconds),
    Column("rejected_kinds", "list<string>", lambda trajectory, step: [done.kind for done in step.interventions]),
    Column(
        "rejected_actions", "list<string>", lambda trajectory, step: [done.action.text for done in step.interventions]
    ),
    Column("rejected_p", "list<float64>", _rejected_p),
    Column("next_observation", "string", lambda trajectory, step: step.next_observation),
    Column("reward", "float64", lambda trajectory, step: step.reward),
    Column("terminated", "bool", lambda trajectory, step: step.terminated),
    Column("truncated", "bool", lambda trajectory, step: step.truncated),
    Column("success", "bool", lambda trajectory, step: step.success),
    Column("invalid_action", "bool", lambda trajectory, step: step.invalid_action),
    Column("invalid_reason", "string", lambda trajectory, step: step.invalid_reason),
    Column("state_key", "string", lambda trajectory, step: step.state_key),
    Column("next_state_key", "string", lambda trajectory, step: step.next_state_key),
    *_of_verdict("before", lambda step: step.verdict),
    *_of_verdict("after", lambda step: step.hindsight),
]


def rows(trajectory: Trajectory) -> Iterator[dict[str, Any]]:
    """One row a step."""
    for step in trajectory.steps:
        yield {column.name: column.value(trajectory, step) for column in COLUMNS}
