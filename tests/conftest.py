"""Fixtures of all tests: real data and the real small model, skipped with the reason where they are missing.

With AGENTGYM_CRITIC_NO_SKIP=1 a test that needs them fails instead of being skipped.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import settings

settings.register_profile("untimed", deadline=None)  # how fast things are is for benchmarks
settings.load_profile("untimed")


def _missing(reason: str) -> NoReturn:
    if os.environ.get("AGENTGYM_CRITIC_NO_SKIP"):
        pytest.fail(f"may not be skipped here: {reason}")
    pytest.skip(reason)


def _folder(test_data: Path, name: str, holds: str) -> Path:
    folder = test_data / name
    if not (folder / holds).exists():
        _missing(f"{folder} holds no {holds}")
    return folder


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The folder of the real data sets."""
    folder = os.environ.get("AGENTGYM_CRITIC_TEST_DATA")
    if not folder:
        _missing("AGENTGYM_CRITIC_TEST_DATA is not set to the folder of the real data sets")
    return Path(folder)


@pytest.fixture(scope="session")
def alfworld_data(test_data: Path) -> Path:
    """A folder that holds json_2.1.1: what $ALFWORLD_DATA points at."""
    return _folder(test_data, "alfworld", "json_2.1.1")


@pytest.fixture(scope="session")
def webshop_data(test_data: Path) -> Path:
    """A folder that holds WebShop's product files: what $WEBSHOP_DATA points at; recorded cases are in golden/."""
    return _folder(test_data, "webshop", "items_shuffle_1000.json")


@pytest.fixture(scope="session")
def smollm2():
    """The real SmolLM2-135M-Instruct in float32, loaded once."""
    from agentgym_critic.errors import MissingDataError
    from agentgym_critic.lm import load_lm

    try:
        return load_lm("smollm2", dtype="float32")
    except MissingDataError as error:
        _missing(str(error))
