r"""`analyse`: a text as the terms that are indexed and searched, as Lucene's analyser for English makes them.

Words and pictographs are found by the rules of Unicode's annex 29, the possessive ``'s`` is dropped, letters are made
small, stop words are left out, and the rest is stemmed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import accumulate

import regex

from agentgym_critic.envs.webshop.search.pictographs import PICTOGRAPHS, TONED, TONES
from agentgym_critic.envs.webshop.search.porter import stem

__all__ = ["STOP_WORDS", "analyse"]

STOP_WORDS = frozenset(
    ("a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not", "of",
     "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with")
)  # fmt: skip
"""Words that are neither indexed nor searched."""

LONGEST = 255
"""UTF-16 units of a term; a longer word is several."""

_MARK = rf"[[\p{{WB=Extend}}\p{{WB=Format}}\p{{WB=ZWJ}}]--{TONES}]"
_MARKS = rf"{_MARK}*+"
_LETTER = rf"[[\p{{WB=ALetter}}\p{{WB=Hebrew_Letter}}]--\p{{Sk}}]{_MARKS}"
_HEBREW = rf"\p{{WB=Hebrew_Letter}}{_MARKS}"
_DIGIT = rf"\p{{WB=Numeric}}{_MARKS}"
_KATAKANA = rf"(?:\p{{WB=Katakana}}{_MARKS})++"
_JOINER = rf"\p{{WB=ExtendNumLet}}{_MARKS}"
_QUOTE = rf"\p{{WB=Single_Quote}}{_MARKS}"
_QUOTES = rf"\p{{WB=Double_Quote}}{_MARKS}(?={_HEBREW})"
_IN_WORD = rf"[\p{{WB=MidLetter}}\p{{WB=MidNumLet}}\p{{WB=Single_Quote}}]{_MARKS}(?={_LETTER})"
_IN_NUMBER = rf"[\p{{WB=MidNum}}\p{{WB=MidNumLet}}\p{{WB=Single_Quote}}]{_MARKS}(?={_DIGIT})"
_PART = rf"(?:{_HEBREW}(?:{_IN_WORD}|{_QUOTE}|{_QUOTES})?|{_LETTER}(?:{_IN_WORD})?|{_DIGIT}(?:{_IN_NUMBER})?)"
_RUN = rf"(?:{_KATAKANA}|{_PART}++)"
_PLAIN_MARKS = rf"(?:(?!\ufe0f){_MARK})*+"
_SHOWN = rf"\ufe0f(?:\u200d(?={PICTOGRAPHS}))?"
_PICTURE = rf"(?:(?:{TONED}{_PLAIN_MARKS})?{TONES}{_PLAIN_MARKS}|{PICTOGRAPHS}{_PLAIN_MARKS}(?:{_SHOWN})?)"
_PICTURES = rf"(?:(?<!\u200d)\u200d++(?!{TONES}))?{_PICTURE}(?:(?<=\u200d){_PICTURE})*+"
_FLAG = rf"(?:\p{{Regional_Indicator}}{_MARKS}){{2}}"
_KEYCAP = rf"[#*]\ufe0f?\u20e3{_PLAIN_MARKS}"

# Most of a text: the rest of the expression takes many times as long.
_GAP = r"[\s!\"$%&()+\-/<=>?@,.:;']"
_PLAIN = r"[A-Za-z0-9]++(?=[.,:;']?(?:[\s!\"#$%&()*+\-/<=>?@]|\Z))"

_WORD = regex.compile(
    rf"(?V1){_GAP}*+({_PLAIN}|(?:{_JOINER})*+{_RUN}(?:(?:{_JOINER})++{_RUN})*+(?:{_JOINER})*+"
    rf"|[\p{{Han}}\p{{Hiragana}}]{_MARKS}|\p{{LB=Complex_Context}}++|{_PICTURES}|{_FLAG}|{_KEYCAP})|{_GAP}++|(?:{_JOINER})++"
)


def analyse(text: str) -> list[str]:
    """The terms of a text, in its order, with repeats.

    >>> analyse("The Men's 2.5-inch running shoes")
    ['men', '2.5', 'inch', 'run', 'shoe']
    """
    return [term for word in _WORD.findall(text) if word for piece in _pieces(word) for term in _terms(piece)]


def _pieces(word: str) -> Iterable[str]:
    """The word, or what is found of a long one when only `LONGEST` characters are looked at together."""
    return (word,) if len(word) <= LONGEST // 2 else _cut(word)


def _cut(word: str) -> Iterator[str]:
    start = 0
    while start < len(word):
        head = word[start : start + LONGEST]
        units = list(accumulate(1 + (letter > "\uffff") for letter in head))
        head = head[: bisect_right(units, LONGEST)]
        found = _WORD.search(head)
        if found and found[1]:
            yield found[1]
        start += found.end() if found else len(head)


@lru_cache(maxsize=200_000)
def _terms(word: str) -> tuple[str, ...]:
    """What becomes of a word: its stem, or nothing."""
    plain = _without_possessive(word).lower()
    return () if plain in STOP_WORDS else (stem(plain),)


def _without_possessive(word: str) -> str:
    return word[:-2] if len(word) > 2 and word[-1] in "sS" and word[-2] in "'\u2019\uff07" else word
