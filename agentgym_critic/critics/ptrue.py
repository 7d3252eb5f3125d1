"""P(productive): how likely a language model finds one of two answers as its next word.

Needs a model that can score (`LanguageModel.score`); generates nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from agentgym_critic.critics.safe import failure_class, failure_detail
from agentgym_critic.critics.scene import JudgePrompt
from agentgym_critic.errors import ConfigError, LMError, OutOfRangeError
from agentgym_critic.lm.base import LanguageModel, ScoredText
from agentgym_critic.lm.meter import MeteredLM
from agentgym_critic.prompts import fingerprint
from agentgym_critic.types import Action, Experience, Turn, Verdict

__all__ = ["PTrueCritic", "bank_ptrue", "p_of_first"]


class PTrueCritic:
    """Judges by the model's probability of "productive" over "unproductive" as the next word.

    ``p = exp(a) / (exp(a) + exp(b))``, where ``a`` and ``b`` are the log-probabilities of the two
    answers at the first token in which they differ: up to there they share all tokens, so both
    are next-token probabilities after the same text. This is P(True) of Kadavath et al. 2022
    (arXiv 2207.05221, section 3) with other words.

    Args:
        lm: scores; an error of its own leaves the one action unscored.
        recall_k: how many productive, and as many unproductive, experiences to show it.
        answers: the words for productive and unproductive that the question asks for, or how they
            begin: a server that scores single tokens only may need ``("productive", "un")``.
        history_steps: show only this many of the latest steps; None for all.
        show_admissible: also list the legal actions.
    """

    id = "ptrue"

    def __init__(
        self,
        lm: LanguageModel,
        recall_k: int = 0,
        *,
        answers: tuple[str, str] = ("productive", "unproductive"),
        history_steps: int | None = None,
        show_admissible: bool = False,
    ) -> None:
        if len(set(answers)) != 2:
            raise ConfigError(f"answers are two different words, productive first; got {answers!r}")
        self.recall_k = recall_k
        self._lm, self._answers = lm, answers
        self._prompt = JudgePrompt(
            question="ptrue", recall_k=recall_k, history_steps=history_steps, show_admissible=show_admissible
        )

    @property
    def version(self) -> str:
        """The model's id and a fingerprint of prompts and settings."""
        return f"{self._lm.id}:{fingerprint(self._prompt.fingerprint, self._answers)}"

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        """One verdict for each action; one call of the model each."""
        return [self._judge(turn, action, recalled) for action, recalled in zip(actions, experiences, strict=True)]

    def _judge(self, turn: Turn, action: Action, experiences: Sequence[Experience]) -> Verdict:
        lm = MeteredLM(self._lm)
        try:
            p = p_of_first(*lm.score(self._prompt.messages(turn, action, experiences), self._answers))
        except (LMError, ConfigError) as error:
            return Verdict.unscored(
                self.id, failure_class(error), failure_detail(error), version=self.version, cost=lm.cost
            )
        return Verdict(
            p=p,
            critic=self.id,
            version=self.version,
            critique=f"The model's probability that {action.text!r} is productive is {p:.2f}.",
            recalled=tuple(experience.id for experience in self._prompt.shown(experiences)),
            cost=lm.cost,
        )


def bank_ptrue(lm: LanguageModel, *, k: int = 2) -> PTrueCritic:
    """A `PTrueCritic` that is shown `k` productive and `k` unproductive experiences from the bank."""
    return PTrueCritic(lm, recall_k=k)


def p_of_first(first: ScoredText, second: ScoredText) -> float:
    """The probability of `first` over `second`, as the next token where they part.

    Raises:
        ConfigError: one answer is the beginning of the other, so that they never part, or the
            model does not tell the tokens of a longer answer, so that nobody knows where.
        OutOfRangeError: the model gave NaN, or probability 0 to both.
    """
    fork = _fork(first, second)
    a, b = first.logprobs[fork], second.logprobs[fork]
    top = max(a, b)
    if not (math.isfinite(top) and not math.isnan(a + b)):
        raise OutOfRangeError(f"the log-probabilities of the two answers are {a!r} and {b!r}")
    return math.exp(a - top) / (math.exp(a - top) + math.exp(b - top))


def _fork(first: ScoredText, second: ScoredText) -> int:
    """The first place in which the two differ."""
    if not (first.token_ids and second.token_ids):
        if len(first.logprobs) == len(second.logprobs) == 1:
            return 0
        raise ConfigError(
            f"the model does not tell the tokens of {first.text!r} and {second.text!r}, and they are not one each, "
            "so where they part is not known"
        )
    pairs = enumerate(zip(first.token_ids, second.token_ids, strict=False))
    fork = next((place for place, (a, b) in pairs if a != b), None)
    if fork is None:
        raise ConfigError(f"the answers {first.text!r} and {second.text!r} share all tokens of the shorter one")
    return fork
