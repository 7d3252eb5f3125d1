import json
import math
import re

import msgspec
import pytest

from agentgym_critic.critics import (
    EnsembleCritic,
    LMHindsightCritic,
    OutcomeHindsightCritic,
    PTrueCritic,
    RuleCritic,
    VerbalizedCritic,
    check_critic,
    check_hindsight_critic,
)
from agentgym_critic.errors import ConfigError, CriticError
from agentgym_critic.lm import ReplayLM
from agentgym_critic.types import Verdict

JUDGING_LM = {"replies": lambda messages: json.dumps({"reason": "r", "confidence": 50})}


def labels(messages):
    """A review in which all is well, as the prompt asks for it."""
    first, last = re.findall(r"Judge the steps (\d+) to (\d+)", messages[-1].content)[-1]
    steps = [{"step": step, "label": "productive", "reason": "r"} for step in range(int(first), int(last) + 1)]
    return json.dumps({"steps": steps})


SCORING_LM = {"scores": lambda messages, candidate: -float(len(candidate))}


@pytest.mark.parametrize(
    "critic",
    [
        RuleCritic(),
        PTrueCritic(ReplayLM(**SCORING_LM)),
        PTrueCritic(ReplayLM(**SCORING_LM), recall_k=2),
        VerbalizedCritic(ReplayLM(**JUDGING_LM), recall_k=1),
        EnsembleCritic([RuleCritic(), PTrueCritic(ReplayLM(**SCORING_LM), recall_k=1)]),
        lambda turn, action: 0.5,
        "rules",
    ],
)
def test_ours_pass(critic):
    check_critic(critic, deterministic=True)


@pytest.mark.parametrize("critic", [OutcomeHindsightCritic(), LMHindsightCritic(ReplayLM(labels)), "outcome"])
def test_our_hindsight_critics_pass(critic):
    check_hindsight_critic(critic, deterministic=True)


class Good:
    """Keeps the contract; each test breaks one rule."""

    id, version, recall_k = "good", "1", 0

    def verdict(self, p=0.5, **fields):
        return Verdict(p=p, critic=self.id, version=self.version, **fields)

    def judge(self, turn, actions, experiences):
        return [self.one(action) for action in actions]

    def one(self, action):
        return self.verdict()


def breaking(**parts):
    return type("Broken", (Good,), parts)()


def forged(p):
    verdict = Verdict(p=0.5, critic="good", version="1")
    msgspec.structs.force_setattr(verdict, "p", p)
    return verdict


def only_on(text):
    """A fault that shows on one of the sample actions only."""

    def one(self, action):
        if action.text == text:
            raise ValueError("unforeseen")
        return self.verdict()

    return one


@pytest.mark.parametrize(
    ("parts", "violation"),
    [
        ({"judge": lambda self, turn, actions, experiences: []}, "3 verdicts were asked for, 0 came back"),
        ({"judge": lambda self, t, a, e: [self.verdict()]}, "an ordinary turn, three proposals: 3 verdicts were asked"),
        ({"judge": lambda self, t, a, e: None}, "it raised TypeError"),
        (
            {"judge": lambda self, t, a, e: [0.5 for _ in a]},
            "no verdict: TypeError: a critic answers with Verdict objects, got float",
        ),
        ({"one": lambda self, a: 1 / 0}, "it raised ZeroDivisionError: division by zero; a failure is an unscored"),
        ({"one": lambda self, a: self.verdict(p=math.nan)}, "OutOfRangeError: p is a probability in"),
        (
            {"one": lambda self, a: forged(math.nan)},
            "it answered what is no verdict: OutOfRangeError: .* got nan",
        ),
        ({"one": lambda self, a: forged(1.5)}, "it answered what is no verdict: OutOfRangeError: .* got 1.5"),
        ({"one": only_on("")}, "an empty and a many-line proposal: it raised ValueError: unforeseen"),
        ({"one": lambda self, a: self.verdict(critique=a.text + "\ud800")}, "the verdict changes when it is stored"),
        ({"one": lambda self, a: Verdict(p=0.5, critic="x", version="1")}, "critic is 'x', the critic's is 'good'"),
        ({"one": lambda self, a: Verdict(p=0.5, critic="good")}, "version is '0', the critic's is '1'"),
        ({"one": lambda self, a: Verdict.unscored("good", "error", "oops", version="1")}, "left it unscored: oops"),
        ({"id": ""}, "its attribute id is empty"),
        ({"version": 1}, "its attribute version is 1, not of type str"),
        ({"recall_k": None}, "its attribute recall_k is None, not of type int"),
        ({"judge": lambda self: []}, "cannot be called as judge"),
    ],
)
def test_each_broken_rule_is_found(parts, violation):
    with pytest.raises(CriticError, match=violation):
        check_critic(breaking(**parts))


def test_all_violations_are_listed():
    with pytest.raises(CriticError) as caught:
        check_critic(breaking(id="", version="", recall_k=-1))
    assert "breaks the contract of a critic in 3 places:\n- its attribute id is empty\n- its" in str(caught.value)


def test_changing_its_mind_is_found_where_it_matters():
    answers = iter(range(10_000))
    fickle = breaking(one=lambda self, action: self.verdict(p=next(answers) / 10_000))
    check_critic(fickle)
    with pytest.raises(CriticError, match=r"the same input got \[.*\] and then \["):
        check_critic(fickle, deterministic=True)


def test_a_failing_function_is_found():
    with pytest.raises(CriticError, match="an error left it unscored: ZeroDivisionError"):
        check_critic(lambda turn, action: 1 / 0)


def test_what_is_no_critic_at_all():
    with pytest.raises(ConfigError, match="is no pre-operative critic"):
        check_critic(3)


class GoodReviewer:
    id, version = "good", "1"

    def review(self, trajectory):
        return [Verdict(p=0.5, critic="good", version="1") for _ in trajectory.steps]


@pytest.mark.parametrize(
    ("review", "violation"),
    [
        (lambda self, t: [Verdict(p=0.5, critic="good", version="1")], "no step: 0 verdicts were asked for, 1 came"),
        (lambda self, t: [t.steps[0].reward], "no step: it raised IndexError"),
        (lambda self, t: [Verdict(p=s.reward, critic="good", version="1") for s in t.steps], "got -1.0"),
        (lambda self: [], "cannot be called as review"),
    ],
)
def test_each_broken_rule_of_a_review_is_found(review, violation):
    check_hindsight_critic(GoodReviewer())
    with pytest.raises(CriticError, match=violation):
        check_hindsight_critic(type("Broken", (GoodReviewer,), {"review": review})())


@pytest.mark.parametrize("answer", [7, -0.1, float("nan")])
def test_a_function_that_gives_no_probability_is_found(answer):
    with pytest.raises(CriticError, match="what is no probability left it unscored: OutOfRangeError"):
        check_critic(lambda turn, action: answer)


def test_a_critic_that_never_judges_is_found():
    speechless = ReplayLM(lambda messages: "no idea")
    for check, critic in (
        (check_critic, VerbalizedCritic(speechless)),
        (check_hindsight_critic, LMHindsightCritic(speechless)),
    ):
        with pytest.raises(CriticError, match="it left everything unscored in all of"):
            check(critic, deterministic=True)
    with pytest.raises(CriticError, match="it left everything unscored in all of"):
        check_critic(lambda turn, action: None)
    with pytest.raises(CriticError, match="it left everything unscored in all of"):
        check_hindsight_critic(lambda trajectory: [None for _ in trajectory.steps])
