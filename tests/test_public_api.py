"""What the package exposes, what importing it costs, and that what it promises exists."""

from __future__ import annotations

import ast
import importlib
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
HEAVY = {
    "torch",
    "transformers",
    "textworld",
    "alfworld",
    "openai",
    "sentence_transformers",
    "pyarrow",
    "scipy",
    "jericho",
    "py4j",
    "scienceworld",
}


def test_public_names_are_sorted_and_all_there() -> None:
    assert agentgym_critic.__all__ == sorted(agentgym_critic.__all__)
    assert dir(agentgym_critic) == agentgym_critic.__all__
    for name in agentgym_critic.__all__:
        assert getattr(agentgym_critic, name).__name__.rpartition(".")[2] == name


@pytest.mark.parametrize("package", ["", "agents", "critics", "envs", "lm", "memory"])
def test_type_checkers_see_the_same_late_names(package: str) -> None:
    tree = ast.parse((PACKAGE / package / "__init__.py").read_text())
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {
        (each.module, alias.name) for each in block.body if isinstance(each, ast.ImportFrom) for alias in each.names
    }
    [call] = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _called(node) == "late_exports"]
    prefix = ".".join(filter(None, ["agentgym_critic", package]))
    late = ast.literal_eval(call.args[1])
    assert seen == {(f"{prefix}.{module}", name) for module, names in late.items() for name in names}


def _called(call: ast.Call) -> str:
    return getattr(call.func, "id", "")


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


def _loaded_by(statement: str) -> list[str]:
    program = f"import sys; {statement}; print(*sorted(sys.modules))"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()


def _packages(modules: list[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def test_importing_the_package_loads_nothing_heavy() -> None:
    loaded = _loaded_by("import agentgym_critic")
    assert not _packages(loaded) & {*HEAVY, "sqlite_utils", "rich", "click", "sqlite3"}
    assert [module for module in loaded if module.startswith("agentgym_critic")] == [
        "agentgym_critic",
        "agentgym_critic.envs",
        "agentgym_critic.envs.base",
        "agentgym_critic.envs.ranges",
        "agentgym_critic.errors",
        "agentgym_critic.late",
        "agentgym_critic.settings",
        "agentgym_critic.types",
    ]


def test_no_module_loads_a_heavy_package_at_import() -> None:
    modules = [module for module in MODULES if not module.endswith("__main__")]
    assert not _packages(_loaded_by(f"import {', '.join(modules)}")) & HEAVY


def test_every_extra_named_in_a_message_exists() -> None:
    import tomllib

    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["project"]
    named = set()
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text()
        named |= set(re.findall(r"agentgym-critic\[([a-z]+)\]", text))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and _called(node) == "require":
                named |= {argument.value for argument in node.args[1:2] if isinstance(argument, ast.Constant)}
    assert {"lm", "openai", "parquet"} <= named
    assert named <= set(project["optional-dependencies"])


@pytest.mark.parametrize("kind", ["agent", "critic", "hindsight", "embedder"])
def test_every_registered_name_can_be_imported(kind: registry.Kind) -> None:
    for name in registry.names(kind):
        assert callable(registry.resolve(kind, name))
