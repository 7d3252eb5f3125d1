"""`agentgym-critic demo`."""

from __future__ import annotations

import click

from agentgym_critic.cli.common import json_option, print_json, print_rich

__all__ = ["demo"]


@click.command()
@click.option("--model", default="smollm2", show_default=True, help="Who plays and judges; as in `run`.")
@click.option("--out", type=click.Path(dir_okay=False), default="demo.db", show_default=True, help="Run store.")
@click.option("--episodes", type=click.IntRange(min=1), default=5, show_default=True, help="In each environment.")
@json_option
def demo(model: str, out: str, episodes: int, as_json: bool) -> None:
    """Let a real language model play two games, every step judged before and after.

    The pre-operative critic reads a memory bank, which the hindsight critic fills.
    """
    from agentgym_critic.cli.progress import progress
    from agentgym_critic.demo import run_demo
    from agentgym_critic.render import render_demo

    with progress(2 * episodes) as on_episode:
        report = run_demo(model=model, out=out, episodes=episodes, on_episode=on_episode)
    print_json(report) if as_json else print_rich(render_demo(report))
