r"""`analyse`: a text as the terms that are indexed and searched, as Lucene's analyser for English makes them.

Words and pictographs are found by the rules of Unicode's annex 29, the possessive ``'s`` is dropped, letters are made
small, stop words are left out, and the rest is stemmed.
"""

from __future__ import annotations

from functools import lru_cache

import regex

from agentgym_critic.envs.webshop.search.porter import stem

__all__ = ["STOP_WORDS", "analyse"]

STOP_WORDS = frozenset(
    ("a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not", "of",
     "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with")
)  # fmt: skip
"""Words that are neither indexed nor searched."""

LONGEST = 255
"""Characters of a term; a longer word is several."""

_MARKS = r"[\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}]*"
_LETTER = rf"[\p{{WB=ALetter}}\p{{WB=Hebrew_Letter}}]{_MARKS}"
_DIGIT = rf"\p{{WB=Numeric}}{_MARKS}"
_KATAKANA = rf"\p{{WB=Katakana}}{_MARKS}"
_JOINER = rf"\p{{WB=ExtendNumLet}}{_MARKS}"
_IN_WORD = rf"[\p{{WB=MidLetter}}\p{{WB=MidNumLet}}\p{{WB=Single_Quote}}]{_MARKS}"
_IN_NUMBER = rf"[\p{{WB=MidNum}}\p{{WB=MidNumLet}}\p{{WB=Single_Quote}}]{_MARKS}"
_PART = rf"(?:{_LETTER}(?:{_IN_WORD}(?={_LETTER}))?|{_DIGIT}(?:{_IN_NUMBER}(?={_DIGIT}))?)"
_PICTURE = r"\p{Extended_Pictographic}[\p{WB=Extend}\p{WB=ZWJ}]*+"
_PICTURES = rf"{_PICTURE}(?:(?<=\u200d){_PICTURE})*+|\p{{Regional_Indicator}}{{2}}"

_WORD = regex.compile(
    rf"(?:{_JOINER})*+{_PART}(?:{_PART}|{_JOINER})*+|(?:{_JOINER})*+{_KATAKANA}(?:{_KATAKANA}|{_JOINER})*+"
    rf"|[\p{{Han}}\p{{Hiragana}}]{_MARKS}|\p{{LB=Complex_Context}}++|{_PICTURES}"
)


def analyse(text: str) -> list[str]:
    """The terms of a text, in its order, with repeats.

    >>> analyse("The Men's 2.5-inch running shoes")
    ['men', '2.5', 'inch', 'run', 'shoe']
    """
    return [term for word in _WORD.findall(text) for term in _terms(word)]


@lru_cache(maxsize=200_000)
def _terms(word: str) -> tuple[str, ...]:
    pieces = [word[start : start + LONGEST] for start in range(0, len(word), LONGEST)]
    plain = (_without_possessive(piece).lower() for piece in pieces)
    return tuple(stem(word) for word in plain if word not in STOP_WORDS)


def _without_possessive(word: str) -> str:
    return word[:-2] if len(word) > 2 and word[-1] in "sS" and word[-2] in "'\u2019\uff07" else word
