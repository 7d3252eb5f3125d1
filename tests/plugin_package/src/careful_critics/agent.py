"""An agent."""

from agentgym_critic.types import Action


class FirstAgent:
    """Always takes the first possible action."""

    id = "careful-agent@1"

    def reset(self, seed):
        """Nothing to forget."""

    def propose(self, turn):
        """The first possible action, or a look around."""
        return Action(text=turn.admissible_actions[0] if turn.admissible_actions else "look")
