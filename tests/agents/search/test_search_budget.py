"""The experiment of benchmarks/search_budget.py in small: no oracle's word reaches any cell but the oracle's own."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from agentgym_critic.envs.alfworld.env import AlfworldEnv
from agentgym_critic.envs.sokoban import SokobanEnv
from agentgym_critic.types import Oracle

pytest.importorskip("torch")

PATH = Path(__file__).parents[3] / "benchmarks" / "search_budget.py"
SOKOBAN = {"size": 6, "max_steps": 8}
HOUSES = {"split": "procedural", "max_steps": 8}


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("search_budget", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.SHARES, module.CS = (0.25, 0.5), (0.5,)
    small = {
        "sokoban": {"reported": SOKOBAN, "other": SOKOBAN},
        "alfworld": {"reported": HOUSES, "other": HOUSES, "first_other": module.FIRST_OTHER_TASK},
    }
    module.WORLDS = {name: module.WORLDS[name]._replace(**small[name], budgets=(30, 60)) for name in small}
    return module


@pytest.fixture
def asked(monkeypatch):
    """Everything privileged lies, and notes who asked."""
    calls = []

    def lie(self):
        calls.append(type(self).__name__)
        return Oracle(actions=("poison",), steps_left=1)

    for world in (SokobanEnv, AlfworldEnv):
        monkeypatch.setattr(world, "oracle", lie)
    monkeypatch.setattr(SokobanEnv, "deadlocked", lie)
    return calls


def run_small(bench, world, critics):
    """What every cell came to, learning and choosing included."""
    kit = bench.prepare(bench.WORLDS[world], 4)
    cells = list(bench.cells(world, (40,), critics))
    played = [bench.measure(cell, bench.WORLDS[world], kit, 2) for cell in cells]
    return kit.about, [{name: value for name, value in each.items() if name != "seconds"} for each in played]


@pytest.mark.parametrize("world", ["sokoban", "alfworld"])
def test_no_critic_but_the_oracle_asks_or_is_moved_by_the_oracle(bench, world, asked, monkeypatch):
    critics = [critic for critic in bench.CRITICS if critic != "oracle"]
    poisoned = run_small(bench, world, critics)
    assert asked == []
    monkeypatch.undo()
    assert run_small(bench, world, critics) == poisoned


@pytest.mark.parametrize("world", ["sokoban", "alfworld"])
def test_the_test_can_fail(bench, world, asked):
    run_small(bench, world, ["oracle"])
    assert asked


def test_it_goes_on_where_it_was_interrupted(bench, tmp_path, monkeypatch):
    path, measured = tmp_path / "results.json", []
    measure = bench.measure

    def interrupted(cell, *rest):
        if len(measured) == 3:
            raise KeyboardInterrupt
        measured.append(cell)
        return measure(cell, *rest)

    monkeypatch.setattr(bench, "measure", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bench.run(["sokoban"], 2, (30,), 4, path)
    assert len(json.loads(path.read_text())["cells"]) == 3
    monkeypatch.setattr(bench, "measure", measure)
    first = json.loads(path.read_text())["cells"]
    results = bench.run(["sokoban"], 2, (30,), 4, path)
    assert first.items() <= results["cells"].items()
    assert len(results["cells"]) == len(list(bench.cells("sokoban", (30,))))
    assert len(bench.table(results).splitlines()) == 2 + len(results["cells"])


def test_what_was_learnt_from_is_not_reported(bench, tmp_path):
    same = bench.WORLDS["sokoban"]._replace(first_other=0)
    bench.WORLDS["same"] = same
    with pytest.raises(AssertionError, match="a reported task was learnt from"):
        bench.run(["same"], 2, (30,), 4, tmp_path / "results.json")
