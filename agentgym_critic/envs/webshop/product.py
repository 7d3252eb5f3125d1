"""`Product`: one article of a catalogue, cleaned. Knows neither files nor pages."""

from __future__ import annotations

from agentgym_critic.types import Record

__all__ = ["ANGLE", "Demand", "Product"]

ANGLE = "\u203a"
"""What parts the departments in the path of a product."""


class Demand(Record, frozen=True):
    """What a person asked for when shown a product."""

    instruction: str
    attributes: tuple[str, ...]
    """Never empty."""
    options: tuple[str, ...] = ()
    """Values of options, without their names."""


class Product(Record, frozen=True):
    """What a shop knows of an article."""

    asin: str
    title: str
    description: str = ""
    bullets: tuple[str, ...] = ()
    prices: tuple[float, ...] = (100.0,)
    """In dollars: one price, or the two ends of a range as listed (the first may be the higher)."""
    options: dict[str, tuple[str, ...]] = {}
    """The values of each option, in the order of the page; lowercase."""
    option_images: dict[str, str | None] = {}
    """By value."""
    attributes: tuple[str, ...] = ()
    query: str = ""
    """What a shopper searched to be shown it; lowercase."""
    category: str = ""
    product_category: str = ""
    """The path of departments, parted by single right-pointing angle marks."""
    image: str = ""
    instruction: str | None = None
    """The request of synthetic goals; None if there is none."""
    instruction_attributes: tuple[str, ...] = ()
    """What that request asks for."""
    demands: tuple[Demand, ...] = ()
    """The requests of people."""

    @property
    def price_tag(self) -> str:
        """The price as pages show it."""
        return " to ".join(f"${price}" for price in self.prices)
