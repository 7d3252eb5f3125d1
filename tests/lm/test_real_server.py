"""`OpenAICompatibleLM` against a real OpenAI-compatible server that serves the real small model."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from agentgym_critic.errors import LMError
from agentgym_critic.lm import OpenAICompatibleLM, user

pytestmark = [pytest.mark.model, pytest.mark.slow]
pytest.importorskip("openai")

ASK = [user("What is the capital of France?")]


@pytest.fixture(scope="module")
def served(smollm2, tmp_path_factory):
    """The server's address and the model's name there."""
    pytest.importorskip("uvicorn")
    folder = smollm2.source.partition(": ")[2]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = shutil.which("transformers", path=Path(sys.executable).parent) or "transformers"
    log = tmp_path_factory.mktemp("server") / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [command, "serve", folder, "--port", str(port), "--host", "127.0.0.1", "--device", "cpu"],
            stdout=output,
            stderr=output,
            env={**os.environ, "HF_HUB_OFFLINE": "1"},
        )
        try:
            wait_until_up(f"http://127.0.0.1:{port}/health", process, log)
            yield f"http://127.0.0.1:{port}/v1", folder
        finally:
            process.terminate()
            process.wait(30)


def wait_until_up(url, process, log):
    for _ in range(240):
        if process.poll() is not None:
            break
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    pytest.fail(f"the server did not start: {log.read_text()[-2000:]}")


@pytest.fixture
def remote(served):
    url, model = served
    lm = OpenAICompatibleLM(model, url, timeout_s=120, max_concurrency=2)
    yield lm
    lm.close()


def test_it_says_what_the_model_says_here(remote, smollm2):
    (there,), (here,) = remote.generate(ASK, max_tokens=20), smollm2.generate(ASK, max_tokens=20)
    assert there.text == here.text
    assert there.prompt_tokens == here.prompt_tokens
    assert (there.token_ids, there.logprobs) == ((), ())
    assert remote.meter.cost.calls == 1
    assert remote.meter.cost.completion_tokens > 0


def test_limits_and_samples(remote):
    replies = remote.generate(ASK, n=2, max_tokens=3, temperature=1.0, seed=1)
    assert [reply.finish for reply in replies] == ["length", "length"]
    assert remote.meter.cost.calls == 2  # this server gives one reply a request


def test_a_server_without_logprobs_cannot_score(remote):
    with pytest.raises(LMError, match="returns no log-probabilities, so it cannot score"):
        remote.score(ASK, ["Paris"])


def test_a_model_that_is_not_served_is_refused(served):
    lm = OpenAICompatibleLM("another", served[0])
    with pytest.raises(LMError, match="answered with status 4"):
        lm.generate(ASK)
    lm.close()
