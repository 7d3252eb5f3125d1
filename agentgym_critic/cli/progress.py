"""How a long run shows that it goes on: a bar on a terminal, plain lines elsewhere; on standard error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from agentgym_critic.render import counted
from agentgym_critic.rollout import OnEpisode
from agentgym_critic.store import Failure
from agentgym_critic.terminal import printable
from agentgym_critic.types import Trajectory

__all__ = ["describe", "progress"]


@contextmanager
def progress(episodes: int | None) -> Iterator[OnEpisode]:
    """A callback that shows each episode as it is committed; None if it is not known how many there will be."""
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield lambda episode: click.echo(describe(episode), err=True)
        return
    from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn

    with Progress(*Progress.get_default_columns(), MofNCompleteColumn(), TimeElapsedColumn(), console=console) as bar:
        task = bar.add_task("episodes", total=episodes)

        def advance(episode: Trajectory | Failure) -> None:
            bar.console.print(describe(episode), markup=False)
            bar.advance(task)

        yield advance


def describe(episode: Trajectory | Failure) -> str:
    """An episode in a line."""
    if isinstance(episode, Failure):
        message = episode.message.partition("\n")[0][:200]
        return printable(f"episode {episode.episode} failed: {episode.error}: {message}")
    length = counted(len(episode.steps), "step")
    return (
        f"{episode.id}  {episode.end:10}  {length:>9}  return {episode.episode_return:6.2f}  "
        f"{episode.seconds:6.1f} s  {printable(episode.task.partition(chr(10))[0][:60])}"
    )
