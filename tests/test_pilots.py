"""Pilots that are played: they call the sign right, are matched, and go on after a kill."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from worlds import BRITTLE

from agentgym_critic.assembly import RunOptions
from agentgym_critic.errors import ConfigError
from agentgym_critic.pilots import run_pilot
from agentgym_critic.store import RunStore

SOKOBAN: dict[str, Any] = {"env": "agentgym_critic/Sokoban-v0", "env_settings": {"max_steps": 30}}
ALWAYS: dict[str, Any] = {"threshold": 0.5, "max_interventions": 30}


def options(path: Path, **changes: Any) -> RunOptions:
    settings: dict[str, Any] = {
        **SOKOBAN,
        "out": str(path / "pilot.db"),
        "critic": "oracle",
        "gate": "substitute",
        "gate_settings": ALWAYS,
        "episodes": 12,
    }
    return RunOptions(**{**settings, **changes})


@pytest.mark.parametrize("gate", ["substitute", "regenerate"])
def test_the_truth_at_the_gate_of_a_random_player_is_deployed(tmp_path: Path, gate: Any) -> None:
    report = run_pilot(options(tmp_path, gate=gate), resamples=200)
    pilot = report.pilot
    assert pilot.decision == "deploy"
    assert pilot.pairs == pilot.intervened == 12
    assert pilot.recovered >= 6
    assert pilot.disrupted == 0
    assert (report.played, report.found, report.failures) == (24, 0, ())


@pytest.mark.parametrize(("gate", "slip"), [("substitute", 0.1), ("regenerate", 0.3)])
def test_the_opposite_of_the_truth_at_the_gate_of_a_good_player_is_not(tmp_path: Path, gate: Any, slip: float) -> None:
    players = {"agent": "contrary:Solver", "agent_settings": {"slip": slip}, "critic": "contrary:Contrary"}
    pilot = run_pilot(options(tmp_path, gate=gate, **players), resamples=200).pilot
    assert pilot.both_succeeded + pilot.disrupted >= 8
    assert pilot.decision == "do not deploy"
    assert pilot.effect.high < 0  # type: ignore[operator]
    assert pilot.recovered == 0


def test_the_runs_differ_in_the_gate_only(tmp_path: Path) -> None:
    report = run_pilot(options(tmp_path, episodes=4, group_size=2, seed=5), resamples=10)
    with RunStore(tmp_path / "pilot.db") as store:
        without, gated = store.run(report.without), store.run(report.gated)
        assert (without.config.gate, without.config.critic) == ({}, "")
        assert (gated.config.gate["mode"], gated.config.critic) == ("substitute", "oracle@2")
        for one, other in zip(store.trajectories(without), store.trajectories(gated), strict=True):
            assert (one.seed, one.task_id, one.agent) == (other.seed, other.task_id, other.agent)
            assert one.steps[0].state_key == other.steps[0].state_key
            # The agents draw the same first proposal.
            held_back = [each.action for each in other.steps[0].interventions]
            assert [*held_back, other.steps[0].action][0] == one.steps[0].action


KILLED = """
import os, signal, sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from test_pilots import options
from agentgym_critic.pilots import run_pilot
seen = []
def kill(episode):
    seen.append(episode)
    if len(seen) == {after}:
        os.kill(os.getpid(), signal.SIGKILL)
run_pilot(options(Path({path!r}), resume=True), on_episode=kill)
"""


@pytest.mark.parametrize("after", [5, 17])
def test_a_killed_pilot_goes_on(tmp_path: Path, after: int) -> None:
    program = KILLED.format(tests=str(Path(__file__).parent), after=after, path=str(tmp_path))
    killed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    resumed = run_pilot(options(tmp_path, resume=True), resamples=50)
    assert (resumed.found, resumed.played) == (after, 24 - after)
    whole = run_pilot(options(tmp_path, out=str(tmp_path / "whole.db")), resamples=50)
    assert resumed.pilot == whole.pilot


def test_a_pilot_gets_more_pairs(tmp_path: Path) -> None:
    first = run_pilot(options(tmp_path, episodes=3), resamples=10)
    more = run_pilot(options(tmp_path, episodes=5, resume=True), resamples=10)
    assert (first.pilot.pairs, more.pilot.pairs) == (3, 5)
    assert (more.without, more.gated, more.found, more.played) == (first.without, first.gated, 6, 4)


def test_episodes_that_fail_are_in_no_pair(tmp_path: Path) -> None:
    broken = {"env": f"worlds:{BRITTLE}", "env_settings": {}, "agent": "oracle", "gate": "warn"}
    report = run_pilot(options(tmp_path, **broken, episodes=10), resamples=10)
    failed = {failure.episode for failure in report.failures}
    assert failed
    assert report.pilot.pairs == 10 - len(failed)
    assert len(report.failures) == 2 * len(failed)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"gate": "off", "gate_settings": {}},
            "a pilot compares episodes without and with a gate, and the gate is off",
        ),
        ({"out": ":memory:"}, "a pilot keeps two runs in one store, which must be a file; name one"),
        ({"critic": "oracl"}, "There is no critic 'oracl'. Did you mean 'oracle'"),
        ({"gate_settings": {"rearm": 0.1}}, "the gate's rearm is at least its threshold 0.3, got 0.1"),
        ({"gate_settings": {"policy": 1}}, "the gate has no setting policy; it has alternatives, max_interventions"),
        ({"model": "smollm2"}, "nothing here asks a language model"),
        ({"env": "plain:Plain-v0", "env_settings": {}, "gate": "rollback"}, "needs a TextEnv that can be restored"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_played(
    tmp_path: Path, changes: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plain.py").write_text(PLAIN)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigError) as caught:
        run_pilot(options(tmp_path, **changes))
    assert message in str(caught.value)
    assert not (tmp_path / "pilot.db").exists()


PLAIN = """
import gymnasium

class Plain(gymnasium.Env):
    observation_space = action_space = gymnasium.spaces.Text(100)

gymnasium.register("Plain-v0", entry_point=Plain)
"""
