"""What a ranker sees of a turn, how it plays, and how it is kept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_critic import registry
from agentgym_critic.agents.text_ranker import RankerAgent, RankerSettings, TextRanker, encode
from agentgym_critic.agents.text_ranker.grid import seen_from_player
from agentgym_critic.agents.text_ranker.memory import Memory
from agentgym_critic.agents.text_ranker.reading import likes, read_command, roles
from agentgym_critic.errors import AgentError, ConfigError
from agentgym_critic.types import Exchange, Turn

SMALL = RankerSettings(buckets=256, width=8, hidden=8)

KITCHEN = Turn(
    task="put a clean mug in shelf.",
    observation="You arrive at shelf 2. On the shelf 2, you see a mug 3.",
    admissible_actions=("go to sinkbasin 1", "go to shelf 1", "take mug 3 from shelf 2"),
    history=(
        Exchange(observation="You see a shelf 1, a shelf 2, a sinkbasin 1.", action="go to shelf 1"),
        Exchange(observation="On the shelf 1, you see a mug 1.", action="go to shelf 2"),
    ),
    index=2,
)

texts = st.text(max_size=40)
turns = st.builds(
    Turn,
    task=texts,
    observation=texts,
    admissible_actions=st.lists(texts, min_size=1, max_size=5, unique=True).map(tuple),
    history=st.lists(st.builds(Exchange, observation=texts, action=texts), max_size=4).map(tuple),
    index=st.integers(0, 4),
)


def turn_of(*actions: str, rejected: tuple[str, ...] = ()) -> Turn:
    return Turn(task="t", observation="o", admissible_actions=actions, rejected=rejected)


@given(turns)
def test_any_turn_has_features_within_the_table(turn: Turn) -> None:
    actions = turn.admissible_actions or ()
    encoded = encode(turn, actions, 64)
    assert len(encoded.starts) == len(actions)
    assert encoded.starts[0] == 0
    assert np.all(np.diff(encoded.starts) > 0)
    assert encoded.starts[-1] < len(encoded.actions)
    for rows in (encoded.state, encoded.actions):
        assert rows.dtype == np.int32
        assert rows.min() >= 0
        assert rows.max() < 64
    assert all(np.array_equal(one, two) for one, two in zip(encoded, encode(turn, actions, 64), strict=True))


def test_features_are_the_same_in_another_process() -> None:
    program = (
        "from agentgym_critic.agents.text_ranker import encode\n"
        "from agentgym_critic.types import Turn\n"
        "turn = Turn(task='put a mug in shelf.', observation='a mug 1', admissible_actions=('go', 'take mug 1'))\n"
        "print([part.tolist() for part in encode(turn, turn.admissible_actions, 999)])"
    )
    runs = [subprocess.run([sys.executable, "-c", program], capture_output=True, text=True) for _ in range(2)]
    assert runs[0].stdout == runs[1].stdout != ""


def test_memory_knows_where_things_were_met() -> None:
    memory = Memory.of(KITCHEN)
    assert memory.met == {"mug 1": ("go", "shelf 1"), "mug 3": ("go", "shelf 2")}
    assert memory.here(roles(KITCHEN.task)) == {"shelf 1": ["mug 1"], "shelf 2": ["mug 3"]}
    assert memory.done == {"go to shelf 1": 1, "go to shelf 2": 1}


def test_what_was_refused_did_nothing() -> None:
    refused = Exchange(observation="o", action="take mug 1", invalid_reason="it is not here")
    memory = Memory.of(Turn(task="t", observation="A mug 1.", history=(refused,), index=1))
    assert (dict(memory.deeds), memory.met, memory.done["take mug 1"]) == ({}, {}, 1)


def test_things_in_one_role_look_alike() -> None:
    """What is learnt of a mug holds for a pan: all but the words themselves is the same."""

    def features(thing: str) -> set[int]:
        turn = Turn(
            task=f"put a clean {thing} in shelf.",
            observation=f"On the shelf 2, you see a {thing} 3.",
            admissible_actions=(f"take {thing} 3 from shelf 2",),
        )
        return set(encode(turn, turn.admissible_actions or (), 1 << 30).actions.tolist())

    mug, pan = features("mug"), features("pan")
    assert len(mug & pan) >= 8
    assert mug != pan


@pytest.mark.parametrize(
    ("text", "verb", "names"),
    [
        ("put mug 1 in/on shelf 2", "put", ("mug 1", "shelf 2")),
        ("look", "look", ()),
        ("", "", ()),
        ("pick up", "pick", ()),
        ("3 4", "3", ("4",)),
    ],
)
def test_commands_are_taken_apart(text: str, verb: str, names: tuple[str, ...]) -> None:
    assert read_command(text) == (verb, names)


def test_likes_differ_in_numbers_only() -> None:
    assert likes("take mug 1 from shelf 12") == likes("take mug 2 from shelf 3") == "take mug from shelf"


def test_maps_are_seen_from_the_player() -> None:
    assert "0 1 $" in seen_from_player("#####\n#-@$#\n#####")
    assert seen_from_player("You see a mug 1.") == ()
    assert seen_from_player("###\n###\n###") == ()


def test_it_plays_the_best_action_and_draws_by_the_scores() -> None:
    ranker = TextRanker(SMALL)
    scores = ranker.scores(KITCHEN, KITCHEN.admissible_actions or ())
    best = RankerAgent(ranker).propose(KITCHEN).text
    assert best == (KITCHEN.admissible_actions or ())[int(scores.argmax())]
    drawing = RankerAgent(ranker, temperature=1.0)
    drawn = set()
    for seed in range(40):
        drawing.reset(seed)
        first = drawing.propose(KITCHEN).text
        drawing.reset(seed)
        assert drawing.propose(KITCHEN).text == first
        drawn.add(first)
    assert drawn == set(KITCHEN.admissible_actions or ())


@given(turns)
def test_asked_alone_it_says_the_same(turn: Turn) -> None:
    ranker, actions = TextRanker(SMALL), turn.admissible_actions or ()
    alone = ranker.scores(turn, actions)
    chances = ranker.log_chances([ranker.encode(turn, actions), ranker.encode(KITCHEN, ("a", "b"))])[0]
    shifted = chances.detach().double().numpy() - float(chances.detach()[0]) + alone[0]
    np.testing.assert_allclose(alone, shifted, atol=1e-5)


def test_rejected_actions_are_not_proposed_again() -> None:
    agent = RankerAgent(TextRanker(SMALL))
    assert agent.propose(turn_of("a", "b", rejected=("a",))).text == "b"
    assert [each.text for each in agent.propose_alternatives(turn_of("a", "a", "b"), 9)] in (["a", "b"], ["b", "a"])


def test_actions_that_cannot_be_listed_are_refused() -> None:
    with pytest.raises(AgentError, match="picks from the listed actions, but this environment cannot list them"):
        RankerAgent(TextRanker(SMALL)).propose(Turn(task="t", observation="o"))
    with pytest.raises(ConfigError, match="temperature is at least 0, got -1"):
        RankerAgent(TextRanker(SMALL), temperature=-1)


def test_the_seed_decides_the_first_weights() -> None:
    one, same = TextRanker(SMALL), TextRanker(SMALL)
    other = TextRanker(RankerSettings(buckets=256, width=8, hidden=8, seed=1))
    assert one.fingerprint() == same.fingerprint() != other.fingerprint()


def test_it_is_kept_in_one_file(tmp_path: Path) -> None:
    ranker, path = TextRanker(SMALL), tmp_path / "ranker.safetensors"
    ranker.save(path)
    loaded = TextRanker.load(path)
    assert (loaded.settings, loaded.fingerprint()) == (SMALL, ranker.fingerprint())
    agent = registry.make("agent", "text-ranker", path=str(path), temperature=0.5)
    assert agent.id == f"text-ranker({ranker.fingerprint()}, temperature=0.5)"
    with pytest.raises(ConfigError, match="exists; name another file or pass overwrite=True"):
        ranker.save(path)


def test_files_that_are_no_ranker_are_refused(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    with pytest.raises(ConfigError, match=r"there is no file .*; train a ranker first, or name another"):
        TextRanker.load(tmp_path / "none")
    other = tmp_path / "other.safetensors"
    save_file({"a": np.zeros(1)}, other)
    with pytest.raises(ConfigError, match="is no text ranker of this version: its format is None"):
        TextRanker.load(other)
    wide = TextRanker(RankerSettings(buckets=256, width=9, hidden=8))
    with pytest.raises(
        ConfigError, match=r"holds another model: state.weight is \(256, 8\) here, and \(256, 9\) there"
    ):
        TextRanker(SMALL).load_tensors(wide.tensors(), "it")


@pytest.mark.parametrize("shape", [{"buckets": 0}, {"width": -1}, {"hidden": 0}, {"seed": -1}])
def test_shapes_that_are_none_are_refused(shape: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match="are at least 1, and the seed at least 0"):
        RankerSettings(**shape)
