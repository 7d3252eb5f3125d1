"""A real package, installed as users install it, is found by the names of its entry points."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "plugin_package"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder the package is installed into; built from a copy, so that the sources stay as they are."""
    folder = tmp_path_factory.mktemp("plugin")
    source = shutil.copytree(PACKAGE, folder / "source")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*pip, "--target", folder / "site", source], check=True)
    return folder / "site"


@pytest.fixture
def python(installed):
    """Runs a script where the package is installed and returns the JSON it prints."""

    def run(script):
        paths = [str(installed), *filter(None, [os.environ.get("PYTHONPATH")])]
        done = subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def test_listing_the_names_imports_nothing(python):
    names, loaded = python("""
import json, sys
from agentgym_critic import registry
names = {kind: registry.names(kind) for kind in ("critic", "hindsight", "agent")}
print(json.dumps([names, [name for name in sys.modules if "careful" in name]]))
""")
    assert {"careful", "careful-broken", "careful-function", "careful-hindsight", "ptrue"} <= set(names["critic"])
    assert {"careful-hindsight", "outcome"} <= set(names["hindsight"])
    assert {"careful-agent", "random"} <= set(names["agent"])
    assert loaded == []


def test_its_critics_and_agent_are_made_by_name_and_keep_their_contracts(python):
    found = python("""
import json
from agentgym_critic import registry
from agentgym_critic.critics import as_critic, as_hindsight_critic, check_critic, check_hindsight_critic
from agentgym_critic.types import Action, Turn
turn = Turn(task="tidy up", observation="a vase", admissible_actions=("burn it", "look"))
def p(critic):
    return [verdict.p for verdict in critic.judge(turn, [Action(text="burn it"), Action(text="look")], [[], []])]
check_critic("careful", deterministic=True)
check_critic("careful-function", deterministic=True)
check_hindsight_critic("careful-hindsight", deterministic=True)
print(json.dumps([
    p(as_critic("careful")),
    p(as_critic("careful", dangerous=["look"])),
    p(as_critic("careful-function")),
    as_hindsight_critic("careful-hindsight").id,
    registry.make("agent", "careful-agent").propose(turn).text,
]))
""")
    assert found == [[0.1, 0.7], [0.7, 0.1], [0.8, 0.8], "careful-hindsight", "burn it"]


def test_a_broken_plugin_is_reported_with_its_distribution_and_hurts_no_other(python):
    warned, error, other = python("""
import json, warnings
from agentgym_critic.critics import as_critic
from agentgym_critic.errors import ComponentError
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    try:
        as_critic("careful-broken")
    except ComponentError as cause:
        error = str(cause)
print(json.dumps([[str(warning.message) for warning in caught], error, as_critic("careful").id]))
""")
    assert warned == [error]
    assert error.startswith(
        "the plugin 'careful-broken' of careful-critics (careful_critics.broken:BrokenCritic) failed to load: "
        "ModuleNotFoundError"
    )
    assert "careful_critics_forgotten_dependency" in error
    assert other == "careful"


def test_a_critic_under_the_wrong_role_and_a_misspelt_name(python):
    role, name = python("""
import json
from agentgym_critic.critics import as_critic
from agentgym_critic.errors import ConfigError, UnknownIdError
try: as_critic("careful-hindsight")
except ConfigError as error: role = str(error)
try: as_critic("carefull")
except UnknownIdError as error: name = str(error)
print(json.dumps([role, name]))
""")
    assert "it has review: use it as a hindsight critic" in role
    assert "Did you mean 'careful'" in name
