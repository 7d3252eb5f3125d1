"""`ToolsEnv`: errands done by calling functions, as a text environment. All rules are elsewhere in this folder."""

from __future__ import annotations

import hashlib
import json
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from agentgym_critic.envs.base import Outcome, TextEnv, clean_action
from agentgym_critic.envs.ranges import whole
from agentgym_critic.envs.tools.calls import BadCall, Call, read_call, write_call
from agentgym_critic.envs.tools.desk import Desk, Fact, carry_out
from agentgym_critic.envs.tools.functions import FUNCTIONS, check_call, manual
from agentgym_critic.envs.tools.listing import listed_calls
from agentgym_critic.envs.tools.planner import calls_left, next_calls
from agentgym_critic.envs.tools.tasks import MAX_CALLS, Task, draw_task
from agentgym_critic.errors import ConfigError, EnvError, abridged
from agentgym_critic.types import Oracle

__all__ = ["ToolsEnv"]

FINISH = "finish()"
_READY = {"ok": "ready"}
_TRANSIENT = {"error": {"type": "transient", "message": "the service did not answer; nothing was done, try again"}}


class _Moment(NamedTuple):
    """All that changes during an episode."""

    desk: Desk
    seen: frozenset[Fact] = frozenset()
    """The facts that results have shown."""
    calls: int = 0
    """Calls made, failed ones included: they decide which call fails next."""
    finished: bool = False


class ToolsEnv(TextEnv):
    """Calendar, bank and mail behind functions: do what a request asks, then call ``finish()``.

    An action is one call, such as ``pay(to="jon", amount=40)``; the observation is its result as JSON. The
    reward is 1 for a ``finish()`` when the tables are exactly as asked for, and 0 otherwise.

    Args:
        calls: calls of the shortest solution, before ``finish()``.
        error_rate: chance that a call fails for no reason of the caller's, changing nothing.
        listed: whether only calls with values that were named or shown are possible; they are then listed as
            admissible. If any call is possible, they cannot be listed.
        max_steps: steps until the episode is truncated; None for no limit.
        render_mode: ``"ansi"`` or None.

    Raises:
        ConfigError: a setting is refused.
    """

    def __init__(
        self,
        *,
        calls: int = 5,
        error_rate: float = 0.1,
        listed: bool = False,
        max_steps: int | None = 50,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(max_steps=max_steps, render_mode=render_mode)
        whole("calls", calls, 1, MAX_CALLS)
        if max_steps is not None and calls + 1 > max_steps:
            raise ConfigError(f"calls={calls} and finish() do not fit into max_steps={max_steps}; raise max_steps")
        if not isinstance(error_rate, int | float) or not 0 <= error_rate <= 0.9:
            raise ConfigError(f"error_rate is a chance from 0 to 0.9, got {abridged(error_rate)}")
        self.calls, self.error_rate, self.listed = calls, error_rate, listed
        self._given: Task | None = None
        self._now = _Moment(Desk((), (), (), (), (), ()))

    def oracle(self) -> Oracle | None:
        """All calls that begin a shortest way to success, and its steps, failing ones included; None if there is none.

        Exact for a player who uses only values that were named or shown; calls are spelled as `canonical` does.
        Where the next call will fail, it names the calls worth trying, and is not called exact: others would
        lose nothing either.
        """
        task, now = self._playing(), self._now
        if self._success:
            return Oracle(actions=(), steps_left=0)
        left = calls_left(now.desk, now.seen, task.goal)
        if left is None or now.finished or not self._running:
            return None
        if not left:
            return Oracle(actions=(FINISH,), steps_left=1)
        actions = next_calls(now.desk, now.seen, task.goal)
        return Oracle(actions=actions, steps_left=self._steps_for(left) + 1, exact=not self._fails(now.calls))

    def canonical(self, action: str) -> str:
        """The one spelling of a call; other text as it is."""
        try:
            call = _checked(action)
        except BadCall:
            return action
        return write_call(call.name, **{key: call.arguments[key] for key in FUNCTIONS[call.name].parameters})

    def _begin(self, rng: np.random.Generator, options: dict[str, Any]) -> str:
        self._given = draw_task(rng, self.calls)
        self._now = _Moment(self._given.desk)
        return _told(_READY)

    def _act(self, action: str) -> Outcome:
        if action == FINISH:
            return self._finish()
        now = self._now
        failed = self._fails(now.calls)
        self._now = now._replace(calls=now.calls + 1)
        if failed:
            return Outcome(_told(_TRANSIENT))
        done = carry_out(now.desk, read_call(action))
        self._now = self._now._replace(desk=done.desk, seen=now.seen | done.shown)
        return Outcome(_told(done.result))

    def _finish(self) -> Outcome:
        now, goal = self._now, self._playing().goal
        won = calls_left(now.desk, frozenset(), goal) == 0
        self._now = now._replace(finished=True)
        return Outcome(_told({"ok": "done" if won else "not as asked for"}), float(won), True, won)

    def _fails(self, number: int) -> bool:
        """Whether a call fails by itself; the seed decides, and the number of calls before it."""
        salt = f"{self._playing().salt}:{number}".encode()
        drawn = int.from_bytes(hashlib.blake2b(salt, digest_size=8).digest(), "little")
        return drawn < self.error_rate * 2**64

    def _steps_for(self, calls: int) -> int:
        """The steps that so many successful calls take from now on."""
        for steps, number in enumerate(count(self._now.calls)):
            if not calls:
                return steps
            calls -= not self._fails(number)
        raise AssertionError("counting does not end")

    def _read(self, action: object) -> str:
        return self.canonical(clean_action(action))

    def _admissible(self) -> list[str] | None:
        return listed_calls(self._now.desk, self._now.seen, self._playing()) if self.listed else None

    def _refusal(self, action: str) -> str:
        problem = self._problem(action)
        return problem.message if problem else ""

    def _refused(self, action: str, reason: str) -> str:
        problem = self._problem(action)
        return _told({"error": {"type": problem.kind if problem else "syntax_error", "message": reason}})

    def _problem(self, action: str) -> BadCall | None:
        try:
            _checked(action)
        except BadCall as problem:
            return problem
        if self.listed and action not in (self._admissible() or ()):
            return BadCall("not_listed", "only calls with values that were named or shown are possible here")
        return None

    def _kind(self) -> str:
        return f"{super()._kind()} with error_rate={self.error_rate} and listed={self.listed}"

    def _get_world(self) -> Any:
        return self._playing(), self._now

    def _set_world(self, world: Any) -> None:
        self._given, self._now = world

    def _state_key(self) -> str:
        task, now = self._playing(), self._now
        luck = (task.salt, now.calls) if self.error_rate else None  # they decide nothing but which calls fail
        state = (luck, task.request, now.desk, sorted(now.seen, key=repr), now.finished)
        return hashlib.blake2b(repr(state).encode(), digest_size=8).hexdigest()

    def _task(self) -> tuple[str, str]:
        task = self._playing()
        name = hashlib.blake2b(repr((task.desk, task.request)).encode(), digest_size=8).hexdigest()
        return f"{self.calls}-{name}", f"{task.request}\n\nThe functions:\n{manual()}"

    def _playing(self) -> Task:
        if self._given is None:
            raise EnvError("no task is played; call reset() first", repr(self))
        return self._given


def _checked(action: str) -> Call:
    call = read_call(action)
    check_call(call)
    return call


def _told(result: dict[str, Any]) -> str:
    return json.dumps(result, ensure_ascii=False, separators=(",", ":"))
