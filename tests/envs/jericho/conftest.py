"""A real Z-machine story, made by TextWorld: stories of others may not be passed on."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from agentgym_critic.envs.textworld.challenges import challenge_of
from agentgym_critic.envs.textworld.games import game_file


class Made(NamedTuple):
    known: Path
    """Under a name that jericho knows, so that it tells score and success."""
    unknown: Path
    """The same bytes under another name."""
    walkthrough: list[str]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("stories")
    known = game_file("tw-cooking", challenge_of("tw-cooking"), 0, folder)
    unknown = folder / "supper.z8"
    shutil.copy(known, unknown)
    walkthrough = json.loads(known.with_suffix(".json").read_text())["metadata"]["walkthrough"]
    return Made(known, unknown, walkthrough)
