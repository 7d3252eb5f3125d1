"""Reading a model's reply: tolerant of form, conservative about which action is meant."""

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import hostile_text

from agentgym_critic.agents.matching import match, nearest, peeled
from agentgym_critic.agents.reply import ReplyForm

ACTIONS = ("go north", "go to drawer 1", "go to drawer 2", "take the apple 1 from shelf 1", "look", "examine lamp 1")
FORM = ReplyForm()

READABLE = {
    "the form itself": ("Thought: The door is north.\nAction: go north", "go north", "The door is north."),
    "no thought": ("Action: go north", "go north", ""),
    "lower case labels": ("thought: hm\naction: go north", "go north", "hm"),
    "upper case": ("ACTION: GO NORTH", "go north", ""),
    "thought without a label": ("I should leave.\nAction: look", "look", "I should leave."),
    "bold label": ("**Thought:** hm\n**Action:** go north", "go north", "hm"),
    "bold label, colon outside": ("**Action**: go north", "go north", ""),
    "heading": ("### Action: go north", "go north", ""),
    "numbered label": ("1. Thought: hm\n2. Action: go north", "go north", "hm"),
    "code fence around all": ("```\nThought: hm\nAction: go north\n```", "go north", "hm"),
    "code fence after the label": ("Action:\n```text\ngo north\n```", "go north", ""),
    "action on the next line": ("Thought: hm\nAction:\n\n  go north\n", "go north", "hm"),
    "double quotes": ('Action: "go north"', "go north", ""),
    "typographic quotes": ("Action: “go north”", "go north", ""),
    "backticks and bold": ("Action: **`go north`**", "go north", ""),
    "square brackets": ("Action: [go north]", "go north", ""),
    "trailing full stop": ("Action: go north.", "go north", ""),
    "list number": ("Action: 3. go north", "go north", ""),
    "bullet": ("Action: - go north", "go north", ""),
    "tags": ("I will. <action>go north</action>", "go north", "I will."),
    "tags across lines": ("<Action>\n go north \n</Action>", "go north", ""),
    "tags never closed": ("<action>go north", "go north", ""),
    "label and tags": ("Action: <action>go north</action>", "go north", ""),
    "spacing": ("Action:   go \t north  ", "go north", ""),
    "equals sign": ("Action = go north", "go north", ""),
    "windows lines": ("Thought: hm\r\nAction: go north\r\n", "go north", "hm"),
    "missing article": ("Action: take apple 1 from shelf 1", "take the apple 1 from shelf 1", ""),
    "added article": ("Action: examine the lamp 1", "examine lamp 1", ""),
    "explained after a comma": ("Action: go north, because the door is there", "go north", ""),
    "explained in brackets": ("Action: go north (the door is there)", "go north", ""),
    "explained after a dash": ("Action: go north - the door is there", "go north", ""),
    "the only beginning": ("Action: examine lamp", "examine lamp 1", ""),
    "bare action": ("go north", "go north", ""),
    "bare action, quoted": ("'Go north.'", "go north", ""),
    "bare action broken over lines": ("go\nnorth", "go north", ""),
    "one possible line among others": ("Well.\nLet me see.\n- go north\nThat is it.", "go north", ""),
    "imagined continuation": ("Action: go north\nObservation: a hall\nAction: look", "go north", ""),
    "think block": ("<think>Action: look? No.</think>\nAction: go north", "go north", "Action: look? No."),
    "echo of the form, then the answer": (f"{FORM.instructions}\n\nThought: hm\nAction: look", "look", None),
    "label inside the thought": ("Thought: the best action: unclear\nAction: look", "look", "the best action: unclear"),
}


@pytest.mark.parametrize("case", READABLE)
def test_tolerated(case):
    raw, action, thought = READABLE[case]
    reply = FORM.read(raw, ACTIONS)
    assert (reply.action, reply.problem) == (action, "")
    if thought is not None:
        assert reply.thought == thought


NOTHING = "The reply has no line that begins with 'Action:' and names an action."

UNREADABLE = {
    "empty": ("", f"{NOTHING} Reply in this form:\nThought: <one or two sentences>\nAction: <the action>"),
    "blank": (" \n\t ", NOTHING),
    "only punctuation": ("...", NOTHING),
    "a line that is no action": ("I am not sure.", NOTHING),
    "no action": ("Thought: hm\nI am lost.", NOTHING),
    "empty label": ("Thought: hm\nAction:", NOTHING),
    "empty label alone": ("Action:", NOTHING),
    "echo of the form": (FORM.instructions, NOTHING),
    "unfinished think block": ("<think>go north", NOTHING),
    "two bare actions": ("go north\nlook", "The reply names 2 actions. Name one:\nThought:"),
    "impossible": ("Action: fly", "'fly' is not one of the possible actions."),
    "near miss": ("Action: go to drawer 3", "Did you mean 'go to drawer 2' or 'go to drawer 1'?"),
    "ambiguous beginning": ("Action: go to drawer", "'go to drawer' is not one of the possible actions."),
    "one word beginning": ("Action: examine", "'examine' is not one of the possible actions."),
    "half a word": ("Action: examine lam", "'examine lam' is not one of the possible actions."),
    "more than an action": ("Action: look at the lamp", "'look at the lamp' is not one of the possible actions."),
    "two in one line": ("Action: go north and look", "'go north and look' is not one of the possible actions."),
    "impossible, then possible": ("Action: fly\nAction: look", "'fly' is not one of the possible actions."),
    "very long": ("Action: " + "go north " * 10_000, "go north go north"),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_refused_with_an_explanation(case):
    raw, problem = UNREADABLE[case]
    reply = FORM.read(raw, ACTIONS)
    assert reply.action == ""
    assert problem in reply.problem
    assert len(reply.problem) < 400


def test_near_misses_are_suggested_nearest_first():
    assert nearest("go to drawer 22", ACTIONS) == ["go to drawer 2", "go to drawer 1"]
    assert nearest("xyzzy", ACTIONS) == []


def test_an_exact_action_wins_over_one_that_differs_in_case():
    assert match("Look", ("look", "Look")) == "Look"
    assert match("LOOK", ("look", "Look")) is None


def test_peeling_keeps_brackets_that_belong_to_the_text():
    assert peeled("(a) or (b)") == "(a) or (b)"
    assert peeled("search[red shoes]") == "search[red shoes]"
    assert peeled("'search[red shoes]'.") == "search[red shoes]"


def test_without_a_list_whatever_is_named_is_the_action():
    assert FORM.read("Thought: hm\nAction: 'push the red button'.", None).action == "push the red button"
    assert FORM.read("push the red button", None).action == "push the red button"
    assert NOTHING in FORM.read("push\nthe red button", None).problem
    assert NOTHING in FORM.read(ReplyForm(thought=False).instructions, None).problem
    assert len(FORM.read("Action: " + "x" * 100_000, None).action) == 1_000


@pytest.mark.parametrize("thought", [True, False])
@given(action=st.sampled_from(ACTIONS), why=st.text("abc ,.", max_size=20))
def test_what_the_form_writes_it_reads(thought, action, why):
    form = ReplyForm(thought)
    reply = form.read(form.write(action, why), ACTIONS)
    assert (reply.action, reply.thought, reply.problem) == (action, why.strip() if thought else "", "")


def test_the_form_without_a_thought_asks_for_none():
    assert ReplyForm(thought=False).instructions == "Action: <the action>"


MARKS = ["\n", " ", "`", "```", "**", ".", "1. ", "- ", "(", "[", '"', "\udc80", "\0", "İ", "ß", "\u2028"]
LABELS = ["Action:", "action", "Thought:", "<action>", "</action>", "<think>", "</think>", "Possible actions:"]
pieces = st.sampled_from([*ACTIONS, *LABELS, *MARKS, "go", "drawer", "the"])
replies = hostile_text(200) | st.lists(pieces, max_size=12).map("".join) | st.lists(pieces, max_size=12).map(" ".join)


def words(text):
    return [word for word in re.findall(r"\w+", text.casefold()) if word not in ("a", "an", "the")]


def contains(text, phrase):
    return any(text[place : place + len(phrase)] == phrase for place in range(len(text)))


@given(raw=replies)
@example("Action: examine the lamp")
def test_any_reply_gives_a_possible_action_that_it_names_or_a_problem(raw):
    reply = FORM.read(raw, ACTIONS)
    assert bool(reply.action) != bool(reply.problem)
    if reply.action:
        assert reply.action in ACTIONS
        said, named = words(raw), words(reply.action)
        beginnings = [named[:length] for length in range(min(2, len(named)), len(named) + 1)]
        assert any(contains(said, beginning) for beginning in beginnings)
    else:
        assert " ".join(raw.split()) not in ACTIONS


@given(raw=replies)
def test_any_reply_is_read_without_a_list(raw):
    reply = FORM.read(raw, None)
    assert bool(reply.action) != bool(reply.problem)
    assert len(reply.action.splitlines()) <= 1


@pytest.mark.parametrize(
    "unit", ["\n", " ", "\t", "-", "#", "1.", "*", "`", "(", "Action", "Action:\n", "<action>", "<think>", "a\n", "go "]
)
def test_100_kilobytes_of_anything_do_not_hang(unit):
    raw = (unit * 100_000)[:100_000]
    started = time.process_time()
    FORM.read(raw, ACTIONS)
    FORM.read(raw, None)
    assert time.process_time() - started < 60  # a hang would be hours; how fast is no matter of tests
