"""Terms as Lucene 8.7 was seen to make them; each case has its reason."""

from __future__ import annotations

import pytest

from agentgym_critic.envs.webshop.search.analyser import analyse

TONE, JOINER, SHOWN, CAP = "\U0001f3fd", "\u200d", "\ufe0f", "\u20e3"
WOMAN, LAPTOP, STAR, HEART = "\U0001f469", "\U0001f4bb", "\u2605", "\u2764"


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The Men's SHIRTS", ["men", "shirt"]),
        ("8\u2033 O\u2019Neil\u2019s x-large", ["8", "o\u2019neil", "x", "larg"]),
        ("1,000.50 a.b.c foo_bar", ["1,000.50", "a.b.c", "foo_bar"]),
        ("35%cotton,60%polyester", ["35", "cotton", "60", "polyest"]),
        ("\u2764\u2764 caf\u00e9 \u65e5\u672c", ["\u2764", "\u2764", "caf\u00e9", "\u65e5", "\u672c"]),
        ("a" * 300, ["a" * 255, "a" * 45]),
        ("to be or not to be", []),
    ],
)
def test_terms(text: str, terms: list[str]) -> None:
    assert analyse(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("9;10 9;b", ["9;10", "9", "b"]),  # a semicolon joins digits only
        ("c:b 1:2 1,2 c,b", ["c:b", "1", "2", "1,2", "c", "b"]),  # a colon joins letters only, a comma digits only
        ("rock 'n' roll's 's", ["rock", "n", "roll", "s"]),  # quotes around a word are no part of it
        ("kids\uff07s", ["kid"]),  # the wide apostrophe is one too
        ("_ _a_ __", ["_a_"]),  # underscores join words but are none
        ("\u30ab\u30bf_1 \u30abb", ["\u30ab\u30bf_1", "\u30ab", "b"]),  # Katakana joins others across underscores only
        ("\u05d0'\u05d1 \u05d2' \u05d0\"\u05d1", ["\u05d0'\u05d1", "\u05d2'", '\u05d0"\u05d1']),  # quotes in Hebrew
        ("\u0e44\u0e17\u0e22", ["\u0e44\u0e17\u0e22"]),  # scripts without spaces stay together
        ("\xb8 \u02c2", []),  # accents alone are no letters
    ],
)
def test_words(text: str, terms: list[str]) -> None:
    assert analyse(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        (STAR + "\u261e\u266c", [STAR, "\u261e", "\u266c"]),  # no pictographs any more for later Unicode
        ("pan\xae\u2122", ["pan", "\xae", "\u2122"]),
        (HEART + SHOWN + HEART, [HEART + SHOWN, HEART]),
        (WOMAN + TONE + JOINER + LAPTOP, [WOMAN + TONE + JOINER + LAPTOP]),
        (STAR + TONE, [STAR, TONE]),  # a star has no skin
        (TONE + TONE, [TONE, TONE]),
        ("#" + SHOWN + CAP + "1" + SHOWN + CAP + "#", ["#" + SHOWN + CAP, "1" + SHOWN + CAP]),
        ("\U0001f1fa\U0001f1f8\U0001f1e9", ["\U0001f1fa\U0001f1f8"]),  # half a flag is none
        ("a" + JOINER + WOMAN, ["a" + JOINER, WOMAN]),
    ],
)
def test_pictographs(text: str, terms: list[str]) -> None:
    assert analyse(text) == terms


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("a" * 254 + "'s", [254, 1]),  # only 255 characters are looked at together: the quote ends the first word
        ("\U0001d400" * 200, [127, 73]),  # characters outside the basic plane are two
        ("a" * 250 + "\u0301" * 20, [255]),  # marks alone are no word
        ("a" * 510 + "the", [255, 255]),  # what is cut off can be a stop word
    ],
)
def test_long_words(text: str, lengths: list[int]) -> None:
    assert [len(term) for term in analyse(text)] == lengths


@pytest.mark.parametrize(
    "part", ["_", "a_", "'", "1,", "'_", "\u200d", "\u200d'", "\u0301_", "#'", "\U0001f1fa\u0301", "\u05d0'"]
)
def test_the_time_grows_with_the_length(part: str) -> None:
    """Steps that grew with its square would take many minutes."""
    assert len(analyse(part * 100_000 + " lamp")) >= 1


def test_plain_words_are_found_as_others_are() -> None:
    """The short cut for words of ASCII letters, against the same words with a mark that switches it off."""
    for gap in map(chr, range(32, 127)):
        for before, after in (("ab", "cd"), ("12", "34"), ("ab", "12"), ("12", "ab")):
            text = f"{before}{gap}{after}"
            marked = f"{before}\u0301{gap}{after}\u0301"
            assert analyse(text) == [term.replace("\u0301", "") for term in analyse(marked)], text
