"""A plugin that cannot be imported: what a user sees then must name this package."""

from careful_critics_forgotten_dependency import Base


class BrokenCritic(Base):
    """Never made."""
