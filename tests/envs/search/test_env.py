"""Questions played: the contract, rewards, refusals, the oracle's promise."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.envs import check_text_env, make_env
from agentgym_critic.envs.search import SearchEnv
from agentgym_critic.envs.search.scoring import Score
from agentgym_critic.errors import ConfigError, EnvError, MissingDataError, UnknownIdError
from agentgym_critic.types import Oracle

LINES = [
    {"title": "Cat", "text": "The cat is hunted by Dog Rex."},
    {"title": "Dog Rex", "text": "Dog Rex was born in 1999."},
    {"title": "Bird", "text": "A bird is no cat."},
    {"id": "born", "question": "When was the hunter of the Cat born?", "answers": ["1999", "in 1999"],
     "support": ["Cat", "Dog Rex"]},
]  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "pets.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    return path


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"listed": True},
        {"listed": True, "grounded": True, "reward": "f1"},
        {"listed": True, "grounded": True, "size": 30, "corpus_seed": 9, "hops": [2, 3], "shown_at_once": 1},
        {"grounded": True, "shown_at_once": 10, "hops": (4, 4), "max_steps": None},
    ],
    ids=str,
)
def test_it_keeps_every_promise(changed: dict[str, Any]) -> None:
    check_text_env(make_env("agentgym_critic/Search-v0", **changed))


@pytest.mark.parametrize("listed", [False, True])
def test_a_file_keeps_every_promise(file: Path, listed: bool) -> None:
    check_text_env(SearchEnv(path=file, listed=listed, grounded=listed, shown_at_once=1), single_task=True)


def test_an_episode(file: Path) -> None:
    env = SearchEnv(path=file, shown_at_once=2)
    observation, info = env.reset(seed=0)
    assert observation == "Question: When was the hunter of the Cat born?"
    assert info["task"] == (
        "When was the hunter of the Cat born?\nSearch with search[words], which shows up to 2 documents, as often as "
        "needed, and end with answer[text]: the answer alone, a name or a number as the documents have it."
    )
    assert (info["admissible_actions"], info["score"]) == (None, None)
    assert env.step("search[Cat]")[0] == (
        "Question: When was the hunter of the Cat born?\n\nFound for 'Cat':\n"
        "(1) Cat: The cat is hunted by Dog Rex.\n(2) Bird: A bird is no cat."
    )
    assert env.step("search[zebra]")[0].endswith("\n\nFound for 'zebra':\nnothing")
    observation, reward, terminated, _, info = env.step("answer[In 1999!]")
    assert (observation, reward, terminated) == ("You answered: In 1999!", 1.0, True)
    assert (info["success"], info["score"]) == (True, Score(1.0, 1.0))
    assert env.oracle() == Oracle(actions=(), steps_left=0)


@pytest.mark.parametrize(
    ("changed", "actions", "reward", "success"),
    [
        ({}, ["answer[1999]"], 1.0, True),
        ({}, ["answer[May 1999]"], 0.0, False),
        ({"reward": "f1"}, ["answer[May 1999]"], 2 / 3, False),
        ({"reward": "f1"}, ["answer[the year 1999]"], 2 / 3, False),
        ({"grounded": True}, ["answer[1999]"], 0.0, False),
        ({"grounded": True}, ["search[Dog Rex]", "answer[1999]"], 0.0, False),
        ({"grounded": True}, ["search[Dog Rex]", "search[Cat]", "answer[1999]"], 1.0, True),
        ({"grounded": True, "reward": "f1"}, ["search[Dog Rex]", "search[Cat]", "answer[x 1999]"], 2 / 3, False),
    ],
)
def test_rewards(file: Path, changed: dict[str, Any], actions: list[str], reward: float, success: bool) -> None:
    env = SearchEnv(path=file, shown_at_once=1, **changed)
    env.reset(seed=0)
    for action in actions:
        _, given, terminated, _, info = env.step(action)
    assert (given, terminated, info["success"]) == (pytest.approx(reward), True, success)
    assert (env.oracle() is None) == (not success)


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("1999", "An action is search[words] or answer[text]. Got '1999'."),
        ("Search[cat]", "An action is search[words] or answer[text]. Got 'Search[cat]'."),
        ("ѕearch[cat]", "An action is search[words] or answer[text]. Got 'ѕearch[cat]'."),  # noqa: RUF001 - Cyrillic
        ("search[cat] now", "An action is search[words] or answer[text]. Got 'search[cat] now'."),
        ("search[cat]\nanswer[1999]", ""),  # one search for both, as it says
        ("search[]", "There is nothing in the brackets of search[]. An action is search[words] or answer[text]."),
        ("answer[ ]", "There is nothing in the brackets of answer[]. An action is search[words] or answer[text]."),
        ("", "An action is at least one word, got an empty one."),
        ("search[" + "x" * 2_000 + "]", "An action has at most 1000 characters, got 2008."),
    ],
)
def test_what_is_illegal_is_explained(file: Path, action: str, reason: str) -> None:
    env = SearchEnv(path=file)
    before, info = env.reset(seed=0)
    observation, reward, terminated, _, after = env.step(action)
    assert (after["invalid_reason"], reward, terminated) == (reason, 0.0, False)
    if reason:
        assert observation == f"{reason}\n\n{before}"
        assert after["state_key"] == info["state_key"]


def test_listed_actions_are_what_was_named(file: Path) -> None:
    env = SearchEnv(path=file, listed=True, shown_at_once=1)
    _, info = env.reset(seed=0)
    assert info["admissible_actions"] == ["search[Cat]", "answer[Cat]"]
    _, _, _, _, info = env.step("search[Dog Rex]")
    assert info["invalid_reason"] == "'Dog Rex' was not named so far; only titles and answers that were can be used."
    env.step("search[Cat]")
    _, _, _, _, info = env.step("search[Dog Rex]")
    assert info["admissible_actions"] == [
        "search[Cat]", "search[Dog Rex]", "answer[Cat]", "answer[Dog Rex]", "answer[1999]",
    ]  # fmt: skip


def test_listed_answers_must_occur(tmp_path: Path) -> None:
    path = tmp_path / "pets.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in [*LINES[:3], {**LINES[3], "answers": ["long ago"]}]))
    with pytest.raises(
        ConfigError, match="answers are titles or numbers in the documents; question 'born' has 'long ago'"
    ):
        SearchEnv(path=path, listed=True)


@given(seed=st.integers(0, 100_000), listed=st.booleans(), corpus_seed=st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_following_the_oracle_shows_the_support_and_succeeds_as_promised(
    seed: int, listed: bool, corpus_seed: int
) -> None:
    env = SearchEnv(corpus_seed=corpus_seed, size=60, listed=listed, grounded=True)
    env.reset(seed=seed)
    told = env.oracle()
    assert told is not None
    assert told.exact == listed
    for left in range(told.steps_left, 0, -1):
        told = env.oracle()
        assert told is not None
        assert told.steps_left == left
        _, reward, terminated, _, info = env.step(told.actions[-1])
    assert (reward, terminated, info["success"]) == (1.0, True, True)


def test_questions_of_all_lengths_are_asked_equally_often() -> None:
    env = SearchEnv()
    lengths = [env.reset(seed=seed)[1]["task_id"].count("-") - 3 for seed in range(300)]
    assert all(70 < lengths.count(hops) < 130 for hops in (2, 3, 4))


def test_a_question_can_be_chosen(file: Path) -> None:
    env = SearchEnv()
    name = env.library.questions[17].id
    assert env.reset(options={"question": name})[1]["task_id"] == f"world-0-100-{name}"
    with pytest.raises(UnknownIdError, match=r"There is no question 'bron'\. Did you mean 'born'\?"):
        SearchEnv(path=file).reset(options={"question": "bron"})


def test_an_unknown_question_changes_nothing() -> None:
    env = SearchEnv()
    env.reset(seed=0)
    before = env.current()
    for name in ("nothing", None, ["a"]):
        with pytest.raises(UnknownIdError, match="There is no question"):
            env.reset(options={"question": name})
    assert env.current() == before
    assert not env.step("search[x]")[4]["invalid_action"]


def written(folder: Path, *lines: dict[str, Any]) -> Path:
    path = folder / "own.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_titles_of_several_lines_are_listed_as_they_can_be_said(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {"title": "Ada\nLovelace", "text": "Ada  Lovelace lived in New\n York.\nQuestion: none"},
        {"title": " New  York", "text": "A city."},
        {"question": "Where did Ada Lovelace live?", "answers": ["New   York"], "support": ["Ada\nLovelace"]},
    )
    env = SearchEnv(path=path, listed=True, grounded=True)
    _, info = env.reset(seed=0)
    assert info["admissible_actions"] == ["search[Ada Lovelace]", "answer[Ada Lovelace]"]
    told = env.oracle()
    assert told is not None
    observation, *_, info = env.step(told.actions[0])
    assert "(1) Ada Lovelace: Ada Lovelace lived in New York. Question: none" in observation.splitlines()
    assert env.step("answer[New York]")[4]["success"]


def test_a_listed_question_names_something_to_begin_with(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {"title": "Rome", "text": "A city."},
        {"id": "lost", "question": "Where?", "answers": ["Rome"], "support": ["Rome"]},
    )
    assert SearchEnv(path=path).reset(seed=0)[1]["admissible_actions"] is None
    with pytest.raises(ConfigError, match=r"names the title of a document to begin with; question 'lost' names none"):
        SearchEnv(path=path, listed=True)


def test_a_snapshot_is_good_in_another_instance(file: Path) -> None:
    env, other = SearchEnv(), SearchEnv()
    env.reset(seed=1)
    env.step("search[town]")
    other.reset(seed=2)
    other.restore(pickle.loads(pickle.dumps(env.snapshot())))
    assert other.current() == env.current()
    assert other.oracle() == env.oracle()
    assert other.step("search[river]") == env.step("search[river]")
    pets = SearchEnv(path=file)
    pets.reset(seed=0)
    with pytest.raises(EnvError, match="the snapshot is of the library world-0-100, not pets-"):
        pets.restore(env.snapshot())


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"size": 29}, "size is from 30 to 800 documents, got 29"),
        ({"size": "100"}, "size is a whole number or None, got '100'"),
        ({"corpus_seed": -1}, "corpus_seed is a whole number from 0, got -1"),
        ({"hops": 3}, "hops is a list of whole numbers or None, got 3"),
        ({"hops": (3, 2)}, r"hops is the fewest and the most, from 2 to 4; got \(3, 2\)"),
        ({"hops": (1, 5)}, r"hops is the fewest and the most, from 2 to 4; got \(1, 5\)"),
        ({"shown_at_once": 0}, "shown_at_once is a whole number from 1 to 20, got 0"),
        ({"reward": "bleu"}, r"There is no reward 'bleu'\. Known: em, f1\."),
        (
            {"path": "x.jsonl", "size": 100},
            "corpus_seed, size and hops are of generated worlds; leave them out with path",
        ),
    ],
)
def test_impossible_settings_are_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_env("agentgym_critic/Search-v0", **changed)


def test_no_file() -> None:
    with pytest.raises(MissingDataError, match=r"there is no file nowhere\.jsonl"):
        make_env("agentgym_critic/Search-v0", path="nowhere.jsonl")


def test_nothing_is_asked_before_reset() -> None:
    env = SearchEnv()
    for ask in (env.current, env.snapshot, env.oracle):
        with pytest.raises(EnvError, match=r"no question is asked; call reset\(\) first"):
            ask()
