"""Prefixes are found, cropped and dropped as promised."""

import pytest

from agentgym_critic.lm.prefix_cache import Prefix, PrefixCache

torch = pytest.importorskip("torch")

TOKEN_BYTES = 2 * 2 * 3 * 4  # keys and values, heads, head_dim, float32


def prefix(*ids):
    keys = torch.arange(len(ids) * 6, dtype=torch.float32).reshape(1, 2, len(ids), 3)
    return Prefix(ids, ((keys, -keys),))


def test_an_empty_cache_knows_nothing():
    assert PrefixCache(1000).longest([1, 2]) == Prefix()


def test_the_longest_common_beginning_is_cropped_to():
    cache = PrefixCache(10**6)
    cache.add(prefix(1, 2, 3, 4))
    cache.add(prefix(1, 9, 9))
    found = cache.longest([1, 2, 3, 7])
    assert found.ids == (1, 2, 3)
    keys, values = found.layers[0]
    assert torch.equal(keys, prefix(1, 2, 3, 4).layers[0][0][..., :3, :])
    assert torch.equal(values, -keys)


def test_cropping_copies_nothing():
    whole = prefix(1, 2, 3)
    assert whole.cropped(2).layers[0][0].data_ptr() == whole.layers[0][0].data_ptr()
    assert whole.cropped(3) is whole
    assert whole.cropped(0) == Prefix()


def test_a_prefix_that_another_extends_is_dropped():
    cache = PrefixCache(10**6)
    cache.add(prefix(1, 2))
    cache.add(prefix(1, 2, 3))
    cache.add(prefix(1, 5))
    assert len(cache) == 2
    assert cache.longest([1, 2]).ids == (1, 2)


def test_the_least_recently_used_goes_first():
    cache = PrefixCache(5 * TOKEN_BYTES)
    cache.add(prefix(1, 2))
    cache.add(prefix(3, 4))
    cache.longest([1, 2, 8])  # used last now
    cache.add(prefix(5, 6))
    assert cache.longest([3, 4]).ids == ()
    assert cache.longest([1, 2]).ids == (1, 2)
    assert cache.bytes <= 5 * TOKEN_BYTES


def test_what_is_larger_than_the_memory_is_not_kept_and_evicts_nothing():
    cache = PrefixCache(3 * TOKEN_BYTES)
    cache.add(prefix(1, 2))
    cache.add(prefix(3, 4, 5, 6))
    assert len(cache) == 1
    assert cache.longest([1, 2]).ids == (1, 2)
    assert PrefixCache(0).longest([1]) == Prefix()


def test_clear_forgets():
    cache = PrefixCache(10**6)
    cache.add(prefix(1, 2))
    cache.clear()
    assert (len(cache), cache.bytes) == (0, 0)
