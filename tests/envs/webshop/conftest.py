"""Catalogues of a run: a generated one, WebShop's, and the small one that cases were recorded on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agentgym_critic.envs.webshop.building import build
from agentgym_critic.envs.webshop.catalogue import Catalogue
from agentgym_critic.envs.webshop.files import ProductFiles


class GivenNouns:
    """The nouns that were recorded."""

    id = "given"

    def __init__(self, nouns: dict[str, list[str]]) -> None:
        self._nouns = nouns

    def nouns(self, title: str) -> Sequence[str]:
        return self._nouns[title]


@pytest.fixture(scope="session")
def shop_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("webshop")


@pytest.fixture(scope="session")
def golden(webshop_data: Path) -> Path:
    return webshop_data / "golden"


@pytest.fixture(scope="session")
def recorded_catalogue(golden: Path, shop_cache: Path) -> Catalogue:
    folder = golden / "catalogue"
    names = ("items_shuffle_1000.json", "items_ins_v2_1000.json", "items_human_ins.json")
    build(shop_cache / "recorded.db", ProductFiles(*(folder / name for name in names)).entries())
    return Catalogue(shop_cache / "recorded.db")


@pytest.fixture(scope="session")
def recorded_nouns(golden: Path) -> Any:
    return GivenNouns(json.loads((golden / "reward_cases.json").read_text())["title_nouns"])
