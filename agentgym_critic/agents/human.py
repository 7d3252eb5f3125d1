"""A person at a terminal: `HumanAgent` for the loop, and `play` for a game with undo.

Knows terminals only as a function that reads a line and one that writes one.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import gymnasium

from agentgym_critic.envs.base import TextEnv
from agentgym_critic.errors import AgentError, EnvError, boundary
from agentgym_critic.terminal import printable
from agentgym_critic.types import Action, Turn

__all__ = ["HumanAgent", "Played", "play"]

HELP = """\
Type an action, or its number in the list that ? shows.
?        list the possible actions
undo     take the last step back
restart  begin again
quit     leave"""

Read = Callable[[str], str]
Write = Callable[[str], None]


class Played(NamedTuple):
    """How a game ended."""

    end: Literal["success", "failure", "step_limit", "quit"]
    steps: int
    total_reward: float


class HumanAgent:
    """Asks a person at the terminal for every action.

    Args:
        input: reads a line after showing a prompt.
        output: writes a line.
    """

    id = "human"

    def __init__(self, *, input: Read = builtins.input, output: Write = print) -> None:
        self._input, self._output = input, output

    def reset(self, seed: int) -> None:
        """Nothing to forget."""

    def propose(self, turn: Turn) -> Action:
        """What the person types; ``?`` lists the possible actions.

        Raises:
            AgentError: the input ended.
        """
        if turn.index == 0 and not turn.rejected:
            self._output(f"Task: {printable(turn.task)}")
        self._output(f"\n{printable(turn.observation)}")
        if turn.advice:
            self._output(
                f"\nNot taken: {', '.join(map(_shown, turn.rejected))}. The critic says: {printable(turn.advice)}"
            )
        while True:
            try:
                line = self._input(f"step {turn.index + 1}> ").strip()
            except EOFError as cause:
                raise AgentError(f"the input ended at step {turn.index}", self.id) from cause
            if line == "?":
                self._output(_listing(turn.admissible_actions))
            elif line:
                return Action(text=_chosen(line, turn.admissible_actions))


def play(env: gymnasium.Env[str, str], *, seed: int = 0, input: Read = builtins.input, output: Write = print) -> Played:
    """Play one game at the terminal.

    The words of the help come before actions of the same name, which can still be chosen by
    number. The end of the input and Ctrl-C leave the game as ``quit`` does.

    Args:
        env: a `TextEnv`, or any Gymnasium environment of strings (then without undo).
        seed: of the episode, also after a restart.
        input: reads a line after showing a prompt.
        output: writes a line.

    Raises:
        EnvError: the environment failed.
    """
    game = _Game(env, seed, output)
    output(HELP)
    game.restart()
    while not game.end:
        try:
            line = input(game.prompt).strip()
        except (EOFError, KeyboardInterrupt):
            output("")
            line = "quit"
        game.obey(line)
    output(game.summary)
    return Played(game.end, game.steps, game.total_reward)


class _Past(NamedTuple):
    """A moment to come back to."""

    snapshot: Any
    total_reward: float


class _Game:
    """One game: the environment, the moments to undo to, and what is shown of it."""

    def __init__(self, env: gymnasium.Env[str, str], seed: int, output: Write) -> None:
        self._env, self._seed, self._output = env, seed, output
        self._bare: Any = env.unwrapped
        self._can_undo = isinstance(self._bare, TextEnv)
        self._past: list[_Past] = []
        self._info: dict[str, Any] = {}
        self.end: Literal["success", "failure", "step_limit", "quit"] | None = None
        self.steps = 0
        self.total_reward = 0.0

    @property
    def prompt(self) -> str:
        limit = getattr(self._bare, "max_steps", None)
        return f"step {self.steps + 1}{f'/{limit}' if limit else ''}, reward {self.total_reward:g}> "

    @property
    def summary(self) -> str:
        how = {
            "success": "Success",
            "failure": "Failure",
            "step_limit": "Failure: out of steps",
            "quit": "Left the game",
        }
        return f"{how[self.end or 'quit']} after {self.steps} steps, reward {self.total_reward:g}."

    def obey(self, line: str) -> None:
        words = {"": lambda: None, "?": self._list, "undo": self._undo, "restart": self.restart, "quit": self._quit}
        words.get(line.lower(), lambda: self._step(line))()

    def restart(self) -> None:
        with boundary(f"environment {self._env}", EnvError):
            observation, self._info = self._env.reset(seed=self._seed)
        self._past, self.steps, self.total_reward = [], 0, 0.0
        self._output(f"\nTask: {printable(str(self._info.get('task', '')))}")
        self._show(observation)

    def _step(self, line: str) -> None:
        action = _chosen(line, self._info.get("admissible_actions"))
        with boundary(f"environment {self._env}", EnvError):
            if self._can_undo:
                self._past.append(_Past(self._bare.snapshot(), self.total_reward))
            observation, reward, terminated, truncated, self._info = self._env.step(action)
        self.steps += 1
        self.total_reward += float(reward)
        self._show(observation)
        if terminated or truncated:
            success = bool(self._info.get("success", False))
            self.end = "success" if success else "failure" if terminated else "step_limit"

    def _undo(self) -> None:
        if not self._past:
            self._output("Nothing to undo." if self._can_undo else "This environment cannot undo.")
            return
        past = self._past.pop()
        with boundary(f"environment {self._env}", EnvError):
            self._bare.restore(past.snapshot)
            observation, self._info = self._bare.current()
        self.steps -= 1
        self.total_reward = past.total_reward
        self._show(observation)

    def _list(self) -> None:
        self._output(_listing(self._info.get("admissible_actions")))

    def _quit(self) -> None:
        self.end = "quit"

    def _show(self, observation: str) -> None:
        reason = str(self._info.get("invalid_reason", ""))
        if reason and reason not in observation:
            self._output(f"\n{printable(reason)}")
        self._output(f"\n{printable(observation)}")


def _listing(actions: Sequence[str] | None) -> str:
    if actions is None:
        return "The possible actions cannot be listed."
    return "\n".join(f"{number:3}  {_shown(action)}" for number, action in enumerate(actions, 1)) or "There are none."


def _shown(action: str) -> str:
    return printable(" ".join(action.split()))


def _chosen(line: str, actions: Sequence[str] | None) -> str:
    """The action of that number, or the line itself; where actions are numbers, a number is only ever an action."""
    actions = actions or ()
    if any(action.isdecimal() for action in actions):
        return line
    if line.isdecimal() and line.isascii() and 1 <= int(line[:9]) <= len(actions):
        return actions[int(line) - 1]
    return line
