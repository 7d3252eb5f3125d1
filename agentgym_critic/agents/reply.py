"""The form of a language model's reply: described, written and read from the same labels.

`ReplyForm` says what a reply looks like (for the prompt), writes one (for the history of the
prompt) and reads one, tolerantly. What counts as naming an action is decided in
`agentgym_critic.agents.matching`. Only the reply is read, never the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from agentgym_critic.agents.matching import LONGEST_ACTION, match, nearest, peeled, shortened
from agentgym_critic.prompts import one_line

__all__ = ["Reply", "ReplyForm"]

_THOUGHT, _ACTION = "Thought", "Action"
_PLACEHOLDER = "<the action>"

# A label may stand behind bullets, a list number, headings or bold marks. Everything is bounded, and
# nothing but line ends crosses lines: a reply of 100 kB of anything is read in linear time.
_LABEL = r"^[ \t>#*_`~\-\d.)]{{0,20}}{name}(?: ?\d{{1,3}})?[*_` \t]{{0,9}}[:=][*_`]{{0,9}}"
_TAG = r"<action>"
_NAMED = re.compile(
    rf"{_LABEL.format(name=_ACTION)}(?P<inner>\s{{0,9}}{_TAG})?|(?P<outer>{_TAG})", re.IGNORECASE | re.MULTILINE
)
_TAG_END = re.compile(r"</action>", re.IGNORECASE)
_THOUGHT_LABEL = re.compile(_LABEL.format(name=_THOUGHT), re.IGNORECASE | re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)\w*[ \t]*$", re.MULTILINE)
_THINK_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_THINK = re.compile(r"</?think(?:ing)?>", re.IGNORECASE)


class Reply(NamedTuple):
    """A reply, read."""

    action: str
    """The action, spelled as the environment lists it; empty if there is a problem."""
    thought: str = ""
    problem: str = ""
    """Why no action could be read, explained to the model; empty if one could."""


class ReplyForm(NamedTuple):
    """What a reply looks like.

    Args:
        thought: whether a thought comes before the action.
    """

    thought: bool = True

    @property
    def instructions(self) -> str:
        """The form, as the prompt shows it."""
        return self.write(_PLACEHOLDER, "<one or two sentences>")

    def write(self, action: str, thought: str = "") -> str:
        """A reply of this form; it reads back as the same action."""
        lines = [f"{_THOUGHT}: {thought}"] if self.thought and thought else []
        return "\n".join([*lines, f"{_ACTION}: {action}"])

    def read(self, reply: str, admissible: Sequence[str] | None) -> Reply:
        """Find the action in a reply, whatever the reply is; never raises.

        The action is what follows the label or stands in ``<action>`` tags. Where several are
        named the first counts: models that go on to imagine the game's answer imagine further
        actions too. Without any label, a reply of one line is the action, and one of several
        lines is the only line that is a possible action.

        Args:
            reply: what the model said.
            admissible: the possible actions, or None if they cannot be listed.
        """
        for whole in (reply, " ".join(reply.split())):
            if admissible and whole in admissible:
                return Reply(whole)
        thinking, spoken = _split_thinking(reply)
        thought, text = _named(spoken)
        if text:
            return self._matched(text, thinking or thought, admissible)
        return self._unlabelled([] if _NAMED.search(spoken) else _lines(spoken), thinking, admissible)

    def _unlabelled(self, lines: list[str], thought: str, admissible: Sequence[str] | None) -> Reply:
        alone = len(lines) == 1
        if alone and admissible is None:
            return self._matched(lines[0], thought, None)
        possible = {action for line in lines if (action := match(line, admissible or (), whole=not alone))}
        if len(possible) > 1:
            return Reply("", thought, f"The reply names {len(possible)} actions. Name one:\n{self.instructions}")
        return Reply(possible.pop(), thought) if possible else self._nothing(thought)

    def _matched(self, text: str, thought: str, admissible: Sequence[str] | None) -> Reply:
        if not (bare := peeled(text[: LONGEST_ACTION + 1])):
            return self._nothing(thought)
        if admissible is None:
            return Reply(bare[:LONGEST_ACTION], thought)
        if action := match(text, admissible):
            return Reply(action, thought)
        near = nearest(text, admissible)
        hint = f" Did you mean {' or '.join(repr(one_line(action)) for action in near)}?" if near else ""
        return Reply("", thought, f"{shortened(one_line(text))!r} is not one of the possible actions.{hint}")

    def _nothing(self, thought: str) -> Reply:
        problem = f"The reply has no line that begins with {_ACTION + ':'!r} and names an action."
        return Reply("", thought, f"{problem} Reply in this form:\n{self.instructions}")


def _split_thinking(reply: str) -> tuple[str, str]:
    """What stands in a reasoning model's think block, and what comes after it."""
    ends = list(_THINK_END.finditer(reply))
    if ends:
        return _THINK.sub("", reply[: ends[-1].start()]).strip(), reply[ends[-1].end() :]
    start = _THINK.search(reply)
    return (reply[start.end() :].strip(), reply[: start.start()]) if start else ("", reply)


def _named(spoken: str) -> tuple[str, str]:
    """The first action that a label or tag points at, and the thought before it; empty if there is none."""
    begin = 0
    for found in _NAMED.finditer(spoken):
        rest = spoken[found.end() : found.end() + 4_000]
        tagged = found["inner"] or found["outer"]
        text = " ".join(_TAG_END.split(rest, maxsplit=1)[0].split()) if tagged else next(iter(_lines(rest)), "")
        if text not in ("", _PLACEHOLDER):
            return _thought(spoken[begin : found.start()]), text
        begin = found.end()
    return "", ""


def _lines(text: str) -> list[str]:
    return [line.strip() for line in _FENCE.sub("", text).splitlines() if line.strip()]


def _thought(before: str) -> str:
    label = _THOUGHT_LABEL.search(before)
    return _FENCE.sub("", before[label.end() :] if label else before).strip()
