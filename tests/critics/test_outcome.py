import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.critics import OutcomeHindsightCritic
from agentgym_critic.critics.outcome import _path
from agentgym_critic.errors import OutOfRangeError


def judged(trajectory, **settings):
    return [verdict.p for verdict in OutcomeHindsightCritic(**settings).review(trajectory)]


GOOD, LOOP, STILL, OPEN = 0.9, 0.15, 0.1, 0.5


def test_the_direct_path_to_success_is_productive(walk):
    assert judged(walk("abcd", end="success")) == [GOOD] * 3


def test_a_detour_that_leads_back_is_not(walk):
    assert judged(walk("abcbd", end="success")) == [GOOD, LOOP, LOOP, GOOD]


def test_loops_in_loops(walk):
    assert judged(walk("abcdcbe", end="success")) == [GOOD, LOOP, LOOP, LOOP, LOOP, GOOD]


def test_a_step_that_changes_nothing(walk):
    assert judged(walk("aab", end="success")) == [STILL, GOOD]


def test_a_refused_step_also_when_rewarded(walk):
    trajectory = walk("aabbc", end="success", invalid_action={0: True}, reward={0: 1.0})
    assert judged(trajectory) == [0.02, GOOD, STILL, GOOD]


def test_the_step_that_finishes_the_task_changes_something_whatever_the_keys_say(walk):
    """As where the last action is an answer, and the key is that of the page it was read on."""
    assert judged(walk("abb", end="success")) == [GOOD, GOOD]
    assert judged(walk("aba", end="success")) == [GOOD, GOOD]
    assert judged(walk("aba", end="step_limit")) == [LOOP, LOOP]


def test_without_success_most_steps_stay_undecided_and_have_no_label(walk):
    trajectory = walk("abcbd", reward={3: 1.0})
    verdicts = OutcomeHindsightCritic().review(trajectory)
    assert [verdict.p for verdict in verdicts] == [OPEN, LOOP, LOOP, 0.8]
    assert [verdict.label for verdict in verdicts] == [None, "unproductive", "unproductive", "productive"]
    assert verdicts[1].critique == "The episode later came back to a state from before this step."
    assert verdicts[0].votes == ()


def test_the_step_that_ends_it_in_failure(walk):
    assert judged(walk("abc", end="failure")) == [OPEN, 0.05]
    assert judged(walk("abb", end="failure")) == [OPEN, 0.05]
    assert judged(walk("abc", end="step_limit")) == [OPEN, OPEN]


def test_a_reward_on_a_loop_was_undone(walk):
    assert judged(walk("aba", reward={0: 1.0})) == [LOOP, LOOP]


def test_no_step_no_verdict(walk):
    assert judged(walk("a", end="context")) == []


def test_without_keys_a_state_is_what_is_seen_and_possible(walk):
    possible = {0: ("x",), 1: ("y",), 2: ("x",), 3: ("z",)}
    trajectory = walk("abac", end="success", keys=False, admissible_actions=possible)
    assert judged(trajectory) == [LOOP, LOOP, GOOD]
    other = walk("abac", end="success", keys=False, admissible_actions={**possible, 2: ("w",)})
    assert judged(other) == [GOOD, GOOD, GOOD]


def test_without_keys_the_text_tells_that_nothing_happened(walk):
    nothing = {0: "Nothing happens."}
    assert judged(walk("abc", end="success", keys=False, next_observation=nothing)) == [STILL, GOOD]
    assert judged(walk("abc", end="success", keys=True, next_observation=nothing)) == [GOOD, GOOD]


def test_each_probability_is_a_setting_and_part_of_the_version(walk):
    assert judged(walk("ab", end="success"), path_to_success=0.7) == [0.7]
    assert OutcomeHindsightCritic(loop=0.3).version != OutcomeHindsightCritic().version
    with pytest.raises(OutOfRangeError, match=r"fatal is a probability in \[0, 1\], got nan"):
        OutcomeHindsightCritic(fatal=float("nan"))


@settings(deadline=None)
@given(st.text("abcde", min_size=1, max_size=30))
def test_what_is_left_is_a_simple_path_from_the_first_state_to_the_last(states):
    kept = sorted(_path(states))
    visited = [states[step] for step in kept] + [states[-1]]
    assert visited[0] == states[0]
    assert len(set(visited)) == len(visited)
    assert [states[step + 1] for step in kept] == visited[1:]
