"""Critics compared: on real episodes, and on made-up verdicts whose measures are known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from agentgym_critic import make_env, run_episode
from agentgym_critic.agents import RandomAgent
from agentgym_critic.critics import RuleCritic
from agentgym_critic.errors import ConfigError
from agentgym_critic.evaluation import Comparison, VerdictLog, compare_critics, true_labels
from agentgym_critic.evaluation.diagrams import draw_learning_curves, draw_reliability, save_figure
from agentgym_critic.evaluation.report import write_report
from agentgym_critic.types import Action, Experience, Trajectory, Turn, Verdict

HOSTILE = "<script>alert(1)</script>"


class Constant:
    """Says the same of every step."""

    version, recall_k = "1", 0

    def __init__(self, p: float) -> None:
        self.p, self.id = p, f"constant-{p}"

    def judge(
        self, turn: Turn, actions: Sequence[Action], experiences: Sequence[Sequence[Experience]]
    ) -> list[Verdict]:
        return [Verdict(p=self.p, critic=self.id, version="1") for _ in actions]


@pytest.fixture(scope="module")
def stream() -> list[Trajectory]:
    env = make_env("agentgym_critic/Sokoban-v0", max_steps=10)
    played = [run_episode(env, RandomAgent(), seed=seed, hindsight="outcome") for seed in range(6)]
    return [msgspec.structs.replace(each, id=f"t{number}") for number, each in enumerate(played)]


@pytest.fixture(scope="module")
def labels(stream: list[Trajectory]) -> dict[str, list[bool | None]]:
    env = make_env("agentgym_critic/Sokoban-v0", max_steps=10)
    return {trajectory.id: true_labels(env, trajectory) for trajectory in stream}


@pytest.fixture(scope="module")
def comparison(stream: list[Trajectory], labels: dict[str, list[bool | None]]) -> Comparison:
    critics = {HOSTILE: RuleCritic(), "half": Constant(0.5), "sure": Constant(1.0)}
    return compare_critics(stream, labels, critics, VerdictLog(), orders=3, parts=3, resamples=50)


def test_what_is_known_of_constants(comparison: Comparison, labels: dict[str, list[bool | None]]) -> None:
    truth = [label for own in labels.values() for label in own if label is not None]
    base = sum(truth) / len(truth)
    half, sure = comparison.critics[1].scores, comparison.critics[2].scores
    assert half.ece.estimate == pytest.approx(abs(0.5 - base))
    assert sure.ece.estimate == sure.brier.estimate == pytest.approx(1 - base)
    assert half.auc.estimate == sure.auc.estimate == 0.5
    assert half.productive == pytest.approx(base)


def test_orders_are_no_new_evidence(stream: list[Trajectory], labels: dict[str, list[bool | None]]) -> None:
    """What does not learn says the same in every order: its intervals stay as wide as with one."""
    one, three = (
        compare_critics(stream, labels, {"rules": RuleCritic()}, VerdictLog(), orders=orders, resamples=50)
        for orders in (1, 3)
    )
    few, many = one.critics[0].scores, three.critics[0].scores
    assert (few.episodes, many.episodes, many.steps) == (6, 6, 3 * few.steps)
    for measure in ("ece", "brier", "auc"):
        assert getattr(few, measure) == pytest.approx(getattr(many, measure))


def test_curves(comparison: Comparison) -> None:
    for critic in comparison.critics:
        assert [point.position for point in critic.curve] == [1.0, 3.0, 5.0]
    assert all(point.brier == pytest.approx(0.25) and point.brier_sd == 0 for point in comparison.critics[1].curve)


@pytest.mark.parametrize(("settings", "got"), [({"orders": 0}, "1, 6, 0 and 5"), ({"parts": 0}, "1, 6, 1 and 0")])
def test_settings(
    stream: list[Trajectory], labels: dict[str, list[bool | None]], settings: dict[str, int], got: str
) -> None:
    with pytest.raises(ConfigError, match=f"needs critics, trajectories, orders and parts; got {got}"):
        compare_critics(stream, labels, {"half": Constant(0.5)}, VerdictLog(), **settings)
    with pytest.raises(ConfigError, match="got 0, 6, 1 and 5"):
        compare_critics(stream, labels, {}, VerdictLog())
    with pytest.raises(ConfigError, match="two trajectories have the same id"):
        compare_critics([*stream, stream[0]], labels, {"half": Constant(0.5)}, VerdictLog())


def test_figures_are_the_same_bytes_again(comparison: Comparison, tmp_path: Path) -> None:
    for draw in (draw_reliability, draw_learning_curves):
        first = [path.read_bytes() for path in save_figure(draw(comparison), tmp_path / draw.__name__)]
        assert first == [path.read_bytes() for path in save_figure(draw(comparison), tmp_path / draw.__name__)]
        assert first[0].startswith(b"\x89PNG")
        assert b"<svg" in first[1]


class Page(HTMLParser):
    """The tags of a page, and the cells of its tables."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")
        assert not any(name.startswith("on") for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        if self.cells:
            self.cells[-1] += data


def test_the_report_stands_alone_and_names_are_text(comparison: Comparison, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_report(comparison, path, title=HOSTILE, facts={"versions": HOSTILE})
    text = path.read_text()
    page = Page()
    page.feed(text)
    assert "script" not in page.tags
    assert page.tags.count("svg") == 2
    assert [cell.strip() for cell in page.cells].count(HOSTILE) == 3
    assert not re.search(r'(src|href)="(?!#)', text.replace("http://www.w3.org", ""))
    assert f"{comparison.critics[1].scores.brier.estimate:.3f}" in text
    with pytest.raises(ConfigError, match=r"report\.html exists"):
        write_report(comparison, path)
    write_report(comparison, path, overwrite=True)
