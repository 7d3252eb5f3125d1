import functools
import inspect
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from agentgym_critic import registry
from agentgym_critic.critics import (
    FunctionCritic,
    FunctionHindsightCritic,
    PTrueCritic,
    RuleCritic,
    ValueModelCritic,
    as_critic,
    as_hindsight_critic,
    safe_judge,
    safe_review,
)
from agentgym_critic.errors import ComponentError, ConfigError, UnknownIdError
from agentgym_critic.lm import ReplayLM
from agentgym_critic.types import Action, Verdict


@pytest.fixture(autouse=True)
def my_critics(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    yield __import__("my_critics")
    sys.modules.pop("my_critics", None)


def p_of(critic, turn):
    return critic.judge(turn, [Action(text="look")], [[]])[0].p


@pytest.mark.parametrize(
    ("name", "settings", "p"),
    [
        ("my_critics:Judge", {}, 0.5),
        ("my_critics:Judge", {"p": 0.2}, 0.2),
        ("my_critics:instance", {}, 0.75),
        ("my_critics:likes_looking", {}, 0.9),
        ("my_critics:make_judge", {}, 0.3),
        ("my_critics:make_judge", {"p": 0.6}, 0.6),
        ("my_critics:make_function", {"threshold": 0.4}, 0.4),
        ("rules", {"otherwise": 0.45}, 0.45),
    ],
)
def test_by_name(name, settings, p, turn):
    assert p_of(as_critic(name, **settings), turn) == p


def test_by_object_class_and_function(turn, my_critics):
    judge = my_critics.Judge(0.1)
    assert as_critic(judge) is judge
    assert p_of(as_critic(my_critics.Judge, p=0.8), turn) == 0.8
    assert p_of(as_critic(my_critics.likes_looking), turn) == 0.9
    assert p_of(as_critic(lambda turn, action: 0.35), turn) == 0.35
    assert p_of(as_critic(functools.partial(lambda bonus, turn, action: bonus, 0.15)), turn) == 0.15


def test_a_registered_name_with_a_model():
    assert isinstance(as_critic("bank-ptrue", lm=ReplayLM()), PTrueCritic)
    with pytest.raises(ConfigError, match=r"critic 'ptrue': missing a required argument: 'lm'; it takes \(lm"):
        as_critic("ptrue")


def test_every_registered_critic_can_be_made(walk, tmp_path):
    trained = ValueModelCritic.fit([walk("ab", reward={0: 1.0}), walk("ab")], target="return")
    trained.save(tmp_path / "head")
    needs = {"lm": ReplayLM(), "path": tmp_path / "head"}
    for kind, adapt in (("critic", as_critic), ("hindsight", as_hindsight_critic)):
        for name in registry.names(kind):
            taken = inspect.signature(registry.resolve(kind, name)).parameters
            assert adapt(name, **{need: needs[need] for need in needs.keys() & taken.keys()}).id


def test_a_users_registered_function(turn, monkeypatch):
    monkeypatch.setitem(registry._registered["critic"], "mine", lambda turn, action: 0.55)
    assert p_of(as_critic("mine"), turn) == 0.55


def test_hindsight_by_name_object_and_function(walk, my_critics):
    trajectory = walk("abc")
    assert [v.p for v in as_hindsight_critic("my_critics:Reviewer").review(trajectory)] == [0.25, 0.25]
    assert [v.p for v in as_hindsight_critic("my_critics:last_is_best").review(trajectory)] == [0.0, 1.0]
    assert [v.p for v in as_hindsight_critic(my_critics.Reviewer()).review(trajectory)] == [0.25, 0.25]
    assert [v.p for v in as_hindsight_critic("outcome", otherwise=0.4).review(trajectory)] == [0.4, 0.4]


@pytest.mark.parametrize(
    ("source", "settings", "error", "message"),
    [
        ("my_critics:Nothing", {}, ConfigError, r"my_critics:Nothing is no pre-operative critic: it has no method "),
        ("my_critics:Nothing", {}, ConfigError, r"it has no attribute id \(str\); .* recall_k \(int\)\. See docs"),
        ("my_critics:Reviewer", {}, ConfigError, r"\(it has review: use it as a hindsight critic\)"),
        ("my_critics:make_nothing", {}, ConfigError, r"no method judge\(turn, actions, experiences\)"),
        ("my_critics:WALLS", {}, ConfigError, "my_critics:WALLS is no pre-operative critic"),
        ("my_critics:make_function", {}, ConfigError, "missing a required argument: 'threshold'"),
        ("my_critics:Judge", {"q": 1}, ConfigError, r"unexpected keyword argument 'q'; it takes \(p=0\.5\)"),
        (
            "my_critics:instance",
            {"p": 1},
            ConfigError,
            r"my_critics:instance is an object, .* takes no settings: \['p'\]",
        ),
        ("my_critics:Fussy", {}, ComponentError, "critic my_critics:Fussy raised ValueError: no licence"),
        ("my_critics:Jugde", {}, UnknownIdError, "no attribute of my_critics 'Jugde'. Did you mean 'Judge'"),
        ("no_such_module:Judge", {}, UnknownIdError, "No module named 'no_such_module' can be imported"),
        ("ruls", {}, UnknownIdError, "There is no critic 'ruls'. Did you mean 'rules'"),
        (None, {}, ConfigError, "builtins:NoneType is no pre-operative critic"),
        (0.5, {}, ConfigError, "builtins:float is no pre-operative critic"),
        (max, {}, ComponentError, "critic builtins:max raised"),
    ],
)
def test_what_is_no_critic_is_told_what_it_lacks(source, settings, error, message):
    with pytest.raises(error, match=message):
        as_critic(source, **settings)


def test_a_hindsight_critic_is_told_what_it_lacks():
    with pytest.raises(ConfigError, match=r"no method review\(trajectory\) \(it has judge: use it as a pre-operative"):
        as_hindsight_critic("my_critics:Judge")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": 3}, "its attribute id is 3, not of type str"),
        ({"id": ""}, "its attribute id is empty"),
        ({"version": None}, "its attribute version is None, not of type str"),
        ({"recall_k": -1}, "its attribute recall_k is -1; it is at least 0"),
        ({"recall_k": True}, "its attribute recall_k is True, not of type int"),
        (
            {"judge": lambda turn: []},
            r"its method judge\(turn\) cannot be called as judge\(turn, actions, experiences\)",
        ),
        ({"judge": 3}, "it has no method judge"),
    ],
)
def test_parts_of_the_wrong_kind(changes, message, my_critics):
    judge = my_critics.Judge()
    for name, value in changes.items():
        setattr(judge, name, value)
    with pytest.raises(ConfigError, match=message):
        as_critic(judge)


def test_a_property_that_raises(my_critics):
    class Broken(my_critics.Judge):
        @property
        def id(self):
            raise RuntimeError("not ready")

    with pytest.raises(ConfigError, match="its attribute id raised RuntimeError: not ready"):
        as_critic(Broken())


@pytest.mark.parametrize(
    ("answer", "p", "failure"),
    [
        (0.5, 0.5, None),
        (1, 1.0, None),
        (True, 1.0, None),
        (np.float32(0.25), 0.25, None),
        (Verdict(p=0.3, critic="x"), 0.3, None),
        (None, None, "empty"),
        (math.nan, None, "out_of_range"),
        (-0.1, None, "out_of_range"),
        (7, None, "out_of_range"),
        ("0.5", None, "error"),
        ([0.5], None, "error"),
        (object(), None, "error"),
    ],
)
def test_what_a_function_answers(answer, p, failure, turn, walk):
    (verdict,) = safe_judge(FunctionCritic(lambda turn, action: answer), turn, [Action(text="look")], [[]])
    assert (verdict.p, verdict.failure) == (p, failure)
    (verdict,) = safe_review(FunctionHindsightCritic(lambda trajectory: [answer]), walk("ab"))
    assert (verdict.p, verdict.failure) == (p, failure)


def test_a_function_that_raises_for_one_action_judges_the_others(turn, actions):
    def judge(turn, action):
        return {"take mug 1": 0.4}[action.text]

    good, bad = FunctionCritic(judge, id="f", version="2").judge(turn, actions, [[], []])
    assert good == Verdict(p=0.4, critic="f", version="2")
    assert (bad.failure, bad.failure_detail, bad.critic, bad.version) == ("error", "KeyError: 'go to desk 1'", "f", "2")


def test_a_function_is_known_by_module_and_name(my_critics):
    assert as_critic(my_critics.likes_looking).id == "my_critics:likes_looking"
    assert as_critic(RuleCritic()).id == "rules"


def test_a_review_of_the_wrong_length_is_a_wrong_count(walk):
    verdicts = safe_review(as_hindsight_critic(lambda trajectory: [0.5]), walk("abc"))
    assert [verdict.failure for verdict in verdicts] == ["wrong_count"] * 2
