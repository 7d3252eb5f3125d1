"""The native engine: the contract of environments, what bad commands and games get, and that games are shared."""

from __future__ import annotations

import json
import pickle
import random
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from workshop import workshop

from agentgym_critic.envs import check_text_env
from agentgym_critic.envs.alfworld import AlfworldEnv, make_alfworld
from agentgym_critic.envs.alfworld.conformance.compare import first_difference
from agentgym_critic.envs.alfworld.conformance.transcript import digest, play
from agentgym_critic.envs.alfworld.files import Game
from agentgym_critic.envs.alfworld.native import worlds
from agentgym_critic.envs.alfworld.native.engine import NativeEngine
from agentgym_critic.envs.alfworld.native.worlds import world_of
from agentgym_critic.errors import EnvError
from agentgym_critic.types import Oracle


def changed(**parts: Any) -> Game:
    game = workshop()
    return game._replace(file=replace(game.file, **parts))


@pytest.fixture
def engine() -> NativeEngine:
    engine = NativeEngine()
    engine.start(workshop())
    return engine


@pytest.fixture
def env(attic: Any) -> Iterator[AlfworldEnv]:
    env = make_alfworld("native", **attic.settings())
    yield env
    env.close()


FORGET = """
 (:action forget :parameters (?a - agent ?p - place)
  :precondition (and (at ?a ?p) (not (lit ?p)) (seen ?p))
  :effect (forall (?q - place) (not (seen ?q))))
"""


def forgetful() -> Game:
    """The workshop with an action that changes, for all places, what it asks of one."""
    file = workshop().file
    grammar = file.grammar + 'action forget { template :: "forget"; feedback :: "You forget."; }\n'
    return changed(pddl_domain=file.pddl_domain.replace(" (:action wait", FORGET + " (:action wait"), grammar=grammar)


@pytest.mark.parametrize("seed", range(4))
def test_an_effect_on_all_places_is_played_as_the_reference_plays_it(seed: int) -> None:
    pytest.importorskip("textworld")
    pytest.importorskip("alfworld")
    from agentgym_critic.envs.alfworld.reference import ReferenceEngine

    reference = ReferenceEngine()
    theirs = list(play(reference, forgetful(), steps=60, seed=seed))
    reference.close()
    assert first_difference(play(NativeEngine(), forgetful(), steps=60, seed=seed), theirs) is None
    assert "forget" in {moment.command for moment in theirs}


@pytest.mark.parametrize("seed", range(12))
def test_the_workshop_is_played_as_the_reference_plays_it(seed: int) -> None:
    pytest.importorskip("textworld")
    pytest.importorskip("alfworld")
    from agentgym_critic.envs.alfworld.reference import ReferenceEngine

    game, reference = workshop(), ReferenceEngine()
    try:
        theirs = list(play(reference, game, steps=60, seed=seed))
    finally:
        reference.close()
    assert first_difference(play(NativeEngine(), game, steps=60, seed=seed), theirs) is None
    assert {moment.command.partition(" ")[0] for moment in theirs} >= {"walk", "grab", "drop"}


def test_keeps_the_contract(env: AlfworldEnv) -> None:
    check_text_env(env, seeds=(0, 1), steps=12)


@pytest.mark.parametrize(
    "command",
    [
        "",
        " ",
        "dance",
        "x" * 10_000,
        "look\nlook",
        "look; look",
        "look\x00",
        "LOOK",
        "walk to shed 1 walk",
        "{t}",
        "\ud800",
    ],
)
def test_other_commands_are_answered_and_change_nothing(engine: NativeEngine, command: str) -> None:
    before = engine.save(), engine.key(), engine.admissible
    assert engine.act(command) == "Nothing happens."
    assert (engine.save(), engine.key(), engine.admissible) == before


def test_a_saved_state_is_a_number_that_goes_on_alike(engine: NativeEngine) -> None:
    saved = engine.save()
    said = [engine.act(command) for command in ("walk to shed 2", "flip the switch", "grab axle 1")]
    engine.restore(saved)
    assert [engine.act(command) for command in ("walk to shed 2", "flip the switch", "grab axle 1")] == said
    twin = pickle.loads(pickle.dumps(engine))
    assert (twin.key(), twin.admissible, twin.act("flip the switch")) == (
        engine.key(),
        engine.admissible,
        engine.act("flip the switch"),
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 2**16), max_size=25), st.lists(st.integers(0, 2**16), max_size=25))
def test_equal_keys_mean_equal_states(one: list[int], other: list[int]) -> None:
    engines = [NativeEngine(), NativeEngine()]
    for engine, choices in zip(engines, (one, other), strict=True):
        engine.start(workshop())
        for choice in choices:
            engine.act(engine.admissible[choice % len(engine.admissible)])
    assert (engines[0].key() == engines[1].key()) == (engines[0].save() == engines[1].save())


def test_the_same_game_is_compiled_once() -> None:
    one, other = world_of(workshop(0)), world_of(workshop(1))
    assert one is other


def test_players_of_one_game_do_not_see_each_other(engine: NativeEngine) -> None:
    other = NativeEngine()
    other.start(workshop())
    before = other.key(), other.admissible
    rng = np.random.default_rng(0)
    for _ in range(50):
        engine.act(engine.admissible[rng.integers(len(engine.admissible))])
    assert (other.key(), other.admissible) == before


def test_nothing_is_played_before_the_start() -> None:
    with pytest.raises(EnvError, match=r"no game is played; call start\(\) first"):
        NativeEngine().act("look")


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (
            {"pddl_domain": workshop().file.pddl_domain[:900]},
            "the PDDL domain ends with . brackets open; it may be cut off",
        ),
        ({"pddl_problem": workshop().file.pddl_problem[:300]}, "the PDDL problem ends with . brackets open"),
        (
            {"grammar": workshop().file.grammar[:400]},
            "the grammar, line 1: there stands .*, where a text in quotes was",
        ),
        ({"grammar": workshop().file.grammar.replace("intro", "outro")}, "the grammar has no rule 'intro'"),
        (
            {"grammar": workshop().file.grammar.replace("action wait", "action rest")},
            "the grammar has no action 'wait', but",
        ),
        (
            {"grammar": workshop().file.grammar.replace("{q.name}", "{q.weight}")},
            "rule .*spot.*, line 2: the expression 'q.weight' is not supported",
        ),
        (
            {"grammar": workshop().file.grammar.replace("{q.name}", "{q.name()}")},
            "grammar's rule .*spot.*, line 2: the expr",
        ),
        (
            {"pddl_problem": workshop().file.pddl_problem.replace("(lamp shed_bar_2)", "(lamb shed_bar_2)")},
            "line 5: 'lamb' is no",
        ),
    ],
)
def test_a_damaged_game_is_refused_at_its_start(parts: dict[str, str], message: str) -> None:
    engine = NativeEngine()
    with pytest.raises(EnvError, match=message):
        engine.start(changed(**parts))


def test_a_rule_within_itself_is_refused() -> None:
    grammar = (
        workshop()
        .file.grammar.replace("You wait.", "#loop#")
        .replace('"list_empty"', '"loop": [{"rhs": "#loop#"}], "list_empty"')
    )
    engine = NativeEngine()
    engine.start(changed(grammar=grammar))
    assert "wait" not in engine.admissible, "an action without effects does not exist"
    grammar = grammar.replace("-= Workshop", "#loop#")
    with pytest.raises(EnvError, match="the rule 'loop' of the grammar refers to itself without end"):
        engine.start(changed(grammar=grammar))


def test_what_is_wrong_with_a_game_is_said_with_its_file() -> None:
    game = changed(pddl_problem=workshop().file.pddl_problem.replace("(lamp shed_bar_2)", "(lamb shed_bar_2)"))
    game = game._replace(path=Path("/games/one/game.tw-pddl"))
    with pytest.raises(EnvError, match=r"ALFWorld game /games/one/game\.tw-pddl: the PDDL problem, line 5: 'lamb' is"):
        NativeEngine().start(game)


def test_what_goes_wrong_in_play_is_said_with_the_file_and_changes_nothing(engine: NativeEngine) -> None:
    engine.start(changed(grammar=workshop().file.grammar.replace("It hums.", "{ghost.name}")))
    before = engine.save(), engine.key(), engine.admissible
    with pytest.raises(EnvError, match=r"ALFWorld game workshop: the grammar names 'ghost' where only \['a'\] are kn"):
        engine.act("power on")
    assert (engine.save(), engine.key(), engine.admissible) == before


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "& worn(t:thing)",
            "& worn(t:thing, p:place)",
            "rule 'drop.feedback', line 2: the condition 'worn' has 2 objects where it takes 1",
        ),
        (
            '"not_lies(t:thing, p:place)"',
            '"not_lies(t:thing)"',
            "rule 'drop.feedback', line 2: the condition 'not_lies' has 1 objects where it takes 2",
        ),
        (
            "[{x.name | oiled(x:part)}]",
            "[{x.name | oiled()}]",
            "action 'drop', line 7: the condition 'oiled' has 0 objects where it takes 1",
        ),
    ],
)
def test_a_condition_of_too_many_or_too_few_objects_is_refused(old: str, new: str, message: str) -> None:
    grammar = workshop().file.grammar
    assert old in grammar
    with pytest.raises(EnvError, match=message):
        NativeEngine().start(changed(grammar=grammar.replace(old, new)))


def test_a_file_that_names_another_format_is_refused(env: AlfworldEnv, attic: Any) -> None:
    attic.write(attic.lamp, json.dumps({"pddl_domain": "(define (domain attic))"}))
    with pytest.raises(EnvError, match="is not a readable ALFWorld game"):
        env.reset(options={"game_id": attic.lamp})


def test_a_step_after_the_end_is_refused(env: AlfworldEnv, attic: Any) -> None:
    env.reset(options={"game_id": attic.lamp})
    for command in attic.game("lamp")["walkthrough"]:
        _, reward, terminated, _, info = env.step(command)
    assert (reward, terminated, info["success"]) == (1.0, True, True)
    with pytest.raises(EnvError, match="the episode is over"):
        env.step("look")


def test_threads_on_one_game_see_what_one_alone_sees() -> None:
    def transcript(seed: int) -> str:
        return digest(play(NativeEngine(), workshop(), steps=80, seed=seed))

    alone = [transcript(seed) for seed in range(8)]
    worlds._alive.clear()  # so that the threads work the game out together
    worlds._latest.clear()
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(transcript, range(8))) == alone


def test_threads_that_share_a_planner_get_the_answers_of_one_alone() -> None:
    def answers(seed: int) -> list[Oracle | None]:
        engine, rng, told = NativeEngine(), random.Random(seed), []
        engine.start(workshop())
        for _ in range(30):
            told.append(engine.oracle())
            engine.act(rng.choice(engine.admissible))
        return told

    alone = [answers(seed) for seed in range(8)]
    worlds._alive.clear()
    worlds._latest.clear()
    switching = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(answers, range(8))) == alone
    finally:
        sys.setswitchinterval(switching)


def test_playing_one_game_again_and_again_keeps_the_others() -> None:
    worlds._latest.clear()
    other = changed(grammar=workshop().file.grammar.replace("You wait.", "Time passes."))
    kept = world_of(other)
    for _ in range(2 * worlds.KEPT):
        world_of(workshop())
    assert kept in worlds._latest.values()
    assert len(worlds._latest) == 2
