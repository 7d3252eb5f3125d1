"""Players for pilots whose answer is known: an agent that can do it, and a critic that says what is not so."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from agentgym_critic.critics import OracleCritic
from agentgym_critic.types import Action, Experience, Turn, Verdict


class Solver:
    """Follows the environment's solver, and now and then does not; where there is no way it does something."""

    def __init__(self, slip: float = 0.0) -> None:
        self.slip, self._env = slip, None
        self.id = f"solver({slip:g})"

    def attach(self, env: Any) -> None:
        self._env = env

    def reset(self, seed: int) -> None:
        self._rng = random.Random(seed)

    def propose(self, turn: Turn) -> Action:
        known = self._env.oracle()  # type: ignore[attr-defined]
        if known and known.actions and self._rng.random() >= self.slip:
            return Action(text=known.actions[0])
        return Action(text=self._rng.choice(turn.admissible_actions or ()))


class Contrary(OracleCritic):
    """Prefers what leads nowhere, and suggests it."""

    id, version = "contrary", "1"

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        good = (self._env.oracle() or _NOWHERE).actions
        bad = [action for action in turn.admissible_actions or () if action not in good]
        return [
            Verdict(p=0.1 if action.text in good else 0.9, critic=self.id, suggestion=bad[0] if bad else "")
            for action in actions
        ]


class _Nowhere:
    actions = ()


_NOWHERE = _Nowhere()
