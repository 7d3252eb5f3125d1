"""Generated worlds: coherent, and every question follows from its support, in order, and from nothing less."""

from __future__ import annotations

import re

import pytest

from agentgym_critic.envs.search.library import Names
from agentgym_critic.envs.search.world import MAX_HOPS, make_world

READINGS = {
    "the author of {}": r"^{} is an? \w+ by (.+?)\.",
    "the town in which {} is set": r"^{} is an? .* is set in (\w+)\.$",
    "the year in which {} appeared": r"^{} is .* appeared in (\d+) ",
    "the birthplace of {}": r"^{}, .* was born in (\w+) in",
    "the teacher of {}": r"The teacher of {} was (.+?)\.$",
    "the year in which {} was born": r"^{}, .* in (\d+)\.",
    "the region in which {} lies": r"^{} is a town .* in the region of (\w+)\.",
    "the river on which {} lies": r"^{} is a town on the river (\w+) ",
    "the founder of {}": r"^{} is a town .*\. (.+) founded it",
    "the year in which {} was founded": r"^{} is a town .* founded it in (\d+)\.",
    "the capital of {}": r"^{} is a region\. Its capital is (\w+)\.",
    "the governor of {}": r"^{} is a region\..* (\S+ \S+) governs it\.",
    "the region in which {} rises": r"^{} is a river .* in the region of (\w+)\.",
    "the length in kilometres of {}": r"^{} is a river of (\d+) ",
}
"""How a reader finds what a phrase asks for, by patterns of the test's own."""


def read(phrase: str, texts: dict[str, str]) -> tuple[str, list[str]]:
    """What a phrase means, from the inside out, and the titles of the documents that say so."""
    for form, pattern in READINGS.items():
        before, after = form.split("{}")
        if phrase.startswith(before) and phrase.endswith(after):
            title, used = read(phrase[len(before) : len(phrase) - len(after)], texts)
            found = re.search(pattern.replace("{}", re.escape(title)), texts[title])
            if found:
                return found[1], [*used, title]
    return phrase, []


@pytest.mark.parametrize(("seed", "size"), [(0, 30), (1, 100), (7, 200)])
def test_every_answer_can_be_read_off_the_support(seed: int, size: int) -> None:
    library = make_world(seed, size)
    texts = dict(library.documents)
    assert len(library.documents) == size == len(texts)
    step = max(len(library.questions) // 500, 1)
    for question in library.questions[::step]:
        phrase = re.fullmatch(r"(?:Who|What) is (.*)\?", question.text)
        assert phrase
        answer, used = read(phrase[1], texts)
        assert (answer,) == question.answers
        assert used == [library.documents[number].title for number in question.support]


def test_no_earlier_document_gives_the_answer_away() -> None:
    library = make_world(3, 60)
    names = Names(library.documents)
    for question in library.questions:
        before = [library.documents[number].text for number in question.support[:-1]]
        told = [*names.mentioned(question.text), *names.mentioned("; ".join(before)), *re.findall(r"\d+", str(before))]
        assert not set(question.answers) & set(told)


def test_each_document_names_the_next() -> None:
    library = make_world(2, 80)
    names = Names(library.documents)
    for question in library.questions:
        titles = [library.documents[number].title for number in question.support]
        assert titles[0] in names.mentioned(question.text)
        for number, following in zip(question.support, titles[1:], strict=False):
            assert following in names.mentioned(library.documents[number].text)
        assert 2 <= len(titles) <= MAX_HOPS


def test_dates_fit_together() -> None:
    texts = dict(make_world(5, 300).documents)
    born = {
        title: int(year) for title, text in texts.items() for year in re.findall(r", .* was born in \w+ in (\d+)", text)
    }
    assert len(born) > 90
    for title, text in texts.items():
        for author, year in re.findall(r"by (.+?)\. It appeared in (\d+)", text):
            assert 20 <= int(year) - born[author] < 60
        for teacher in re.findall(r"The teacher of .+ was (.+)\.", text):
            assert 15 <= born[title] - born[teacher] <= 50
        for capital in re.findall(r"Its capital is (\w+)\.", text):
            assert f"in the region of {title}." in texts[capital]


def test_the_same_seed_is_the_same_world() -> None:
    assert make_world(4, 50) == make_world.__wrapped__(4, 50)
    assert make_world(4, 50).documents != make_world(5, 50).documents
    assert len({question.id for question in make_world(4, 50).questions}) == len(make_world(4, 50).questions)
