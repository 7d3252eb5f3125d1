"""The gate: turns a verdict into an intervention, within a budget. Applying it is the loop's."""

from __future__ import annotations

import difflib
from typing import Literal, get_args

from agentgym_critic.critics.policies.base import InterventionPolicy
from agentgym_critic.critics.policies.threshold import ThresholdPolicy
from agentgym_critic.errors import ConfigError, CriticError, boundary
from agentgym_critic.types import InterventionKind, Record, Turn, Verdict, check_types

__all__ = ["Gate", "GateMode"]

GateMode = Literal["off", "warn", "regenerate", "substitute", "rollback", "stop"]


class Gate(Record, frozen=True):
    """When to hold a proposal back, and what to do then.

    Raises:
        ConfigError: a setting is out of its range, or has no effect in this mode.
    """

    mode: GateMode = "off"
    """`off` lets everything proceed; `warn` hands the critique back to the agent, which proposes again;
    `regenerate` runs the best of several proposals, the first included, by the critic's p; `substitute` runs
    the critic's suggestion, if it is possible; `rollback` takes the step before back, and the agent proposes
    again from there; `stop` ends the episode."""
    threshold: float = 0.3
    """Verdicts with p below this are acted upon."""
    rearm: float | None = None
    """After an intervention the gate lets everything proceed until a verdict's p is at least this; None for
    no such pause."""
    policy: InterventionPolicy | None = None
    """Says when to act, instead of the threshold."""
    min_step: int = 0
    """Never intervene before the step of this index: early steps carry little evidence."""
    max_interventions: int = 3
    """Budget of an episode."""
    alternatives: int = 3
    """Further proposals to choose from; only for `regenerate`."""

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        if self.mode not in get_args(GateMode):
            near = difflib.get_close_matches(str(self.mode), get_args(GateMode), n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ConfigError(f"the gate's mode is one of {', '.join(get_args(GateMode))}; got {self.mode!r}{hint}")
        check_types(self)
        for name in ("threshold", "rearm"):
            if (p := getattr(self, name)) is not None and not 0.0 <= p <= 1.0:
                raise ConfigError(f"the gate's {name} is a probability in [0, 1], got {p!r}")
        for name, least in (("min_step", 0), ("max_interventions", 0), ("alternatives", 1)):
            if getattr(self, name) < least:
                raise ConfigError(f"the gate's {name} is at least {least}, got {getattr(self, name)!r}")
        self._refuse_unused()
        if self.rearm is not None and self.policy is None and self.rearm < self.threshold:
            raise ConfigError(f"the gate's rearm is at least its threshold {self.threshold!r}, got {self.rearm!r}")

    def _refuse_unused(self) -> None:
        used = {"off": (), "regenerate": (*_ALWAYS, "alternatives")}.get(self.mode, _ALWAYS)
        defaults = dict(zip(self.__struct_fields__, self.__struct_defaults__, strict=True))
        changed = [name for name in (*_ALWAYS, "alternatives") if getattr(self, name) != defaults[name]]
        if unused := [name for name in changed if name not in used]:
            raise ConfigError(f"the gate's mode {self.mode!r} has no use for {', '.join(unused)}; change the mode")
        if self.policy and "threshold" in changed:
            raise ConfigError(f"the gate's policy {self.policy.id} decides instead of the threshold; leave out one")

    def decide(
        self, turn: Turn, verdict: Verdict, interventions_used: int, armed: bool = True
    ) -> InterventionKind | Literal["proceed"]:
        """What to do with a judged proposal.

        A step is held back once at most: what is proposed (or chosen) after that proceeds. An
        unscored verdict always does, and so does the first step where steps are taken back.

        Args:
            turn: `turn.rejected` tells whether this step was held back already.
            verdict: the judgement of the proposal.
            interventions_used: how many this episode has had.
            armed: whether there was none yet, or a verdict `rearms` the gate since the last one.

        Raises:
            CriticError: the policy failed.
        """
        if self.mode == "off" or verdict.p is None or not armed or turn.rejected:
            return "proceed"
        left, first = self.max_interventions - interventions_used, max(self.min_step, self.mode == "rollback")
        if left <= 0 or turn.index < first:
            return "proceed"
        policy = self.policy or ThresholdPolicy(threshold=self.threshold)
        with boundary(f"intervention policy {policy.id}", CriticError):
            return self.mode if policy.intervenes(turn, verdict, left) else "proceed"

    def rearms(self, verdict: Verdict) -> bool:
        """Whether the gate may intervene again after this verdict."""
        return self.rearm is None or (verdict.p is not None and verdict.p >= self.rearm)


_ALWAYS = ("threshold", "rearm", "policy", "min_step", "max_interventions")
