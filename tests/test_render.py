"""What a person sees: both verdicts beside each step, and nothing that steers the terminal."""

from __future__ import annotations

import io

import msgspec
from rich.console import Console
from samples import simple_trajectory

from agentgym_critic.render import render_trajectory
from agentgym_critic.types import Action, Intervention, Trajectory, Verdict


def rendered(trajectory: Trajectory) -> str:
    console = Console(file=io.StringIO(), width=140, force_terminal=True, color_system=None)
    console.print(render_trajectory(trajectory))
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_both_verdicts_stand_beside_the_step() -> None:
    text = rendered(simple_trajectory())
    assert "p=0.25 unproductive" in text
    assert "unscored: timeout" in text
    assert "reward +0.5" in text
    assert "success after 2 steps, return 1, 0 tokens" in text


def test_rejected_proposals_are_shown_with_their_verdict() -> None:
    trajectory = simple_trajectory()
    rejected = Intervention(
        kind="warn", action=Action(text="jump"), verdict=Verdict(p=0.02, critic="c", critique="Too high.")
    )
    step = msgspec.structs.replace(trajectory.steps[0], interventions=(rejected,))
    text = rendered(msgspec.structs.replace(trajectory, steps=(step,)))
    assert "> jump  (warn)" in text
    assert "p=0.02 unproductive" in text
    assert "Too high." in text


def test_what_was_taken_back_dropped_or_stopped_is_shown() -> None:
    verdict = Verdict(p=0.02, critic="c")
    first, second = simple_trajectory().steps
    dropped = Intervention(kind="substitute", action=Action(text="sing"), verdict=verdict, dropped="the critic is mute")
    undone = msgspec.structs.replace(first, action=Action(text="climb"))
    rollback = Intervention(kind="rollback", action=Action(text="fall"), verdict=verdict, undone=undone)
    stop = Intervention(kind="stop", action=Action(text="cry"), verdict=verdict)
    trajectory = msgspec.structs.replace(
        simple_trajectory(),
        steps=(msgspec.structs.replace(first, interventions=(dropped, rollback)), second),
        interventions=(stop,),
        end="stopped",
    )
    text = rendered(trajectory)
    shown = ["> sing  (substitute, dropped: the critic is mute)", "> climb  (taken back)", "> fall  (rollback)"]
    places = [text.index(line) for line in (*shown, "> go", "> cry  (stop)")]
    assert places == sorted(places)
    assert "stopped after 2 steps and 1 step taken back, return 1" in text


def test_an_observation_cannot_steer_the_terminal_or_the_markup() -> None:
    hostile = "\x1b]0;owned\x07\x1b[2J[bold red]not markup[/] \x9b31m"
    trajectory = simple_trajectory()
    step = msgspec.structs.replace(
        trajectory.steps[0], observation=hostile, action=Action(text=hostile, thought=hostile)
    )
    text = rendered(msgspec.structs.replace(trajectory, steps=(step,), task=hostile))
    assert "\x1b]0" not in text
    assert "\x07" not in text
    assert "\x9b" not in text
    assert "[bold red]not markup[/]" in text
