from importlib import resources

import pytest

from agentgym_critic.critics.templates import template
from agentgym_critic.prompts import fields

FIELDS = {
    "judge": {"task", "steps", "memory", "action", "question"},
    "ptrue": set(),
    "verbalized": set(),
    "review": {"task", "ending", "steps", "first", "last"},
    "retry": {"problem"},
    "retrospective": {"task", "ending", "steps", "first", "last", "privileged"},
    "first_error": {"task", "ending", "steps", "first", "last"},
    "rubrics": {"task", "ending", "steps", "first", "last", "faults", "schema"},
    "relabel": {"task", "ending", "steps", "first", "last"},
    "structured": set(),
    "structured_binary": set(),
    "graded": set(),
    "groupwise": {"count"},
    "player": {"task"},
    "player_turn": {"observation", "options"},
    "player_listed": {"actions"},
    "player_unlisted": set(),
    "player_retry": {"problem"},
}


@pytest.mark.parametrize("name", FIELDS)
def test_every_packaged_prompt_has_the_documented_fields(name):
    assert fields(template(name)) == FIELDS[name]


def test_all_packaged_prompts_are_listed_here():
    folder = resources.files("agentgym_critic.critics") / "prompts"
    assert {file.name for file in folder.iterdir()} == {f"{name}.txt" for name in FIELDS}
