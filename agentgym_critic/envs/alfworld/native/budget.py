"""`Budget`: how much of something one game may take, so that no small file hangs or fills the machine.

What is counted stands beside each budget, with its limit: about a hundred times what the largest
game of this family takes. Counts, unlike seconds, come out the same on every machine.
"""

from __future__ import annotations

from agentgym_critic.errors import EnvError

__all__ = ["Budget", "check_size"]


class Budget:
    """Counts something over many calls.

    Args:
        what: is counted, for the error.
        most: allowed.
    """

    __slots__ = ("most", "spent", "what")

    def __init__(self, what: str, most: int) -> None:
        self.what, self.most = what, most
        self.spent = 0

    def spend(self, amount: int = 1) -> None:
        """Count `amount` more, before it is made.

        Raises:
            EnvError: that is too much.
        """
        self.spent += amount
        if self.spent > self.most:
            check_size(self.what, self.spent, self.most)


def check_size(what: str, seen: int, most: int) -> None:
    """Refuse what is too large.

    Raises:
        EnvError: `seen` is more than `most`.
    """
    if seen > most:
        raise EnvError(f"the game is too large: {what}: {seen:,} or more, where at most {most:,} are taken")
