"""Critics: who judges the actions, before and after. Importing this package loads no model library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentgym_critic.critics.base import HindsightCritic, LearnsFromHindsight, PreCritic
from agentgym_critic.late import late_exports

if TYPE_CHECKING:
    from agentgym_critic.critics.ablated import AblatedCritic
    from agentgym_critic.critics.achieved_goal import AchievedGoal
    from agentgym_critic.critics.achievements import Achievement
    from agentgym_critic.critics.adapt import as_critic, as_hindsight_critic
    from agentgym_critic.critics.bank import bank_fusion, bank_kernel, bank_lm, bank_traits
    from agentgym_critic.critics.cached import CachedCritic
    from agentgym_critic.critics.check import check_critic, check_hindsight_critic
    from agentgym_critic.critics.counterfactual import CounterfactualCritic
    from agentgym_critic.critics.ensemble import EnsembleCritic
    from agentgym_critic.critics.first_error import FirstErrorCritic, first_bad_step
    from agentgym_critic.critics.functions import FunctionCritic, FunctionHindsightCritic
    from agentgym_critic.critics.gate import Gate
    from agentgym_critic.critics.graded import GradedCritic
    from agentgym_critic.critics.groupwise import GroupwiseCritic
    from agentgym_critic.critics.hindsight import LMHindsightCritic
    from agentgym_critic.critics.kernel import KernelCritic
    from agentgym_critic.critics.learner import LearnerCritic
    from agentgym_critic.critics.likelihood import LikelihoodCritic
    from agentgym_critic.critics.monte_carlo import MonteCarloCritic
    from agentgym_critic.critics.oracle import OracleCritic
    from agentgym_critic.critics.outcome import OutcomeHindsightCritic
    from agentgym_critic.critics.pooled import PooledHindsightCritic
    from agentgym_critic.critics.ptrue import PTrueCritic, bank_ptrue
    from agentgym_critic.critics.question import QuestionCritic
    from agentgym_critic.critics.relabel import Relabelled, Relabeller, is_relabelled, lm_relabeller, require_original
    from agentgym_critic.critics.retrospective import RetrospectiveCritic
    from agentgym_critic.critics.rubric_critic import RubricCritic, rubric_rules
    from agentgym_critic.critics.rules import RuleCritic
    from agentgym_critic.critics.safe import safe_judge, safe_review
    from agentgym_critic.critics.self_consistency import SelfConsistencyCritic
    from agentgym_critic.critics.solution import SolverSolution
    from agentgym_critic.critics.stacked import StackedCritic
    from agentgym_critic.critics.structured import StructuredCritic
    from agentgym_critic.critics.value_model import ValueModelCritic
    from agentgym_critic.critics.verbalized import VerbalizedCritic, bank_verbalized

__all__ = [
    "AblatedCritic",
    "AchievedGoal",
    "Achievement",
    "CachedCritic",
    "CounterfactualCritic",
    "EnsembleCritic",
    "FirstErrorCritic",
    "FunctionCritic",
    "FunctionHindsightCritic",
    "Gate",
    "GradedCritic",
    "GroupwiseCritic",
    "HindsightCritic",
    "KernelCritic",
    "LMHindsightCritic",
    "LearnerCritic",
    "LearnsFromHindsight",
    "LikelihoodCritic",
    "MonteCarloCritic",
    "OracleCritic",
    "OutcomeHindsightCritic",
    "PTrueCritic",
    "PooledHindsightCritic",
    "PreCritic",
    "QuestionCritic",
    "Relabelled",
    "Relabeller",
    "RetrospectiveCritic",
    "RubricCritic",
    "RuleCritic",
    "SelfConsistencyCritic",
    "SolverSolution",
    "StackedCritic",
    "StructuredCritic",
    "ValueModelCritic",
    "VerbalizedCritic",
    "as_critic",
    "as_hindsight_critic",
    "bank_fusion",
    "bank_kernel",
    "bank_lm",
    "bank_ptrue",
    "bank_traits",
    "bank_verbalized",
    "check_critic",
    "check_hindsight_critic",
    "first_bad_step",
    "is_relabelled",
    "lm_relabeller",
    "require_original",
    "rubric_rules",
    "safe_judge",
    "safe_review",
]

__getattr__, __dir__ = late_exports(
    __name__,
    {
        "ablated": ["AblatedCritic"],
        "cached": ["CachedCritic"],
        "graded": ["GradedCritic"],
        "groupwise": ["GroupwiseCritic"],
        "learner": ["LearnerCritic"],
        "pooled": ["PooledHindsightCritic"],
        "likelihood": ["LikelihoodCritic"],
        "monte_carlo": ["MonteCarloCritic"],
        "question": ["QuestionCritic"],
        "self_consistency": ["SelfConsistencyCritic"],
        "structured": ["StructuredCritic"],
        "value_model": ["ValueModelCritic"],
        "bank": ["bank_fusion", "bank_kernel", "bank_lm", "bank_traits"],
        "kernel": ["KernelCritic"],
        "stacked": ["StackedCritic"],
        "adapt": ["as_critic", "as_hindsight_critic"],
        "check": ["check_critic", "check_hindsight_critic"],
        "ensemble": ["EnsembleCritic"],
        "functions": ["FunctionCritic", "FunctionHindsightCritic"],
        "gate": ["Gate"],
        "hindsight": ["LMHindsightCritic"],
        "oracle": ["OracleCritic"],
        "outcome": ["OutcomeHindsightCritic"],
        "ptrue": ["PTrueCritic", "bank_ptrue"],
        "rules": ["RuleCritic"],
        "safe": ["safe_judge", "safe_review"],
        "achieved_goal": ["AchievedGoal"],
        "achievements": ["Achievement"],
        "counterfactual": ["CounterfactualCritic"],
        "first_error": ["FirstErrorCritic", "first_bad_step"],
        "relabel": ["Relabelled", "Relabeller", "is_relabelled", "lm_relabeller", "require_original"],
        "retrospective": ["RetrospectiveCritic"],
        "rubric_critic": ["RubricCritic", "rubric_rules"],
        "solution": ["SolverSolution"],
        "verbalized": ["VerbalizedCritic", "bank_verbalized"],
    },
)
