"""`Guest`: an agent in the opponent's seat, which can be brought back to an earlier moment.

What an agent remembers is no part of a snapshot. But an agent draws all its randomness from the
seed of its `reset`, so that the same turns bring it to the same state: a guest that is asked after
`restore` is reset, shown its earlier turns once more, and must answer them as it did.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple, Protocol

from agentgym_critic.errors import EnvError, abridged
from agentgym_critic.types import Action, Exchange, Turn

__all__ = ["Guest", "Opponent", "Reply"]


class Opponent(Protocol):
    """What can hold the other seat: every agent of this package can.

    It sees turns of its own side only. It may have an `id` that names it. One object plays one
    episode at a time, so that it belongs to one environment.
    """

    def reset(self, seed: int) -> None:
        """Forget the last episode; draw all randomness of the next from `seed`."""

    def propose(self, turn: Turn) -> Action:
        """The action to run now. After an illegal one the observation says why, and it is asked again."""


class Reply(NamedTuple):
    """What a guest was shown, what it answered, and why that was refused, if it was."""

    turn: Turn
    action: str
    invalid_reason: str = ""

    @property
    def exchange(self) -> Exchange:
        """The reply as later turns remember it."""
        return Exchange(observation=self.turn.observation, action=self.action, invalid_reason=self.invalid_reason)


class Guest:
    """An opponent and how far it has come.

    Args:
        opponent: the agent.
        name: names it in errors and task ids.
    """

    def __init__(self, opponent: Opponent, name: str) -> None:
        self.name = name
        self._opponent = opponent
        self._at: tuple[Reply, ...] | None = None

    def begin(self) -> None:
        """Forget the episode; the next one begins when the opponent is asked."""
        self._at = None

    def ask(self, seed: int, replies: tuple[Reply, ...], turn: Turn) -> str:
        """The text of the opponent's next proposal.

        Args:
            seed: of the episode.
            replies: what the opponent has answered in it so far.
            turn: what it is asked now.

        Raises:
            EnvError: the opponent failed, or does not answer earlier turns as it did.
        """
        if replies is not self._at:
            self._at = None
            self._replay(seed, replies)
        text = self._propose(turn)
        self._at = None  # until `keep` says what became of the proposal
        return text

    def keep(self, replies: tuple[Reply, ...]) -> None:
        """Take note that the opponent has come as far as these replies."""
        self._at = replies

    def _replay(self, seed: int, replies: tuple[Reply, ...]) -> None:
        own_seed = random.Random(f"{seed}:opponent").getrandbits(31)  # noqa: S311 -- a game, not a secret
        self._call("reset", own_seed)
        for number, reply in enumerate(replies, start=1):
            if (text := self._propose(reply.turn)) != reply.action:
                raise EnvError(
                    f"{self.name} cannot be brought back to an earlier moment: asked again for its answer {number}, it "
                    f"said {text[:80]!r} and not {reply.action[:80]!r}; restore() needs an opponent whose answers "
                    "follow from the seed of its reset()",
                    self.name,
                )

    def _propose(self, turn: Turn) -> str:
        proposal = self._call("propose", turn)
        if not isinstance(proposal, Action) or not isinstance(proposal.text, str):
            raise EnvError(f"{self.name} proposed {abridged(proposal)}; propose() returns an Action", self.name)
        return proposal.text

    def _call(self, method: str, argument: Any) -> Any:
        try:
            return getattr(self._opponent, method)(argument)
        except Exception as cause:
            raise EnvError(f"{self.name} raised {type(cause).__name__} in {method}(): {cause}", self.name) from cause
