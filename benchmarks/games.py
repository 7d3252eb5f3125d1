"""Sokoban and 2048 beside those of gem-llm and TextArena: one JSON line.

    python benchmarks/games.py [--rounds 3] [--peers-python PATH]

Peers run in an environment of their own, which is built in the cache folder when it is missing,
or in the one whose interpreter is named. The implementations take turns, one processor core at a
time, so that what else the machine does meets all of them.

- *Speed*: Sokoban of 6 x 6 with three boxes and at most 100 steps, and 2048 on 4 x 4 without a
  step limit. Each plays the seeds from 0 on, moves drawn from the four directions, whole episodes,
  `reset` included. Rates are steps per second of processor time, medians over the rounds; times of
  `reset` and of `step` are over all rounds.
- *Conformance*: the same moves on the same boards, put into the peers, and what their own `step`
  makes of them. 2048 must agree in all but the tile that chance adds: one, of 2 or 4, on a cell
  that was left empty, and none where the move is illegal. Sokoban must agree after every move.

Exits with 1 if an implementation disagrees.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

from games_peers import DIRECTIONS, timed

from agentgym_critic.cache import cache_folder
from agentgym_critic.envs import TextEnv
from agentgym_critic.envs.game2048 import Game2048Env
from agentgym_critic.envs.game2048.board import lines_of
from agentgym_critic.envs.sokoban import SokobanEnv

PEERS = ("gem-llm==0.1.0", "textarena==0.7.4")
WORKER = Path(__file__).with_name("games_peers.py")
CODES = {"#": 0, "-": 1, ".": 2, "*": 3, "$": 4, "@": 5, "+": 5}
"""How both peers write what is on a cell of Sokoban."""
FIXED = {"#": 0, "-": 1, "$": 1, "@": 1, ".": 2, "*": 2, "+": 2}
"""The same without boxes and player."""
STEPS_2048 = {"ours": 60_000, "gem": 20_000, "textarena": 4_000}
"""Steps of a round, at least."""


class Ours:
    """An environment of this package behind the calls that the timing makes."""

    def __init__(self, env: TextEnv) -> None:
        self.env = env

    def reset(self, seed: int) -> None:
        self.env.reset(seed=seed)

    def step(self, direction: str) -> bool:
        _, _, terminated, truncated, _ = self.env.step(direction)
        return terminated or truncated


def peers_python(named: Path | None) -> Path:
    """The interpreter that has the peers; builds its environment if none is named and none is there."""
    if named:
        return named
    folder = cache_folder() / "benchmark-games-peers"
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    ready = folder / "ready.json"
    if not ready.exists() or json.loads(ready.read_text()) != list(PEERS):
        print(f"installing {' '.join(PEERS)} in {folder}", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PEERS], check=True, stdout=sys.stderr)
        ready.write_text(json.dumps(PEERS))
    return python


def ask(python: Path, **request: Any) -> Any:
    """One answer of the peers' side."""
    done = subprocess.run([python, WORKER], input=json.dumps(request), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{WORKER.name} failed on {request['peer']}:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])  # peers may have printed before


def speed(python: Path, game: str, work: dict[str, dict[str, int]], rounds: int) -> dict[str, Any]:
    """Rates and times of each implementation, and how many times as fast as each peer ours is."""
    seen: dict[str, list[dict[str, Any]]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, amount in work.items():
            if name == "ours":
                env = SokobanEnv(size=6, boxes=3, max_steps=100) if game == "sokoban" else Game2048Env(max_steps=None)
                seen[name].append(timed(Ours(env), **amount))
            else:
                seen[name].append(ask(python, task="timed", peer=name, game=game, **amount))
    result: dict[str, Any] = {name: _summary(each) for name, each in seen.items()}
    ours = result["ours"]["steps_per_second"]
    result["times"] = {name: round(ours / result[name]["steps_per_second"], 1) for name in work if name != "ours"}
    return result


def _summary(rounds: list[dict[str, Any]]) -> dict[str, Any]:
    rates = [each["steps"] / each["seconds"] for each in rounds]
    return {
        "steps_per_second": round(statistics.median(rates)),
        "rounds": [round(rate) for rate in rates],
        "steps": sum(each["steps"] for each in rounds),
        "episodes": sum(each["episodes"] for each in rounds),
        "reset_ms": _cuts([time for each in rounds for time in each["resets_ms"]]),
        "step_us": _cuts([time for each in rounds for time in each["steps_us"]]),
    }


def _cuts(times: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(times, n=100)
    return {"median": round(cuts[49], 3), "p99": round(cuts[98], 3)}


def cases_2048(count: int) -> list[dict[str, Any]]:
    """Boards of games, sparse and full, and boards of chance, each with a direction."""
    rng, env = random.Random(1), Game2048Env(max_steps=None)
    boards: list[list[list[int]]] = []
    while len(boards) < count // 2:
        _, info = env.reset(seed=len(boards))
        while legal := info["admissible_actions"]:
            boards.append(env.board)
            info = env.step(rng.choice(legal))[4]
    boards = boards[: count // 2]
    while len(boards) < count:
        boards.append([[rng.choice((0, 2, 2, 4, 8, 1024)) for _ in range(4)] for _ in range(4)])
    return [{"board": board, "direction": rng.choice(DIRECTIONS)} for board in boards]


def conformance_2048(python: Path, cases: list[dict[str, Any]]) -> dict[str, Any]:
    """How often the step of each implementation differs from what sliding makes of the board."""
    expected = [_slid(**case) for case in cases]
    answers = {"ours": _stepped(cases)}
    for peer in ("gem", "textarena"):
        answers[peer] = ask(python, task="replay", peer=peer, game="2048", cases=cases)
    illegal = sum(board == case["board"] for (board, _), case in zip(expected, cases, strict=True))
    return {"moves": len(cases), "illegal": illegal} | {
        name: {"differences": sum(not _agree(*each) for each in zip(cases, expected, answer, strict=True))}
        for name, answer in answers.items()
    }


def _slid(board: list[list[int]], direction: str) -> tuple[list[list[int]], int]:
    """The board after the move and before a tile is added, and the points, by the table that `step` uses."""
    slid, points = lines_of(_levels(board), 4).moved(direction)
    numbers = [1 << level if level else 0 for level in slid]
    return [numbers[row : row + 4] for row in range(0, 16, 4)], points


def _stepped(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    env, answers = Game2048Env(target=131072, max_steps=None), []
    env.reset(seed=0)
    start = env.snapshot()
    for case in cases:
        env.restore(start._replace(world=start.world._replace(board=_levels(case["board"]))))
        env.step(case["direction"])
        answers.append({"board": env.board, "points": env.score})
    return answers


def _levels(board: list[list[int]]) -> bytes:
    return bytes(number.bit_length() - 1 if number else 0 for row in board for number in row)


def _agree(case: dict[str, Any], expected: tuple[list[list[int]], int], answer: dict[str, Any]) -> bool:
    slid, points = expected
    rows = zip(slid, answer["board"], strict=True)
    added = [pair for old, new in rows for pair in zip(old, new, strict=True) if pair[0] != pair[1]]
    right = not added if slid == case["board"] else added in ([(0, 2)], [(0, 4)])
    return right and answer["points"] in (None, points)


def cases_sokoban(count: int) -> tuple[list[dict[str, Any]], list[list[Any]]]:
    """Levels with the moves of a random player, illegal ones too, and our room after each move."""
    rng, env, levels, rooms = random.Random(2), SokobanEnv(size=6, boxes=3, max_steps=100), [], []
    for seed in range(count):
        picture, _ = env.reset(seed=seed)
        level: dict[str, Any] = {"fixed": _coded(picture, FIXED), "start": _coded(picture, CODES), "actions": []}
        walked, over = [], False
        while not over:
            level["actions"].append(rng.choice(DIRECTIONS))
            observation, _, terminated, truncated, _ = env.step(level["actions"][-1])
            walked.append(_coded(observation.split("\n\n")[-1], CODES))
            over = terminated or truncated
        levels.append(level)
        rooms.append(walked)
    return levels, rooms


def _coded(picture: str, codes: dict[str, int]) -> list[list[int]]:
    return [[codes[symbol] for symbol in row] for row in picture.split("\n")]


def conformance_sokoban(python: Path, count: int) -> dict[str, Any]:
    """After how many moves each peer's room differs from ours."""
    levels, rooms = cases_sokoban(count)
    flat = [room for walked in rooms for room in walked]
    result: dict[str, Any] = {"levels": count, "moves": len(flat)}
    for peer in ("gem", "textarena"):
        answers = ask(python, task="replay", peer=peer, game="sokoban", cases=levels)
        theirs = [room for walked in answers for room in walked]
        result[peer] = {"differences": sum(left != right for left, right in zip(flat, theirs, strict=True))}
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers-python", type=Path, metavar="PATH", help="an interpreter that has the peers")
    given = parser.parse_args()
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    python = peers_python(given.peers_python)
    conformance = {
        "sokoban": conformance_sokoban(python, 100),
        "game2048": conformance_2048(python, cases_2048(4000)),
    }
    sokoban = {"ours": {"episodes": 1000, "steps": 0}, "gem": {"episodes": 60, "steps": 0}}
    game2048 = {name: {"episodes": 0, "steps": steps} for name, steps in STEPS_2048.items()}
    result = {
        "benchmark": "games",
        "peers": PEERS,
        "python": {"ours": platform.python_version(), "peers": ask(python, task="version", peer="both")},
        "cpus": os.cpu_count(),
        "sokoban_6x6_3_boxes": {"aim_times": {"gem": 15}, **speed(python, "sokoban", sokoban, given.rounds)},
        "game2048_4x4": {"aim_times": {"gem": 2, "textarena": 10}, **speed(python, "2048", game2048, given.rounds)},
        "conformance": conformance,
    }
    print(json.dumps(result))
    if any(part["differences"] for game in conformance.values() for part in game.values() if isinstance(part, dict)):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
