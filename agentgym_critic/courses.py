"""A training as plain options: what the command line calls. The trainers themselves are `agentgym_critic.training`."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal

import msgspec

from agentgym_critic import registry, training
from agentgym_critic.agents.base import Agent
from agentgym_critic.assembly import Assembly
from agentgym_critic.envs import make_env
from agentgym_critic.errors import ConfigError
from agentgym_critic.evaluation import score_policy
from agentgym_critic.loop import run_episode
from agentgym_critic.store import RunStore
from agentgym_critic.training import Learner, Tally, Trainer
from agentgym_critic.types import Record, Trajectory, check_types, to_json

__all__ = ["Course", "CourseReport", "Method", "read_course", "take_course"]

Method = Literal["clone", "dagger", "gradient", "dpo-steps", "dpo-trajectories"]


class Course(Record, frozen=True):
    """What to train, how, and on what."""

    method: Method
    out: str
    """Folder of the checkpoint and the metrics."""
    iterations: int = 10
    """Epochs over a store; rounds of play and learning with an environment."""
    store: str | None = None
    """A run store: what `clone` and `dpo-…` learn from."""
    only_successes: bool = False
    """Whether `clone` leaves out episodes that did not succeed."""
    env: str | None = None
    """An environment id: what `dagger` and `gradient` play; for the others, what they are evaluated on."""
    env_settings: dict[str, Any] = {}
    expert: str = "oracle"
    """Agent that `dagger` asks; the oracle names all optimal actions."""
    credit: str = "outcome"
    """Signal of `gradient`."""
    critic: str | None = None
    """Pre-operative critic, for credits that need one."""
    critic_settings: dict[str, Any] = {}
    hindsight: str | None = None
    """Hindsight critic, likewise."""
    hindsight_settings: dict[str, Any] = {}
    start: str | None = None
    """A saved ranker to start from; None for fresh weights."""
    ranker: dict[str, Any] = {}
    """Shape of a fresh ranker: fields of `RankerSettings`."""
    settings: dict[str, Any] = {}
    """Of the method: fields of `SupervisedSettings`, `DaggerSettings`, `GradientSettings` or `PreferenceSettings`."""
    evaluate_episodes: int = 0
    """Episodes of an evaluation; 0 for none."""
    evaluate_seed: int = 1_000_000
    """The first of them; keep it away from what is trained on."""
    evaluate_every: int = 1
    resume: bool = False
    tensorboard: bool = False

    def __post_init__(self) -> None:
        """Refuse combinations in which something asked for would silently do nothing.

        Raises:
            ConfigError: names both sides of the conflict.
        """
        check_types(self)
        plays = self.method in ("dagger", "gradient")
        if plays and not self.env:
            raise ConfigError(f"the method {self.method} plays; name an environment (env)")
        if not plays and not self.store:
            raise ConfigError(f"the method {self.method} learns from a store; name one (store)")
        if plays and self.store:
            raise ConfigError(f"the method {self.method} plays, so the store {self.store!r} would be ignored")
        if self.evaluate_episodes and not self.env:
            raise ConfigError("an evaluation needs an environment; name one (env)")
        if self.start and self.ranker:
            raise ConfigError(f"a ranker that starts from {self.start!r} has its shape already; leave out ranker")


class CourseReport(Record, frozen=True):
    """What a training came to."""

    out: str
    checkpoint: str
    """The ranker: `--agent text-ranker --agent-option path=…` plays it."""
    tally: Tally
    """Rows of the store that were used, and why others were not."""
    metrics: list[dict[str, float]]
    """Of each iteration."""


def read_course(path: Path, **given: Any) -> Course:
    """A course from a TOML file; what is given besides takes precedence.

    Raises:
        ConfigError: the file cannot be read, or says something that is no course.
    """
    try:
        said = tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as cause:
        raise ConfigError(f"{path} is no TOML file: {cause}") from cause
    return course_of({**said, **given}, str(path))


def course_of(fields: dict[str, Any], where: str) -> Course:
    """A course from its fields by name.

    Raises:
        ConfigError: a field is unknown, missing or of another type.
    """
    if unknown := fields.keys() - set(Course.__struct_fields__):
        raise ConfigError(f"{where}: a course has no {sorted(unknown)}; it has {list(Course.__struct_fields__)}")
    if missing := {"method", "out"} - fields.keys():
        raise ConfigError(f"{where}: a course needs {sorted(missing)}")
    return Course(**fields)


def take_course(course: Course, on_metrics: Callable[[dict[str, float]], None] | None = None) -> CourseReport:
    """Train as the course says.

    Args:
        course: what and how.
        on_metrics: told of every iteration.

    Raises:
        ConfigError: names, settings or data do not fit, or what was trained before is something else.
        TrainingError: a loss is no number, or there is nothing to learn in an iteration.
        StoreError: a file cannot be read or written.
    """
    learner = Learner(_ranker(course))
    trainer, tally = _trainer(course, learner)
    metrics = training.fit(
        trainer,
        course.out,
        course.iterations,
        resume=course.resume,
        evaluate=partial(_evaluate, course) if course.evaluate_episodes else None,
        evaluate_every=course.evaluate_every,
        on_metrics=on_metrics,
        tensorboard=course.tensorboard,
    )
    checkpoint = str(Path(course.out) / training.CHECKPOINT)
    return CourseReport(out=course.out, checkpoint=checkpoint, tally=tally, metrics=metrics)


def _ranker(course: Course) -> training.TextRanker:
    if course.start:
        return training.TextRanker.load(course.start)
    return training.TextRanker(_settings(training.RankerSettings, course.ranker, "the ranker"))


def _trainer(course: Course, learner: Learner) -> tuple[Trainer, Tally]:
    match course.method:
        case "clone":
            return _clone(course, learner)
        case "dagger":
            how = _settings(training.DaggerSettings, course.settings, "dagger")
            return training.Dagger(learner, _make_env(course), _expert(course.expert), how), Tally()
        case "gradient":
            return _gradient(course, learner), Tally()
    return _preferences(course, learner)


def _clone(course: Course, learner: Learner) -> tuple[Trainer, Tally]:
    how = _settings(training.SupervisedSettings, course.settings, "clone")
    stored = _stored(course)
    used = [each for each in stored if each.success] if course.only_successes else stored
    left_out = sum(len(each.steps) for each in stored if course.only_successes and not each.success)
    if stored and not used:
        raise ConfigError(f"none of the {len(stored)} episodes of {course.store} succeeded; leave out only_successes")
    rows, tally = training.rows_of(learner.ranker, used)
    dropped = {"the episode did not succeed": left_out} if left_out else {}
    return training.Supervised(learner, rows, how), tally + Tally(dropped=dropped)


def _gradient(course: Course, learner: Learner) -> Trainer:
    how = _settings(training.GradientSettings, course.settings, "gradient")
    components = Assembly()
    judges = training.Judges(
        critic=components.critic(course.critic, **course.critic_settings) if course.critic else None,
        hindsight=(
            components.hindsight_critic(course.hindsight, **course.hindsight_settings) if course.hindsight else None
        ),
    )
    return training.PolicyGradient(learner, _make_env(course), training.find_signal(course.credit), how, judges)


def _preferences(course: Course, learner: Learner) -> tuple[Trainer, Tally]:
    how = _settings(training.PreferenceSettings, course.settings, course.method)
    find = training.step_preferences if course.method == "dpo-steps" else training.trajectory_preferences
    found, tally = find(learner.ranker, _stored(course))
    if not found:
        raise ConfigError(f"{course.store} holds no preferences: {tally}; collect groups with contrast (--group-size)")
    return training.PreferenceTraining(learner, found, how), tally


def _stored(course: Course) -> list[Trajectory]:
    assert course.store is not None, "the course was checked"
    if not Path(course.store).is_file():
        raise ConfigError(f"there is no run store {course.store}; collect one first: agentgym-critic run")
    with RunStore(course.store) as store:
        return list(store.trajectories())


def _make_env(course: Course) -> Callable[[], Any]:
    assert course.env is not None, "the course was checked"
    return partial(make_env, course.env, **course.env_settings)


def _expert(name: str) -> training.Expert:
    if name == "oracle":
        return training.OracleExpert()
    agent: Agent = registry.make("agent", name)
    return training.AgentExpert(agent)


def _evaluate(course: Course, learner: Learner) -> dict[str, float]:
    env, agent = _make_env(course)(), training.RankerAgent(learner.ranker)
    seeds = range(course.evaluate_seed, course.evaluate_seed + course.evaluate_episodes)
    score = score_policy([run_episode(env, agent, seed=seed) for seed in seeds])
    low, high = score.success.low, score.success.high
    assert low is not None, "Wilson's interval has bounds"
    assert high is not None, "both"
    bounds = {"success_low": low, "success_high": high}
    return {"success": score.successes / score.episodes, **bounds, "return": score.episode_return, "steps": score.steps}


def _settings(kind: type[Any], given: dict[str, Any], what: str) -> Any:
    """Settings of a method from their names, checked against its fields.

    Raises:
        ConfigError: one is unknown, of another type or out of range.
    """
    if unknown := given.keys() - set(kind.__struct_fields__):
        raise ConfigError(f"{what} has no settings {sorted(unknown)}; it has {list(kind.__struct_fields__)}")
    try:
        return msgspec.json.decode(to_json(given), type=kind)
    except msgspec.ValidationError as cause:
        raise ConfigError(f"{what}: {cause}") from cause
