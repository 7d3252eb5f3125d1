from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sokoban_rules import levels, read

from agentgym_critic.envs.sokoban import Level, format_level, parse_level
from agentgym_critic.envs.sokoban.level import Picture, cells
from agentgym_critic.errors import ConfigError

ALL_SYMBOLS = """\
#######
#@-$.*#
#.$--##
#######"""


def places(mask: int, level: Level) -> set[tuple[int, int]]:
    return {divmod(bit.bit_length() - 1, level.cols) for bit in cells(mask)}


def test_a_level_is_read_symbol_by_symbol() -> None:
    level = parse_level(ALL_SYMBOLS)
    assert (level.rows, level.cols) == (4, 7)
    assert places(level.player, level) == {(1, 1)}
    assert places(level.boxes, level) == {(1, 3), (1, 5), (2, 2)}
    assert places(level.targets, level) == {(1, 4), (1, 5), (2, 1)}
    assert places(level.floor, level) == {(1, col) for col in range(1, 6)} | {(2, col) for col in range(1, 5)}
    assert level.floor & level.walls == 0


@given(levels())
def test_levels_survive_the_round_trip(text: str) -> None:
    level = parse_level(text)
    assert format_level(level) == text
    state, walls, targets = read(text)
    assert places(level.player, level) == {state.player}
    assert places(level.boxes, level) == state.boxes
    assert places(level.walls, level) == walls
    assert places(level.targets, level) == targets


def test_floor_may_be_blank_and_lines_ragged() -> None:
    text = "\n#####\n#@ $.#\n#####_\n"
    with pytest.raises(ConfigError, match="row 1, column 6 is not"):
        parse_level(text)
    assert parse_level("\n#####\n#@$.#\n#_ -#\n#####  \n") == parse_level("#####\n#@$.#\n#---#\n#####")


def test_a_room_is_drawn_anew_for_each_state() -> None:
    level = parse_level(ALL_SYMBOLS)
    picture = Picture(level)
    first = picture.draw(level.boxes, level.player)
    assert picture.draw(level.targets, 1 << 9) == "#######\n#-@-**#\n#*---##\n#######"
    assert picture.draw(level.boxes, level.player) == first == ALL_SYMBOLS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("####\n#@x#\n####", r"row 2, column 3 of the level is 'x'; known are space # \$ \* \+ - \. @ _"),
        ("#####\n-@$.#\n#####", r"the border of a level is wall; row 2, column 1 is not"),
        ("#####\n#-$.#\n#####", r"a level has one player \(@ or \+\), got 0"),
        ("######\n#@@$.#\n######", r"a level has one player \(@ or \+\), got 2"),
        ("######\n#@$$.#\n######", r"a level has as many boxes as targets, and one at least; got 2 and 1"),
        ("###\n#@#\n###", r"a level has as many boxes as targets, and one at least; got 0 and 0"),
        ("", r"a level has one player \(@ or \+\), got 0"),
    ],
)
def test_no_level_is_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_level(text)


@given(st.integers(0, 2**70))
def test_cells_take_a_mask_apart(mask: int) -> None:
    bits = list(cells(mask))
    assert sum(bits) == mask
    assert bits == sorted(bits)
    assert all(bit.bit_count() == 1 for bit in bits)
