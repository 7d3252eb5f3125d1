"""What is installed, what is missing, which data there are, and whether each environment works.

Every check is run for real, and one that is not passed says what to do about it.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from importlib import metadata
from typing import Any, Literal

from agentgym_critic.envs import check_text_env, env_ids, make_env
from agentgym_critic.errors import AgentGymError, EnvError, MissingDataError, MissingExtraError
from agentgym_critic.golden import Golden, load_golden, play
from agentgym_critic.types import Record

__all__ = ["PLAYABLE", "Check", "examine", "examine_envs"]

_EXTRAS: dict[str, dict[str, str]] = {
    "lm": {name: name for name in ("torch", "transformers", "accelerate", "gguf", "safetensors")},
    "openai": {"openai": "openai"},
    "alfworld": {"textworld": "textworld", "fast_downward": "fast-downward-textworld", "alfworld": "alfworld"},
    "textworld": {"textworld": "textworld"},
    "scienceworld": {"scienceworld": "scienceworld", "py4j": "py4j"},
    "jericho": {"jericho": "jericho"},
    "babyai": {"minigrid": "minigrid", "pygame": "pygame-ce"},
    "embed": {"sentence_transformers": "sentence-transformers"},
    "parquet": {"pyarrow": "pyarrow"},
    "plots": {"matplotlib": "matplotlib", "jinja2": "jinja2"},
}
"""For each extra the modules it brings, with the distributions they come from."""


PLAYABLE: dict[str, dict[str, Any]] = {
    "agentgym_critic/ALFWorld-v0": {"split": "procedural"},
    "agentgym_critic/ScienceWorld-v0": {
        "tasks": "find-non-living-thing",
        "simplifications": "easy",
        "max_steps": 10,
    },
    "agentgym_critic/TextWorld-v0": {"games": 2},
}
"""Settings with which an environment plays on any machine, and soon, where its defaults need data or minutes."""

_SEEDS, _STEPS = (0, 1), 8
"""What `check_text_env` plays here: enough to notice what an installation breaks, in seconds."""


class Check(Record, frozen=True):
    """One thing that was looked at."""

    name: str
    state: Literal["ok", "missing", "broken"]
    """`missing`: optional and not there; `broken`: there and not working."""
    detail: str
    """What was seen and, if it is not ok, what to do."""


def examine() -> list[Check]:
    """Look at everything; plays a golden episode of each environment, so it takes some seconds."""
    return [
        Check(
            name="python",
            state="ok",
            detail=f"{platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores",
        ),
        _sqlite(),
        *(_extra(extra, modules) for extra, modules in _EXTRAS.items()),
        _alfworld_data(),
        _webshop_data(),
        _smollm2(),
        *map(_episode, load_golden()),
    ]


def examine_envs(ids: Sequence[str] | None = None) -> Iterator[Check]:
    """Hold environments to the whole contract of a `TextEnv`, one after another; minutes for all of them.

    Args:
        ids: which; None for every environment of this package.
    """
    return map(_contract, env_ids() if ids is None else ids)


def _contract(env_id: str) -> Check:
    name, started = f"env {env_id}", time.perf_counter()
    try:
        with closing(make_env(env_id, **PLAYABLE.get(env_id, {}))) as env:
            tasks = {str(env.reset(seed=seed)[1]["task_id"]) for seed in _SEEDS}
        with closing(make_env(env_id, **PLAYABLE.get(env_id, {}))) as env:
            check_text_env(env, seeds=_SEEDS, steps=_STEPS, single_task=len(tasks) == 1)
    except (MissingDataError, MissingExtraError) as error:
        return Check(name=name, state="missing", detail=str(error))
    except EnvError as error:
        return Check(name=name, state="broken", detail=str(error))
    except Exception as error:  # a broken installation may raise anything
        return Check(name=name, state="broken", detail=f"{type(error).__name__}: {error}")
    seconds = time.perf_counter() - started
    return Check(name=name, state="ok", detail=f"keeps every promise of a TextEnv, checked in {seconds:.1f} s")


def _sqlite() -> Check:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE probe USING fts5(text)")
    except sqlite3.OperationalError as error:
        detail = f"SQLite {sqlite3.sqlite_version} lacks full-text search ({error}); use a Python built with FTS5"
        return Check(name="sqlite", state="broken", detail=detail)
    finally:
        connection.close()
    return Check(name="sqlite", state="ok", detail=f"SQLite {sqlite3.sqlite_version} with FTS5")


def _extra(extra: str, modules: dict[str, str]) -> Check:
    missing = [name for module, name in modules.items() if importlib.util.find_spec(module) is None]
    if missing:
        detail = f'{", ".join(missing)} not installed; pip install "agentgym-critic[{extra}]"'
        return Check(name=f"extra {extra}", state="missing", detail=detail)
    versions = [f"{name} {metadata.version(name)}" for name in modules.values()]
    return Check(name=f"extra {extra}", state="ok", detail=", ".join(versions))


def _alfworld_data() -> Check:
    from agentgym_critic.envs.alfworld import describe_data

    name, without = "data alfworld", "generated houses (split='procedural') work without data"
    try:
        described, spoilt = describe_data(), _spoilt_games()
        state: Literal["ok", "broken"] = "broken" if spoilt else "ok"
        return Check(name=name, state=state, detail="; ".join([described, *spoilt, without]))
    except MissingDataError as error:
        return Check(name=name, state="missing", detail=f"{without}; {error}")
    except AgentGymError as error:
        return Check(name=name, state="broken", detail=f"{error}; {without}")


def _spoilt_games() -> list[str]:
    """What is wrong with the games that are here; that others are missing is no fault, and told with the counts."""
    from agentgym_critic.envs.alfworld.data import verify_data

    return [
        f"the files of {check.report.name} are not as recorded: {check.differences}; get the games anew, or compare "
        "results only with runs on the same files"
        for check in verify_data()
        if check.differences
    ]


def _webshop_data() -> Check:
    from agentgym_critic.envs.webshop.files import SIZES, find_files

    name, found, problem = "data webshop", [], ""
    for size in SIZES:
        try:
            found.append(f"catalogue {size} in {find_files(None, size).products.parent}")
        except MissingDataError as error:
            problem = str(error)
    if found:
        return Check(name=name, state="ok", detail="; ".join(found))
    return Check(name=name, state="missing", detail=f"generated products work without; {problem}")


def _smollm2() -> Check:
    from agentgym_critic.lm.smollm2 import cached_smollm2

    folder = cached_smollm2()
    if folder is None:
        return Check(name="model smollm2", state="missing", detail="not in the cache; its first use fetches 93 MB")
    return Check(name="model smollm2", state="ok", detail=f"in the cache: {folder}")


def _episode(golden: Golden) -> Check:
    name = f"episode {golden.env_id}" + (" procedural" if golden.env_settings.get("split") == "procedural" else "")
    try:
        played = play(golden.env_id, golden.env_settings, golden.seed)
    except (MissingDataError, MissingExtraError) as error:
        return Check(name=name, state="missing", detail=str(error))
    except Exception as error:  # a broken installation may raise anything
        return Check(name=name, state="broken", detail=f"{type(error).__name__}: {error}")
    if played.env_version != golden.env_version:
        detail = f"success in {played.steps} steps; recorded under {golden.env_version}, here {played.env_version}"
        return Check(name=name, state="ok" if played.steps >= 0 else "broken", detail=detail)
    if played != golden:
        detail = (
            f"the oracle's episode has {played.steps} steps and digest {played.digest[:12]}, recorded were "
            f"{golden.steps} and {golden.digest[:12]}; the game data are of another version: get them anew"
        )
        return Check(name=name, state="broken", detail=detail)
    return Check(name=name, state="ok", detail=f"the oracle's {played.steps} steps are as recorded")
