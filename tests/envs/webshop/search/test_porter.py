"""The stemmer, word by word."""

from __future__ import annotations

import pytest

from agentgym_critic.envs.webshop.search.porter import stem


@pytest.mark.parametrize(
    ("word", "root"),
    [
        ("caresses", "caress"), ("ponies", "poni"), ("agreed", "agre"), ("plastered", "plaster"), ("motoring", "motor"),
        ("conflated", "conflat"), ("hopping", "hop"), ("falling", "fall"), ("filing", "file"), ("trekking", "trek"),
        ("happy", "happi"), ("sky", "sky"), ("relational", "relat"), ("possibly", "possibl"),
        ("technology", "technolog"), ("electrical", "electr"), ("adoption", "adopt"), ("rate", "rate"),
        ("controlling", "control"), ("at", "at"),
    ],
)  # fmt: skip
def test_stems(word: str, root: str) -> None:
    assert stem(word) == root
