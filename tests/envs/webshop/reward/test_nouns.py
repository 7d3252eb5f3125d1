"""Where nouns come from."""

from __future__ import annotations

import pickle
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import pytest

from agentgym_critic.envs.webshop.reward import nouns
from agentgym_critic.envs.webshop.reward.nouns import SpacyNouns, WordNouns, pick_nouns
from agentgym_critic.errors import MissingExtraError, UnknownIdError


def test_words() -> None:
    assert WordNouns().nouns("The Lamp for your Desk, LAMP of 12") == ("lamp", "desk", "lamp")
    assert WordNouns().nouns("") == WordNouns().nouns("12 & 3.5") == ()


def test_titles_are_remembered_up_to_a_limit() -> None:
    source: Any = WordNouns()
    assert source.nouns("Lamp") is source.nouns("Lamp")
    assert 0 < source.nouns.cache_info().maxsize <= 100_000


def test_picked_sources_are_shared_also_by_copies() -> None:
    words = pick_nouns("words")
    assert words is pick_nouns("words")
    assert pickle.loads(pickle.dumps(words)) is words
    assert pick_nouns().id == (words.id if find_spec("en_core_web_sm") is None else pick_nouns("spacy").id)


def test_no_such_source() -> None:
    with pytest.raises(UnknownIdError, match=r"There is no source of nouns 'spaci'\. Did you mean 'spacy'"):
        pick_nouns("spaci")


def test_spacy_without_its_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nouns, "MODEL", "no_such_model")
    with pytest.raises(MissingExtraError, match="needs spaCy and its model: pip install spacy && python -m spacy down"):
        SpacyNouns()


class Tagger:
    """Stands in for spaCy and its model: capital letters are names, those ending in -s nouns."""

    __version__ = "0"
    meta = {"version": "1", "lang": "en", "name": "stand_in"}

    def load(self, *_: Any, **__: Any) -> Tagger:
        return self

    def __call__(self, title: str) -> list[Any]:
        tags = {True: "PROPN", False: "VERB"}
        return [
            SimpleNamespace(text=word, pos_="NOUN" if word.endswith("s") else tags[word[0].isupper()])
            for word in title.split()
        ]


def test_spacys_nouns_and_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nouns.importlib, "import_module", lambda _: Tagger())
    source = SpacyNouns()
    assert source.nouns("Lamp gives lights Lamp dim") == ("lamp", "gives", "lights", "lamp")
    assert source.id.endswith(" 1")
