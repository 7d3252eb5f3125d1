"""A plugin that cannot be imported: what a user sees then must name this package."""

