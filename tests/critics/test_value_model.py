import subprocess
import sys

import numpy as np
import pytest
from worlds import CorridorEnv

from agentgym_critic import run_episode
from agentgym_critic.agents import RandomAgent
from agentgym_critic.critics import FunctionHindsightCritic, ValueModelCritic, check_critic
from agentgym_critic.critics.value_head import HeadSettings
from agentgym_critic.critics.value_targets import examples_of
from agentgym_critic.errors import ConfigError, MissingDataError
from agentgym_critic.memory.embedders import HashingEmbedder
from agentgym_critic.types import Action, Turn

pytest.importorskip("torch")
pytest.importorskip("safetensors")

QUICK = HeadSettings(hidden=8, epochs=60)
SMALL = HashingEmbedder(64)


def right_is_right(trajectory):
    return [float(step.action.text == "right") for step in trajectory.steps]


@pytest.fixture(scope="module")
def trajectories():
    hindsight = FunctionHindsightCritic(right_is_right)
    return [run_episode(CorridorEnv(), RandomAgent(), seed=seed, hindsight=hindsight) for seed in range(6)]


@pytest.fixture(scope="module")
def critic(trajectories):
    return ValueModelCritic.fit(trajectories, embedder=SMALL, settings=QUICK)


def says(critic, cell=2):
    turn = Turn(task="Reach cell 5.", observation=f"You are in cell {cell}.")
    verdicts = critic.judge(turn, [Action(text="left"), Action(text="right")], [[], []])
    return [verdict.p for verdict in verdicts]


def test_it_learns_what_hindsight_said(critic):
    left, right = says(critic)
    assert left < 0.3 < 0.7 < right


def test_the_same_seed_gives_the_same_model(trajectories, critic):
    again = ValueModelCritic.fit(trajectories, embedder=SMALL, settings=QUICK)
    assert (again.version, says(again)) == (critic.version, says(critic))
    other = HeadSettings(hidden=8, epochs=60, seed=1)
    assert ValueModelCritic.fit(trajectories, embedder=SMALL, settings=other).version != critic.version


def test_training_leaves_torchs_own_generator_alone(trajectories):
    import torch

    state = torch.get_rng_state()
    ValueModelCritic.fit(trajectories[:1], embedder=SMALL, settings=HeadSettings(hidden=2, epochs=1))
    assert torch.equal(torch.get_rng_state(), state)


def test_what_is_saved_is_loaded_and_needs_no_torch(critic, tmp_path):
    path = tmp_path / "head.safetensors"
    critic.save(path)
    loaded = ValueModelCritic(path)
    assert (loaded.config, loaded.version, says(loaded)) == (critic.config, critic.version, says(critic))
    program = (
        f"import sys; from agentgym_critic.critics import ValueModelCritic; ValueModelCritic({str(path)!r}); "
        "print('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "False\n"
    with pytest.raises(ConfigError, match="exists"):
        critic.save(path)


def test_it_keeps_the_contract(critic):
    check_critic(critic, deterministic=True)


def test_another_embedder_is_refused(critic, tmp_path):
    critic.save(tmp_path / "head")
    with pytest.raises(ConfigError, match="trained with the embedder hashing-v1-64, got hashing-v1-32"):
        ValueModelCritic(tmp_path / "head", embedder=HashingEmbedder(32))


def test_what_is_no_model_is_named(tmp_path, critic):
    path = tmp_path / "head"
    with pytest.raises(MissingDataError, match="there is no value model"):
        ValueModelCritic(path)
    path.write_bytes(b"not a model")
    with pytest.raises(ConfigError, match="is no value model of this version"):
        ValueModelCritic(path)
    critic.save(path, overwrite=True)
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(ConfigError, match="is no value model of this version"):
        ValueModelCritic(path)
    from safetensors.numpy import save_file

    save_file({"w1": np.zeros((2, 2), np.float32)}, path)
    with pytest.raises(ConfigError, match="is no value model of this version"):
        ValueModelCritic(path)


def test_weights_of_other_shapes_are_refused(critic, tmp_path):
    critic._weights, kept = {**critic._weights, "b2": np.array([np.nan], np.float32)}, critic._weights
    try:
        critic.save(tmp_path / "head")
    finally:
        critic._weights = kept
    with pytest.raises(ConfigError, match="is damaged: its weights are finite and of the shapes"):
        ValueModelCritic(tmp_path / "head")


def test_returns_are_discounted_and_scaled(walk):
    trajectory = walk("abc", reward={1: 2.0}, end="success")
    assert [each.label for each in examples_of([trajectory], "return", 0.5)] == [0.0, 1.0]
    longer = walk("abcd", reward={2: 4.0}, end="success")
    assert [each.label for each in examples_of([longer], "return", 0.5)] == pytest.approx([0.0, 1 / 3, 1.0])


def test_steps_without_a_label_teach_nothing(walk, trajectories):
    with pytest.raises(ConfigError, match="none of the steps of 1 trajectories has a hindsight to learn from"):
        examples_of([walk("abc")], "hindsight", 1.0)
    with pytest.raises(ConfigError, match="all 2 steps have the return 0, so there is nothing to tell apart"):
        examples_of([walk("abc")], "return", 1.0)
    with pytest.raises(ConfigError, match="none of the steps of 6 trajectories has a verdict to learn from"):
        examples_of(trajectories, "verdict", 1.0)
    with pytest.raises(ConfigError, match="target is hindsight, verdict, return"):
        examples_of(trajectories, "truth", 1.0)


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(ConfigError, match="hidden, epochs and batch are at least 1"):
        HeadSettings(hidden=0)
