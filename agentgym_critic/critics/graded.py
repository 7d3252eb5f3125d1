"""`GradedCritic`: contribution, feasibility, efficiency, a grade, a revision.

The five fields of the critiques of CGI (arXiv 2503.16024).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Literal, get_args

import msgspec

from agentgym_critic.critics.question import Opinion, QuestionCritic
from agentgym_critic.critics.reply import read_object
from agentgym_critic.errors import ConfigError
from agentgym_critic.lm.base import LanguageModel

__all__ = ["GRADE_P", "Grade", "GradedCritic"]

Grade = Literal["Excellent", "Good", "Neutral", "Poor", "Very Poor"]

GRADE_P: dict[str, float] = {"Excellent": 0.95, "Good": 0.75, "Neutral": 0.5, "Poor": 0.25, "Very Poor": 0.05}
"""Which p a grade becomes; chosen by hand, not measured and not published."""


class GradedCritic(QuestionCritic):
    """A model that discriminates by three texts and a grade, and suggests a revision; p is what the grade is worth.

    Args:
        lm: generates.
        grade_p: the p of each of the five grades, falling from Excellent to Very Poor; None for `GRADE_P`.
        recall_k: how many productive, and as many unproductive, experiences to show it.
        max_tokens: longest reply.
        temperature: 0 is greedy.
        seed: of the sampling.
        retries: how often an unreadable reply is sent back.
        history_steps: show only this many of the latest steps; None for all.
        show_admissible: also list the legal actions, which the revision is chosen from.

    Raises:
        ConfigError: a setting is out of range, or `grade_p` is another mapping.
    """

    id = "graded"

    def __init__(
        self,
        lm: LanguageModel,
        *,
        grade_p: Mapping[str, float] | None = None,
        recall_k: int = 0,
        max_tokens: int = 400,
        temperature: float = 0.0,
        seed: int = 0,
        retries: int = 1,
        history_steps: int | None = None,
        show_admissible: bool = True,
    ) -> None:
        super().__init__(
            lm,
            "graded",
            recall_k=recall_k,
            max_tokens=max_tokens,
            temperature=temperature,
            seed=seed,
            retries=retries,
            history_steps=history_steps,
            show_admissible=show_admissible,
        )
        self._grade_p = _checked(GRADE_P if grade_p is None else grade_p)

    def _meaning(self) -> object:
        return sorted(self._grade_p.items())

    def _read(self, reply: str) -> Opinion:
        said = read_object(reply, "grade", _Discrimination)
        return Opinion(self._grade_p[said.grade], said.text, said.revision)


class _Discrimination(msgspec.Struct, frozen=True, kw_only=True):
    contribution: str
    feasibility: str
    efficiency: str
    grade: Grade
    revision: str = ""

    @property
    def text(self) -> str:
        return (
            f"Contribution: {self.contribution.strip()}\nFeasibility: {self.feasibility.strip()}\n"
            f"Efficiency: {self.efficiency.strip()}\nGrade: {self.grade}"
        )


def _checked(grade_p: Mapping[str, float]) -> dict[str, float]:
    """The mapping, in the order of the grades."""
    worth = [grade_p.get(grade, -1.0) for grade in get_args(Grade)]
    falling = all(better >= worse for better, worse in pairwise(worth))
    if len(grade_p) != len(worth) or not falling or not all(0 <= p <= 1 for p in worth):
        raise ConfigError(
            f"grade_p gives each of {', '.join(get_args(Grade))} a p in [0, 1], none above a better grade's; "
            f"got {dict(grade_p)}"
        )
    return dict(zip(get_args(Grade), worth, strict=True))
