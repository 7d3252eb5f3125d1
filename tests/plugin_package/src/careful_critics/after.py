"""A hindsight critic."""

from agentgym_critic.types import Verdict


class CarefulReviewer:
    """Finds every step of a successful episode productive, and says nothing of others."""

    id = "careful-hindsight"
    version = "1"

    def review(self, trajectory):
        """One verdict for each step."""
        p = 0.9 if trajectory.success else 0.5
        return [Verdict(p=p, critic=self.id, version=self.version) for _ in trajectory.steps]
