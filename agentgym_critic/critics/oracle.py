"""The truth as a critic, to measure others against. For evaluation only.

What it says is privileged: a run that uses it (its verdicts reach the gate, and through the
gate the agent) is an upper bound, not a result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentgym_critic.errors import CriticError
from agentgym_critic.types import Action, Experience, Oracle, Turn, Verdict

__all__ = ["OracleCritic"]


class OracleCritic:
    """p = 1 for the actions that start a shortest way to success, 0 for all others.

    With an exact oracle this is what "productive" means: an action brings success nearer
    exactly if it is one of these, since none can bring it nearer by more than the one step it
    takes. A recorded walkthrough (``Oracle.exact`` false) knows one way only: an action on it is
    productive, any other is left unscored. So is everything where the environment has no oracle.
    Of an unproductive action it says what it would do instead.
    """

    id = "oracle"
    version = "2"
    recall_k = 0

    def __init__(self) -> None:
        self._env: Any = None

    def attach(self, env: Any) -> None:
        """See the simulator whose next steps will be judged."""
        self._env = env

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        """One verdict for each action, of the state the attached environment is in.

        Raises:
            CriticError: no environment is attached.
        """
        if self._env is None:
            raise CriticError("the oracle critic sees no environment; call attach(env) first", self.id)
        oracle = self._env.oracle() if hasattr(self._env, "oracle") else None
        spelled = getattr(self._env, "canonical", str)
        return [self._verdict(spelled(action.text), oracle) for action in actions]

    def _verdict(self, action: str, oracle: Oracle | None) -> Verdict:
        if oracle is None:
            return self._unscored("the environment knows no way to success from here")
        if action in oracle.actions:
            return Verdict(p=1.0, critic=self.id, version=self.version)
        if not oracle.exact:
            return self._unscored("the action is not on the known way, which need not be the only one")
        return Verdict(p=0.0, critic=self.id, version=self.version, suggestion=next(iter(oracle.actions), ""))

    def _unscored(self, why: str) -> Verdict:
        return Verdict.unscored(self.id, "error", why, version=self.version)
