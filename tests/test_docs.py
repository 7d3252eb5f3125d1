"""Every Python block of the documentation runs, every link leads somewhere, every verb is documented."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import agentgym_critic
from agentgym_critic.cli import cli

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
NEEDS = {"TransformersLM": "model", "load_lm(": "model", "smollm2": "model", "ALFWorld-v0": "data"}


def _blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", page.read_text(), flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", [page for page in PAGES if _blocks(page)], ids=lambda page: page.name)
def test_python_blocks_run(page: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """The blocks of a page run in order, in one process, in an empty folder."""
    program = "\n".join(block for block in _blocks(page) if not any(word in block for word in NEEDS))
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        assert target.startswith("https://") or (page.parent / target).exists(), target


def test_the_page_of_the_command_is_generated() -> None:
    """`python docs/make_cli.py` writes it anew."""
    written = (ROOT / "docs" / "cli.md").read_text()
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "make_cli.py"), "--print"], capture_output=True, text=True
    )
    assert written == done.stdout, "docs/cli.md is out of date: python docs/make_cli.py"
    for name in cli.commands:
        assert f"## {name}" in written


def test_every_public_name_is_documented() -> None:
    text = "\n".join(page.read_text() for page in PAGES)
    missing = [name for name in agentgym_critic.__all__ if name not in text]
    assert missing == []


@pytest.mark.parametrize("example", sorted(ROOT.glob("examples/*.py")), ids=lambda path: path.name)
def test_examples_run_and_are_short(example: Path, tmp_path: Path) -> None:
    assert len(example.read_text().splitlines()) <= 80
    done = subprocess.run([sys.executable, str(example)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout
