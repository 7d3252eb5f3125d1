"""Whether the hub answers is known in seconds."""

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from agentgym_critic.lm import hub

constants = pytest.importorskip("huggingface_hub.constants")


@pytest.fixture
def endpoint(monkeypatch):
    """A local hub that answers by the name asked for: a number is the status, "hang" never answers."""
    released = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self):
            name = self.path.split("/")[1]
            if name == "hang":
                released.wait(20)
                return
            self.send_response(int(name))
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    yield
    released.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("status", ["200", "401", "403"])
def test_what_is_there_or_needs_a_token_is_offered(endpoint, status):
    assert hub.hub_problem(status) == ""


def test_what_is_not_there_is_told(endpoint):
    assert "answered 404 Not Found" in hub.hub_problem("404")


def test_a_hub_that_hangs_costs_little(endpoint, monkeypatch):
    monkeypatch.setattr(hub, "_TIMEOUT_S", 0.3)
    started = time.perf_counter()
    problem = hub.hub_problem("hang")
    assert "did not answer in 0.3 s" in problem or "cannot be reached (timed out)" in problem
    assert time.perf_counter() - started < 60  # the stuck server would answer in hours


def test_an_unreachable_hub_is_told(monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:1")
    assert "cannot be reached" in hub.hub_problem("org/model")


def test_offline_is_respected(monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert hub.hub_problem("org/model") == "HF_HUB_OFFLINE is set"
