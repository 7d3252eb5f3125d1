"""Trainers learn, go on where they were killed, and refuse what they cannot learn from."""

from __future__ import annotations

import csv
import math
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch
from worlds import CORRIDOR

from agentgym_critic.agents import OracleAgent, RandomAgent
from agentgym_critic.agents.text_ranker.ranker import read_tensors
from agentgym_critic.envs import make_env
from agentgym_critic.errors import ConfigError, TrainingError, UnknownIdError
from agentgym_critic.loop import Place, run_episode
from agentgym_critic.training import (
    CHECKPOINT,
    METRICS,
    AgentExpert,
    Dagger,
    DaggerSettings,
    GradientSettings,
    Judges,
    Learner,
    OracleExpert,
    PolicyGradient,
    PreferenceSettings,
    PreferenceTraining,
    RankerAgent,
    RankerSettings,
    Supervised,
    SupervisedSettings,
    TextRanker,
    Trainer,
    choices_of,
    find_signal,
    fit,
    rows_of,
    step_preferences,
    trajectory_preferences,
)
from agentgym_critic.types import Action, Intervention, Trajectory, Turn, Verdict

SMALL = RankerSettings(buckets=512, width=8, hidden=16)
make_corridor = partial(make_env, CORRIDOR, length=6, max_steps=12)


def new_learner() -> Learner:
    return Learner(TextRanker(SMALL), learning_rate=1e-2)


def episodes(agent: Any, seeds: range, *, group_size: int = 1, **judges: Any) -> list[Trajectory]:
    env = make_corridor()
    return [
        run_episode(env, agent, seed=seed, place=Place(f"{seed}.{member}", agent_seed=100 * seed + member), **judges)
        for seed in seeds
        for member in range(group_size)
    ]


def success(learner: Learner, seeds: range = range(50, 60)) -> float:
    return float(np.mean([each.success for each in episodes(RankerAgent(learner.ranker), seeds)]))


def supervised() -> Trainer:
    learner = new_learner()
    rows, _ = rows_of(learner.ranker, episodes(OracleAgent(), range(6)))
    return Supervised(learner, rows, SupervisedSettings(batch=4, learning_rate=1e-2))


def dagger() -> Trainer:
    settings = DaggerSettings(episodes=4, seeds=20, expert_share=(1.0, 0.0), batch=8, learning_rate=1e-2)
    return Dagger(new_learner(), make_corridor, OracleExpert(), settings)


def gradient(credit: str = "gigpo") -> Trainer:
    settings = GradientSettings(groups=3, group_size=3, seeds=10, batch=32, learning_rate=1e-2)
    judges = Judges(critic="monte-carlo", hindsight="outcome")
    return PolicyGradient(new_learner(), make_corridor, find_signal(credit), settings, judges)


def preferences() -> Trainer:
    learner = new_learner()
    found, _ = trajectory_preferences(learner.ranker, episodes(RandomAgent(), range(8), group_size=4))
    return PreferenceTraining(learner, found, PreferenceSettings(learning_rate=1e-2))


EVERY = [supervised, dagger, gradient, preferences]


@pytest.mark.parametrize("make", EVERY)
def test_a_trainer_learns(make: Any, tmp_path: Path) -> None:
    trainer = make()
    rows = fit(trainer, tmp_path, 12)
    assert success(trainer.learner) == 1.0
    assert all(math.isfinite(value) for row in rows for value in row.values())


@pytest.mark.parametrize("make", EVERY)
def test_a_killed_training_goes_on_along_the_same_curve(make: Any, tmp_path: Path) -> None:
    whole = make()
    curve = fit(whole, tmp_path / "whole", 4)
    fit(make(), tmp_path / "parts", 2)
    told: list[dict[str, float]] = []
    resumed = make()
    assert fit(resumed, tmp_path / "parts", 4, resume=True, on_metrics=told.append) == curve
    assert [row["iteration"] for row in told] == [2, 3]
    assert resumed.learner.ranker.fingerprint() == whole.learner.ranker.fingerprint()
    with (tmp_path / "parts" / METRICS).open() as file:
        assert [float(row["loss"]) for row in csv.DictReader(file)] == [row["loss"] for row in curve]


KILLED = """
import os, sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
import torch
from training.test_trainers import dagger, fit
torch.set_num_threads(1)
fit(dagger(), Path(sys.argv[1]), 4, on_metrics=lambda row: os._exit(9) if row["iteration"] == 1 else None)
"""


def test_a_process_that_dies_loses_no_iteration_that_was_done(tmp_path: Path) -> None:
    tests = str(Path(__file__).parents[1])
    died = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "died"), tests], capture_output=True, text=True)
    assert died.returncode == 9, died.stderr
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        resumed = fit(dagger(), tmp_path / "died", 4, resume=True)
        assert resumed == fit(dagger(), tmp_path / "whole", 4)
    finally:
        torch.set_num_threads(threads)


def test_a_folder_is_not_written_over(tmp_path: Path) -> None:
    fit(supervised(), tmp_path, 1)
    with pytest.raises(ConfigError, match=r"checkpoint.safetensors exists; resume it \(--resume\), or name another"):
        fit(supervised(), tmp_path, 2)


def test_a_checkpoint_of_another_training_or_model_is_refused(tmp_path: Path) -> None:
    fit(supervised(), tmp_path, 1)
    with pytest.raises(ConfigError, match="cannot be resumed: its trainer was Supervised, and is now Dagger"):
        fit(dagger(), tmp_path, 2, resume=True)
    other = Supervised(new_learner(), supervised()._rows, SupervisedSettings(batch=5))  # type: ignore[attr-defined]
    with pytest.raises(ConfigError, match=r"its settings was .*\"batch\":4.* and is now .*\"batch\":5"):
        fit(other, tmp_path, 2, resume=True)
    wider = Learner(TextRanker(RankerSettings(buckets=512, width=9)))
    rows, _ = rows_of(wider.ranker, episodes(OracleAgent(), range(2)))
    with pytest.raises(ConfigError, match=r"holds another model: .*\"width\":8.*, and this one is .*\"width\":9"):
        fit(Supervised(wider, rows, SupervisedSettings(batch=4, learning_rate=1e-2)), tmp_path, 2, resume=True)


def test_a_model_is_no_checkpoint_and_a_checkpoint_is_a_model(tmp_path: Path) -> None:
    trainer = supervised()
    fit(trainer, tmp_path, 1)
    assert TextRanker.load(tmp_path / CHECKPOINT).fingerprint() == trainer.learner.ranker.fingerprint()
    TextRanker(SMALL).save(tmp_path / CHECKPOINT, overwrite=True)
    with pytest.raises(ConfigError, match="is no checkpoint of a training, but a model without one"):
        fit(supervised(), tmp_path, 2, resume=True)


def test_a_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    (tmp_path / CHECKPOINT).write_bytes(b"not tensors")
    with pytest.raises(ConfigError, match="is no safetensors file, or damaged"):
        fit(supervised(), tmp_path, 1, resume=True)


def test_missing_rows_of_dagger_are_named(tmp_path: Path) -> None:
    fit(dagger(), tmp_path, 1)
    (tmp_path / "rows-0000.safetensors").unlink()
    with pytest.raises(ConfigError, match=r"rows-0000\.safetensors is missing, and training cannot go on without"):
        fit(dagger(), tmp_path, 2, resume=True)


def test_a_loss_that_is_no_number_stops_before_the_weights_change(tmp_path: Path) -> None:
    learner = new_learner()
    before = learner.ranker.fingerprint()
    loss = sum(weights.sum() for weights in learner.ranker.network.layers.parameters()) * math.inf
    with pytest.raises(TrainingError, match=r"the loss is (nan|-?inf) .* the weights are as before this step"):
        learner.descend(loss)
    assert learner.ranker.fingerprint() == before
    with torch.no_grad():
        learner.ranker.network.layers["hidden"].weight[0, 0] = math.nan
    learner.ranker.save(tmp_path / "nan.safetensors")
    with pytest.raises(ConfigError, match=r"the weights hidden.weight are not finite"):
        TextRanker.load(tmp_path / "nan.safetensors")


def test_nothing_to_learn_from_is_said() -> None:
    ranker = TextRanker(SMALL)
    with pytest.raises(ConfigError, match="there are no trajectories to learn from; collect some first"):
        rows_of(ranker, [])
    with pytest.raises(ConfigError, match="there are no rows to learn from"):
        Supervised(new_learner(), [], SupervisedSettings())
    with pytest.raises(ConfigError, match="there are no preferences to learn from"):
        PreferenceTraining(new_learner(), [], PreferenceSettings())
    masked = episodes(OracleAgent(), range(1))
    count = len(masked[0].steps)
    with pytest.raises(ConfigError, match=rf"nothing to learn from: 0 rows used, dropped: {count} \(masked\)"):
        rows_of(ranker, masked, lambda trajectory: [0.0] * len(trajectory.steps))


def test_rows_that_are_dropped_are_counted_by_reason() -> None:
    one = max(episodes(OracleAgent(), range(8)), key=lambda each: len(each.steps))
    steps = list(one.steps)
    steps[0] = msgspec.structs.replace(steps[0], action=Action(text="jump"))
    steps.append(msgspec.structs.replace(steps[1], admissible_actions=None))
    changed = msgspec.structs.replace(one, steps=tuple(steps))
    weights = [1.0, 0.0, *[0.5] * (len(steps) - 2)]
    rows, tally = rows_of(TextRanker(SMALL), [changed], lambda _: weights)
    assert tally.dropped == {"the action is not listed": 1, "masked": 1, "the actions are not listed": 1}
    assert tally.used == len(rows) == len(steps) - 3
    assert {row.weight for row in rows} == {0.5}


@pytest.mark.parametrize(("count", "weight"), [(99, 1.0), (1, -1.0), (1, math.nan)])
def test_weights_that_are_none_are_refused(count: int, weight: float) -> None:
    played = [each for each in episodes(OracleAgent(), range(20)) if len(each.steps) == 1]
    with pytest.raises(ConfigError, match=r"1 steps of .* need as many weights from 0, got"):
        rows_of(TextRanker(SMALL), played, lambda _: [weight] * count)


def test_trajectories_of_two_versions_are_not_mixed() -> None:
    one, two = episodes(OracleAgent(), range(2))
    two = msgspec.structs.replace(two, env_version="2")
    for learn in (rows_of, step_preferences, trajectory_preferences):
        with pytest.raises(ConfigError, match=r"trajectory 1\.0 has env_version '2', and 0\.0 has '1'; what is learnt"):
            learn(TextRanker(SMALL), [one, two])


def test_a_group_of_one_is_refused() -> None:
    with pytest.raises(ConfigError, match="a group of 1 has nothing to be compared with and teaches nothing"):
        GradientSettings(group_size=1)


def test_a_credit_without_its_critic_is_refused() -> None:
    for credit, missing in (("hindsight", "needs a hindsight critic"), ("monte-carlo", "needs a critic that says")):
        with pytest.raises(ConfigError, match=missing):
            PolicyGradient(new_learner(), make_corridor, find_signal(credit), GradientSettings())
    with pytest.raises(UnknownIdError, match=r"There is no credit 'gigbo'. Did you mean 'gigpo'\?"):
        find_signal("gigbo")


@pytest.mark.parametrize("credit", ["outcome", "gigpo", "hindsight", "monte-carlo", "sum"])
def test_the_share_of_each_signal_that_reached_the_loss_is_reported(credit: str) -> None:
    trainer = gradient(credit)
    metrics = trainer.iterate(0)
    parts = find_signal(credit).parts
    assert {name for name in metrics if name.startswith("share_")} == {f"share_{name}" for name in (*parts, "total")}
    assert all(0 <= metrics[f"share_{name}"] <= 1 for name in parts)
    assert metrics["share_total"] > 0


def test_steps_in_the_simulator_count() -> None:
    few, many = (gradient(credit).iterate(0) for credit in ("outcome", "monte-carlo"))
    assert many["env_steps"] >= few["env_steps"] > 0


def test_a_group_without_contrast_moves_nothing() -> None:
    same = episodes(OracleAgent(), range(1), group_size=3)
    credit = find_signal("outcome").credit(same)
    assert credit.shares == {"outcome": 0.0, "total": 0.0}
    _, tally = trajectory_preferences(TextRanker(SMALL), same)
    assert (tally.used, tally.dropped) == (0, {"a group without contrast": 1})


def test_an_expert_that_knows_no_action_leaves_no_row(tmp_path: Path) -> None:
    class Silent:
        id = "silent"

        def reset(self, seed: int) -> None: ...

        def propose(self, turn: Turn) -> Action:
            return Action(text="jump")

    settings = DaggerSettings(episodes=1, expert_share=(0.0,))
    with pytest.raises(TrainingError, match=r"silent said nothing that can be learnt: 0 rows .* \(the action is not"):
        fit(Dagger(new_learner(), make_corridor, AgentExpert(Silent()), settings), tmp_path, 1)


def test_actions_that_the_gate_held_back_are_worse_than_what_ran() -> None:
    one = max(episodes(OracleAgent(), range(8)), key=lambda each: len(each.steps))
    step = next(step for step in one.steps if len(step.admissible_actions or ()) > 1)
    held = Intervention(kind="regenerate", action=Action(text="left"), verdict=Verdict(p=0.1, critic="c"))
    steps = [msgspec.structs.replace(each, interventions=(held,) if each is step else ()) for each in one.steps]
    ranker = TextRanker(SMALL)
    found, tally = step_preferences(ranker, [msgspec.structs.replace(one, steps=tuple(steps))])
    assert tally.used == len(found) == 1
    assert tally.dropped["unscored"] == len(steps)
    actions = step.admissible_actions or ()
    assert [actions[side[0].chosen] for side in found[0]] == ["right", "left"]


def test_siblings_are_preferred_by_hindsight() -> None:
    played = episodes(RandomAgent(), range(6), group_size=6, hindsight="outcome")
    ranker = TextRanker(SMALL)
    found, tally = step_preferences(ranker, played)
    assert tally.used == len(found) > 0
    learner = Learner(ranker)
    trainer = PreferenceTraining(learner, found, PreferenceSettings(learning_rate=1e-2))
    metrics = [trainer.iterate(iteration) for iteration in range(10)]
    assert metrics[-1]["loss"] < metrics[0]["loss"]
    assert metrics[-1]["preferred"] > 0.7


def test_choices_keep_the_number_of_their_step() -> None:
    played = episodes(RandomAgent(), range(2))
    choices, tally = choices_of(TextRanker(SMALL), played)
    assert [choice.step for choice in choices] == list(range(tally.used))


def test_evaluations_come_when_they_are_asked_for(tmp_path: Path) -> None:
    rows = fit(supervised(), tmp_path, 4, evaluate=lambda own: {"success": success(own)}, evaluate_every=2)
    assert ["eval_success" in row for row in rows] == [False, True, False, True]


def test_time_ends_a_training_between_iterations(tmp_path: Path) -> None:
    assert fit(supervised(), tmp_path, 3, seconds=-1.0) == []
    assert len(fit(supervised(), tmp_path, 3, seconds=1e9)) == 3


def test_weights_and_memory_are_in_one_file(tmp_path: Path) -> None:
    fit(supervised(), tmp_path, 1)
    about, tensors = read_tensors(tmp_path / CHECKPOINT)
    assert {"format", "settings", "progress"} <= about.keys()
    assert {"hidden.weight", "optimizer.0.exp_avg"} <= tensors.keys()
