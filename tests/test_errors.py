"""Errors say what was wrong, what was seen and what to do."""

from __future__ import annotations

import re

import pytest

from agentgym_critic import errors
from agentgym_critic.errors import (
    AgentGymError,
    ConfigError,
    CriticError,
    LMTimeoutError,
    MissingExtraError,
    UnknownIdError,
    abridged,
    boundary,
    require,
)


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    assert errors.__doc__
    drawn = re.findall(
        r"^[\s│├└─]*(\w+Error)\b", errors.__doc__.partition("The tree::")[2].partition("`boundary`")[0], re.MULTILINE
    )
    real = [name for name in errors.__all__ if name.endswith("Error")]
    assert sorted(set(drawn)) == sorted(real)
    assert all(issubclass(getattr(errors, name), AgentGymError) for name in real)


def test_an_unknown_name_suggests_or_lists() -> None:
    error = UnknownIdError("critic", "ptru", ["ptrue", "rules", "ptrue"], "See the docs.")
    assert str(error) == "There is no critic 'ptru'. Did you mean 'ptrue'? See the docs."
    assert str(UnknownIdError("run", "zz", ["a1", "b2"])) == "There is no run 'zz'. Known: a1, b2."
    assert str(UnknownIdError("run", "zz", [])) == "There is no run 'zz'. Known: none."
    assert str(UnknownIdError("run", "zz", map(str, range(99)))).endswith(", ....")
    assert isinstance(error, LookupError)
    assert isinstance(error, ConfigError)


def test_boundary_names_whose_code_failed_and_keeps_the_cause() -> None:
    with (
        pytest.raises(CriticError, match="critic mine raised ValueError: bad") as raised,
        boundary("critic mine", CriticError),
    ):
        raise ValueError("bad")
    assert raised.value.component == "critic mine"
    assert isinstance(raised.value.__cause__, ValueError)


@pytest.mark.parametrize("error", [LMTimeoutError("late"), KeyboardInterrupt(), SystemExit(3)])
def test_boundary_lets_our_errors_and_exits_through(error: BaseException) -> None:
    with pytest.raises(type(error)), boundary("x", CriticError):
        raise error


def test_a_missing_package_names_the_command() -> None:
    with pytest.raises(MissingExtraError, match=re.escape("Magic needs the package no_such_thing, which")) as raised:
        require("no_such_thing.part", "lm", "Magic")
    assert str(raised.value).endswith('pip install "agentgym-critic[lm]"')
    assert isinstance(raised.value, ImportError)


def test_a_message_stays_short_whatever_was_given() -> None:
    error = UnknownIdError("game", "x" * 10**6, [f"{number}" * 70 for number in range(10, 99)])
    assert str(error).startswith(f"There is no game '{'x' * 119}…. Known: ")
    assert len(str(error)) < 700
    assert str(error).endswith(", ....")
    assert error.name == "x" * 10**6


def test_what_is_no_name_at_all_is_unknown_too() -> None:
    assert str(UnknownIdError("split", 5, ["train"])) == "There is no split '5'. Known: train."


def test_a_value_that_has_no_repr_is_named_by_its_type() -> None:
    class Broken:
        def __repr__(self) -> str:
            raise RuntimeError("no words")

    assert abridged(10**5000) == "<int that cannot be shown: ValueError>"
    assert abridged(Broken()) == "<Broken that cannot be shown: RuntimeError>"
    assert abridged("x" * 10_000).endswith("…")
