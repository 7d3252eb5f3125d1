"""A trajectory, and a run, as a person reads them in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from agentgym_critic.assembly import RunReport
from agentgym_critic.demo import DemoReport
from agentgym_critic.evaluation import Comparison, Interval, Pilot, PolicyScore, Summary
from agentgym_critic.matches import Measured, PolicyReport
from agentgym_critic.pilots import PilotReport
from agentgym_critic.store import Failure, Run
from agentgym_critic.terminal import printable
from agentgym_critic.types import Experience, Intervention, Step, Trajectory, Verdict

__all__ = [
    "counted",
    "render_comparison",
    "render_demo",
    "render_experiences",
    "render_pilot",
    "render_policy",
    "render_report",
    "render_store",
    "render_summaries",
    "render_trajectory",
]


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
    lines = [
        f"run {report.run} of {report.env} in {report.out}: {counted(report.played, 'episode')} played, "
        f"{report.found} there before, {len(report.failures)} failed"
    ]
    if report.bank:
        lines.append(f"memory bank {report.bank}, which held {counted(report.bank_found, 'experience')} before")
    lines += [_failed(failure) for failure in report.failures]
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


def render_store(runs: Sequence[tuple[Run, Summary, Sequence[Failure]]]) -> RenderableType:
    """The runs of a store, what each is, and what failed."""
    if not runs:
        return _text("no runs")
    lines = []
    for run, _, failures in runs:
        config = run.config
        critics = f"{config.critic or 'no critic'} before, {config.hindsight_critic or 'none'} in hindsight"
        lines.append(f"{run.id}  {run.created_at[:16]}  {config.env_id}  {config.agent}  {critics}")
        lines += [f"  {_failed(failure)}" for failure in failures]
    return Group(render_summaries([(run.id, summary) for run, summary, _ in runs]), *map(_text, lines))


def render_comparison(comparison: Comparison) -> RenderableType:
    """Every critic's measures with their 95 % intervals, one critic a row."""
    table = Table()
    table.add_column("critic")
    for heading in ("ECE", "Brier", "AUC", "steps", "unscored", "no truth"):
        table.add_column(heading, justify="right")
    for critic in comparison.critics:
        scores = critic.scores
        measured = [_interval(each) for each in (scores.ece, scores.brier, scores.auc)]
        counts = [str(count) for count in (scores.steps, scores.unscored, scores.unlabelled)]
        table.add_row(printable(critic.name), *measured, *counts)
    said = f"{counted(comparison.trajectories, 'episode')}, {counted(comparison.orders, 'order')} of the stream"
    return Group(table, _text(f"{said}; in brackets 95 % intervals over episodes"))


def render_pilot(report: PilotReport) -> RenderableType:
    """The outcomes of the pairs, the rates with their intervals, and what they come to."""
    pilot = report.pilot
    outcomes = Table("", "succeeds with the gate", "fails with it")
    outcomes.add_row("succeeds without", str(pilot.both_succeeded), f"{pilot.disrupted} disrupted")
    outcomes.add_row("fails without", f"{pilot.recovered} recovered", str(pilot.both_failed))
    rates = Table("rate", f"estimate, {pilot.level:.0%} interval")
    for name, interval in (
        ("p   failures without the gate", pilot.failure_rate),
        ("r   recovered of the failures", pilot.recovery),
        ("d   disrupted of the successes", pilot.disruption),
        ("p*  break-even, d / (r + d)", pilot.break_even),
        ("    change in the share of successes", pilot.effect),
    ):
        rates.add_row(name, _interval(interval))
    return Group(outcomes, rates, *(_text(line) for line in _pilot_lines(report)))


def render_policy(report: PolicyReport) -> RenderableType:
    """How often each policy succeeds, by type of task, and how the two compare."""
    table = Table()
    for name in ("", "episodes", "success", "return", "steps", "invalid"):
        table.add_column(name, justify="right" if name else "left")
    for each in filter(None, (report.first, report.second)):
        for label, score in _scores(each):
            table.add_row(label, *_score_cells(score))
    return Group(table, *(_text(line) for line in _policy_lines(report)))


def _scores(measured: Measured) -> Iterator[tuple[Text, PolicyScore]]:
    yield _text(measured.agent), measured.score
    yield from ((_text(f"  {name}"), score) for name, score in measured.score.by_type.items())


def _score_cells(score: PolicyScore) -> tuple[str, ...]:
    shares = (str(score.episodes), _interval(score.success), f"{score.episode_return:.3f}")
    return (*shares, f"{score.steps:.1f}", str(score.invalid_actions))


def _policy_lines(report: PolicyReport) -> Iterator[str]:
    if pairs := report.comparison:
        yield (
            f"{counted(pairs.pairs, 'pair')}: only the first succeeded in {pairs.only_first}, only the second in "
            f"{pairs.only_second}; the second less the first {_interval(pairs.difference)}; "
            f"sign test p = {pairs.p_value:.3f}"
        )
    yield from map(_failed, report.failures)
    runs = " and ".join(each.run for each in (report.first, report.second) if each)
    yield f"runs {runs} in {report.out}" if report.second else f"run {runs} in {report.out}"


def _pilot_lines(report: PilotReport) -> Iterator[str]:
    pilot = report.pilot
    pairs = counted(pilot.pairs, "pair")
    yield f"{pairs}, the gate intervened in {pilot.intervened} of them; sign test p = {pilot.p_value:.3f}"
    if pilot.unexplained:
        yield f"{counted(pilot.unexplained, 'pair')} ended differently though the gate did nothing"
    yield from map(_failed, report.failures)
    yield f"runs {report.without} without and {report.gated} with the gate in {report.out}"
    yield _advice(pilot)


def _advice(pilot: Pilot) -> str:
    if pilot.decision != "undecided":
        return pilot.decision
    if pilot.more_pairs is None:
        return "undecided, and no number of pairs would tell: the gate recovered as many as it disrupted"
    return f"undecided; about {counted(pilot.more_pairs, 'more pair')} would tell, if the rates stay as they are"


def _interval(interval: Interval) -> str:
    if interval.estimate is None:
        return "-"
    bounds = "" if interval.low is None else f" [{interval.low:.3f}, {interval.high:.3f}]"
    return f"{interval.estimate:.3f}{bounds}"


def render_experiences(experiences: Sequence[Experience]) -> RenderableType:
    """Experiences, one a row."""
    if not experiences:
        return _text("nothing found")
    table = Table(show_lines=True)
    for name in ("polarity", "p", "seen", "task", "state", "action", "outcome"):
        table.add_column(name)
    for each in experiences:
        texts = (each.task, each.state, each.action, each.outcome)
        table.add_row(each.polarity, f"{each.p:.2f}", str(each.count), *map(_text, texts))
    return table


def render_summaries(summaries: Iterable[tuple[str, Summary]]) -> RenderableType:
    """Runs, one a row, with what the columns mean and why verdicts are missing."""
    table = Table()
    rows = list(summaries)
    for name in ("", "episodes", "success", "steps", *_JUDGED, "unscored", "tokens", "seconds"):
        table.add_column(name, justify="right" if name else "left")
    for name, summary in rows:
        table.add_row(
            name,
            str(summary.episodes),
            _percent(summary.success),
            str(summary.steps),
            _number(summary.p_before),
            _number(summary.p_after),
            f"{_percent(summary.agreement)} of {summary.compared}",
            _percent(summary.majority),
            f"{summary.unscored_before} + {summary.unscored_after}",
            f"{summary.tokens:,}",
            f"{summary.seconds:.1f}",
        )
    return Group(table, *(_text(line, "dim") for line in _legend([summary for _, summary in rows])))


_JUDGED = ("p before", "p after", "agree", "majority")


def _legend(summaries: Sequence[Summary]) -> Iterator[str]:
    judged = [summary for summary in summaries if summary.p_before is not None or summary.p_after is not None]
    if judged:
        yield "p before, p after: mean probability that a step is productive, by the two critics; unscored: by each"
    if any(summary.compared for summary in judged):
        yield (
            "agree: share of the steps judged by both on which they point the same way; majority: what always saying "
            "hindsight's more frequent label would reach"
        )
    for summary in summaries:
        for why, count in summary.unscored_why.items():
            yield f"unscored {count} times: {why}"


def _failed(failure: Failure) -> str:
    return f"failed: episode {failure.episode}: {failure.error}: {failure.message}"


def _heading(trajectory: Trajectory) -> Iterator[RenderableType]:
    yield _text(f"{trajectory.id}  {trajectory.env_id}", style="bold")
    yield _text(f"task    {trajectory.task}  ({trajectory.task_id}, seed {trajectory.seed})")
    yield _text(f"agent   {trajectory.agent}")
    yield _text(f"critics {trajectory.critic or 'none'} before, {trajectory.hindsight_critic or 'none'} in hindsight")


def _ending(trajectory: Trajectory) -> Iterator[RenderableType]:
    if trajectory.steps:
        yield _text(trajectory.steps[-1].next_observation, style="dim")
    yield from (_rejected(intervention) for intervention in trajectory.interventions)
    style = "bold green" if trajectory.success else "bold red"
    undone = len(trajectory.ran) - len(trajectory.steps)
    more = f" and {counted(undone, 'step')} taken back" if undone else ""
    yield Text(
        f"{trajectory.end} after {counted(len(trajectory.steps), 'step')}{more}, return {trajectory.episode_return:g}, "
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
    fate = f"dropped: {intervention.dropped}" if intervention.dropped else ""
    told = ", ".join(filter(None, (intervention.kind, fate)))
    line = _text(f"> {intervention.action.text}  ({told})", style="" if fate else "strike")
    return Group(*_taken_back(intervention.undone), line, Padding(_verdict(intervention.verdict), (0, 0, 0, 2)))


def _taken_back(step: Step | None) -> Iterator[RenderableType]:
    if step:
        yield _text(f"> {step.action.text}  (taken back)", style="strike")
        yield Padding(_text(step.next_observation, style="dim"), (0, 0, 0, 2))


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


def counted(number: int, noun: str) -> str:
    """A number of things in words."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _text(text: str, style: str = "") -> Text:
    return Text(printable(text), style=style)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
