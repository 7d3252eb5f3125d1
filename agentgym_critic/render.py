"""A trajectory, and a run, as a person reads them in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from agentgym_critic.assembly import RunReport
from agentgym_critic.demo import DemoReport
from agentgym_critic.evaluation import Summary
from agentgym_critic.types import Experience, Intervention, Step, Trajectory, Verdict

__all__ = ["printable", "render_demo", "render_experiences", "render_report", "render_summaries", "render_trajectory"]

_CONTROLS = {code: "\ufffd" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}


def printable(text: str) -> str:
    """Text without the control characters that could steer a terminal."""
    return text.translate(_CONTROLS)


def render_trajectory(trajectory: Trajectory) -> RenderableType:
    """Every step with what was seen and done, and both verdicts beside it."""
    table = Table(show_lines=True, expand=True)
    table.add_column("step", justify="right")
    table.add_column("what was seen and done", ratio=3)
    table.add_column("before", ratio=2)
    table.add_column("in hindsight", ratio=2)
    for step in trajectory.steps:
        table.add_row(str(step.index), _deed(step), _verdict(step.verdict), _verdict(step.hindsight))
    return Group(*_heading(trajectory), table, *_ending(trajectory))


def render_report(report: RunReport) -> RenderableType:
    """What a run came to, where it is, and how to look at it."""
    lines = [f"run {report.run} of {report.env} in {report.out}: {report.played} episodes played, {report.found} found"]
    if report.bank:
        lines.append(f"memory bank {report.bank}")
    lines += [f"failed: episode {failure.episode}: {failure.message}" for failure in report.failures]
    lines.append(f"look at an episode: agentgym-critic show {report.out} --last")
    return Group(render_summaries([(report.run, report.summary)]), *map(_text, lines))


def render_demo(report: DemoReport) -> RenderableType:
    """What the demo came to, where it is, and how to look at it."""
    first = report.runs[0]
    return Group(
        _text(f"model {report.model}, from {report.model_source}"),
        render_summaries([(run.env.partition("/")[2], run.summary) for run in report.runs]),
        _text(f"run store {first.out}, memory bank {first.bank}"),
        _text(f"look at an episode: agentgym-critic show {first.out} --last"),
    )


def render_experiences(experiences: Iterable[Experience]) -> Table:
    """Experiences, one a row."""
    table = Table(show_lines=True)
    for name in ("polarity", "p", "seen", "task", "state", "action", "outcome"):
        table.add_column(name)
    for each in experiences:
        texts = (each.task, each.state, each.action, each.outcome)
        table.add_row(each.polarity, f"{each.p:.2f}", str(each.count), *map(_text, texts))
    return table


def render_summaries(summaries: Iterable[tuple[str, Summary]]) -> Table:
    """Runs, one a row."""
    table = Table()
    for name in ("", "episodes", "success", "steps", "p before", "p after", "agree", "unscored", "tokens", "seconds"):
        table.add_column(name, justify="right" if name else "left")
    for name, summary in summaries:
        table.add_row(
            name,
            str(summary.episodes),
            _percent(summary.success),
            str(summary.steps),
            _number(summary.p_before),
            _number(summary.p_after),
            f"{_percent(summary.agreement)} of {summary.compared}",
            str(summary.unscored_before + summary.unscored_after),
            f"{summary.tokens:,}",
            f"{summary.seconds:.1f}",
        )
    return table


def _heading(trajectory: Trajectory) -> Iterator[RenderableType]:
    yield _text(f"{trajectory.id}  {trajectory.env_id}", style="bold")
    yield _text(f"task    {trajectory.task}  ({trajectory.task_id}, seed {trajectory.seed})")
    yield _text(f"agent   {trajectory.agent}")
    yield _text(f"critics {trajectory.critic or 'none'} before, {trajectory.hindsight_critic or 'none'} in hindsight")


def _ending(trajectory: Trajectory) -> Iterator[RenderableType]:
    if trajectory.steps:
        yield _text(trajectory.steps[-1].next_observation, style="dim")
    style = "bold green" if trajectory.success else "bold red"
    yield Text(
        f"{trajectory.end} after {_count(len(trajectory.steps), 'step')}, return {trajectory.episode_return:g}, "
        f"{trajectory.cost.tokens:,} tokens, {trajectory.seconds:.1f} s",
        style=style,
    )


def _deed(step: Step) -> RenderableType:
    lines: list[RenderableType] = [_text(step.observation, style="dim")]
    if step.action.thought:
        lines.append(_text(f"thought: {step.action.thought}", style="italic"))
    lines += [_rejected(intervention) for intervention in step.interventions]
    lines.append(_text(f"> {step.action.text}", style="bold"))
    if step.invalid_action:
        lines.append(_text(f"illegal: {step.invalid_reason}", style="red"))
    if step.reward:
        lines.append(Text(f"reward {step.reward:+g}", style="green" if step.reward > 0 else "red"))
    return Group(*lines)


def _rejected(intervention: Intervention) -> RenderableType:
    line = _text(f"> {intervention.action.text}  ({intervention.kind})", style="strike")
    return Group(line, Padding(_verdict(intervention.verdict), (0, 0, 0, 2)))


def _verdict(verdict: Verdict | None) -> Text:
    if verdict is None:
        return Text("")
    if verdict.p is None:
        return _text(f"unscored: {verdict.failure}\n{verdict.failure_detail}", style="yellow")
    style = {"productive": "green", "unproductive": "red", None: ""}[verdict.label]
    text = Text(f"p={verdict.p:.2f} {verdict.label or 'undecided'}", style=style)
    if verdict.recalled:
        text.append(f"\nrecalled {len(verdict.recalled)} experiences", style="dim")
    if verdict.critique:
        text.append(f"\n{printable(verdict.critique)}", style="default")
    return text


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _text(text: str, style: str = "") -> Text:
    return Text(printable(text), style=style)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
