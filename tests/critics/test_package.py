import subprocess
import sys

import pytest

import agentgym_critic.critics as critics

LOADED = """
import sys, agentgym_critic.critics as critics
for name in critics.__all__: getattr(critics, name)
print(sorted({"torch", "transformers", "openai", "textworld"} & set(sys.modules)))
"""


def test_all_public_names_exist_and_are_sorted():
    assert critics.__all__ == sorted(critics.__all__)
    assert all(getattr(critics, name).__module__.startswith("agentgym_critic.critics.") for name in critics.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"module 'agentgym_critic\.critics' has no attribute 'Critic'"):
        _ = critics.Critic


def test_using_every_critic_loads_no_model_library():
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
