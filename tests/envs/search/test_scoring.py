"""Exact match and F1, against the definition and by hand."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_critic.envs.search.scoring import Score, normalized, score


@pytest.mark.parametrize(
    ("said", "answers", "em", "f1"),
    [
        ("The Beatles", ["beatles"], 1.0, 1.0),
        ("beatles!", ["The  Beatles"], 1.0, 1.0),
        ("a an the", [""], 1.0, 0.0),  # nothing in common, though the same
        ("John Lennon", ["Paul", "john lennon"], 1.0, 1.0),
        ("John Winston Lennon", ["john lennon"], 0.0, 0.8),
        ("1869", ["1896"], 0.0, 0.0),
        ("york york", ["new york"], 0.0, 0.5),  # a word counts as often as both have it
        ("theatre", ["atre"], 0.0, 0.0),  # articles are words of their own
    ],
)
def test_known_cases(said: str, answers: list[str], em: float, f1: float) -> None:
    assert score(said, answers) == Score(em, pytest.approx(f1))


@given(st.text())
def test_normal_forms_stay_as_they_are(text: str) -> None:
    once = normalized(text)
    assert not set(once) & set(string.punctuation)
    assert once == once.strip()
    assert "  " not in once


@given(st.lists(st.sampled_from("abc"), min_size=1), st.lists(st.sampled_from("abc"), min_size=1))
def test_f1_is_the_harmonic_mean_of_precision_and_recall(left: list[str], right: list[str]) -> None:
    said, answer = [f"{word}x" for word in left], [f"{word}x" for word in right]
    common = sum(min(said.count(word), answer.count(word)) for word in set(said))
    f1 = score(" ".join(said), [" ".join(answer)]).f1
    if not common:
        assert f1 == 0
    else:
        precision, recall = common / len(said), common / len(answer)
        assert f1 == pytest.approx(2 * precision * recall / (precision + recall))


@given(st.text(), st.text())
def test_both_lie_between_none_and_one(said: str, answer: str) -> None:
    assert all(0 <= each <= 1 for each in score(said, [answer]))
    assert score(said, [said]).em == 1
