"""What is no snapshot of the game that is played is refused, and nothing has changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from agentgym_critic.envs.alfworld import AlfworldEnv, make_alfworld
from agentgym_critic.envs.base import Snapshot
from agentgym_critic.errors import EnvError

ENGINES = ("native", "reference")


@pytest.fixture(params=ENGINES)
def env(request: pytest.FixtureRequest, attic: Any) -> Iterator[AlfworldEnv]:
    if request.param == "reference":
        pytest.importorskip("textworld")
        pytest.importorskip("alfworld")
    env = make_alfworld(request.param, **attic.settings())
    env.reset(options={"game_id": attic.lamp})
    env.step("look")
    yield env
    env.close()


def refused(env: AlfworldEnv, snapshot: Any, message: str) -> None:
    before = env.current(), env.snapshot()
    with pytest.raises(EnvError, match=message):
        env.restore(snapshot)
    assert (env.current(), env.snapshot()) == before
    assert not env.step("go to shelf 2")[4]["invalid_action"]


@pytest.mark.parametrize(
    ("saved", "message"),
    [
        ("text", "a saved state .* got str"),
        (None, "a saved state .* got NoneType"),
        (True, "a saved state .* got bool"),
        (1.5, "a saved state .* got float"),
    ],
)
def test_a_state_of_another_kind_is_refused(env: AlfworldEnv, attic: Any, saved: Any, message: str) -> None:
    refused(env, env.snapshot()._replace(world=(attic.lamp, saved)), message)


@pytest.mark.parametrize("world", [None, 3, "text", (), ("one", "two", "three"), (1, 2)])
def test_the_world_of_another_environment_is_refused(env: AlfworldEnv, world: Any) -> None:
    seen = type(world).__name__
    refused(env, Snapshot(world, "", 0, True, False, ""), f"the snapshot is of no ALFWorld game, but holds a {seen}")


@pytest.mark.parametrize("saved", [-1, 1 << 100_000], ids=["negative", "long"])
def test_a_number_that_is_no_state_of_the_game_is_refused(attic: Any, saved: int) -> None:
    env = make_alfworld("native", **attic.settings())
    env.reset(options={"game_id": attic.lamp})
    message = (
        rf"a saved state of this game in engine native 1 is a number of up to \d+ bits, got .* {saved.bit_length()}"
    )
    refused(env, env.snapshot()._replace(world=(attic.lamp, saved)), message)
    env.close()


def test_the_snapshot_of_the_other_engine_is_refused(attic: Any) -> None:
    pytest.importorskip("textworld")
    pytest.importorskip("alfworld")
    native, reference = (make_alfworld(engine, **attic.settings()) for engine in ENGINES)
    for env in (native, reference):
        env.reset(options={"game_id": attic.lamp})
    refused(native, reference.snapshot(), "a saved state of this game in engine native 1 is a number .* got SavedState")
    refused(reference, native.snapshot(), "a saved state in textworld .*, engine reference is a SavedState, got int")
    native.close()
    reference.close()
