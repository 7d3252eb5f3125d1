"""Names are found, near misses are suggested, and whose code failed is said."""

from __future__ import annotations

import subprocess
import sys

import pytest

from agentgym_critic import registry
from agentgym_critic.agents import RandomAgent
from agentgym_critic.errors import ComponentError, ConfigError, UnknownIdError


def test_a_name_a_string_and_an_object_can_be_made() -> None:
    assert isinstance(registry.make("agent", "random"), RandomAgent)
    assert isinstance(registry.make("agent", "agentgym_critic.agents.random:RandomAgent"), RandomAgent)
    assert registry.make("agent", "math:pi") == pytest.approx(3.14159, abs=1e-4)


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(UnknownIdError, match=r"There is no agent 'randon'\. Did you mean 'random'.*plugins"):
        registry.make("agent", "randon")
    with pytest.raises(LookupError):
        registry.make("critic", "zzzzzzz")


def test_a_string_that_leads_nowhere_says_how_far_it_got() -> None:
    with pytest.raises(UnknownIdError, match=r"No module named 'no_such_package.mod' can be imported"):
        registry.make("critic", "no_such_package.mod:Judge")
    with pytest.raises(
        UnknownIdError, match=r"no attribute of agentgym_critic.agents.random 'RandomAgen'.*Did you mean 'RandomAgent'"
    ):
        registry.make("agent", "agentgym_critic.agents.random:RandomAgen")


def test_settings_that_do_not_fit_are_refused_with_those_that_do() -> None:
    with pytest.raises(ConfigError, match=r"agent 'scripted': got an unexpected keyword argument 'scrip'.*script"):
        registry.make("agent", "scripted", scrip=["left"])
    with pytest.raises(ConfigError, match=r"agent 'math:pi' is an object, not a class, and takes no settings: \['x'\]"):
        registry.make("agent", "math:pi", x=1)


def test_a_constructor_that_raises_is_named() -> None:
    with pytest.raises(ComponentError, match=r"agent fractions:Fraction raised ZeroDivisionError"):
        registry.make("agent", "fractions:Fraction", numerator=1, denominator=0)


def test_registering_twice_is_fine_and_stealing_a_name_is_not() -> None:
    registry.register("agent", "test-only", RandomAgent)
    registry.register("agent", "test-only", RandomAgent)
    with pytest.raises(ConfigError, match="the agent name 'random' is already taken by"):
        registry.register("agent", "random", "somewhere:Else")
    assert "test-only" in registry.names("agent")
    del registry._registered["agent"]["test-only"]


def test_listing_imports_nothing() -> None:
    program = (
        "import sys; from agentgym_critic import registry; registry.names('critic');"
        "assert not [m for m in sys.modules if m.startswith('agentgym_critic.critics')]"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
