"""Try an environment against everything a `TextEnv` promises, and list all it breaks.

The counterpart of `check_critic`: run it once in the tests of a package that defines an
environment. The rules are in the folder ``checks``; here is only the order they run in.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence

import gymnasium

from agentgym_critic.envs.base import TextEnv
from agentgym_critic.envs.checks import contract, limits, oracles, repeating, saving
from agentgym_critic.envs.checks.bench import Bench, Rule
from agentgym_critic.errors import ConfigError, EnvError

__all__ = ["check_text_env"]

_RULES: tuple[Rule, ...] = (*contract.RULES, *limits.RULES, *repeating.RULES, *saving.RULES, *oracles.RULES)


def check_text_env(
    env: gymnasium.Env[str, str],
    *,
    seeds: Sequence[int] = (0, 1, 2),
    steps: int = 30,
    make: Callable[[], gymnasium.Env[str, str]] | None = None,
    single_task: bool = False,
    another_process: bool = True,
) -> None:
    """Check an environment: Gymnasium's own checker and every promise of `TextEnv`.

    It plays random episodes on fresh copies, with about 80 calls of `reset` for three seeds. `env`
    itself is neither played nor closed.

    Args:
        env: the environment, wrapped or not; wrappers are taken off.
        seeds: episodes to play. Different seeds must not all begin alike.
        steps: length of the random episodes.
        make: builds another environment just like `env`. None copies `env` with pickle, as it is now.
        single_task: the environment has one task only, so that all seeds may begin alike.
        another_process: play in a process of its own too, which takes half a second and more; left
            out by itself where no other process can import the environment's class.

    Raises:
        EnvError: promises are broken; the message lists every violation, one a line: the rule,
            what was seen, what to do.
        ConfigError: `seeds` is empty or `steps` below 1.
    """
    if not seeds or steps < 1:
        raise ConfigError(f"the check needs at least one seed and one step, got {len(seeds)} and {steps}")
    bare = env.unwrapped
    if not isinstance(bare, TextEnv):
        text = f"text env: it is a {type(bare).__name__}; derive it from agentgym_critic.envs.TextEnv"
        raise EnvError(_report(bare, [text]), repr(bare))
    bench = Bench(make or _copier(bare), tuple(seeds), steps, single_task, another_process)
    violations: dict[str, list[str]] = {}
    causes = [_try(rule, bench, violations) for rule in _RULES]
    if violations:
        lines = [f"{_named(rules)}: {text}" for text, rules in violations.items()]
        raise EnvError(_report(bare, lines), repr(bare)) from next(filter(None, causes), None)


def _copier(env: TextEnv) -> Callable[[], TextEnv]:
    try:
        saved = pickle.dumps(env)
    except Exception as error:
        text = f"pickle: it raised {type(error).__name__}: {error}; define __getstate__, or pass make to check the rest"
        raise EnvError(_report(env, [text]), repr(env)) from error
    return lambda: pickle.loads(saved)  # noqa: S301 -- our own bytes


def _try(rule: Rule, bench: Bench, violations: dict[str, list[str]]) -> Exception | None:
    """Add the rule to each violation it finds; returns what it raised, if it did."""
    found: list[str] = []
    failure = None
    try:
        found += rule(bench)
    except Exception as error:
        found.append(f"it raised {type(error).__name__}: {error}; the traceback is this error's cause")
        failure = error
    for text in dict.fromkeys(found):
        violations.setdefault(text, []).append(rule.__name__.replace("_", " "))
    return failure


def _named(rules: list[str]) -> str:
    return rules[0] + (f" (and {len(rules) - 1} more)" if rules[1:] else "")


def _report(env: object, violations: Sequence[str]) -> str:
    places = f"{len(violations)} place" + ("s" if len(violations) > 1 else "")
    return f"{env!r} breaks the contract of a TextEnv in {places}:\n" + "\n".join(f"- {text}" for text in violations)
