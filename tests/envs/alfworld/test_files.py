"""Which games are meant, and what is said when they cannot be had."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from agentgym_critic.envs.alfworld import make_alfworld
from agentgym_critic.envs.alfworld.files import find_games, read_game
from agentgym_critic.envs.alfworld.layout import describe_data
from agentgym_critic.errors import ConfigError, EnvError, MissingDataError, UnknownIdError


def test_unknown_engine_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match=r"There is no ALFWorld engine 'warp'\. Known: native, reference\."):
        make_alfworld(engine="warp")


def test_no_folder_at_all_says_how_to_get_the_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ALFWORLD_DATA", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(MissingDataError, match=r"ALFWORLD_DATA is not set, and there is no .*alfworld-download"):
        find_games()


def test_a_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ALFWORLD_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(MissingDataError, match=r"nowhere is not a folder\. Download the games"):
        find_games()


def test_a_folder_without_the_split_is_named(attic) -> None:
    with pytest.raises(MissingDataError, match=r"There is no folder .*json_2\.1\.1/valid_unseen\. Download"):
        find_games(**attic.settings(split="valid_unseen"))


def test_a_split_without_games_is_named(attic) -> None:
    for file in attic.folder.rglob("game.tw-pddl"):
        file.unlink()
    with pytest.raises(MissingDataError, match=r"valid_seen holds no game\.tw-pddl\. Download"):
        find_games(**attic.settings())


def test_the_variable_is_used(attic, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALFWORLD_DATA", str(attic.data))
    assert len(find_games(split="valid_seen", cache=attic.cache).ids) == 2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"split": "valid_sen"}, r"no ALFWorld split 'valid_sen'\. Did you mean 'valid_seen'"),
        (
            {"task_type": "pick_and_place"},
            r"no ALFWorld task type 'pick_and_place'\. Did you mean 'pick_and_place_simple'",
        ),
        ({"game_id": "pick_and_place_simple-Lamp"}, r"no ALFWorld game .*Did you mean '.*Lamp-None-Chest-1/trial_1'"),
    ],
)
def test_unknown_names_suggest_the_nearest(attic, settings: dict[str, str], message: str) -> None:
    with pytest.raises(UnknownIdError, match=message):
        find_games(**attic.settings(**settings))


def test_conditions_that_no_game_fits(attic) -> None:
    with pytest.raises(ConfigError, match=r"None of the 2 games in .* fits task_type='pick_two_obj_and_place'"):
        find_games(**attic.settings(task_type="pick_two_obj_and_place"))


def test_selection_by_type_and_id(attic) -> None:
    assert find_games(**attic.settings(task_type="pick_and_place_simple")).ids == (attic.lamp,)
    assert find_games(**attic.settings(game_id=[attic.bell])).ids == (attic.bell,)
    both = find_games(**attic.settings(task_type=["pick_and_place_simple", "pick_clean_then_place_in_recep"]))
    assert set(both.ids) == {attic.lamp, attic.bell}


def test_tasks_the_reference_leaves_out_are_left_out(attic) -> None:
    attic.write("pick_and_place_with_movable_recep-Cup-Bowl-Shelf-1/trial_1", attic.game("lamp"))
    attic.write("pick_and_place_simple-AppleSliced-None-Shelf-1/trial_1", attic.game("lamp"))
    assert set(find_games(**attic.settings()).ids) == {attic.lamp, attic.bell}


def test_order_is_fixed_and_adding_a_game_keeps_it(attic) -> None:
    before = find_games(**attic.settings()).ids
    attic.write("look_at_obj_in_light-Cup-None-DeskLamp-3/trial_1", attic.game("lamp"))
    after = find_games(**attic.settings()).ids
    assert len(after) == 3
    assert tuple(game for game in after if game in before) == before


def test_consecutive_seeds_give_every_game_once(attic) -> None:
    games = find_games(**attic.settings())
    assert [games.pick(seed).id for seed in range(7, 11)] == [games.ids[seed % 2] for seed in range(7, 11)]


def test_a_game_is_read_once_for_all_until_its_file_changes(attic) -> None:
    games, others = find_games(**attic.settings()), find_games(**attic.settings())
    first = games.require(attic.lamp)
    assert others.require(attic.lamp) is first
    attic.write(attic.lamp, attic.game("lamp", walkthrough=["look"]))
    assert games.require(attic.lamp).file.walkthrough == ("look",)


def _damaged(game: dict[str, object], key: str) -> str:
    return json.dumps({name: value for name, value in game.items() if name != key})


def test_damaged_files_are_named(attic) -> None:
    game = attic.game("lamp")
    for content, message in [
        ("{", r"game\.tw-pddl is not a readable ALFWorld game: .*Download it again"),
        (_damaged(game, "walkthrough"), r"missing required field `walkthrough`"),
        (_damaged(game, "grammar"), r"missing required field `grammar`"),
        ({**game, "walkthrough": []}, r"game\.tw-pddl holds an empty walkthrough"),
        ({**game, "solvable": False}, r"game\.tw-pddl is marked as not solvable"),
        ('{"x": ' + "[" * 100_000, r"game\.tw-pddl is not a readable ALFWorld game: maximum recursion depth exceeded"),
        ("x" * 16_000_001, r"game\.tw-pddl has 16,000,001 bytes, where a game has at most 16,000,000"),
        ({**game, "pddl_domain": 3}, r"Expected `str`, got `int` - at `\$\.pddl_domain`"),
    ]:
        path = attic.write(attic.lamp, content)
        with pytest.raises(EnvError, match=message) as caught:
            read_game(attic.folder, attic.lamp)
        assert str(path) in str(caught.value)
        assert caught.value.component == str(path)


def test_a_game_deleted_after_listing_is_named(attic) -> None:
    env = make_alfworld(**attic.settings(game_id=attic.lamp))
    (attic.folder / attic.lamp / "game.tw-pddl").unlink()
    with pytest.raises(MissingDataError, match=r"There is no file .*trial_1/game\.tw-pddl\. Download"):
        env.reset(seed=0)
    env.close()


@pytest.mark.parametrize("template", ["move {o} to {r}", "put {o} in/on {r}"])
def test_dialect_is_read_from_the_grammar(attic, template: str) -> None:
    grammar = str(attic.game("lamp")["grammar"]).replace("put {o} in/on {r}", template)
    attic.write(attic.lamp, attic.game("lamp", grammar=grammar))
    assert read_game(attic.folder, attic.lamp).dialect == template.replace("{o}", "…").replace("{r}", "…")


def test_description_compares_each_split_with_the_official_one(attic, tmp_path: Path) -> None:
    shutil.copytree(attic.folder / attic.lamp, attic.folder.parent / "valid_unseen" / attic.lamp)
    assert describe_data(attic.data, attic.cache) == (
        f"{attic.data}: valid_seen 0 of 140 official games (incomplete: 140 missing) and 2 foreign; "
        "valid_unseen 0 of 134 official games (incomplete: 134 missing) and 1 foreign; no train; no valid_train"
    )
    with pytest.raises(MissingDataError, match=r"There is no split in .*json_2\.1\.1\. Download"):
        describe_data(tmp_path)


def test_a_split_without_games_is_described(attic) -> None:
    for file in attic.folder.rglob("game.tw-pddl"):
        file.unlink()
    assert "valid_seen 0 of 140 official games (incomplete: 140 missing); no" in describe_data(attic.data, attic.cache)


def test_foreign_games_are_warned_of_once(attic, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        find_games(**attic.settings())
    (message,) = caplog.messages
    assert message == (
        f"{attic.folder} holds valid_seen 0 of 140 official games (incomplete: 140 missing) and 2 foreign. "
        "Results on it compare with others' only where their games are the same ones."
    )


def test_games_chosen_by_name_need_no_warning(attic, caplog: pytest.LogCaptureFixture) -> None:
    find_games(**attic.settings(game_id=attic.lamp))
    assert not caplog.messages


@pytest.mark.data
def test_a_complete_split_is_no_warning(alfworld_data: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    games = find_games(alfworld_data, "valid_unseen", cache=tmp_path)
    assert games.report.state == "complete"
    assert games.version == f"games valid_unseen 134 {games.report.digest[:12]}"
    assert not caplog.messages


def test_the_report_is_of_the_folder_and_the_version_of_the_chosen_games(attic) -> None:
    every, one = find_games(**attic.settings()), find_games(**attic.settings(game_id=attic.lamp))
    assert every.report == one.report
    assert one.version.startswith("games valid_seen 1 ")
    assert every.version.startswith("games valid_seen 2 ")


def test_the_environment_tells_which_games_it_plays(attic, tmp_path: Path) -> None:
    env = make_alfworld(engine="reference", **attic.settings())
    assert env.split_report.foreign == 2
    before = env.env_version
    env.close()
    attic.write("look_at_obj_in_light-Cup-None-DeskLamp-3/trial_1", attic.game("lamp"))
    env = make_alfworld(engine="reference", **attic.settings())
    assert env.env_version != before, "the seeds play other games now"
    env.close()


@pytest.mark.parametrize("inside", ["json_2.1.1", "json_2.1.1/valid_seen", "json_2.1.1/valid_seen/some-task"])
def test_a_folder_too_deep_is_told_the_right_one(attic, inside: str) -> None:
    (attic.data / inside).mkdir(exist_ok=True)
    right = rf"Set the variable ALFWORLD_DATA \(or data=\) to {attic.data}, the folder that holds json_2\.1\.1\.$"
    with pytest.raises(MissingDataError, match=rf"^There is no folder .*{inside}/json_2\.1\.1/valid_seen\. {right}"):
        find_games(attic.data / inside, "valid_seen")
    with pytest.raises(MissingDataError, match=rf"^There is no split in .*{inside}/json_2\.1\.1\. {right}"):
        describe_data(attic.data / inside)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"data": ""}, r"^data is '', which names no folder; leave it out for the usual one$"),
        ({"data": "~nobody_here"}, r"^data is '~nobody_here', and there is no such user$"),
        ({"cache": ""}, r"^cache is '', which names no folder; leave it out for the usual one$"),
        ({"game_id": []}, r"^game_id is a name or a list of at least one, got \[\]$"),
        ({"game_id": 5}, r"^game_id is a name or a list of at least one, got 5$"),
        ({"game_id": "x" * 10**5}, rf"^There is no ALFWorld game '{'x' * 119}…\. Known: .*\. Looked for in "),
        ({"split": "procedural"}, r"^the split 'procedural' is made from seeds and has no files; name one of train, "),
        ({"data": "x" * 5000}, r"^ALFWorld's games are missing: x+ is not a folder\. Download"),
    ],
)
def test_what_is_no_setting_is_refused(attic, settings: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        find_games(**attic.settings(**settings))


def test_an_empty_variable_is_not_set(attic, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ALFWORLD_DATA", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(MissingDataError, match=r"ALFWORLD_DATA is not set, and there is no .*/.cache/alfworld"):
        find_games(split="valid_seen")


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_a_game_that_is_won_before_it_begins_is_refused(attic, engine: str) -> None:
    problem = str(attic.game("lamp")["pddl_problem"])
    goal = "(:goal (and (in lamp_bar_1 shelf_bar_1)))"
    attic.write(attic.lamp, attic.game("lamp", pddl_problem=f"{problem.partition('(:goal')[0]}{goal})"))
    env = make_alfworld(engine=engine, **attic.settings(game_id=attic.lamp))
    with pytest.raises(EnvError, match=r"trial_1/game\.tw-pddl is won before the first command, so it is no task; "):
        env.reset(seed=0)
    with pytest.raises(EnvError, match="never started"):
        env.step("look")
    env.close()
