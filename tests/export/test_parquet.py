"""Parquet: one row a step, documented columns, whole or not at all."""

import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
import strategies
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from samples import simple_trajectory

from agentgym_critic.errors import ConfigError, MissingExtraError, StoreFullError
from agentgym_critic.export import export_parquet
from agentgym_critic.export.columns import COLUMNS
from agentgym_critic.types import Action, Intervention, Verdict

parquet = pytest.importorskip("pyarrow.parquet")

DOCS = Path(__file__).parents[2] / "docs" / "export.md"


def read(path):
    return parquet.read_table(path).to_pylist()


@given(trajectories=st.lists(strategies.trajectory(), max_size=3))
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=20)
def test_every_step_is_a_row_that_holds_what_the_records_hold(tmp_path_factory, trajectories):
    path = tmp_path_factory.mktemp("parquet") / "runs.parquet"
    steps = [(trajectory, step) for trajectory in trajectories for step in trajectory.steps]
    assert export_parquet(iter(trajectories), path, row_group_steps=2) == len(steps)
    table = read(path)
    assert len(table) == len(steps)
    for row, (trajectory, step) in zip(table, steps, strict=True):
        assert (row["trajectory_id"], row["step"], row["end"]) == (trajectory.id, step.index, trajectory.end)
        assert (row["episode_steps"], row["seed"]) == (len(trajectory.steps), trajectory.seed)
        assert (row["action"], row["raw"], row["reward"]) == (step.action.text, step.action.raw, step.reward)
        assert (tuple(row["token_ids"]), tuple(row["logprobs"])) == (step.action.token_ids, step.action.logprobs)
        assert row["calls_agent"] == step.action.cost.calls
        assert row["rejected_p"] == [intervention.verdict.p for intervention in step.interventions]
        assert_verdict(row, "before", step.verdict)
        assert_verdict(row, "after", step.hindsight)


def assert_verdict(row, when, verdict):
    if verdict is None:
        assert all(value is None for name, value in row.items() if name.endswith(f"_{when}"))
        return
    assert (row[f"p_{when}"], row[f"failure_{when}"]) == (verdict.p, verdict.failure)
    assert (row[f"critic_{when}"], row[f"critic_version_{when}"]) == (verdict.critic, verdict.version)
    assert dict(row[f"dimensions_{when}"]) == verdict.dimensions
    assert (tuple(row[f"votes_{when}"]), tuple(row[f"recalled_{when}"])) == (verdict.votes, verdict.recalled)
    assert row[f"seconds_{when}"] == verdict.cost.seconds


def test_what_is_unknown_is_null_and_not_zero(tmp_path):
    export_parquet([simple_trajectory(steps=1)], tmp_path / "x")
    (row,) = read(tmp_path / "x")
    assert (row["p_before"], row["p_after"], row["failure_after"]) == (0.25, None, "timeout")
    assert (row["failure_before"], row["admissible_actions"]) == (None, None)


def test_rejected_proposals_are_kept(tmp_path):
    trajectory = simple_trajectory(steps=1)
    rejected = Intervention(kind="warn", action=Action(text="no"), verdict=Verdict(p=0.1, critic="c"))
    step = msgspec.structs.replace(trajectory.steps[0], interventions=(rejected,))
    export_parquet([msgspec.structs.replace(trajectory, steps=(step,))], tmp_path / "x")
    (row,) = read(tmp_path / "x")
    assert (row["rejected_kinds"], row["rejected_actions"], row["rejected_p"]) == (["warn"], ["no"], [0.1])
    assert (row["rejected_dropped"], row["undone_actions"]) == ([""], [])


def test_undone_steps_and_dropped_interventions_are_kept(tmp_path):
    trajectory = simple_trajectory(steps=1)
    [undone] = trajectory.steps
    verdict = Verdict(p=0.1, critic="c")
    back = Intervention(kind="rollback", action=Action(text="no"), verdict=verdict, undone=undone)
    dropped = Intervention(kind="substitute", action=Action(text="so"), verdict=verdict, dropped="why")
    step = msgspec.structs.replace(undone, interventions=(back, dropped))
    export_parquet([msgspec.structs.replace(trajectory, steps=(step,))], tmp_path / "x")
    (row,) = read(tmp_path / "x")
    assert (row["rejected_dropped"], row["undone_actions"]) == (["", "why"], ["go"])


def test_rows_come_in_groups_compressed_and_stamped(tmp_path):
    export_parquet(
        (simple_trajectory(str(number), steps=10) for number in range(5)), tmp_path / "x", row_group_steps=20
    )
    file = parquet.ParquetFile(tmp_path / "x")
    assert [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)] == [20, 20, 10]
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"
    assert file.schema_arrow.names == [column.name for column in COLUMNS]
    assert file.schema_arrow.metadata[b"schema_version"] == b"1"
    assert file.schema_arrow.metadata[b"agentgym_critic"]


def test_nothing_is_an_empty_table_with_all_columns(tmp_path):
    assert export_parquet([], tmp_path / "x") == 0
    assert parquet.read_table(tmp_path / "x").column_names == [column.name for column in COLUMNS]


def test_text_that_is_no_unicode_is_cleaned(tmp_path):
    export_parquet([simple_trajectory("bad\udc80", steps=1)], tmp_path / "x")
    assert read(tmp_path / "x")[0]["trajectory_id"] == "bad\ufffd"


def test_groups_are_written_while_the_source_still_runs(tmp_path):
    sizes = []

    def source():
        for number in range(6):
            yield simple_trajectory(str(number), steps=1)
            sizes.append(sum(part.stat().st_size for part in tmp_path.glob(".*.part")))

    assert export_parquet(source(), tmp_path / "x", row_group_steps=2) == 6
    assert sizes[0] < sizes[2] < sizes[4]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr("secrets.token_hex", lambda size: "1234")
    (tmp_path / ".x.1234.part").symlink_to("/dev/full")
    with pytest.raises(StoreFullError, match=r"x could not be written: .*No space left"):
        export_parquet([simple_trajectory()], tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_export_leaves_nothing_and_keeps_the_old_file(tmp_path):
    path = tmp_path / "x.parquet"
    export_parquet([simple_trajectory("old")], path)
    before = path.read_bytes()

    def failing():
        yield simple_trajectory("new")
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        export_parquet(failing(), path, overwrite=True, row_group_steps=1)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_wrong_wishes_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="row_group_steps is at least 1, got 0"):
        export_parquet([], tmp_path / "x", row_group_steps=0)
    (tmp_path / "x").touch()
    with pytest.raises(ConfigError, match="x exists; name another file or pass overwrite=True"):
        export_parquet([], tmp_path / "x")


def test_without_pyarrow_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r'export_parquet needs the package pyarrow.*critic\[parquet\]"'):
        export_parquet([], tmp_path / "x")


def test_importing_the_package_loads_no_pyarrow():
    code = "import sys, agentgym_critic.export; print('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_every_column_is_documented_with_its_type_and_no_other():
    documented = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", DOCS.read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert {name: type.strip().strip("`") for name, type in documented.items()} == {
        column.name: column.type for column in COLUMNS
    }
