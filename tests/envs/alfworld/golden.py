"""Records what episodes of real ALFWorld games look like, as hashes: the data itself is not ours to publish.

Run ``python tests/envs/alfworld/golden.py DATA_FOLDER`` after a deliberate change, and say why it changed.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from pathlib import Path
from typing import Any

from agentgym_critic.envs.alfworld import make_alfworld

FILE = Path(__file__).with_name("golden.json")

GAMES = [
    "look_at_obj_in_light-AlarmClock-None-DeskLamp-308/trial_T20190908_222917_366542",
    "pick_and_place_simple-Watch-None-Safe-219/trial_T20190907_074556_124850",
    "pick_clean_then_place_in_recep-SoapBar-None-Cabinet-424/trial_T20190908_215019_162873",
]

STEPS = 15


def record(data: Path, engine: str = "reference", cache: Path | None = None) -> dict[str, str]:
    """A hash of each game's episode: the walk of a fixed random player, then of its illegal command."""
    env = make_alfworld(engine, data=data, split="valid_unseen", cache=cache)
    hashes = {game: hashlib.sha256(json.dumps(episode(env, game)).encode()).hexdigest() for game in GAMES}
    env.close()
    return hashes


def episode(env: Any, game: str) -> list[Any]:
    """Texts, admissible actions, rewards and task of the episode."""
    rng = random.Random(game)
    text, info = env.reset(options={"game_id": game})
    seen: list[Any] = [text, info["task"], info["admissible_actions"]]
    for _ in range(STEPS):
        text, reward, terminated, _, info = env.step(rng.choice(info["admissible_actions"]))
        seen += [text, reward, terminated, info["admissible_actions"]]
        if terminated:
            break
    return seen


if __name__ == "__main__":
    FILE.write_text(json.dumps(record(Path(sys.argv[1])), indent=1) + "\n")
