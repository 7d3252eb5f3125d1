"""Find agents, critics and embedders by name, without importing any until one is made.

A name is looked up in this order: what `register` was told, a ``"pkg.mod:Class"`` string,
an installed plugin (entry points of the group ``agentgym_critic.<kind>s``, loaded only on a
miss). Environments are Gymnasium's: `gymnasium.register` and `gymnasium.make`.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

from agentgym_critic.errors import AgentGymError, ComponentError, ConfigError, UnknownIdError, boundary
from agentgym_critic.settings import check_settings

__all__ = ["Kind", "build", "make", "names", "register", "resolve"]

Kind = Literal["agent", "critic", "hindsight", "embedder"]
"""What can be registered. Hindsight critics share the plugin group of the critics."""

_GROUPS: dict[Kind, str] = {
    "agent": "agentgym_critic.agents",
    "critic": "agentgym_critic.critics",
    "hindsight": "agentgym_critic.critics",
    "embedder": "agentgym_critic.embedders",
}

_registered: dict[Kind, dict[str, str | Callable[..., Any]]] = {
    "agent": {
        "random": "agentgym_critic.agents.random:RandomAgent",
        "scripted": "agentgym_critic.agents.scripted:ScriptedAgent",
        "oracle": "agentgym_critic.agents.oracle:OracleAgent",
        "human": "agentgym_critic.agents.human:HumanAgent",
        "household-expert": "agentgym_critic.agents.household.expert:HouseholdExpert",
        "shopper": "agentgym_critic.agents.shopper:Shopper",
        "lm": "agentgym_critic.agents.lm:LMAgent",
        "lm-rank": "agentgym_critic.agents.ranker:LMRanker",
        "best-of-n": "agentgym_critic.agents.search.best_of_n:BestOfN",
        "beam": "agentgym_critic.agents.search.beam:BeamSearch",
        "mcts": "agentgym_critic.agents.search.mcts:TreeSearch",
        "text-ranker": "agentgym_critic.agents.text_ranker.agent:load_agent",
    },
    "critic": {
        "ptrue": "agentgym_critic.critics.ptrue:PTrueCritic",
        "bank-fusion": "agentgym_critic.critics.bank:bank_fusion",
        "bank-kernel": "agentgym_critic.critics.bank:bank_kernel",
        "bank-traits": "agentgym_critic.critics.bank:bank_traits",
        "bank-lm": "agentgym_critic.critics.bank:bank_lm",
        "bank-ptrue": "agentgym_critic.critics.ptrue:bank_ptrue",
        "verbalized": "agentgym_critic.critics.verbalized:VerbalizedCritic",
        "bank-verbalized": "agentgym_critic.critics.verbalized:bank_verbalized",
        "kernel": "agentgym_critic.critics.kernel:KernelCritic",
        "learner": "agentgym_critic.critics.learner:LearnerCritic",
        "rules": "agentgym_critic.critics.rules:RuleCritic",
        "self-consistency": "agentgym_critic.critics.self_consistency:SelfConsistencyCritic",
        "likelihood": "agentgym_critic.critics.likelihood:LikelihoodCritic",
        "structured": "agentgym_critic.critics.structured:StructuredCritic",
        "graded": "agentgym_critic.critics.graded:GradedCritic",
        "groupwise": "agentgym_critic.critics.groupwise:GroupwiseCritic",
        "monte-carlo": "agentgym_critic.critics.monte_carlo:MonteCarloCritic",
        "value-model": "agentgym_critic.critics.value_model:ValueModelCritic",
        "oracle": "agentgym_critic.critics.oracle:OracleCritic",
    },
    "hindsight": {
        "outcome": "agentgym_critic.critics.outcome:OutcomeHindsightCritic",
        "lm": "agentgym_critic.critics.hindsight:LMHindsightCritic",
        "retrospective": "agentgym_critic.critics.retrospective:RetrospectiveCritic",
        "first-error": "agentgym_critic.critics.first_error:FirstErrorCritic",
        "counterfactual": "agentgym_critic.critics.counterfactual:CounterfactualCritic",
        "rubrics": "agentgym_critic.critics.rubric_critic:RubricCritic",
        "rubric-rules": "agentgym_critic.critics.rubric_critic:rubric_rules",
        "relabel": "agentgym_critic.critics.relabel:Relabeller",
        "lm-relabel": "agentgym_critic.critics.relabel:lm_relabeller",
    },
    "embedder": {
        "hashing": "agentgym_critic.memory.embedders:HashingEmbedder",
        "sentence-transformer": "agentgym_critic.memory.embedders:SentenceTransformerEmbedder",
    },
}


def register(kind: Kind, name: str, target: str | Callable[..., Any]) -> None:
    """Make `target` available as `name`.

    Args:
        kind: what it is.
        name: how users ask for it.
        target: a class or factory, or the ``"pkg.mod:Class"`` string of one.

    Raises:
        ConfigError: the name is taken by something else.
    """
    taken = _registered[kind].get(name)
    if taken is not None and taken != target:
        raise ConfigError(f"the {kind} name {name!r} is already taken by {taken!r}; choose another")
    _registered[kind][name] = target


def names(kind: Kind) -> list[str]:
    """All names `make` knows for this kind, installed plugins included; imports none of them."""
    return sorted({*_registered[kind], *(plugin.name for plugin in _plugins(kind))})


def make(kind: Kind, name: str, **settings: Any) -> Any:
    """Build the component called `name`.

    Args:
        kind: what it is.
        name: a registered name, a ``"pkg.mod:Class"`` string or a plugin's name.
        settings: keyword arguments of its class or factory.

    Raises:
        UnknownIdError: nothing of that name; the message suggests the nearest.
        ConfigError: it does not take these settings.
        ComponentError: its module or constructor raised.
    """
    return build(kind, name, resolve(kind, name), settings)


def build(kind: Kind, name: str, target: Any, settings: dict[str, Any]) -> Any:
    """Build a component from what `resolve` gave: call a class or factory, take an object as it is.

    Raises:
        ConfigError: it does not take these settings.
        ComponentError: the class or factory raised.
    """
    if not callable(target):
        if settings:
            raise ConfigError(f"{kind} {name!r} is an object, not a class, and takes no settings: {sorted(settings)}")
        return target
    with boundary(f"{kind} {name}", ComponentError):
        check_settings(f"{kind} {name!r}", target, settings)
        return target(**settings)


def resolve(kind: Kind, name: str) -> Any:
    """Import what `name` stands for: a class, a factory, or the component itself.

    Args:
        kind: what it is.
        name: a registered name, a ``"pkg.mod:Class"`` string or a plugin's name.

    Raises:
        UnknownIdError: nothing of that name; the message suggests the nearest.
        ComponentError: its module raised.
    """
    target = _registered[kind].get(name)
    if target is None and all(name.partition(":")) and not name.startswith("."):
        target = name
    if target is None:
        target = _load_plugin(kind, name)
    return _load(kind, target) if isinstance(target, str) else target


def _load(kind: Kind, path: str) -> Any:
    module_name, _, attribute = path.partition(":")
    with boundary(f"{kind} {path}", ComponentError):
        try:
            module = importlib.import_module(module_name)
        except ModuleNotFoundError as cause:
            if cause.name is None or not f"{module_name}.".startswith(f"{cause.name}."):
                raise
            raise UnknownIdError(
                kind, path, names(kind), f"No module named {module_name!r} can be imported."
            ) from cause
        try:
            return getattr(module, attribute)
        except AttributeError as cause:
            public = [public for public in vars(module) if not public.startswith("_")]
            raise UnknownIdError(f"attribute of {module_name}", attribute, public) from cause


def _plugins(kind: Kind) -> list[EntryPoint]:
    return list(entry_points(group=_GROUPS[kind]))


def _load_plugin(kind: Kind, name: str) -> Any:
    for plugin in _plugins(kind):
        if plugin.name == name:
            return _loaded(kind, plugin)
    raise UnknownIdError(kind, name, names(kind), 'A "package.module:Class" string works too; see docs/plugins.md.')


def _loaded(kind: Kind, plugin: EntryPoint) -> Any:
    try:
        return plugin.load()
    except AgentGymError:
        raise
    except Exception as cause:
        origin = plugin.dist.name if plugin.dist else "an unknown package"
        message = f"the plugin {plugin.name!r} of {origin} ({plugin.value}) failed to load: {cause!r}"
        warnings.warn(message, stacklevel=4)
        raise ComponentError(message, f"{kind} {plugin.name}") from cause
