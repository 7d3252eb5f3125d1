"""The critics' packaged prompts."""

from __future__ import annotations

from agentgym_critic.prompts import load_prompt

__all__ = ["template"]


def template(name: str) -> str:
    """A packaged prompt of the critics."""
    return load_prompt("agentgym_critic.critics", name)
