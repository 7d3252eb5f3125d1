"""The words of the project as immutable, typed, JSON-serialisable records.

This module knows no environment, no model and no database. Every record is a frozen
`msgspec.Struct`: `to_json` and `from_json` are exact inverses, and `from_json` refuses
what does not fit the type, naming the place.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any, Literal, TypeVar

import msgspec

from agentgym_critic.errors import ConfigError, OutOfRangeError

__all__ = [
    "LARGEST",
    "SCHEMA_VERSION",
    "Action",
    "Cost",
    "EndReason",
    "Exchange",
    "Experience",
    "FailureClass",
    "Intervention",
    "InterventionKind",
    "Oracle",
    "Polarity",
    "Record",
    "Step",
    "Trajectory",
    "Turn",
    "Verdict",
    "check_types",
    "clean_text",
    "from_json",
    "to_builtins",
    "to_json",
]

SCHEMA_VERSION = 1
"""Version of the record layout, written into every trajectory."""

LARGEST = 2**53
"""Largest whole number in a record: exact in JSON and in SQLite, and room left to add."""

LARGEST_RETURN = 1e300
"""What the return of an episode is cut at."""

EndReason = Literal["success", "failure", "step_limit", "context", "stopped"]
"""Why an episode ended. It was cut off by its limit, by a prompt that outgrew the model (`context`), or by the gate."""

FailureClass = Literal["error", "timeout", "unparsable", "out_of_range", "empty", "context", "wrong_count"]
"""Why a verdict is unscored."""

InterventionKind = Literal["warn", "regenerate", "substitute", "rollback", "stop"]
"""What a gate did instead of letting the first proposal run."""

Polarity = Literal["productive", "unproductive"]
"""Which way an experience or a verdict points."""


def check_types(record: msgspec.Struct) -> None:
    """Check every field of a record against its type; records do not when they are made.

    Raises:
        ConfigError: names the field, what it takes and what was given.
    """
    for field in msgspec.structs.fields(record):
        value = getattr(record, field.name)
        try:
            msgspec.convert(value, field.type)
        except msgspec.ValidationError as cause:
            raise ConfigError(f"{type(record).__name__}.{field.name}: {cause}; got {value!r}") from cause


def clean_text(text: str) -> str:
    r"""Replace what cannot be stored as UTF-8 (lone surrogates) and NUL characters by U+FFFD.

    >>> ascii(clean_text("a\udc80b\0"))
    "'a\\ufffdb\\ufffd'"
    """
    if text.isascii() and "\0" not in text:
        return text
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" or char == "\0" else char for char in text)


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all records: immutable, keyword-only, compared by value."""


class Cost(Record, frozen=True):
    """What a call, or several, used up."""

    calls: int = 0
    """Model calls made, including failed ones."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    env_steps: int = 0
    """Steps taken in a simulator to find out, and taken back; not those of the episode."""

    def __post_init__(self) -> None:
        """Refuse what no call can cost, and what could not be stored."""
        for amount in (self.calls, self.prompt_tokens, self.completion_tokens, self.seconds, self.env_steps):
            if not 0 <= amount <= LARGEST:
                raise ConfigError(f"a cost is made of numbers from 0 to 2**53, got {amount!r}")

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Cost) -> Cost:
        """The two costs together."""
        return Cost(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            seconds=self.seconds + other.seconds,
            env_steps=self.env_steps + other.env_steps,
        )


class Action(Record, frozen=True):
    """What an agent proposes to do, and how it came to it."""

    text: str
    """The command sent to the environment."""
    thought: str = ""
    raw: str = ""
    """The model's whole reply, unparsed."""
    token_ids: tuple[int, ...] = ()
    """The ids the reply was sampled (or scored) with; training uses these, never a re-tokenised string."""
    logprobs: tuple[float, ...] = ()
    """Natural-log probability of each of `token_ids`: as many, or none if they are not known."""
    problem: str = ""
    """Why the reply could not be read as an action, explained for the agent; empty if it could."""
    dropped_turns: int = 0
    """Oldest turns left out of the prompt so that it fits the context window."""
    cost: Cost = Cost()

    def __post_init__(self) -> None:
        """Refuse log-probabilities that belong to no token or that JSON cannot carry."""
        if len(self.logprobs) not in (0, len(self.token_ids)):
            raise ConfigError(f"{len(self.token_ids)} token ids need as many logprobs, got {len(self.logprobs)}")
        _require_finite("a logprob", self.logprobs)


class Exchange(Record, frozen=True):
    """One past step as an agent remembers it: what it saw and what it did."""

    observation: str
    action: str
    invalid_reason: str = ""
    """Why the environment refused the action; empty if it did not."""


class Turn(Record, frozen=True):
    """What an agent or critic may know when an action is chosen. Never anything privileged."""

    task: str
    observation: str
    admissible_actions: tuple[str, ...] | None = None
    """The legal actions, or None where they cannot be listed."""
    history: tuple[Exchange, ...] = ()
    """Earlier steps of this episode, oldest first."""
    index: int = 0
    """Number of this step, from 0."""
    steps_left: int | None = None
    """Steps before truncation, this one included; None if unlimited."""
    advice: str = ""
    """A critique of a rejected proposal, handed back by the gate; empty on the first proposal."""
    rejected: tuple[str, ...] = ()
    """Proposals of this step that the gate has handed back."""


class Verdict(Record, frozen=True):
    """A critic's judgement of one step.

    Raises:
        OutOfRangeError: `p` is outside [0, 1] or NaN.
        ConfigError: both or neither of `p` and `failure` are given, or another number is not finite.
    """

    p: float | None
    """Probability in [0, 1] that the step is productive; None = unscored, and then `failure` says why."""
    critic: str
    """The critic's id."""
    version: str = "0"
    """The critic's version: changes whenever the same input may get another verdict."""
    failure: FailureClass | None = None
    failure_detail: str = ""
    critique: str = ""
    suggestion: str = ""
    """An action the critic would take instead; empty if it names none."""
    dimensions: dict[str, float] = {}
    """Named partial scores, for example the members of an ensemble."""
    votes: tuple[float | None, ...] = ()
    """The single votes behind `p`, None where a vote failed."""
    recalled: tuple[str, ...] = ()
    """Ids of the experiences the critic was shown."""
    cost: Cost = Cost()

    def __post_init__(self) -> None:
        """Refuse what is neither a probability nor an explained failure."""
        if (self.p is None) == (self.failure is None):
            raise ConfigError(
                f"a verdict has either p or a failure class, got p={self.p!r} and failure={self.failure!r}"
            )
        if self.p is not None and not 0.0 <= self.p <= 1.0:
            raise OutOfRangeError(f"p is a probability in [0, 1], got {self.p!r}")
        _require_finite("a dimension", self.dimensions.values())
        _require_finite("a vote", (vote for vote in self.votes if vote is not None))

    @property
    def scored(self) -> bool:
        """Whether the critic came to a judgement."""
        return self.p is not None

    @property
    def label(self) -> Polarity | None:
        """`p` rounded to a word; None if unscored or exactly undecided."""
        if self.p is None or self.p == 0.5:
            return None
        return "productive" if self.p > 0.5 else "unproductive"

    @classmethod
    def unscored(
        cls, critic: str, failure: FailureClass, detail: str = "", *, version: str = "0", cost: Cost | None = None
    ) -> Verdict:
        """A verdict that says only that, and why, there is none."""
        return cls(
            p=None,
            critic=critic,
            version=version,
            failure=failure,
            failure_detail=clean_text(detail)[:500],
            cost=cost or Cost(),
        )


class Intervention(Record, frozen=True):
    """A proposal the gate held back.

    With `regenerate` it may run after all, if nothing better came; if the intervention was dropped, it did run.
    """

    kind: InterventionKind
    action: Action
    """The proposal that was held back."""
    verdict: Verdict
    """The judgement it was held back for."""
    dropped: str = ""
    """Why the intervention could not be carried out; empty if it was."""
    undone: Step | None = None
    """With `rollback`, the step before the proposal: it ran, and was taken back. What was held back or taken back
    before it ran stands before this intervention."""


class Step(Record, frozen=True):
    """One step that ran: what was seen, done, judged and what came of it."""

    index: int
    observation: str
    action: Action
    next_observation: str
    reward: float
    admissible_actions: tuple[str, ...] | None = None
    terminated: bool = False
    truncated: bool = False
    success: bool = False
    """Whether the task was complete after this step."""
    invalid_action: bool = False
    invalid_reason: str = ""
    state_key: str = ""
    """Hash of the full simulator state before the step."""
    next_state_key: str = ""
    verdict: Verdict | None = None
    """The pre-operative critic's judgement of `action`."""
    hindsight: Verdict | None = None
    """The hindsight critic's judgement, made after the episode."""
    interventions: tuple[Intervention, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a reward that JSON cannot carry."""
        _require_finite(f"the reward of step {self.index}", (self.reward,))


class Trajectory(Record, frozen=True):
    """A whole episode."""

    id: str
    env_id: str
    task_id: str
    """Which task of the environment: a game file, a level, a goal. Equal ids are the same task."""
    task: str
    """The goal in words."""
    seed: int
    steps: tuple[Step, ...]
    end: EndReason
    group_id: str = ""
    """Trajectories of one group share task and seed and are compared with each other."""
    agent: str = ""
    """The agent's id and version."""
    critic: str = ""
    hindsight_critic: str = ""
    env_version: str = ""
    """Version of the dynamics: package versions, engine, action dialect."""
    stream_position: int = 0
    """Place in the stream of episodes: what came of earlier places could be recalled here."""
    seconds: float = 0.0
    interventions: tuple[Intervention, ...] = ()
    """Those after which no step ran any more: what stopped the episode, or was under way when it was cut off."""
    schema_version: int = SCHEMA_VERSION

    @property
    def success(self) -> bool:
        """Whether the task was completed."""
        return self.end == "success"

    @property
    def truncated(self) -> bool:
        """Whether the episode was cut off rather than finished."""
        return self.end in ("step_limit", "context", "stopped")

    @property
    def episode_return(self) -> float:
        """Undiscounted sum of the rewards of `steps`; what came of undone steps was taken back with them.

        Cut at 1e300 on both sides, so that the returns of many episodes can be added up.
        """
        return max(-LARGEST_RETURN, min(LARGEST_RETURN, _added_up([step.reward for step in self.steps])))

    @property
    def ran(self) -> tuple[Step, ...]:
        """All steps that ran, in that order: `steps` and those that were undone. They all count against the limit."""
        kept = ((*undone_by(step.interventions), step) for step in self.steps)
        return (*chain.from_iterable(kept), *undone_by(self.interventions))

    @property
    def held_back(self) -> tuple[Intervention, ...]:
        """All interventions, in that order."""
        return (*chain.from_iterable(step.interventions for step in self.steps), *self.interventions)

    @property
    def cost(self) -> Cost:
        """What agent and critics used up, rejected proposals and undone steps included."""
        return _total(_costs(self.ran, self.held_back))

    def with_hindsight(self, verdicts: Sequence[Verdict]) -> Trajectory:
        """This trajectory with one hindsight verdict a step.

        Raises:
            ConfigError: the number of verdicts is not the number of steps.
        """
        return self._with("hindsight", verdicts)

    def with_verdicts(self, verdicts: Sequence[Verdict]) -> Trajectory:
        """This trajectory with one pre-operative verdict a step.

        Raises:
            ConfigError: the number of verdicts is not the number of steps.
        """
        return self._with("verdict", verdicts)

    def _with(self, field: str, verdicts: Sequence[Verdict]) -> Trajectory:
        if len(verdicts) != len(self.steps):
            kind = "hindsight" if field == "hindsight" else "pre-operative"
            raise ConfigError(f"{len(self.steps)} steps need as many {kind} verdicts, got {len(verdicts)}")
        pairs = zip(self.steps, verdicts, strict=True)
        steps = tuple(msgspec.structs.replace(step, **{field: verdict}) for step, verdict in pairs)
        return msgspec.structs.replace(self, steps=steps)


class Experience(Record, frozen=True):
    """A judged step as the memory bank keeps it."""

    id: str
    task: str
    state: str
    """What was seen before the action."""
    action: str
    outcome: str
    """What was seen after it."""
    p: float
    """The hindsight critic's probability that the step was productive."""
    polarity: Polarity
    env_id: str = ""
    trajectory_id: str = ""
    """Where it was seen first."""
    step: int = 0
    position: int = 0
    """Stream position at which it was first remembered."""
    count: int = 1
    """How many steps, so far, said the same."""
    similarity: float = 0.0
    """To the query that recalled it; 0 outside a recall."""


class Oracle(Record, frozen=True):
    """What a solver knows of the state: privileged, for evaluation and demonstrations only."""

    actions: tuple[str, ...]
    """The next actions that start a shortest way to success (or the only known way); where nothing
    is `certain`, those of best play."""
    steps_left: int
    """Steps to success along any of them; 0 when the task is complete."""
    exact: bool = True
    """Whether no shorter way exists; False for a recorded walkthrough or an estimate."""
    certain: bool = True
    """Whether following it leads to success in exactly `steps_left` steps. False where chance or an
    opponent has a say: `steps_left` is then what the world's page says."""
    value: float | None = None
    """What best play is worth from here, as the world's page defines it; None where all successes are alike."""


def exchange(step: Step) -> Exchange:
    """A finished step as later turns remember it."""
    return Exchange(observation=step.observation, action=step.action.text, invalid_reason=step.invalid_reason)


def _require_finite(what: str, values: Iterable[float]) -> None:
    for value in values:
        if not math.isfinite(value):
            raise ConfigError(f"{what} is a finite number, got {value!r}")


def undone_by(interventions: Iterable[Intervention]) -> tuple[Step, ...]:
    """The steps that interventions took back, in the order they ran."""
    return tuple(each.undone for each in interventions if each.undone)


def _costs(steps: Iterable[Step], interventions: Iterable[Intervention]) -> list[Cost]:
    costs = []
    for step in steps:
        costs.append(step.action.cost)
        costs += [verdict.cost for verdict in (step.verdict, step.hindsight) if verdict]
    for each in interventions:
        costs += [each.action.cost, each.verdict.cost]
    return costs


def _total(costs: Sequence[Cost]) -> Cost:
    return sum(costs, Cost())


T = TypeVar("T")


def to_json(record: Any) -> bytes:
    """A record, or any nesting of lists, dicts and records, as UTF-8 JSON.

    Text that is not valid Unicode is cleaned (`clean_text`) rather than refused, so that a
    model's garbage costs no episode.
    """
    try:
        return msgspec.json.encode(record)
    except UnicodeEncodeError:
        return msgspec.json.encode(_cleaned(to_builtins(record)))


def from_json(data: bytes | str, type: type[T]) -> T:
    """The record that `to_json` wrote.

    Raises:
        msgspec.ValidationError: the JSON is well-formed but is no such record; names the place.
        msgspec.DecodeError: it is not JSON.
        ConfigError: a number is none the record may hold, for example a `p` above 1.
    """
    return msgspec.json.decode(data, type=type)


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(key): _cleaned(item) for key, item in value.items()}
    return [_cleaned(item) for item in value] if isinstance(value, list | tuple) else value


def to_builtins(record: Any) -> Any:
    """A record as plain dicts, lists, strings and numbers."""
    return msgspec.to_builtins(record)


def _added_up(numbers: Sequence[float]) -> float:
    """The sum, cut at the largest floats."""
    try:
        return math.fsum(numbers)
    except OverflowError:  # perhaps on the way only
        total = sum(map(Fraction, numbers), Fraction())
        largest = Fraction(sys.float_info.max)
        return float(max(-largest, min(largest, total)))
