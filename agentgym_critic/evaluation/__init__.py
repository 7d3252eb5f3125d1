"""What a set of trajectories says: of an agent, of its critics, of an intervention."""

from agentgym_critic.evaluation.bootstrap import Interval, bootstrap
from agentgym_critic.evaluation.calibration import (
    Bin,
    BrierParts,
    brier_parts,
    brier_score,
    calibration_error,
    reliability,
)
from agentgym_critic.evaluation.comparison import Comparison, CriticReport, CurvePoint, compare_critics
from agentgym_critic.evaluation.discrimination import area_under_roc, risk_at, selective_risk
from agentgym_critic.evaluation.pilot import Pair, Pilot, assess_pilot, matched_pairs
from agentgym_critic.evaluation.policies import (
    PolicyComparison,
    PolicyScore,
    compare_policies,
    score_policy,
    wilson,
)
from agentgym_critic.evaluation.replay import true_labels
from agentgym_critic.evaluation.scores import CriticScores, Episode, score_critic
from agentgym_critic.evaluation.stream import Judged, judge_stream, shuffled
from agentgym_critic.evaluation.summary import Summary, summarize
from agentgym_critic.evaluation.verdict_log import VerdictLog
from agentgym_critic.turns import turns_of

__all__ = [
    "Bin",
    "BrierParts",
    "Comparison",
    "CriticReport",
    "CriticScores",
    "CurvePoint",
    "Episode",
    "Interval",
    "Judged",
    "Pair",
    "Pilot",
    "PolicyComparison",
    "PolicyScore",
    "Summary",
    "VerdictLog",
    "area_under_roc",
    "assess_pilot",
    "bootstrap",
    "brier_parts",
    "brier_score",
    "calibration_error",
    "compare_critics",
    "compare_policies",
    "judge_stream",
    "matched_pairs",
    "reliability",
    "risk_at",
    "score_critic",
    "score_policy",
    "selective_risk",
    "shuffled",
    "summarize",
    "true_labels",
    "turns_of",
    "wilson",
]
