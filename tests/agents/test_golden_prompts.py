"""The prompts are the recorded ones: `python tests/golden/record_prompts.py --model` records them anew."""

import pytest
from golden.record_prompts import FOLDER, recordings

HOW = "a prompt changed; if that is meant, record it anew: python tests/golden/record_prompts.py --model"


def test_the_messages_are_the_recorded_ones():
    for name, content in recordings().items():
        assert content == (FOLDER / name).read_text(encoding="utf-8"), HOW


@pytest.mark.model
def test_the_prompts_of_the_real_model_are_the_recorded_ones(smollm2):
    files = recordings(smollm2)
    assert len(files) == 4
    for name, content in files.items():
        assert content == (FOLDER / name).read_text(encoding="utf-8"), HOW
