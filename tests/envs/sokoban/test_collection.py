from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sokoban_rules import levels

from agentgym_critic.envs.sokoban import Level, format_level, parse_level, read_levels
from agentgym_critic.errors import ConfigError

COLLECTION = """\
A collection
by nobody

; 1
  ####
###  ####
#     $ #
# #  #$ #
# . .#@ #
#########
Title: Ragged
Comment:
two boxes
Comment-End:

; 2
#####
#@$.#
#####
-----
* * *

######
#+$_-#
#-*$.#
######
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "levels.txt"


def test_levels_stand_between_titles_and_comments(file: Path) -> None:
    file.write_text(COLLECTION)
    assert [format_level(level) for level in read_levels(file)] == [
        "#########\n###--####\n#-----$-#\n#-#--#$-#\n#-.-.#@-#\n#########",
        "#####\n#@$.#\n#####",
        "######\n#+$--#\n#-*$.#\n######",
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(levels().filter(lambda text: "$" in text), min_size=1, max_size=4), st.sampled_from(["\n", "\r\n"]))
def test_what_is_written_is_read(file: Path, texts: list[str], end: str) -> None:
    written = "".join(f"; {number}\n{text}\n\nTitle: {number}\n" for number, text in enumerate(texts, start=1))
    file.write_text(written, newline=end)
    assert read_levels(file) == tuple(map(parse_level, texts))


def test_a_byte_order_mark_and_no_last_line_break_do_no_harm(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf#####\n#@$.#\n#####")
    assert len(read_levels(file)) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "#####\n#@$.#\n#####\n\n#####\n#@x.#\n#####",
            r"levels.txt, level 2, line 6: column 3 is 'x'; known are space # \$ \* \+ - \. @ _",
        ),
        (
            "Title: a gap\n######\n#@$.\n######",
            r"level 1, line 3: column 4, '.', can be reached from outside; the walls have a gap",
        ),
        ("#####\n#@$.#\n##-##", r"level 1, line 2: column 3, '\$', can be reached from outside"),
        ("\n\n#####\n#-$.#\n#####", r"level 1, line 3: a level has one player \(@ or \+\), got 0"),
        (
            "#####\n#@$-#\n#####",
            r"level 1, line 1: a level has as many boxes as targets, and one at least; got 1 and 0",
        ),
        ("####\n#@*#\n####", r"level 1, line 1: all boxes are on targets, so that nothing is left to do"),
        ("#####\n#@\u0410.#\n#####", r"line 2: column 3 is '\u0410'; known"),
        ("#" * 201, r"level 1, line 1: a level has at most 200 rows and columns"),
        ("#\n" * 201, r"level 1, line 1: a level has at most 200 rows and columns"),
        ("", r"levels.txt holds no level; a row of one begins with a wall \(#\)"),
        ("Title: nothing\n", r"holds no level"),
    ],
)
def test_a_corrupt_level_is_named_with_file_level_and_line(file: Path, text: str, message: str) -> None:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        read_levels(file)


def test_what_is_no_text_file_is_refused(tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match=r"levels are read from a file; .*levels.txt does not exist"):
        read_levels(file)
    with pytest.raises(ConfigError, match=r"levels are read from a file; .* is none"):
        read_levels(tmp_path)
    with pytest.raises(ConfigError, match=r"levels are read from a file; /dev/zero is none"):
        read_levels("/dev/zero")
    file.write_bytes(b"#####\n#@\xff.#\n#####")
    with pytest.raises(ConfigError, match=r"levels.txt is no text file of levels that can be read: .*can't decode"):
        read_levels(file)
    monkeypatch.setattr("agentgym_critic.envs.sokoban.collection.LARGEST_FILE", 5)
    with pytest.raises(ConfigError, match=r"levels.txt has 17 bytes; a file of levels has at most 5"):
        read_levels(file)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=200)
@given(st.text(alphabet="#-_ .$*@+\n;x", max_size=60))
def test_any_text_is_read_or_refused(file: Path, text: str) -> None:
    file.write_text(text)
    found: tuple[Level, ...] = ()
    refused = ""
    try:
        found = read_levels(file)
    except ConfigError as error:
        refused = str(error)
    assert bool(found) != refused.startswith(str(file))
    assert all(parse_level(format_level(level)) == level for level in found)
