"""The package is light to import and shows what it promises."""

import subprocess
import sys

import pytest

from agentgym_critic import lm


def test_importing_the_package_loads_no_model_library():
    code = (
        "import sys, agentgym_critic.lm as lm\n"
        "lm.ReplayLM, lm.load_lm, lm.TransformersLM, lm.OpenAICompatibleLM\n"
        "print(sorted({'torch', 'transformers', 'openai', 'huggingface_hub', 'filelock'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_fake_and_a_server_bring_no_network_along():
    code = (
        "import sys, agentgym_critic.lm as lm\n"
        "lm.ReplayLM, lm.OpenAICompatibleLM\n"
        "print([name for name in ('network', 'sampling') if f'agentgym_critic.lm.{name}' in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there():
    assert sorted(lm.__all__) == lm.__all__
    for name in lm.__all__:
        assert getattr(lm, name).__name__ == name


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"agentgym_critic\.lm.*no attribute 'TransformerLM'"):
        _ = lm.TransformerLM
