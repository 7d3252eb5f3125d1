from __future__ import annotations

import pickle
import random
from typing import Any

import gymnasium
import pytest

from agentgym_critic import run_episode
from agentgym_critic.agents import RandomAgent, ScriptedAgent
from agentgym_critic.critics import Gate
from agentgym_critic.envs import check_text_env, make_env
from agentgym_critic.envs.boards import TicTacToeEnv
from agentgym_critic.envs.negotiation import NegotiationEnv
from agentgym_critic.errors import ConfigError, EnvError
from agentgym_critic.types import Action, Turn, Verdict, to_json


class Columnist:
    """Takes the first free cell, and keeps every turn it was shown."""

    id = "columnist"

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.seeds: list[int] = []

    def reset(self, seed: int) -> None:
        self.turns = []
        self.seeds.append(seed)

    def propose(self, turn: Turn) -> Action:
        self.turns.append(turn)
        assert turn.admissible_actions
        return Action(text=turn.admissible_actions[0])


class Stubborn(Columnist):
    """Names a cell that does not exist as often as it was told."""

    id = "stubborn"

    def __init__(self, times: int, from_move: int = 0) -> None:
        super().__init__()
        self.times, self.from_move = times, from_move

    def propose(self, turn: Turn) -> Action:
        legal = super().propose(turn)
        refused = sum(bool(past.invalid_reason) for past in turn.history)
        late = len(turn.history) - refused >= self.from_move
        return Action(text="z9 " * 100) if late and refused < self.times else legal


class Broken(Columnist):
    id = "broken"

    def propose(self, turn: Turn) -> Action:
        raise RuntimeError("out of order")


class Forgetful(Columnist):
    """Answers by a counter that `reset` does not reset."""

    id = "forgetful"
    count = 0

    def propose(self, turn: Turn) -> Action:
        assert turn.admissible_actions
        self.count += 1
        return Action(text=turn.admissible_actions[self.count % len(turn.admissible_actions)])


def test_each_seat_is_held_by_whom_it_was_given_to() -> None:
    env = TicTacToeEnv(seat="first")
    assert env.reset(seed=0)[0].count("X") == 0
    env = TicTacToeEnv(seat="second")
    observation, info = env.reset(seed=0)
    assert (observation.count("X"), observation.count("O")) == (1, 0)
    assert info["task"].endswith("You play O; X moves first.")
    assert info["task_id"] == "tictactoe-second-vs-random"
    env = TicTacToeEnv()
    seats = {env.reset(seed=seed)[1]["task_id"] for seed in range(20)}
    assert seats == {"tictactoe-first-vs-random", "tictactoe-second-vs-random"}


def test_a_step_is_a_move_and_the_answer_to_it() -> None:
    env = TicTacToeEnv(seat="first")
    env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step("b2")
    assert (observation.count("X"), observation.count("O")) == (1, 1)
    assert (reward, terminated, truncated, info["success"]) == (0.0, False, False, False)


def test_a_refused_action_is_answered_by_no_move() -> None:
    env = TicTacToeEnv(seat="first")
    env.reset(seed=0)
    before = env.step("b2")[0]
    observation, *_, info = env.step("b2")
    assert observation.endswith(before)
    assert info["invalid_reason"].startswith("'b2' is not possible here. Possible: ")
    assert env.step(info["admissible_actions"][0])[4]["invalid_action"] is False


def test_an_agent_plays_the_other_side_and_sees_that_side_only() -> None:
    rival = Columnist()
    env = TicTacToeEnv(seat="first", opponent=rival)
    env.reset(seed=4)
    env.step("c3")
    env.step("b2")
    assert all(turn.task.endswith("You play O; X moves first.") for turn in rival.turns)
    assert [turn.index for turn in rival.turns] == [0, 1]
    assert rival.turns[0].history == ()
    assert [past.action for past in rival.turns[1].history] == ["a1"]
    assert rival.turns[1].observation == "  a b c\n1 O . .\n2 . X .\n3 . . X"


def test_neither_side_sees_what_the_other_keeps_to_itself() -> None:
    rival = RecordsTheTable()
    env = NegotiationEnv(role="buyer", seat="first", opponent=rival, zone=17)
    for seed in range(5):
        trajectory = run_episode(env, RandomAgent(), seed=seed)
        buyers, sellers = str(env.case.limit), str(env.case.cost)
        for turn in rival.turns:
            assert f"worth {sellers} to you" in turn.task
            assert f"worth {buyers} to you" not in to_json(turn).decode()
        for step in trajectory.steps:
            assert f"worth {buyers} to you" in trajectory.task
            assert "worth" not in step.observation


class RecordsTheTable(Columnist):
    id = "records-the-table"

    def propose(self, turn: Turn) -> Action:
        super().propose(turn)
        return Action(text="offer 100")


def test_a_critic_sees_what_its_agent_sees() -> None:
    seen: list[Turn] = []

    def watcher(turn: Turn, action: Action) -> float:
        seen.append(turn)
        return 0.5

    env = NegotiationEnv(role="seller", seat="first", opponent="firm")
    trajectory = run_episode(env, ScriptedAgent(["offer 90", "offer 80"], repeat=True), critic=watcher)
    hidden = f"worth {env.case.limit}"
    assert len(seen) == len(trajectory.steps)
    assert all(hidden not in to_json(turn).decode() for turn in seen)
    assert hidden not in to_json(trajectory).decode()


def test_an_opponents_seed_follows_from_the_episodes_and_is_not_the_agents() -> None:
    rival = Columnist()
    env = TicTacToeEnv(seat="second", opponent=rival)
    for seed in (3, 3, 4):
        env.reset(seed=seed)
    assert rival.seeds[0] == rival.seeds[1] != rival.seeds[2]
    assert rival.seeds[0] != 3


@pytest.mark.parametrize(
    "opponent",
    [Columnist, RandomAgent, "agentgym_critic.agents.random:RandomAgent", lambda: RandomAgent()],
    ids=["class", "agent class", "string", "function"],
)
def test_a_class_of_opponents_keeps_every_promise(opponent: Any) -> None:
    check_text_env(TicTacToeEnv(opponent=opponent), make=lambda: TicTacToeEnv(opponent=opponent), another_process=False)


def test_an_agent_is_brought_back_with_the_moment() -> None:
    env = TicTacToeEnv(seat="first", opponent=RandomAgent())
    env.reset(seed=1)
    env.step("b2")
    saved = env.snapshot()
    ahead = _play(env, 5)
    for _ in range(3):
        env.restore(saved)
        assert _play(env, 5) == ahead
    copy = pickle.loads(pickle.dumps(env))
    copy.restore(pickle.loads(pickle.dumps(saved)))
    assert _play(copy, 5) == ahead
    other = TicTacToeEnv(seat="first", opponent=RandomAgent())
    other.restore(saved)
    assert _play(other, 5) == ahead


def test_an_agent_that_is_not_asked_again_is_not_reset() -> None:
    rival = Columnist()
    env = TicTacToeEnv(seat="first", opponent=rival)
    env.reset(seed=1)
    env.step("c3")
    env.restore(env.snapshot())
    env.step("c2")
    assert len(rival.seeds) == 1
    assert len(rival.turns) == 2


def test_an_agent_that_answers_otherwise_cannot_be_brought_back() -> None:
    env = TicTacToeEnv(seat="first", opponent=Forgetful())
    env.reset(seed=0)
    env.step("b2")
    saved = env.snapshot()
    env.step(env.current()[1]["admissible_actions"][0])
    env.restore(saved)
    with pytest.raises(EnvError, match=r"opponent forgetful cannot be brought back to an earlier moment: asked again"):
        env.step(env.current()[1]["admissible_actions"][0])


def test_an_illegal_proposal_is_explained_and_asked_for_again() -> None:
    rival = Stubborn(times=2)
    env = TicTacToeEnv(seat="first", opponent=rival)
    env.reset(seed=0)
    observation, *_, info = env.step("b2")
    assert (observation.count("O"), info["opponent_forfeited"]) == (1, False)
    first, second, third = rival.turns
    assert second.observation.startswith("'z9 z9 ")
    assert second.observation.endswith(first.observation)
    assert [bool(past.invalid_reason) for past in third.history] == [True, True]


def test_three_illegal_proposals_forfeit_the_game() -> None:
    env = TicTacToeEnv(seat="first", opponent=Stubborn(times=3))
    env.reset(seed=0)
    observation, reward, terminated, _, info = env.step("b2")
    assert (reward, terminated, info["success"], info["opponent_forfeited"]) == (1.0, True, True, True)
    assert observation.endswith("Your opponent made no legal move and forfeited the game.")
    assert info["state_key"].endswith(":forfeited")
    env.reset(seed=0)
    assert env.current()[1]["opponent_forfeited"] is False


def test_a_negotiator_that_says_nothing_sensible_leaves_the_table() -> None:
    env = NegotiationEnv(seat="first", opponent=Stubborn(times=3), messages=False)
    env.reset(seed=0)
    observation, reward, terminated, _, info = env.step("offer 50")
    assert observation.splitlines()[1].endswith(" walked away.")
    assert (reward, terminated, info["success"], info["opponent_forfeited"]) == (0.0, True, False, True)


def test_a_forfeit_before_the_first_move_is_an_error() -> None:
    env = TicTacToeEnv(seat="second", opponent=Stubborn(times=3))
    with pytest.raises(
        EnvError, match=r"opponent stubborn ended the game before the agent's first move; it said 'z9 z9"
    ):
        env.reset(seed=0)
    with pytest.raises(EnvError, match="never started"):
        env.step("a1")


def test_an_opponent_that_raises_costs_no_move() -> None:
    env = TicTacToeEnv(seat="first", opponent=Broken())
    before = env.reset(seed=0)
    with pytest.raises(EnvError, match=r"opponent broken raised RuntimeError in propose\(\): out of order"):
        env.step("b2")
    assert env.current() == before


def test_an_opponent_that_proposes_something_else_is_named() -> None:
    env = TicTacToeEnv(seat="second", opponent=SaysText())
    with pytest.raises(EnvError, match=r"opponent SaysText proposed 'b2'; propose\(\) returns an Action"):
        env.reset(seed=0)


class SaysText:
    def reset(self, seed: int) -> None:
        pass

    def propose(self, turn: Turn) -> Any:
        return "b2"


def test_the_dice_of_the_worlds_own_players_follow_from_seed_and_move() -> None:
    env = TicTacToeEnv(seat="first", opponent="random")
    env.reset(seed=5)
    start = env.snapshot()
    answers = []
    for illegal in (0, 3):
        env.restore(start)
        for _ in range(illegal):
            env.step("nonsense")
        answers.append(env.step("a1")[0])
    assert answers[0] == answers[1]


def test_a_warned_agent_thinks_again() -> None:
    def against_high_offers(turn: Turn, action: Action) -> Verdict:
        high = action.text == "offer 99"
        return Verdict(p=0.1 if high else 0.9, critic="frugal", critique="That is far too much." if high else "")

    class Listens(Columnist):
        def propose(self, turn: Turn) -> Action:
            return Action(text="offer 30" if turn.advice else "offer 99")

    env = NegotiationEnv(role="buyer", seat="first", opponent="firm")
    trajectory = run_episode(env, Listens(), critic=against_high_offers, gate=Gate(mode="warn", max_interventions=9))
    assert {step.action.text for step in trajectory.steps} == {"offer 30"}
    assert trajectory.steps[0].interventions[0].action.text == "offer 99"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seat": "third"}, r"seat is 'first' or 'second' or 'random', got 'third'"),
        ({"seat": None}, r"seat is 'first' or 'second' or 'random', got None"),
        ({"max_steps": 0}, r"max_steps is at least 1"),
        ({"opponent": "minmax"}, r"There is no opponent 'minmax'. Did you mean 'minimax'\?"),
        ({"opponent": "no.such:Thing"}, r"No module named 'no.such' can be imported"),
        ({"opponent": "agentgym_critic.agents:Rando"}, r"There is no attribute of agentgym_critic.agents 'Rando'"),
        ({"opponent": 7}, r"an opponent is one of random, minimax, mcts, an agent .* 7 has no method reset"),
        ({"opponent": "agentgym_critic.agents:OracleAgent"}, r"the opponent 'oracle' wants to see the simulator"),
        ({"opponent": "agentgym_critic.envs:env_ids"}, r"\[.*\] has no method reset"),
    ],
    ids=str,
)
def test_what_cannot_be_meant_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_env("agentgym_critic/TicTacToe-v0", **settings)


def test_a_class_that_raises_is_named() -> None:
    def breaks() -> Columnist:
        raise ValueError("no luck")

    with pytest.raises(EnvError, match=r"opponent <function .* raised ValueError: no luck"):
        TicTacToeEnv(opponent=breaks)


def test_an_agent_goes_through_gymnasium_make() -> None:
    rival = Columnist()
    env = gymnasium.make("agentgym_critic/TicTacToe-v0", seat="second", opponent=rival)
    env.reset(seed=0)
    assert len(rival.turns) == 1


def _play(env: TicTacToeEnv, seed: int) -> list[str]:
    rng, observations = random.Random(seed), []
    while actions := env.current()[1]["admissible_actions"]:
        observations.append(env.step(rng.choice(actions))[0])
    return observations


def test_an_id_that_is_no_name_is_made_one() -> None:
    opponent = Columnist()
    opponent.id = "two\nlines \ud800" + "x" * 200
    env = TicTacToeEnv(opponent=opponent, seat="first")
    name = env.reset(seed=0)[1]["task_id"].removeprefix("tictactoe-first-vs-")
    assert name.startswith("two lines \ufffdxxx")
    assert len(name) == 80


def test_a_proposal_that_is_none_is_quoted_in_short() -> None:
    opponent = Columnist()
    opponent.propose = lambda turn: "x" * 10**6  # type: ignore[method-assign, assignment, return-value]
    env = TicTacToeEnv(opponent=opponent, seat="first")
    env.reset(seed=0)
    with pytest.raises(EnvError, match=r"^opponent columnist proposed 'x{119}\u2026; propose\(\) returns an Action$"):
        env.step("b2")
