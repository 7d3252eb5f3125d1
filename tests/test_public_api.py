"""What the package exposes, what importing it costs, and that what it promises exists."""

from __future__ import annotations

import ast
import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import agentgym_critic
from agentgym_critic import registry

PACKAGE = Path(agentgym_critic.__file__).parent
MODULES = sorted(
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
)
HEAVY = {"torch", "transformers", "textworld", "alfworld", "openai", "sentence_transformers", "pyarrow", "scipy"}


def test_public_names_are_sorted_and_all_there() -> None:
    assert agentgym_critic.__all__ == sorted(agentgym_critic.__all__)
    assert set(agentgym_critic.__all__) == set(agentgym_critic._HOME)
    for name in agentgym_critic.__all__:
        assert getattr(agentgym_critic, name).__name__.rpartition(".")[2] == name


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(agentgym_critic.__file__).read_text())
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {alias.name for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen == set(agentgym_critic.__all__)


def test_unknown_attributes_are_refused() -> None:
    with pytest.raises(AttributeError, match="module 'agentgym_critic' has no attribute 'colect'"):
        agentgym_critic.colect  # noqa: B018


@pytest.mark.parametrize("module", MODULES)
def test_all_is_true(module: str) -> None:
    if module.endswith("__main__"):
        return
    loaded = importlib.import_module(module)
    for name in getattr(loaded, "__all__", []):
        assert hasattr(loaded, name), f"{module}.{name}"


def _loaded_by(statement: str) -> tuple[set[str], float]:
    program = f"import json, sys, time; t = time.perf_counter(); {statement}; t = time.perf_counter() - t; "
    program += "print(json.dumps([sorted(sys.modules), t]))"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    modules, seconds = json.loads(out)
    return {name.partition(".")[0] for name in modules}, seconds


def test_importing_the_package_loads_nothing_heavy() -> None:
    loaded, _ = _loaded_by("import agentgym_critic")
    assert not loaded & {*HEAVY, "sqlite_utils", "rich", "click", "sqlite3"}
    ours = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, agentgym_critic; print(*sorted(m for m in sys.modules if m.startswith('agentgym_critic')))",
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert ours == [
        "agentgym_critic",
        "agentgym_critic.envs",
        "agentgym_critic.envs.base",
        "agentgym_critic.errors",
        "agentgym_critic.types",
    ]


def test_no_module_loads_a_heavy_package_at_import() -> None:
    modules = [module for module in MODULES if not module.endswith("__main__")]
    loaded, _ = _loaded_by(f"import {', '.join(modules)}")
    assert not loaded & HEAVY


def test_every_extra_named_in_a_message_exists() -> None:
    import tomllib

    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["project"]
    named = set()
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text()
        named |= set(re.findall(r"agentgym-critic\[([a-z]+)\]", text))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "require":
                named |= {argument.value for argument in node.args[1:2] if isinstance(argument, ast.Constant)}
    assert {"lm", "openai", "parquet"} <= named
    assert named <= set(project["optional-dependencies"])


@pytest.mark.parametrize("kind", ["agent", "critic", "hindsight", "embedder"])
def test_every_registered_name_can_be_imported(kind: registry.Kind) -> None:
    for name in registry.names(kind):
        assert callable(registry.resolve(kind, name))
