"""How fast the shop is, beside an imitation of the reference's work per step, and how much memory it takes.

The reference needs a Java search engine and a language model for nouns, so it is not run here.
`Plodding` does the part of its work that needs neither: after each step it renders the page as HTML and
parses that three times, for the observation, its text and what can be clicked; a search scores every
document. It is slower than ours by less than the reference is: the specification's figures for that one,
in milliseconds: reset 2.8, search 19-27, click 8-9, purchase 20.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

from resident import resident

from agentgym_critic.envs.webshop import WebShopEnv, make_webshop
from agentgym_critic.envs.webshop.catalogue import Catalogue, open_catalogue
from agentgym_critic.envs.webshop.search.analyser import analyse
from agentgym_critic.envs.webshop.search.contents import contents
from agentgym_critic.envs.webshop.sources import find_catalogue
from agentgym_critic.envs.webshop.views import Shown, as_html


class Texts(HTMLParser):
    """The texts of a page, and those that can be clicked."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


class Plodding:
    """The reference's way of a step."""

    def __init__(self, env: WebShopEnv, stock: Catalogue) -> None:
        self._env = env
        self._terms = {product.asin: Counter(analyse(contents(product))) for product in stock.products()}

    def step(self, action: str) -> None:
        self._env.step(action)
        if action.startswith("search["):
            self._search(action[7:-1])
        for _ in range(3):  # for the observation, for the text and for what can be clicked
            page = as_html(Shown(self._env._nodes, "", frozenset()))
            Texts().feed(page)

    def _search(self, words: str) -> None:
        average = statistics.fmean(sum(terms.values()) for terms in self._terms.values())
        wanted = analyse(words)
        scores = {asin: sum(_score(terms, word, average) for word in wanted) for asin, terms in self._terms.items()}
        sorted(scores.items(), key=lambda item: -item[1])[:50]


def _score(terms: Counter[str], word: str, average: float) -> float:
    return terms[word] / (terms[word] + 0.9 * (0.6 + 0.4 * sum(terms.values()) / average)) if word in terms else 0.0


def milliseconds(call: Callable[[], object], times: int) -> float:
    spent = []
    for _ in range(times):
        started = time.perf_counter()
        call()
        spent.append(time.perf_counter() - started)
    return round(1000 * statistics.median(spent), 4)


def timed(env: WebShopEnv, step: Callable[[str], object], episodes: int) -> dict[str, float]:
    """The medians of each kind of action, in milliseconds; each episode searches for another request."""
    spent: dict[str, list[float]] = {"reset": [], "search": [], "click": [], "buy": []}

    def run(kind: str, call: Callable[..., object], *given: object, **named: object) -> None:
        started = time.perf_counter()
        call(*given, **named)
        spent[kind].append(time.perf_counter() - started)

    for seed in range(episodes):
        run("reset", env.reset, seed=seed)
        task = env.current()[1]["task"][:900]
        run("search", step, f"search[{task}]")
        link = env.current()[1]["admissible_actions"][2]
        for action in (link, "click[description]", "click[< prev]", "click[features]", "click[< prev]"):
            run("click", step, action)
        run("buy", step, "click[buy now]")
    return {kind: round(1000 * statistics.median(values), 4) for kind, values in spent.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="WebShop's files; generated products without")
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--size", type=int, default=1_000, help="of a generated catalogue")
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--peer", action="store_true", help="also time the reference's work per step")
    parser.add_argument("--cache", help="keep the catalogue here")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cache = given.cache or folder
        kind = "small" if given.data else "procedural"
        place: dict[str, Any] = {"cache": cache} | ({"data": given.data} if given.data else {"size": given.size})
        started = time.perf_counter()
        env = make_webshop(kind, nouns="words", **place)
        built = time.perf_counter() - started
        open_catalogue.cache_clear()
        started = time.perf_counter()
        env = make_webshop(kind, nouns="words", **place)
        env.reset(seed=0)
        opened, loaded = time.perf_counter() - started, resident()
        stock = find_catalogue(kind, **place)
        ours = timed(env, env.step, given.episodes)
        snapshot = milliseconds(env.snapshot, 1_000)
        saved = env.snapshot()
        restore = milliseconds(lambda: env.restore(saved), 1_000)
        before = resident()
        more = [make_webshop(kind, nouns="words", **place) for _ in range(given.envs)]
        for seed, other in enumerate(more):
            other.reset(seed=seed)
        per_env = (resident() - before) / given.envs
        line = {
            "benchmark": "webshop_engine", "products": stock.size, "build_seconds": round(built, 2),
            "start_seconds": round(opened, 3), "milliseconds": ours, "snapshot_us": round(1000 * snapshot, 2),
            "restore_us": round(1000 * restore, 2), "megabytes_after_load": round(loaded / 2**20, 1),
            "megabytes_after_run": round(resident() / 2**20, 1), "kilobytes_per_further_env": round(per_env / 1024, 1),
        }  # fmt: skip
        if given.peer:
            slow = Plodding(env, stock)
            line["peer_milliseconds"] = timed(env, slow.step, min(given.episodes, 30))
        print(json.dumps(line))


if __name__ == "__main__":
    main()
