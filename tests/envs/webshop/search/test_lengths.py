"""Lengths of documents as they fit into a byte."""

from __future__ import annotations

import numpy as np

from agentgym_critic.envs.webshop.search.lengths import LENGTHS, rounded


def test_lengths_in_a_byte() -> None:
    assert list(rounded(np.arange(42))) == [*range(41), 40]
    assert all(rounded(LENGTHS) == LENGTHS)
    assert list(rounded(np.array([310, 312]))) == [280, 312]
