"""Story files are checked before the interpreter sees them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentgym_critic.envs.jericho.story import read_story
from agentgym_critic.errors import ConfigError, MissingDataError


def spoilt(made, tmp_path: Path, change) -> Path:
    data = bytearray(made.unknown.read_bytes())
    path = tmp_path / "spoilt.z8"
    path.write_bytes(bytes(change(data) or data))
    return path


def put(place: int, value: int):
    def change(data: bytearray) -> None:
        data[place : place + 2] = value.to_bytes(2, "big")

    return change


def first_byte(value: int):
    def change(data: bytearray) -> None:
        data[0] = value

    return change


def test_a_whole_story_is_read(made) -> None:
    story = read_story(made.unknown)
    assert (story.version, story.word_chars, story.path.name) == (8, 9, "supper.z8")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data[:0] or b"short", "it has 5 bytes, and a Z-machine story at least 64"),
        (first_byte(0), "its first byte, the version of the Z-machine, is 0; versions 3, 4, 5, 8 can be played"),
        (
            first_byte(ord("G")),
            "its first byte, the version of the Z-machine, is 71; versions 3, 4, 5, 8 can be played",
        ),
        (lambda data: data[:1000], "it has 1000 bytes of the [0-9]+ that its header promises; get the whole file"),
        (put(0x08, 3), "its header puts the dictionary at 3, outside the file; get it anew"),
        (put(0x0E, 0), "its header puts static memory at 0, outside the file; get it anew"),
        (put(0x1C, 1), "its checksum is [0-9]+, and its header says 1: it is damaged; get it anew"),
        (put(0x4000, 0xBEEF), "its checksum is [0-9]+, and its header says [0-9]+: it is damaged; get it anew"),
    ],
)
def test_a_damaged_story_is_refused(made, tmp_path: Path, change, message: str) -> None:
    path = spoilt(made, tmp_path, change)
    with pytest.raises(ConfigError, match=f"spoilt.z8 cannot be played: {message}"):
        read_story(path)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_changed_byte_behind_the_header_is_noticed(made, tmp_path: Path, data) -> None:
    length = read_story(made.unknown).path.stat().st_size
    place = data.draw(st.integers(64, int.from_bytes(made.unknown.read_bytes()[0x1A:0x1C], "big") * 8 - 1))
    assert place < length

    def change(story: bytearray) -> None:
        story[place] ^= data.draw(st.integers(1, 255))

    with pytest.raises(ConfigError, match="it is damaged"):
        read_story(spoilt(made, tmp_path, change))


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"there is no story file .*nowhere\.z5; name one that you have"):
        read_story(tmp_path / "nowhere.z5")
    with pytest.raises(ConfigError, match=r"the story file .* cannot be read: "):
        read_story(tmp_path)
    text = tmp_path / "text.z5"
    text.write_text("It is a truth universally acknowledged, " * 9)
    with pytest.raises(ConfigError, match="the version of the Z-machine, is 73; versions 3, 4, 5, 8 can be played"):
        read_story(text)
