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

import contextlib
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from agentgym_critic.envs.alfworld.conformance.compare import first_difference
from agentgym_critic.envs.alfworld.conformance.once import parsed_once
from agentgym_critic.envs.alfworld.conformance.record import Recorded, game_key, load, save
from agentgym_critic.envs.alfworld.conformance.transcript import digest, play
from agentgym_critic.envs.alfworld.files import Game, read_game
from agentgym_critic.envs.alfworld.index import GAME_FILE
from agentgym_critic.envs.alfworld.native.engine import NativeEngine
from agentgym_critic.envs.alfworld.reference import ReferenceEngine
from agentgym_critic.errors import AgentGymError, ConfigError
from agentgym_critic.terminal import printable
from agentgym_critic.types import to_json

NAME = "python -m agentgym_critic.envs.alfworld.conformance"

SAVED_EVERY_SECONDS = 30.0
SAID_EVERY_SECONDS = 10.0

STEPS = 30

RECORD = click.Path(dir_okay=False, path_type=Path)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("games", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--steps", type=click.IntRange(min=0), help=f"Random commands after the walkthrough.  [default: {STEPS}]")
@click.option("--seed", type=click.IntRange(min=0), help="Of the random commands.  [default: 0]")
@click.option("--limit", type=click.IntRange(min=1), help="Play so many of the games, equally of each split and type.")
@click.option("--record", type=RECORD, help="Play the reference alone and record it.")
@click.option("--against", type=RECORD, help="Play the native engine alone, against a record.")
@click.option("--once", is_flag=True, help="Let the reference parse each of its texts only once.")
def _command(
    games: tuple[Path, ...],
    steps: int | None,
    seed: int | None,
    limit: int | None,
    record: Path | None,
    against: Path | None,
    once: bool,
) -> int:
    """Play GAMES, game.tw-pddl files or folders that are searched for them, on both engines side by side.

    Each game's walkthrough is played, then random legal commands, with illegal ones among them. One
    line for each difference, then one JSON line; progress is on standard error.
    """
    if record and against:
        raise click.UsageError("--record makes a record, --against reads one; leave out one of them")
    if against and (once or steps is not None or seed is not None):
        raise ConfigError("--steps, --seed and --once are those of the record; leave them out")
    steps, seed = STEPS if steps is None else steps, seed or 0
    files = _games(games)[:limit]
    with parsed_once() if once else contextlib.nullcontext():
        if record:
            summary = _record(files, record, steps, seed, once)
        elif against:
            summary = _against(files, load(against))
        else:
            summary = _side_by_side(files, steps, seed)
    click.echo(json.dumps(summary))
    return 1 if summary.get("differences") else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code: 0 no difference, 1 some, 2 nothing that can be compared."""
    try:
        return int(_command.main(arguments, prog_name=NAME, standalone_mode=False))
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except AgentGymError as error:
        click.echo(f"Error: {printable(str(error))}", err=True)
        return 2


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
    for file in _counted(games):
        game = _read(file)
        theirs = list(play(reference, game, steps=steps, seed=seed))
        moments += len(theirs)
        difference = first_difference(play(native, game, steps=steps, seed=seed), theirs)
        if difference is not None:
            differences += 1
            click.echo(printable(f"{game.path}: {to_json(difference).decode()}"))
    return {"games": len(games), "moments": moments, "differences": differences, "steps": steps, "seed": seed,
            "reference": reference.version, "native": native.version}  # fmt: skip


def _record(games: Sequence[Path], path: Path, steps: int, seed: int, once: bool) -> dict[str, object]:
    reference = ReferenceEngine()
    engine = reference.version + (", each text parsed once" if once else "")
    recorded = load(path) if path.exists() else Recorded(engine=engine, steps=steps, seed=seed, digests={})
    if (recorded.engine, recorded.steps, recorded.seed) != (engine, steps, seed):
        raise ConfigError(f"{path} was recorded with {recorded.engine}, {recorded.steps} steps, seed {recorded.seed}")
    saved = time.monotonic()
    for number, file in enumerate(_counted(games), 1):
        key = game_key(_id(file))
        if key not in recorded.digests:
            recorded.digests[key] = digest(play(reference, _read(file), steps=steps, seed=seed))
        if time.monotonic() - saved > SAVED_EVERY_SECONDS or number == len(games):
            save(recorded, path)
            saved = time.monotonic()
    return {"recorded": len(recorded.digests), "engine": engine}


def _against(games: Sequence[Path], recorded: Recorded) -> dict[str, object]:
    native, compared, differences = NativeEngine(), 0, 0
    for file in _counted(games):
        wanted = recorded.digests.get(game_key(_id(file)))
        if wanted is not None:
            compared += 1
            game = _read(file)
            if digest(play(native, game, steps=recorded.steps, seed=recorded.seed)) != wanted:
                differences += 1
                click.echo(printable(f"{game.path}: differs from the record; compare side by side to see where"))
    if not compared:
        raise ConfigError(f"none of the {len(games)} games is in the record, so nothing was compared")
    return {"games": len(games), "compared": compared, "differences": differences, "steps": recorded.steps,
            "seed": recorded.seed, "reference": recorded.engine, "native": native.version}  # fmt: skip


def _counted(games: Sequence[Path]) -> Iterator[Path]:
    """The games one by one; how many are done is said in place on a terminal, else from time to time."""
    on_terminal, said = sys.stderr.isatty(), time.monotonic()
    for number, file in enumerate(games, 1):
        yield file
        if on_terminal or time.monotonic() - said > SAID_EVERY_SECONDS or number == len(games):
            click.echo(f"{number} of {len(games)} games", nl=False, err=True)
            click.echo("\r" if on_terminal else "\n", nl=False, err=True)
            said = time.monotonic()


if __name__ == "__main__":
    sys.exit(main())
