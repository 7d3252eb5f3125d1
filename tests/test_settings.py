"""Settings that do not fit are refused with those that do."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest

from agentgym_critic.errors import ConfigError
from agentgym_critic.settings import check_settings, folder_of, names_of

if TYPE_CHECKING:
    from nowhere import Unknown

Colour = Literal["red", "blue"]


def build(name: str, *, size: int = 3, colour: str = "red") -> str:
    return f"{name} {size} {colour}"


def test_settings_that_fit_pass() -> None:
    check_settings("thing", build, {"name": "a", "size": 4})
    check_settings("thing", partial(build, "a"), {})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"name": "a", "siz": 4}, r"thing: got an unexpected keyword argument 'siz'; it takes \(name, \*, size=3, co"),
        ({"size": 4}, r"thing: missing a required argument: 'name'; it takes \(name, \*, size=3, colour='red'\)"),
    ],
)
def test_an_unknown_or_missing_setting_is_named(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        check_settings("thing", build, settings)


def test_what_is_already_given_is_no_setting() -> None:
    with pytest.raises(ConfigError, match=r"unexpected keyword argument 'name'|multiple values.*'name'"):
        check_settings("thing", partial(build, "a"), {"name": "b"})


def annotated(
    whole: int | None = None,
    number: float = 0.0,
    flag: bool = False,
    text: str = "",
    colour: Colour | None = None,
    path: str | os.PathLike[str] | None = None,
    file: Path | None = None,
    names: str | Sequence[str] | None = None,
    pair: tuple[str, str] = ("", ""),
    sizes: tuple[int, ...] = (),
    table: Mapping[str, int] | None = None,
    record: dict[str, Any] | None = None,
    unseen: Unknown | None = None,
    mixed: int | Decimal = 0,
    anything: Any = None,
    bare=None,
) -> None: ...


@pytest.mark.parametrize(
    "settings",
    [
        {"whole": 3},
        {"whole": None},
        {"whole": np.int64(3)},
        {"number": 1},
        {"number": float("nan")},
        {"number": Fraction(1, 3)},
        {"flag": True},
        {"colour": "blue"},
        {"path": "a"},
        {"path": Path("a")},
        {"file": Path("a")},
        {"names": "one"},
        {"names": ["one", "two"]},
        {"pair": ["yes", "no"]},
        {"sizes": [1, 2, 3]},
        {"sizes": ()},
        {"table": {"a": 1}},
        {"record": {"a": [2]}},
        {"unseen": 5},
        {"mixed": "what a class takes is its business"},
        {"anything": object()},
        {"bare": object()},
    ],
)
def test_settings_of_the_right_type_pass(settings: dict[str, Any]) -> None:
    check_settings("thing", annotated, settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"whole": "abc"}, "thing: whole is a whole number or None, got 'abc'"),
        ({"whole": 1.5}, "thing: whole is a whole number or None, got 1.5"),
        ({"whole": True}, "thing: whole is a whole number or None, got True"),
        ({"number": "1"}, "thing: number is a number, got '1'"),
        ({"number": True}, "thing: number is a number, got True"),
        ({"number": None}, "thing: number is a number, got None"),
        ({"flag": 1}, "thing: flag is true or false, got 1"),
        ({"text": None}, "thing: text is text, got None"),
        ({"colour": "green"}, "thing: colour is 'red' or 'blue' or None, got 'green'"),
        ({"path": 5}, "thing: path is text or a path or None, got 5"),
        ({"file": "a"}, "thing: file is a path or None, got 'a'"),
        ({"names": 5}, "thing: names is text or a list of texts or None, got 5"),
        ({"names": ["one", 2]}, "thing: names is text or a list of texts or None, got ['one', 2]"),
        ({"names": {"one"}}, "thing: names is text or a list of texts or None, got {'one'}"),
        ({"pair": "ab"}, "thing: pair is a list of 2 texts, got 'ab'"),
        ({"pair": ["a", "b", "c"]}, "thing: pair is a list of 2 texts, got ['a', 'b', 'c']"),
        ({"sizes": [1, True]}, "thing: sizes is a list of whole numbers, got [1, True]"),
        ({"table": [("a", 1)]}, "thing: table is a dictionary or None, got [('a', 1)]"),
        ({"table": {"a": "b"}}, "thing: table is a dictionary or None, got {'a': 'b'}"),
        ({"whole": "9" * 500}, f"thing: whole is a whole number or None, got '{'9' * 119}…"),
    ],
)
def test_a_setting_of_another_type_is_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        check_settings("thing", annotated, settings)
    assert str(refused.value) == message


class Base:
    def __init__(self, size: int = 3) -> None: ...


class Derived(Base): ...


@pytest.mark.parametrize("factory", [Base, Derived, partial(Derived), Base().__init__])
def test_classes_and_methods_are_checked_as_functions_are(factory: Any) -> None:
    check_settings("thing", factory, {"size": 4})
    with pytest.raises(ConfigError, match=r"^thing: size is a whole number, got 'x'$"):
        check_settings("thing", factory, {"size": "x"})


def test_further_settings_are_not_looked_at() -> None:
    def takes_more(size: int = 3, **settings: Any) -> None: ...

    check_settings("thing", takes_more, {"settings": "x", "more": "y"})


def test_one_or_several_names() -> None:
    assert names_of("room", "kitchen") == ("kitchen",)
    assert names_of("room", ["kitchen", "bedroom"]) == ("kitchen", "bedroom")


@pytest.mark.parametrize("names", [[], (), 5, {"kitchen"}, {"kitchen": 1}, ["kitchen", 5], None])
def test_what_names_nothing_is_refused(names: object) -> None:
    with pytest.raises(ConfigError) as refused:
        names_of("room", names)
    assert str(refused.value) == f"room is a name or a list of at least one, got {names!r}"


def test_a_folder_is_named_or_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert folder_of("data", None) is None
    assert folder_of("data", "~/games") == tmp_path / "games"
    assert folder_of("data", Path("games")) == Path("games")


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("", "data is '', which names no folder; leave it out for the usual one"),
        ("a\0b", "data is 'a\\x00b', which names no folder; leave it out for the usual one"),
        ("~nobody_here/x", "data is '~nobody_here/x', and there is no such user"),
    ],
)
def test_what_names_no_folder_is_refused(folder: str, message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        folder_of("data", folder)
    assert str(refused.value) == message
