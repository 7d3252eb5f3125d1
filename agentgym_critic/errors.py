"""Every exception this package raises on purpose, and who is to blame for it.

The tree::

    AgentGymError
    ├── ConfigError              what the caller asked for cannot be done
    │   ├── UnknownIdError       no environment, agent, critic, ... of that name (also a LookupError)
    │   ├── OutOfRangeError      a probability that is none: outside [0, 1], or NaN
    │   ├── MissingExtraError    a package is not installed (also an ImportError)
    │   └── MissingDataError     a data set or model is not on this machine
    ├── StoreError               a run store or memory bank on disk
    │   ├── NotAStoreError       the file is something else, or damaged
    │   ├── NewerSchemaError     the file was written by a newer version
    │   ├── StoreLockedError     another process holds it for too long
    │   └── StoreFullError       the disk is full, or the file may not be written
    ├── TrainingError            training went wrong: a loss that is no number, an iteration without anything to learn
    └── ComponentError           code behind a protocol failed; `component` says whose
        ├── EnvError
        ├── AgentError
        ├── CriticError
        ├── BankError
        └── LMError              a language model, or the server in front of it
            ├── LMTimeoutError   no answer in time
            ├── LMContextError   the prompt does not fit the context window
            └── LMReplyError     an answer that cannot be used

`boundary` turns whatever foreign code raises into the `ComponentError` that names it.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType

__all__ = [
    "AgentError",
    "AgentGymError",
    "BankError",
    "ComponentError",
    "ConfigError",
    "CriticError",
    "EnvError",
    "LMContextError",
    "LMError",
    "LMReplyError",
    "LMTimeoutError",
    "MissingDataError",
    "MissingExtraError",
    "NewerSchemaError",
    "NotAStoreError",
    "OutOfRangeError",
    "StoreError",
    "StoreFullError",
    "StoreLockedError",
    "TrainingError",
    "UnknownIdError",
    "abridged",
    "boundary",
    "require",
]

SHOWN_CHARS = 120
"""What was given is quoted up to this length: a message is to be read."""

LISTED = 20
"""Names that are listed, at most."""


class AgentGymError(Exception):
    """Base of every exception raised on purpose by this package."""


class ConfigError(AgentGymError):
    """What the caller asked for cannot be done; the message says what to change."""


class UnknownIdError(ConfigError, LookupError):
    """No component of that name; the message names the nearest ones.

    Args:
        kind: what was looked up, for example ``"critic"``.
        name: the name that was not found.
        known: the names that exist.
        hint: what else would have been accepted.
    """

    def __init__(self, kind: str, name: object, known: Iterable[str], hint: str = "") -> None:
        self.kind, self.name, self.known = kind, name, sorted(set(known))
        near = difflib.get_close_matches(str(name)[: 2 * SHOWN_CHARS], self.known, n=3, cutoff=0.5)
        advice = f"Did you mean {' or '.join(map(repr, near))}?" if near else f"Known: {_listed(self.known)}."
        super().__init__(f"There is no {kind} {abridged(str(name))}. {advice}" + (f" {hint}" if hint else ""))


class OutOfRangeError(ConfigError):
    """A probability that is none: outside [0, 1], or NaN."""


class MissingExtraError(ConfigError, ImportError):
    """A package that an optional part needs is not installed; the message gives the command."""


class MissingDataError(ConfigError):
    """A data set or model is not on this machine; the message says how to get it."""


class StoreError(AgentGymError):
    """A run store or memory bank on disk could not be used."""


class NotAStoreError(StoreError):
    """The file is something else than what was to be opened, or it is damaged."""


class NewerSchemaError(StoreError):
    """The file was written by a newer version of this package."""


class StoreLockedError(StoreError):
    """Another process kept the file locked for longer than the busy timeout."""


class StoreFullError(StoreError):
    """The disk is full, or the file may not be written."""


class TrainingError(AgentGymError):
    """Training went wrong in a way that no setting shows beforehand; the last checkpoint is as it was."""


class ComponentError(AgentGymError):
    """Code behind one of the protocols failed.

    Attributes:
        component: whose code it was, for example ``"critic my_pkg:Judge"``.
    """

    def __init__(self, message: str, component: str = "") -> None:
        super().__init__(message)
        self.component = component


class EnvError(ComponentError):
    """An environment failed or broke its contract."""


class AgentError(ComponentError):
    """An agent failed or broke its contract."""


class CriticError(ComponentError):
    """A critic failed or broke its contract."""


class BankError(ComponentError):
    """An embedder failed, or does not fit the memory bank it is used with."""


class LMError(ComponentError):
    """A language model, or the server in front of it, failed."""


class LMTimeoutError(LMError):
    """The language model did not answer in time."""


class LMContextError(LMError):
    """The prompt does not fit the model's context window."""


class LMReplyError(LMError):
    """The language model answered with something that cannot be used."""


def abridged(value: object) -> str:
    """How a value is quoted in a message: its `repr`, cut if it is long.

    >>> abridged("x")
    "'x'"
    """
    try:
        text = repr(value)
    except Exception as failure:  # a whole number of thousands of digits, or a class's own fault
        text = f"<{type(value).__name__} that cannot be shown: {type(failure).__name__}>"
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…"


def _listed(names: Sequence[str]) -> str:
    """The first names, fewer where they are long."""
    first = names[:LISTED]
    while len(first) > 1 and len(", ".join(first)) > 4 * SHOWN_CHARS:
        first = first[:-1]
    return ", ".join(first) + (", ..." if len(first) < len(names) else "") or "none"


@contextmanager
def boundary(component: str, error: type[ComponentError]) -> Iterator[None]:
    """Attribute what foreign code raises to that code.

    Args:
        component: whose code runs inside, for example ``"critic my_pkg:Judge"``.
        error: the class to raise; errors of this package pass through unchanged.

    Raises:
        ComponentError: an ``error`` whose cause is the original exception.
    """
    try:
        yield
    except AgentGymError:
        raise
    except Exception as cause:
        raise error(f"{component} raised {type(cause).__name__}: {cause}", component) from cause


def require(module: str, extra: str, needed_by: str) -> ModuleType:
    """Import an optional package where it is used.

    Args:
        module: the module to import, for example ``"torch"``.
        extra: the extra of this distribution that installs it.
        needed_by: the part that needs it, as the subject of a sentence.

    Raises:
        MissingExtraError: the package is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as cause:
        package = module.partition(".")[0]
        raise MissingExtraError(
            f"{needed_by} needs the package {package}, which failed to import ({cause}); "
            f'pip install "agentgym-critic[{extra}]"'
        ) from cause
