"""TextWorldEnv on a small game of each challenge."""

from __future__ import annotations

import os
import pickle
import random
import threading
from pathlib import Path

import pytest

from agentgym_critic.envs import check_text_env, make_env
from agentgym_critic.envs.textworld import TextWorldEnv
from agentgym_critic.errors import ConfigError, EnvError

CHALLENGES = {
    "tw-simple": {},
    "tw-cooking": {},
    "tw-coin_collector": {"level": 3},
    "tw-treasure_hunter": {"level": 5},
}


@pytest.fixture(params=sorted(CHALLENGES))
def env(request: pytest.FixtureRequest, games_cache: Path):
    env = TextWorldEnv(request.param, params=CHALLENGES[request.param], games=1, cache=games_cache, max_steps=40)
    yield env
    env.close()


@pytest.fixture
def hunt(games_cache: Path):
    env = TextWorldEnv("tw-treasure_hunter", params={"level": 5}, cache=games_cache)
    yield env
    env.close()


def play(env: TextWorldEnv, steps: int, seed: int = 0) -> list[object]:
    """Everything that a random walk from here sees."""
    rng, seen = random.Random(seed), [env.current()]
    for _ in range(steps):
        if not seen[-1][-1]["admissible_actions"]:
            break
        seen.append(env.step(rng.choice(seen[-1][-1]["admissible_actions"])))
    return seen


def test_keeps_the_contract(env: TextWorldEnv) -> None:
    check_text_env(env, seeds=(0,), steps=12, single_task=True)


def test_is_registered(games_cache: Path) -> None:
    env = make_env(
        "agentgym_critic/TextWorld-v0", challenge="tw-coin_collector", params={"level": 3}, cache=games_cache
    )
    assert env.reset(seed=0)[1]["task_id"] == "tw-coin_collector-0"
    env.close()


def test_winning_gives_all_points(env: TextWorldEnv) -> None:
    env.reset(seed=0)
    told, rewards = env.oracle(), []
    for left in range(told.steps_left, 0, -1):
        assert env.oracle().steps_left == left
        text, reward, terminated, _, info = env.step(env.oracle().actions[0])
        rewards.append(reward)
    assert (terminated, info["success"], sum(rewards)) == (True, True, env.max_score)
    assert "*** The End ***" in text
    assert (env.oracle().actions, env.oracle().steps_left) == ((), 0)


def test_texts_hold_neither_title_nor_status_line(env: TextWorldEnv) -> None:
    text, info = env.reset(seed=0)
    assert "$$" not in text
    assert text.startswith(info["task"])
    assert not env.step("look")[0].startswith(">")
    assert env.step("inventory")[0].startswith("You are carrying")


def test_the_task_does_not_recite_the_way(hunt: TextWorldEnv, games_cache: Path) -> None:
    _, info = hunt.reset(seed=0)
    way = hunt.oracle()
    assert way.steps_left == 3
    assert way.actions[0].removeprefix("go ") not in info["task"]
    detailed = TextWorldEnv("tw-treasure_hunter", params={"level": 5, "goal": "detailed"}, cache=games_cache)
    _, info = detailed.reset(seed=0)
    assert detailed.oracle().actions[0].removeprefix("go ") in info["task"]
    detailed.close()


def test_asking_the_oracle_changes_nothing(env: TextWorldEnv) -> None:
    env.reset(seed=0)
    expected = play(env, 12)
    env.reset(seed=0)
    env.oracle()
    assert play(env, 12) == expected


def test_oracle_wins_from_where_a_walk_leads(env: TextWorldEnv) -> None:
    for seed in range(4):
        env.reset(seed=0)
        play(env, 6, seed=seed)
        if (told := env.oracle()) is None:
            continue
        for _ in range(told.steps_left):
            env.step(env.oracle().actions[0])
        assert env.current()[1]["success"]


def test_snapshots_are_exact_again_and_again(env: TextWorldEnv) -> None:
    env.reset(seed=0)
    play(env, 3)
    saved = env.snapshot()
    expected = play(env, 15, seed=3)
    for _ in range(2):
        env.restore(saved)
        assert play(env, 15, seed=3) == expected


def test_snapshots_outlive_pickle_and_close(env: TextWorldEnv) -> None:
    env.reset(seed=0)
    play(env, 3)
    saved = env.snapshot()
    expected = play(env, 10, seed=3)
    env.restore(pickle.loads(pickle.dumps(saved)))
    assert play(env, 10, seed=3) == expected
    env.close()
    env.reset(seed=0)
    env.restore(saved)
    assert play(env, 10, seed=3) == expected


def test_pickle_goes_on_from_the_same_state(env: TextWorldEnv) -> None:
    env.reset(seed=0)
    play(env, 4)
    twin = pickle.loads(pickle.dumps(env))
    assert play(twin, 10, seed=5) == play(env, 10, seed=5)
    twin.close()


def test_state_key_knows_states_and_not_ways(games_cache: Path) -> None:
    env = TextWorldEnv("tw-coin_collector", params={"level": 3}, games=1, cache=games_cache)
    _, start = env.reset(seed=0)
    there = env.oracle().actions[0]
    *_, moved = env.step(there)
    back = {"north": "south", "south": "north", "east": "west", "west": "east"}[there.removeprefix("go ")]
    *_, returned = env.step(f"go {back}")
    assert returned["state_key"] == start["state_key"] != moved["state_key"]
    *_, looked = env.step("look")
    assert looked["state_key"] == start["state_key"]
    env.close()


@pytest.mark.parametrize(
    "command",
    ["go north. take key", "look then inventory", "look, inventory", "restart", "quit", "undo", "save", "xyzzy"],
)
def test_only_listed_commands_reach_the_game(hunt: TextWorldEnv, command: str) -> None:
    _, before = hunt.reset(seed=0)
    text, reward, terminated, _, info = hunt.step(command)
    assert (reward, terminated, info["state_key"]) == (0.0, False, before["state_key"])
    assert text == info["invalid_reason"]
    assert info["invalid_reason"].startswith(f"{command!r} is not possible here. Possible: ")


def test_several_lines_are_one_refused_command(hunt: TextWorldEnv) -> None:
    hunt.reset(seed=0)
    *_, info = hunt.step("look\ninventory\n")
    assert info["invalid_reason"].startswith("'look inventory' is not possible here.")
    assert not hunt.step(" look \n")[-1]["invalid_action"]


def test_losing_ends_without_success(games_cache: Path) -> None:
    env = TextWorldEnv("tw-treasure_hunter", params={"level": 5}, cache=games_cache, max_steps=None)
    rng = random.Random(0)
    for _ in range(50):
        _, info = env.reset(seed=0)
        terminated = False
        while not terminated:
            text, reward, terminated, _, info = env.step(rng.choice(info["admissible_actions"]))
        if not info["success"]:
            assert "*** You lost! ***" in text
            assert reward == 0.0
            assert env.oracle() is None
            break
    else:
        pytest.fail("no walk lost the game")
    env.close()


def test_seeds_are_games(hunt: TextWorldEnv, games_cache: Path) -> None:
    tasks = {hunt.reset(seed=seed)[1]["task_id"] for seed in (0, 1)}
    assert tasks == {"tw-treasure_hunter-0", "tw-treasure_hunter-1"}
    few = TextWorldEnv("tw-treasure_hunter", params={"level": 5}, games=2, cache=games_cache)
    assert few.reset(seed=7)[1]["task_id"] == "tw-treasure_hunter-1"
    few.close()


def test_threads_see_what_one_thread_sees(games_cache: Path) -> None:
    envs = [TextWorldEnv("tw-simple", games=1, cache=games_cache) for _ in range(4)]
    seen: list[object] = [None] * 4

    def work(number: int) -> None:
        envs[number].reset(seed=0)
        seen[number] = play(envs[number], 30, seed=2)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(walk == seen[0] for walk in seen)
    for env in envs:
        env.close()


def test_refusals(hunt: TextWorldEnv, games_cache: Path) -> None:
    with pytest.raises(ConfigError, match="games is at least 1, or None for a game per seed; got 0"):
        TextWorldEnv(games=0)
    with pytest.raises(ConfigError, match=r"options of an episode of TextWorldEnv do not exist; got \['level'\]"):
        hunt.reset(options={"level": 2})
    hunt.reset(seed=0)
    saved = hunt.snapshot()
    hunt.reset(seed=1)
    with pytest.raises(EnvError, match="the snapshot is of game 0, but game 1 is played"):
        hunt.restore(saved)


def test_close_releases_and_reset_opens_again(
    hunt: TextWorldEnv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    hunt.reset(seed=0)
    expected = play(hunt, 5)
    environ = dict(os.environ)
    hunt.close()
    hunt.close()
    with pytest.raises(EnvError, match=r"call reset\(\) before step\(\)"):
        hunt.step("look")
    hunt.reset(seed=0)
    assert play(hunt, 5) == expected
    assert dict(os.environ) == environ
    assert list(tmp_path.iterdir()) == []
