"""`CachedCritic`: a critic that is not asked twice for the same action in the same state."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Literal, get_args

import msgspec

from agentgym_critic.critics.attach import attached
from agentgym_critic.critics.base import LearnsFromHindsight, PreCritic
from agentgym_critic.critics.bounded import BoundedCache
from agentgym_critic.errors import ConfigError, CriticError
from agentgym_critic.types import Action, Cost, Experience, Turn, Verdict, from_json, to_json

__all__ = ["CachedCritic", "StateBy"]

StateBy = Literal["turn", "state_key"]


class CachedCritic:
    """Keeps the verdicts of another critic by state, action, and the critic's id and version.

    With ``by="turn"`` the state is all that a critic can know: the whole turn and the proposed action, its
    thought and tokens included. The verdicts are then exactly those of the critic. With ``by="state_key"`` it is
    the task and the state of the attached environment, and of the action only the text: more is found again,
    in other orders of steps too, but a critic that reads the history is answered for with another history's verdict.

    A verdict that is found costs nothing. Unscored ones are not kept: a model may answer next time.

    Args:
        critic: recalls and learns nothing, since its verdicts would change with the bank.
        by: what the state is.
        most_bytes: of all verdicts kept, as JSON; what was not asked for longest goes first.

    Raises:
        ConfigError: the critic recalls or learns, or a setting is out of range.
    """

    recall_k = 0

    def __init__(self, critic: PreCritic, *, by: StateBy = "turn", most_bytes: int = 2**26) -> None:
        if critic.recall_k or isinstance(critic, LearnsFromHindsight):
            raise ConfigError(
                f"the critic {critic.id} recalls or learns, so that its verdicts change with what came before; "
                "cache one that does neither"
            )
        if by not in get_args(StateBy):
            raise ConfigError(f"by is turn or state_key, got {by!r}")
        self._critic, self._by = critic, by
        self._env: Any = None
        self._kept: BoundedCache[bytes, bytes] = BoundedCache(most_bytes)

    @property
    def id(self) -> str:
        """The critic's."""
        return self._critic.id

    @property
    def version(self) -> str:
        """The critic's, and what the state is unless that changes nothing."""
        return self._critic.version if self._by == "turn" else f"{self._critic.version}:{self._by}"

    def attach(self, env: Any) -> None:
        """Read states from this simulator, and show it to the critic if it must see it."""
        self._env, self._critic = env, attached(self._critic, env)

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        """One verdict for each action; the critic is asked for those that are not kept, all at once.

        Raises:
            CriticError: the state is the environment's, and none is attached.
        """
        state = self._state(turn)
        keys = [self._key(state, action) for action in actions]
        known = {key: verdict for key in keys if (verdict := self._found(key))}
        missing = {key: action for key, action in zip(keys, actions, strict=True) if key not in known}
        if missing:
            known |= self._asked(turn, missing)
        verdicts = []
        for key in keys:
            verdicts.append(known[key])
            known[key] = _free(known[key])  # an equal proposal costs nothing more
        return verdicts

    def _asked(self, turn: Turn, missing: dict[bytes, Action]) -> dict[bytes, Verdict]:
        verdicts = self._critic.judge(turn, list(missing.values()), [[] for _ in missing])
        fresh = {
            key: msgspec.structs.replace(verdict, version=self.version)
            for key, verdict in zip(missing, verdicts, strict=True)
        }
        for key, verdict in fresh.items():
            if verdict.scored:
                kept = to_json(_free(verdict))
                self._kept.put(key, kept, len(kept))
        return fresh

    def _state(self, turn: Turn) -> bytes:
        if self._by == "turn":
            return to_json(turn)
        if self._env is None:
            raise CriticError("a cache by state_key sees no environment; call attach(env) first", self.id)
        info = self._env.current()[1]
        return to_json([info["task_id"], info["state_key"]])

    def _key(self, state: bytes, action: Action) -> bytes:
        proposed = to_json(msgspec.structs.replace(action, cost=Cost()) if self._by == "turn" else action.text)
        parts = b"\0".join([to_json([self.id, self.version]), state, proposed])
        return hashlib.blake2b(parts, digest_size=16).digest()

    def _found(self, key: bytes) -> Verdict | None:
        kept = self._kept.get(key)
        return None if kept is None else from_json(kept, Verdict)


def _free(verdict: Verdict) -> Verdict:
    return msgspec.structs.replace(verdict, cost=Cost())
