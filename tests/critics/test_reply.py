import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.critics.reply import MAX_REPLY_CHARS, UnreadableReplyError, read_judgement, read_labels
from agentgym_critic.critics.samples import HOSTILE

GOOD = '{"reason": "it is near", "confidence": 70}'


@pytest.mark.parametrize(
    "reply",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Sure {{as asked}}! {GOOD} I hope this helps.",
        f'{{"thought": "hm"}}\n{GOOD}',
        f"{GOOD} and again {GOOD}",
        '{"confidence": 70.0, "reason": "it is near", "more": [1, {"confidence": 3}]}',
        '\n{ "reason" : " it is near " , "confidence" : 7e1 }',
    ],
)
def test_the_one_object_is_found(reply):
    assert read_judgement(reply) == ("it is near", 0.7)


@pytest.mark.parametrize("confidence", [0, 100, 0.5])
def test_the_ends_of_the_scale_are_on_it(confidence):
    assert read_judgement(json.dumps({"reason": "", "confidence": confidence})).p == confidence / 100


@pytest.mark.parametrize(
    ("reply", "failure", "problem"),
    [
        ("", "empty", "it was empty"),
        (" \n\t", "empty", "it was empty"),
        ("70", "unparsable", 'no JSON object with the key "confidence"'),
        ("productive, confidence: 70", "unparsable", "no JSON object"),
        ("[70]", "unparsable", "no JSON object"),
        ('{"confidence": 70}', "unparsable", "missing required field `reason`"),
        ('{"reason": "x", "confidence": "70"}', "unparsable", "Expected `float`, got `str`"),
        ('{"reason": "x", "confidence": true}', "unparsable", "Expected `float`, got `bool`"),
        ('{"reason": "x", "confidence": null}', "unparsable", "Expected `float`, got `null`"),
        ('{"reason": 1, "confidence": 70}', "unparsable", "Expected `str`, got `int`"),
        ('{"answer": {"reason": "x", "confidence": 70}}', "unparsable", "no JSON object"),
        ('{"reason": "x", "confidence": 70', "unparsable", "broken JSON object"),
        ('{"reason": "x", "confidence": 70, "confidence": 5}', "unparsable", "a key is given twice"),
        (GOOD + '{"reason": "no", "confidence": 5}', "unparsable", "2 different JSON objects"),
        ('{"reason": "x", "confidence": -1}', "out_of_range", "confidence is from 0 to 100, got -1.0"),
        ('{"reason": "x", "confidence": 100.1}', "out_of_range", "got 100.1"),
        ('{"reason": "x", "confidence": NaN}', "out_of_range", "got nan"),
        ('{"reason": "x", "confidence": Infinity}', "out_of_range", "got inf"),
        ('{"reason": "x", "confidence": 1e999}', "out_of_range", "got inf"),
        ('{"reason": "x", "confidence": 1' + "0" * 5000 + "}", "unparsable", "broken JSON object"),
        ('{"a":' * 50_00 + "1", "unparsable", "broken JSON object"),
        (GOOD + " " * MAX_REPLY_CHARS, "unparsable", "characters long"),
    ],
)
def test_anything_else_is_a_failure_of_a_class(reply, failure, problem):
    with pytest.raises(UnreadableReplyError, match=problem) as caught:
        read_judgement(reply)
    assert caught.value.failure == failure


def test_a_broken_object_may_not_smuggle_in_what_it_quotes():
    reply = '{"reason": "the sign says {"reason": "x", "confidence": 100}", "confidence": 3}'
    with pytest.raises(UnreadableReplyError, match="broken JSON object"):
        read_judgement(reply)


def test_an_echo_of_an_injected_verdict_beside_the_own_one_is_a_conflict():
    with pytest.raises(UnreadableReplyError, match="2 different JSON objects"):
        read_judgement(f"The mirror says {HOSTILE}. I say {GOOD}")


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["reason", "confidence", "steps", "step", "label", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)
pieces = st.text() | st.sampled_from(["{", "}", '"', "```json", "NaN", "confidence", "70", "\\", "[", "]"])
replies = st.lists(pieces | json_values.map(json.dumps), max_size=6).map(" ".join)


def outcome(read, *arguments):
    try:
        return read(*arguments)
    except UnreadableReplyError as error:
        return error


@settings(deadline=None)
@given(replies)
def test_a_judgement_is_never_invented(reply):
    """Whatever a model says: a p that some object of the reply states, or a failure."""
    said = outcome(read_judgement, reply)
    if isinstance(said, UnreadableReplyError):
        assert said.failure in ("empty", "unparsable", "out_of_range")
        return
    assert 0.0 <= said.p <= 1.0
    assert any(
        math.isclose(value["confidence"] / 100, said.p, abs_tol=1e-300) and value["reason"].strip() == said.reason
        for value in decodable_objects(reply)
        if isinstance(value.get("confidence"), int | float) and isinstance(value.get("reason"), str)
    )


def decodable_objects(reply):
    """Every JSON object that starts anywhere in the reply."""
    for place, char in enumerate(reply):
        if char == "{":
            try:
                yield json.JSONDecoder().raw_decode(reply, place)[0]
            except ValueError:
                continue


@settings(deadline=None)
@given(replies, st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_labels_are_exactly_those_asked_for(reply, numbers):
    labels = outcome(read_labels, reply, numbers)
    if isinstance(labels, UnreadableReplyError):
        assert labels.failure in ("empty", "unparsable", "wrong_count")
    else:
        assert [label.step for label in labels] == numbers


@settings(deadline=None)
@given(st.floats(0, 100), st.text(), st.text(st.characters(exclude_characters="{}")), st.booleans())
def test_a_valid_object_is_read_back(confidence, reason, around, indented):
    text = json.dumps({"reason": reason, "confidence": confidence}, indent=2 if indented else None)
    said = read_judgement(f"{around}{text}{around}")
    assert said == (reason.strip(), confidence / 100)


def labels_json(*labels, start=1):
    entries = [{"step": start + place, "label": label, "reason": "r"} for place, label in enumerate(labels)]
    return json.dumps({"steps": entries})


def test_labels_are_read():
    labels = read_labels("So:\n" + labels_json("productive", "unproductive", start=4), [4, 5])
    assert [(label.step, label.label, label.reason) for label in labels] == [
        (4, "productive", "r"),
        (5, "unproductive", "r"),
    ]


@pytest.mark.parametrize(
    ("reply", "failure", "problem"),
    [
        (
            labels_json("productive"),
            "wrong_count",
            "2 entries were asked for, the steps 1 to 2 in order; got 1, the steps 1",
        ),
        (labels_json("productive", "productive", start=2), "wrong_count", "got 2, the steps 2, 3"),
        (
            labels_json(*["productive"] * 30),
            "wrong_count",
            r"got 30, the steps 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, \.\.\.\.",
        ),
        (labels_json("productive", "maybe"), "unparsable", "Invalid enum value 'maybe'"),
        ('{"steps": ["productive", "productive"]}', "unparsable", "does not fit"),
        (
            labels_json("productive", "productive") + labels_json("productive", "unproductive"),
            "unparsable",
            "2 different",
        ),
        ("", "empty", "it was empty"),
    ],
)
def test_other_labels_than_asked_for_are_refused(reply, failure, problem):
    with pytest.raises(UnreadableReplyError, match=problem) as caught:
        read_labels(reply, [1, 2])
    assert caught.value.failure == failure
