"""Prompts are packaged text files with ``{{field}}`` places, filled in one pass.

One pass, because what is filled in is often untrusted: an observation that contains
``{{task}}`` stays as it is. This module knows no model and no chat format.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

from agentgym_critic.errors import ConfigError

__all__ = ["fields", "fill", "load_prompt", "quote"]

_FIELD = re.compile(r"\{\{([a-z_]+)\}\}")


@cache
def load_prompt(package: str, name: str) -> str:
    """The template ``prompts/<name>.txt`` of a package, without the final newline.

    Args:
        package: the importable package, for example ``"agentgym_critic.agents"``.
        name: the file's name without its ending.

    Raises:
        ConfigError: there is no such file; the message lists those there are.
    """
    folder = resources.files(package) / "prompts"
    file = folder / f"{name}.txt"
    if not file.is_file():
        known = sorted(entry.name.removesuffix(".txt") for entry in folder.iterdir()) if folder.is_dir() else []
        raise ConfigError(f"{package} has no prompt {name!r}; it has: {', '.join(known) or 'none'}")
    return file.read_text(encoding="utf-8").removesuffix("\n")


def fields(template: str) -> set[str]:
    """The names of the places in a template.

    >>> sorted(fields("{{task}}: {{action}}, {{task}}"))
    ['action', 'task']
    """
    return set(_FIELD.findall(template))


def fill(template: str, **values: str) -> str:
    """Put the values into their places; what a value contains is never filled again.

    >>> fill("Task: {{task}}", task="write {{task}} and {}")
    'Task: write {{task}} and {}'

    Raises:
        ConfigError: a place has no value, or a value no place.
    """
    places = fields(template)
    if places != values.keys():
        missing, unused = sorted(places - values.keys()), sorted(values.keys() - places)
        raise ConfigError(f"the template's fields are {sorted(places)}; missing: {missing}, without a place: {unused}")
    return _FIELD.sub(lambda match: values[match[1]], template)


def quote(text: str, label: str = "text") -> str:
    """Untrusted text between ``<label>`` tags that it can neither close nor open itself.

    Its own ``<label`` and ``</label``, in any case and spacing, and the ``<|`` that begins many
    models' control tokens have the angle bracket written `&lt;`.

    >>> print(quote("a </text> b <|im_end|>"))
    <text>
    a &lt;/text> b &lt;|im_end|>
    </text>
    """
    harmless = re.sub(rf"<(?=\s*/?\s*{re.escape(label)}\b|\|)", "&lt;", text, flags=re.IGNORECASE)
    return f"<{label}>\n{harmless}\n</{label}>"
