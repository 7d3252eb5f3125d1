"""Rules about seeds: the same seed is the same episode, wherever, whenever and beside whatever it is played."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import zip_longest

import numpy as np

from agentgym_critic.envs.checks.bench import Bench, Moment, Rule, compare, play, shown
from agentgym_critic.envs.checks.elsewhere import play_elsewhere

__all__ = ["RULES"]

_DRAW = "draw only from the rng that _begin is given"


def same_seed_again(bench: Bench) -> Iterator[str]:
    """The same environment plays the same episode again, whatever it played in between."""
    with bench.fresh() as env:
        for seed in (*bench.seeds, *bench.seeds):
            if problem := compare(bench.episode(seed), list(play(env, seed, bench.steps))):
                yield f"seed {seed} played again: {problem}; let reset forget everything, and {_DRAW}"


def same_seed_in_another(bench: Bench) -> Iterator[str]:
    """Another environment plays the same episode."""
    for seed in bench.seeds:
        if problem := compare(bench.episode(seed), _episode_in_another(bench, seed)):
            yield f"seed {seed} in another instance: {problem}; {_DRAW}"


def same_seed_interleaved(bench: Bench) -> Iterator[str]:
    """Two environments played in turns do not disturb each other."""
    first, second = bench.seeds[0], bench.seeds[-1]
    with bench.fresh() as one, bench.fresh() as other:
        pairs = list(zip_longest(play(one, first, bench.steps), play(other, second, bench.steps)))
    for seed, moments in zip((first, second), zip(*pairs, strict=True), strict=True):
        if problem := compare(bench.episode(seed), [moment for moment in moments if moment]):
            yield f"seed {seed} in turns with another: {problem}; share no state between instances"


def same_seed_in_threads(bench: Bench) -> Iterator[str]:
    """Environments played in several threads at once do not disturb each other."""
    seeds = [*bench.seeds, *bench.seeds]
    for seed in bench.seeds:
        bench.episode(seed)
    with ThreadPoolExecutor(max_workers=4) as pool:
        episodes = list(pool.map(lambda seed: _episode_in_another(bench, seed), seeds))
    for seed, episode in zip(seeds, episodes, strict=True):
        if problem := compare(bench.episode(seed), episode):
            yield f"seed {seed} in a thread: {problem}; share no state between instances, or lock it"


def same_seed_in_a_process(bench: Bench) -> Iterator[str]:
    """Another process, with other hashes and modules imported in another order, plays the same episodes."""
    if not bench.another_process:
        return
    with bench.fresh() as env:
        elsewhere = play_elsewhere(env, bench.seeds, bench.steps)
    for seed, episode in elsewhere.items():
        if problem := compare(bench.episode(seed), episode):
            yield f"seed {seed} in another process: {problem}; {_DRAW}, and iterate over no set"


def reset_without_seed(bench: Bench) -> Iterator[str]:
    """After a seeded episode the unseeded next one is determined too."""
    seed, episodes = bench.seeds[0], []
    for _ in range(2):
        with bench.fresh() as env:
            env.reset(seed=seed)
            episodes.append(list(play(env, None, bench.steps)))
    if problem := compare(*episodes):
        yield f"reset() after reset(seed={seed}): {problem}; {_DRAW}"


def global_random_state(bench: Bench) -> Iterator[str]:
    """The global generators of `random` and NumPy neither decide an episode nor are moved by it."""
    seed = bench.seeds[0]
    for other in (1, 2):
        with _global_seed(other):
            before = _global_state()
            episode = _episode_in_another(bench, seed)
            if _global_state() != before:
                yield f"an episode changed the global state of random or numpy.random; {_DRAW}"
        if problem := compare(bench.episode(seed), episode):
            yield f"under another global random state: {problem}; {_DRAW}"


def noise_between_steps(bench: Bench) -> Iterator[str]:
    """An episode is the same if others set the global generators anew before each of its steps."""
    seed, played = bench.seeds[0], []
    with _global_seed(3), bench.fresh() as env:
        for moment in play(env, seed, bench.steps):
            played.append(moment)
            random.seed(len(played))
            np.random.seed(len(played))
    if problem := compare(bench.episode(seed), played):
        yield f"with global generators set anew before each step {problem}; {_DRAW}, and keep it"


def seeds_differ(bench: Bench) -> Iterator[str]:
    """Not all seeds begin alike, unless there is one task only."""
    starts = {shown(bench.episode(seed)[0]) for seed in bench.seeds}
    keys = {shown(bench.episode(seed)[0].info.get("state_key")) for seed in bench.seeds}
    if len(bench.seeds) > 1 and len(starts) == len(keys) == 1 and not bench.single_task:
        yield f"seeds {bench.seeds} all begin alike; draw from the rng of _begin, or pass single_task=True"


def _episode_in_another(bench: Bench, seed: int) -> list[Moment]:
    with bench.fresh() as env:
        return list(play(env, seed, bench.steps))


@contextmanager
def _global_seed(seed: int) -> Iterator[None]:
    saved = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed)
    try:
        yield
    finally:
        random.setstate(saved[0])
        np.random.set_state(saved[1])


def _global_state() -> tuple[object, str]:
    return random.getstate(), repr(np.random.get_state(legacy=False))


RULES: tuple[Rule, ...] = (
    same_seed_again,
    same_seed_in_another,
    same_seed_interleaved,
    same_seed_in_threads,
    same_seed_in_a_process,
    reset_without_seed,
    global_random_state,
    noise_between_steps,
    seeds_differ,
)
