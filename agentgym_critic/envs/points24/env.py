"""`Points24Env`: the game as a text environment. Formulas, hands and solver are elsewhere in this folder."""

from __future__ import annotations

from typing import Any

import numpy as np

from agentgym_critic.envs.base import Outcome, TextEnv
from agentgym_critic.envs.points24.deals import deal
from agentgym_critic.envs.points24.formula import OPERATORS, Formula, Hand
from agentgym_critic.envs.points24.solve import Solver
from agentgym_critic.envs.ranges import is_whole
from agentgym_critic.envs.wording import unknown_action
from agentgym_critic.errors import ConfigError, EnvError, abridged
from agentgym_critic.types import LARGEST, Oracle

__all__ = ["Points24Env"]

FEWEST_CARDS, MOST_CARDS = 2, 5

TRIES = {2: 50, 3: 50, 4: 50, 5: 10}
"""For each number of cards the hands looked at, when the environment is made, for one that makes the target."""

MORE_TRIES = 500
"""Hands looked at when an episode begins."""


class Points24Env(TextEnv):
    """Make 24 of four cards, in a formula that grows by one token a step.

    Each card is used once, with ``+ - * /`` and brackets; ``=`` ends the formula, and gives the
    reward 1 if it makes the target exactly, 0 otherwise. A formula that can no longer make it is
    played on.

    Args:
        target: what the formula is to make: a whole number.
        cards: number of cards, 2 to 5.
        faces_are_ten: whether jack, queen and king count as 10; else as 11, 12 and 13.
        solvable: whether only hands are dealt of which the target can be made.
        max_steps: steps until the episode is truncated; None for no limit.
        render_mode: ``"ansi"`` or None.

    Raises:
        ConfigError: a setting is out of range, or the target cannot be made; `reset` raises it too
            if the target is so rare that no hand for it is found.
    """

    def __init__(
        self,
        *,
        target: int = 24,
        cards: int = 4,
        faces_are_ten: bool = True,
        solvable: bool = True,
        max_steps: int | None = 30,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(max_steps=max_steps, render_mode=render_mode)
        for name, value in (("target", target), ("cards", cards)):
            if not is_whole(value):
                raise ConfigError(f"{name} is a whole number, got {abridged(value)}")
        if not FEWEST_CARDS <= cards <= MOST_CARDS:
            raise ConfigError(f"cards is from {FEWEST_CARDS} to {MOST_CARDS}, got {abridged(cards)}")
        highest = (10 if faces_are_ten else 13) ** cards
        if abs(target) > (highest if solvable else LARGEST):
            raise ConfigError(f"{cards} cards make at most {highest}, got target={abridged(target)}")
        self.target = target
        self.cards = cards
        self.faces_are_ten = faces_are_ten
        self.solvable = solvable
        self._deal(np.random.default_rng(0), TRIES[cards])
        self._played: tuple[Hand, Solver, Formula] | None = None

    @property
    def hand(self) -> Hand:
        """The cards of this episode, sorted.

        Raises:
            EnvError: no episode has been started.
        """
        return self._game[0]

    @property
    def formula(self) -> Formula:
        """The formula so far.

        Raises:
            EnvError: no episode has been started.
        """
        return self._game[2]

    def oracle(self) -> Oracle | None:
        """All tokens that begin a shortest continuation to the target, and its length; None if there is none. Exact."""
        _, solver, formula = self._game
        left = solver.tokens_left(formula)
        return None if left is None else Oracle(actions=solver.best(formula), steps_left=left)

    def reachable(self) -> bool:
        """Whether the formula can still make the target. Privileged."""
        _, solver, formula = self._game
        return solver.tokens_left(formula) is not None

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        hand = self._deal(rng, MORE_TRIES)
        self._played = hand, Solver(self.target), Formula(hand)
        return self._view()

    def _act(self, action: str) -> Outcome:
        hand, solver, formula = self._game
        formula = formula.add(action)
        self._played = hand, solver, formula
        won = formula.done and formula.value == self.target
        return Outcome(self._view(), float(won), formula.done, won)

    def _admissible(self) -> list[str]:
        return self.formula.choices()

    def _refusal(self, action: str) -> str:
        tokens = (*dict.fromkeys(map(str, self.hand)), *OPERATORS, "(", ")", "=")
        if action in tokens or (action.isascii() and action.isdecimal()):
            return self.formula.problem(action)
        return unknown_action(action, tokens)

    def _view(self) -> str:
        formula = self.formula
        lines = [f"Cards left: {formula.cards}", f"Formula: {formula if formula.tokens else 'nothing yet'}"]
        if formula.done:
            lines.append(self._ending(formula))
        return "\n".join(lines)

    def _ending(self, formula: Formula) -> str:
        if formula.value is None:
            return "It divides by zero."
        return f"It makes {formula.value}{'' if formula.value == self.target else f', not {self.target}'}."

    def _kind(self) -> str:
        return f"{super()._kind()} with target={self.target}"

    def _get_world(self) -> tuple[Hand, Formula]:
        return self.hand, self.formula

    def _set_world(self, world: tuple[Hand, Formula]) -> None:
        hand, formula = world
        solver = self._played[1] if self._played and self._played[0] == hand else Solver(self.target)
        self._played = hand, solver, formula

    def _state_key(self) -> str:
        return f"{self.target}|{','.join(map(str, self.hand))}|{self.formula}"

    def _task(self) -> tuple[str, str]:
        cards = ", ".join(map(str, self.hand))
        goal = (
            f"Make {self.target} of the cards {cards}: write a formula that uses each card exactly once, with + - * / "
            "and brackets, one token at a time. Fractions on the way are fine. = ends the formula."
        )
        return f"points24-{self.target}-{'-'.join(map(str, self.hand))}", goal

    def _deal(self, rng: np.random.Generator, tries: int) -> Hand:
        return deal(rng, self.cards, self.target, faces_are_ten=self.faces_are_ten, solvable=self.solvable, tries=tries)

    @property
    def _game(self) -> tuple[Hand, Solver, Formula]:
        if self._played is None:
            raise EnvError("no hand is dealt; call reset() first", repr(self))
        return self._played
