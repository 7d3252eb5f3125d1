"""Parameters of the challenges are checked before anything is generated."""

from __future__ import annotations

import pytest

from agentgym_critic.envs.textworld.challenges import CHALLENGES, CoinCollector, challenge_of
from agentgym_critic.errors import ConfigError, UnknownIdError


@pytest.mark.parametrize("name", sorted(CHALLENGES))
def test_defaults_fit(name: str) -> None:
    assert challenge_of(name) == CHALLENGES[name]()


def test_unknown_challenge_suggests_the_nearest() -> None:
    with pytest.raises(UnknownIdError, match=r"no TextWorld challenge 'coin_collect'\. Did you mean 'tw-coin_"):
        challenge_of("coin_collect")


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("tw-simple", {"reward": "dense"}, "Object contains unknown field `reward`"),
        ("tw-simple", {"goal": "long"}, r"Invalid enum value 'long' - at `\$\.goal`"),
        ("tw-cooking", {"recipe": 6}, r"Expected `int` <= 5 - at `\$\.recipe`"),
        ("tw-cooking", {"go": 2}, r"Invalid enum value 2 - at `\$\.go`"),
        ("tw-cooking", {"recipe": 1, "take": 2}, "take=2 is more than recipe=1"),
        ("tw-cooking", {"take": 0, "recipe_seed": 3}, "recipe_seed=3 needs take of at least 1"),
        ("tw-coin_collector", {"level": 0}, r"Expected `int` >= 1 - at `\$\.level`"),
        ("tw-coin_collector", {"level": 160}, "level=160 has 120 rooms"),
        ("tw-treasure_hunter", {"level": "5"}, r"Expected `int`, got `str` - at `\$\.level`"),
    ],
)
def test_wrong_parameters_are_explained(name: str, params: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        challenge_of(name, params)
    assert str(caught.value).startswith(f"{name} refuses params={params!r}: ")
    assert "Parameters and defaults: " in str(caught.value)
    assert "level=5" in str(caught.value) or "level" not in params


@pytest.mark.parametrize(("level", "fits"), [(100, True), (150, True), (151, False), (233, True), (234, False)])
def test_coin_collector_stays_below_a_hundred_rooms(level: int, fits: bool) -> None:
    assert (CoinCollector(level=level).problem() == "") is fits
