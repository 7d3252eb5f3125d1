"""The command `agentgym-critic`: thin verbs over the library, one file each.

Exit code 0: done; 1: the work failed; 2: wrong usage.
"""

from __future__ import annotations

import sys

import click

from agentgym_critic.cli.bank import bank
from agentgym_critic.cli.demo import demo
from agentgym_critic.cli.doctor import doctor
from agentgym_critic.cli.envs import envs
from agentgym_critic.cli.evaluate import evaluate
from agentgym_critic.cli.export import export
from agentgym_critic.cli.judge import judge
from agentgym_critic.cli.notices import notices
from agentgym_critic.cli.play import play
from agentgym_critic.cli.run import run
from agentgym_critic.cli.show import show
from agentgym_critic.cli.train import train
from agentgym_critic.errors import AgentGymError, ConfigError
from agentgym_critic.terminal import printable

__all__ = ["cli", "main"]


@click.group(
    commands=[bank, demo, doctor, envs, evaluate, export, judge, play, run, show, train],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="agentgym-critic")
def cli() -> None:
    """A gym for language agents in which every step is judged twice."""


def main() -> None:
    """Run the command line and exit with its code."""
    # As with `python -m`, "pkg.mod:Class" also names what lies in the current folder.
    sys.path.insert(0, "")
    try:
        with notices():
            code = cli(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = 2
    except AgentGymError as error:
        click.echo(f"Error: {printable(str(error))}", err=True)
        code = 2 if isinstance(error, ConfigError) else 1
    except (KeyboardInterrupt, click.Abort):
        click.echo("Interrupted. Committed episodes are kept; `run ... --resume` continues.", err=True)
        code = 1
    sys.exit(code or 0)
