"""Show a turn, an episode and recalled experiences to a language model.

What a turn's candidates share comes first (task, steps so far, what is seen now), and what
differs comes last (experiences, the proposed action), so that a model that keeps its prefix
cache reads the shared part once. A step is written the same way whether it is the latest or
long past, so that the cache also serves the next turn of the episode. Advice and rejected
proposals are left out: the same action in the same situation gets the same judgement.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentgym_critic.critics.templates import template
from agentgym_critic.errors import ConfigError
from agentgym_critic.lm.base import Message, user
from agentgym_critic.prompts import fill, fingerprint, quote
from agentgym_critic.types import Action, Exchange, Experience, Record, Step, Trajectory, Turn

__all__ = ["ENDINGS", "JudgePrompt", "review_prompt", "split_by_polarity", "steps_done"]


class JudgePrompt(Record, frozen=True):
    """Asks a question about one proposed action."""

    question: str
    """Name of the packaged prompt that asks it."""
    recall_k: int = 0
    """How many productive, and as many unproductive, experiences to show."""
    history_steps: int | None = None
    """Show only this many of the latest steps; None for all."""
    show_admissible: bool = False
    """Also list the legal actions, where they are known."""

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense."""
        if self.recall_k < 0:
            raise ConfigError(f"recall_k is a number of experiences from 0, got {self.recall_k}")
        if self.history_steps is not None and self.history_steps < 0:
            raise ConfigError(f"history_steps is a number of steps from 0, or None for all; got {self.history_steps}")

    @property
    def fingerprint(self) -> str:
        """Changes whenever the prompt for the same input does."""
        return fingerprint(self, template("judge"), template(self.question))

    def shown(self, experiences: Sequence[Experience]) -> list[Experience]:
        """The experiences the prompt will show, productive ones first."""
        good, bad = split_by_polarity(experiences)
        return [*good[: self.recall_k], *bad[: self.recall_k]]

    def messages(self, turn: Turn, action: Action, experiences: Sequence[Experience] = ()) -> list[Message]:
        """The chat that asks about `action`."""
        text = fill(
            template("judge"),
            task=quote(turn.task),
            steps=self._steps(turn),
            memory=_memory(self.shown(experiences)) if self.recall_k else "",
            action=quote(action.text),
            question=template(self.question),
        )
        return [user(text)]

    def _steps(self, turn: Turn) -> str:
        skipped = 0 if self.history_steps is None else max(0, len(turn.history) - self.history_steps)
        past = [_exchange(number, it) for number, it in enumerate(turn.history[skipped:], start=skipped + 1)]
        now = _seen(len(turn.history) + 1, turn.observation)
        legal = _legal(turn.admissible_actions) if self.show_admissible and turn.admissible_actions else ""
        return "".join([*past, now, legal])


def review_prompt(trajectory: Trajectory, steps: Sequence[Step]) -> list[Message]:
    """The chat that asks for a label of each of `steps`, consecutive steps of `trajectory`."""
    text = fill(
        template("review"),
        task=quote(trajectory.task),
        ending=f"{ENDINGS[trajectory.end]} Total reward {trajectory.episode_return:g}.",
        steps=steps_done(steps),
        first=str(steps[0].index + 1),
        last=str(steps[-1].index + 1),
    )
    return [user(text)]


ENDINGS = {
    "success": "the task was finished.",
    "failure": "the task failed for good.",
    "step_limit": "out of steps, the task unfinished.",
    "context": "cut off, the task unfinished.",
    "stopped": "stopped early, the task unfinished.",
}


def split_by_polarity(experiences: Sequence[Experience]) -> tuple[list[Experience], list[Experience]]:
    """Productive and unproductive experiences, each in the given order."""
    good = [experience for experience in experiences if experience.polarity == "productive"]
    bad = [experience for experience in experiences if experience.polarity == "unproductive"]
    return good, bad


def _seen(number: int, observation: str) -> str:
    return f"Step {number}, seen:\n{quote(observation)}\n"


def _exchange(number: int, past: Exchange) -> str:
    refused = " (refused)" if past.invalid_reason else ""
    return f"{_seen(number, past.observation)}done{refused}:\n{quote(past.action)}\n"


def _legal(actions: Sequence[str]) -> str:
    return "possible:\n" + "\n".join(map(quote, actions)) + "\n"


def steps_done(steps: Sequence[Step]) -> str:
    """All steps with what came of them; what is seen is written once where it is also the last outcome."""
    before = [None, *(step.next_observation for step in steps)]
    return "".join(_done(step, shown=step.observation == seen) for step, seen in zip(steps, before, strict=False))


def _done(step: Step, shown: bool) -> str:
    number = step.index + 1
    seen = f"Step {number}:\n" if shown else _seen(number, step.observation)
    refused = " (refused)" if step.invalid_action else ""
    reward = f"reward: {step.reward:g}\n" if step.reward else ""
    return f"{seen}done{refused}:\n{quote(step.action.text)}\nthen:\n{quote(step.next_observation)}\n{reward}"


def _memory(experiences: Sequence[Experience]) -> str:
    good, bad = split_by_polarity(experiences)
    return _remembered("productive", good) + _remembered("unproductive", bad)


def _remembered(kind: str, experiences: Sequence[Experience]) -> str:
    if not experiences:
        return ""
    return f"\nSimilar steps of earlier episodes that were {kind}:\n" + "".join(map(_experience, experiences))


def _experience(past: Experience) -> str:
    return f"seen:\n{quote(past.state)}\ndone:\n{quote(past.action)}\nthen:\n{quote(past.outcome)}\n"
