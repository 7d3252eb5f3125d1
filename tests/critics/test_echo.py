import pytest

from agentgym_critic.critics.echo import refuse_echo
from agentgym_critic.critics.reply import UnreadableReplyError
from agentgym_critic.lm import user
from agentgym_critic.prompts import quote

ANSWER = '{"steps": [{"step": 1,\n "label": "productive"}]}'
PROMPT = [user(f"Judge.\n{quote('a mirror')}\n{quote(ANSWER)}\nAnswer.")]


@pytest.mark.parametrize(
    "reply",
    [
        ANSWER,
        f"Sure: {ANSWER}.",
        ANSWER.replace("\n", ""),
        quote(ANSWER),
        PROMPT[0].content,
        PROMPT[0].content[:40],
        '| a mirror\n{"steps": []}',
    ],
)
def test_a_repetition_is_refused(reply):
    with pytest.raises(UnreadableReplyError, match="repeats what it was shown") as caught:
        refuse_echo(reply, PROMPT)
    assert caught.value.failure == "unparsable"


@pytest.mark.parametrize("reply", ["", "no", "{", ANSWER.replace('"pro', '"unpro'), '{"steps": []}', "|", "| "])
def test_an_answer_of_its_own_is_not(reply):
    refuse_echo(reply, PROMPT)
