import pytest

from agentgym_critic.critics import RuleCritic
from agentgym_critic.errors import OutOfRangeError
from agentgym_critic.types import Action, Exchange, Turn


def turn_after(*steps, now, admissible=None):
    """A turn whose history is (seen, done) or (seen, done, why refused)."""
    history = tuple(Exchange(observation=s[0], action=s[1], invalid_reason="".join(s[2:])) for s in steps)
    return Turn(task="t", observation=now, history=history, admissible_actions=admissible, index=len(history))


def judged(turn, action, **settings):
    (verdict,) = RuleCritic(**settings).judge(turn, [Action(text=action)], [[]])
    return verdict.p, verdict.critique


def test_where_no_rule_applies_it_is_undecided():
    (verdict,) = RuleCritic().judge(turn_after(("a", "go b"), now="b"), [Action(text="go c")], [[]])
    assert (verdict.p, verdict.label, verdict.critique) == (0.5, None, "")


def test_an_action_that_is_not_possible():
    p, why = judged(turn_after(now="a", admissible=("look",)), "fly")
    assert (p, why) == (0.02, "'fly' is not among the possible actions.")
    assert judged(turn_after(now="a", admissible=("look",)), "look")[0] == 0.5


@pytest.mark.parametrize("admissible", [None, ("", "look")])
def test_an_empty_action(admissible):
    assert judged(turn_after(now="a", admissible=admissible), " ") == (0.02, "The action is empty.")


def test_an_action_that_was_refused_in_this_situation():
    turn = turn_after(("a", "fly", "No wings."), now="No wings.\n\na")
    assert judged(turn, "fly") == (0.05, "'fly' already did nothing in this situation, at step 1.")


def test_an_action_after_which_nothing_happened_also_some_steps_ago():
    turn = turn_after(("a", "pull"), ("Nothing happens.", "push"), now="Nothing happens.")
    assert judged(turn, "pull") == (0.05, "'pull' already did nothing in this situation, at step 1.")
    assert judged(turn, "push")[0] == 0.05
    assert judged(turn, "turn")[0] == 0.5


def test_an_action_that_changed_nothing():
    assert judged(turn_after(("a", "wait"), now="a"), "wait")[0] == 0.05


def test_a_failure_elsewhere_does_not_count():
    turn = turn_after(("a", "pull"), ("Nothing happens.", "go b"), now="b")
    assert judged(turn, "pull")[0] == 0.5


def test_a_way_known_to_lead_back():
    turn = turn_after(("a", "out"), ("b", "in"), ("a", "out"), now="b")
    assert judged(turn, "in") == (0.25, "'in' leads back to where the last action started, as at step 2.")


def test_a_way_known_to_lead_in_a_circle():
    turn = turn_after(("a", "x"), ("b", "y"), ("c", "z"), now="a")
    assert judged(turn, "x") == (0.3, "'x' was already tried in this situation, at step 1.")


@pytest.mark.parametrize(
    ("last", "action", "undoes"),
    [
        ("move left", "move right", True),
        ("close drawer 1", "open drawer 1", True),
        ("open drawer 1", "close drawer 2", False),
        ("move left", "move up", False),
        ("move left", "move left", False),
        ("move left twice", "move right", False),
    ],
)
def test_the_opposite_of_the_last_action(last, action, undoes):
    assert judged(turn_after(("a", last), now="b"), action)[0] == (0.4 if undoes else 0.5)


def test_the_opposite_of_an_action_that_did_nothing_undoes_nothing():
    assert judged(turn_after(("a", "left", "A wall."), now="A wall."), "right")[0] == 0.5


def test_each_probability_is_a_setting_and_part_of_the_version():
    assert judged(turn_after(("a", "wait"), now="a"), "wait", failed_here=0.4)[0] == 0.4
    assert RuleCritic(failed_here=0.4).version != RuleCritic().version
    with pytest.raises(OutOfRangeError, match=r"repeated is a probability in \[0, 1\], got 2"):
        RuleCritic(repeated=2)


def test_several_actions_are_judged_in_order():
    turn = turn_after(("a", "wait"), now="a", admissible=("wait", "go"))
    verdicts = RuleCritic().judge(turn, [Action(text=text) for text in ("go", "wait", "fly")], [[], [], []])
    assert [verdict.p for verdict in verdicts] == [0.5, 0.05, 0.02]
