"""`Plan`: the rest of a known way to success, followed or forgotten as the player acts.

It knows no world: whoever makes one has proven that its actions, played in order, succeed.
"""

from __future__ import annotations

from typing import NamedTuple

from agentgym_critic.types import Oracle

__all__ = ["Plan"]


class Plan(NamedTuple):
    """Actions that lead from this state to success. Privileged."""

    actions: tuple[str, ...]
    exact: bool = False
    """Whether no shorter way exists."""

    def after(self, action: str) -> Plan | None:
        """What is left of the plan once `action` is done; None if the plan did not say so.

        >>> Plan(("open box", "take key")).after("open box")
        Plan(actions=('take key',), exact=False)
        """
        return self._replace(actions=self.actions[1:]) if self.actions[:1] == (action,) else None

    def oracle(self) -> Oracle:
        """The plan as an environment's `oracle()` tells it."""
        return Oracle(actions=self.actions[:1], steps_left=len(self.actions), exact=self.exact)
