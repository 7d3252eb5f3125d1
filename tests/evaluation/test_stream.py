"""The stream protocol on real episodes: what each critic may know when, what is asked for once, and what is true."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agentgym_critic import make_env, run_episode
from agentgym_critic.agents import RandomAgent
from agentgym_critic.critics import MonteCarloCritic, OracleCritic, RuleCritic, StackedCritic
from agentgym_critic.errors import EnvError
from agentgym_critic.evaluation import (
    Episode,
    VerdictLog,
    judge_stream,
    score_critic,
    shuffled,
    true_labels,
    turns_of,
)
from agentgym_critic.types import Action, Experience, Trajectory, Turn, Verdict

SOKOBAN = "agentgym_critic/Sokoban-v0"


@pytest.fixture(scope="module")
def played() -> list[Trajectory]:
    env = make_env(SOKOBAN, max_steps=12)
    episodes = [run_episode(env, RandomAgent(), seed=seed, hindsight="outcome") for seed in range(4)]
    return [msgspec.structs.replace(each, id=f"t{number}") for number, each in enumerate(episodes)]


class Notes:
    """A critic that remembers what it was shown, and says how many experiences that were."""

    id, version, recall_k, recall_by = "notes", "1", 50, "similarity"

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.recalled: list[list[Experience]] = []

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        self.turns.append(turn)
        self.recalled += map(list, experiences)
        return [Verdict(p=min(1.0, len(recalled) / 100), critic=self.id, version="1") for recalled in experiences]


def test_nothing_of_a_trajectory_is_recalled_before_all_of_it_is_judged(played: list[Trajectory]) -> None:
    critic = Notes()
    judged = list(judge_stream(played, {"notes": critic}, VerdictLog()))
    assert [each.trajectory.id for each in judged] == ["t0", "t1", "t2", "t3"]
    told = iter(critic.recalled)
    for each in judged:
        earlier = {trajectory.id for trajectory in played[: each.position]}
        for _ in each.trajectory.steps:
            assert {experience.trajectory_id for experience in next(told)} <= earlier
    assert any(critic.recalled)
    assert not any(critic.recalled[: len(played[0].steps)])


def test_turns_are_those_of_the_loop(played: list[Trajectory]) -> None:
    critic = Notes()
    again = run_episode(make_env(SOKOBAN, max_steps=12), RandomAgent(), seed=0, critic=critic)
    assert list(turns_of(again, max_steps=12)) == critic.turns


def test_known_verdicts_are_not_asked_for_again(played: list[Trajectory], tmp_path: Path) -> None:
    rules, notes = RuleCritic(), Notes()
    with VerdictLog(tmp_path / "log.db") as log:
        stream = judge_stream(played, {"rules": rules, "notes": notes}, log)
        first = [next(stream) for _ in range(3)]  # interrupted within the second trajectory
        stream.close()
        asked = len(notes.turns)
    with VerdictLog(tmp_path / "log.db") as log:
        again = list(judge_stream(played, {"rules": rules, "notes": notes}, log))
        assert again[:3] == first
        assert len(notes.turns) == asked + sum(len(each.steps) for each in played[1:])
        assert again == list(judge_stream(played, {"rules": rules, "notes": notes}, VerdictLog()))
        count = len(notes.turns)
        other = list(judge_stream(shuffled(played, 3), {"rules": rules, "notes": notes}, log))
        assert len(notes.turns) > count  # what could be recalled is another
        said = {each.trajectory.id: each.verdicts for each in again if each.critic == "rules"}
        assert all(each.verdicts == said[each.trajectory.id] for each in other if each.critic == "rules")


def test_orders(played: list[Trajectory]) -> None:
    assert shuffled(played, 0) == played
    assert shuffled(played, 3) == shuffled(played, 3) != played
    assert sorted(each.id for each in shuffled(played, 2)) == ["t0", "t1", "t2", "t3"]


def test_the_truth_is_what_the_oracle_says_while_it_is_played() -> None:
    env = make_env(SOKOBAN, max_steps=12)
    seen = run_episode(env, RandomAgent(), seed=1, critic=OracleCritic())
    live = [None if step.verdict is None or step.verdict.p is None else step.verdict.p == 1 for step in seen.steps]
    assert true_labels(make_env(SOKOBAN, max_steps=12), seen) == live
    assert {True, False} <= set(live)


def test_another_environment_is_noticed(played: list[Trajectory]) -> None:
    with pytest.raises(EnvError, match=r"t0 cannot be played again: step 0 began in state .*version and settings"):
        true_labels(make_env(SOKOBAN, size=7, max_steps=12), played[0])


def test_labels_are_kept(tmp_path: Path) -> None:
    with VerdictLog(tmp_path / "log.db") as log:
        assert log.labels("t0") is None
        log.save_labels("t0", [True, None, False])
    with VerdictLog(tmp_path / "log.db") as log:
        assert log.labels("t0") == [True, None, False]


def test_scores_count_what_cannot_be_compared() -> None:
    said = [Verdict(p=0.9, critic="c"), Verdict.unscored("c", "timeout"), Verdict(p=0.2, critic="c")]
    scores = score_critic([Episode(said, [True, True, None]), Episode([Verdict(p=0.3, critic="c")], [False])])
    assert (scores.episodes, scores.steps, scores.unscored, scores.unlabelled) == (2, 2, 1, 1)
    assert scores.productive == 0.5
    assert scores.auc.estimate == 1.0
    assert scores.brier.estimate == pytest.approx((0.01 + 0.09) / 2)
    assert scores.ece.estimate == pytest.approx((0.1 + 0.3) / 2)


def test_a_perfect_critic_and_nothing_at_all() -> None:
    perfect = score_critic([Episode([Verdict(p=float(y), critic="c") for y in (1, 0)], [True, False])] * 3)
    assert (perfect.ece.estimate, perfect.brier.high, perfect.auc.low, perfect.aurc.estimate) == (0, 0, 1, 0)
    empty = score_critic([Episode([Verdict.unscored("c", "error")], [True])])
    assert (empty.steps, empty.productive, empty.auc.estimate, empty.brier_parts) == (0, None, None, None)


def test_a_critic_learns_from_each_trajectory_once_it_is_judged(played: list[Trajectory]) -> None:
    critic = StackedCritic([RuleCritic()])
    judged = list(judge_stream(played, {"stacked": critic}, VerdictLog()))
    for each in judged:
        assert [verdict.critic for verdict in each.verdicts] == ["stacked"] * len(each.verdicts)
        expected = [critic.judge(turn, [step.action], [()])[0].p
                    for turn, step in zip(turns_of(each.trajectory), each.trajectory.steps, strict=True)]  # fmt: skip
        assert [verdict.p for verdict in each.verdicts] == expected
        critic = critic.learned(each.trajectory.with_verdicts(each.verdicts))
    assert critic.weights["bias"] != 0


def test_by_chance(played: list[Trajectory]) -> None:
    """Experiences drawn at random are others than the most similar ones, and the same ones again."""
    near, drawn = Notes(), Notes()
    near.recall_k = drawn.recall_k = 1
    drawn.recall_by, drawn.id = "chance", "drawn"
    first = list(judge_stream(played, {"near": near, "drawn": drawn}, VerdictLog()))
    again = list(judge_stream(played, {"near": near, "drawn": drawn}, VerdictLog()))
    assert first == again
    half = len(drawn.recalled) // 2
    assert drawn.recalled[:half] == drawn.recalled[half:] != near.recalled[half:]
    alike = [sum(e.similarity for seen in notes.recalled for e in seen) for notes in (near, drawn)]
    assert alike[0] > alike[1]


def test_a_critic_that_simulates_says_in_the_stream_what_it_said_in_the_episode() -> None:
    live = run_episode(make_env(SOKOBAN), RandomAgent(), seed=1, critic=_simulating())
    world = make_env(SOKOBAN)
    stream = judge_stream([live], {"mc": _simulating()}, VerdictLog(), max_steps=50, world_of=lambda trajectory: world)
    told = [(verdict.p, verdict.dimensions["value"]) for verdict in next(stream).verdicts]
    assert told == [(step.verdict.p, step.verdict.dimensions["value"]) for step in live.steps if step.verdict]
    assert len({p for p, _ in told}) > 1


def _simulating() -> MonteCarloCritic:
    return MonteCarloCritic(rollouts=6, horizon=20)


def test_without_a_world_a_critic_that_simulates_is_unscored(played: list[Trajectory]) -> None:
    judged = next(judge_stream(played, {"mc": MonteCarloCritic(rollouts=1)}, VerdictLog()))
    assert {verdict.failure for verdict in judged.verdicts} == {"error"}


class Careless:
    """A critic that plays about in the world it is shown, and does not tidy up."""

    id, version, recall_k = "careless", "1", 0

    def attach(self, env: Any) -> None:
        self.env = env

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        self.env.step(self.env.current()[1]["admissible_actions"][0])
        return [Verdict(p=0.5, critic=self.id) for _ in actions]


def test_a_critic_that_leaves_the_world_elsewhere_spoils_nothing(played: list[Trajectory]) -> None:
    world = make_env(SOKOBAN, max_steps=12)
    judged = list(judge_stream(played, {"careless": Careless()}, VerdictLog(), world_of=lambda trajectory: world))
    assert [len(each.verdicts) for each in judged] == [len(trajectory.steps) for trajectory in played]
    assert all(verdict.p == 0.5 for each in judged for verdict in each.verdicts)


def test_another_world_is_noticed_before_it_is_judged(played: list[Trajectory]) -> None:
    other = make_env(SOKOBAN, size=7, max_steps=12)
    stream = judge_stream(played, {"mc": MonteCarloCritic(rollouts=1)}, VerdictLog(), world_of=lambda trajectory: other)
    with pytest.raises(EnvError, match="t0 cannot be played again: after 0 steps the state is another"):
        next(stream)
