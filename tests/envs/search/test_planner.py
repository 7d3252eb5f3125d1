"""The fewest searches, against trying all sequences."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.envs.search import planner as planner_module
from agentgym_critic.envs.search.index import Index
from agentgym_critic.envs.search.library import Document, Library, Question, words
from agentgym_critic.envs.search.planner import Planner

WORDS = ["ash", "birch", "cedar", "date", "elm", "fir", "gum", "hazel", "ivy", "juniper"]


def forest(seed: int) -> tuple[Library, Question]:
    """Documents of one-word titles that name one another at random; support that leads on or does not."""
    rng = random.Random(seed)
    documents = tuple(Document(title, " ".join(rng.sample(WORDS, rng.randint(1, 3)))) for title in WORDS)
    support = tuple(rng.sample(range(len(WORDS)), rng.randint(1, 3)))
    question = Question("q", " ".join(rng.sample(WORDS, rng.randint(1, 2))), ("x",), support)
    return Library("forest", documents, (question,)), question


def fewest(library: Library, question: Question, at_once: int, shown: frozenset[int], most: int) -> int | None:
    """By breadth-first search over everything that can be searched for."""
    index, layer = Index(library.documents), {shown}
    for searches in range(most + 1):
        if any(set(question.support) <= each for each in layer):
            return searches
        layer = {each | set(index.search(title, at_once)) for each in layer for title in named(library, question, each)}
    return None


def named(library: Library, question: Question, shown: frozenset[int]) -> set[str]:
    texts = [question.text, *(" ".join(library.documents[number]) for number in shown)]
    return set(" ".join(texts).split()) & {document.title for document in library.documents}


@given(seed=st.integers(0, 5_000), at_once=st.integers(1, 3), strayed=st.integers(0, 2))
@settings(max_examples=60, deadline=None)
def test_it_is_the_fewest_of_all(seed: int, at_once: int, strayed: int) -> None:
    library, question = forest(seed)
    planner = Planner(library, Index(library.documents), at_once, all_titles=True)
    shown, rng = frozenset[int](), random.Random(seed)
    for _ in range(strayed):
        title = rng.choice(planner.named(question, shown))
        shown |= set(Index(library.documents).search(title, at_once))
    assert set(planner.named(question, shown)) == named(library, question, shown)
    missing = len(set(question.support) - shown)
    left = planner.searches_left(question, shown)
    assert left == fewest(library, question, at_once, shown, missing)
    if left:
        best = [
            title
            for title in planner.named(question, shown)
            if fewest(
                library, question, at_once, shown | set(Index(library.documents).search(title, at_once)), left - 1
            )
            == left - 1
        ]
        assert planner.next_titles(question, shown) == best
        assert best


def library(*documents: tuple[str, str]) -> Library:
    return Library("small", tuple(Document(*each) for each in documents), ())


SMALL = library(("ash", "near birch"), ("birch", "near cedar"), ("cedar", "tall"), ("date", "sweet"))


@pytest.mark.parametrize(
    ("asked", "support", "left", "first"),
    [
        ("ash?", (0,), 1, ["ash"]),
        ("ash?", (0, 1, 2), 3, ["ash"]),
        ("who?", (3,), 1, ["date"]),  # named nowhere: it may be searched for at once
        ("ash?", (3, 0), 2, ["date", "ash"]),
        ("cedar?", (0, 1), 2, ["ash"]),  # what the first leads to is not known yet
    ],
)
def test_in_an_open_game_titles_of_the_support_are_searched_for(
    asked: str, support: tuple[int, ...], left: int, first: list[str]
) -> None:
    question = Question("q", asked, ("x",), support)
    planner = Planner(SMALL, Index(SMALL.documents), 1, all_titles=False)
    assert planner.searches_left(question, frozenset()) == left
    assert planner.next_titles(question, frozenset()) == first


def test_what_is_out_of_reach() -> None:
    question = Question("q", "ash?", ("x",), (3,))
    planner = Planner(SMALL, Index(SMALL.documents), 1, all_titles=True)
    assert planner.searches_left(question, frozenset()) is None
    assert planner.next_titles(question, frozenset()) == []


def test_it_gives_up_whatever_was_asked_before(monkeypatch: pytest.MonkeyPatch) -> None:
    library, question = next(made for made in map(forest, range(100)) if len(made[1].support) == 3)
    index, start = Index(library.documents), frozenset[int]()
    ways = {}
    for most in (3, 10**6):
        monkeypatch.setattr(planner_module, "MOST_TRIES", most)
        fresh, asked = (Planner(library, index, 1, all_titles=True) for _ in range(2))
        for shown in ({0}, {1, 2}, set(question.support)):
            asked.searches_left(question, frozenset(shown))
        ways[most] = asked.searches_left(question, start)
        assert ways[most] == fresh.searches_left(question, start)
        assert fresh.next_titles(question, start) == asked.next_titles(question, start)
    assert ways[3] is None


def test_accents_count_however_they_are_encoded() -> None:
    assert words("Ze\u0301ta A\u030angstro\u0308m") == words("Z\u00e9ta \u00c5ngstr\u00f6m")
    assert len(words("A\u030angstro\u0308m")) == 1
