"""The number format is the one asked for, or the one a trial found fastest."""

import pytest

from agentgym_critic.errors import ConfigError
from agentgym_critic.lm import dtypes

pytest.importorskip("torch")


def test_a_named_format_is_taken():
    assert dtypes.choose_dtype("float16", "cpu") == "float16"


def test_an_unknown_format_is_refused():
    with pytest.raises(ConfigError, match="'auto' or one of bfloat16, float16, float32, got 'half'"):
        dtypes.choose_dtype("half", "cpu")


def test_the_trial_picks_what_is_clearly_faster(monkeypatch):
    for seconds, expected in [
        ({"float32": 4.0, "bfloat16": 1.0}, "bfloat16"),
        ({"float32": 1.2, "bfloat16": 1.0}, "float32"),
        ({"float32": 1.0, "bfloat16": 9.0}, "float32"),
    ]:
        dtypes.fastest_cpu_dtype.cache_clear()
        monkeypatch.setattr(dtypes, "_seconds", seconds.__getitem__)
        assert dtypes.choose_dtype("auto", "cpu") == expected
    dtypes.fastest_cpu_dtype.cache_clear()


def test_the_trial_is_real_and_short():
    assert 0 < dtypes._seconds("bfloat16") < 60
    dtypes.fastest_cpu_dtype.cache_clear()
    assert dtypes.fastest_cpu_dtype() in ("float32", "bfloat16")
