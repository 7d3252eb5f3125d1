"""The gate: turns a verdict into an intervention, within a budget. Applying it is the loop's."""

from __future__ import annotations

import difflib
from typing import Literal, get_args

from agentgym_critic.errors import ConfigError
from agentgym_critic.types import InterventionKind, Record, Turn, Verdict, check_types

__all__ = ["Gate", "GateMode"]

GateMode = Literal["off", "warn", "regenerate"]


class Gate(Record, frozen=True):
    """When to hold a proposal back, and what to do then.

    Raises:
        ConfigError: a setting is out of its range, or has no effect in this mode.
    """

    mode: GateMode = "off"
    """`off` lets everything proceed; `warn` hands the critique back to the agent, which proposes again;
    `regenerate` runs the best of several proposals, the first included, by the critic's p."""
    threshold: float = 0.3
    """Verdicts with p below this are acted upon."""
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
        if not 0.0 <= self.threshold <= 1.0:
            raise ConfigError(f"the gate's threshold is a probability in [0, 1], got {self.threshold!r}")
        for name, least in (("min_step", 0), ("max_interventions", 0), ("alternatives", 1)):
            if getattr(self, name) < least:
                raise ConfigError(f"the gate's {name} is at least {least}, got {getattr(self, name)!r}")
        self._refuse_unused()

    def _refuse_unused(self) -> None:
        used = {"off": (), "warn": _ALWAYS, "regenerate": (*_ALWAYS, "alternatives")}[self.mode]
        defaults = dict(zip(self.__struct_fields__, self.__struct_defaults__, strict=True))
        unused = [name for name in (*_ALWAYS, "alternatives") if name not in used]
        if changed := [name for name in unused if getattr(self, name) != defaults[name]]:
            raise ConfigError(f"the gate's mode {self.mode!r} has no use for {', '.join(changed)}; change the mode")

    def decide(self, turn: Turn, verdict: Verdict, interventions_used: int) -> InterventionKind | Literal["proceed"]:
        """What to do with a judged proposal.

        A step is held back once at most: what is proposed (or chosen) after that proceeds. An
        unscored verdict always does.

        Args:
            turn: `turn.rejected` tells whether this step was held back already.
            verdict: the judgement of the proposal.
            interventions_used: how many this episode has had.
        """
        if self.mode == "off" or verdict.p is None or verdict.p >= self.threshold:
            return "proceed"
        if turn.rejected or turn.index < self.min_step or interventions_used >= self.max_interventions:
            return "proceed"
        return self.mode


_ALWAYS = ("threshold", "min_step", "max_interventions")
