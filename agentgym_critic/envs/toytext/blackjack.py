"""`BlackjackEnv`: Gymnasium's Blackjack in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gymnasium.envs.toy_text import blackjack as original

from agentgym_critic.envs.adapter import AdaptedEnv, Table, copy_shallow
from agentgym_critic.envs.toytext.blackjack_table import blackjack_table, hand_state
from agentgym_critic.errors import ConfigError

__all__ = ["BlackjackEnv"]

ACTIONS = ("stick", "hit")
"""In Gymnasium's order."""


class BlackjackEnv(AdaptedEnv):
    """Come closer to 21 than the dealer without going over.

    Rewards are Gymnasium's: 1 for a win, 0 for a draw, -1 for a loss. A win is a success. The
    cards come from an endless deck; the dealer draws up to 17.

    Args:
        sab: whether ace and ten at once win unless the dealer has them too, as in the book of
            Sutton and Barto and in Gymnasium's registered Blackjack.
        natural: whether a win with ace and ten at once gives 1.5; takes ``sab=False``.
        max_steps: steps until the episode is truncated; None for no limit.
        render_mode: ``"ansi"`` or None.

    Raises:
        ConfigError: a setting is refused.
    """

    def __init__(
        self,
        *,
        sab: bool = True,
        natural: bool = False,
        max_steps: int | None = 30,
        render_mode: str | None = None,
    ) -> None:
        if natural and sab:
            raise ConfigError("natural=True has no meaning with sab=True; pass sab=False too")
        self._variant = f" with sab={bool(sab)} and natural={bool(natural)}"
        super().__init__(
            original.BlackjackEnv(natural=bool(natural), sab=bool(sab)),
            _describe,
            ACTIONS,
            task=_goal(bool(natural), bool(sab)),
            task_id=_task_id,
            state=_state,
            copy=_copy,
            max_steps=max_steps,
            render_mode=render_mode,
        )

    def _view(self) -> str:
        text = super()._view()
        if not self._over:
            return f"{text} The dealer shows {_named(self.inner.dealer[0])} and has a hidden card."
        if self._table_state().total > 21:
            return f"{text} That is more than 21: you lose."
        result = "win" if self._reward > 0 else "lose" if self._reward < 0 else "draw"
        return f"{text} The dealer has {_hand(self.inner.dealer)}. You {result}."

    def _table(self) -> Table:
        return blackjack_table(natural=self.inner.natural, sab=self.inner.sab)

    def _table_starts(self) -> Iterable[Any]:
        return self._table()

    def _table_state(self) -> Any:
        return hand_state(self.inner.player, self.inner.dealer[0])


def _describe(env: Any, observation: Any) -> str:
    return f"You have {_hand(env.player)}."


def _hand(cards: Sequence[int]) -> str:
    """The cards of a hand and its sum.

    >>> _hand([10, 1])
    '10, ace: 21, the ace counted as 11'
    """
    hand = hand_state(cards)
    names = ", ".join("ace" if card == 1 else str(card) for card in cards)
    return f"{names}: {hand.total}{', the ace counted as 11' if hand.usable_ace else ''}"


def _named(card: int) -> str:
    return {1: "an ace", 8: "an 8"}.get(card, f"a {card}")


def _goal(natural: bool, sab: bool) -> str:
    first = {
        (False, False): "",
        (True, False): " Winning with an ace and a ten as your first two cards counts one and a half times.",
        (False, True): " An ace and a ten as your first two cards win at once, unless the dealer has them too.",
    }[natural, sab]
    return (
        "Beat the dealer at blackjack: come closer to 21 without going over. hit gives you another card, stick ends "
        "your turn; then the dealer draws cards up to 17 or more. Jack, queen and king are tens; an ace counts 11 "
        f"where that is not too much, else 1.{first}"
    )


def _task_id(env: Any) -> str:
    return "blackjack" + ("-natural" if env.natural else "-sab" if env.sab else "")


def _state(env: Any) -> object:
    """The order of the dealer's cards counts, since the first is shown; that of the player's does not."""
    return sorted(env.player), env.dealer


def _copy(env: Any) -> Any:
    twin = copy_shallow(env)
    for name in ("player", "dealer"):
        if hasattr(env, name):
            setattr(twin, name, list(getattr(env, name)))
    return twin
