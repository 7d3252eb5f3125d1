"""Rules about the ends of an episode: the step limit, what comes after it, what comes before the first."""

from __future__ import annotations

import random
from collections.abc import Iterator

from agentgym_critic.envs.base import TextEnv
from agentgym_critic.envs.checks.bench import GIBBERISH, Bench, Moment, Rule, go_on, shown
from agentgym_critic.errors import ConfigError, EnvError

__all__ = ["RULES"]

_LONGEST = 2_000
"""Step limits above this are not tried."""


def step_limit(bench: Bench) -> Iterator[str]:
    """Episodes of illegal, and of legal, actions are truncated after exactly `max_steps`."""
    with bench.fresh() as env:
        if env.max_steps is None or env.max_steps > _LONGEST:
            return
        for what, moments in (("illegal", _illegal_episode(env, bench)), ("legal", _legal_episode(env, bench))):
            cut = [number for number, moment in enumerate(moments, start=1) if moment.truncated]
            if not moments[-1].terminated and cut != [env.max_steps]:
                ending = f"after step {cut[0]}" if cut else f"not by step {len(moments)}"
                yield (
                    f"{what} actions were truncated {ending}, max_steps is {env.max_steps}; "
                    "count every step, legal or not"
                )


def success_ends_the_task(bench: Bench) -> Iterator[str]:
    """A task that is complete is over, and one that is truncated is not terminated too."""
    for seed in bench.seeds:
        for moment in bench.episode(seed):
            if moment.info.get("success") and moment.action and not moment.terminated:
                yield "success was True but terminated False; end the episode with the step that succeeds"
            if moment.terminated and moment.truncated:
                yield "a step was terminated and truncated at once; a task that ended is not cut off"


def after_the_end(bench: Bench) -> Iterator[str]:
    """When the episode is over nothing is admissible, and another step raises EnvError."""
    with bench.fresh() as env:
        if env.max_steps is None or env.max_steps > _LONGEST:
            return
        last = _illegal_episode(env, bench)[-1]
        if not last.over:
            return
        if last.info.get("admissible_actions") != []:
            yield f"admissible_actions is {shown(last.info.get('admissible_actions'))} when it is over; make it []"
        yield from _must_raise(env, "after the end")


def before_the_first_reset(bench: Bench) -> Iterator[str]:
    """A step without an episode raises EnvError."""
    with bench.fresh() as env:
        if not env._running:  # a copy of an environment that is being played is in an episode
            yield from _must_raise(env, "before the first reset")


def unknown_options(bench: Bench) -> Iterator[str]:
    """An option that `reset` does not know is refused, never ignored."""
    with bench.fresh() as env:
        try:
            env.reset(seed=bench.seeds[0], options={"no such option": 1})
        except ConfigError:
            return
        except Exception as error:
            yield f"reset raised {type(error).__name__} for an unknown option; raise ConfigError"
        else:
            yield "reset took an unknown option without a word; name those you know in episode_options"


def _must_raise(env: TextEnv, when: str) -> Iterator[str]:
    try:
        env.step(GIBBERISH)
    except EnvError:
        return
    except Exception as error:
        yield f"a step {when} raised {type(error).__name__}; raise EnvError"
    else:
        yield f"a step {when} was carried out; raise EnvError"


def _illegal_episode(env: TextEnv, bench: Bench) -> list[Moment]:
    env.reset(seed=bench.seeds[0])
    return list(_until_over(env))


def _until_over(env: TextEnv) -> Iterator[Moment]:
    for _ in range((env.max_steps or 0) + 1):
        moment = Moment(GIBBERISH, *env.step(GIBBERISH))
        yield moment
        if moment.over:
            return


def _legal_episode(env: TextEnv, bench: Bench) -> list[Moment]:
    _, info = env.reset(seed=bench.seeds[0])
    return list(go_on(env, info, (env.max_steps or 0) + 1, random.Random(1)))  # noqa: S311 -- no secret


RULES: tuple[Rule, ...] = (
    step_limit,
    success_ends_the_task,
    after_the_end,
    before_the_first_reset,
    unknown_options,
)
