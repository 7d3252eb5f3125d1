"""From a name or path to a model, its tokenizer and what must be known of both."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from agentgym_critic.errors import ConfigError, MissingDataError, require
from agentgym_critic.lm.dtypes import choose_dtype
from agentgym_critic.lm.hub import hub_problem
from agentgym_critic.quiet import no_warnings
from agentgym_critic.settings import folder_of

__all__ = ["LoadedModel", "load", "quiet_transformers"]


class LoadedModel(NamedTuple):
    """A model ready to run."""

    model: Any
    """A ``transformers`` causal language model in evaluation mode."""
    tokenizer: Any
    name: str
    """Hub id, or name of the folder or file."""
    dtype: str
    end_ids: frozenset[int]
    """Tokens that end a reply."""
    context_tokens: int


class _Place(NamedTuple):
    """What `from_pretrained` wants."""

    name: str
    """Folder or hub id."""
    files: dict[str, str]
    """The file in the folder, if that is a GGUF file."""
    local: bool


def load(model: str | Path, dtype: str, device: str) -> LoadedModel:
    """Load a causal language model.

    Args:
        model: a Hugging Face id, a local folder, or a GGUF file.
        dtype: one of `dtypes.DTYPES`, or ``"auto"``.
        device: a torch device, or ``"auto"``.

    Raises:
        MissingDataError: it is neither on this machine nor reachable.
        ConfigError: it is there but is no causal language model, or the settings are wrong.
    """
    torch = require("torch", "lm", "TransformersLM")
    device = _device(device)
    dtype = choose_dtype(dtype, device)
    with quiet_transformers():
        tokenizer, network = _parts(model, getattr(torch, dtype))
    return LoadedModel(
        model=network.to(device).eval(),
        tokenizer=tokenizer,
        name=_name(model),
        dtype=dtype,
        end_ids=_end_ids(network, tokenizer),
        context_tokens=_context_tokens(network, tokenizer),
    )


def _device(device: str) -> str:
    torch = require("torch", "lm", "TransformersLM")
    if device != "auto":
        return device
    return "cuda" if torch.cuda.is_available() else "cpu"


def _parts(model: str | Path, dtype: Any) -> tuple[Any, Any]:
    """Tokenizer and network, from this machine if they are there."""
    place = _place(model)
    try:
        return _read(place, dtype, local_files_only=True)
    except OSError as cause:
        if place.local:
            raise ConfigError(f"{model} cannot be read as a model: {cause}") from cause
        if problem := hub_problem(place.name):
            raise MissingDataError(
                f"the model {place.name!r} is not on this machine and the hub does not give it: {problem}; "
                "give a local folder or GGUF file, or check the name and the network"
            ) from cause
    try:
        return _read(place, dtype)
    except OSError as cause:
        raise MissingDataError(f"the hub did not give the model {place.name!r}: {cause}") from cause


def _read(place: _Place, dtype: Any, **options: Any) -> tuple[Any, Any]:
    transformers = require("transformers", "lm", "TransformersLM")
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(place.name, **place.files, **options)
        network = transformers.AutoModelForCausalLM.from_pretrained(place.name, dtype=dtype, **place.files, **options)
    except OSError:
        raise
    except Exception as cause:  # damaged files fail in as many ways as there are formats
        what = "/".join([place.name, *place.files.values()])
        raise ConfigError(f"{what} cannot be loaded as a causal language model: {cause}") from cause
    return tokenizer, network


def _place(model: str | Path) -> _Place:
    path = _path(model)
    if path.suffix == ".gguf":
        require("gguf", "lm", "Reading a GGUF file")
        if not path.is_file():
            raise MissingDataError(f"there is no file {path}")
        return _Place(str(path.parent), {"gguf_file": path.name}, local=True)
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise ConfigError(f"the folder {path} holds no config.json, so it is no model; name a GGUF file itself")
        return _Place(str(path), {}, local=True)
    if path.is_absolute() or str(model).startswith((".", "~")):
        raise MissingDataError(f"there is no folder or GGUF file {path}")
    return _Place(str(model), {}, local=False)


def _path(model: str | Path) -> Path:
    path = folder_of("model", model)
    assert path is not None
    return path


def _name(model: str | Path) -> str:
    path = _path(model)
    if path.suffix == ".gguf":
        return path.stem
    return path.resolve().name if path.is_dir() else str(model)


def _end_ids(network: Any, tokenizer: Any) -> frozenset[int]:
    configured = network.generation_config.eos_token_id
    ids = configured if isinstance(configured, list) else [configured]
    return frozenset(id for id in (*ids, tokenizer.eos_token_id) if id is not None)


def _context_tokens(network: Any, tokenizer: Any) -> int:
    known = getattr(network.config.get_text_config(), "max_position_embeddings", None)
    return int(known or min(tokenizer.model_max_length, 2**31))


@contextlib.contextmanager
def quiet_transformers() -> Iterator[None]:
    """Silence the library's progress bars and notes while loading; errors still surface as exceptions."""
    noise = require("transformers.utils.logging", "lm", "TransformersLM")
    bars, level = noise.is_progress_bar_enabled(), noise.get_verbosity()
    noise.disable_progress_bar()
    noise.set_verbosity(logging.ERROR)
    try:
        with no_warnings():
            yield
    finally:
        noise.set_verbosity(level)
        if bars:
            noise.enable_progress_bar()
