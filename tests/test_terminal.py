"""What reaches a terminal steers nothing."""

from hypothesis import given
from hypothesis import strategies as st

from agentgym_critic.terminal import printable


def test_lines_and_tabs_are_kept():
    assert printable("a\tb\nc\x00\x7f\x1b[2J\x9b\r\udc80") == "a\tb\nc\ufffd\ufffd\ufffd[2J\ufffd\ufffd\ufffd"


@given(st.text(st.characters()))
def test_whatever_the_text_it_can_be_written_and_moves_no_cursor(text):
    shown = printable(text)
    shown.encode()
    assert len(shown) == len(text)
    assert all(char in "\n\t" or (ord(char) > 31 and not 127 <= ord(char) < 160) for char in shown)
