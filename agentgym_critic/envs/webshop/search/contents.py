"""What of a product is searched. Knows no index."""

from __future__ import annotations

from agentgym_critic.envs.webshop.product import Product

__all__ = ["contents"]


def contents(product: Product) -> str:
    """Its title, description, first bullet and options; neither attributes nor categories."""
    options = ", and ".join(f"{name}: {', '.join(values)}" for name, values in product.options.items())
    bullet = product.bullets[0] if product.bullets else ""
    return f"{product.title} {product.description} {bullet} {options}".lower()
