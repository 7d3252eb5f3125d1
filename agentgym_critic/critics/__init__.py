"""Critics: who judges the actions, before and after. Importing this package loads no model library."""

import importlib
from typing import TYPE_CHECKING, Any

from agentgym_critic.critics.base import HindsightCritic, PreCritic

if TYPE_CHECKING:
    from agentgym_critic.critics.adapt import as_critic, as_hindsight_critic
    from agentgym_critic.critics.check import check_critic, check_hindsight_critic
    from agentgym_critic.critics.ensemble import EnsembleCritic
    from agentgym_critic.critics.functions import FunctionCritic, FunctionHindsightCritic
    from agentgym_critic.critics.gate import Gate
    from agentgym_critic.critics.hindsight import LMHindsightCritic
    from agentgym_critic.critics.oracle import OracleCritic
    from agentgym_critic.critics.outcome import OutcomeHindsightCritic
    from agentgym_critic.critics.ptrue import PTrueCritic, bank_ptrue
    from agentgym_critic.critics.rules import RuleCritic
    from agentgym_critic.critics.safe import safe_judge, safe_review
    from agentgym_critic.critics.verbalized import VerbalizedCritic, bank_verbalized

__all__ = [
    "EnsembleCritic",
    "FunctionCritic",
    "FunctionHindsightCritic",
    "Gate",
    "HindsightCritic",
    "LMHindsightCritic",
    "OracleCritic",
    "OutcomeHindsightCritic",
    "PTrueCritic",
    "PreCritic",
    "RuleCritic",
    "VerbalizedCritic",
    "as_critic",
    "as_hindsight_critic",
    "bank_ptrue",
    "bank_verbalized",
    "check_critic",
    "check_hindsight_critic",
    "safe_judge",
    "safe_review",
]

_LATE = {
    "EnsembleCritic": "ensemble",
    "FunctionCritic": "functions",
    "FunctionHindsightCritic": "functions",
    "Gate": "gate",
    "LMHindsightCritic": "hindsight",
    "OracleCritic": "oracle",
    "OutcomeHindsightCritic": "outcome",
    "PTrueCritic": "ptrue",
    "RuleCritic": "rules",
    "VerbalizedCritic": "verbalized",
    "as_critic": "adapt",
    "as_hindsight_critic": "adapt",
    "bank_ptrue": "ptrue",
    "bank_verbalized": "verbalized",
    "check_critic": "check",
    "check_hindsight_critic": "check",
    "safe_judge": "safe",
    "safe_review": "safe",
}


def __getattr__(name: str) -> Any:
    """Import a critic only when it is asked for."""
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_LATE[name]}"), name)
