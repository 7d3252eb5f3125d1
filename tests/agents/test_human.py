"""The game at the terminal: with injected lines, and once through a real pseudo-terminal."""

import contextlib
import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import gymnasium
import pytest
from worlds import BrittleEnv, CorridorEnv

from agentgym_critic.agents.human import HumanAgent, Played, play
from agentgym_critic.envs import make_env
from agentgym_critic.envs.base import FreeText
from agentgym_critic.errors import AgentError, EnvError
from agentgym_critic.loop import run_episode
from agentgym_critic.types import Turn


class Person:
    """Types the given lines and keeps what was shown, prompts included."""

    def __init__(self, *lines):
        self.lines, self.shown = list(lines), []

    def input(self, prompt):
        self.shown.append(prompt)
        line = self.lines.pop(0) if self.lines else EOFError()
        if isinstance(line, BaseException):
            raise line
        return line

    def output(self, text):
        self.shown.append(text)

    @property
    def text(self):
        return "\n".join(self.shown)


def played(*lines, env=None, seed=1):
    """Seed 1 starts in cell 2 of 6."""
    person = Person(*lines)
    return play(env or CorridorEnv(), seed=seed, input=person.input, output=person.output), person


def test_a_game_won():
    result, person = played("right", "right", "right")
    assert result == Played("success", 3, 1.0)
    assert person.text.endswith("Success after 3 steps, reward 1.")
    assert "Task: Reach cell 5." in person.text
    assert "step 1/20, reward 0> " in person.shown


def test_actions_by_number_and_on_demand():
    result, person = played("?", "2", "2", "2")
    assert result.end == "success"
    assert "  1  left\n  2  right" in person.shown
    assert "  1  left" not in "\n".join(person.shown[: person.shown.index("step 1/20, reward 0> ")])


def test_a_number_is_no_place_in_the_list_where_actions_are_numbers():
    """In Connect Four a full column is refused, not taken for the first of the columns left."""
    opponent = {"rows": 3, "columns": 5, "connect": 3, "seat": "first", "opponent": "minimax"}
    game = make_env("agentgym_critic/ConnectFour-v0", **opponent)
    result, person = played("1", "1", "1", "quit", env=game)
    assert result.steps == 3
    assert "1 is full" in person.text


def test_undo_goes_back_several_steps_and_no_further():
    _, person = played("right", "left", "undo", "undo", "undo")
    seen = [line.strip() for line in person.shown if "cell" in line or "undo." in line][1:]
    cells = [f"You are in cell {cell}." for cell in (2, 3, 2, 3, 2)]
    assert seen == ["Task: Reach cell 5.", *cells, "Nothing to undo."][1:]
    assert person.shown[-2:] == ["", "Left the game after 0 steps, reward 0."]


def test_undo_takes_the_reward_and_an_illegal_step_back():
    class Paid(CorridorEnv):
        illegal_action_reward = -1.0

    result, person = played("jump", "undo", "quit", env=Paid())
    assert "'jump' is not possible here. Possible: left, right." in person.text
    assert "step 2/20, reward -1> " in person.shown
    assert result == Played("quit", 0, 0.0)


def test_restart_begins_the_same_episode_again():
    result, person = played("left", "restart", "right", "right", "right")
    assert result == Played("success", 3, 1.0)
    assert person.text.count("Task: Reach cell 5.") == 2


def test_the_step_limit_is_a_failure():
    result, person = played("left", env=CorridorEnv(max_steps=1))
    assert result.end == "step_limit"
    assert "Failure: out of steps after 1 steps" in person.text


def test_no_step_limit_is_no_denominator():
    _, person = played(env=CorridorEnv(max_steps=None))
    assert "step 1, reward 0> " in person.shown


@pytest.mark.parametrize("end", [EOFError(), KeyboardInterrupt(), "quit", "QUIT"])
def test_leaving(end):
    result, person = played("left", end)
    assert result == Played("quit", 1, 0.0)
    assert person.shown[-1] == "Left the game after 1 steps, reward 0."


def test_empty_lines_and_numbers_out_of_range():
    _, person = played("", "0", "3", "9" * 5_000, "²")
    assert "step 5/20, reward 0> " in person.shown
    assert "'3' is not possible here" in person.text


def test_a_failing_environment_is_named():
    with pytest.raises(EnvError, match="raised RuntimeError: the floor gave way"):
        played("right", "right", env=BrittleEnv())


class Echo(gymnasium.Env[str, str]):
    """No `TextEnv`: it can neither list its actions nor go back."""

    observation_space = action_space = FreeText()

    def reset(self, *, seed=None, options=None):
        return "say stop\udc80", {}

    def step(self, action):
        return action, 0.0, action == "stop", False, {}


def test_any_environment_of_strings_can_be_played():
    result, person = played("?", "hi", "undo", "stop", env=Echo())
    assert result == Played("failure", 2, 0.0)
    assert "This environment cannot undo." in person.text
    assert "The possible actions cannot be listed." in person.text
    assert "say stop\ufffd" in person.text


def test_the_human_agent_plays_in_the_loop():
    person = Person("?", "", "right", "1", "right", "right", "right", "right")
    trajectory = run_episode(CorridorEnv(), HumanAgent(input=person.input, output=person.output), seed=1)
    assert [step.action.text for step in trajectory.steps] == ["right", "left", "right", "right", "right"]
    assert trajectory.agent == "human"
    assert person.text.count("Task: ") == 1


def test_the_human_agent_hears_the_critic():
    person = Person("right")
    turn = Turn(task="t", observation="o", admissible_actions=("left", "right"), advice="Too far.", rejected=("left",))
    assert HumanAgent(input=person.input, output=person.output).propose(turn).text == "right"
    assert "Not taken: left. The critic says: Too far." in person.text


def test_the_human_agent_leaves_with_an_error():
    person = Person()
    with pytest.raises(AgentError, match="the input ended at step 0"):
        HumanAgent(input=person.input, output=person.output).propose(Turn(task="t", observation="o"))


ESCAPES = "\x1b[2J\x9b1mhm\r\udc80"


class Rude(Echo):
    """Says and lists what would steer a terminal."""

    def reset(self, *, seed=None, options=None):
        return ESCAPES, {"task": ESCAPES, "admissible_actions": ["stop", f"{ESCAPES}\n  3  quit"]}


def shows_plain_text(person):
    return all(char == "\n" or char.isprintable() for char in person.text) and "\ufffd[2J\ufffd1mhm" in person.text


def test_the_world_cannot_steer_the_terminal():
    _, person = played("?", "quit", env=Rude())
    assert shows_plain_text(person)
    assert len(person.shown[person.shown.index("step 1, reward 0> ") + 1].splitlines()) == 2


def test_the_world_cannot_steer_the_terminal_of_the_human_agent():
    person = Person("?", "2")
    turn = Turn(
        task=ESCAPES, observation=ESCAPES, advice=ESCAPES, rejected=(ESCAPES,), admissible_actions=("a", ESCAPES)
    )
    chosen = HumanAgent(input=person.input, output=person.output).propose(turn).text
    assert shows_plain_text(person)
    assert chosen == ESCAPES


SCRIPT = """
import sys
from agentgym_critic.agents import play
from worlds import CorridorEnv
print(play(CorridorEnv(), seed=1))
"""


def as_a_shell_would():
    """Give the process its terminal, and Ctrl-C its meaning, which background jobs do not inherit."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextlib.contextmanager
def terminal():
    """A game in a process of its own whose terminal is the one yielded."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=as_a_shell_would,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )
    os.close(theirs)
    try:
        yield ours, process
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def read_until(terminal, text, seconds=30):
    shown, deadline = "", time.monotonic() + seconds
    while text not in shown:
        ready, _, _ = select.select([terminal], [], [], max(0, deadline - time.monotonic()))
        assert ready, f"{text!r} did not appear in {shown!r}"
        shown += os.read(terminal, 4096).decode()
    return shown


def test_a_game_through_a_real_terminal():
    with terminal() as (tty, process):
        assert "Task: Reach cell 5." in read_until(tty, "step 1/20, reward 0> ")
        for line, answer in [
            ("?", "2  right"),
            ("right", "cell 3."),
            ("undo", "cell 2."),
            ("2", "cell 3."),
            ("2", "cell 4."),
        ]:
            os.write(tty, f"{line}\n".encode())
            read_until(tty, answer)
        os.write(tty, b"right\n")
        assert "Success after 3 steps, reward 1." in read_until(tty, "Played(end='success'")
        assert process.wait(10) == 0


@pytest.mark.parametrize("key", [b"\x03", b"\x04"], ids=["ctrl-c", "ctrl-d"])
def test_leaving_a_real_terminal(key):
    with terminal() as (tty, process):
        read_until(tty, "step 1/20, reward 0> ")
        time.sleep(0.2)  # Python's input() loses a Ctrl-C between showing its prompt and waiting for the line
        os.write(tty, key)
        assert "Left the game after 0 steps" in read_until(tty, "Played(end='quit'")
        assert process.wait(10) == 0


ESCAPE = "\x1b[2J\x9b1m\udc80 ok"
