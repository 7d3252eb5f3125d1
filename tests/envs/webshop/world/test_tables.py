"""The tables of the world: enough of everything, nothing twice, and each phrase can be filled."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

import pytest

from agentgym_critic.envs.webshop.world.kinds import Kind, kinds
from agentgym_critic.envs.webshop.world.options import options
from agentgym_critic.envs.webshop.world.requests import wordings
from agentgym_critic.envs.webshop.world.tables import entries, phrases
from agentgym_critic.envs.webshop.world.words import words

PARTS = {"brand", "adjective", "material", "noun", "alias", "query", "told", "use"}
REQUEST_PARTS = {
    "short": {"query", "attributes"},
    "long": {"opening", "closing", "thing", "name", "attributes", "choices"},
    "bare": {"opening", "closing", "thing", "name", "attributes"},
    "things": {"noun", "alias", "material", "adjective"},
}


def test_lists() -> None:
    assert entries(" a b, c,, ") == ("a b", "c")
    assert phrases("a, b;\nc;") == ("a, b", "c")


def test_there_is_enough_of_everything() -> None:
    assert len({kind.path.split("/")[0] for kind in kinds()}) >= 8
    assert len(kinds()) >= 40
    queries = [kind.query for kind in kinds()]
    assert len(set(queries)) < len(queries), "neighbours share a query"


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.nouns[0])
def test_a_kind(kind: Kind) -> None:
    assert 15 <= len(kind.attributes) <= 30
    assert len(set(kind.nouns)) == len(kind.nouns) >= 2
    assert len(kind.materials) >= 4
    assert not any(material in noun for material in kind.materials for noun in kind.nouns)
    for one, other in combinations(kind.options, 2):
        assert one.name != other.name
        assert not set(one.values) & set(other.values)


def test_some_attributes_are_known_in_many_departments() -> None:
    departments: dict[str, set[str]] = defaultdict(set)
    for kind in kinds():
        for attribute in kind.attributes:
            departments[attribute].add(kind.path.split("/")[0])
    assert sum(len(known) >= 5 for known in departments.values()) >= 15
    assert sum(len(known) == 1 for known in departments.values()) >= 100


def test_every_option_is_used_and_has_several_values() -> None:
    used = {option for kind in kinds() for option in kind.options}
    assert used == set(options().values())
    for option in used:
        assert len(set(option.values)) == len(option.values) >= 3
        assert all(said.count("{}") == 1 for said in option.said)


@pytest.mark.parametrize("name", ["titles", "openings", "middles", "closings", "bullets", "plain"])
def test_phrases_of_sellers_can_be_filled(name: str) -> None:
    for phrase in getattr(words(), name):
        assert phrase.format(**dict.fromkeys(PARTS, "x"))
    if name in ("bullets", "plain"):
        assert all(("{told}" in phrase) == (name == "bullets") for phrase in getattr(words(), name))


@pytest.mark.parametrize("name", sorted(REQUEST_PARTS))
def test_phrases_of_shoppers_can_be_filled(name: str) -> None:
    for phrase in getattr(wordings(), name):
        assert ("{attributes}" in phrase) == ("attributes" in REQUEST_PARTS[name])
        assert phrase.format(**dict.fromkeys(REQUEST_PARTS[name], "x"))


def test_other_words_are_for_what_there_is() -> None:
    known = {attribute for kind in kinds() for attribute in kind.attributes}
    known |= {value for option in options().values() for value in option.values}
    assert set(wordings().spoken) <= known
