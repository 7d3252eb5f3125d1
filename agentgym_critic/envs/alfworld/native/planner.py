"""`Planner`: how many steps a state is from the goal, exactly, and all commands that begin a shortest way.

It answers for every state that the game can reach, by a search over the game's own operators that
deepens step by step. ``_within(state, steps)`` asks whether the goal is at most so many steps
away, and only with `steps` no larger than the true distance: for the state to be solved with a
lower bound first, then with one more each time, and for a successor with one less than for the
state before it. So where the answer is yes, the distance is `steps`: a way of that length was
walked, and none is shorter. It is no at once where all lower bounds exceed `steps`. The bounds
come from projections, one for each condition that is enough for the goal. They cost the proof
nothing: a bad one costs time. Mostly they are exact, and the search walks only ways that succeed.

Facts that no action, no goal and no command's wording reads are left out of the states: they
decide nothing. A game that is too large ends in an error, not in a guess.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from agentgym_critic.envs.alfworld.native.fluents import bits, union
from agentgym_critic.envs.alfworld.native.goal import Goal
from agentgym_critic.envs.alfworld.native.ground import Grounder
from agentgym_critic.envs.alfworld.native.operators import Operator
from agentgym_critic.envs.alfworld.native.planning.distances import UNREACHABLE
from agentgym_critic.envs.alfworld.native.planning.invariants import Exclusions, invariants
from agentgym_critic.envs.alfworld.native.planning.moves import Moves
from agentgym_critic.envs.alfworld.native.planning.projection import Projection, Projections
from agentgym_critic.envs.alfworld.native.schemas import Schema
from agentgym_critic.errors import EnvError

__all__ = ["Planner", "Solution"]

MOST_EXPANDED = 50_000
"""States looked into for one answer before it is given up: seconds. Games of this family need less than a hundred."""

DEEPEST = 200
"""Steps beyond which no way is looked for; the longest way in a game of this family has about twenty."""

KEPT = 10_000
"""States remembered from one answer to the next."""


class Solution(NamedTuple):
    """What is known of a state."""

    steps_left: int
    """To the goal along a shortest way."""
    commands: tuple[str, ...]
    """All that begin a shortest way, sorted; none where the goal is reached."""


class Planner:
    """Answers for every state of one game; remembers what it found.

    Args:
        schemas: all ways in which actions can be possible.
        grounder: of the game.
        initial: the initial state.
        goal: of the game.
        possible: what can be done in a state, by command.
        worded: facts on which the wording of commands depends, as a mask.
        most_expanded: states looked into for one answer before it is given up.
    """

    def __init__(
        self,
        schemas: Sequence[Schema],
        grounder: Grounder,
        initial: int,
        goal: Goal,
        possible: Callable[[int], Mapping[str, Operator]],
        *,
        worded: int = 0,
        most_expanded: int = MOST_EXPANDED,
    ) -> None:
        self._goal, self._possible, self._most_expanded = goal, possible, most_expanded
        moves = Moves(schemas, grounder, Exclusions(invariants(schemas), grounder.facts, initial))
        self._read = worded | _read(schemas, grounder, goal)
        self._ways = [
            Projections(condition, moves) for condition in goal.conditions
            if all(moves.making(bit, True) for bit in bits(condition.need & ~initial))
        ]  # fmt: skip
        self._distances: dict[int, int] = {}
        """States with their exact distance."""
        self._beyond: dict[int, int] = {}
        """States with a number of steps that are not enough."""
        self._expanded = 0
        self._lock = threading.Lock()
        """Threads that play one game share its planner, whose tables and limit are those of one answer at a time."""

    def solve(self, state: int) -> Solution | None:
        """The steps to the goal and the commands that begin a shortest way; None if no way leads there.

        Raises:
            EnvError: no answer was found within the limit.
        """
        with self._lock:
            return Solution(0, ()) if self._goal.reached(state) else self._solve(state)

    def _solve(self, state: int) -> Solution | None:
        seen = state & self._read
        bounds = [way.at(seen) for way in self._ways]
        steps = self._distance(seen, bounds)
        if steps is None:
            return None
        operators = self._possible(state).items()
        commands = [
            command for command, operator in operators
            if self._within(operator.applied(state) & self._read, steps - 1, bounds)
        ]  # fmt: skip
        return Solution(steps, tuple(sorted(commands)))

    def _distance(self, state: int, bounds: Sequence[Projection]) -> int | None:
        if len(self._distances) + len(self._beyond) > KEPT:
            self._distances.clear()
            self._beyond.clear()
        self._expanded = 0
        steps = min((bound.distance(state) for bound in bounds), default=UNREACHABLE)
        if steps == UNREACHABLE:
            return None
        while not self._within(state, steps, bounds):
            steps += 1
        return steps

    def _within(self, state: int, steps: int, bounds: Iterable[Projection]) -> bool:
        """Whether the goal is `steps` away; asked only if it is not nearer.

        Args:
            state: without what nobody reads.
            steps: at most the true distance.
            bounds: those that allowed for the goal so near in the state before.
        """
        known = self._distances.get(state)
        if known is not None:
            return known <= steps
        if self._beyond.get(state, -1) >= steps:
            return False
        near = [bound for bound in bounds if bound.distance(state) <= steps]
        found = bool(near) and (self._goal.reached(state) or self._leads(state, steps, near))
        if found:
            self._distances[state] = steps
        else:
            self._beyond[state] = steps
        return found

    def _leads(self, state: int, steps: int, bounds: list[Projection]) -> bool:
        if not steps:
            return False
        self._expanded += 1
        if self._expanded > self._most_expanded or steps > DEEPEST:
            raise EnvError(
                f"no shortest way to the goal was found within {self._most_expanded} states and {DEEPEST} steps; "
                "the game is too large for the planner"
            )
        operators = self._possible(state).values()
        return any(self._within(operator.applied(state) & self._read, steps - 1, bounds) for operator in operators)


def _read(schemas: Iterable[Schema], grounder: Grounder, goal: Goal) -> int:
    """The facts that actions and the goal look at, as a mask."""
    queries = [query for schema in schemas for query in (schema.query, *[one.condition for one in schema.changes])]
    names = {literal.predicate for query in queries for literal in (*query.changing, *query.checks)}
    read = [fluent.mask for name, fluent in grounder.facts.fluents.items() if name in names]
    return union([*read, *[condition.need | condition.forbid for condition in goal.conditions]])
