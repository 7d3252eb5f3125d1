"""Whether the game files on this machine are the official ones, unchanged.

``python -m agentgym_critic.envs.alfworld.data verify [DATA]`` opens every official game that is
here and compares what it holds with the hashes of `agentgym_critic.envs.alfworld.splits`; it
exits with 0 if all are here and unchanged and there are no others, else with 1, and says on
standard error which splits are not so. `agentgym-critic doctor` compares the same, but takes
games that are missing for no fault: those that are here can be played. ``… record
IDS.json DATA`` prints those hashes anew. What a game holds is its domain, problem, grammar and
walkthrough: how its file is laid out does not matter.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from agentgym_critic.envs.alfworld.files import GameFile, read_game
from agentgym_critic.envs.alfworld.layout import playable_games, split_folder, split_folders
from agentgym_critic.envs.alfworld.splits import (
    UNRECORDED,
    OfficialSplit,
    SplitReport,
    examine_split,
    game_set_digest,
    official_splits,
    short_hash,
)
from agentgym_critic.errors import AgentGymError, ConfigError, EnvError, MissingDataError
from agentgym_critic.terminal import printable
from agentgym_critic.types import Record, to_json

__all__ = ["SplitCheck", "content_hash", "record_splits", "verify_data"]


class SplitCheck(Record, frozen=True):
    """What the game files of a split hold, compared with what was recorded."""

    report: SplitReport
    unchanged: int
    """How many games hold what was recorded."""
    unrecorded: int
    """How many official games are here of which nothing was recorded."""
    altered: tuple[str, ...]
    """Games that hold something else."""
    damaged: tuple[str, ...]
    """Games that cannot be read."""

    @property
    def intact(self) -> bool:
        """Whether all official games are here, no others are, and none differs from what was recorded."""
        return not self.objections

    @property
    def objections(self) -> str:
        """Why the split is not intact, in words; empty if it is."""
        state = "" if self.report.state == "complete" else self.report.state
        return ", ".join(filter(None, (state, self.differences)))

    @property
    def differences(self) -> str:
        """How many games differ from what was recorded, with the first of them; empty if none does."""
        differing = {"altered": self.altered, "damaged": self.damaged}
        return ", ".join(f"{len(games):,} {word} (first {games[0]})" for word, games in differing.items() if games)

    def __str__(self) -> str:
        """The counts in words."""
        unrecorded = f"{self.unrecorded:,} not recorded" if self.unrecorded else ""
        counts = filter(None, (f"{self.unchanged:,} unchanged", unrecorded, self.differences))
        return f"{self.report}: {', '.join(counts)}"


def verify_data(
    data: str | os.PathLike[str] | None = None,
    splits: Sequence[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
) -> list[SplitCheck]:
    """Read the official games that are here and compare what they hold with what was recorded.

    Args:
        data: the folder that holds ``json_2.1.1``; None as in `find_games`.
        splits: which splits; None for those that are here.
        cache: folder for the index; None for the user's cache folder.

    Raises:
        MissingDataError: the folder is missing or holds no such split.
        UnknownIdError: no such split.
    """
    folders = split_folders(data) if splits is None else {split: split_folder(data, split) for split in splits}
    return [_check(split, folder, playable_games(folder, cache)) for split, folder in folders.items()]


def record_splits(ids: dict[str, list[str]], data: str | os.PathLike[str] | None = None) -> dict[str, OfficialSplit]:
    """What is to be packaged as ``splits.json``.

    Args:
        ids: the official games of each split.
        data: the folder that holds ``json_2.1.1``; a game that is not there is recorded by its id alone.

    Raises:
        EnvError: a game cannot be read.
        MissingDataError: a split is not there at all.
    """
    return {split: _record(split_folder(data, split), games) for split, games in ids.items()}


def content_hash(file: GameFile) -> bytes:
    """The hash of what decides how a game plays and what its oracle tells."""
    return short_hash(msgspec.json.encode((file.pddl_domain, file.pddl_problem, file.grammar, file.walkthrough)))


def _check(split: str, folder: Path, games: list[str]) -> SplitCheck:
    recorded = official_splits()[split].content_hashes()
    seen: dict[str, list[str]] = {"unchanged": [], "unrecorded": [], "altered": [], "damaged": []}
    for game_id in games:
        if expected := recorded.get(short_hash(game_id.encode())):
            seen[_compare(folder, game_id, expected)].append(game_id)
    return SplitCheck(
        report=examine_split(split, games),
        unchanged=len(seen["unchanged"]),
        unrecorded=len(seen["unrecorded"]),
        altered=tuple(seen["altered"]),
        damaged=tuple(seen["damaged"]),
    )


def _compare(folder: Path, game_id: str, expected: bytes) -> str:
    try:
        found = content_hash(read_game(folder, game_id).file)
    except (EnvError, MissingDataError):
        return "damaged"
    if expected == UNRECORDED:
        return "unrecorded"
    return "unchanged" if found == expected else "altered"


def _record(folder: Path, games: Iterable[str]) -> OfficialSplit:
    by_hash = dict(sorted((short_hash(game_id.encode()), game_id) for game_id in games))
    contents = b"".join(_content(folder, game_id) for game_id in by_hash.values())
    return OfficialSplit(len(by_hash), game_set_digest(by_hash.values()), b"".join(by_hash), contents)


def _content(folder: Path, game_id: str) -> bytes:
    try:
        return content_hash(read_game(folder, game_id).file)
    except MissingDataError:
        return UNRECORDED


def _plain(check: SplitCheck) -> dict[str, Any]:
    report, rest = check.report, msgspec.structs.asdict(check)
    del rest["report"]
    derived = {"missing": report.missing, "state": report.state, "intact": check.intact}
    return {**msgspec.structs.asdict(report), **rest, **derived}


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def _command() -> None:
    """Compare ALFWorld's game files with the official ones."""


@_command.command("verify")
@click.argument("data", required=False)
@click.option("--split", "splits", multiple=True, help="One split; repeatable.  [default: those that are there]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def _verify_command(context: click.Context, data: str | None, splits: tuple[str, ...], as_json: bool) -> None:
    """Read the official games in DATA, or $ALFWORLD_DATA, and say which are not as recorded."""
    checks = verify_data(data, splits or None)
    if as_json:
        click.echo(msgspec.json.format(to_json([_plain(check) for check in checks]), indent=2))
    else:
        click.echo(printable("\n".join(map(str, checks))))
    if odd := [f"{check.report.name} ({check.objections})" for check in checks if not check.intact]:
        click.echo(f"Not the official games, whole and unchanged: {'; '.join(odd)}.", err=True)
    context.exit(1 if odd else 0)


@_command.command("record")
@click.argument("ids", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("data", required=False)
def _record_command(ids: Path, data: str | None) -> None:
    """Print the hashes of the splits whose game ids are in IDS, a JSON object of lists, read in DATA."""
    official = msgspec.json.decode(ids.read_bytes(), type=dict[str, list[str]])
    click.echo(msgspec.json.format(msgspec.json.encode(record_splits(official, data)), indent=1))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit with its code: 0 all as recorded, 1 not so, 2 wrong usage or no data."""
    try:
        _command(arguments)
    except AgentGymError as error:
        click.echo(f"Error: {printable(str(error))}", err=True)
        sys.exit(2 if isinstance(error, ConfigError) else 1)


if __name__ == "__main__":
    main()
