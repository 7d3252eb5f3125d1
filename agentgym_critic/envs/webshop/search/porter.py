"""`stem`: the stem of an English word by Porter's algorithm, as Lucene has it.

M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, with the two departures that its
author published later (``bli`` to ``ble``, ``logi`` to ``log``). Letters other than vowels, digits and signs
included, count as consonants, and any doubled one but l, s and z is made single.
"""

from __future__ import annotations

from itertools import pairwise

__all__ = ["stem"]

STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"), ("logi", "log"),
)  # fmt: skip
STEP_3 = (("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""))
STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
)  # fmt: skip


def stem(word: str) -> str:
    """The stem of a lowercase word; one of up to two letters is its own.

    >>> [stem(word) for word in ("ponies", "trekking", "possibly", "technology", "rational")]
    ['poni', 'trek', 'possibl', 'technolog', 'ration']
    """
    if len(word) < 3:
        return word
    word = _y_to_i(_past(_plural(word)))
    return _last(_step_4(_replaced(_replaced(word, STEP_2), STEP_3)))


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            root = word[: -len(ending)]
            return _restored(root) if _has_vowel(root) else word
    return word


def _restored(root: str) -> str:
    if root.endswith(("at", "bl", "iz")):
        return root + "e"
    if _ends_double(root):
        return root if root[-1] in "lsz" else root[:-1]
    return root + "e" if _measure(root) == 1 and _ends_short(root) else root


def _y_to_i(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and _has_vowel(word[:-1]) else word


def _replaced(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    """With the first ending that fits replaced, if what is before it is long enough."""
    for ending, new in endings:
        if word.endswith(ending):
            root = word[: -len(ending)]
            return root + new if _measure(root) else word
    return word


def _step_4(word: str) -> str:
    for ending in STEP_4:
        if word.endswith(ending):
            root = word[: -len(ending)]
            if ending == "ion" and not root.endswith(("s", "t")):
                return word
            return root if _measure(root) > 1 else word
    return word


def _last(word: str) -> str:
    if word.endswith("e"):
        root, measure = word[:-1], _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _ends_short(root)):
            word = root
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


def _consonants(word: str) -> list[bool]:
    """For each letter whether it is a consonant."""
    found: list[bool] = []
    for letter in word:
        found.append(not (found and found[-1]) if letter == "y" else letter not in "aeiou")
    return found


def _measure(word: str) -> int:
    """How often a consonant follows a vowel."""
    kinds = _consonants(word)
    return sum(one < other for one, other in pairwise(kinds))


def _has_vowel(word: str) -> bool:
    return not all(_consonants(word))


def _ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _consonants(word)[-1]


def _ends_short(word: str) -> bool:
    """Whether it ends in consonant, vowel, consonant, the last not w, x or y."""
    return len(word) > 2 and _consonants(word)[-3:] == [True, False, True] and word[-1] not in "wxy"
