"""Hypothesis strategies for every record of `agentgym_critic.types`.

Text is any storable text: all scripts, quotes, newlines, no NUL and no lone surrogates (those
do not survive storage by design; `clean_text` has its own tests).
"""

from __future__ import annotations

from typing import get_args

from hypothesis import strategies as st

from agentgym_critic.types import (
    Action,
    Cost,
    EndReason,
    Exchange,
    Experience,
    FailureClass,
    Intervention,
    InterventionKind,
    Oracle,
    Polarity,
    Step,
    Trajectory,
    Turn,
    Verdict,
)

__all__ = [
    "action",
    "cost",
    "exchange",
    "experience",
    "finite",
    "hostile_text",
    "intervention",
    "oracle",
    "probability",
    "step",
    "text",
    "trajectory",
    "turn",
    "verdict",
]

count = st.integers(0, 2**40)
finite = st.floats(allow_nan=False, allow_infinity=False)
probability = st.floats(0.0, 1.0)


def text(max_size: int = 20) -> st.SearchStrategy[str]:
    """Storable text."""
    return st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=max_size)


def hostile_text(max_size: int = 60) -> st.SearchStrategy[str]:
    """Any Python string, lone surrogates and NUL included."""
    return st.text(st.characters(), max_size=max_size)


def texts(max_size: int = 3) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(text(), max_size=max_size).map(tuple)


def cost() -> st.SearchStrategy[Cost]:
    return st.builds(
        Cost, calls=count, prompt_tokens=count, completion_tokens=count, seconds=st.floats(0, 1e6, allow_nan=False)
    )


@st.composite
def action(draw: st.DrawFn) -> Action:
    scored = draw(st.lists(st.tuples(st.integers(0, 200_000), st.floats(-100, 0)), max_size=4))
    with_logprobs = draw(st.booleans())
    return Action(
        text=draw(text()),
        thought=draw(text()),
        raw=draw(text()),
        token_ids=tuple(token for token, _ in scored),
        logprobs=tuple(logprob for _, logprob in scored) if with_logprobs else (),
        problem=draw(text()),
        dropped_turns=draw(count),
        cost=draw(cost()),
    )


def exchange() -> st.SearchStrategy[Exchange]:
    return st.builds(Exchange, observation=text(), action=text(), invalid_reason=text())


def turn() -> st.SearchStrategy[Turn]:
    return st.builds(
        Turn,
        task=text(),
        observation=text(),
        admissible_actions=st.none() | texts(),
        history=st.lists(exchange(), max_size=3).map(tuple),
        index=count,
        steps_left=st.none() | count,
        advice=text(),
        rejected=texts(2),
    )


@st.composite
def verdict(draw: st.DrawFn) -> Verdict:
    p = draw(st.none() | probability)
    return Verdict(
        p=p,
        critic=draw(text()),
        version=draw(text()),
        failure=None if p is not None else draw(st.sampled_from(get_args(FailureClass))),
        failure_detail=draw(text()),
        critique=draw(text()),
        suggestion=draw(text()),
        dimensions=draw(st.dictionaries(text(8), finite, max_size=2)),
        votes=tuple(draw(st.lists(st.none() | probability, max_size=3))),
        recalled=draw(texts(2)),
        cost=draw(cost()),
    )


def intervention() -> st.SearchStrategy[Intervention]:
    return st.builds(
        Intervention,
        kind=st.sampled_from(get_args(InterventionKind)),
        action=action(),
        verdict=verdict(),
        dropped=text(),
        undone=st.none() | undone(),
    )


def undone() -> st.SearchStrategy[Step]:
    """A step that was taken back; shorter than others, or they would nest without end."""
    return st.builds(
        Step,
        index=count,
        observation=text(),
        action=st.builds(Action, text=text(), cost=cost()),
        next_observation=text(),
        reward=finite,
        state_key=text(),
        verdict=st.none() | st.builds(Verdict, p=probability, critic=text(), cost=cost()),
    )


def step(index: int = 0) -> st.SearchStrategy[Step]:
    return st.builds(
        Step,
        index=st.just(index),
        observation=text(),
        action=action(),
        next_observation=text(),
        reward=finite,
        admissible_actions=st.none() | texts(),
        terminated=st.booleans(),
        truncated=st.booleans(),
        success=st.booleans(),
        invalid_action=st.booleans(),
        invalid_reason=text(),
        state_key=text(),
        next_state_key=text(),
        verdict=st.none() | verdict(),
        hindsight=st.none() | verdict(),
        interventions=st.lists(intervention(), max_size=2).map(tuple),
    )


@st.composite
def trajectory(draw: st.DrawFn, max_steps: int = 3) -> Trajectory:
    """A trajectory whose steps are numbered from 0, as the loop leaves them."""
    steps = tuple(draw(step(index)) for index in range(draw(st.integers(0, max_steps))))
    return Trajectory(
        id=draw(text()),
        env_id=draw(text()),
        task_id=draw(text()),
        task=draw(text()),
        seed=draw(st.integers(0, 2**31)),
        steps=steps,
        end=draw(st.sampled_from(get_args(EndReason))),
        group_id=draw(text()),
        agent=draw(text()),
        critic=draw(text()),
        hindsight_critic=draw(text()),
        env_version=draw(text()),
        stream_position=draw(count),
        seconds=draw(st.floats(0, 1e6)),
        interventions=tuple(draw(st.lists(intervention(), max_size=1))),
    )


def experience() -> st.SearchStrategy[Experience]:
    return st.builds(
        Experience,
        id=text(),
        task=text(),
        state=text(),
        action=text(),
        outcome=text(),
        p=probability,
        polarity=st.sampled_from(get_args(Polarity)),
        env_id=text(),
        trajectory_id=text(),
        step=count,
        position=count,
        count=st.integers(1, 2**40),
        similarity=finite,
    )


def oracle() -> st.SearchStrategy[Oracle]:
    return st.builds(Oracle, actions=texts(), steps_left=count, exact=st.booleans())
