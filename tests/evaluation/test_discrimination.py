"""AUC against all pairs, selective risk against its definition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_critic.evaluation.discrimination import area_under_roc, risk_at, selective_risk

PAIRS = st.lists(st.tuples(st.integers(0, 8).map(lambda n: n / 8), st.booleans()), min_size=1, max_size=40)


@given(pairs=PAIRS)
def test_all_pairs(pairs: list[tuple[float, bool]]) -> None:
    p, y = zip(*pairs, strict=True)
    true, false = [own for own, came in pairs if came], [own for own, came in pairs if not came]
    won = [(one > other) + 0.5 * (one == other) for one in true for other in false]
    assert area_under_roc(p, y) == (pytest.approx(sum(won) / len(won)) if won else None)


def test_selective_risk_by_hand() -> None:
    p, y = [0.9, 0.1, 0.6, 0.5], [True, True, True, False]  # right, wrong (equally sure), right, half
    assert selective_risk(p, y) == pytest.approx([0.5, 0.5, 1 / 3, 1.5 / 4])
    assert risk_at(p, y, 1.0) == pytest.approx(0.375)
    assert risk_at(p, y, 0.01) == pytest.approx(0.5)


@given(pairs=PAIRS, shuffled=st.randoms(use_true_random=False))
def test_order_does_not_matter(pairs: list[tuple[float, bool]], shuffled: object) -> None:
    p, y = zip(*pairs, strict=True)
    again = pairs.copy()
    shuffled.shuffle(again)  # type: ignore[attr-defined]
    assert selective_risk(*zip(*again, strict=True)) == pytest.approx(selective_risk(p, y))
    wrong = [0.5 if own == 0.5 else float((own > 0.5) != came) for own, came in pairs]
    assert selective_risk(p, y)[-1] == pytest.approx(sum(wrong) / len(wrong))
