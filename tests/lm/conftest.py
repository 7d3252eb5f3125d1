"""A tiny random Llama with a byte-level tokenizer, built on the spot, so that caching is tested without a download."""

from __future__ import annotations

from pathlib import Path

import pytest

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def build_tokenizer(folder: Path, template: str | None = CHATML):
    """A byte-level tokenizer with two merges, so that texts do not tokenise byte by byte everywhere."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {piece: index for index, piece in enumerate([*alphabet, "go", "goo"])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[("g", "o"), ("go", "o")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken("<|im_start|>", special=True), AddedToken("<|im_end|>", special=True)])
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|im_end|>")
    fast.chat_template = template
    fast.save_pretrained(folder)
    return fast


def build_model(folder: Path, vocabulary: int, **config) -> Path:
    """Three random layers, with weights large enough that tokens matter."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    settings = {
        "vocab_size": vocabulary,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 512,
        "initializer_range": 0.4,
        "eos_token_id": vocabulary - 1,
        "tie_word_embeddings": True,
    }
    with torch.random.fork_rng():
        torch.manual_seed(0)
        LlamaForCausalLM(LlamaConfig(**{**settings, **config})).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory) -> Path:
    """A saved tiny chat model."""
    folder = tmp_path_factory.mktemp("models") / "tiny"
    return build_model(folder, len(build_tokenizer(folder)))


@pytest.fixture
def tiny(tiny_folder):
    """The tiny model in float32, with an empty prefix cache."""
    from agentgym_critic.lm import TransformersLM

    return TransformersLM(tiny_folder, dtype="float32", device="cpu")


@pytest.fixture
def uncached(tiny_folder):
    """The same model, every sequence computed whole."""
    from agentgym_critic.lm import TransformersLM

    return TransformersLM(tiny_folder, dtype="float32", device="cpu", prefix_cache=False)
