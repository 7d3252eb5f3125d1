"""Search: any query is safe, what has a word is found, titles come first."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_critic.envs.search.index import Index
from agentgym_critic.envs.search.library import Document, Names, words

DOCUMENTS = [
    Document("Cat", "A small animal that hunts mice at night."),
    Document("Mouse", "Hunted by the cat, the mouse lives in walls."),
    Document("Night", "When it is dark."),
    Document("Näherei", "Where one sews."),
    Document("夜", "暗い時間"),
]
INDEX = Index(DOCUMENTS)
OPERATORS = ["cat", "OR", "AND", "NOT", "NEAR(", '"', "*", "^", ":", "-", "+", "}", "dark", "--", "title:cat"]


@given(st.text(max_size=80))
def test_any_query_is_answered(query: str) -> None:
    found = INDEX.search(query.encode(errors="replace").decode().replace("\0", " "), 5)
    assert len(set(found)) == len(found)


@given(st.lists(st.sampled_from(OPERATORS), max_size=8))
def test_operators_are_words(query: list[str]) -> None:
    text = " ".join(query)
    plain = set(words(text)) - {"or", "and", "not", "near", "title"}
    assert set(INDEX.search(text, 5)) == set(INDEX.search(" ".join(plain), 5))


@given(number=st.integers(0, len(DOCUMENTS) - 1), data=st.data())
def test_what_has_a_word_of_the_query_is_found(number: int, data: st.DataObject) -> None:
    word = data.draw(st.sampled_from(words(" ".join(DOCUMENTS[number]))))
    assert number in INDEX.search(word, len(DOCUMENTS))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("mouse", (1,)),
        ("cat", (0, 1)),  # the one with the word in its title first
        ("hunting", (0, 1)),  # stemmed
        ("naherei", (3,)),
        ("夜", (4,)),
        ("zebra", ()),
        ("?!", ()),
        ("", ()),
    ],
)
def test_what_is_found_in_which_order(query: str, found: tuple[int, ...]) -> None:
    assert sorted(INDEX.search(query, 5)) == sorted(found)
    assert INDEX.search(query, 5)[:1] == found[:1]


def test_equal_documents_are_in_their_order() -> None:
    index = Index([Document(f"title {number}", "the same text") for number in range(10)])
    assert index.search("same", 4) == (0, 1, 2, 3)


def test_a_copy_and_other_threads_find_the_same() -> None:
    copy = pickle.loads(pickle.dumps(INDEX))
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: INDEX.search("cat night", 3), range(50))) == {copy.search("cat night", 3)}


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("the cat at night", ["Cat", "Night"]),
        ("CAT, cat; Mouse's", ["Cat", "Mouse"]),
        ("cats concatenate", []),
        ("a black cat and a black", ["Black Cat"]),
        ("black cat night", ["Black Cat", "Night"]),
        ("", []),
    ],
)
def test_titles_in_texts(text: str, titles: list[str]) -> None:
    names = Names(DOCUMENTS if "black" not in text else [*DOCUMENTS, Document("Black Cat", "-")])
    assert names.mentioned(text) == titles


@given(st.lists(st.sampled_from(["cat", "night", "black", "dog"]), max_size=12))
def test_titles_in_texts_against_reading_word_by_word(said: list[str]) -> None:
    titles = ["black cat", "cat", "night black cat"]
    expected, text = [], " ".join(said) + " "
    while text.strip():
        longest = max((title for title in titles if text.startswith(title + " ")), key=len, default="")
        expected += [longest] if longest else []
        text = text[len(longest or text.split()[0]) + 1 :]
    assert Names(Document(title, "-") for title in titles).mentioned(" ".join(said)) == list(dict.fromkeys(expected))
