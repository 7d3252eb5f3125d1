"""How an action is said and what is told of it: its template and its feedback in the grammar.

A command is one line without double blanks, as everything that players say is made to be.
Texts are kept by what they depend on: an action's objects and the facts its conditions look up.
"""

from __future__ import annotations

from agentgym_critic.envs.alfworld.native.budget import check_size
from agentgym_critic.envs.alfworld.native.fluents import union
from agentgym_critic.envs.alfworld.native.grammar import Grammar
from agentgym_critic.envs.alfworld.native.joins import Join, Row
from agentgym_critic.envs.alfworld.native.reads import Reads, reads
from agentgym_critic.envs.alfworld.native.schemas import Schema
from agentgym_critic.envs.alfworld.native.symbols import Placeholder
from agentgym_critic.envs.alfworld.native.texts import Context, Texts
from agentgym_critic.envs.base import MAX_ACTION_CHARS, clean_action
from agentgym_critic.errors import EnvError

__all__ = ["Speech"]

KEPT = 4096
"""Feedbacks of an action that are remembered."""


class Speech:
    """The command and the feedback of one action.

    Args:
        schema: of the action.
        join: in the order of which objects come.
        texts: of the game.
        grammar: holds the action's template and feedback.

    Raises:
        EnvError: the grammar has no such action.
    """

    def __init__(self, schema: Schema, join: Join, texts: Texts, grammar: Grammar) -> None:
        self._name, self._texts = schema.action.name, texts
        self._action = grammar.action(self._name)
        self._parameters = {
            Placeholder(name.strip("?"), kind): join.names.index(name) for name, kind in schema.action.parameters
        }
        said = reads(grammar, self._action.template)
        self.changing = any(condition.predicate in texts.facts.fluents for condition in said.conditions)
        """Whether the command depends on the state."""
        self._spoken = self._mattering(said)
        self._conditions = reads(grammar, self._action.feedback).conditions
        self._commands: dict[Row, str] = {}
        self._masks: dict[Row, int] = {}
        self._told: dict[tuple[Row, int], str] = {}

    def command(self, row: Row, state: int) -> str:
        """How players say it.

        Raises:
            EnvError: nobody could, or another command would be said alike.
        """
        if self.changing:
            return self._said(row, state)
        things = tuple([row[place] for place in self._spoken])
        known = self._commands.get(things)
        if known is None:
            known = self._commands[things] = self._said(row, state)
        return known

    def feedback(self, row: Row, state: int) -> str:
        """What players are told once it has led to a state."""
        mask = self._masks.get(row)
        if mask is None:
            mask = self._masks[row] = self._looked_up(row)
        known = self._told.get((row, state & mask))
        if known is None:
            if len(self._told) >= KEPT:
                self._told.clear()
            known = self._told[row, state & mask] = self._texts.derive(self._action.feedback, state, self._context(row))
        return known

    def _mattering(self, said: Reads) -> tuple[int, ...]:
        # A condition that binds something new binds it to none of the action's objects: then all of them matter.
        placeholders = {placeholder for condition in said.conditions for placeholder in condition.placeholders}
        names = said.variables | {placeholder.name for placeholder in placeholders}
        own = self._parameters.items()
        return tuple(place for one, place in own if one.name in names or not placeholders <= self._parameters.keys())

    def _looked_up(self, row: Row) -> int:
        fluents, known = self._texts.facts.fluents, self._context(row).mapping
        return union(
            fluents[predicate].matching(tuple([known.get(one) for one in placeholders]))
            for predicate, placeholders in self._conditions
            if predicate in fluents
        )

    def _said(self, row: Row, state: int) -> str:
        text = self._texts.derive(self._action.template, state, self._context(row))
        cleaned = clean_action(text)
        command = text if text == cleaned else cleaned  # mostly they are equal, and one string is kept
        if not command or "{" in text or "}" in text:
            raise EnvError(f"the command {text[:80]!r} of the action {self._name!r} is empty, or has braces")
        check_size(f"the characters of a command of the action {self._name!r}", len(command), MAX_ACTION_CHARS)
        if (other := self._texts.commands.setdefault(command, text)) != text:
            raise EnvError(f"the commands {other[:80]!r} and {text[:80]!r} differ in blanks alone")
        return command

    def _context(self, row: Row) -> Context:
        mapping = {placeholder: row[place] for placeholder, place in self._parameters.items()}
        return Context.of(mapping, self._texts.vocabulary)
