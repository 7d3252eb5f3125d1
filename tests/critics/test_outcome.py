import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.critics import OutcomeHindsightCritic
from agentgym_critic.critics.outcome import _looped, _nearer
from agentgym_critic.errors import OutOfRangeError


def judged(trajectory, **settings):
    return [verdict.p for verdict in OutcomeHindsightCritic(**settings).review(trajectory)]


GOOD, AWAY, LOOP, STILL, OPEN = 0.9, 0.1, 0.3, 0.05, 0.5


def test_the_direct_path_to_success_is_productive(walk):
    assert judged(walk("abcd", end="success")) == [GOOD] * 3


def test_a_detour_is_told_from_the_way_back(walk):
    assert judged(walk("abcbd", end="success")) == [GOOD, AWAY, GOOD, GOOD]
    assert judged(walk("abcdcbe", end="success")) == [GOOD, AWAY, AWAY, GOOD, GOOD, GOOD]


def test_a_round_trip_to_a_state_that_was_near_already(walk):
    assert judged(walk("abcae", end="success")) == [AWAY, GOOD, GOOD, GOOD]


def test_a_step_that_changes_nothing(walk):
    assert judged(walk("aab", end="success")) == [STILL, GOOD]


def test_a_refused_step_also_when_rewarded(walk):
    trajectory = walk("aabbc", end="success", invalid_action={0: True}, reward={0: 1.0})
    assert judged(trajectory) == [0.02, GOOD, STILL, GOOD]


def test_the_step_that_finishes_the_task_changes_something_whatever_the_keys_say(walk):
    """As where the last action is an answer, and the key is that of the page it was read on."""
    assert judged(walk("abb", end="success")) == [GOOD, GOOD]
    assert judged(walk("aba", end="success")) == [GOOD, GOOD]  # where it began, but now with the task done
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
    assert judged(trajectory) == [AWAY, GOOD, GOOD]
    other = walk("abac", end="success", keys=False, admissible_actions={**possible, 2: ("w",)})
    assert judged(other) == [GOOD, GOOD, GOOD]


def test_without_keys_the_text_tells_that_nothing_happened(walk):
    nothing = {0: "Nothing happens."}
    assert judged(walk("abc", end="success", keys=False, next_observation=nothing)) == [STILL, GOOD]
    assert judged(walk("abc", end="success", keys=True, next_observation=nothing)) == [GOOD, GOOD]


def test_each_probability_is_a_setting_and_part_of_the_version(walk):
    assert judged(walk("ab", end="success"), nearer=0.7) == [0.7]
    assert OutcomeHindsightCritic(loop=0.2).version != OutcomeHindsightCritic().version
    with pytest.raises(OutOfRangeError, match=r"fatal is a probability in \[0, 1\], got nan"):
        OutcomeHindsightCritic(fatal=float("nan"))


walks = st.text("abcde", min_size=1, max_size=30)


@settings(deadline=None)
@given(walks)
def test_without_its_loops_an_episode_is_a_simple_path(states):
    kept = sorted(set(range(len(states) - 1)) - _looped(states))
    visited = [states[step] for step in kept] + [states[-1]]
    assert visited[0] == states[0]
    assert len(set(visited)) == len(visited)
    assert [states[step + 1] for step in kept] == visited[1:]


@settings(deadline=None)
@given(walks)
def test_nearer_agrees_with_distances_found_by_relaxation(states):
    distance = dict.fromkeys(states, math.inf) | {states[-1]: 0}
    for _ in states:
        for here, there in pairwise(states):
            distance[here] = min(distance[here], distance[there] + 1)
    falls = {index for index, (a, b) in enumerate(pairwise(states)) if distance[b] == distance[a] - 1}
    assert _nearer(states) == falls
