"""Makes one game: a compiled story, ``.z8``, and textworld's data on it, ``.json``, beside it.

Runs as a process of its own (`games.game_file` starts it with ``PYTHONHASHSEED=0``): textworld
draws from global random generators and iterates over sets, so only there does a seed give the
same game everywhere, and does its caller's random state stay as it was.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["adopt", "main"]

ATTEMPTS = 20
"""Some seeds lay out a world in which the quest has no place; the next derived seed is tried then."""


def main(challenge: str, params: dict[str, Any], seed: int, story: Path) -> None:
    """Generate and compile the game of a seed.

    Args:
        challenge: textworld's name of it.
        params: all parameters, checked.
        seed: any integer from 0.
        story: the ``.z8`` to write; its folder exists.
    """
    import textworld
    from textworld.challenges import CHALLENGES

    settings = {**params, "split": params.get("split"), "recipe_seed": params.get("recipe_seed", 0)}
    for attempt in range(ATTEMPTS):
        options = textworld.GameOptions()
        options.path = str(story)
        options.seeds = _derived(seed, attempt)
        options.grammar.only_last_action = params.get("goal") == "brief"
        try:
            game = CHALLENGES[challenge][1](settings, options)
            break
        except (AssertionError, IndexError, ValueError, textworld.generator.QuestGenerationError) as error:
            print(f"attempt {attempt}: {type(error).__name__}: {error}", file=sys.stderr)
    else:
        raise SystemExit(f"{ATTEMPTS} worlds were tried and none had a place for the quest")
    textworld.generator.compile_game(game, options)
    story.with_suffix(".ni").unlink()


def adopt(data: Path, compiled: Path | None, story: Path) -> None:
    """Copy a game that was made elsewhere, and compile it if it is not.

    Args:
        data: textworld's ``.json``.
        compiled: its ``.z8``; None compiles one.
        story: the ``.z8`` to write; its folder exists.
    """
    import textworld

    game = textworld.Game.load(str(data))
    if compiled is not None:
        shutil.copyfile(compiled, story)
        shutil.copyfile(data, story.with_suffix(".json"))
        return
    options = textworld.GameOptions()
    options.path = str(story)
    textworld.generator.compile_game(game, options)
    story.with_suffix(".ni").unlink()


def _derived(seed: int, attempt: int) -> int:
    words = (seed,) if attempt == 0 else (seed, attempt)
    return int(np.random.SeedSequence(words).generate_state(1)[0])


if __name__ == "__main__":
    request = json.load(sys.stdin)
    made = Path(request["story"])
    if "data" in request:
        adopt(Path(request["data"]), request["compiled"] and Path(request["compiled"]), made)
    else:
        main(request["challenge"], request["params"], request["seed"], made)
