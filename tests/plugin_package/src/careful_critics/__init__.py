"""Critics and an agent as a package of their own; see docs/plugins.md of agentgym-critic."""
