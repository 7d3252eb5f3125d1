"""`World`: one game, compiled: its objects, its initial state, what can be done, what is said.

Shared by everyone who plays the game; nothing in it changes but what it has worked out so far.
A state is an integer, one bit for each fact that may change.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from math import prod
from typing import NamedTuple

from agentgym_critic.envs.alfworld.files import GameFile
from agentgym_critic.envs.alfworld.native.budget import Budget
from agentgym_critic.envs.alfworld.native.effects import NOTE
from agentgym_critic.envs.alfworld.native.facts import Facts
from agentgym_critic.envs.alfworld.native.fluents import Arguments, Fluent, union
from agentgym_critic.envs.alfworld.native.goal import Goal
from agentgym_critic.envs.alfworld.native.grammar import read_grammar
from agentgym_critic.envs.alfworld.native.ground import Grounder
from agentgym_critic.envs.alfworld.native.operators import Operator, Operators
from agentgym_critic.envs.alfworld.native.pddl import read_domain, read_problem
from agentgym_critic.envs.alfworld.native.planner import Planner
from agentgym_critic.envs.alfworld.native.reach import argument_domains
from agentgym_critic.envs.alfworld.native.reads import reads
from agentgym_critic.envs.alfworld.native.schemas import Schema, constants_of, fluent_names, goal_queries, schemas
from agentgym_critic.envs.alfworld.native.speech import Speech
from agentgym_critic.envs.alfworld.native.symbols import Rule
from agentgym_critic.envs.alfworld.native.syntax import Atom, Domain, Problem
from agentgym_critic.envs.alfworld.native.texts import Context, Texts
from agentgym_critic.envs.alfworld.native.vocabulary import Vocabulary

__all__ = ["World"]

MOST_FACTS = 1_000_000
"""Facts that may change, each a bit of every state; real games have up to 10,047."""

INTRODUCTION = (Rule("intro"),)


class Rules(NamedTuple):
    """A domain, compiled; many games share it."""

    domain: Domain
    schemas: tuple[Schema, ...]
    fluents: frozenset[str]


@lru_cache(maxsize=8)
def rules_of(domain: str) -> Rules:
    """Compile a PDDL domain."""
    read = read_domain(domain)
    return Rules(read, schemas(read), fluent_names(read))


class World:
    """A compiled game.

    Args:
        file: the game.

    Raises:
        EnvError: the game cannot be read, or needs something that is not supported.
    """

    def __init__(self, file: GameFile) -> None:
        rules = rules_of(file.pddl_domain)
        problem = read_problem(file.pddl_problem, rules.domain)
        grammar = read_grammar(file.grammar, _arities(rules.domain))
        self.vocabulary = _vocabulary(rules, problem)
        initial = _by_predicate(problem.init, self.vocabulary)
        fluents = self._laid_out(rules, initial, set(re.findall(rf"\b{NOTE}\w+", file.grammar)))
        constant = {name: facts for name, facts in initial.items() if name not in rules.fluents}
        self.facts = Facts(constant, fluents, self.vocabulary)
        self.initial = _state(initial, fluents)
        self.texts = Texts(grammar, self.facts, self.vocabulary)
        grounder = Grounder(self.facts, self.vocabulary)
        self._planning = rules.schemas, grounder
        self.operators = Operators(
            rules.schemas, grounder, self.initial, lambda schema, join: Speech(schema, join, self.texts, grammar)
        )
        queries = goal_queries(problem.goal, rules.fluents)
        self.goal = Goal((found for query in queries for _, found in grounder.conditions(query, {})), self.initial)
        grounder.keep(2 * len(self.goal.conditions))
        self.state_bytes = (sum(fluent.size for fluent in fluents.values()) + 7) // 8
        reads(grammar, INTRODUCTION)  # complains about what cannot be derived, whether this state needs it or not
        self.introduction = self.texts.derive(INTRODUCTION, self.initial, Context.of({}, self.vocabulary))

    def possible(self, state: int) -> dict[str, Operator]:
        """What can be done in a state, by command, unsorted; not to be changed."""
        return self.operators.possible(state)

    @cached_property
    def planner(self) -> Planner:
        """Labels the states of this game; made when it is first asked for."""
        # It holds the operators, not the world, which then is freed as soon as nobody plays it.
        worded = -1 if self.operators.worded else 0
        return Planner(*self._planning, self.initial, self.goal, self.operators.possible, worded=worded)

    def _laid_out(self, rules: Rules, initial: Mapping[str, set[Arguments]], notes: set[str]) -> dict[str, Fluent]:
        domains = argument_domains(rules.schemas, initial, self.vocabulary)
        domains.update(
            {note: domains[note.removeprefix(NOTE)] for note in notes if note.removeprefix(NOTE) in rules.fluents}
        )
        changing = [name for name in domains if name.removeprefix(NOTE) in rules.fluents]
        fluents, offset, budget = {}, 0, Budget("the facts that may change", MOST_FACTS)
        # The small ones first: masks of them are short numbers.
        for name in sorted(changing, key=lambda name: (prod(map(len, domains[name])), name)):
            budget.spend(prod(map(len, domains[name])))
            fluents[name] = Fluent([sorted(domain) for domain in domains[name]], offset)
            offset += fluents[name].size
        return fluents


def _arities(domain: Domain) -> dict[str, int]:
    """How many arguments the facts have, those noted as false included."""
    arities = {predicate: len(parameters) for predicate, parameters in domain.predicates.items()}
    return {NOTE + predicate: arity for predicate, arity in arities.items()} | arities


def _vocabulary(rules: Rules, problem: Problem) -> Vocabulary:
    spoken = {name for atom in problem.init for name in atom.arguments}
    # As for the reference, what a domain names and no game declares is an object of no type, of which nothing holds.
    named = dict.fromkeys(constants_of(rules.schemas), "")
    return Vocabulary(named | rules.domain.constants | problem.objects, rules.domain.types, spoken)


def _by_predicate(atoms: Iterable[Atom], vocabulary: Vocabulary) -> dict[str, set[Arguments]]:
    found: dict[str, set[Arguments]] = defaultdict(set)
    for predicate, arguments in atoms:
        found[predicate].add(tuple([vocabulary.rank(name) for name in arguments]))
    return dict(found)


def _state(initial: Mapping[str, Iterable[Arguments]], fluents: Mapping[str, Fluent]) -> int:
    return union(fluent.fact(arguments) for name, fluent in fluents.items() for arguments in initial.get(name, ()))
