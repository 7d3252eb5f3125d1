"""A critic that is denied part of what the bank could tell it: to see what that part is worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import msgspec

from agentgym_critic.critics.attach import attached
from agentgym_critic.critics.base import PreCritic, RecallBy
from agentgym_critic.errors import ConfigError
from agentgym_critic.types import Action, Experience, Polarity, Turn, Verdict

__all__ = ["AblatedCritic"]

Polarities = Literal["both", Polarity]


class AblatedCritic:
    """Another critic, with experiences of one polarity only, or with experiences drawn at random.

    Args:
        critic: which recalls.
        polarity: the only one it is shown; ``"both"`` leaves nothing out.
        recall_by: ``"chance"`` for experiences drawn at random; ``"similarity"`` for the usual ones.

    Raises:
        ConfigError: the critic recalls nothing, or a setting is unknown.
    """

    def __init__(self, critic: PreCritic, *, polarity: Polarities = "both", recall_by: RecallBy = "similarity") -> None:
        if not critic.recall_k:
            raise ConfigError(f"the critic {critic.id} recalls nothing, so nothing can be kept from it")
        if polarity not in ("both", *get_args(Polarity)) or recall_by not in get_args(RecallBy):
            raise ConfigError(
                f"polarity is both, productive or unproductive, and recall_by similarity or chance; got {polarity!r} "
                f"and {recall_by!r}"
            )
        self._critic, self._polarity = critic, polarity
        self.recall_k, self.recall_by = critic.recall_k, recall_by

    @property
    def id(self) -> str:
        """The critic's id and what is done to it."""
        return f"{self._critic.id}/{self._polarity}/{self.recall_by}"

    @property
    def version(self) -> str:
        """The critic's version."""
        return self._critic.version

    def attach(self, env: Any) -> None:
        """Show the simulator to the critic if it must see it."""
        self._critic = attached(self._critic, env)

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        """What the critic says with what is left."""
        left = [[each for each in recalled if self._polarity in ("both", each.polarity)] for recalled in experiences]
        verdicts = self._critic.judge(turn, actions, left)
        return [msgspec.structs.replace(verdict, critic=self.id) for verdict in verdicts]
