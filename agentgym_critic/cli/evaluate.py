"""`agentgym-critic evaluate`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import click

from agentgym_critic.cli.common import (
    json_option,
    print_json,
    print_rich,
    read_setting,
    settings_option,
    store_argument,
)
from agentgym_critic.cli.players import player_options, playing, run_options, stage_options
from agentgym_critic.errors import require

__all__ = ["evaluate"]


@click.group()
def evaluate() -> None:
    """Measure policies by what they achieve, critics against the truth, and gates by what they change."""


@evaluate.command()
@store_argument
@click.option(
    "--critic",
    "critics",
    multiple=True,
    required=True,
    metavar="'NAME [KEY=VALUE ...]'",
    help="A critic and its settings, in quotes if there are any; repeatable.",
)
@click.option("--model", help="smollm2, a Hugging Face id, a folder, a GGUF file or openai:NAME@URL.")
@settings_option("--model-option", "model_settings", "the model")
@click.option("--run", "run_ids", multiple=True, help="Only this run; repeatable.  [default: all]")
@click.option("--limit", type=click.IntRange(min=1), help="Only so many trajectories.")
@click.option("--orders", type=click.IntRange(min=1), default=3, show_default=True, help="Orders of the stream.")
@click.option("--resamples", type=click.IntRange(min=1), default=1_000, show_default=True, help="Of the intervals.")
@click.option("--log", type=click.Path(dir_okay=False), help="Keeps verdicts.  [default: beside the run store]")
@click.option(
    "--report", type=click.Path(dir_okay=False, path_type=Path), help="Write an HTML file; needs the extra plots."
)
@click.option(
    "--plots",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write PNG and SVG into this folder; needs the extra plots.",
)
@json_option
def critic(
    store: Path,
    critics: tuple[str, ...],
    model: str | None,
    model_settings: dict[str, Any],
    run_ids: tuple[str, ...],
    log: str | None,
    report: Path | None,
    plots: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Let critics judge the stored steps in stream order, and compare with the environment's oracle.

    All steps of a trajectory are judged before it can be recalled; what is learnt is what the run's
    hindsight critic said. Verdicts are kept: an evaluation that was interrupted, or has one more
    critic, asks only for what is new.
    """
    from agentgym_critic.assembly import Assembly
    from agentgym_critic.render import render_comparison
    from agentgym_critic.trials import CriticTrial, try_critics

    if report or plots:
        require("matplotlib.figure", "plots", "A diagram")  # said before the work, not after it
    trial = CriticTrial(store=str(store), critics=dict(map(_read, critics)), runs=run_ids, log=log, **options)
    comparison = try_critics(trial, Assembly(model, **model_settings))
    if report:
        from agentgym_critic.evaluation.report import write_report

        write_report(comparison, report, title=f"Critics on {store.name}", overwrite=True)
    if plots:
        _draw(comparison, plots)
    print_json(comparison) if as_json else print_rich(render_comparison(comparison))


@evaluate.command()
@player_options(gate=None)
@click.option("--pairs", type=click.IntRange(min=1), default=50, show_default=True, help="Episodes of either kind.")
@stage_options(out="pilot.db")
@click.option("--level", type=click.FloatRange(0, 1, True, True), default=0.95, show_default=True, help="Of intervals.")
@click.option(
    "--power",
    type=click.FloatRange(0, 1, True, True),
    default=0.8,
    show_default=True,
    help="Chance to see the effect found, for the number of further pairs.",
)
@click.option("--resamples", type=click.IntRange(min=1), default=1_000, show_default=True, help="Of the intervals.")
@json_option
def pilot(pairs: int, level: float, power: float, resamples: int, as_json: bool, **options: Any) -> None:
    """Play the same episodes without and with a gate, and say whether to deploy it.

    A critic that is right may still make an agent worse: interventions rescue episodes, and break others. Both
    runs are kept; with --resume a pilot that was interrupted, or is to have more pairs, goes on.
    """
    from agentgym_critic.pilots import run_pilot
    from agentgym_critic.render import render_pilot

    chosen = run_options(episodes=pairs, **options)
    with playing(2 * pairs, quiet=as_json) as on_episode:
        report = run_pilot(chosen, level=level, power=power, resamples=resamples, on_episode=on_episode)
    print_json(report) if as_json else print_rich(render_pilot(report))
    if report.failures:
        sys.exit(1)


@evaluate.command()
@player_options(gate="off")
@click.option("--versus", help="Another agent, to play the same tasks and seeds.")
@settings_option("--versus-option", "versus_settings", "the other agent")
@click.option("--episodes", type=click.IntRange(min=1), default=100, show_default=True, help="Of each agent.")
@stage_options(out="policy.db")
@click.option("--level", type=click.FloatRange(0, 1, True, True), default=0.95, show_default=True, help="Of intervals.")
@json_option
def policy(
    versus: str | None,
    versus_settings: dict[str, Any],
    episodes: int,
    level: float,
    as_json: bool,
    **options: Any,
) -> None:
    """Play episodes and say how often the agent succeeds, with Wilson's interval, by type of task.

    With --versus another agent plays the same, and both are compared in pairs. All episodes are kept; with --resume
    an evaluation that was interrupted goes on.
    """
    from agentgym_critic.matches import measure_policy
    from agentgym_critic.render import render_policy

    chosen = run_options(episodes=episodes, **options)
    with playing(episodes * (2 if versus else 1), quiet=as_json) as on_episode:
        report = measure_policy(chosen, versus, versus_settings, level=level, on_episode=on_episode)
    print_json(report) if as_json else print_rich(render_policy(report))
    if report.failures:
        sys.exit(1)


def _read(text: str) -> tuple[str, tuple[str, dict[str, Any]]]:
    """The label of a critic, which is the text itself, its name and its settings."""
    try:
        name, *pairs = shlex.split(text)
    except ValueError as cause:
        raise click.BadParameter(
            f"expected a name and settings, got {text!r} ({cause})", param_hint="--critic"
        ) from cause
    return text, (name, dict(map(_read_setting, pairs)))


def _read_setting(pair: str) -> tuple[str, Any]:
    return read_setting(pair, param_hint="--critic")


def _draw(comparison: Any, folder: Path) -> None:
    from agentgym_critic.evaluation.diagrams import draw_learning_curves, draw_reliability, save_figure

    folder.mkdir(parents=True, exist_ok=True)
    save_figure(draw_reliability(comparison), folder / "reliability")
    save_figure(draw_learning_curves(comparison), folder / "learning_curves")
