from __future__ import annotations

import re

from hypothesis import given
from sokoban_rules import State, levels, read

from agentgym_critic.envs.sokoban import parse_level
from agentgym_critic.envs.sokoban.places import Places

LINE = re.compile(r"^(Walls: the border(?:, )?|Targets: |Boxes: |You: )(.*)\.$", flags=re.MULTILINE)


def told(text: str) -> dict[str, set[tuple[int, int]]]:
    """What is at which place, from (0, 0)."""
    return {
        name.split(":")[0]: {(int(row) - 1, int(col) - 1) for row, col in re.findall(r"\((\d+), (\d+)\)", listed)}
        for name, listed in LINE.findall(text)
    }


def test_a_level_is_told_in_five_lines() -> None:
    level = parse_level("######\n#@-$.#\n#-#$.#\n######")
    assert Places(level).tell(level.boxes, level.player) == (
        "Rows 1 to 4, columns 1 to 6.\nWalls: the border, (3, 3).\nTargets: (2, 5), (3, 5).\n"
        "Boxes: (2, 4), (3, 4).\nYou: (2, 2)."
    )
    plain = parse_level("#####\n#@$.#\n#####")
    assert "Walls: the border.\n" in Places(plain).tell(plain.boxes, plain.player)


@given(levels())
def test_nothing_is_left_out(text: str) -> None:
    level = parse_level(text)
    state, walls, targets = read(text)
    found = told(Places(level).tell(level.boxes, level.player))
    inside = {(row, col) for row, col in walls if 0 < row < level.rows - 1 and 0 < col < level.cols - 1}
    assert found == {"Walls": inside, "Targets": targets, "Boxes": state.boxes, "You": {state.player}}
    assert State(*found["You"], frozenset(found["Boxes"])) == state
