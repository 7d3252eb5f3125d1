"""Model families differ in masks, positions and states; scores and replies are right in all of them."""

import pytest

from agentgym_critic.lm import Message, TransformersLM, user

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

SMALL = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 512,
    "initializer_range": 0.4,
}
FAMILIES = {
    "Qwen3": (SMALL, True),
    "Mistral": ({**SMALL, "sliding_window": 400}, True),
    "Mistral-outgrown": ({**SMALL, "sliding_window": 16}, False),
    "Gemma3Text": ({**SMALL, "sliding_window": 16, "layer_types": ["sliding_attention", "full_attention"]}, False),
    "GPT2": ({"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 512, "initializer_range": 0.4}, True),
    "Bloom": ({"hidden_size": 32, "n_layer": 2, "n_head": 4, "initializer_range": 0.4}, False),
    "Mamba": ({"hidden_size": 32, "num_hidden_layers": 2, "state_size": 8, "initializer_range": 0.4}, False),
}
CLASSES = {"Gemma3Text": "Gemma3ForCausalLM", "GPT2": "GPT2LMHeadModel"}
CANDIDATES = ["go north", "go", "g", "look under the bed"]


@pytest.fixture(params=FAMILIES)
def family(request, tmp_path, tiny_folder):
    """A saved model of one family, and whether its prompts can be shared."""
    name = request.param.partition("-")[0]
    settings, shares = FAMILIES[request.param]
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny_folder)
    config = getattr(transformers, f"{name}Config")(**settings, vocab_size=len(tokenizer), eos_token_id=1)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = getattr(transformers, CLASSES.get(name, f"{name}ForCausalLM"))(config)
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    return tmp_path, shares


def bare(lm, messages, reply_ids):
    prompt = lm._chat.prompt_ids(messages)
    with torch.inference_mode():
        logits = lm._network._model(input_ids=torch.tensor([[*prompt, *reply_ids]])).logits[0]
    return (
        logits.float().log_softmax(-1)[len(prompt) - 1 : -1].gather(1, torch.tensor(reply_ids)[:, None])[:, 0].tolist()
    )


def test_scores_and_replies_are_those_of_the_bare_model(family):
    folder, shares = family
    lm = TransformersLM(folder, dtype="float32", device="cpu")
    messages = [user("You see a door.")]
    for _ in range(2):
        scores = lm.score(messages, CANDIDATES)
        for scored in scores:
            assert scored.logprobs == pytest.approx(bare(lm, messages, scored.token_ids), abs=2e-4)
        for reply in lm.generate(messages, n=2, max_tokens=6, temperature=1.0, seed=0):
            assert reply.logprobs == pytest.approx(bare(lm, messages, reply.token_ids), abs=2e-4)
        messages += [Message(role="assistant", content="go"), user("You went.")]
    assert (scores[0].cached_tokens > 0) == shares
