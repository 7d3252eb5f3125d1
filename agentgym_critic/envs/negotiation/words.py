"""What is read at the table: the task of a side, and the talk so far."""

from __future__ import annotations

from agentgym_critic.envs.negotiation.case import Case
from agentgym_critic.envs.negotiation.talk import LONGEST_MESSAGE, Act, agreed, ended

__all__ = ["task", "transcript"]


def task(case: Case, side: int, rounds: int, messages: bool) -> str:
    """The goal and the rules, for a side that knows its own limit only."""
    sells = side == case.seller
    role, other = _role(case, side), _role(case, 1 - side)
    limit = f"worth {case.cost} to you" if sells else f"worth {case.limit} to you"
    better = "higher" if sells else "lower"
    said = f" A message of up to {LONGEST_MESSAGE} characters may follow after a colon." if messages else ""
    return (
        f"You are the {role} of a {case.thing}, which is {limit}; the {other} does not know that. Agree with the "
        f"{other} on a price that is {better}, the {better} the better. Each side has {rounds} turns; without a deal "
        f"nobody gains. Prices are whole numbers from 1 to {case.ceiling}. Say: offer <price>; accept (the {other}'s "
        f"last offer); reject (without an offer of your own); walk away (ends the talk without a deal).{said}"
    )


def transcript(case: Case, side: int, acts: tuple[Act, ...], rounds: int) -> str:
    """All that has been said, as a side remembers it, and what comes next."""
    said = [_line(case, side, act) for act in acts]
    return "\n".join([*said, _next(case, side, acts, rounds)])


def _line(case: Case, side: int, act: Act) -> str:
    who = "You" if act.side == side else f"The {_role(case, act.side)}"
    what = {
        "offer": f"offered {act.price}",
        "accept": "accepted",
        "reject": "rejected the offer",
        "walk away": "walked away",
    }
    words = f': "{act.message}"' if act.message else "."
    return f"{who} {what[act.kind]}{words}"


def _next(case: Case, side: int, acts: tuple[Act, ...], rounds: int) -> str:
    if (price := agreed(acts)) is not None:
        return f"The {case.thing} is sold for {price}."
    if ended(acts, rounds):
        return "The talk is over without a deal."
    turn = len(acts) // 2 + 1
    opens = "; you open the talk" if not acts else ""
    return f"It is your turn {turn} of {rounds}{opens}."


def _role(case: Case, side: int) -> str:
    return "seller" if side == case.seller else "buyer"
