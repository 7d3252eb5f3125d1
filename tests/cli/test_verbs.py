"""The verbs as a user meets them: output, JSON, and exit codes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, get_args

import click
import gymnasium
import msgspec
import pytest
from verbs import BROKEN_WORLD, WORLD, Verb
from worlds import BRITTLE, CORRIDOR

from agentgym_critic.cli import cli
from agentgym_critic.cli.players import MODES
from agentgym_critic.critics.gate import GateMode
from agentgym_critic.envs.alfworld.houses import generate_game
from agentgym_critic.store import RunStore


def test_run_show_and_resume(verb: Verb) -> None:
    judged = ("run", "--env", WORLD, "--critic", "rules", "--hindsight", "outcome", "--out", "a.db")
    ran = verb(*judged, "--episodes", "3", "--json")
    assert ran.code == 0
    report = ran.json
    assert (report["played"], report["found"], report["bank"]) == (3, 0, "a.bank.db")
    assert report["summary"]["episodes"] == 3
    assert report["summary"]["unscored_before"] == 0
    assert len(ran.err.splitlines()) == 3  # plain progress, since this is no terminal

    again = verb(*judged, "--episodes", "5", "--resume", "--json").json
    assert (again["played"], again["found"], again["run"]) == (2, 3, report["run"])

    shown = verb("show", "a.db", "--last")
    assert shown.code == 0
    for text in ("in hindsight", "You are in cell", "p=0.", "Reach cell 5.", report["run"]):
        assert text in shown.out
    last = verb("show", "a.db", "--last", "--json").json
    assert last["steps"][0]["verdict"]["critic"] == "rules"
    assert last["steps"][0]["hindsight"]["critic"] == "outcome"

    listed = verb("show", "a.db")
    assert report["run"] in listed.out
    assert f"{report['run']}-00004" in listed.out
    [shown_run] = verb("show", "a.db", "--json").json
    assert shown_run["run"]["id"] == report["run"]
    assert shown_run["summary"]["episodes"] == 5
    assert "rules@1" in listed.out


def test_run_says_what_it_did(verb: Verb) -> None:
    ran = verb("run", "--env", WORLD, "--agent", "oracle", "--env-option", "length=3", "--out", "a.db")
    assert ran.code == 0
    assert "100%" in ran.out
    assert "look at an episode: agentgym-critic show a.db --last" in ran.out
    with RunStore("a.db") as store:
        assert store.run().config.env_settings == {"length": 3}


def test_failed_episodes_make_the_exit_code_1(verb: Verb) -> None:
    ran = verb("run", "--env", BROKEN_WORLD, "--agent", "oracle", "--episodes", "5", "--out", "a.db", "--json")
    assert ran.code == 1
    assert "the floor gave way" in ran.json["failures"][0]["message"]
    assert "failed: EnvError: environment" in ran.err
    assert "the floor gave way" in " ".join(verb("show", "a.db").out.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "--env", "agentgym_critic/Sokobn-v0", "--out", "a.db"], "Did you mean 'agentgym_critic/Sokoban-v0'"),
        (["run", "--env", WORLD, "--agent", "randon", "--out", "a.db"], "There is no agent 'randon'. Did you mean"),
        (
            ["run", "--env", WORLD, "--critic", "ptru", "--out", "a.db"],
            "Did you mean 'ptrue'",
        ),
        (["run", "--env", WORLD, "--agent", "lm-rank", "--out", "a.db"], "needs a language model|--model smollm2"),
        (["run", "--env", WORLD, "--gate", "warn", "--out", "a.db"], "acts on a critic's verdicts; name a critic"),
        (["run", "--env", WORLD, "--bank", "b.db", "--out", "a.db"], "nothing reads or fills the bank b.db"),
        (["run", "--env", WORLD, "--critic", "rules", "--bank", "b.db", "--out", "a.db"], "nothing reads or fills"),
        (["run", "--env", WORLD, "--model", "smollm2", "--out", "a.db"], "nothing here asks a language model"),
        (["run", "--env", WORLD, "--critic-option", "k=1", "--out", "a.db"], "settings for the critic, but no critic"),
        (["run", "--env", WORLD, "--env-option", "lenght=3", "--out", "a.db"], "unexpected keyword argument 'lenght'"),
        (["run", "--env", WORLD, "--env-option", "length", "--out", "a.db"], "expected KEY=VALUE, got 'length'"),
        (["run", "--env", WORLD, "--env-option", "length=x", "--out", "a.db"], "length is a whole number, got 'x'"),
        (
            ["run", "--env", WORLD, "--env-option", "length=3", "--env-option", "length=4", "--out", "a.db"],
            "length is given twice",
        ),
        (
            ["run", "--env", WORLD, "--split", "train", "--env-option", "split=test", "--out", "a.db"],
            "--split and --env-option split=... are both given; keep one",
        ),
        (
            ["run", "--env", WORLD, "--max-steps", "3", "--env-option", "max_steps=3", "--out", "a.db"],
            "--max-steps and --env-option max_steps=... are both given; keep one",
        ),
        (
            ["run", "--env", WORLD, "--env-option", "length=\udc80", "--out", "a.db"],
            "the value of length is no text in UTF-8",
        ),
        (
            ["run", "--env", WORLD, "--env-option", f"length={'[' * 100_000}", "--out", "a.db"],
            "length is a whole number, got '[[[",
        ),
        (
            [
                "run",
                "--env",
                WORLD,
                "--critic",
                "rules",
                "--gate",
                "warn",
                "--gate-option",
                "thresh=1",
                "--out",
                "a.db",
            ],
            "the gate has no setting thresh; it has alternatives, max_interventions, min_step, rearm, threshold",
        ),
        (["run", "--env", WORLD, "--resume", "--out", "a.db"], "holds no run to resume"),
        (
            [
                "run",
                "--env",
                WORLD,
                "--critic",
                "rules",
                "--gate",
                "warn",
                "--gate-option",
                "threshold=abc",
                "--out",
                "a.db",
            ],
            "Gate.threshold: Expected `float`, got `str`",
        ),
        (["run", "--env", WORLD, "--seed", "99999999999999999999", "--out", "a.db"], "is not in the range 0<=x<="),
        (["run", "--env", WORLD, "--agent", ":", "--out", "a.db"], "There is no agent ':'"),
        (["run", "--env", WORLD, "--episodes", "0", "--out", "a.db"], "0 is not in the range"),
        (["show", "none.db"], "File 'none.db' does not exist"),
        (["shwo"], "No such command 'shwo'"),
    ],
)
def test_wrong_usage_is_explained_and_exits_2(verb: Verb, arguments: list[str], message: str) -> None:
    result = verb(*arguments)
    assert result.code == 2
    assert any(part in result.err for part in message.split("|")), result.err
    assert "Traceback" not in result.err


def test_a_file_that_is_no_store_exits_1(verb: Verb) -> None:
    Path("notes.db").write_text("these are my notes\n" * 100)
    result = verb("show", "notes.db", "--last")
    assert result.code == 1
    assert "notes.db is not an SQLite file; name another file" in result.err


def test_show_refuses_two_answers_and_suggests_ids(verb: Verb) -> None:
    verb("run", "--env", WORLD, "--out", "a.db")
    assert verb("show", "a.db", "x", "--last").code == 2
    missing = verb("show", "a.db", "x")
    assert missing.code == 2
    assert "There is no trajectory 'x'" in missing.err


def test_bank_verbs(verb: Verb) -> None:
    verb("run", "--env", WORLD, "--hindsight", "outcome", "--episodes", "3", "--out", "a.db")
    stats = verb("bank", "stats", "a.bank.db", "--json").json
    assert stats["trajectories"] == 3
    assert f"experiences    {stats['experiences']}" in verb("bank", "stats", "a.bank.db").out
    found = verb("bank", "search", "a.bank.db", "cell right", "--limit", "2", "--json").json
    assert len(found) == 2
    assert "You are in cell" in verb("bank", "search", "a.bank.db", "cell").out


def test_a_bank_is_exported_and_imported(verb: Verb) -> None:
    verb("run", "--env", WORLD, "--hindsight", "outcome", "--agent", "oracle", "--episodes", "6", "--out", "a.db")
    stats = verb("bank", "stats", "a.bank.db", "--json").json
    assert stats["trajectories"] == 6 != stats["experiences"] != stats["sightings"]
    assert verb("bank", "export", "a.bank.db", "b.jsonl", "--json").json == {"trajectories": 6, "file": "b.jsonl"}
    assert len(Path("b.jsonl").read_text().splitlines()) == 6

    again = verb("bank", "export", "a.bank.db", "b.jsonl")
    assert again.code == 2
    assert "b.jsonl exists; name another file or pass overwrite=True (--overwrite)" in again.err
    assert verb("bank", "export", "a.bank.db", "b.jsonl", "--overwrite").out == "6 trajectories in b.jsonl\n"

    added = verb("bank", "import", "c.db", "b.jsonl", "--json").json
    assert added == {"trajectories": 6, "sightings": stats["sightings"], "known": 0, "bank": "c.db"}
    assert verb("bank", "stats", "c.db", "--json").json["experiences"] == stats["experiences"]
    known = verb("bank", "import", "c.db", "b.jsonl").out
    assert known == "0 trajectories with 0 judged steps added to c.db, 6 known before\n"


def test_export(verb: Verb) -> None:
    verb("run", "--env", WORLD, "--hindsight", "outcome", "--episodes", "3", "--out", "a.db")
    assert verb("export", "a.db", "a.jsonl", "--json").json["written"] == 3
    assert len(Path("a.jsonl").read_text().splitlines()) == 3
    assert verb("export", "a.db", "a.parquet").code == 0
    assert Path("a.parquet").exists()
    again = verb("export", "a.db", "a.jsonl")
    assert again.code == 2
    assert "overwrite" in again.err
    wrong = verb("export", "a.db", "a.csv")
    assert wrong.code == 2
    assert "the file ends in .jsonl or .parquet, got 'a.csv'" in wrong.err


def test_envs_lists_every_environment(verb: Verb) -> None:
    assert "agentgym_critic/Sokoban-v0" in verb("envs", "--json").json
    assert "agentgym_critic/ALFWorld-v0" in verb("envs").out


def test_play(verb: Verb, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("right\nundo\nquit\n"))
    result = verb("play", WORLD, "--seed", "1")
    assert result.code == 0
    assert "Reach cell 5." in result.out
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    assert verb("play", "--env", WORLD, "--seed", "1").code == 0
    for names in ([], [WORLD, "--env", WORLD]):
        assert "name one environment" in verb("play", *names).err


def test_play_takes_the_short_names_of_settings(verb: Verb, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("right\nright\nright\n"))
    played = verb("play", WORLD, "--env-option", "length=50", "--max-steps", "2", "--json").json
    assert (played["end"], played["steps"]) == ("step_limit", 2)
    twice = verb("play", WORLD, "--max-steps", "2", "--env-option", "max_steps=3")
    assert twice.code == 2
    assert "--max-steps and --env-option max_steps=... are both given; keep one" in twice.err


def test_a_shopper_is_told_why_nothing_happened(verb: Verb, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("buy it\nsearch[tea]\n1\nquit\n"))
    shop = ("--env", "agentgym_critic/WebShop-v0", "--env-option", "size=50", "--env-option", f"cache={tmp_path}")
    result = verb("play", *shop)
    assert "An action is search[keywords] or click[what is on the page]." in result.out
    assert "Left the game after 3 steps" in result.out


def test_every_verb_answers_in_json_and_has_help() -> None:
    for command in _leaves(cli):
        assert command.help, command.name
        assert any("--json" in option.opts for option in command.params), command.name
        for option in command.params:
            self_explaining = option.name in ("episodes", "seed", "gate", "limit")
            assert isinstance(option, click.Argument) or option.help or self_explaining, option.name


def _leaves(command: Any) -> list[Any]:
    children = getattr(command, "commands", None)
    return [leaf for child in children.values() for leaf in _leaves(child)] if children else [command]


def test_what_lies_in_the_current_folder_can_be_named(verb: Verb) -> None:
    Path("mine.py").write_text("def judge(turn, action):\n    return 0.25\n")
    ran = verb("run", "--env", WORLD, "--critic", "mine:judge", "--out", "a.db", "--json")
    assert ran.json["summary"]["p_before"] == 0.25


def test_other_settings_are_another_configuration(verb: Verb) -> None:
    arguments = ("run", "--env", WORLD, "--agent", "oracle", "--out", "a.db")
    assert verb(*arguments).code == 0
    changed = verb(*arguments, "--agent-option", "sample=true", "--resume")
    assert changed.code == 2
    assert "settings was {}, is now {'agent_settings': {'sample': True}}" in changed.err


def test_why_verdicts_are_missing_is_said(verb: Verb) -> None:
    Path("hopeless.py").write_text("def judge(turn, action):\n    return 1 / 0\n")
    ran = verb("run", "--env", WORLD, "--critic", "hopeless:judge", "--out", "a.db")
    assert "times: error: ZeroDivisionError: division by zero" in ran.out


def test_a_refused_command_leaves_no_file(verb: Verb) -> None:
    assert verb("run", "--env", WORLD, "--agent", "oracle", "--agent-option", "foo=1", "--out", "a.db").code == 2
    assert not list(Path().iterdir())


def test_what_is_printed_on_the_way_is_not_in_the_json(verb: Verb, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("noisy.py").write_text("def judge(turn, action):\n    print('thinking')\n    return 0.5\n")
    ran = verb("run", "--env", WORLD, "--critic", "noisy:judge", "--out", "a.db", "--json")
    assert ran.json["played"] == 1
    assert "thinking" in ran.err


def test_json_survives_text_that_is_no_unicode(verb: Verb) -> None:
    Path("garbled.py").write_text("def judge(turn, action):\n    raise ValueError('\\udc80')\n")
    ran = verb("run", "--env", WORLD, "--critic", "garbled:judge", "--out", "a.db", "--json")
    assert ran.json["summary"]["unscored_why"]
    assert verb("show", "a.db", "--last", "--json").json["steps"]


def test_warnings_of_the_library_are_shown_once(verb: Verb) -> None:
    Path("warns.py").write_text(
        "import logging\n"
        "def judge(turn, action):\n"
        "    logging.getLogger('agentgym_critic.envs').warning('only %d\x1b[2J games', 3)\n"
        "    return 0.5\n"
    )
    ran = verb("run", "--env", WORLD, "--critic", "warns:judge", "--out", "a.db", "--json")
    assert ran.err.count("Warning: only 3\ufffd[2J games\n") == 1
    assert ran.json["played"] == 1


def test_an_incomplete_split_is_warned_of(verb: Verb, tmp_path: Path) -> None:
    folder, game = tmp_path / "json_2.1.1" / "valid_seen", generate_game(0)
    file = folder / game.id / "game.tw-pddl"
    file.parent.mkdir(parents=True)
    file.write_bytes(msgspec.json.encode(game.file))
    options = ("--env-option", f"data={tmp_path}", "--env-option", f"cache={tmp_path}", "--agent", "oracle")
    ran = verb("run", "--env", "agentgym_critic/ALFWorld-v0", "--split", "valid_seen", *options, "--out", "a.db")
    assert ran.err.startswith(
        f"Warning: {folder} holds valid_seen 0 of 140 official games (incomplete: 140 missing) an"
    )
    assert ran.code == 0


def test_errors_cannot_steer_the_terminal(verb: Verb) -> None:
    refused = verb("run", "--env", WORLD, "--out", "nowhere\x1b[31m/a.db")
    assert refused.code == 1
    assert "\x1b" not in refused.err


def test_evaluate_critic(verb: Verb) -> None:
    sokoban = "agentgym_critic/Sokoban-v0"
    verb("run", "--env", sokoban, "--hindsight", "outcome", "--episodes", "4", "--max-steps", "8", "--out", "a.db")
    trial = ("evaluate", "critic", "a.db", "--critic", "rules", "--critic", "rules opposite=0.9", "--resamples", "20")
    found = verb(*trial, "--orders", "2", "--json", "--report", "a.html", "--plots", "plots")
    assert found.code == 0
    assert (found.json["trajectories"], found.json["orders"]) == (4, 2)
    assert [critic["name"] for critic in found.json["critics"]] == ["rules", "rules opposite=0.9"]
    assert found.json["critics"][0]["scores"]["unscored"] == 0
    assert Path("a.verdicts.db").is_file()
    assert "Critics on a.db" in Path("a.html").read_text()
    assert sorted(path.name for path in Path("plots").iterdir()) == [
        "learning_curves.png", "learning_curves.svg", "reliability.png", "reliability.svg",
    ]  # fmt: skip
    again = verb(*trial, "--orders", "2")
    assert "rules opposite=0.9" in again.out
    assert "4 episodes, 2 orders of the stream" in again.out


@pytest.mark.parametrize(
    ("critic", "message"),
    [
        ("rules opposite", "expected KEY=VALUE, got 'opposite'"),
        ("rules 'a", 'expected a name and settings, got "rules \'a" (No closing quotation)'),
        ("rulez", "no critic 'rulez'"),
        ("oracle", "'oracle' is the truth that critics are measured by, and cannot be one of them"),
        ("rules strange=1", "got an unexpected keyword argument 'strange'"),
    ],
)
def test_critics_that_cannot_be_tried(verb: Verb, critic: str, message: str) -> None:
    verb("run", "--env", WORLD, "--episodes", "1", "--out", "a.db")
    refused = verb("evaluate", "critic", "a.db", "--critic", critic)
    assert refused.code == 2
    assert message in " ".join(refused.err.split())


def test_critics_are_tried_on_an_environment_of_ones_own(verb: Verb, monkeypatch: pytest.MonkeyPatch) -> None:
    """In another process its module has not been imported."""
    verb("run", "--env", WORLD, "--episodes", "2", "--hindsight", "outcome", "--out", "a.db")
    with RunStore("a.db") as store:
        assert store.run().config.env_module == "worlds"
    monkeypatch.delitem(gymnasium.registry, CORRIDOR)
    monkeypatch.delitem(sys.modules, "worlds")
    found = verb("evaluate", "critic", "a.db", "--critic", "rules", "--resamples", "5", "--json")
    assert (found.code, found.json["trajectories"]) == (0, 2)


def test_a_diagram_that_cannot_be_drawn_is_refused_before_the_work(verb: Verb, monkeypatch: pytest.MonkeyPatch) -> None:
    verb("run", "--env", WORLD, "--episodes", "1", "--out", "a.db")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    refused = verb("evaluate", "critic", "a.db", "--critic", "rules", "--report", "a.html")
    assert refused.code == 2
    assert "A diagram needs the package matplotlib" in refused.err
    assert not Path("a.verdicts.db").exists()


def test_nothing_to_try_critics_on(verb: Verb) -> None:
    verb("run", "--env", WORLD, "--episodes", "1", "--out", "a.db")
    RunStore("b.db").close()
    empty = verb("evaluate", "critic", "b.db", "--critic", "rules")
    assert (empty.code, empty.err) == (
        2,
        "Error: b.db holds no episodes of these runs; `agentgym-critic run` makes some\n",
    )
    unknown = verb("evaluate", "critic", "a.db", "--critic", "rules", "--run", "nope")
    assert unknown.code == 2
    assert "nope" in unknown.err


PILOT = ("evaluate", "pilot", "--env", "agentgym_critic/Sokoban-v0", "--max-steps", "30", "--critic", "oracle",
         "--gate", "substitute", "--gate-option", "threshold=0.5", "--gate-option", "max_interventions=30",
         "--resamples", "50")  # fmt: skip


def test_evaluate_pilot(verb: Verb) -> None:
    found = verb(*PILOT, "--pairs", "8", "--json")
    assert found.code == 0
    assert len(found.err.splitlines()) == 16
    report = found.json
    assert (report["played"], report["found"], report["out"]) == (16, 0, "pilot.db")
    assert (report["pilot"]["decision"], report["pilot"]["pairs"]) == ("deploy", 8)
    assert sorted(report["summaries"]) == sorted([report["without"], report["gated"]])
    again = verb(*PILOT, "--pairs", "8", "--resume")
    assert again.err == ""
    for text in (" recovered ", "0 disrupted", "estimate, 95% interval", "break-even", "sign test p = 0.0"):
        assert text in again.out
    assert again.out.splitlines()[-1] == "deploy"
    assert f"runs {report['without']} without and {report['gated']} with the gate in pilot.db" in again.out


def test_an_undecided_pilot_says_how_many_more_pairs_it_takes(verb: Verb) -> None:
    few = verb(*PILOT, "--pairs", "2")
    assert "undecided; about 4 more pairs would tell, if the rates stay as they are" in " ".join(few.out.split())
    idle = [option.replace("max_interventions=30", "max_interventions=0") for option in PILOT]
    none = verb(*idle, "--pairs", "2", "--out", "none.db")
    told = "undecided, and no number of pairs would tell: the gate recovered as many as it disrupted"
    assert told in " ".join(none.out.split())


def test_every_mode_of_the_gate_can_be_named() -> None:
    assert tuple(MODES) == get_args(GateMode)


def test_pilots_that_cannot_be_played(verb: Verb) -> None:
    for options, message in (
        (("--gate", "off"), "'off' is not one of 'warn', 'regenerate', 'substitute', 'rollback', 'stop'"),
        (("--gate-option", "alternatives=2"), "the gate's mode 'substitute' has no use for alternatives"),
        (("--level", "1"), "1.0 is not in the range 0<x<1"),
    ):
        refused = verb(*PILOT, *options)
        assert refused.code == 2
        assert message in " ".join(refused.err.split())
    missing = verb("evaluate", "pilot", "--env", WORLD, "--critic", "rules")
    assert "Missing option '--gate'" in missing.err
    assert not list(Path().iterdir())


def test_the_doctor_of_environments_tells_each_as_it_goes(verb: Verb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentgym_critic.doctor.env_ids", lambda: [CORRIDOR])
    told = verb("doctor", "--envs")
    assert told.code == 0
    assert told.out.startswith(f"ok       env {CORRIDOR}")
    monkeypatch.setattr("agentgym_critic.doctor.env_ids", lambda: [CORRIDOR, BRITTLE])
    told = verb("doctor", "--envs", "--json")
    assert told.code == 1
    assert [check["state"] for check in told.json] == ["ok", "broken"]
    assert f"BROKEN   env {BRITTLE}" in told.err


def test_judge_keeps_the_judged_episodes_elsewhere_and_goes_on(verb: Verb) -> None:
    verb("run", "--env", WORLD, "--episodes", "3", "--out", "a.db")
    again = ("judge", "a.db", "--hindsight", "outcome", "--out", "b.db", "--bank", "b.bank.db")
    done = verb(*again, "--json").json
    assert (done["judged"], done["found"], done["unscored"]) == (3, 0, 0)
    told = verb(*again)
    assert "0 episodes judged, 3 found judged, 0 steps unscored" in told.out
    assert f"run {next(iter(done['runs']))} is run" in told.out
    assert verb("bank", "stats", "b.bank.db", "--json").json["trajectories"] == 3
    refused = verb("judge", "a.db", "--hindsight", "outcome", "--out", "a.db")
    assert refused.code == 2
    assert "name another store for the judged ones" in refused.err
