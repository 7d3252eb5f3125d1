"""What a reviewed trajectory teaches: its decided steps, as the memory bank stores and exports them.

Knows no database. Experiences are duplicates when their tidied texts are equal, and only tidied
texts are stored, so that nothing depends on which duplicate came first.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import Annotated

from msgspec import Meta

from agentgym_critic.types import LARGEST, Polarity, Record, Step, Trajectory, clean_text

__all__ = ["LESSON_VERSION", "Lesson", "Sighting", "content_key", "lesson_of", "tidy"]

LESSON_VERSION = 1
"""Version of the exported layout, written into every line."""

_MAX_POSITION = LARGEST
_MIN_POSITION = -LARGEST


@lru_cache(maxsize=8192)
def tidy(text: str) -> str:
    r"""The text as it is stored: no trailing blanks, no blank first and last lines, valid UTF-8.

    Blanks inside a line stay: in a map drawn with characters they are places.

    >>> tidy("\n ab  c \r\n d\n\n")
    ' ab  c\n d'
    """
    lines = [line.rstrip() for line in clean_text(text).splitlines()]
    return "\n".join(lines).strip("\n")


def content_key(*parts: str) -> int:
    """A signed 64-bit hash of some texts, the same in every process."""
    digest = blake2b("\0".join(parts).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


class Sighting(Record, frozen=True):
    """One judged step."""

    step: Annotated[int, Meta(ge=0, le=_MAX_POSITION)]
    env_id: str
    task: str
    state: str
    action: str
    outcome: str
    p: Annotated[float, Meta(ge=0.0, le=1.0)]

    def __post_init__(self) -> None:
        """Refuse an undecided step; ValueError, which a JSON decoder reports with the place."""
        if self.p == 0.5:
            raise ValueError("p = 0.5 is undecided and teaches nothing")

    @property
    def polarity(self) -> Polarity:
        """Which way the step points."""
        return "productive" if self.p > 0.5 else "unproductive"

    @property
    def texts(self) -> tuple[str, str, str, str]:
        """Task, state, action and outcome as they are stored."""
        return tidy(self.task), tidy(self.state), tidy(self.action), tidy(self.outcome)

    @property
    def key(self) -> int:
        """What identifies the experience: equal for duplicates."""
        return content_key(clean_text(self.env_id), *self.texts, self.polarity)


class Lesson(Record, frozen=True):
    """What one trajectory teaches; perhaps nothing."""

    trajectory: str
    position: Annotated[int, Meta(ge=_MIN_POSITION, le=_MAX_POSITION)]
    sightings: tuple[Sighting, ...] = ()
    schema_version: int = LESSON_VERSION

    def __post_init__(self) -> None:
        """Refuse two judgements of one step."""
        steps = [sighting.step for sighting in self.sightings]
        if len(set(steps)) != len(steps):
            raise ValueError("a step is judged twice")


def lesson_of(trajectory: Trajectory) -> Lesson:
    """The steps of a trajectory whose hindsight verdict is scored and decided."""
    sightings = (_sighting(trajectory, number, step) for number, step in enumerate(trajectory.steps))
    return Lesson(
        trajectory=trajectory.id,
        position=trajectory.stream_position,
        sightings=tuple(sighting for sighting in sightings if sighting),
    )


def _sighting(trajectory: Trajectory, number: int, step: Step) -> Sighting | None:
    verdict = step.hindsight
    if verdict is None or verdict.p is None or verdict.label is None:
        return None
    return Sighting(
        step=number,
        env_id=trajectory.env_id,
        task=trajectory.task,
        state=step.observation,
        action=step.action.text,
        outcome=step.next_observation,
        p=verdict.p,
    )
