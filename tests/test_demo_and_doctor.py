"""The demo and the doctor, on what is here."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from faulty_envs import ONE_START
from worlds import BRITTLE

from agentgym_critic import demo, doctor
from agentgym_critic.envs import env_ids
from agentgym_critic.golden import load_golden
from agentgym_critic.lm import ReplayLM
from agentgym_critic.memory import MemoryBank
from agentgym_critic.store import RunStore

ALFWORLD, SOKOBAN = "agentgym_critic/ALFWorld-v0", "agentgym_critic/Sokoban-v0"


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch) -> ReplayLM:
    """A model that likes long words, in place of the real one."""
    lm = ReplayLM(scores=lambda messages, candidate: -1.0 / len(candidate))
    monkeypatch.setattr("agentgym_critic.assembly.load_lm", lambda name: lm)
    return lm


def test_the_demo_plays_both_games_into_one_store_and_bank(
    replayed: ReplayLM, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ALFWORLD_DATA", str(tmp_path / "nowhere"))  # wrong, so that TextWorld makes the game
    out = tmp_path / "demo.db"
    report = demo.run_demo(out=str(out), episodes=2)
    assert [run.env for run in report.runs] == ["agentgym_critic/Sokoban-v0", "agentgym_critic/TextWorld-v0"]
    assert all(run.summary.episodes == 2 and not run.failures for run in report.runs)
    with RunStore(out) as store, MemoryBank(tmp_path / "demo.bank.db") as bank:
        trajectories = list(store.trajectories())
        assert len(trajectories) == 4
        assert bank.stats().trajectories == 4
        assert any(step.verdict and step.verdict.recalled for step in trajectories[-1].steps)
        assert sum(trajectory.cost.calls for trajectory in trajectories) == len(replayed.calls)


@pytest.mark.data
def test_the_demo_plays_alfworld_where_its_data_are(
    replayed: ReplayLM, monkeypatch: pytest.MonkeyPatch, alfworld_data: Path, tmp_path: Path
) -> None:
    monkeypatch.setenv("ALFWORLD_DATA", str(alfworld_data))
    report = demo.run_demo(out=str(tmp_path / "demo.db"), episodes=1)
    assert report.runs[1].env == "agentgym_critic/ALFWorld-v0"


def test_the_doctor_finds_what_is_here_and_names_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ALFWORLD_DATA", str(tmp_path / "nowhere"))
    checks = {check.name: check for check in doctor.examine()}
    assert checks["sqlite"].state == "ok"
    assert checks["episode agentgym_critic/Sokoban-v0"].state == "ok"
    assert checks["episode agentgym_critic/TextWorld-v0"].state == "ok"
    assert checks["data alfworld"].state == "missing"
    assert "alfworld-download" in checks["data alfworld"].detail
    assert checks["data alfworld"].detail.startswith("generated houses (split='procedural') work without data; ")
    assert checks["episode agentgym_critic/ALFWorld-v0 procedural"].state == "ok"


def test_the_doctor_finds_the_files_of_the_shop(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("WEBSHOP_DATA", raising=False)
    missing = doctor._webshop_data()
    assert missing.state == "missing"
    assert missing.detail.startswith("generated products work without; The folder of WebShop's files is not known.")
    monkeypatch.setenv("WEBSHOP_DATA", str(tmp_path))
    assert "holds no items_shuffle.json" in doctor._webshop_data().detail
    for name in ("items_shuffle_1000.json", "items_ins_v2_1000.json", "items_human_ins.json"):
        (tmp_path / name).touch()
    assert (doctor._webshop_data().state, doctor._webshop_data().detail) == ("ok", f"catalogue small in {tmp_path}")


@pytest.mark.data
def test_the_doctor_plays_a_real_household_game(monkeypatch: pytest.MonkeyPatch, alfworld_data: Path) -> None:
    monkeypatch.setenv("ALFWORLD_DATA", str(alfworld_data))
    checks = {check.name: check for check in doctor.examine()}
    assert checks["data alfworld"].state == checks["episode agentgym_critic/ALFWorld-v0"].state == "ok"


def test_the_doctor_notices_an_episode_that_is_not_as_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    [sokoban] = [golden for golden in load_golden() if "Sokoban" in golden.env_id]
    wrong = msgspec.structs.replace(sokoban, digest="0" * 64)
    monkeypatch.setattr(doctor, "load_golden", lambda: [wrong])
    [check] = [check for check in doctor.examine() if check.name.startswith("episode")]
    assert check.state == "broken"
    assert "recorded were 6 and 000000000000; the game data are of another version" in check.detail


def test_the_doctor_holds_environments_to_their_contract() -> None:
    sound, broken, single = doctor.examine_envs([SOKOBAN, BRITTLE, f"faulty_envs:{ONE_START}"])
    assert (sound.name, sound.state) == (f"env {SOKOBAN}", "ok")
    assert re.fullmatch(r"keeps every promise of a TextEnv, checked in \d+\.\d s", sound.detail)
    assert (broken.state, single.state) == ("broken", "broken")
    assert "RuntimeError: the floor gave way" in broken.detail
    assert "seeds (0, 1) all begin alike" in single.detail


def test_the_doctor_names_what_an_environment_needs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ALFWORLD_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setitem(doctor.PLAYABLE, ALFWORLD, {})
    monkeypatch.setitem(doctor.PLAYABLE, SOKOBAN, {"size": 1})
    nowhere, impossible, unknown = doctor.examine_envs([ALFWORLD, SOKOBAN, "agentgym_critic/Sokobn-v0"])
    assert nowhere.state == "missing"
    assert "alfworld-download" in nowhere.detail
    assert (impossible.state, impossible.detail.partition(":")[0]) == ("broken", "ConfigError")
    assert (unknown.state, unknown.detail.partition(":")[0]) == ("broken", "UnknownIdError")


def test_every_environment_has_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_contract", lambda env_id: env_id)
    assert list(doctor.examine_envs()) == env_ids()


def test_the_doctor_survives_a_broken_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    [sokoban] = [golden for golden in load_golden() if "Sokoban" in golden.env_id]
    monkeypatch.setattr(doctor, "load_golden", lambda: [msgspec.structs.replace(sokoban, env_settings={"size": 1})])
    [check] = [check for check in doctor.examine() if check.name.startswith("episode")]
    assert (check.state, check.detail.partition(":")[0]) == ("broken", "ConfigError")
