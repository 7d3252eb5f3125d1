"""Compare the native engine with the reference, game by game.

    python -m agentgym_critic.envs.alfworld.conformance GAMES… [--steps 30] [--seed 0]
    python -m agentgym_critic.envs.alfworld.conformance GAMES… --record FILE [--once]
    python -m agentgym_critic.envs.alfworld.conformance GAMES… --against FILE

GAMES are ``game.tw-pddl`` files, or folders that are searched for them. Each game's walkthrough
is played, then random legal commands, with illegal commands among them. ``--record`` plays the
reference alone and adds hashes of what it says to FILE, as often as it takes; ``--against`` plays
the native engine alone and compares with FILE. One line for each difference, then one JSON line;
exit code 1 if there was any.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from agentgym_critic.envs.alfworld.conformance.compare import first_difference
from agentgym_critic.envs.alfworld.conformance.once import parsed_once
from agentgym_critic.envs.alfworld.conformance.record import Recorded, game_key, load, save
from agentgym_critic.envs.alfworld.conformance.transcript import digest, play
from agentgym_critic.envs.alfworld.files import Game, read_game
from agentgym_critic.envs.alfworld.index import GAME_FILE
from agentgym_critic.envs.alfworld.native.engine import NativeEngine
from agentgym_critic.envs.alfworld.reference import ReferenceEngine
from agentgym_critic.errors import AgentGymError, ConfigError
from agentgym_critic.types import to_json

SAVED_EVERY_SECONDS = 30.0

STEPS = 30


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    given = _parser().parse_args(arguments)
    if given.against and (given.once or given.steps is not None or given.seed is not None):
        print("error: --steps, --seed and --once are those of the record; leave them out", file=sys.stderr)
        return 2
    steps, seed = STEPS if given.steps is None else given.steps, given.seed or 0
    try:
        games = _games(given.games)[: given.limit]
        with parsed_once() if given.once else contextlib.nullcontext():
            if given.record:
                summary = _record(games, given.record, steps, seed, given.once)
            elif given.against:
                summary = _against(games, load(given.against))
            else:
                summary = _side_by_side(games, steps, seed)
    except AgentGymError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(json.dumps(summary))
    return 1 if summary.get("differences") else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m agentgym_critic.envs.alfworld.conformance", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("games", nargs="+", type=Path)
    parser.add_argument("--steps", type=int, help=f"random commands after the walkthrough; {STEPS} unless given")
    parser.add_argument("--seed", type=int, help="of the random commands; 0 unless given")
    parser.add_argument("--limit", type=int, help="play so many of the games, equally of each split and type")
    alone = parser.add_mutually_exclusive_group()
    alone.add_argument("--record", type=Path, metavar="FILE", help="play the reference alone and record it")
    alone.add_argument("--against", type=Path, metavar="FILE", help="play the native engine alone, against a record")
    parser.add_argument("--once", action="store_true", help="let the reference parse each of its texts only once")
    return parser


def _games(paths: Sequence[Path]) -> list[Path]:
    found = {file for path in paths for file in (path.rglob(GAME_FILE) if path.is_dir() else [path])}
    if not found:
        raise ConfigError(f"there is no {GAME_FILE} in {', '.join(map(str, paths))}")
    return in_turn(sorted(found, key=lambda file: game_key(_id(file))))


def in_turn(games: Sequence[Path]) -> list[Path]:
    """One game of each split and task type, then a second of each, and so on."""
    seen: Counter[tuple[str, str]] = Counter()
    turns: list[tuple[int, int]] = []
    for file in games:
        kind = (file.parent.parent.parent.name, file.parent.parent.name.partition("-")[0])
        turns.append((seen[kind], len(turns)))
        seen[kind] += 1
    return [games[place] for _, place in sorted(turns)]


def _id(file: Path) -> str:
    return f"{file.parent.parent.name}/{file.parent.name}"


def _read(file: Path) -> Game:
    return read_game(file.parent.parent.parent, _id(file))


def _side_by_side(games: Sequence[Path], steps: int, seed: int) -> dict[str, object]:
    native, reference = NativeEngine(), ReferenceEngine()
    differences, moments = 0, 0
    for number, file in enumerate(games, 1):
        game = _read(file)
        theirs = list(play(reference, game, steps=steps, seed=seed))
        moments += len(theirs)
        difference = first_difference(play(native, game, steps=steps, seed=seed), theirs)
        if difference is not None:
            differences += 1
            print(f"{game.path}: {to_json(difference).decode()}")
        _progress(number, len(games))
    return {"games": len(games), "moments": moments, "differences": differences, "steps": steps, "seed": seed,
            "reference": reference.version, "native": native.version}  # fmt: skip


def _record(games: Sequence[Path], path: Path, steps: int, seed: int, once: bool) -> dict[str, object]:
    reference = ReferenceEngine()
    engine = reference.version + (", each text parsed once" if once else "")
    recorded = load(path) if path.exists() else Recorded(engine=engine, steps=steps, seed=seed, digests={})
    if (recorded.engine, recorded.steps, recorded.seed) != (engine, steps, seed):
        raise ConfigError(f"{path} was recorded with {recorded.engine}, {recorded.steps} steps, seed {recorded.seed}")
    saved = time.monotonic()
    for number, file in enumerate(games, 1):
        key = game_key(_id(file))
        if key not in recorded.digests:
            recorded.digests[key] = digest(play(reference, _read(file), steps=steps, seed=seed))
        if time.monotonic() - saved > SAVED_EVERY_SECONDS or number == len(games):
            save(recorded, path)
            saved = time.monotonic()
        _progress(number, len(games))
    return {"recorded": len(recorded.digests), "engine": engine}


def _against(games: Sequence[Path], recorded: Recorded) -> dict[str, object]:
    native, compared, differences = NativeEngine(), 0, 0
    for number, file in enumerate(games, 1):
        wanted = recorded.digests.get(game_key(_id(file)))
        if wanted is not None:
            compared += 1
            game = _read(file)
            if digest(play(native, game, steps=recorded.steps, seed=recorded.seed)) != wanted:
                differences += 1
                print(f"{game.path}: differs from the record; compare side by side to see where")
        _progress(number, len(games))
    if not compared:
        raise ConfigError(f"none of the {len(games)} games is in the record, so nothing was compared")
    return {"games": len(games), "compared": compared, "differences": differences, "steps": recorded.steps,
            "seed": recorded.seed, "reference": recorded.engine, "native": native.version}  # fmt: skip


def _progress(number: int, total: int) -> None:
    if sys.stderr.isatty() or number % 100 == 0:
        print(f"{number} of {total} games", end="\r" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
