"""The kernel vote against its formula, and what is left out so that rare polarities do not count double."""

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_critic.critics import AblatedCritic, KernelCritic, RuleCritic, check_critic
from agentgym_critic.errors import ConfigError
from agentgym_critic.types import Action, Experience, Turn

TURN = Turn(task="t", observation="o")


def past(p, similarity=1.0, action="go", count=1, number=0):
    return Experience(
        id=f"e{number}", task="t", state="o", action=action, outcome="x", p=p, count=count, similarity=similarity,
        polarity="productive" if p > 0.5 else "unproductive",
    )  # fmt: skip


def judged(*experiences, **settings):
    return KernelCritic(**settings).judge(TURN, [Action(text="go")], [experiences])[0]


def test_nothing_remembered_is_the_prior():
    verdict = judged(prior=0.3)
    assert (verdict.p, verdict.dimensions) == (0.3, {"evidence": 0.0})
    assert verdict.critique == "Nothing like 'go' is remembered here."


def test_the_formula():
    near, far = past(1.0, 0.95, count=2), past(0.0, 0.8, action="stay")
    verdict = judged(near, far, bandwidth=0.2, other_action=0.5, prior=0.5, prior_weight=2.0)
    weights = 2 * math.exp(-0.05 / 0.2), 0.5 * math.exp(-0.2 / 0.2)
    assert verdict.p == pytest.approx((weights[0] + 0.5 * 2) / (sum(weights) + 2))
    assert verdict.dimensions["evidence"] == pytest.approx(sum(weights))
    assert verdict.critique == "The most similar step remembered, 'go', was productive (judged 1.00)."


def test_a_full_polarity_sets_how_near_the_others_must_be():
    """All places of the unproductive are taken: more of them may lie at 0.7, so the productive one there is out."""
    crowd = [past(0.0, 0.9, number=1), past(0.0, 0.8, number=2)]
    lone = past(1.0, 0.7, number=3)
    verdict = judged(*crowd, lone, k=2)
    assert verdict.recalled == ("e1", "e2")
    assert judged(*crowd, lone, k=3).recalled == ("e1", "e2", "e3")


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(-1, 1), st.integers(1, 1000)), max_size=6))
def test_p_is_a_probability_between_what_is_remembered_and_the_prior(seen):
    verdict = judged(*(past(p, s, count=c) for p, s, c in seen), k=20)
    ps = [p for p, _, _ in seen] + [0.5]
    assert min(ps) - 1e-9 <= verdict.p <= max(ps) + 1e-9


@pytest.mark.parametrize(
    ("settings", "got"), [({"k": 0}, "got 0, 0.1, 1.0, 0.1 and 0.5"), ({"bandwidth": 0.0}, "got 8, 0.0"),
                          ({"other_action": 1.5}, "1.5 and 0.5"), ({"prior": 2.0}, "and 2.0"),
                          ({"prior_weight": 0.0}, "got 8, 0.1, 0.0")],
)  # fmt: skip
def test_settings(settings, got):
    with pytest.raises(ConfigError, match=got.replace(".", r"\.")):
        KernelCritic(**settings)


def test_it_keeps_the_contract():
    check_critic(KernelCritic(), deterministic=True)


def test_ablation_shows_one_polarity_only():
    critic = AblatedCritic(KernelCritic(k=2), polarity="productive", recall_by="chance")
    assert (critic.id, critic.recall_k, critic.recall_by) == ("kernel/productive/chance", 2, "chance")
    given = [past(1.0, number=1), past(0.0, number=2)]
    assert critic.judge(TURN, [Action(text="go")], [given])[0].recalled == ("e1",)
    check_critic(critic, deterministic=True)


def test_what_cannot_be_ablated():
    with pytest.raises(ConfigError, match="the critic rules recalls nothing, so nothing can be kept from it"):
        AblatedCritic(RuleCritic())
    with pytest.raises(ConfigError, match="got 'all' and 'similarity'"):
        AblatedCritic(KernelCritic(), polarity="all")


def test_experiences_are_not_changed():
    one = past(1.0)
    judged(one)
    assert one == msgspec.structs.replace(one)
