"""A file appears whole or not at all."""

import stat
import threading

import pytest

from agentgym_critic.errors import ConfigError, StoreFullError
from agentgym_critic.files import whole_file


def test_the_file_appears_when_the_block_ends(tmp_path):
    path = tmp_path / "x"
    with whole_file(path, overwrite=False) as draft:
        draft.write_text("new")
        assert not path.exists()
    assert (path.read_text(), list(tmp_path.iterdir())) == ("new", [path])


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_error_leaves_the_old_file_and_no_draft(tmp_path, error):
    path = tmp_path / "x"
    path.write_text("old")

    def fail():
        with whole_file(path, overwrite=True) as draft:
            draft.write_text("half")
            raise error

    with pytest.raises(error):
        fail()
    assert (path.read_text(), list(tmp_path.iterdir())) == ("old", [path])


def test_what_may_not_be_replaced_is_not(tmp_path):
    path = tmp_path / "x"
    path.write_text("old")
    with (
        pytest.raises(ConfigError, match="x exists; name another file or pass overwrite=True"),
        whole_file(path, overwrite=False),
    ):
        pytest.fail("the block ran")


def test_a_disk_error_is_said(tmp_path):
    with (
        pytest.raises(StoreFullError, match="x could not be written: no space"),
        whole_file(tmp_path / "x", overwrite=False),
    ):
        raise OSError("no space")


def test_the_mode_is_that_of_any_new_file(tmp_path):
    plain, path = tmp_path / "plain", tmp_path / "x"
    plain.touch()
    with whole_file(path, overwrite=False) as draft:
        draft.touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_threads_that_write_the_same_file_do_not_mix(tmp_path):
    path, both = tmp_path / "x", threading.Barrier(2)

    def write(letter):
        with whole_file(path, overwrite=True) as draft, draft.open("w") as file:
            for _ in range(10):
                both.wait()
                file.write(letter)
                file.flush()

    threads = [threading.Thread(target=write, args=letter) for letter in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() in ("a" * 10, "b" * 10)
    assert list(tmp_path.iterdir()) == [path]
