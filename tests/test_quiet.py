import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from agentgym_critic.quiet import no_warnings


def test_ignores_warnings_inside_the_block_only():
    with no_warnings():
        warnings.warn("known", UserWarning, stacklevel=1)
    with pytest.warns(UserWarning, match="unknown"):
        warnings.warn("unknown", UserWarning, stacklevel=1)


def test_may_be_nested():
    with no_warnings(), no_warnings():
        warnings.warn("known", UserWarning, stacklevel=1)


def test_blocks_of_threads_do_not_overlap():
    before, inside, most = list(warnings.filters), [], []
    gate = threading.Barrier(4)

    def block(number: int) -> None:
        gate.wait()
        with no_warnings():
            inside.append(number)
            most.append(len(inside))
            gate_free.wait(0.01)
            inside.remove(number)

    gate_free = threading.Event()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(block, range(4)))
    assert most == [1, 1, 1, 1]
    assert warnings.filters == before
