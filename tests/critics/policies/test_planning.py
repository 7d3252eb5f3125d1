"""The helper's table: best under a budget, against all tables where these can be listed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.critics.policies.helper import HelperPolicy
from agentgym_critic.critics.policies.planning import _chosen, _Model, _solve, plan_helper
from agentgym_critic.errors import ConfigError
from agentgym_critic.types import Action, Intervention, Step, Trajectory, Verdict


def step(index: int, p: float, intervened: bool) -> Step:
    held_back = Intervention(kind="warn", action=Action(text="a"), verdict=Verdict(p=p, critic="c"))
    return Step(
        index=index,
        observation="o",
        action=Action(text="b"),
        next_observation="o",
        reward=0.0,
        verdict=Verdict(p=0.9 if intervened else p, critic="c"),
        interventions=(held_back,) if intervened else (),
    )


def episode(*decisions: tuple[float, bool], end: str) -> Trajectory:
    steps = tuple(step(index, *decision) for index, decision in enumerate(decisions))
    return Trajectory(id="t", env_id="e", task_id="t", task="t", seed=0, steps=steps, end=end)  # type: ignore[arg-type]


def rescued(often: int) -> list[Trajectory]:
    """A low p fails unless something is done; a high p succeeds unless something is done."""
    return [
        episode((0.1, False), end="failure"),
        episode((0.1, True), end="success"),
        episode((0.9, False), end="success"),
        episode((0.9, True), end="failure"),
    ] * often


def test_it_intervenes_where_that_helps_and_nowhere_else() -> None:
    helper = plan_helper(rescued(50), bins=2)
    assert helper.table == ((True, False),)
    assert helper.interventions == pytest.approx(0.5)
    assert helper.success == pytest.approx(1.0, abs=0.02)


def test_without_a_budget_it_never_does() -> None:
    helper = plan_helper(rescued(50), bins=2, budget=0.0)
    assert helper.table == ((False, False),)
    assert helper.interventions == 0
    assert helper.success == pytest.approx(0.5, abs=0.02)


def test_a_tight_budget_goes_where_it_helps_most() -> None:
    often = [episode((0.3, False), end="failure"), episode((0.3, True), end="success")] * 100
    seldom = [episode((0.1, False), end="failure"), episode((0.1, True), end="success")] * 20
    seldom += [episode((0.3, True), end="failure")] * 30
    both = plan_helper(often + seldom, bins=5, budget=1.0)
    assert both.table[0][:2] == (True, True)
    tight = plan_helper(often + seldom, bins=5, budget=0.3)
    assert tight.table[0][:2] == (True, False)
    assert tight.price > both.price == 0.0
    assert tight.interventions <= 0.3


def test_unscored_steps_and_steps_that_were_undone_count_too() -> None:
    unscored = Step(
        index=0,
        observation="o",
        action=Action(text="b"),
        next_observation="o",
        reward=0.0,
        verdict=Verdict.unscored("c", "timeout"),
    )
    undone = Intervention(kind="rollback", action=Action(text="a"), verdict=Verdict(p=0.1, critic="c"), undone=unscored)
    last = Step(
        index=0, observation="o", action=Action(text="b"), next_observation="o", reward=0.0, interventions=(undone,)
    )
    rolled = Trajectory(id="t", env_id="e", task_id="t", task="t", seed=0, steps=(last,), end="success")
    helper = plan_helper([rolled] * 20, bins=2)
    assert helper.table == ((False, False), (True, True))  # what was seen of the first step is all there is
    assert (helper.interventions, helper.success) == (1.0, 1.0)


def test_what_stopped_an_episode_is_a_decision() -> None:
    stop = Intervention(kind="stop", action=Action(text="a"), verdict=Verdict(p=0.1, critic="c"))
    stopped = Trajectory(
        id="t", env_id="e", task_id="t", task="t", seed=0, steps=(), end="stopped", interventions=(stop,)
    )
    helper = plan_helper([stopped, episode((0.1, False), end="success")], bins=2)
    assert helper.table == ((False, False),)  # who stops never succeeds
    assert helper.success == pytest.approx(1.0)


@st.composite
def models(draw: st.DrawFn) -> _Model:
    """Chances of what follows among one bin and "unscored"."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    after = rng.dirichlet(np.full(4, 0.5), size=(2, 2))
    return _Model(np.array([0.8, 0.2]), after)


@given(models(), st.floats(0.0, 0.5), st.integers(1, 4))
@settings(max_examples=50, deadline=None)
def test_no_table_is_worth_more_at_the_price(model: _Model, price: float, horizon: int) -> None:
    def worth(table: tuple[tuple[bool, ...], ...]) -> tuple[float, float]:
        success, usage = np.zeros(2), np.zeros(2)
        for row in reversed(table):
            intervene = np.array([*row, False])
            usage = intervene + _chosen(model, intervene, usage, won=0.0)
            success = _chosen(model, intervene, success, won=1.0)
        return float(model.start @ success), float(model.start @ usage)

    best = _solve(model, price, horizon)
    assert worth(best.table) == pytest.approx((best.success, best.interventions))
    for rows in itertools.product([(False,), (True,)], repeat=horizon):
        success, usage = worth(rows)
        assert success - price * usage <= best.success - price * best.interventions + 1e-9


@given(st.integers(0, 1_000), st.floats(0.0, 2.0))
@settings(max_examples=25, deadline=None)
def test_the_budget_is_never_exceeded_and_more_of_it_never_hurts(seed: int, budget: float) -> None:
    rng = np.random.default_rng(seed)
    episodes = [
        episode(*[(float(rng.random()), bool(rng.integers(2))) for _ in range(int(rng.integers(1, 6)))], end=end)
        for end in rng.choice(["success", "failure", "step_limit"], size=30)
    ] + rescued(1)
    helper, unlimited = plan_helper(episodes, budget=budget, bins=3), plan_helper(episodes, budget=100.0, bins=3)
    assert helper.interventions <= budget + 1e-9
    assert helper.success <= unlimited.success + 1e-9
    assert isinstance(helper, HelperPolicy)


@pytest.mark.parametrize(
    ("episodes", "settings", "message"),
    [
        ([], {}, r"seen 0 times where nothing was done and 0 times after an intervention; both are needed"),
        (
            [episode((0.1, False), end="failure")],
            {},
            r"seen 1 times where nothing was done and 0 times .* Gate\(policy=RandomPolicy\(\)\) to learn from",
        ),
        (
            rescued(1),
            {"budget": -1},
            "a budget of at least 0, bins and steps of at least 1 and a prior above 0; got -1",
        ),
        (rescued(1), {"prior": 0}, r"a prior above 0; got 1\.0, 5, None, 0"),
    ],
)
def test_too_little_to_go_by(episodes: list[Trajectory], settings: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        plan_helper(episodes, **settings)
