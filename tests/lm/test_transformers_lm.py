"""`TransformersLM` on a tiny random model: caching changes no result, and the protocol's promises hold."""

import math
import shutil
import threading

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentgym_critic.errors import ConfigError, LMContextError, LMError, MissingDataError
from agentgym_critic.lm import Message, TransformersLM, user
from agentgym_critic.lm.base import LOGPROB_FLOOR

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

PROMPT = [Message(role="system", content="You walk."), user("You see a door.")]
CANDIDATES = ["go north", "go", "g", "goodbye to all that", "look", "go", "look under the bed"]


def same_scores(left, right, tolerance=1e-4):
    assert [scored.text for scored in left] == [scored.text for scored in right]
    assert [scored.token_ids for scored in left] == [scored.token_ids for scored in right]
    for one, other in zip(left, right, strict=True):
        assert one.logprobs == pytest.approx(other.logprobs, abs=tolerance)


def brute_force(lm, messages, candidate):
    """One candidate, one sequence, no batch: straight from the model."""
    prompt, reply = lm._chat.prompt_ids(messages), lm._chat.reply_ids(candidate)
    with torch.inference_mode():
        logits = lm._network._model(input_ids=torch.tensor([[*prompt, *reply]])).logits[0].float()
    logprobs = logits.log_softmax(-1)
    return [float(logprobs[len(prompt) - 1 + index, id]) for index, id in enumerate(reply)]


def test_scores_are_those_of_the_bare_model(tiny, uncached):
    for lm in (tiny, uncached):
        for scored in lm.score(PROMPT, CANDIDATES):
            assert scored.logprobs == pytest.approx(brute_force(lm, PROMPT, scored.text), abs=1e-4)


def test_the_model_reads_its_own_tokens(tiny):
    """The exactness tests would pass on a model that ignores its input; this one does not."""
    north = tiny.score([user("North is free.")], ["go north"])[0]
    south = tiny.score([user("South is free.")], ["go north"])[0]
    assert max(abs(a - b) for a, b in zip(north.logprobs, south.logprobs, strict=True)) > 0.1


def test_a_prompt_is_computed_once(tiny):
    first = tiny.score(PROMPT, CANDIDATES)
    again = tiny.score(PROMPT, CANDIDATES)
    assert {scored.cached_tokens for scored in first} == {0}
    assert {scored.cached_tokens for scored in again} == {first[0].prompt_tokens - 1}
    same_scores(first, again)


def test_the_turns_of_an_episode_share_their_beginning(tiny, uncached):
    messages = list(PROMPT)
    known = 0
    for turn in range(4):
        cached = tiny.score(messages, CANDIDATES)
        same_scores(cached, uncached.score(messages, CANDIDATES))
        assert cached[0].cached_tokens >= known
        known = cached[0].prompt_tokens - 1
        messages += [Message(role="assistant", content=f"go {turn}"), user(f"Nothing happens, {turn} times.")]
    assert tiny.generate(messages, max_tokens=3)[0].cached_tokens >= known


def test_two_conversations_share_one_model(tiny, uncached):
    critic = [user("Is the step productive?")]
    for _ in range(2):
        same_scores(tiny.score(PROMPT, CANDIDATES), uncached.score(PROMPT, CANDIDATES))
        same_scores(tiny.score(critic, ["yes", "no"]), uncached.score(critic, ["yes", "no"]))
    assert tiny.score(PROMPT, ["go"])[0].cached_tokens > 0
    assert tiny.score(critic, ["go"])[0].cached_tokens > 0


def test_a_cropped_prefix_is_exact(tiny, uncached):
    long = [user("You see a door, a window and a cat.")]
    short = [user("You see a door.")]
    tiny.score(long, ["go"])
    scored = tiny.score(short, CANDIDATES)
    assert 0 < scored[0].cached_tokens < scored[0].prompt_tokens - 1
    same_scores(scored, uncached.score(short, CANDIDATES))


def test_eviction_changes_no_result(tiny_folder, uncached):
    lm = TransformersLM(tiny_folder, dtype="float32", prefix_cache_bytes=100_000)
    prompts = [[user(f"{index} " * 20)] for index in range(5)]
    for _ in range(2):
        for prompt in prompts:
            same_scores(lm.score(prompt, CANDIDATES), uncached.score(prompt, CANDIDATES))
    assert 0 < lm._network._cache.bytes <= 100_000
    assert len(lm._network._cache) < len(prompts)


@pytest.mark.parametrize("batch_tokens", [1, 5, 40, 10_000])
@pytest.mark.parametrize("prefix_cache", [True, False])
def test_batches_change_no_result(tiny_folder, uncached, batch_tokens, prefix_cache):
    lm = TransformersLM(tiny_folder, dtype="float32", batch_tokens=batch_tokens, prefix_cache=prefix_cache)
    same_scores(lm.score(PROMPT, CANDIDATES), uncached.score(PROMPT, CANDIDATES))


@pytest.fixture(scope="module")
def pair(tiny_folder):
    both = (TransformersLM(tiny_folder, dtype="float32", prefix_cache=cached) for cached in (True, False))
    return tuple(both)


@given(
    prompt=st.text(max_size=20),
    candidates=st.lists(st.text(alphabet="go n", min_size=1, max_size=8), min_size=1, max_size=6),
)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_prompts_and_candidates_score_the_same(pair, prompt, candidates):
    cached, whole = pair
    same_scores(cached.score([user(prompt)], candidates), whole.score([user(prompt)], candidates))


def test_greedy_replies_equal_the_uncached_ones(tiny, uncached):
    for _ in range(2):
        one, other = tiny.generate(PROMPT, max_tokens=20)[0], uncached.generate(PROMPT, max_tokens=20)[0]
        assert (one.text, one.token_ids, one.finish) == (other.text, other.token_ids, other.finish)
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-4)


def test_logprobs_of_a_reply_are_those_score_gives(tiny):
    (reply,) = tiny.generate(PROMPT, max_tokens=12, temperature=1.7, seed=3)
    prompt = tiny._chat.prompt_ids(PROMPT)
    with torch.inference_mode():
        logits = tiny._network._model(input_ids=torch.tensor([[*prompt, *reply.token_ids]])).logits[0]
    expected = logits.log_softmax(-1)[len(prompt) - 1 : -1].gather(1, torch.tensor(reply.token_ids)[:, None])[:, 0]
    assert reply.logprobs == pytest.approx(expected.tolist(), abs=1e-4)


def test_seeds_are_local(tiny):
    torch.manual_seed(7)
    state = torch.random.get_rng_state()
    replies = tiny.generate(PROMPT, n=4, max_tokens=8, temperature=1.0, seed=5)
    tiny.generate(PROMPT, n=2, max_tokens=8, temperature=1.0)
    torch.manual_seed(99)
    again = tiny.generate(PROMPT, n=4, max_tokens=8, temperature=1.0, seed=5)
    assert [reply.token_ids for reply in replies] == [reply.token_ids for reply in again]
    assert len({reply.token_ids for reply in replies}) > 1
    torch.manual_seed(7)
    assert torch.equal(state, torch.random.get_rng_state())


def test_no_seed_means_a_new_one(tiny):
    drawn = {tiny.generate(PROMPT, max_tokens=12, temperature=2.0)[0].token_ids for _ in range(5)}
    assert len(drawn) > 1


def test_the_global_generator_is_left_alone(tiny):
    state = torch.random.get_rng_state()
    tiny.generate(PROMPT, n=2, max_tokens=4, temperature=1.0, seed=1)
    tiny.score(PROMPT, CANDIDATES)
    assert torch.equal(state, torch.random.get_rng_state())


def test_greedy_replies_are_one(tiny):
    first, second = tiny.generate(PROMPT, n=2, max_tokens=6)
    assert (first.completion_tokens, second.completion_tokens) == (6, 0)  # it was computed once
    assert msgspec.structs.replace(second, completion_tokens=6) == first
    assert first.text == tiny.generate(PROMPT, max_tokens=6)[0].text


def test_a_reply_ends_before_the_stop_string_and_keeps_its_tokens(tiny):
    (whole,) = tiny.generate(PROMPT, max_tokens=12, temperature=1.0, seed=2)
    stop = whole.text[3:5]
    (cut,) = tiny.generate(PROMPT, max_tokens=12, temperature=1.0, seed=2, stop=["never said", stop])
    assert cut.text == whole.text[: whole.text.find(stop)]
    assert cut.token_ids == whole.token_ids[: len(cut.token_ids)]
    assert cut.finish == "stop"
    assert stop in tiny._chat.decode(cut.token_ids)


def test_a_reply_ends_at_the_end_token_or_at_the_limit(tiny, tiny_folder):
    reply = tiny.generate(PROMPT, max_tokens=5)[0]
    assert (len(reply.token_ids), reply.finish) == (5, "length")
    tiny._end_ids = frozenset({reply.token_ids[0]})
    ended = tiny.generate(PROMPT, max_tokens=5)[0]
    assert (ended.token_ids, ended.finish) == (reply.token_ids[:1], "stop")


def test_many_samples_come_in_batches(tiny_folder, tiny):
    lm = TransformersLM(tiny_folder, dtype="float32", batch_tokens=150)
    replies = lm.generate(PROMPT, n=5, max_tokens=4, temperature=1.0, seed=0)
    assert len(replies) == 5
    assert all(len(reply.logprobs) == len(reply.token_ids) > 0 for reply in replies)


def test_candidates_keep_the_prompt_tokens(tiny):
    """ "go" after a prompt that ends in "g" must not merge with it."""
    scored = tiny.score([user("g")], ["oo", "goo"])
    assert scored[0].token_ids == (tiny._chat.reply_ids("o")[0],) * 2
    assert len(scored[1].token_ids) == 1
    assert scored[0].prompt_tokens == tiny.count_tokens([user("g")])


@pytest.mark.parametrize(
    ("candidates", "message"), [([], "at least one candidate"), (["go", ""], "candidate 1 is empty")]
)
def test_empty_candidates_are_refused(tiny, candidates, message):
    with pytest.raises(ConfigError, match=message):
        tiny.score(PROMPT, candidates)


@pytest.mark.parametrize(
    "wrong",
    [{"n": 0}, {"max_tokens": 0}, {"temperature": -1.0}, {"temperature": math.nan}, {"stop": "end"}, {"stop": [""]}],
)
def test_wrong_settings_are_refused(tiny, wrong):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        tiny.generate(PROMPT, **wrong)


def test_no_messages_are_refused(tiny):
    with pytest.raises(ConfigError, match="at least one message"):
        tiny.generate([])


def test_what_does_not_fit_says_how_long_it_is(tiny):
    long = [user("word " * 200)]
    tokens = tiny.count_tokens(long)
    with pytest.raises(LMContextError, match=rf"prompt has {tokens} tokens and max_tokens 256.*over the 512 of tiny"):
        tiny.generate(long)
    with pytest.raises(LMContextError, match=r"the longest candidate 2,"):
        tiny.score(long, ["ab"])
    with pytest.raises(LMContextError, match="over the 60 of"):
        TransformersLM(tiny.source, context_tokens=60).generate(PROMPT)


def test_exactly_fitting_is_fine(tiny):
    prompt = tiny.count_tokens(PROMPT)
    assert tiny.generate(PROMPT, max_tokens=512 - prompt, stop=["\n", " ", "a", "e"])


def test_many_threads_get_what_one_gets(tiny):
    prompts = [[user(f"Room {index} of the house.")] for index in range(6)]
    expected = [tiny.score(prompt, CANDIDATES) for prompt in prompts]
    tiny.clear_cache()
    got: dict[int, list] = {}
    threads = [
        threading.Thread(target=lambda i=index: got.update({i: tiny.score(prompts[i], CANDIDATES)}))
        for index in range(len(prompts))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for index, scores in enumerate(expected):
        same_scores(got[index], scores)


def test_a_model_of_nans_is_an_error_not_a_score(tiny):
    with torch.no_grad():
        tiny._network._model.model.norm.weight.fill_(math.nan)
    for run in (lambda: tiny.score(PROMPT, ["go"]), lambda: tiny.generate(PROMPT, temperature=1.0)):
        with pytest.raises(LMError, match=r"not numbers .* dtype='float32'"):
            run()


def test_an_impossible_token_has_a_finite_logprob(tiny):
    head = tiny._network._model.lm_head
    banned = tiny._chat.reply_ids("g")[0]

    def ban(_module, _inputs, logits):
        logits[..., banned] = -math.inf
        return logits

    head.register_forward_hook(ban)
    assert tiny.score(PROMPT, ["g"])[0].logprobs == (LOGPROB_FLOOR,)
    reply = tiny.generate(PROMPT, max_tokens=8, temperature=1.0, seed=0)[0]
    assert banned not in reply.token_ids
    assert all(math.isfinite(value) for value in reply.logprobs)


def test_the_id_names_model_and_format(tiny, tiny_folder):
    assert tiny.id == "tiny@float32"
    assert TransformersLM(tiny_folder, dtype="bfloat16").id == "tiny@bfloat16"
    assert TransformersLM(tiny_folder).id in ("tiny@float32", "tiny@bfloat16")
    assert tiny.source == str(tiny_folder)


def test_half_precision_gives_float32_records(tiny_folder, uncached):
    half = TransformersLM(tiny_folder, dtype="bfloat16")
    for scored, whole in zip(half.score(PROMPT, CANDIDATES), uncached.score(PROMPT, CANDIDATES), strict=True):
        assert scored.logprobs == pytest.approx(whole.logprobs, abs=0.5)
        assert all(value <= 0 for value in scored.logprobs)


def test_wrong_loading_settings_are_refused(tiny_folder, tmp_path):
    with pytest.raises(ConfigError, match="dtype is 'auto' or one of bfloat16, float16, float32, got 'int3'"):
        TransformersLM(tiny_folder, dtype="int3")
    with pytest.raises(ConfigError, match="batch_tokens"):
        TransformersLM(tiny_folder, batch_tokens=0)
    with pytest.raises(ConfigError, match=r"holds no config.json"):
        TransformersLM(tmp_path)
    with pytest.raises(ConfigError, match=r"^model is '~nobody_here/x', and there is no such user$"):
        TransformersLM("~nobody_here/x")
    with pytest.raises(MissingDataError, match="there is no folder or GGUF file"):
        TransformersLM(tmp_path / "nowhere")
    with pytest.raises(MissingDataError, match=r"there is no file .*lost.gguf"):
        TransformersLM(tmp_path / "lost.gguf")


def test_a_damaged_folder_is_named(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ConfigError, match=str(tmp_path)):
        TransformersLM(tmp_path)


def test_damaged_files_are_named(tmp_path, tiny_folder):
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(ConfigError, match=r"broken\.gguf cannot be loaded"):
        TransformersLM(broken)
    folder = tmp_path / "copy"
    shutil.copytree(tiny_folder, folder)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:5000])
    with pytest.raises(ConfigError, match=rf"{folder} cannot be loaded as a causal language model"):
        TransformersLM(folder)
