"""`TaxiEnv`: Gymnasium's Taxi in words."""

from __future__ import annotations

from typing import Any

from gymnasium.envs.toy_text import taxi as original

from agentgym_critic.envs.adapter import AdaptedEnv, Table, copy_shallow
from agentgym_critic.envs.ranges import probability
from agentgym_critic.envs.toytext.grid import picture, place
from agentgym_critic.errors import ConfigError

__all__ = ["TaxiEnv", "fickle_table"]

ACTIONS = ("south", "north", "east", "west", "pick up", "drop off")
"""In Gymnasium's order."""

STOPS = ("R", "G", "Y", "B")
"""The letters of the stops on the map, in Gymnasium's order."""

ABOARD = 4
"""Where the passenger is while in the taxi."""

LEAST_RAINY = 0.01
"""Below it some drives take so long that their expected length cannot be computed; at 0 they never end."""

REFUSED = -10
"""The reward of a pick-up or drop-off that is not possible."""


class TaxiEnv(AdaptedEnv):
    """Drive a taxi to a passenger and the passenger to where they want to go.

    Rewards are Gymnasium's: -1 a step, 20 for the drop-off that completes the task, -10 for
    picking up or dropping off where that is not possible.

    Args:
        is_rainy: whether a drive may go to one side of where it should.
        rainy_probability: probability that in the rain it goes where it should, 0.01 or more.
        fickle_passenger: whether the passenger may choose another destination on the way.
        fickle_probability: probability that a passenger is of that kind.
        max_steps: steps until the episode is truncated; None for no limit.
        render_mode: ``"ansi"`` or None.

    Raises:
        ConfigError: a setting is refused.
    """

    def __init__(
        self,
        *,
        is_rainy: bool = False,
        rainy_probability: float = 0.8,
        fickle_passenger: bool = False,
        fickle_probability: float = 0.3,
        max_steps: int | None = 200,
        render_mode: str | None = None,
    ) -> None:
        probability("fickle_probability", fickle_probability)
        if probability("rainy_probability", rainy_probability) < LEAST_RAINY:
            raise ConfigError(
                f"rainy_probability is at least {LEAST_RAINY}, since a taxi that hardly ever goes where it should may "
                f"never arrive; got {rainy_probability!r}"
            )
        self._variant = (
            f" with is_rainy={bool(is_rainy)}, rainy_probability={rainy_probability}, "
            f"fickle_passenger={bool(fickle_passenger)} and fickle_probability={fickle_probability}"
        )
        self._fickle: Table | None = None
        super().__init__(
            original.TaxiEnv(
                is_rainy=bool(is_rainy),
                rainy_probability=rainy_probability,
                fickle_passenger=bool(fickle_passenger),
                fickle_probability=fickle_probability,
            ),
            _describe,
            ACTIONS,
            task=_goal(bool(is_rainy), rainy_probability, bool(fickle_passenger)),
            task_id=_task_id,
            success=_delivered,
            state=_state,
            copy=copy_shallow,
            max_steps=max_steps,
            render_mode=render_mode,
        )

    def _view(self) -> str:
        refused = self._reward == REFUSED
        last = ACTIONS[self.inner.lastaction] if refused else ""
        return f"{f'You cannot {last} here. ' if refused else ''}{super()._view()}"

    def _table(self) -> Table | None:
        if not self.inner.fickle_passenger:
            return super()._table()
        if self._fickle is None:
            self._fickle = fickle_table(self.inner)
        return self._fickle

    def _table_state(self) -> Any:
        state = int(self.inner.s)
        return (state, bool(self.inner.fickle_step)) if self.inner.fickle_passenger else state


def fickle_table(env: Any) -> Table:
    """The transitions with a passenger who may be fickle, which Gymnasium's own table leaves out.

    A state is a pair: Gymnasium's, and whether the passenger is about to choose anew. They do so
    once, on the first step that moves the taxi with them in it: each other destination is as likely.
    """
    table: dict[Any, dict[int, list[Any]]] = {}
    for state, actions in env.P.items():
        for about_to in (False, True):
            table[state, about_to] = {
                action: [
                    (chance * share, after, reward, bool(end))
                    for chance, following, reward, end in outcomes
                    for share, after in _choices(env, state, int(following), about_to)
                ]
                for action, outcomes in actions.items()
            }
    return table


def _choices(env: Any, state: int, following: int, about_to: bool) -> list[tuple[float, Any]]:
    row, col, passenger, wanted = env.decode(state)
    new_row, new_col, new_passenger, _ = env.decode(following)
    if not about_to or passenger != ABOARD or (row, col) == (new_row, new_col):
        return [(1.0, (following, about_to))]
    others = [stop for stop in range(len(STOPS)) if stop != wanted]
    return [(1 / len(others), (env.encode(new_row, new_col, new_passenger, stop), False)) for stop in others]


def _describe(env: Any, state: Any) -> str:
    row, col, passenger, wanted = env.decode(int(state))
    stop = f"{STOPS[wanted]} ({place(*env.locs[wanted])})"
    if passenger == ABOARD:
        who = f"The passenger is in the taxi and wants to go to {stop}."
    elif passenger == wanted:
        who = f"The passenger has arrived at {stop}."
    else:
        who = f"The passenger waits at {STOPS[passenger]} ({place(*env.locs[passenger])}) and wants to go to {stop}."
    rows = [line.decode() for line in (b"".join(letters) for letters in env.desc.tolist())]
    closed = ", ".join(_closed(env, row, col))
    return (
        f"Your taxi is at {place(row, col)}{f'; the way is closed to the {closed}' if closed else ''}. {who}\n"
        f"{picture(rows, row + 1, 2 * col + 1)}"
    )


def _closed(env: Any, row: int, col: int) -> list[str]:
    """The directions in which a wall, or the edge, is next to the taxi."""
    ways = {
        "south": row == env.max_row,
        "north": row == 0,
        "east": env.desc[row + 1, 2 * col + 2] != b":",
        "west": env.desc[row + 1, 2 * col] != b":",
    }
    return [way for way, closed in ways.items() if closed]


def _goal(is_rainy: bool, rainy_probability: float, fickle: bool) -> str:
    rain = f"It rains: a drive goes where you want with probability {rainy_probability:.2f}, else to one side of that. "
    mind = "The passenger may change their mind about the destination on the way. "
    return (
        "Drive to the passenger, pick them up, and drop them off at their destination, in as few steps as you can. You "
        "drive south, north, east or west. Picking up or dropping off where that is not possible is costly. "
        f"{rain if is_rainy else ''}{mind if fickle else ''}"
        "On the map | is a wall, : an open way, R, G, Y and B are stops, @ is you."
    )


def _task_id(env: Any) -> str:
    row, col, passenger, wanted = env.decode(int(env.s))
    return f"taxi-{row + 1}{col + 1}-{STOPS[passenger]}-{STOPS[wanted]}"


def _delivered(env: Any, state: Any, reward: float) -> bool:
    return True  # a task ends in no other way


def _state(env: Any) -> object:
    return int(env.s), bool(env.fickle_step)
