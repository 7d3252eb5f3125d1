"""The options that say who plays where, for every verb that plays episodes."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click

from agentgym_critic.cli.common import settings_option
from agentgym_critic.errors import ConfigError

__all__ = ["env_options", "env_settings_of", "player_options", "playing", "run_options", "stage_options"]

if TYPE_CHECKING:
    from agentgym_critic.assembly import RunOptions
    from agentgym_critic.rollout import OnEpisode

F = TypeVar("F", bound=Callable[..., Any])

MODES = ["off", "warn", "regenerate", "substitute", "rollback", "stop"]


def env_options() -> Callable[[F], F]:
    """Settings of the environment, the usual ones by a short name too."""
    return _all(
        settings_option("--env-option", "env_settings", "the environment"),
        click.option("--split", help="Short for --env-option split=..."),
        click.option("--max-steps", type=click.IntRange(min=1), help="Short for --env-option max_steps=..."),
    )


def env_settings_of(env_settings: dict[str, Any], split: str | None, max_steps: int | None) -> dict[str, Any]:
    """The environment's settings, the short ones among them.

    Raises:
        ConfigError: a setting is given twice.
    """
    given = {name: value for name, value in (("split", split), ("max_steps", max_steps)) if value is not None}
    if twice := sorted(given.keys() & env_settings.keys()):
        name = twice[0]
        raise ConfigError(f"--{name.replace('_', '-')} and --env-option {name}=... are both given; keep one")
    return {**env_settings, **given}


def player_options(*, gate: str | None) -> Callable[[F], F]:
    """Environment, agent, model, critics, gate and bank.

    Args:
        gate: mode of the gate if none is named; None if one must be.
    """
    given = {"required": True} if gate is None else {"default": gate, "show_default": True}
    modes = [mode for mode in MODES if gate is not None or mode != "off"]
    return _all(
        click.option(
            "--env",
            required=True,
            help="Environment id, or module:id to import a module first; `agentgym-critic envs` lists ours.",
        ),
        env_options(),
        click.option("--agent", default="random", show_default=True, help="A name, pkg.mod:Class or plugin."),
        settings_option("--agent-option", "agent_settings", "the agent"),
        click.option("--model", help="smollm2, a Hugging Face id, a folder, a GGUF file or openai:NAME@URL."),
        settings_option("--model-option", "model_settings", "the model"),
        click.option("--critic", required=gate is None, help="Judges before a step: a name, pkg.mod:Class or plugin."),
        settings_option("--critic-option", "critic_settings", "the critic"),
        click.option("--gate", type=click.Choice(modes), **given),
        settings_option("--gate-option", "gate_settings", "the gate"),
        click.option("--hindsight", help="Judges steps afterwards: a name, pkg.mod:Class or plugin."),
        settings_option("--hindsight-option", "hindsight_settings", "the hindsight critic"),
        click.option("--bank", type=click.Path(), help="Memory bank.  [default: beside the run store]"),
    )


def stage_options(*, out: str) -> Callable[[F], F]:
    """Seeds, episodes at once, and where they are kept.

    Args:
        out: the run store if none is named.
    """
    path = click.Path(dir_okay=False)
    return _all(
        click.option("--seed", type=click.IntRange(0, 2**52), default=0, show_default=True),
        click.option(
            "--group-size", type=click.IntRange(min=1), default=1, show_default=True, help="Episodes of one seed."
        ),
        click.option("--parallel", type=click.IntRange(min=1), default=1, show_default=True, help="Episodes at once."),
        click.option("--resume", is_flag=True, help="Continue the latest run of this configuration."),
        click.option("--out", type=path, default=out, show_default=True, help="Run store, made if it is not there."),
    )


def run_options(split: str | None, max_steps: int | None, **options: Any) -> RunOptions:
    """What was typed, as one record.

    Raises:
        ConfigError: a setting is given twice.
    """
    from agentgym_critic.assembly import RunOptions

    settings = env_settings_of(options.pop("env_settings"), split, max_steps)
    return RunOptions(env_settings=settings, **options)


@contextlib.contextmanager
def playing(episodes: int | None, *, quiet: bool) -> Iterator[OnEpisode]:
    """Show the progress; with `quiet`, nothing that is printed on the way gets to standard output.

    Whatever a plugin or an agent at the terminal prints must not end up within the JSON.
    """
    from agentgym_critic.cli.progress import progress

    silence = contextlib.redirect_stdout(sys.stderr) if quiet else contextlib.nullcontext()
    with progress(episodes) as on_episode, silence:
        yield on_episode


def _all(*options: Callable[[F], F]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate
