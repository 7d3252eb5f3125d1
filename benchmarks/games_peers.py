"""The peers' side of games.py: times and replays the Sokoban and 2048 of gem-llm and TextArena.

Runs in an environment where these are installed and this package is not. Reads one JSON request
from standard input and writes one JSON answer; games.py says what is asked. Peers are used as
their users use them: Gem's classes, TextArena's `make` with its default wrappers for the timing
and the bare class for the replay, where boards are put into it.
"""

from __future__ import annotations

import importlib
import json
import platform
import random
import sys
import time
from typing import Any

DIRECTIONS = ("down", "left", "right", "up")


def _loaded(module: str, name: str) -> Any:
    """A class of a peer, which type checkers do not see."""
    return getattr(importlib.import_module(module), name)


class Gem:
    """Gem's environments behind the calls that the timing makes."""

    def __init__(self, game: str) -> None:
        if game == "sokoban":
            kind = _loaded("gem.envs.game_env.sokoban", "SokobanEnv")
            self.env = kind(dim_room=(6, 6), num_boxes=3, max_turns=100)
        else:
            self.env = _loaded("gem.envs.game_env.game_2048", "Game2048Env")(target_tile=2048, max_turns=10**9)

    def reset(self, seed: int) -> None:
        self.env.reset(seed=seed)

    def step(self, direction: str) -> bool:
        _, _, terminated, truncated, _ = self.env.step(f"\\boxed{{{direction}}}")
        return bool(terminated or truncated)


class TextArena:
    """TextArena's 2048; the observation is fetched, as an agent does before each action."""

    def __init__(self, game: str) -> None:
        self.env = _loaded("textarena", "make")(f"{game}-v0")

    def reset(self, seed: int) -> None:
        self.env.reset(num_players=1, seed=seed)
        self.env.get_observation()

    def step(self, direction: str) -> bool:
        done, _ = self.env.step(f"[{direction}]")
        self.env.get_observation()
        return bool(done)


def timed(env: Any, episodes: int, steps: int) -> dict[str, Any]:
    """Random play: so many episodes, or as many as so many steps fill; times are of the processor."""
    rng = random.Random(0)
    resets_ms, steps_us, taken, seed = [], [], 0, 0
    began = time.process_time()
    while seed < episodes or taken < steps:
        before = time.process_time()
        env.reset(seed)
        resets_ms.append(1e3 * (time.process_time() - before))
        over = False
        while not over:
            over = env.step(rng.choice(DIRECTIONS))
            taken += 1
        seed += 1
    used, episodes, over = time.process_time() - began, seed, True
    for _ in range(min(taken, 3000)):
        if over:
            env.reset(seed)
            seed += 1
        before = time.process_time()
        over = env.step(rng.choice(DIRECTIONS))
        steps_us.append(1e6 * (time.process_time() - before))
    return {"steps": taken, "episodes": episodes, "seconds": used, "resets_ms": resets_ms, "steps_us": steps_us}


def replay_2048(peer: str, cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each board and direction the board after the peer's own step, and the points where it counts them."""
    if peer == "gem":
        env = _loaded("gem.envs.game_env.game_2048", "Game2048Env")(target_tile=2**20, max_turns=10**9)
        return [_gem_2048(env, **case) for case in cases]
    env = _loaded("textarena.envs.Game2048.env", "Game2048Env")(target_tile=2**20)
    return [_textarena_2048(env, **case) for case in cases]


def _gem_2048(env: Any, board: list[list[int]], direction: str) -> dict[str, Any]:
    env.board = [row.copy() for row in board]
    env.step(f"\\boxed{{{direction}}}")
    return {"board": env.board, "points": None}


def _textarena_2048(env: Any, board: list[list[int]], direction: str) -> dict[str, Any]:
    env.reset(num_players=1, seed=0)
    state = env.state.game_state
    state["board"], state["score"] = [row.copy() for row in board], 0
    env.step(f"[{direction}]")
    return {"board": state["board"], "points": state["score"]}


def replay_sokoban(peer: str, levels: list[dict[str, Any]]) -> list[list[Any]]:
    """For each level the peer's room after each of its actions."""
    if peer == "gem":
        env = _loaded("gem.envs.game_env.sokoban", "SokobanEnv")(dim_room=(6, 6), num_boxes=3, max_turns=10**9)
        return [_walked(env, "\\boxed{{{}}}", **level) for level in levels]
    env = _loaded("textarena.envs.Sokoban.env", "SokobanEnv")(dim_room=(6, 6), num_boxes=3, max_turns=10**9)
    return [_walked(env, "[{}]", **level) for level in levels]


def _walked(env: Any, form: str, fixed: Any, start: Any, actions: list[str]) -> list[Any]:
    numpy = importlib.import_module("numpy")
    if hasattr(env, "get_board_str"):  # TextArena's, whose bookkeeping ends an episode after two illegal moves
        env.reset(num_players=1, seed=0)
        env.state.error_allowance = 10**9
    env.room_fixed, env.room_state = numpy.array(fixed), numpy.array(start)
    env.player_position = numpy.argwhere(env.room_state == 5)[0]
    rooms = []
    for action in actions:
        env.step(form.format(action))
        rooms.append(env.room_state.tolist())
    return rooms


def answer(request: dict[str, Any]) -> Any:
    task, peer = request["task"], request["peer"]
    if task == "version":
        return platform.python_version()
    if task == "timed":
        kind = {"gem": Gem, "textarena": TextArena}[peer]
        return timed(kind(request["game"]), request["episodes"], request["steps"])
    replay: Any = replay_2048 if request["game"] == "2048" else replay_sokoban
    return replay(peer, request["cases"])


if __name__ == "__main__":
    json.dump(answer(json.load(sys.stdin)), sys.stdout)
