"""Generated games on disk, one folder each, by textworld's version, challenge, parameters and seed.

A game appears in the cache whole or not at all (it is made beside it and renamed), so several
processes may share one cache.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from agentgym_critic.cache import cache_folder
from agentgym_critic.envs.textworld.challenges import Challenge
from agentgym_critic.errors import ConfigError, EnvError
from agentgym_critic.settings import folder_of

__all__ = ["GENERATOR", "STORY", "game_file", "generator_folder", "make_game", "textworld_version"]

GENERATOR = 1
"""Changes whenever the same seed may give another game under the same textworld."""

STORY = "tw-game.z8"
"""jericho shows the text of a story without its status line if the name starts with tw-."""

TIMEOUT_SECONDS = 600


def textworld_version() -> str:
    """The version of the installed package textworld."""
    try:
        return version("textworld")
    except PackageNotFoundError:
        return "unknown"


def generator_folder(base: Path) -> Path:
    """The folder of the games that this generator made with this textworld, below a cache folder."""
    return base / "textworld" / f"{textworld_version()}-{GENERATOR}"


def game_file(name: str, challenge: Challenge, seed: int, cache: str | os.PathLike[str] | None = None) -> Path:
    """The compiled game of a seed, generated if it is not in the cache: a ``.z8`` with its ``.json`` beside it.

    Args:
        name: textworld's name of the challenge.
        challenge: its parameters.
        seed: any integer from 0.
        cache: folder of the cache; None for the user's cache folder.

    Raises:
        ConfigError: the cache folder cannot be written.
        EnvError: textworld could not make the game.
    """
    params = msgspec.json.encode(challenge)
    base = folder_of("cache", cache) or cache_folder()
    kind = f"{name}-{hashlib.sha256(params).hexdigest()[:16]}"
    folder = generator_folder(base) / kind / str(seed)
    if not (folder / STORY).is_file():
        make_game(folder, {"challenge": name, "params": msgspec.to_builtins(challenge), "seed": seed})
    return folder / STORY


def make_game(folder: Path, request: dict[str, object]) -> None:
    """Make the game that a request to `generate` describes, in a folder that appears whole.

    Raises:
        ConfigError: the folder cannot be written.
        EnvError: textworld could not make the game.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".draft-"))
    except OSError as cause:
        raise ConfigError(f"TextWorld games cannot be kept: {cause}. Name another folder with cache=.") from cause
    try:
        _generate({**request, "story": str(draft / STORY)})
        os.rename(draft, folder)
    except OSError:
        # Another process was faster: its game is the same.
        if not (folder / STORY).is_file():
            raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _generate(request: dict[str, object]) -> None:
    # -P: nothing in the working directory may stand in for a module.
    command = [sys.executable, "-P", "-W", "ignore", "-m", "agentgym_critic.envs.textworld.generate"]
    environ = {**os.environ, "PYTHONHASHSEED": "0"}
    asked = msgspec.json.encode(request)
    try:
        subprocess.run(command, input=asked, capture_output=True, env=environ, timeout=TIMEOUT_SECONDS, check=True)
    except subprocess.SubprocessError as cause:
        said = (getattr(cause, "stderr", None) or b"").decode(errors="replace").strip()[-1000:] or str(cause)
        raise EnvError(f"textworld could not make the game {request}: {said}", "package textworld") from cause
