"""Names that are imported when they are first used."""

import sys

import pytest


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with one late name."""
    (tmp_path / "lately").mkdir()
    (tmp_path / "lately" / "__init__.py").write_text(
        "from agentgym_critic.late import late_exports\n"
        "__all__ = ['early', 'answer']\n"
        "early = 1\n"
        "__getattr__, __dir__ = late_exports(__name__, {'home': ['answer']})\n"
    )
    (tmp_path / "lately" / "home.py").write_text("answer = 42\n")
    monkeypatch.syspath_prepend(tmp_path)
    import lately

    yield lately
    for name in ("lately", "lately.home"):
        sys.modules.pop(name, None)


def test_a_name_is_imported_when_it_is_used(package):
    assert "lately.home" not in sys.modules
    assert package.answer == 42
    assert "lately.home" in sys.modules


def test_what_a_package_lists(package):
    assert dir(package) == ["answer", "early"]


def test_an_unknown_name_is_refused(package):
    with pytest.raises(AttributeError, match="module 'lately' has no attribute 'anwser'"):
        package.anwser  # noqa: B018
