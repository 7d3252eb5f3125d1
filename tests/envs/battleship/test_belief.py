"""What a player may believe, against counting every arrangement one by one."""

from __future__ import annotations

import random

import numpy as np
import pytest
from battleship_rules import Event, arrangements, posterior
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_critic.envs.battleship import BattleshipEnv, Sight, Waters, believe, draw_fleet
from agentgym_critic.envs.battleship import belief as module
from agentgym_critic.envs.battleship.waters import cells
from agentgym_critic.envs.battleship.words import regions

BOARDS = [(3, 4, [3, 2]), (4, 4, [3, 2, 2]), (2, 6, [2, 2, 1]), (1, 8, [2, 1]), (4, 3, [1, 1, 1]), (5, 3, [3, 2])]


def as_cells(mask: int, cols: int) -> frozenset[tuple[int, int]]:
    return frozenset(divmod(cell, cols) for cell in cells(mask))


def played(env: BattleshipEnv, seed: int, steps: int) -> list[Event]:
    """A random game up to a point, as its events in words of the test's own rules."""
    rng, events = random.Random(seed), []
    _, info = env.reset(seed=seed)
    for _ in range(steps):
        action = rng.choice(info["admissible_actions"])
        before = env.sight
        verb, _, what = action.partition(" ")
        observation, _, terminated, _, info = env.step(action)
        after, cols = env.sight, env.sight.cols
        if verb == "ask":
            yes = observation.startswith(f"A ship in {what}? Yes.")
            events.append(Event("ask", as_cells(regions(after.rows, cols)[what], cols), yes))
        else:
            cell = ("ABCDEFGH".index(what[0]), int(what[1:]) - 1)
            sunk = as_cells(after.sunk & ~before.sunk, cols)
            events.append(Event("fire", frozenset([cell]), sunk or ("hit" if ": hit." in observation else "water")))
        if terminated:
            break
    return events


@given(
    board=st.sampled_from(BOARDS),
    seed=st.integers(0, 10_000),
    steps=st.integers(0, 12),
    noise=st.sampled_from([0.0, 0.1, 0.4]),
)
@settings(max_examples=60, deadline=None)
def test_it_is_that_of_all_arrangements(board: tuple[int, int, list[int]], seed: int, steps: int, noise: float) -> None:
    rows, cols, fleet = board
    env = BattleshipEnv(rows=rows, cols=cols, fleet=fleet, shots=rows * cols, questions=4, noise=noise)
    events = played(env, seed, steps)
    belief = env.posterior()
    assert belief.exact
    expected = posterior(rows, cols, sorted(fleet, reverse=True), events, noise)
    np.testing.assert_allclose(belief.chances, [[expected[r, c] for c in range(cols)] for r in range(rows)], atol=1e-12)


@pytest.mark.parametrize(
    "hits", [["A1", "A2"], ["A1", "B1"], ["B2", "B3"], ["A1", "A2", "B1"], ["A1", "A2", "B1", "B2"]]
)
def test_a_ship_that_is_afloat_is_not_hit_all_over(hits: list[str]) -> None:
    struck = [("ABCD".index(name[0]), int(name[1]) - 1) for name in hits]
    events = [Event("fire", frozenset([cell]), "hit") for cell in struck]
    belief = believe(Sight(4, 5, (4, 3, 2), 0, sum(1 << r * 5 + c for r, c in struck), 0))
    expected = posterior(4, 5, (4, 3, 2), events, 0.0)
    np.testing.assert_allclose(belief.chances, [[expected[r, c] for c in range(5)] for r in range(4)], atol=1e-12)


@given(seed=st.integers(0, 1_000), steps=st.integers(0, 30))
@settings(max_examples=15, deadline=None)
def test_it_adds_up_to_the_cells_of_the_fleet(seed: int, steps: int) -> None:
    env = BattleshipEnv(rows=6, cols=7, fleet=(4, 3, 3), questions=3, shots=42)
    played(env, seed, steps)
    belief = env.posterior()
    assert belief.chances.sum() == pytest.approx(10)
    assert belief.chances.min() >= 0
    assert belief.chances.max() <= 1 + 1e-12
    shot = as_cells(env.sight.shot, 7)
    hit = as_cells(env.sight.hit | env.sight.sunk, 7)
    assert all(belief.chances[cell] == (cell in hit) for cell in shot)


def test_the_default_game_is_counted_whole() -> None:
    belief = believe(Sight(8, 8, (5, 4, 3, 2), 0, 0, 0))
    assert belief.exact
    assert belief.arrangements == 21_354_072
    np.testing.assert_allclose(belief.chances, belief.chances.T)
    np.testing.assert_allclose(belief.chances, belief.chances[::-1])
    assert not belief.chances.flags.writeable


def test_it_looks_at_nothing_hidden() -> None:
    """Two boards that look the same are believed the same."""
    seen: dict[Sight, list[float]] = {}
    env, repeated = BattleshipEnv(rows=3, cols=4, fleet=(2,), shots=12), 0
    for seed in range(30):
        for steps in range(3):
            played(env, seed, 0)
            for action in ("fire A1", "fire C4", "fire B2")[:steps]:
                env.step(action)
            believed = env.posterior().chances.tolist()
            repeated += env.sight in seen
            assert seen.setdefault(env.sight, believed) == believed
    assert repeated > 20


def test_a_fleet_too_large_is_sampled_the_same_way_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    sight = Sight(6, 6, (4, 3, 3, 2), 1 << 9, 1 << 20, 0)
    exact = believe.__wrapped__(sight)
    for limit in ("LAID", "COUNTED", "SAMPLED"):
        monkeypatch.setattr(module, limit, 40_000)
    sampled, again = believe.__wrapped__(sight), believe.__wrapped__(sight)
    assert exact.exact
    assert not sampled.exact
    assert sampled.arrangements < exact.arrangements / 4
    assert sampled.chances.tolist() == again.chances.tolist()
    np.testing.assert_allclose(sampled.chances, exact.chances, atol=0.12)
    assert sampled.chances.sum() == pytest.approx(12)


def test_where_no_sample_fits_hidden_cells_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    sight = Sight(4, 4, (3, 2), 0, 0b11, 0)
    for limit in ("COUNTED", "SAMPLED"):
        monkeypatch.setattr(module, limit, 0)
    belief = believe.__wrapped__(sight)
    assert (belief.exact, belief.arrangements) == (False, 0)
    assert belief.chances.tolist()[0] == [1, 1, 3 / 14, 3 / 14]


def test_every_arrangement_is_drawn_equally_often() -> None:
    waters, draws = Waters(2, 3, (2, 1)), 6_000
    rng = np.random.default_rng(1)
    seen: dict[tuple[int, ...], int] = {}
    for _ in range(draws):
        fleet = draw_fleet(rng, waters)
        seen[fleet] = seen.get(fleet, 0) + 1
    there = {tuple(sum(1 << r * 3 + c for r, c in ship) for ship in fleet) for fleet in arrangements(2, 3, (2, 1))}
    assert seen.keys() == there
    expected = draws / len(there)
    chi_squared = sum((count - expected) ** 2 / expected for count in seen.values())
    assert chi_squared < 60  # 27 degrees of freedom: exceeded once in 4,000 seeds
