from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentgym_critic.envs.base import clean_action
from agentgym_critic.envs.negotiation.talk import Act, agreed, ended, offers_of, read_act, standing

words = st.text(min_size=1, max_size=40).map(clean_action).filter(bool)


@given(st.integers(0, 1), st.integers(1, 999_999), words)
def test_what_is_said_is_read(side: int, price: int, message: str) -> None:
    assert read_act(side, f"offer {price}") == Act(side, "offer", price)
    assert read_act(side, f"offer {price}: {message}") == Act(side, "offer", price, message)
    for kind in ("accept", "reject", "walk away"):
        assert read_act(side, kind) == Act(side, kind)
        assert read_act(side, f"{kind}: {message}") == Act(side, kind, message=message)


@given(st.text(max_size=30))
def test_what_is_read_was_said(text: str) -> None:
    act = read_act(0, text)
    if act:
        said = f"offer {act.price}" if act.kind == "offer" else act.kind
        assert text.startswith(said)
        assert text.isascii() or act.message


def test_a_talk_comes_to_a_price_or_to_nothing() -> None:
    offer, answer = Act(0, "offer", 30), Act(1, "offer", 60)
    assert standing(()) is None
    assert standing((offer, answer)) == 60
    assert standing((offer, Act(1, "reject"))) is None
    assert agreed((offer, answer)) is None
    assert agreed((offer, answer, Act(0, "accept"))) == 60
    assert not ended((offer, answer), rounds=2)
    assert ended((offer, answer), rounds=1)
    assert ended((offer, Act(1, "walk away")), rounds=9)
    assert offers_of((offer, answer, Act(0, "offer", 35)), 0) == [30, 35]
