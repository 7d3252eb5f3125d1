"""Records: exact round trips, refusals, and what is derived from them."""

import math

import msgspec
import pytest
import strategies
from hypothesis import given

from agentgym_critic.errors import ConfigError
from agentgym_critic.types import (
    SCHEMA_VERSION,
    Action,
    Cost,
    Exchange,
    Experience,
    Intervention,
    Oracle,
    Step,
    Trajectory,
    Turn,
    Verdict,
    check_types,
    clean_text,
    from_json,
    to_builtins,
    to_json,
)

RECORDS = {
    Action: strategies.action(),
    Cost: strategies.cost(),
    Exchange: strategies.exchange(),
    Experience: strategies.experience(),
    Intervention: strategies.intervention(),
    Oracle: strategies.oracle(),
    Step: strategies.step(),
    Trajectory: strategies.trajectory(),
    Turn: strategies.turn(),
    Verdict: strategies.verdict(),
}


def a_step(index: int = 0, **changes) -> Step:
    fields = {
        "index": index,
        "observation": f"room {index}",
        "action": Action(text=f"go {index}", cost=Cost(calls=1, prompt_tokens=10, completion_tokens=2, seconds=0.5)),
        "next_observation": f"room {index + 1}",
        "reward": 0.5,
    }
    return Step(**{**fields, **changes})


def a_trajectory(**changes) -> Trajectory:
    fields = {"id": "t", "env_id": "e", "task_id": "k", "task": "win", "seed": 1, "steps": (), "end": "success"}
    return Trajectory(**{**fields, **changes})


@pytest.mark.parametrize("record_type", RECORDS, ids=lambda record_type: record_type.__name__)
def test_every_record_round_trips_exactly(record_type):
    @given(record=RECORDS[record_type])
    def check(record):
        assert from_json(to_json(record), record_type) == record

    check()


@given(text=strategies.hostile_text())
def test_text_that_is_no_unicode_is_cleaned_once_and_costs_no_record(text):
    cleaned = clean_text(text)
    assert clean_text(cleaned) == cleaned
    assert len(cleaned) == len(text)
    cleaned.encode("utf-8")
    stored = from_json(to_json(Action(text=text)), Action)
    assert stored.text in (text, cleaned)


def test_a_lone_surrogate_is_replaced_at_any_depth():
    step = a_step(verdict=Verdict(p=0.5, critic="c", dimensions={"a\udc80": 1.0}), admissible_actions=("x\ud800",))
    stored = from_json(to_json(step), Step)
    assert stored.verdict.dimensions == {"a\ufffd": 1.0}
    assert stored.admissible_actions == ("x\ufffd",)


def test_clean_text_keeps_clean_text_and_replaces_nul():
    assert clean_text("Grüße 🏠") == "Grüße 🏠"
    assert clean_text("a\0b") == "a\ufffdb"


@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan, math.inf])
def test_p_must_be_a_probability(p):
    with pytest.raises(ConfigError, match=rf"p is a probability in \[0, 1\], got {p}"):
        Verdict(p=p, critic="c")


def test_a_verdict_has_either_p_or_a_failure():
    with pytest.raises(ConfigError, match="either p or a failure class, got p=None and failure=None"):
        Verdict(p=None, critic="c")
    with pytest.raises(ConfigError, match=r"got p=0\.5 and failure='error'"):
        Verdict(p=0.5, critic="c", failure="error")


def test_non_finite_numbers_are_refused_by_name():
    with pytest.raises(ConfigError, match="a vote is a finite number, got nan"):
        Verdict(p=0.5, critic="c", votes=(None, math.nan))
    with pytest.raises(ConfigError, match="a dimension is a finite number, got inf"):
        Verdict(p=0.5, critic="c", dimensions={"d": math.inf})
    with pytest.raises(ConfigError, match="the reward of step 3 is a finite number, got nan"):
        a_step(3, reward=math.nan)
    with pytest.raises(ConfigError, match="a logprob is a finite number, got -inf"):
        Action(text="a", token_ids=(1,), logprobs=(-math.inf,))


def test_logprobs_belong_to_tokens():
    with pytest.raises(ConfigError, match="2 token ids need as many logprobs, got 1"):
        Action(text="a", token_ids=(1, 2), logprobs=(-0.1,))


def test_records_cannot_be_changed():
    with pytest.raises(AttributeError):
        Action(text="a").text = "b"


def test_json_of_the_wrong_shape_names_the_place():
    with pytest.raises(msgspec.ValidationError, match=r"Expected `str`, got `int` - at `\$\.text`"):
        from_json('{"text": 1}', Action)
    with pytest.raises(ConfigError, match=r"p is a probability in \[0, 1\], got 2.0"):
        from_json('{"p": 2.0, "critic": "c"}', Verdict)
    with pytest.raises(msgspec.DecodeError):
        from_json("{", Action)


@pytest.mark.parametrize(("p", "label"), [(0.7, "productive"), (0.2, "unproductive"), (0.5, None)])
def test_the_label_is_p_in_a_word(p, label):
    assert Verdict(p=p, critic="c").label == label


def test_an_unscored_verdict_has_no_label_and_a_bounded_clean_detail():
    verdict = Verdict.unscored("c", "timeout", "x\udc80" + "y" * 1_000, version="2", cost=Cost(calls=1))
    assert (verdict.p, verdict.label, verdict.scored) == (None, None, False)
    assert verdict.failure_detail.startswith("x\ufffdy")
    assert len(verdict.failure_detail) == 500
    assert (verdict.version, verdict.cost.calls) == ("2", 1)


def test_the_cost_of_a_trajectory_counts_rejected_proposals_and_both_critics():
    judged = Verdict(p=0.1, critic="c", cost=Cost(calls=1, prompt_tokens=5))
    intervention = Intervention(kind="warn", action=a_step().action, verdict=judged)
    steps = (a_step(0, verdict=judged, hindsight=judged, interventions=(intervention,)), a_step(1))
    assert a_trajectory(steps=steps).cost == Cost(calls=6, prompt_tokens=45, completion_tokens=6, seconds=1.5)


def test_undone_steps_ran_and_are_paid_for():
    judged = Verdict(p=0.1, critic="c", cost=Cost(calls=1))
    first, second = a_step(0, verdict=judged), a_step(0, verdict=judged, reward=5.0)
    held_back = Intervention(kind="rollback", action=Action(text="x"), verdict=judged, undone=first)
    again = Intervention(kind="rollback", action=Action(text="y"), verdict=judged, undone=second)
    third = a_step(0, interventions=(held_back, again))
    stop = Intervention(kind="stop", action=Action(text="z", cost=Cost(calls=20)), verdict=judged)
    trajectory = a_trajectory(steps=(third, a_step(1)), interventions=(stop,), end="stopped")
    assert trajectory.ran == (first, second, third, trajectory.steps[1])
    assert trajectory.held_back == (held_back, again, stop)
    assert trajectory.cost.calls == sum(step.action.cost.calls for step in trajectory.ran) + 2 + 3 + 20
    assert trajectory.episode_return == sum(step.reward for step in trajectory.steps)
    ended = a_trajectory(steps=(), interventions=(held_back, again), end="context")
    assert ended.ran == (first, second)
    assert ended.held_back == (held_back, again)


def test_records_from_before_interventions_could_undo_still_load():
    old = to_builtins(a_trajectory(steps=(a_step(0),)))
    del old["interventions"]
    warned = to_builtins(Intervention(kind="warn", action=Action(text="x"), verdict=Verdict(p=0.1, critic="c")))
    del warned["dropped"], warned["undone"]
    old["steps"][0]["interventions"] = [warned]
    [intervention] = from_json(to_json(old), Trajectory).steps[0].interventions
    assert (intervention.kind, intervention.dropped, intervention.undone) == ("warn", "", None)


@pytest.mark.parametrize(
    ("end", "success", "truncated"),
    [
        ("success", True, False),
        ("failure", False, False),
        ("step_limit", False, True),
        ("context", False, True),
        ("stopped", False, True),
    ],
)
def test_how_it_ended(end, success, truncated):
    trajectory = a_trajectory(end=end)
    assert (trajectory.success, trajectory.truncated) == (success, truncated)


def test_hindsight_needs_one_verdict_a_step():
    verdict = Verdict(p=1.0, critic="h")
    trajectory = a_trajectory(steps=(a_step(0), a_step(1)))
    assert [step.hindsight for step in trajectory.with_hindsight([verdict, verdict]).steps] == [verdict, verdict]
    with pytest.raises(ConfigError, match="2 steps need as many hindsight verdicts, got 1"):
        trajectory.with_hindsight([verdict])


def test_the_return_is_summed_exactly_and_the_schema_is_stamped():
    trajectory = a_trajectory(steps=tuple(a_step(index, reward=0.1) for index in range(10)))
    assert trajectory.episode_return == 1.0
    assert to_builtins(trajectory)["schema_version"] == SCHEMA_VERSION


@pytest.mark.parametrize("amount", [{"seconds": math.nan}, {"seconds": -1.0}, {"prompt_tokens": 2**70}, {"calls": -1}])
def test_a_cost_that_cannot_be_is_refused(amount):
    with pytest.raises(ConfigError, match=r"a cost is made of numbers from 0 to 2\*\*53, got"):
        Cost(**amount)


def test_types_are_checked_on_demand():
    check_types(Cost(calls=3))
    with pytest.raises(ConfigError, match=r"Exchange\.action: Expected `str`, got `int`; got 5"):
        check_types(Exchange(observation="o", action=5))


@pytest.mark.parametrize(
    ("rewards", "total"),
    [
        ([1.7e308, 1.7e308], 1e300),
        ([-1.7e308, -1.7e308], -1e300),
        ([1.7e308, 1.7e308, -1.7e308, -1.7e308, 2.0], 2.0),
        ([0.1] * 10, 1.0),
    ],
)
def test_the_largest_rewards_add_up_to_a_return(rewards: list[float], total: float) -> None:
    steps = tuple(a_step(index, reward=reward) for index, reward in enumerate(rewards))
    assert a_trajectory(steps=steps).episode_return == total
