"""Settings that do not fit are refused with those that do."""

from functools import partial

import pytest

from agentgym_critic.errors import ConfigError
from agentgym_critic.settings import check_settings


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
