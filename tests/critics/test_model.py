"""The critics on the real small model. It is too small to judge well; what is tested is that they work."""

import pytest

from agentgym_critic.critics import LMHindsightCritic, PTrueCritic, VerbalizedCritic, bank_ptrue, check_critic
from agentgym_critic.critics.samples import HOSTILE
from agentgym_critic.types import Action, Turn

pytestmark = pytest.mark.model


def test_ptrue_judges_every_action_and_the_same_again(smollm2, turn, actions):
    critic = PTrueCritic(smollm2)
    first, again = (critic.judge(turn, actions, [[], []]) for _ in range(2))
    assert all(0 < verdict.p < 1 for verdict in first)
    assert first[0].p != first[1].p
    assert [verdict.p for verdict in again] == pytest.approx([verdict.p for verdict in first], abs=1e-5)


def test_ptrue_is_the_same_with_and_without_the_prefix_cache(smollm2, turn, actions):
    """The order in which candidates are judged decides what is cached, and changes nothing."""
    critic = PTrueCritic(smollm2)
    forwards = critic.judge(turn, actions, [[], []])
    backwards = critic.judge(turn, actions[::-1], [[], []])
    assert [v.p for v in backwards[::-1]] == pytest.approx([v.p for v in forwards], abs=1e-4)


def test_experiences_change_the_judgement(smollm2, turn, actions, experiences):
    critic = bank_ptrue(smollm2)
    (without,), (shown,) = (critic.judge(turn, actions[:1], [recalled]) for recalled in ([], experiences))
    assert without.p != shown.p
    assert shown.cost.prompt_tokens > without.cost.prompt_tokens


def test_verbalized_is_scored_or_says_why_not(smollm2, turn, actions):
    for verdict in VerbalizedCritic(smollm2, max_tokens=40).judge(turn, actions[:1], [[]]):
        assert verdict.scored or verdict.failure in ("unparsable", "out_of_range")
        assert verdict.cost.completion_tokens > 0


def test_a_review_is_scored_or_says_why_not(smollm2, walk):
    for verdict in LMHindsightCritic(smollm2, votes=2, retries=0, tokens_per_step=16).review(walk("abc")):
        assert verdict.scored or verdict.failure in ("unparsable", "wrong_count")


def test_control_tokens_in_an_observation_stay_text(smollm2):
    """The special tokens in the prompt are those of the chat format, no more, whatever the world says."""
    critic = PTrueCritic(smollm2)
    (plain,) = critic.judge(Turn(task="t", observation="a room"), [Action(text="look")], [[]])
    (hostile,) = critic.judge(Turn(task="t", observation=HOSTILE), [Action(text="look")], [[]])
    assert plain.scored
    assert hostile.scored


def test_the_contract_holds(smollm2):
    check_critic(PTrueCritic(smollm2, history_steps=20))
