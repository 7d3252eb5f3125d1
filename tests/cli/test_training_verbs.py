"""`train` and `evaluate policy` as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest
from verbs import WORLD, Verb

from agentgym_critic.cli.train import METHODS
from agentgym_critic.courses import Method

SMALL = ("--ranker", "buckets=512", "--ranker", "width=8", "--ranker", "hidden=16")


def test_the_methods_are_those_of_the_library() -> None:
    assert tuple(METHODS) == get_args(Method)


def test_clone_then_evaluate(verb: Verb) -> None:
    assert verb("run", "--env", WORLD, "--agent", "oracle", "--episodes", "20", "--out", "a.db").code == 0
    clone = ("train", "--method", "clone", "--store", "a.db", "--out", "t", *SMALL, "--set", "learning_rate=0.01")
    trained = verb(*clone, "--iterations", "5", "--json")
    assert trained.code == 0, trained.err
    assert "iteration 4" in trained.err
    report = trained.json
    assert report["tally"]["dropped"] == {}
    assert len(report["metrics"]) == 5
    ranker = ("--agent", "text-ranker", "--agent-option", f"path={report['checkpoint']}")
    measured = verb("evaluate", "policy", "--env", WORLD, *ranker, "--versus", "random", "--episodes", "10", "--json")
    assert measured.code == 0, measured.err
    assert measured.json["first"]["score"]["successes"] == 10
    assert measured.json["comparison"]["pairs"] == 10
    shown = verb("evaluate", "policy", "--env", WORLD, *ranker, "--episodes", "10", "--resume", "--out", "policy.db")
    assert shown.code == 0, shown.err
    assert "1.000 [0.722, 1.000]" in shown.out
    again = verb(*clone)
    assert (again.code, "checkpoint.safetensors exists; resume it" in again.err) == (2, True)
    assert verb(*clone, "--iterations", "6", "--resume").code == 0


def test_a_file_says_the_same_and_what_is_typed_wins(verb: Verb, tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text(
        f'method = "dagger"\nenv = "{WORLD}"\nout = "t"\niterations = 9\nevaluate_episodes = 3\n'
        "[ranker]\nbuckets = 512\nwidth = 8\nhidden = 16\n[settings]\nepisodes = 2\n"
    )
    done = verb("train", "course.toml", "--iterations", "2", "--json")
    assert done.code == 0, done.err
    assert [row["iteration"] for row in done.json["metrics"]] == [0, 1]
    assert {"eval_success", "eval_success_low", "eval_success_high"} <= done.json["metrics"][0].keys()


def test_policy_gradient_and_preferences(verb: Verb) -> None:
    small = ("--set", "groups=2", "--set", "group_size=2", *SMALL)
    judged = ("--credit", "hindsight", "--hindsight", "outcome")
    done = verb("train", "--method", "gradient", "--env", WORLD, "--out", "g", "--iterations", "1", *judged, *small)
    assert done.code == 0, done.err
    assert "share_hindsight" in done.err
    played = ("run", "--env", WORLD, "--env-option", "max_steps=6", "--hindsight", "outcome", "--group-size", "4")
    assert verb(*played, "--episodes", "16", "--out", "b.db").code == 0
    for method in ("dpo-steps", "dpo-trajectories"):
        done = verb("train", "--method", method, "--store", "b.db", "--out", method, "--iterations", "1", *SMALL)
        assert done.code == 0, done.err
        assert "rows used" in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--method", "clone"), "the command line: a course needs ['out']"),
        (("--method", "clone", "--out", "t"), "the method clone learns from a store; name one (store)"),
        (("--method", "clone", "--out", "t", "--store", "no.db"), "there is no run store no.db; collect one first"),
        (("--method", "dagger", "--out", "t"), "the method dagger plays; name an environment (env)"),
        (
            ("--method", "gradient", "--out", "t", "--env", WORLD, "--set", "group_size=1"),
            "a group of 1 has nothing to be compared with",
        ),
        (
            ("--method", "gradient", "--out", "t", "--env", WORLD, "--set", "groop=1"),
            "gradient has no settings ['groop']; it has ['groups'",
        ),
        (("--method", "dagger", "--out", "t", "--env", WORLD, "--start", "no"), "there is no file no; train a ranker"),
        (("--method", "dagger", "--out", "t", "--env", WORLD, "--store", "a"), "so the store 'a' would be ignored"),
    ],
)
def test_wrong_usage(verb: Verb, arguments: tuple[str, ...], message: str) -> None:
    done = verb("train", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_files_that_are_no_course(verb: Verb, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("method = ")
    assert "a.toml is no TOML file" in verb("train", "a.toml").err
    (tmp_path / "b.toml").write_text('method = "clone"\nout = "t"\nstores = "a.db"\n')
    assert "b.toml: a course has no ['stores']" in verb("train", "b.toml").err
    (tmp_path / "c.toml").write_text('method = "magic"\nout = "t"\n')
    assert "Course.method" in verb("train", "c.toml").err


def test_an_empty_store_is_said(verb: Verb, tmp_path: Path) -> None:
    from agentgym_critic.store import RunStore

    with RunStore(tmp_path / "empty.db"):
        pass
    done = verb("train", "--method", "clone", "--store", "empty.db", "--out", "t")
    assert (done.code, "there are no trajectories to learn from; collect some first" in done.err) == (2, True)


def test_the_json_is_json(verb: Verb) -> None:
    done = verb("train", "--method", "dagger", "--env", WORLD, "--out", "t", "--iterations", "1", *SMALL, "--json")
    assert json.loads(done.out)["out"] == "t"
