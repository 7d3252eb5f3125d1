"""`make_world`: people, places and works from a seed, a document about each, and the questions that follow.

Every entity has relations to others and to numbers, each told in its own document only. A question goes along
some of them: the region of the birthplace of the author of a work. It is asked only if no shorter way leads
to the answer: what is asked for occurs neither in the question nor in an earlier document of its support.
Names share parts, so that a search finds others too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from agentgym_critic.envs.search.library import Document, Library, Question
from agentgym_critic.envs.search.names import ADJECTIVES, FIRST_NAMES, KINDS_OF_WORK, NOUNS, PROFESSIONS, SYLLABLES

__all__ = ["MAX_HOPS", "SIZES", "make_world"]

SIZES = range(30, 801)
"""How many documents a world may have."""

MAX_HOPS = 4

_FIELD = re.compile(r"\{(\w+)\}")

SHARES = {"work": 0.36, "person": 0.36, "town": 0.16, "river": 0.06, "region": 0.06}
"""Of all documents."""


class Relation(NamedTuple):
    """How an entity is related to another, or to a number."""

    kind: str
    """Of the entity."""
    name: str
    phrase: str
    """The other one, said through the entity."""
    target: str
    """The kind of the other one; empty for a number."""


RELATIONS = (
    Relation("work", "author", "the author of {}", "person"),
    Relation("work", "setting", "the town in which {} is set", "town"),
    Relation("work", "year", "the year in which {} appeared", ""),
    Relation("person", "birthplace", "the birthplace of {}", "town"),
    Relation("person", "teacher", "the teacher of {}", "person"),
    Relation("person", "year", "the year in which {} was born", ""),
    Relation("town", "region", "the region in which {} lies", "region"),
    Relation("town", "river", "the river on which {} lies", "river"),
    Relation("town", "founder", "the founder of {}", "person"),
    Relation("town", "year", "the year in which {} was founded", ""),
    Relation("region", "capital", "the capital of {}", "town"),
    Relation("region", "governor", "the governor of {}", "person"),
    Relation("river", "source", "the region in which {} rises", "region"),
    Relation("river", "length", "the length in kilometres of {}", ""),
)

TEXTS = {
    "work": ("{title} is {sort} by {author}.", "It appeared in {year} and is set in {setting}."),
    "person": ("{title}, {sort}, was born in {birthplace} in {year}.", "The teacher of {title} was {teacher}."),
    "town": ("{title} is a town on the river {river} in the region of {region}.", "{founder} founded it in {year}."),
    "region": ("{title} is a region.", "Its capital is {capital}.", "{governor} governs it."),
    "river": ("{title} is a river of {length} kilometres.", "It rises in the region of {source}."),
}
"""Sentences; those with a fact that is not there are left out."""


class Entity(NamedTuple):
    """Something a document is about."""

    kind: str
    title: str
    facts: dict[str, int]
    """By relation: the number of another entity, or a number that is told."""
    sort: str = ""


@lru_cache(maxsize=16)
def make_world(seed: int, size: int) -> Library:
    """The library of a world.

    Args:
        seed: the same seed gives the same world.
        size: documents, in `SIZES`.
    """
    entities = _entities(np.random.default_rng(seed), size)
    documents = tuple(Document(entity.title, _text(entity, entities)) for entity in entities)
    return Library(f"world-{seed}-{size}", documents, tuple(_questions(entities)))


def _entities(rng: np.random.Generator, size: int) -> list[Entity]:
    counts = {kind: max(int(size * share), 2) for kind, share in SHARES.items()}
    counts["work"] += size - sum(counts.values())
    kinds = [kind for kind, count in counts.items() for _ in range(count)]
    titles, draw = _titles(rng, counts), _Draw(rng, kinds)
    return [
        Entity(kind, titles[kind].pop(), draw.facts(number, kind), _sort(rng, kind))
        for number, kind in enumerate(kinds)
    ]


class _Draw:
    """Draws facts that fit together: nobody writes before birth or is taught by someone younger."""

    def __init__(self, rng: np.random.Generator, kinds: list[str]) -> None:
        self._rng = rng
        self._members = {kind: [number for number, each in enumerate(kinds) if each == kind] for kind in SHARES}
        self._born = {person: int(rng.integers(1500, 1900)) for person in self._members["person"]}
        self._towns: dict[int, list[int]] = {}
        """The towns of each region."""

    def facts(self, number: int, kind: str) -> dict[str, int]:
        """The facts about an entity; towns come before regions."""
        return {
            "work": self._work,
            "person": self._person,
            "town": self._town,
            "river": self._river,
            "region": self._region,
        }[kind](number)

    def _work(self, number: int) -> dict[str, int]:
        author = self._one("person")
        return {"author": author, "setting": self._one("town"), "year": self._grown(author)}

    def _person(self, number: int) -> dict[str, int]:
        facts = {"birthplace": self._one("town"), "year": self._born[number]}
        elders = [other for other, born in self._born.items() if 15 <= self._born[number] - born <= 50]
        return facts | ({"teacher": self._of(elders)} if elders else {})

    def _town(self, number: int) -> dict[str, int]:
        region, founder = self._one("region"), self._one("person")
        self._towns.setdefault(region, []).append(number)
        return {"region": region, "river": self._one("river"), "founder": founder, "year": self._grown(founder)}

    def _river(self, number: int) -> dict[str, int]:
        return {"source": self._one("region"), "length": int(self._rng.integers(20, 1000))}

    def _region(self, number: int) -> dict[str, int]:
        towns = self._towns.get(number)
        return {"governor": self._one("person")} | ({"capital": self._of(towns)} if towns else {})

    def _grown(self, person: int) -> int:
        """A year in which a person was between 20 and 60."""
        return self._born[person] + int(self._rng.integers(20, 60))

    def _one(self, kind: str) -> int:
        return self._of(self._members[kind])

    def _of(self, numbers: list[int]) -> int:
        return numbers[int(self._rng.integers(len(numbers)))]


def _titles(rng: np.random.Generator, counts: dict[str, int]) -> dict[str, list[str]]:
    places = _coined(rng, counts["town"] + counts["river"] + counts["region"] + counts["person"])
    surnames = [places.pop() for _ in range(counts["person"] // 3 + 1)]
    people = _shuffled(rng, [f"{first} {last}" for last in surnames for first in FIRST_NAMES])
    works = _shuffled(rng, [f"The {adjective} {noun}" for adjective in ADJECTIVES for noun in NOUNS])
    towns, rivers, regions = ([places.pop() for _ in range(counts[kind])] for kind in ("town", "river", "region"))
    return {"work": works, "person": people, "town": towns, "river": rivers, "region": regions}


def _coined(rng: np.random.Generator, count: int) -> list[str]:
    """Different names that nobody has."""
    names: dict[str, None] = {}
    while len(names) < count:
        picked = [SYLLABLES[int(each)] for each in rng.integers(len(SYLLABLES), size=3)]
        names["".join(picked).capitalize()] = None
    return list(names)


def _shuffled(rng: np.random.Generator, items: Sequence[str]) -> list[str]:
    return [items[int(place)] for place in rng.permutation(len(items))]


def _sort(rng: np.random.Generator, kind: str) -> str:
    if kind == "work":
        return KINDS_OF_WORK[int(rng.integers(len(KINDS_OF_WORK)))]
    return PROFESSIONS[int(rng.integers(len(PROFESSIONS)))] if kind == "person" else ""


def _text(entity: Entity, entities: list[Entity]) -> str:
    said = {name: _said(entity.kind, name, value, entities) for name, value in entity.facts.items()}
    told = said | {"title": entity.title, "sort": entity.sort}
    sentences = (each for each in TEXTS[entity.kind] if all(field in told for field in _FIELD.findall(each)))
    return " ".join(sentence.format_map(told) for sentence in sentences)


def _said(kind: str, name: str, value: int, entities: list[Entity]) -> str:
    target = next(relation.target for relation in RELATIONS if (relation.kind, relation.name) == (kind, name))
    return entities[value].title if target else str(value)


def _questions(entities: list[Entity]) -> Iterator[Question]:
    for start in range(len(entities)):
        yield from _longer(entities, (start,), entities[start].title)


def _longer(entities: list[Entity], way: tuple[int, ...], said: str) -> Iterator[Question]:
    """The questions that begin with a way from entity to entity, said in words."""
    before = {fact for number in way[:-1] for fact in _facts(entities[number])}
    here = entities[way[-1]]
    for relation in RELATIONS:
        if relation.kind != here.kind or relation.name not in here.facts:
            continue
        value, phrase = here.facts[relation.name], relation.phrase.format(said)
        if (bool(relation.target), value) in before or (relation.target and value in way):
            continue
        if len(way) > 1:
            yield _question(entities, way, relation, phrase)
        if relation.target and len(way) < MAX_HOPS:
            yield from _longer(entities, (*way, value), phrase)


def _facts(entity: Entity) -> Iterator[tuple[bool, int]]:
    """What a document tells: whether it is an entity, and its number."""
    for relation in RELATIONS:
        if relation.kind == entity.kind and relation.name in entity.facts:
            yield bool(relation.target), entity.facts[relation.name]


def _question(entities: list[Entity], way: tuple[int, ...], relation: Relation, phrase: str) -> Question:
    answer = _said(relation.kind, relation.name, entities[way[-1]].facts[relation.name], entities)
    name = "-".join(map(str, way))
    asks = "Who" if relation.target == "person" else "What"
    return Question(f"{name}-{relation.name}", f"{asks} is {phrase}?", (answer,), way)
