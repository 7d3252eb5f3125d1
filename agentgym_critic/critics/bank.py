"""The critics that read the memory bank, by name: a vote, a model that reads, and both, weighed by hindsight."""

from __future__ import annotations

from typing import Any, Literal, get_args

from agentgym_critic.critics.ablated import AblatedCritic, Polarities
from agentgym_critic.critics.base import PreCritic, RecallBy
from agentgym_critic.critics.kernel import KernelCritic
from agentgym_critic.critics.learner import LearnerCritic
from agentgym_critic.critics.ptrue import PTrueCritic
from agentgym_critic.critics.rules import RuleCritic
from agentgym_critic.critics.stacked import StackedCritic
from agentgym_critic.critics.verbalized import VerbalizedCritic
from agentgym_critic.errors import ConfigError
from agentgym_critic.lm.base import LanguageModel

__all__ = ["bank_fusion", "bank_kernel", "bank_lm", "bank_traits"]

Question = Literal["ptrue", "verbalized"]


def bank_kernel(
    k: int = 8,
    *,
    recalibrate: bool = True,
    polarity: Polarities = "both",
    recall_by: RecallBy = "similarity",
    **settings: Any,
) -> PreCritic:
    """A `KernelCritic`, recalibrated on hindsight as it goes. Needs no model.

    Args:
        k: how many productive, and as many unproductive, experiences vote.
        recalibrate: whether a `StackedCritic` learns what its p is worth.
        polarity: the only one that may vote; ``"both"`` for all.
        recall_by: ``"chance"`` for experiences drawn at random.
        settings: further ones of `KernelCritic`.
    """
    critic = _ablated(KernelCritic(k, **settings), polarity, recall_by)
    return StackedCritic([critic]) if recalibrate else critic


def bank_lm(
    lm: LanguageModel,
    k: int = 2,
    *,
    question: Question = "ptrue",
    recalibrate: bool = False,
    polarity: Polarities = "both",
    recall_by: RecallBy = "similarity",
    **settings: Any,
) -> PreCritic:
    """A language model that is shown `k` productive and `k` unproductive experiences, as CEB does.

    Args:
        lm: the model.
        k: how many of each polarity; 0 for the same critic without a bank.
        question: ``"ptrue"`` asks for the next word's probability, ``"verbalized"`` for a number.
        recalibrate: whether a `StackedCritic` learns what its p is worth.
        polarity: the only one that is shown; ``"both"`` for all.
        recall_by: ``"chance"`` for experiences drawn at random.
        settings: further ones of `PTrueCritic` or `VerbalizedCritic`.
    """
    if question not in get_args(Question):
        raise ConfigError(f"question is one of {', '.join(get_args(Question))}; got {question!r}")
    kind = PTrueCritic if question == "ptrue" else VerbalizedCritic
    critic = _ablated(kind(lm, recall_k=k, **settings), polarity, recall_by)
    return StackedCritic([critic]) if recalibrate else critic


def bank_fusion(lm: LanguageModel, k: int = 2, *, votes: int = 8, question: Question = "ptrue") -> StackedCritic:
    """The kernel's vote, the model that reads experiences, and the rules, weighed by what hindsight said so far.

    Args:
        lm: the model.
        k: how many experiences of each polarity the model is shown.
        votes: how many of each polarity vote.
        question: what the model is asked, as for `bank_lm`.
    """
    return StackedCritic([KernelCritic(votes), bank_lm(lm, k, question=question), RuleCritic()])


def bank_traits(k: int = 8, **settings: Any) -> StackedCritic:
    """The kernel's vote, the rules, and what hindsight taught of the traits of steps. Needs no model.

    Args:
        k: how many productive, and as many unproductive, experiences vote.
        settings: of `LearnerCritic`.
    """
    return StackedCritic([KernelCritic(k), LearnerCritic(**settings), RuleCritic()])


def _ablated(critic: PreCritic, polarity: Polarities, recall_by: RecallBy) -> PreCritic:
    if (polarity, recall_by) == ("both", "similarity"):
        return critic
    return AblatedCritic(critic, polarity=polarity, recall_by=recall_by)
