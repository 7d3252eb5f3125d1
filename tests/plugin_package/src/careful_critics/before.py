"""A pre-operative critic as a class, and one as a function."""

from agentgym_critic.types import Verdict


class CarefulCritic:
    """Distrusts actions that contain a dangerous word."""

    id = "careful"
    version = "1"
    recall_k = 0

    def __init__(self, dangerous=("break", "burn")):
        self.dangerous = tuple(dangerous)

    def judge(self, turn, actions, experiences):
        """One verdict for each action."""
        return [self._judge(action.text) for action in actions]

    def _judge(self, action):
        words = [word for word in self.dangerous if word in action]
        return Verdict(
            p=0.1 if words else 0.7,
            critic=self.id,
            version=self.version,
            critique=f"This may {words[0]} something." if words else "",
        )


def judge(turn, action):
    """Likes what is possible."""
    return 0.8 if action.text in (turn.admissible_actions or ()) else 0.2
