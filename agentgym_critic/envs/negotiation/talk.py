"""What is said at the table: acts, read from text, and what a list of them has come to. Knows no strategy."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["LONGEST_MESSAGE", "Act", "agreed", "ended", "offers_of", "read_act", "standing"]

LONGEST_MESSAGE = 280
"""Characters of a message."""

_ACT = re.compile(r"(?:(offer) ([1-9][0-9]{0,5})|(accept|reject|walk away))(?:: *(.+))?", re.ASCII)


class Act(NamedTuple):
    """What a side does on its turn."""

    side: int
    kind: str
    """``"offer"``, ``"accept"``, ``"reject"`` or ``"walk away"``."""
    price: int = 0
    """Of an offer."""
    message: str = ""


def read_act(side: int, text: str) -> Act | None:
    """The act that a text means; None if it means none.

    >>> read_act(0, "offer 40: it is scratched")
    Act(side=0, kind='offer', price=40, message='it is scratched')
    """
    match = _ACT.fullmatch(text)
    if not match:
        return None
    offer, price, other, message = match.groups()
    return Act(side, offer or other, int(price or 0), message or "")


def standing(acts: tuple[Act, ...]) -> int | None:
    """The price that the side whose turn it is may accept: offered in the last act."""
    return acts[-1].price if acts and acts[-1].kind == "offer" else None


def agreed(acts: tuple[Act, ...]) -> int | None:
    """The price of the deal; None without one."""
    return acts[-2].price if acts and acts[-1].kind == "accept" else None


def ended(acts: tuple[Act, ...], rounds: int) -> bool:
    """Whether there is a deal, a side has left, or both have had all their turns."""
    return len(acts) >= 2 * rounds or (bool(acts) and acts[-1].kind in ("accept", "walk away"))


def offers_of(acts: tuple[Act, ...], side: int) -> list[int]:
    """The prices that a side has offered, in their order."""
    return [act.price for act in acts if act.side == side and act.kind == "offer"]
