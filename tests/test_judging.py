"""Stored episodes judged again: the source untouched, resumable, the bank taught once, simulators served."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentgym_critic.assembly import RunOptions, run
from agentgym_critic.errors import ConfigError
from agentgym_critic.judging import Judged, Judging, judge
from agentgym_critic.memory import MemoryBank
from agentgym_critic.store import RunStore

SOKOBAN: dict[str, Any] = {"env": "agentgym_critic/Sokoban-v0", "env_settings": {"max_steps": 12, "size": 6}}


@pytest.fixture
def played(tmp_path: Path) -> Path:
    path = tmp_path / "runs.db"
    run(RunOptions(**SOKOBAN, out=str(path), critic="rules", hindsight="outcome", episodes=4))
    return path


def judged(played: Path, hindsight: str = "rubric-rules", **options: Any) -> Judged:
    return judge(Judging(str(played), str(played.with_name("judged.db")), hindsight, **options))


def test_the_steps_stay_and_the_hindsight_is_the_new_critics(played: Path) -> None:
    before = played.read_bytes()
    done = judged(played)
    assert (done.judged, done.found) == (4, 0)
    with RunStore(played) as source, RunStore(done.out) as target:
        (old_run,), (new_run,) = source.runs(), target.runs()
        assert done.runs == {old_run.id: new_run.id}
        assert new_run.config.settings["judged_from"] == old_run.id
        for old, new in zip(source.trajectories(), target.trajectories(), strict=True):
            assert [(s.observation, s.action, s.verdict) for s in old.steps] == [
                (s.observation, s.action, s.verdict) for s in new.steps
            ]
            assert {s.hindsight.critic for s in new.steps if s.hindsight} == {new.hindsight_critic.partition("@")[0]}
            assert all(s.hindsight for s in new.steps)
    assert played.read_bytes() == before


def test_what_is_judged_stays_and_the_rest_is_made_up_for(played: Path) -> None:
    seen: list[str] = []

    def interrupted(trajectory: Any) -> None:
        seen.append(trajectory.id)
        if len(seen) == 2:
            raise KeyboardInterrupt

    bank = str(played.with_name("bank.db"))
    judging = Judging(str(played), str(played.with_name("judged.db")), "outcome", bank=bank)
    with pytest.raises(KeyboardInterrupt):
        judge(judging, on_episode=interrupted)
    again = judge(judging)
    assert (again.judged, again.found) == (2, 2)
    with MemoryBank(bank) as memory:
        assert memory.stats().trajectories == 4
    assert judge(judging).judged == 0


def test_another_critic_is_another_run(played: Path) -> None:
    first, second = judged(played), judged(played, "outcome")
    assert first.runs.keys() == second.runs.keys()
    assert set(first.runs.values()).isdisjoint(second.runs.values())


def test_a_critic_that_simulates_sees_the_world_of_the_run(played: Path) -> None:
    done = judged(played, "counterfactual", hindsight_settings={"rollouts": 2, "horizon": 4})
    assert (done.judged, done.unscored) == (4, 0)


def test_only_the_runs_that_were_named(played: Path) -> None:
    run(RunOptions(**SOKOBAN, out=str(played), episodes=1, seed=50))
    with RunStore(played) as store:
        second = store.runs()[1].id
    assert judged(played, runs=(second,)).judged == 1


def test_refuses_what_cannot_be_meant(played: Path) -> None:
    with pytest.raises(ConfigError, match="is where the episodes come from; name another store for the judged ones"):
        judge(Judging(str(played), str(played), "outcome"))
    empty = played.with_name("empty.db")
    with pytest.raises(ConfigError, match="holds no episodes of these runs; `agentgym-critic run` makes some"):
        judge(Judging(str(empty), str(played.with_name("judged.db")), "outcome"))
    with pytest.raises(ConfigError, match=r"There is no hindsight .outcom.\. Did you mean .outcome.\?"):
        judged(played, "outcom")
