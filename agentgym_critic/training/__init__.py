"""Agents that get better from judged trajectories. Importing this package loads no torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentgym_critic.late import late_exports

if TYPE_CHECKING:
    from agentgym_critic.agents.text_ranker import RankerAgent, RankerSettings, TextRanker
    from agentgym_critic.training.dagger import Dagger, DaggerSettings
    from agentgym_critic.training.experts import AgentExpert, Expert, OracleExpert
    from agentgym_critic.training.fitting import CHECKPOINT, METRICS, Trainer, fit
    from agentgym_critic.training.learner import Learner
    from agentgym_critic.training.policy_gradient import GradientSettings, Judges, PolicyGradient
    from agentgym_critic.training.preferences import (
        Preference,
        PreferenceSettings,
        PreferenceTraining,
        step_preferences,
        trajectory_preferences,
    )
    from agentgym_critic.training.rows import Tally, choices_of, rows_of
    from agentgym_critic.training.signals import SIGNALS, Signal, find_signal
    from agentgym_critic.training.supervised import Supervised, SupervisedSettings

__all__ = [
    "CHECKPOINT",
    "METRICS",
    "SIGNALS",
    "AgentExpert",
    "Dagger",
    "DaggerSettings",
    "Expert",
    "GradientSettings",
    "Judges",
    "Learner",
    "OracleExpert",
    "PolicyGradient",
    "Preference",
    "PreferenceSettings",
    "PreferenceTraining",
    "RankerAgent",
    "RankerSettings",
    "Signal",
    "Supervised",
    "SupervisedSettings",
    "Tally",
    "TextRanker",
    "Trainer",
    "choices_of",
    "find_signal",
    "fit",
    "rows_of",
    "step_preferences",
    "trajectory_preferences",
]

__getattr__, __dir__ = late_exports(
    __name__,
    {
        "dagger": ["Dagger", "DaggerSettings"],
        "experts": ["AgentExpert", "Expert", "OracleExpert"],
        "fitting": ["CHECKPOINT", "METRICS", "Trainer", "fit"],
        "learner": ["Learner"],
        "policy_gradient": ["GradientSettings", "Judges", "PolicyGradient"],
        "preferences": [
            "Preference",
            "PreferenceSettings",
            "PreferenceTraining",
            "step_preferences",
            "trajectory_preferences",
        ],
        "rows": ["Tally", "choices_of", "rows_of"],
        "signals": ["SIGNALS", "Signal", "find_signal"],
        "supervised": ["Supervised", "SupervisedSettings"],
        "policies": ["RankerAgent", "RankerSettings", "TextRanker"],
    },
)
