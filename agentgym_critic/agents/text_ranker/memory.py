"""What happened so far, by name: what was done with it, and where it was met last.

A function of the turn's history alone, whoever acted. Nothing here knows a game.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from agentgym_critic.agents.text_ranker.reading import Command, names_in, read_command, word_of
from agentgym_critic.types import Turn

__all__ = ["Memory"]


@dataclass
class Memory:
    """A summary of an episode under way."""

    done: Counter[str] = field(default_factory=Counter)
    """How often each action ran."""
    last: dict[str, int] = field(default_factory=dict)
    """The step at which it ran last."""
    deeds: dict[str, list[tuple[str, int]]] = field(default_factory=lambda: defaultdict(list))
    """For each name what was done with it, in order: the verb, and the name's place in the command."""
    met: dict[str, tuple[str, str]] = field(default_factory=dict)
    """For each thing the verb and the last name of the command after which it was mentioned last."""
    commands: list[Command] = field(default_factory=list)

    @classmethod
    def of(cls, turn: Turn) -> Memory:
        """The memory at a turn."""
        memory = cls()
        seen = [*[past.observation for past in turn.history][1:], turn.observation]
        for step, past in enumerate(turn.history):
            memory._add(step, past.action, seen[step], refused=bool(past.invalid_reason))
        return memory

    def here(self, roles: dict[str, str]) -> dict[str, list[str]]:
        """For each place the things met there last that the task speaks of."""
        found: dict[str, list[str]] = defaultdict(list)
        for thing, (_, place) in self.met.items():
            if word_of(thing) in roles:
                found[place].append(thing)
        return found

    def _add(self, step: int, action: str, observation: str, *, refused: bool) -> None:
        self.done[action] += 1
        self.last[action] = step
        command = read_command(action)
        self.commands.append(command)
        if refused or not command.names:
            return
        for place, name in enumerate(command.names):
            self.deeds[name].append((command.verb, place))
        where = command.names[-1]
        for name in names_in(observation):
            if name != where:
                self.met[name] = command.verb, where
