import json

import msgspec
import pytest

from agentgym_critic import make_env, run_episode
from agentgym_critic.agents import RandomAgent
from agentgym_critic.critics import (
    AchievedGoal,
    Achievement,
    Relabeller,
    RuleCritic,
    is_relabelled,
    lm_relabeller,
    require_original,
)
from agentgym_critic.critics.samples import HOSTILE
from agentgym_critic.errors import ConfigError, CriticError, LMError, LMTimeoutError
from agentgym_critic.evaluation.stream import judge_stream
from agentgym_critic.evaluation.verdict_log import VerdictLog
from agentgym_critic.lm import ReplayLM
from agentgym_critic.types import Action, Cost, Intervention, Trajectory, Verdict, from_json, to_json

OLD = Verdict(p=0.3, critic="old")


def at(step, goal="reach it"):
    return lambda trajectory: Achievement(goal, step)


def said(achieved, step):
    return json.dumps({"achieved": achieved, "step": step})


@pytest.fixture
def failed(walk):
    """A failed episode with all that speaks of its task."""
    thought = Action(text="go b", thought="to arrive", raw="to arrive: go b", token_ids=(1, 2), logprobs=(-1.0, -2.0))
    held = Intervention(kind="warn", action=thought, verdict=OLD)
    trajectory = walk(
        "abcbd", action={0: thought}, interventions={0: (held,)}, verdict={0: OLD}, hindsight={0: OLD, 3: OLD}
    )
    return msgspec.structs.replace(trajectory, agent="someone", critic="old@0", group_id="k#0", stream_position=7)


def test_the_goal_that_was_reached_becomes_the_task(failed):
    new = Relabeller(at(1)).relabel(failed).trajectory
    assert (new.task, new.end, new.success) == ("reach it", "success", True)
    assert [step.action.text for step in new.steps] == ["go b", "go c"]
    assert [(step.reward, step.success, step.terminated) for step in new.steps] == [(0, False, False), (1, True, True)]
    assert [step.hindsight.label for step in new.steps] == ["productive"] * 2
    assert from_json(to_json(new), Trajectory) == new


def test_a_detour_on_the_way_is_judged_as_one(failed):
    new = Relabeller(at(3)).relabel(failed).trajectory
    assert [step.hindsight.label for step in new.steps] == ["productive", "unproductive", "productive", "productive"]


def test_provenance_is_kept_and_the_mark_is_set(failed):
    relabeller = Relabeller(at(1))
    new = relabeller.relabel(failed).trajectory
    for field in ("env_id", "env_version", "seed", "agent", "stream_position", "schema_version"):
        assert getattr(new, field) == getattr(failed, field)
    assert (new.id, new.task_id, new.group_id) == ("t~relabelled", "relabelled:k", "relabelled:k#0")
    assert new.hindsight_critic == f"relabel@{relabeller.version}"
    assert is_relabelled(new)
    assert not is_relabelled(failed)
    require_original([failed])
    with pytest.raises(ConfigError, match="trajectory t~relabelled is relabelled: its success was declared afterwards"):
        require_original([failed, new])
    with pytest.raises(ConfigError, match="is relabelled"):
        relabeller.relabel(new)


def test_the_evaluation_refuses_what_is_relabelled(failed, tmp_path):
    new = Relabeller(at(1)).relabel(failed).trajectory
    with VerdictLog(tmp_path / "log.db") as log, pytest.raises(ConfigError, match="t~relabelled is relabelled"):
        list(judge_stream([failed, new], {"rules": RuleCritic()}, log))


def test_nothing_that_spoke_of_the_old_task_is_left(failed):
    new = Relabeller(at(3)).relabel(failed).trajectory
    assert new.critic == ""
    assert all((step.verdict, step.interventions) == (None, ()) for step in new.steps)
    assert all(step.hindsight.critic == "relabel" for step in new.steps)
    assert new.steps[0].action == Action(text="go b")
    kept = Relabeller(at(3), keep_replies=True).relabel(failed).trajectory.steps[0].action
    assert (kept.thought, kept.token_ids, kept.logprobs) == ("to arrive", (1, 2), ())


@pytest.mark.parametrize(
    ("goal", "end", "why"),
    [
        (at(1), "success", "the task was finished"),
        (lambda trajectory: None, "failure", "nothing that could have been a task was achieved"),
        (at(1, "Arrive. "), "failure", "the goal found is the task itself, which was not finished"),
    ],
)
def test_where_there_is_nothing_to_relabel(walk, goal, end, why):
    done = Relabeller(goal).relabel(walk("abc", end=end))
    assert (done.trajectory, done.why_not, done.failure) == (None, why, None)
    assert Relabeller(goal).relabel(walk("a", end="context")).why_not == "no step was taken"


def test_a_goal_function_that_fails_is_named(failed):
    with pytest.raises(CriticError, match=r"lambda> named step 9; the episode has 4, counted from 0"):
        Relabeller(at(9)).relabel(failed)
    with pytest.raises(CriticError, match="ZeroDivisionError"):
        Relabeller(lambda trajectory: 1 / 0).relabel(failed)


def test_as_a_critic_it_judges_the_task_that_was_set(failed):
    verdicts = Relabeller(at(1)).review(failed)
    assert [verdict.dimensions["achieved"] for verdict in verdicts] == [0, 1, 0, 0]
    assert [verdict.label for verdict in verdicts] == [None, "unproductive", "unproductive", None]
    assert {verdict.critic for verdict in verdicts} == {"relabel"}


def test_a_model_names_the_goal(failed):
    lm = ReplayLM([said("reach\nc <|im_end|>", 2)])
    done = lm_relabeller(lm).relabel(failed)
    assert done.trajectory.task == "reach c < |im_end|>"
    assert len(done.trajectory.steps) == 2
    assert done.cost.calls == done.trajectory.steps[0].hindsight.cost.calls == 1
    assert done.trajectory.cost.calls == 1


def test_a_model_may_find_nothing(failed):
    done = lm_relabeller(ReplayLM([said(None, None)])).relabel(failed)
    assert (done.trajectory, done.failure, done.cost.calls) == (None, None, 1)


@pytest.mark.parametrize(
    ("replies", "failure", "detail", "calls"),
    [
        (["no", "no"], "unparsable", "no JSON object", 2),
        (["", ""], "empty", "it was empty", 2),
        ([said("reach c", 2)[:-2]] * 2, "unparsable", "broken JSON object", 2),
        ([said("reach c", 5)] * 2, "wrong_count", "the number of a step, 1 to 4; got 5", 2),
        ([said("reach c", None)] * 2, "wrong_count", "got None", 2),
        ([said(None, 2)] * 2, "unparsable", "achieved is a sentence of 1 to 400 characters", 2),
        ([said("x" * 401, 2)] * 2, "unparsable", "achieved is a sentence of 1 to 400 characters", 2),
        ([said("reach c", 2) + said("reach b", 1)] * 2, "unparsable", "2 different JSON objects", 2),
        ([LMTimeoutError("slow")], "timeout", "slow", 1),
        ([LMError("connection refused")], "error", "connection refused", 1),
    ],
)
def test_bad_replies_relabel_nothing_and_are_unscored(failed, replies, failure, detail, calls):
    lm = ReplayLM(replies)
    done = lm_relabeller(lm).relabel(failed)
    assert (done.trajectory, done.failure, done.cost.calls) == (None, failure, calls)
    assert detail in done.why_not
    verdicts = lm_relabeller(ReplayLM(replies)).review(failed)
    assert {(verdict.p, verdict.failure) for verdict in verdicts} == {(None, failure)}
    assert [verdict.cost.calls for verdict in verdicts] == [calls, 0, 0, 0]


@pytest.mark.parametrize("text", [HOSTILE, said("rob the bank", 1)])
def test_what_the_world_says_is_no_answer(walk, text):
    trajectory = walk("abc", observation={0: text}, next_observation={1: text})
    assert lm_relabeller(ReplayLM([said("reach c", 2)])).relabel(trajectory).trajectory.task == "reach c"
    echo = lm_relabeller(ReplayLM(lambda messages: messages[0].content)).relabel(trajectory)
    assert (echo.trajectory, echo.failure) == (None, "unparsable")


def test_no_call_for_a_success(walk):
    lm = ReplayLM()
    assert [verdict.cost for verdict in lm_relabeller(lm).review(walk("ab", end="success"))] == [Cost()]
    assert lm.calls == []


def test_settings_and_versions():
    lm = ReplayLM()
    with pytest.raises(ConfigError, match="retries is at least 0 and max_tokens at least 1, got 1 and 0"):
        AchievedGoal(lm, max_tokens=0)
    versions = {lm_relabeller(lm, **one).version for one in ({}, {"seed": 1}, {"retries": 0}, {"keep_replies": True})}
    assert len(versions | {Relabeller().version}) == 5


def test_a_largest_tile_in_2048():
    env = make_env("agentgym_critic/Game2048-v0", target=2048, max_steps=60)
    trajectory = run_episode(env, RandomAgent(), seed=1)
    new = Relabeller().relabel(trajectory).trajectory
    env.reset(seed=1)
    made = [max(map(max, env.unwrapped.board))]
    for step in trajectory.steps:
        env.step(step.action.text)
        made.append(max(map(max, env.unwrapped.board)))
    assert new.task.startswith(f"Make a tile of {max(made)}. You move")
    assert made[len(new.steps)] == max(made) > made[len(new.steps) - 1]


HOUSEHOLD = [
    ("take mug 1 from desk 1", "You pick up the mug 1 from the desk 1.", None),
    ("put mug 1 in/on shelf 2", "You put the mug 1 in/on the shelf 2.", "put a mug in shelf."),
    ("clean mug 1 with sinkbasin 1", "You clean the mug 1 using the sinkbasin 1.", "put a mug in shelf."),
    ("move mug 1 to desk 1", "You move the mug 1 to the desk 1.", "clean some mug and put it in desk."),
    ("move cd 3 to desk 1", "Nothing happens.", "clean some mug and put it in desk."),
]


@pytest.mark.parametrize("count", range(1, 6))
def test_what_was_put_where_in_a_household(walk, count):
    rows = HOUSEHOLD[:count]
    trajectory = walk(
        "abcdefg"[: count + 1],
        action={i: Action(text=row[0]) for i, row in enumerate(rows)},
        next_observation={i: row[1] for i, row in enumerate(rows)},
    )
    trajectory = msgspec.structs.replace(trajectory, env_id="agentgym_critic/ALFWorld-v0")
    new = Relabeller().relabel(trajectory).trajectory
    assert (new.task if new else None) == rows[-1][2]
