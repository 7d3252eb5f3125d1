"""`LMAgent`: from prompt to action, retries, costs, context; in the loop and with a real model."""

import msgspec
import pytest
from hypothesis import given
from strategies import hostile_text, turn
from worlds import CorridorEnv

from agentgym_critic import registry
from agentgym_critic.agents import LMAgent, ProposesAlternatives
from agentgym_critic.errors import ConfigError, LMContextError, LMError
from agentgym_critic.lm import ReplayLM
from agentgym_critic.loop import run_episode
from agentgym_critic.types import Action, Cost, Exchange, Turn, from_json, to_json

NOW = Turn(task="Leave.", observation="A hall.", admissible_actions=("go north", "look"))


def test_an_action_keeps_thought_tokens_and_cost():
    lm = ReplayLM(["Thought: Out!\nAction: Go north."])
    action = LMAgent(lm, temperature=0.5, max_tokens=50).propose(NOW)
    assert (action.text, action.thought, action.problem) == ("go north", "Out!", "")
    assert action.raw == "Thought: Out!\nAction: Go north."
    assert len(action.token_ids) == len(action.logprobs) == 5
    prompt_tokens = lm.count_tokens(lm.calls[0].messages)
    assert action.cost == Cost(calls=1, prompt_tokens=prompt_tokens, completion_tokens=5, seconds=action.cost.seconds)
    assert action.cost.seconds > 0
    call = lm.calls[0]
    assert (call.temperature, call.max_tokens, call.n) == (0.5, 50, 1)
    assert "Leave." in call.messages[0].content


def test_a_model_that_imagines_what_the_game_says_is_stopped():
    action = LMAgent(ReplayLM(["Action: look\n| A vault opens.\n\nAction: go north"])).propose(NOW)
    assert (action.text, action.raw) == ("look", "Action: look")
    lines = LMAgent(ReplayLM()).messages(NOW)[-1].content
    assert lines.startswith("| A hall.")  # what is imagined looks like what is shown


@pytest.mark.parametrize("listed", ["click[OK]", "say\n<b>hi</b>", "read <|x|>"])
def test_an_action_is_recognised_as_it_is_shown(listed):
    now = msgspec.structs.replace(NOW, admissible_actions=("look", listed))
    shown = LMAgent(ReplayLM()).messages(now)[-1].content.splitlines()[-1].removeprefix("- ")
    assert shown != listed
    assert LMAgent(ReplayLM([f"Action: {shown}"]), retries=0).propose(now).text == listed


def test_past_actions_are_one_line_without_control_tokens():
    past = (Exchange(observation="A hall.", action="say <|im_end|>\nhi"),)
    messages = LMAgent(ReplayLM()).messages(Turn(task="", observation="", history=past, index=1))
    assert messages[2].content == "Action: say < |im_end|> hi"


def test_unreadable_replies_are_explained_in_the_same_conversation():
    lm = ReplayLM(["Hm.", "Action: fly", "Action: look"])
    action = LMAgent(lm).propose(NOW)
    first, second, third = (call.messages for call in lm.calls)
    assert second[: len(first)] == first
    assert third[: len(second)] == second
    assert [message.content for message in third[len(first) :: 2]] == ["Hm.", "Action: fly"]
    assert "No action was taken. The reply has no line that begins with 'Action:'" in second[-1].content
    assert "'fly' is not one of the possible actions." in third[-1].content
    assert (action.text, action.problem, action.raw) == ("look", "", "Action: look")
    assert action.cost.calls == 3
    assert action.cost.completion_tokens == 1 + 2 + 2
    assert action.cost.prompt_tokens == sum(lm.count_tokens(call.messages) for call in lm.calls)
    assert action.token_ids == LMAgent(ReplayLM(["Action: look"])).propose(NOW).token_ids


def test_after_the_last_retry_the_raw_reply_is_proposed_with_its_problem():
    lm = ReplayLM(["Hm.", "Well...", "I do not know."])
    action = LMAgent(lm, retries=2).propose(NOW)
    assert action.text == action.raw == "I do not know."
    assert "has no line that begins with 'Action:'" in action.problem
    assert len(lm.calls) == 3


def test_no_retries():
    assert LMAgent(ReplayLM(["?"]), retries=0).propose(NOW).problem


def test_a_conversation_that_outgrows_the_window_is_not_continued():
    words = ReplayLM().count_tokens(LMAgent(ReplayLM()).messages(NOW))
    lm = ReplayLM(["Hm. " * 8, "Action: look"], context_tokens=words + 25)
    action = LMAgent(lm, max_tokens=20).propose(NOW)
    assert action.problem
    assert action.cost.calls == len(lm.calls) == 2


@pytest.mark.parametrize("reply", ["", " \n ", "x" * 100_000, "a\nb\nc", "\udc80\udcff", "\0", "Action: \ud800"])
def test_garbage_is_refused_by_the_environment_and_costs_a_step(reply):
    agent = LMAgent(ReplayLM(lambda messages: reply), retries=1)
    trajectory = run_episode(CorridorEnv(max_steps=3), agent, seed=1)
    assert trajectory.end == "step_limit"
    assert all(step.invalid_action and step.action.problem for step in trajectory.steps)
    assert all(step.state_key == step.next_state_key for step in trajectory.steps)
    assert from_json(to_json(trajectory), type(trajectory)) == trajectory
    assert len(trajectory.steps[0].action.text) <= 2_000


@given(reply=hostile_text(), turn=turn())
def test_whatever_the_model_says_there_is_an_action(reply, turn):
    action = LMAgent(ReplayLM([reply]), retries=0).propose(turn)
    if turn.admissible_actions is not None:
        assert bool(action.problem) != (action.text in turn.admissible_actions)
    assert from_json(to_json(action), Action) == action


def test_an_action_may_have_line_ends_of_its_own():
    odd = Turn(task="", observation="", admissible_actions=("0\r0", "1"))
    assert LMAgent(ReplayLM(["0\r0"]), retries=0).propose(odd).text == "0\r0"


def test_an_echo_of_the_prompt_is_no_action():
    agent = LMAgent(ReplayLM(lambda messages: "\n".join(message.content for message in messages)), retries=0)
    assert agent.propose(NOW).problem


def test_own_words_come_back_in_later_prompts():
    lm = ReplayLM(["Thought: Where am I?\nAction: LOOK", "Action: go north", "Action: look"])
    agent = LMAgent(lm)
    agent.propose(NOW)
    past = (Exchange(observation="A hall.", action="look"),)
    agent.propose(Turn(task="Leave.", observation="A hall.", admissible_actions=("go north",), history=past, index=1))
    assert lm.calls[1].messages[2].content == "Thought: Where am I?\nAction: LOOK"
    agent.reset(0)
    assert agent.messages(Turn(task="", observation="", history=past, index=1))[2].content == "Action: look"


def test_an_unreadable_action_is_short_in_later_prompts():
    past = (Exchange(observation="A hall.", action="blah " * 400),)
    messages = LMAgent(ReplayLM()).messages(Turn(task="", observation="", history=past, index=1))
    assert len(messages[2].content) == len("Action: ") + 100


def test_a_critique_goes_back_to_the_model():
    lm = ReplayLM(["Thought: Hm.\nAction: look", "Action: go north"])
    agent = LMAgent(lm)
    agent.propose(NOW)
    advised = msgspec.structs.replace(NOW, advice="You looked.", rejected=("look",))
    assert agent.propose(advised).text == "go north"
    first, second = (call.messages for call in lm.calls)
    assert second[: len(first)] == first
    assert second[-2].content == "Thought: Hm.\nAction: look"
    assert "You looked." in second[-1].content


def test_the_oldest_steps_are_dropped_and_that_is_recorded():
    history = tuple(Exchange(observation=f"room {index} " * 10, action="look") for index in range(20))
    lm = ReplayLM(["Action: look"], context_tokens=300)
    now = Turn(task="Leave.", observation="A hall.", admissible_actions=("look",), history=history, index=20)
    action = LMAgent(lm, max_tokens=20).propose(now)
    assert action.dropped_turns == 15
    prompt = lm.calls[0].prompt
    assert "Leave." in prompt
    assert "room 14" not in prompt
    assert "room 15" in prompt


def test_a_turn_that_does_not_fit_ends_the_episode_as_context():
    trajectory = run_episode(CorridorEnv(), LMAgent(ReplayLM(context_tokens=30), max_tokens=10), seed=1)
    assert (trajectory.end, trajectory.steps) == ("context", ())


def test_errors_of_the_model_pass():
    with pytest.raises(LMError, match="server on fire"):
        LMAgent(ReplayLM([LMError("server on fire")])).propose(NOW)
    with pytest.raises(LMContextError, match="too long after all"):
        LMAgent(ReplayLM([LMContextError("too long after all")])).propose(NOW)


def test_alternatives_are_different_and_the_most_frequent_is_first():
    lm = ReplayLM(["Action: go north", "nothing", "Action: look", "Action: LOOK"])
    actions = LMAgent(lm, temperature=0.0).propose_alternatives(NOW, 4)
    assert [action.text for action in actions] == ["look", "go north"]
    assert (lm.calls[0].n, lm.calls[0].temperature) == (4, 0.8)
    assert [action.cost.calls for action in actions] == [1, 0]
    assert actions[0].cost.completion_tokens == 3 + 1 + 2 + 2
    assert actions[0].raw == "Action: look"


def test_alternatives_that_are_all_unreadable_are_one_problem():
    (action,) = LMAgent(ReplayLM(["?", "!"])).propose_alternatives(NOW, 2)
    assert action.problem
    assert action.cost.calls == 1


def test_it_says_that_it_proposes_alternatives():
    assert isinstance(LMAgent(ReplayLM()), ProposesAlternatives)


def seeds(agent, lm):
    agent.reset(7)
    before = len(lm.calls)
    for index in (0, 1, 1):
        agent.propose(Turn(task="", observation="", index=index))
    agent.reset(8)
    agent.propose(Turn(task="", observation="", index=0))
    return [call.seed for call in lm.calls[before:]]


def test_seeds_depend_on_the_episode_the_step_and_the_attempt():
    lm = ReplayLM(lambda messages: "")
    agent = LMAgent(lm, retries=1)
    used = seeds(agent, lm)
    assert used[2:4] == used[4:6]
    assert len(set(used)) == 6
    assert used == seeds(agent, lm)


def test_the_id_carries_model_and_settings():
    lm = ReplayLM(id="tiny@float32")
    identity = LMAgent(lm, temperature=0.25).id
    assert identity.startswith("lm(tiny@float32, temperature=0.25, max_tokens=200, thought=True, retries=2, prompts=")
    variants = [{"thought": False}, {"retries": 0}, {"max_tokens": 9}, {"system": "{{task}} {{form}}"}]
    assert len({identity, *(LMAgent(lm, temperature=0.25, **variant).id for variant in variants)}) == 5


@pytest.mark.parametrize(
    "settings", [{"temperature": -1}, {"temperature": float("nan")}, {"max_tokens": 0}, {"retries": -1}]
)
def test_settings_out_of_range_are_refused(settings):
    with pytest.raises(ConfigError, match="temperature and retries are at least 0 and max_tokens at least 1; got"):
        LMAgent(ReplayLM(), **settings)


def test_a_system_prompt_of_ones_own():
    lm = ReplayLM(["Action: look"])
    registry.make("agent", "lm", lm=lm, system="{{form}}! {{task}}", thought=False).propose(NOW)
    assert lm.calls[0].messages[0].content == "Action: <the action>! | Leave."
    with pytest.raises(ConfigError, match="the system prompt has the places"):
        LMAgent(lm, system="Play.")


@pytest.mark.model
def test_with_a_real_model(smollm2):
    agent = LMAgent(smollm2, max_tokens=12, retries=1, temperature=0.5)
    (step,) = run_episode(CorridorEnv(max_steps=1), agent, seed=1).steps
    action = step.action
    assert len(action.logprobs) == len(action.token_ids) > 0
    assert action.cost.completion_tokens <= 12 * action.cost.calls
    assert step.invalid_action == bool(action.problem)
    (again,) = run_episode(CorridorEnv(max_steps=1), agent, seed=1).steps
    assert again.action.raw == action.raw


@pytest.mark.model
def test_the_prefix_cache_of_a_real_model_holds_from_turn_to_turn(smollm2):
    agent = LMAgent(smollm2)
    smollm2.clear_cache()
    smollm2.generate(agent.messages(NOW), max_tokens=1)
    past = (Exchange(observation=NOW.observation, action="look"),)
    later = agent.messages(msgspec.structs.replace(NOW, observation="The same hall.", history=past, index=1))
    shared = smollm2.count_tokens(later[:2])
    assert smollm2.generate(later, max_tokens=1)[0].cached_tokens >= 0.9 * shared
