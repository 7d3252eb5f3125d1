"""Many episodes: resumable, reproducible whatever the timing, and one error costs one episode."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from worlds import BRITTLE, CORRIDOR, CorridorEnv

from agentgym_critic.agents import OracleAgent, RandomAgent
from agentgym_critic.critics import Gate, OracleCritic, OutcomeHindsightCritic, RuleCritic
from agentgym_critic.critics.policies import ValuePolicy
from agentgym_critic.envs import make_env
from agentgym_critic.errors import ConfigError, StoreError, StoreLockedError
from agentgym_critic.memory import MemoryBank
from agentgym_critic.rollout import Collected, collect
from agentgym_critic.store import RunStore
from agentgym_critic.types import Action, Trajectory, Turn, Verdict


def corridor(**settings: Any) -> Callable[[], Any]:
    return partial(make_env, CORRIDOR, **settings)


def contents(store: RunStore) -> list[Trajectory]:
    """Trajectories without what differs between equal runs: ids and times."""
    return [_timeless(trajectory) for trajectory in store.trajectories()]


def _timeless(trajectory: Trajectory) -> Trajectory:
    return msgspec.structs.replace(trajectory, id="", seconds=0.0)


class Slow(RandomAgent):
    """A random agent that takes its time, more in some episodes than in others."""

    def reset(self, seed: int) -> None:
        super().reset(seed)
        time.sleep(seed % 7 / 500)


def test_the_same_seed_gives_the_same_episodes() -> None:
    with RunStore(":memory:") as first, RunStore(":memory:") as second:
        for store in (first, second):
            collect(corridor(), RandomAgent, store, episodes=6, seed=3, hindsight=OutcomeHindsightCritic())
        assert contents(first) == contents(second)
        assert len(contents(first)) == 6


@pytest.mark.parametrize("agent", [RandomAgent, Slow])
def test_what_is_recalled_does_not_depend_on_timing(agent: type[RandomAgent]) -> None:
    from agentgym_critic.types import Experience, Verdict

    class Remembering:
        id, version, recall_k = "remembering", "1", 2

        def judge(self, turn: Turn, actions: list[Action], experiences: list[list[Experience]]) -> list[Verdict]:
            return [
                Verdict(p=0.5, critic=self.id, critique=" ".join(f"{each.id} {each.count}" for each in recalled))
                for recalled in experiences
            ]

    def play() -> list[Trajectory]:
        with RunStore(":memory:") as store, MemoryBank(":memory:") as bank:
            collect(
                corridor(),
                agent,
                store,
                episodes=16,
                critic=Remembering(),
                hindsight=OutcomeHindsightCritic(),
                bank=bank,
                parallel=4,
            )
            return [msgspec.structs.replace(each, agent="") for each in contents(store)]

    first, second = play(), play()
    assert first == second
    assert any(step.verdict and step.verdict.critique for step in first[8].steps)
    assert not any(step.verdict and step.verdict.critique for step in first[3].steps)


def test_parallel_and_sequential_runs_play_the_same_without_a_bank() -> None:
    with RunStore(":memory:") as one, RunStore(":memory:") as four:
        collect(corridor(), RandomAgent, one, episodes=12)
        collect(corridor(), RandomAgent, four, episodes=12, parallel=4)
        assert contents(one) == contents(four)


def test_a_group_shares_its_seed_and_differs_in_the_agent() -> None:
    with RunStore(":memory:") as store:
        collect(corridor(length=30), RandomAgent, store, episodes=6, seed=10, group_size=3)
        trajectories = list(store.trajectories())
    assert [trajectory.seed for trajectory in trajectories] == [10, 10, 10, 11, 11, 11]
    assert len({trajectory.group_id for trajectory in trajectories}) == 2
    assert trajectories[0].steps[0].observation == trajectories[1].steps[0].observation
    actions = [[step.action.text for step in trajectory.steps] for trajectory in trajectories[:3]]
    assert actions[0] != actions[1] or actions[1] != actions[2]


def test_resuming_adds_only_what_is_missing() -> None:
    with RunStore(":memory:") as store, RunStore(":memory:") as whole:
        first = collect(corridor(), RandomAgent, store, episodes=3)
        again = collect(corridor(), RandomAgent, store, episodes=7, resume=True)
        assert again == Collected(run=first.run, played=4, found=3)
        assert collect(corridor(), RandomAgent, store, episodes=7, resume=True).played == 0
        collect(corridor(), RandomAgent, whole, episodes=7)
        assert contents(store) == contents(whole)


def test_resuming_something_else_is_refused_by_name() -> None:
    with RunStore(":memory:") as store:
        with pytest.raises(ConfigError, match=r"holds no run to resume; leave out --resume"):
            collect(corridor(), RandomAgent, store, episodes=3, resume=True)
        collect(corridor(), RandomAgent, store, episodes=1, seed=1)
        with pytest.raises(ConfigError, match="the latest differs: seed was 1, is now 2"):
            collect(corridor(), RandomAgent, store, episodes=3, seed=2, resume=True)


def test_an_error_costs_one_episode_and_is_recorded() -> None:
    seen: list[str] = []
    with RunStore(":memory:") as store:
        collected = collect(
            partial(make_env, BRITTLE),
            OracleAgent,
            store,
            episodes=10,
            on_episode=lambda episode: seen.append(type(episode).__name__),
        )
        failures = store.failures(collected.run)
        assert collected.played + len(failures) == 10
        assert collected.played == len(contents(store)) > 0
        assert [failure.episode for failure in collected.failures] == [failure.episode for failure in failures]
        assert "the floor gave way" in failures[0].message
        assert failures[0].component.startswith("environment")
        assert "RuntimeError: the floor gave way" in failures[0].traceback
        assert sorted(seen) == ["Failure"] * len(failures) + ["Trajectory"] * collected.played
        again = collect(partial(make_env, BRITTLE), OracleAgent, store, episodes=10, resume=True)
        assert len(again.failures) == len(failures)
        assert len(store.failures()) == 2 * len(failures)


def test_numbers_out_of_range_are_refused() -> None:
    with (
        RunStore(":memory:") as store,
        pytest.raises(ConfigError, match=r"parallel is at least 1 and at most 2\*\*53, got 0"),
    ):
        collect(corridor(), RandomAgent, store, episodes=1, parallel=0)


def test_privileged_critics_work_in_every_worker() -> None:
    with RunStore(":memory:") as store:
        collect(corridor(), RandomAgent, store, episodes=12, critic=OracleCritic(), parallel=3)
        for trajectory in store.trajectories():
            for step in trajectory.steps:
                assert step.verdict
                assert step.verdict.p == float(step.action.text == "right")


def test_the_bank_catches_up_with_what_a_killed_process_left_out(tmp_path: Path) -> None:
    with RunStore(":memory:") as store:
        judge = {"hindsight": OutcomeHindsightCritic(), "critic": RuleCritic(), "gate": Gate(mode="warn")}
        path = tmp_path / "bank.db"
        with MemoryBank(path) as bank:
            collect(corridor(), RandomAgent, store, episodes=4, bank=bank, **judge)
            stats = bank.stats()
        for leftover in tmp_path.iterdir():
            leftover.unlink()  # as if the process had died before anything was remembered
        with MemoryBank(path) as bank:
            collect(corridor(), RandomAgent, store, episodes=4, bank=bank, resume=True, **judge)
            assert bank.stats() == stats


def test_a_locked_store_stops_the_run_and_keeps_what_was_committed(tmp_path: Path) -> None:
    import sqlite3

    with RunStore(tmp_path / "a.db", busy_timeout_s=0.05) as store:
        other = sqlite3.connect(tmp_path / "a.db", isolation_level=None, check_same_thread=False)

        def lock(_: object) -> None:
            other.execute("BEGIN IMMEDIATE")

        with pytest.raises(StoreLockedError, match="is locked"):
            collect(corridor(), RandomAgent, store, episodes=5, on_episode=lock)
        other.execute("ROLLBACK")
        other.close()
        assert len(contents(store)) == 1
        assert collect(corridor(), RandomAgent, store, episodes=5, resume=True).found == 1


@pytest.mark.parametrize("parallel", [1, 3])
def test_an_interrupt_leaves_a_clean_store(tmp_path: Path, parallel: int) -> None:
    with RunStore(tmp_path / "a.db") as store:
        pressed: list[int] = []

        def interrupt(_: object) -> None:
            if len(store.committed(store.run())) >= 3 and not pressed:
                pressed.append(1)
                signal.raise_signal(signal.SIGINT) if parallel == 1 else os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.05)

        threads = threading.active_count()
        with pytest.raises(KeyboardInterrupt):
            collect(corridor(), Slow, store, episodes=200, parallel=parallel, on_episode=interrupt)
        assert threading.active_count() == threads
        kept = len(contents(store))
        assert 3 <= kept < 20
        collected = collect(corridor(), Slow, store, episodes=25, parallel=parallel, resume=True)
        assert (collected.found, collected.played) == (kept, 25 - kept)


def test_a_killed_process_loses_only_the_episodes_in_flight(tmp_path: Path) -> None:
    program = textwrap.dedent(f"""
        import sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from test_rollout import *
        def report(trajectory):
            sys.stdout.write(trajectory.id + "\\n"); sys.stdout.flush()
        with RunStore("a.db") as store, MemoryBank("a.bank.db") as bank:
            collect(corridor(), RandomAgent, store, episodes=100_000, parallel=2, bank=bank,
                    hindsight=OutcomeHindsightCritic(), on_episode=report)
    """)
    with subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        reported = {process.stdout.readline().strip() for _ in range(30)}
        os.kill(process.pid, signal.SIGKILL)
        reported |= {line.strip() for line in process.stdout if line.endswith("\n")}
    with RunStore(tmp_path / "a.db") as store, MemoryBank(tmp_path / "a.bank.db") as bank:
        committed = store.committed(store.run())
        assert reported <= {trajectory.id for trajectory in store.trajectories()}
        goal = max(committed) + 3
        hindsight = OutcomeHindsightCritic()
        collected = collect(
            corridor(), RandomAgent, store, episodes=goal, parallel=2, bank=bank, hindsight=hindsight, resume=True
        )
        assert collected.found == len(committed)
        assert store.committed(collected.run) == set(range(goal))
        assert all(bank.knows(trajectory.id) for trajectory in store.trajectories())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"make_env": CORRIDOR}, r"make_env is called in every worker to build one of its own, got 'agentgym"),
        ({"make_agent": RandomAgent()}, r"make_agent is called in every worker to build one of its own, got <"),
        ({"store": "a.db"}, r"the store is a RunStore, got 'a\.db'; open one with RunStore\(path\)"),
        ({"gate": Gate(mode="warn")}, r"the gate 'warn' acts on a critic's verdicts"),
        ({"gate": "warn"}, r"gate is a Gate, got 'warn'; make one with Gate\(mode=...\)"),
        ({"bank": "b.db"}, r"bank is a MemoryBank, got 'b\.db'; make one with MemoryBank\(path\)"),
        ({"seed": "x"}, r"seed is a whole number, got 'x'"),
        ({"seed": -1}, r"seed is at least 0 and at most 2\*\*53, got -1"),
        ({"seed": 2**70}, r"seed is at least 0 and at most 2\*\*53"),
        ({"group_size": 1.5}, r"group_size is a whole number, got 1\.5"),
    ],
)
def test_what_can_only_be_a_mistake_is_refused(changes: dict[str, Any], message: str) -> None:
    with RunStore(":memory:") as store:
        given = {"make_env": corridor(), "make_agent": RandomAgent, "store": store, **changes}
        with pytest.raises(ConfigError, match=message):
            collect(**given, episodes=1)
        assert store.runs() == []


def test_an_environment_that_cannot_be_built_or_closed_costs_its_episodes_only() -> None:
    built: list[int] = []

    class Moody(CorridorEnv):
        def close(self) -> None:
            raise RuntimeError("stuck")

    def make_moody() -> Moody:
        built.append(1)
        if len(built) == 2:  # the first one is built to look at, the second to play in
            raise OSError("no port left")
        return Moody()

    with RunStore(":memory:") as store:
        collected = collect(make_moody, RandomAgent, store, episodes=4)
        assert (collected.played, [failure.error for failure in collected.failures]) == (3, ["EnvError"])
        assert "factory raised OSError: no port left" in collected.failures[0].message


def test_a_setting_that_fails_later_costs_its_episode_only() -> None:
    class Picky(CorridorEnv):
        def _begin(self, rng: Any, options: Any) -> str:
            if self.episode_seed in self.refused:
                raise ConfigError("no level of these settings")
            return super()._begin(rng, options)

    with RunStore(":memory:") as store:
        Picky.refused = {2}
        collected = collect(Picky, RandomAgent, store, episodes=4)
        assert [failure.seed for failure in collected.failures] == [2]
        Picky.refused = {0}
        with pytest.raises(ConfigError, match="no level of these settings"):
            collect(Picky, RandomAgent, store, episodes=4)


def test_two_processes_may_resume_the_same_run(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with RunStore(path) as one, RunStore(path) as two, MemoryBank(tmp_path / "b.db") as bank:
        given: dict[str, Any] = {"hindsight": OutcomeHindsightCritic(), "bank": bank}
        first = collect(corridor(), RandomAgent, one, episodes=1, **given)

        def overtake(episode: object) -> None:
            if not two.failures() and len(two.committed(first.run)) == 2:
                collect(corridor(), RandomAgent, two, episodes=4, resume=True, **given)

        second = collect(corridor(), RandomAgent, one, episodes=6, resume=True, on_episode=overtake, **given)
        assert one.committed(first.run) == set(range(6))
        assert second.played == 3
        assert all(bank.knows(trajectory.id) for trajectory in one.trajectories())
        assert bank.stats().trajectories == 6


def test_a_failure_that_a_later_attempt_made_good_is_resolved() -> None:
    broken = [True]

    class Moody(CorridorEnv):
        def _begin(self, rng: Any, options: Any) -> str:
            if broken and self.episode_seed == 1:
                raise OSError("not today")
            return super()._begin(rng, options)

    with RunStore(":memory:") as store:
        run = collect(Moody, RandomAgent, store, episodes=3).run
        assert [failure.episode for failure in store.failures(run, unresolved=True)] == [1]
        broken.clear()
        assert collect(Moody, RandomAgent, store, episodes=3, resume=True).played == 1
        assert store.failures(run, unresolved=True) == []
        assert len(store.failures(run)) == 1


def test_what_cannot_be_stored_costs_its_episode_only() -> None:
    class Odd(CorridorEnv):
        def _act(self, action: str) -> Any:
            outcome = super()._act(action)
            return outcome._replace(reward=float("nan")) if self.episode_seed == 1 else outcome

    with RunStore(":memory:") as store:
        collected = collect(Odd, OracleAgent, store, episodes=3)
        assert [failure.episode for failure in collected.failures] == [1]
        assert len(list(store.trajectories())) == 2


def test_numpy_numbers_are_numbers() -> None:
    with RunStore(":memory:") as store:
        assert collect(corridor(), RandomAgent, store, episodes=2, seed=np.int64(5)).run.config.seed == 5


def test_a_record_that_an_agent_made_wrong_costs_its_episode() -> None:
    class Confident(RandomAgent):
        def propose(self, turn: Turn) -> Action:
            return Action(text="right", token_ids=(1,), logprobs=(float("nan"),))

    with RunStore(":memory:") as store:
        collected = collect(corridor(), Confident, store, episodes=2)
        assert [failure.error for failure in collected.failures] == ["AgentError", "AgentError"]
        assert "a logprob is a finite number, got nan" in collected.failures[0].message


def test_only_the_beginning_of_an_endless_message_is_kept() -> None:
    class Talkative(RandomAgent):
        def propose(self, turn: Turn) -> Action:
            raise RuntimeError("x" * 10_000_000)

    with RunStore(":memory:") as store:
        [failure] = collect(corridor(), Talkative, store, episodes=1).failures
        assert len(failure.message) == 2_000
        assert len(failure.traceback) == 20_000
        assert failure.component.startswith("agent")


@pytest.mark.parametrize("agent_id", [5, "", None])
def test_an_agent_needs_an_id(agent_id: Any) -> None:
    agent = type("Nameless", (RandomAgent,), {"id": agent_id})
    with RunStore(":memory:") as store, pytest.raises(ConfigError, match="an id is a non-empty text"):
        collect(corridor(), agent, store, episodes=1)


def test_a_second_interrupt_leaves_at_once(tmp_path: Path) -> None:
    """A worker that is stuck in a call holds nobody up for ever."""
    program = textwrap.dedent(f"""
        import sys, time
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from test_rollout import *
        class Stuck(CorridorEnv):
            def _act(self, action):
                print("stuck", flush=True)
                time.sleep(1000)
        with RunStore("a.db") as store:
            collect(Stuck, RandomAgent, store, episodes=4, parallel=2)
    """)
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        for _ in range(2):
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) != 0


def test_a_store_that_was_deleted_meanwhile_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with RunStore(path) as store, pytest.raises(StoreError, match=r"a\.db was deleted while the run wrote to it"):
        collect(corridor(), RandomAgent, store, episodes=2, on_episode=lambda _: path.unlink(missing_ok=True))


def test_what_a_critic_has_learnt_does_not_depend_on_timing() -> None:
    class Apprentice:
        """Says how many steps it has learnt from."""

        id, version, recall_k = "apprentice", "1", 0

        def __init__(self, steps: int = 0) -> None:
            self.steps = steps

        def judge(self, turn: Turn, actions: list[Action], experiences: list[Any]) -> list[Verdict]:
            return [Verdict(p=0.5, critic=self.id, version="1", critique=str(self.steps)) for _ in actions]

        def learned(self, trajectory: Trajectory) -> Apprentice:
            return Apprentice(self.steps + len(trajectory.steps))

    def play(store: RunStore, episodes: int, parallel: int, resume: bool = False) -> list[Trajectory]:
        collect(corridor(), Slow, store, episodes=episodes, critic=Apprentice(), parallel=parallel, resume=resume)
        return contents(store)

    def told(trajectories: list[Trajectory]) -> list[str]:
        return [each.steps[0].verdict.critique if each.steps[0].verdict else "" for each in trajectories]

    with RunStore(":memory:") as one, RunStore(":memory:") as four, RunStore(":memory:") as broken:
        alone, abreast = play(one, 12, 1), play(four, 12, 4)
        before = [sum(len(each.steps) for each in alone[:number]) for number in range(12)]
        assert told(alone) == [str(steps) for steps in before]
        assert told(abreast) == [str(before[max(0, number - 3)]) for number in range(12)]
        play(broken, 5, 4)
        assert play(broken, 12, 4, resume=True) == abreast


class Cautious:
    """A policy of one's own; it tells its id and nothing else."""

    def __init__(self, id: str) -> None:
        self.id = id

    def intervenes(self, turn: Turn, verdict: Verdict, interventions_left: int) -> bool:
        return True


def test_a_run_with_a_policy_is_resumed_with_an_equal_one() -> None:
    def play(store: RunStore, episodes: int, policy: Any, resume: Any) -> Collected:
        gate = Gate(mode="warn", policy=policy)
        return collect(corridor(), RandomAgent, store, episodes=episodes, critic="rules", gate=gate, resume=resume)

    with RunStore(":memory:") as store:
        first = play(store, 1, Cautious("cautious(1)"), resume=False)
        assert first.run.config.gate["policy"] == "cautious(1)"
        again = play(store, 2, Cautious("cautious(1)"), resume=True)
        assert (again.run.id, again.found) == (first.run.id, 1)
        with pytest.raises(
            ConfigError, match=r"the latest differs: gate was .*cautious\(1\).*, is now .*cautious\(2\)"
        ):
            play(store, 2, Cautious("cautious(2)"), resume=True)
        value = play(store, 1, ValuePolicy(recovery=0.5, disruption=0.25), resume="if any")
        assert value.run.config.gate["policy"]["type"] == "ValuePolicy"
        assert (value.found, play(store, 1, ValuePolicy(recovery=0.5, disruption=0.25), resume="if any").found) == (
            0,
            1,
        )


def test_a_gate_that_names_none_of_the_newer_settings_is_kept_as_it_always_was() -> None:
    with RunStore(":memory:") as store:
        kept = collect(
            corridor(), RandomAgent, store, episodes=1, critic="rules", gate=Gate(mode="warn")
        ).run.config.gate
    assert kept == {"mode": "warn", "threshold": 0.3, "min_step": 0, "max_interventions": 3, "alternatives": 3}
