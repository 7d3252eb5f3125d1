"""`OpenAICompatibleLM` against a local server that misbehaves in every way a server can."""

import json
import math
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from agentgym_critic.critics import PTrueCritic
from agentgym_critic.errors import ConfigError, LMContextError, LMError, LMReplyError, LMTimeoutError
from agentgym_critic.lm import Message, OpenAICompatibleLM, user
from agentgym_critic.lm.meter import MeteredLM
from agentgym_critic.types import Action, Turn

pytest.importorskip("openai")

ASK = [Message(role="system", content="Be brief."), user("Which way?")]


def reply(*texts, finish="stop", logprobs=None, **more):
    """A chat completion with one choice for each text."""
    choices = [
        {
            "index": index,
            "message": {"role": "assistant", "content": text},
            "finish_reason": finish,
            "logprobs": logprobs,
        }
        for index, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": 7, "completion_tokens": 3 * len(texts), "total_tokens": 7 + 3 * len(texts)}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": choices,
        "usage": usage,
        **more,
    }


class FakeServer:
    """Answers from a list (the last answer again and again), and keeps what it was asked.

    An answer is a dict (status 200), a pair of status and dict, bytes (sent as they are), a
    number (seconds of silence before the next answer), or a function of the request.
    """

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []
        self.authorizations = []
        self.in_flight = self.most_in_flight = 0
        self._lock = threading.Lock()

    def next_answer(self, request, authorization):
        with self._lock:
            self.requests.append(request)
            self.authorizations.append(authorization)
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return answer(request) if callable(answer) else answer

    def enter(self, change):
        with self._lock:
            self.in_flight += change
            self.most_in_flight = max(self.most_in_flight, self.in_flight)


@pytest.fixture
def serve():
    """Starts fake servers and gives models in front of them."""
    started = []

    def start(*answers, **settings):
        fake = FakeServer(*answers)

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                fake.enter(+1)
                try:
                    body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                    self.answer(fake.next_answer(body, self.headers["Authorization"]))
                finally:
                    fake.enter(-1)

            def answer(self, answer):
                if isinstance(answer, float):
                    time.sleep(answer)
                    answer = reply("late")
                status, content = answer if isinstance(answer, tuple) else (200, answer)
                raw = content if isinstance(content, bytes) else json.dumps(content).encode()
                try:
                    self.send_response(status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Retry-After-Ms", "1")
                    self.send_header("Content-Length", str(len(raw)))
                    self.end_headers()
                    self.wfile.write(raw)
                except OSError:
                    pass  # the client gave up

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        lm = OpenAICompatibleLM("m", f"http://127.0.0.1:{server.server_port}/v1", **{"max_retries": 2, **settings})
        started.append((server, thread, lm))
        return fake, lm

    yield start
    for server, thread, lm in started:
        lm.close()
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_reply_and_what_it_cost(serve):
    fake, lm = serve(reply("go north"), price_per_mtok=(1.0, 2.0))
    (completion,) = lm.generate(ASK, max_tokens=9, temperature=0.5, seed=3, stop=["END"])
    assert (completion.text, completion.finish, completion.prompt_tokens) == ("go north", "stop", 7)
    assert (completion.token_ids, completion.logprobs) == ((), ())
    assert (completion.completion_tokens, completion.requests) == (3, 1)
    request = fake.requests[0]
    assert request["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Which way?"},
    ]
    wanted = {"model": "m", "max_tokens": 9, "temperature": 0.5, "seed": 3, "stop": ["END"], "n": 1}
    assert wanted.items() <= request.items()
    assert "logprobs" not in request
    assert (lm.meter.cost.calls, lm.meter.cost.prompt_tokens, lm.meter.cost.completion_tokens) == (1, 7, 3)
    assert lm.meter.money == pytest.approx((7 * 1 + 3 * 2) / 1e6)
    assert lm.meter.retries == 0


def test_too_many_requests_then_an_answer(serve):
    _, lm = serve((429, {"error": "slow down"}), reply("ok"))
    assert lm.generate(ASK)[0].text == "ok"
    assert (lm.meter.retries, lm.meter.cost.calls) == (1, 1)


def test_a_server_that_keeps_failing(serve):
    fake, lm = serve((500, {"error": "out of order"}))
    with pytest.raises(LMError, match=r"answered with status 500.*out of order"):
        lm.generate(ASK)
    assert len(fake.requests) == 3
    assert lm.meter.cost.calls == 1


def test_a_refused_key_points_at_the_setting(serve):
    _, lm = serve((401, {"error": "who are you"}))
    with pytest.raises(LMError, match=r"status 401.*check api_key_env"):
        lm.generate(ASK)


def test_silence_is_a_timeout(serve):
    fake, lm = serve(0.6, timeout_s=0.15, max_retries=1)
    with pytest.raises(LMTimeoutError, match=r"did not answer within 0.15 s in each of 2 attempts"):
        lm.generate(ASK)
    assert len(fake.requests) == 2


def test_no_server_is_named():
    lm = OpenAICompatibleLM("m", "http://127.0.0.1:1/v1", max_retries=0)
    with pytest.raises(LMError, match=r"http://127.0.0.1:1/v1 cannot be reached .*is the server running"):
        lm.generate(ASK)
    lm.close()


@pytest.mark.parametrize("garbage", [b"{not json", b"", b"\xff\xfe", b"[]", b"null", b'"text"', {"choices": []}, {}])
def test_garbage_is_a_reply_error(serve, garbage):
    _, lm = serve(garbage)
    with pytest.raises(LMReplyError, match=r"without choices|did not answer with JSON"):
        lm.generate(ASK)
    assert lm.meter.cost.calls == 1


@pytest.mark.parametrize("text", ["", None])
def test_an_empty_reply_is_empty_text(serve, text):
    _, lm = serve(reply(text))
    assert lm.generate(ASK)[0].text == ""


@pytest.mark.parametrize("choice", [{}, {"message": None}, {"message": {"content": None}}])
def test_missing_fields_are_no_crash(serve, choice):
    _, lm = serve({"choices": [choice]})
    completion = lm.generate(ASK)[0]
    assert (completion.text, completion.prompt_tokens) == ("", 0)


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
        "the request exceeds the available context size (2048 tokens), try increasing it",
        "Please reduce the length: code context_length_exceeded",
        "prompt is too long",
    ],
)
def test_a_prompt_that_is_too_long(serve, message):
    _, lm = serve((400, {"error": {"message": message, "type": "invalid_request_error"}}))
    with pytest.raises(LMContextError, match="does not fit, says http"):
        lm.generate(ASK)


def test_a_context_error_in_another_shape(serve):
    _, lm = serve((400, {"detail": "input exceeds the context length"}))
    with pytest.raises(LMContextError):
        lm.generate(ASK)


def test_another_bad_request_is_no_context_error(serve):
    _, lm = serve((400, {"error": {"message": "temperature out of range"}}))
    with pytest.raises(LMError, match=r"status 400.*temperature out of range") as caught:
        lm.generate(ASK)
    assert not isinstance(caught.value, LMContextError)


def test_several_samples_in_one_request(serve):
    fake, lm = serve(reply("a", "b", "c"))
    assert [completion.text for completion in lm.generate(ASK, n=3, temperature=1.0)] == ["a", "b", "c"]
    assert [request["n"] for request in fake.requests] == [3]


def metered(lm, call):
    """Calls, prompt and completion tokens of one call, as agents and critics count them."""
    meter = MeteredLM(lm)
    call(meter)
    return meter.cost.calls, meter.cost.prompt_tokens, meter.cost.completion_tokens


def test_tokens_are_counted_without_ids(serve):
    usage = {"prompt_tokens": 7, "completion_tokens": 8, "total_tokens": 15}
    _, lm = serve(reply("a", "b", "c", usage=usage))
    assert metered(lm, lambda meter: meter.generate(ASK, n=3, temperature=1.0)) == (1, 7, 8)
    assert lm.meter.cost.completion_tokens == 8


@pytest.mark.parametrize("usage", [None, {}, {"completion_tokens": None}, {"completion_tokens": "8"}])
def test_ids_are_counted_without_a_usage(serve, usage):
    told = {"content": [{"id": 5, "token": "go", "logprob": -0.25}]}
    _, lm = serve(reply("go", logprobs=told, usage=usage), server="llama.cpp")
    assert lm.generate(ASK)[0].completion_tokens == 1


def test_every_request_of_a_call_is_counted(serve):
    _, lm = serve(reply("a"))
    assert metered(lm, lambda meter: meter.generate(ASK, n=3, temperature=1.0)) == (3, 21, 9)
    assert (lm.meter.cost.calls, lm.meter.cost.prompt_tokens, lm.meter.cost.completion_tokens) == (3, 21, 9)


def test_greedy_replies_are_paid_once(serve):
    _, lm = serve(reply("a"))
    assert metered(lm, lambda meter: meter.generate(ASK, n=3)) == (1, 7, 3)
    replies = lm.generate(ASK, n=3)
    assert len({each.seconds for each in replies}) == 1
    assert sum(each.seconds for each in replies) <= lm.meter.cost.seconds


def test_a_server_that_ignores_n_is_asked_again_with_another_seed(serve):
    fake, lm = serve(reply("a"), reply("b"), reply("c"))
    assert [completion.text for completion in lm.generate(ASK, n=3, temperature=1.0, seed=10)] == ["a", "b", "c"]
    assert [request["seed"] for request in fake.requests] == [10, 11, 12]


def test_greedy_replies_are_one(serve):
    fake, lm = serve(reply("a"))
    assert [completion.text for completion in lm.generate(ASK, n=3)] == ["a"] * 3
    assert len(fake.requests) == 1


def test_a_server_that_ignores_stop_is_cut_here(serve):
    _, lm = serve(reply("go north\nThen rest"))
    assert lm.generate(ASK, stop=["\n"])[0].text == "go north"


def test_a_cut_reply_says_length(serve):
    _, lm = serve(reply("go", finish="length"))
    assert lm.generate(ASK)[0].finish == "length"


def test_requests_in_flight_are_limited(serve):
    fake, lm = serve(lambda _: 0.1, max_concurrency=2)
    threads = [threading.Thread(target=lm.generate, args=(ASK,)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert fake.most_in_flight == 2
    assert lm.meter.cost.calls == 6


def test_no_key_of_the_environment_leaks(serve, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret-1")
    fake, lm = serve(reply("a"))
    lm.generate(ASK)
    monkeypatch.setenv("MY_KEY", "secret-2")
    named, lm = serve(reply("a"), api_key_env="MY_KEY")
    lm.generate(ASK)
    assert (fake.authorizations, named.authorizations) == (["Bearer none"], ["Bearer secret-2"])


def test_a_key_that_is_not_set_is_refused(monkeypatch):
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(ConfigError, match="MY_KEY is to hold the API key and is not set"):
        OpenAICompatibleLM("m", "http://127.0.0.1:1/v1", api_key_env="MY_KEY")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"server": "oolama"}, "server is one of generic, llama.cpp, vllm"), ({"timeout_s": 0}, "timeout_s is above 0")],
)
def test_wrong_settings_are_refused(wrong, message):
    with pytest.raises(ConfigError, match=message):
        OpenAICompatibleLM("m", "http://127.0.0.1:1/v1", **wrong)


def test_further_fields_go_with_every_request(serve):
    fake, lm = serve(reply("a"), extra_body={"top_k": 50})
    lm.generate(ASK)
    assert fake.requests[0]["top_k"] == 50


def test_lone_surrogates_can_be_sent(serve):
    fake, lm = serve(reply("a"))
    lm.generate([user("door\udc80")])
    assert fake.requests[0]["messages"][0]["content"] == "door\ufffd"


def test_vllm_tells_tokens(serve):
    told = {"content": [{"token": "token_id:12", "logprob": -0.5}, {"token": "token_id:2", "logprob": -9999.0}]}
    fake, lm = serve(reply("go", logprobs=told), server="vllm")
    completion = lm.generate(ASK)[0]
    assert (completion.token_ids, completion.logprobs) == ((12, 2), (-0.5, -9999.0))
    assert fake.requests[0]["return_tokens_as_token_ids"] is True


def test_llama_cpp_tells_tokens(serve):
    told = {"content": [{"id": 5, "token": "go", "logprob": -0.25}]}
    _, lm = serve(reply("go", logprobs=told), server="llama.cpp")
    assert lm.generate(ASK)[0].token_ids == (5,)


@pytest.mark.parametrize(
    "entry", [{"token": "go", "logprob": -0.5}, {"id": 5, "token": "go", "logprob": None}, {"id": 5, "token": "go"}]
)
def test_nothing_is_invented_where_half_is_told(serve, entry):
    _, lm = serve(reply("go", logprobs={"content": [entry]}), server="llama.cpp")
    completion = lm.generate(ASK)[0]
    assert (completion.token_ids, completion.logprobs) == ((), ())


ALTERNATIVES = {
    "content": [
        {
            "token": "yes",
            "logprob": -0.1,
            "top_logprobs": [{"token": "yes", "logprob": -0.1}, {"token": " no", "logprob": -2.5}],
        }
    ]
}


def test_single_tokens_are_scored_from_the_alternatives(serve):
    fake, lm = serve(reply("yes", logprobs=ALTERNATIVES))
    assert [scored.logprobs for scored in lm.score(ASK, ["yes", "no"])] == [(-0.1,), (-2.5,)]
    assert (fake.requests[0]["max_tokens"], fake.requests[0]["top_logprobs"]) == (1, 20)
    assert len(fake.requests) == 1


def test_a_critic_can_judge_by_single_tokens_without_ids(serve):
    _, lm = serve(reply("yes", logprobs=ALTERNATIVES))
    critic = PTrueCritic(lm, answers=("yes", "no"))
    (verdict,) = critic.judge(Turn(task="t", observation="o"), [Action(text="look")], [[]])
    assert verdict.p == pytest.approx(math.exp(-0.1) / (math.exp(-0.1) + math.exp(-2.5)))
    assert (verdict.cost.calls, verdict.cost.prompt_tokens) == (1, 7)


def test_what_a_server_cannot_score_is_told(serve):
    _, lm = serve(reply("yes", logprobs=ALTERNATIVES))
    with pytest.raises(LMError, match=r"'go north' is not one of \['no', 'yes'\]; use TransformersLM or a vLLM server"):
        lm.score(ASK, ["yes", "go north"])
    _, silent = serve(reply("yes"))
    with pytest.raises(LMError, match="returns no log-probabilities, so it cannot score; use TransformersLM"):
        silent.score(ASK, ["yes"])
    with pytest.raises(ConfigError, match="at least one candidate"):
        silent.score(ASK, [])


def as_vllm(tokens):
    """Answers as vLLM does: a prompt of seven tokens, then those of the candidate at the end of the messages."""

    def answer(request):
        last = request["messages"][-1]
        if last["role"] != "assistant":
            return reply("x")
        assert request["continue_final_message"] is True
        assert request["add_generation_prompt"] is False
        told = [None] + [{"1": {"logprob": -1.0, "rank": 1, "decoded_token": "p"}}] * 6
        told += [{str(id): {"logprob": value, "decoded_token": text}} for id, value, text in tokens(last["content"])]
        return reply("x", prompt_logprobs=told)

    return answer


def test_vllm_scores_any_text(serve):
    _, lm = serve(
        as_vllm(lambda text: [(len(word), -float(len(word)), f" {word}") for word in text.split()]), server="vllm"
    )
    north, up = lm.score(ASK, ["go north", "up"])
    assert (north.token_ids, north.logprobs, north.prompt_tokens) == ((2, 5), (-2.0, -5.0), 7)
    assert (up.token_ids, up.logprobs) == ((2,), (-2.0,))
    assert metered(lm, lambda meter: meter.score(ASK, ["go north", "up"])) == (3, 21, 3)
    assert lm.meter.cost.calls == 6


def test_a_vllm_that_does_not_count_the_prompt_cannot_score(serve):
    _, lm = serve(reply("x", usage=None), server="vllm")
    with pytest.raises(LMReplyError, match="did not say how many tokens the prompt has"):
        lm.score(ASK, ["north"])


def test_other_tokens_than_the_candidate_s_are_no_score(serve):
    _, lm = serve(as_vllm(lambda _: [(3, -1.0, "south")]), server="vllm")
    with pytest.raises(LMReplyError, match="scored 'south' in place of the candidate 'north'"):
        lm.score(ASK, ["north"])


def test_a_server_that_is_no_vllm_is_told(serve):
    _, lm = serve(reply("x"), server="vllm")
    with pytest.raises(LMReplyError, match="no prompt_logprobs for the candidate; is it vLLM"):
        lm.score(ASK, ["north"])


@pytest.mark.parametrize("told", [[None] * 9, [{}] * 9, [{"x": {}}] * 9, [{"1": {"logprob": "a"}}] * 9])
def test_malformed_prompt_logprobs_are_a_reply_error(serve, told):
    _, lm = serve(reply("x", prompt_logprobs=told), server="vllm")
    with pytest.raises(LMReplyError):
        lm.score(ASK, ["north"])


def test_tokens_are_estimated_on_the_long_side():
    lm = OpenAICompatibleLM("m", "http://127.0.0.1:1/v1")
    assert lm.count_tokens([user("go north now")]) == 8
    assert lm.count_tokens([user("ö")]) == 5
    lm.close()
