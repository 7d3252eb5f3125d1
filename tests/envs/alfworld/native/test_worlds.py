"""Compiled games are shared, and a slow one holds up nobody else."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace
from workshop import workshop

from agentgym_critic.envs.alfworld.files import Game, GameFile
from agentgym_critic.envs.alfworld.native import worlds
from agentgym_critic.envs.alfworld.native.world import World
from agentgym_critic.envs.alfworld.native.worlds import world_of
from agentgym_critic.errors import EnvError

PATIENCE_SECONDS = 60.0


def another(said: str) -> Game:
    game = workshop()
    return game._replace(file=replace(game.file, grammar=game.file.grammar.replace("You wait.", said)))


class Workbench:
    """Compiles worlds; the game called slow waits until it is told to go on."""

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.compiled: list[GameFile] = []

    def __call__(self, file: GameFile) -> World:
        self.compiled.append(file)
        if "slow" in file.grammar:
            self.begun.set()
            assert self.go_on.wait(PATIENCE_SECONDS)
        return World(file)


@pytest.fixture
def workbench(monkeypatch: pytest.MonkeyPatch) -> Workbench:
    bench = Workbench()
    monkeypatch.setattr(worlds, "World", bench)
    return bench


def test_a_slow_game_holds_up_no_other(workbench: Workbench) -> None:
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(world_of, another("This is slow."))
        try:
            assert workbench.begun.wait(PATIENCE_SECONDS)
            quick = world_of(another("This is quick."))
            assert not slow.done()
        finally:
            workbench.go_on.set()
        assert slow.result(PATIENCE_SECONDS) is not quick


def test_who_wants_the_same_game_waits_for_it(workbench: Workbench) -> None:
    game = another("This is slow, too.")
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(world_of, game)
        assert workbench.begun.wait(PATIENCE_SECONDS)
        others = [pool.submit(world_of, game) for _ in range(3)]
        workbench.go_on.set()
        assert {first.result(PATIENCE_SECONDS)} == {one.result(PATIENCE_SECONDS) for one in others}
    assert workbench.compiled == [game.file]


def test_no_lock_outlives_its_game() -> None:
    world_of(another("Once."))
    bad = another("Twice.")
    bad = bad._replace(file=replace(bad.file, pddl_problem=""))
    with pytest.raises(EnvError, match="ALFWorld game workshop: the PDDL problem: '' stands where"):
        world_of(bad)
    assert not worlds._compiling


def test_what_is_no_error_of_ours_is_blamed_on_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(file: GameFile) -> World:
        raise ValueError("out of bolts")

    monkeypatch.setattr(worlds, "World", broken)
    with pytest.raises(EnvError, match="ALFWorld game workshop raised ValueError: out of bolts"):
        world_of(another("Never."))
