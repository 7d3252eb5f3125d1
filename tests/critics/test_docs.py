"""The code in the documentation of the critics runs."""

import re
import tomllib
from pathlib import Path

import pytest

from agentgym_critic import registry
from agentgym_critic.critics import Gate

DOCS = Path(__file__).parents[2] / "docs"
PLUGIN = Path(__file__).parent.parent / "plugin_package" / "pyproject.toml"


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", (DOCS / page).read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize("page", ["critics.md", "plugins.md"])
def test_the_python_blocks_of_a_page_run_one_after_the_other(page, monkeypatch):
    monkeypatch.setitem(registry._registered, "critic", dict(registry._registered["critic"]))
    names = {"__name__": "docs"}
    found = blocks(page, "python")
    assert found
    for block in found:
        exec(compile(block, page, "exec"), names)


def test_the_example_of_a_plugin_is_the_one_that_is_tested():
    (example,) = blocks("plugins.md", "toml")
    shown, real = tomllib.loads(example), tomllib.loads(PLUGIN.read_text(encoding="utf-8"))
    for group, entries in shown["project"]["entry-points"].items():
        assert entries.items() <= real["project"]["entry-points"][group].items()
    assert shown["project"]["name"] == real["project"]["name"]


def test_every_registered_name_and_every_failure_class_is_documented():
    page = (DOCS / "critics.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in page for kind in ("critic", "hindsight") for name in registry._registered[kind])
    from typing import get_args

    from agentgym_critic.types import FailureClass

    assert all(f"| `{failure}` |" in page for failure in get_args(FailureClass))
    assert all(f"`{mode}`" in page for mode in ("warn", "regenerate"))
    assert Gate().mode == "off"
