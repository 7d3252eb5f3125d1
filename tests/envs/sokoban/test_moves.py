from __future__ import annotations

from hypothesis import given
from sokoban_rules import WAYS, after, levels, read

from agentgym_critic.envs.sokoban import Level, format_level, parse_level
from agentgym_critic.envs.sokoban.level import cells
from agentgym_critic.envs.sokoban.moves import ACTIONS, Layer, after_moves, before_moves, moved, offsets


def as_layer(states: set[tuple[int, int]]) -> Layer:
    layer: Layer = {}
    for boxes, player in states:
        layer[boxes] = layer.get(boxes, 0) | player
    return layer


def all_moves(level: Level) -> dict[str, tuple[int, int] | None]:
    steps = offsets(level.cols)
    return {action: moved(level.boxes, level.player, level.floor, steps[action]) for action in ACTIONS}


def test_actions_are_sorted() -> None:
    assert list(ACTIONS) == sorted(ACTIONS) == sorted(WAYS) == sorted(offsets(5))


@given(levels())
def test_a_move_follows_the_rules(text: str) -> None:
    level = parse_level(text)
    state, walls, _ = read(text)
    for action, result in all_moves(level).items():
        expected = after(state, walls, action)
        assert (result is None) == (expected is None)
        if result:
            boxes, player = result
            assert read(format_level(level._replace(boxes=boxes, player=player)))[0] == expected


@given(levels())
def test_a_layer_moves_as_its_states_do(text: str) -> None:
    level = parse_level(text)
    free = level.floor & ~level.boxes
    everywhere = [level._replace(player=player) for player in cells(free)]
    expected = {state for each in everywhere for state in all_moves(each).values() if state}
    assert after_moves({level.boxes: free}, level.floor, level.cols, level.floor) == as_layer(expected)


@given(levels())
def test_boxes_stay_among_the_living_if_asked(text: str) -> None:
    level = parse_level(text)
    layer = after_moves({level.boxes: level.player}, level.floor, level.cols, alive=0)
    walks = {state for state in all_moves(level).values() if state and state[0] == level.boxes}
    assert layer == as_layer(walks)


@given(levels())
def test_going_back_undoes_going_on(text: str) -> None:
    level = parse_level(text)
    start = {level.boxes: level.player}
    for state in filter(None, all_moves(level).values()):
        back = before_moves(as_layer({state}), level.floor, level.cols)
        assert back[level.boxes] & level.player
    for boxes, players in before_moves(start, level.floor, level.cols).items():
        for player in cells(players):
            again = all_moves(level._replace(boxes=boxes, player=player)).values()
            assert (level.boxes, level.player) in again
