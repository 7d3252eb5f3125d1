"""How much the prefix cache saves when many candidates follow one long prompt.

Prints one JSON line. "On" starts from an empty cache each time: the prompt is computed once,
inside the timed call. "Next turn" is the same call for a prompt that extends the last one by
60 tokens. "Off" is what one does without a cache: whole sequences, padded into batches, logits
only where they are needed. The three alternate in one process, so all see the same machine.
Where other programs keep the cores busy, the threads of one computation wait for each other;
`OMP_NUM_THREADS=1` then measures steadily.

    python benchmarks/critic_scoring.py [--dtype float32] [--repeats 3]
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable

import torch

from agentgym_critic.lm import LanguageModel, Message, ScoredText, TransformersLM, load_lm, user

CANDIDATES = [
    "go to the north door",
    "open the fridge",
    "take the red mug from the table",
    "put the mug in the sink",
    "examine the strange lamp on the desk",
    "close the drawer",
    "turn on the light",
    "look around",
    "heat the potato with the microwave",
    "cool the apple with the fridge",
    "clean the plate with the sink",
    "pick up the newspaper",
    "unlock the chest with the brass key",
    "push the heavy box to the left",
    "inventory",
    "wait for a while",
]
PROMPT_TOKENS = 600
NEXT_TURN_TOKENS = 60


def prompt(lm: LanguageModel, tokens: int) -> list[Message]:
    """A prompt of as many tokens, or a few more."""
    text = "You are in a house. Choose the next command.\n"
    step = 0
    while lm.count_tokens([user(text)]) < tokens:
        step += 1
        text += f"Step {step}: you walked on.\n"
    return [user(text)]


def timed(run: Callable[[], list[ScoredText]]) -> tuple[float, list[ScoredText]]:
    """Seconds and result of one call."""
    started = time.perf_counter()
    result = run()
    return time.perf_counter() - started, result


def measure(dtype: str, repeats: int) -> dict[str, float | str]:
    """Medians over `repeats` alternating runs."""
    on, off = load_lm("smollm2", dtype=dtype), load_lm("smollm2", dtype=dtype, prefix_cache=False)
    assert isinstance(on, TransformersLM)
    first, later = prompt(on, PROMPT_TOKENS), prompt(on, PROMPT_TOKENS + NEXT_TURN_TOKENS)
    seconds: dict[str, list[float]] = {"on": [], "next_turn": [], "off": []}
    gap = 0.0
    for lm in (on, off):  # warms up
        lm.score([user("Ready?")], CANDIDATES)
    for _ in range(repeats):
        on.clear_cache()
        cached = timed(lambda: on.score(first, CANDIDATES))
        following = timed(lambda: on.score(later, CANDIDATES))
        whole = timed(lambda: off.score(first, CANDIDATES))
        for name, (took, _result) in zip(seconds, (cached, following, whole), strict=True):
            seconds[name].append(took)
        gap = max(gap, largest_gap(cached[1], whole[1]))
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    return {
        "model": on.id,
        "prompt_tokens": on.count_tokens(first),
        "seconds_on": round(medians["on"], 4),
        "seconds_next_turn": round(medians["next_turn"], 4),
        "seconds_off": round(medians["off"], 4),
        "ratio": round(medians["off"] / medians["on"], 2),
        "ratio_next_turn": round(medians["off"] / medians["next_turn"], 2),
        "max_logprob_difference": gap,
    }


def largest_gap(left: list[ScoredText], right: list[ScoredText]) -> float:
    """Largest difference between log-probabilities of the same tokens."""
    pairs = zip(left, right, strict=True)
    return max(abs(a - b) for x, y in pairs for a, b in zip(x.logprobs, y.logprobs, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtype", action="append", choices=["float32", "bfloat16"], help="default: both")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    dtypes = options.dtype or ["float32", "bfloat16"]
    line = {"benchmark": "critic_scoring", "candidates": len(CANDIDATES), "threads": torch.get_num_threads()}
    print(json.dumps({**line, **{dtype: measure(dtype, options.repeats) for dtype in dtypes}}))


if __name__ == "__main__":
    main()
