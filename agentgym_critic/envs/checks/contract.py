"""Rules about what `reset` and `step` return, and about actions, legal or not."""

from __future__ import annotations

import math
import random
import re
import warnings
from collections.abc import Iterator
from typing import Any

from gymnasium.utils.env_checker import check_env

from agentgym_critic.envs.base import TextEnv, clean_action
from agentgym_critic.envs.checks.bench import GIBBERISH, Bench, Moment, Rule, go_on, same, shown

__all__ = ["RULES"]

_TYPES: dict[str, type] = {
    "invalid_action": bool,
    "invalid_reason": str,
    "success": bool,
    "task": str,
    "task_id": str,
    "state_key": str,
}

_MALFORMED: dict[str, Any] = {
    "an empty action": "",
    "white space": " \n\t ",
    "a very long action": "go " * 40_000,
    "a megabyte in one word": "x" * 1_000_000,
    "the number 7": 7,
    "None": None,
    "bytes": b"look",
}
"""What no environment takes for an action."""

_UNLISTED: dict[str, Any] = {
    "gibberish": GIBBERISH,
    "several lines": f"{GIBBERISH}\r\n{GIBBERISH}",
    "other scripts": "打开 дверь 🚪",
    "a lone surrogate": "\ud800 \udfff",
    "a NUL character": "x\0y",
}
"""What is illegal wherever the legal actions are listed."""

_LOOK_ALIKES = str.maketrans("aceijopsxyACEHIKMOPSTX0", "асеіјорѕхуАСЕНІКМОРЅТХО")  # noqa: RUF001 -- that is the point
"""Latin letters and the Cyrillic ones that look the same."""


def gymnasium_checker(bench: Bench) -> Iterator[str]:
    """Gymnasium's own checker; its warnings count."""
    with bench.fresh() as env, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            check_env(env, skip_render_check=env.spec is None)
        except Exception as error:
            yield f"{type(error).__name__}: {error}"
    for warning in caught:
        text = re.sub(r"\x1b\[\d+m", "", str(warning.message)).removeprefix("WARN: ")
        yield f"it warned: {text}; follow its advice"


def observations(bench: Bench) -> Iterator[str]:
    """Every observation is a string of the observation space."""
    with bench.fresh() as env:
        space = env.observation_space
    for moment in _all_moments(bench):
        if moment.observation not in space:
            yield f"an observation is {shown(moment.observation)}; return a string that {space} contains"


def rewards(bench: Bench) -> Iterator[str]:
    """Every reward is a finite number."""
    for moment in _all_moments(bench):
        reward = moment.reward
        if isinstance(reward, bool) or not isinstance(reward, int | float) or not math.isfinite(reward):
            yield f"a reward is {shown(reward)}; return a finite float"


def info_keys(bench: Bench) -> Iterator[str]:
    """`info` has every key, with the type it is documented with."""
    for moment in _all_moments(bench):
        info = moment.info
        for key, kind in {"admissible_actions": object, **_TYPES}.items():
            if key not in info:
                yield f"info has no {key!r}; extend what TextEnv._info returns instead of replacing it"
            elif not isinstance(info[key], kind):
                yield f"info[{key!r}] is {shown(info[key])}; make it a {kind.__name__}"
            elif key in ("task", "task_id", "state_key") and not info[key]:
                yield f"info[{key!r}] is empty; say what it is"


def admissible_actions(bench: Bench) -> Iterator[str]:
    """They are distinct strings or None, in an order that depends on the state alone."""
    order: dict[Any, Any] = {}
    for moment in _all_moments(bench):
        listed = moment.info.get("admissible_actions")
        if listed is None or moment.over:
            continue
        if not isinstance(listed, list) or not all(isinstance(action, str) for action in listed):
            yield f"admissible_actions is {shown(listed)}; make it a list of strings, or None"
        elif len(set(listed)) < len(listed):
            yield f"admissible_actions names an action twice: {shown(listed)}; list each once"
        elif order.setdefault(moment.info.get("state_key"), listed) != listed:
            first = order[moment.info.get("state_key")]
            yield f"one state listed {shown(first)} and then {shown(listed)}; list them in a fixed order, e.g. sorted"


def admissible_actions_work(bench: Bench) -> Iterator[str]:
    """No listed action is refused: those of random episodes, and all at the start of one."""
    for moment in _all_moments(bench):
        if moment.action not in (None, GIBBERISH) and moment.info.get("invalid_action"):
            yield _refused(moment.action, moment.info)
    with bench.fresh() as env:
        _, info = env.reset(seed=bench.seeds[0])
        start = env.snapshot()
        for action in info.get("admissible_actions") or []:
            env.restore(start)
            after = env.step(action)[4]
            if after.get("invalid_action"):
                yield _refused(action, after)


def illegal_actions(bench: Bench) -> Iterator[str]:
    """An illegal action is refused with a reason and changes nothing."""
    with bench.fresh() as env:
        _, info = env.reset(seed=bench.seeds[0])
        for _ in go_on(env, info, 3, random.Random(0)):  # noqa: S311 -- away from the start, which may be special
            pass
        if not env.current()[1]["admissible_actions"]:
            env.reset(seed=bench.seeds[0])
        start, (_, info) = env.snapshot(), env.current()
        unlisted = {} if info["admissible_actions"] is None else _unlisted(info["admissible_actions"])
        for what, action in {**_MALFORMED, **unlisted}.items():
            env.restore(start)
            yield from (f"{what} {problem}" for problem in _wrongly_refused(env, action))


def invalid_reasons(bench: Bench) -> Iterator[str]:
    """There is a reason exactly where an action was illegal."""
    for moment in _all_moments(bench):
        invalid, reason = moment.info.get("invalid_action"), moment.info.get("invalid_reason")
        if bool(invalid) != bool(reason):
            yield f"invalid_action is {invalid!r}, invalid_reason {shown(reason)}; give a reason exactly if it is True"


def one_task_an_episode(bench: Bench) -> Iterator[str]:
    """Task and task id stay the same during an episode."""
    for seed in bench.seeds:
        for key in ("task", "task_id"):
            seen = dict.fromkeys(shown(moment.info.get(key)) for moment in bench.episode(seed))
            if len(seen) > 1:
                yield f"info[{key!r}] was {' and then '.join(list(seen)[:2])} in one episode; keep it the same"


def _all_moments(bench: Bench) -> Iterator[Moment]:
    for seed in bench.seeds:
        yield from bench.episode(seed)


def _unlisted(admissible: list[str]) -> dict[str, str]:
    """Gibberish, and what is nearly a listed action."""
    nearly = {
        "a listed action in look-alike letters": [action.translate(_LOOK_ALIKES) for action in admissible],
        "two listed actions on two lines": [f"{action}\n{admissible[-1]}" for action in admissible],
        "a listed action with a zero-width space": [f"{action[:1]}\u200b{action[1:]}" for action in admissible],
    }
    fits = {
        what: [each for each in actions if clean_action(each) not in admissible] for what, actions in nearly.items()
    }
    return {**_UNLISTED, **{what: actions[0] for what, actions in fits.items() if actions}}


def _refused(action: str | None, info: dict[str, Any]) -> str:
    return f"{action!r} is listed but was refused ({info.get('invalid_reason')}); list only what is legal"


def _wrongly_refused(env: TextEnv, action: Any) -> Iterator[str]:
    before, oracle = env.current()[1], env.oracle()
    try:
        _, _, terminated, truncated, after = env.step(action)
    except Exception as error:
        yield f"raised {type(error).__name__}: {error}; refuse it like any illegal action"
        return
    if not after["invalid_action"]:
        yield "was not refused; set invalid_action and say why"
        return
    if not after["invalid_reason"]:
        yield "was refused without a reason; explain it in invalid_reason"
    if terminated:
        yield "ended the task; an illegal action only costs a step"
    keys = ("state_key", "success", *(() if truncated else ("admissible_actions",)))
    for key in keys:
        if not same(before[key], after[key]):
            yield f"changed {key} from {shown(before[key])} to {shown(after[key])}; an illegal action changes nothing"
    if not same(oracle, env.oracle()):
        yield f"changed the oracle from {oracle} to {env.oracle()}; an illegal action changes nothing"


RULES: tuple[Rule, ...] = (
    gymnasium_checker,
    observations,
    rewards,
    info_keys,
    admissible_actions,
    admissible_actions_work,
    illegal_actions,
    invalid_reasons,
    one_task_an_episode,
)
