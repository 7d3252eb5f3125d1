"""A comparison of critics as one HTML file that needs nothing else. Knows no critic and no store."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from agentgym_critic.errors import require
from agentgym_critic.evaluation.bootstrap import Interval
from agentgym_critic.evaluation.comparison import Comparison, CriticReport
from agentgym_critic.evaluation.diagrams import draw_learning_curves, draw_reliability
from agentgym_critic.evaluation.scores import CriticScores
from agentgym_critic.files import whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["write_report"]


class _Cell(NamedTuple):
    value: str
    bounds: str = ""
    best: bool = False


class _Row(NamedTuple):
    name: str
    cells: list[_Cell]


class _Drawing(NamedTuple):
    label: str
    svg: object
    """Markup, not text to be escaped."""


MEASURES: dict[str, tuple[Callable[[CriticScores], Interval], Callable[[list[float]], float]]] = {
    "ECE": (lambda scores: scores.ece, min),
    "ECE, equal mass": (lambda scores: scores.ece_mass, min),
    "Brier": (lambda scores: scores.brier, min),
    "AUC": (lambda scores: scores.auc, max),
    "AURC": (lambda scores: scores.aurc, min),
}
"""By the heading of its column: where a measure is, and which of several values is best."""

COUNTS: dict[str, Callable[[CriticScores], str]] = {
    "productive": lambda scores: "-" if scores.productive is None else f"{scores.productive:.1%}",
    "steps": lambda scores: f"{scores.steps:,}",
    "unscored": lambda scores: f"{scores.unscored:,}",
    "no truth": lambda scores: f"{scores.unlabelled:,}",
    "tokens a verdict": lambda scores: f"{_per_verdict(scores, scores.cost.tokens):,.0f}",
    "ms a verdict": lambda scores: f"{1000 * _per_verdict(scores, scores.cost.seconds):,.1f}",
}


def write_report(
    comparison: Comparison,
    path: Path,
    *,
    title: str = "Critics compared",
    facts: Mapping[str, str] | None = None,
    overwrite: bool = False,
) -> None:
    """Write the table, the reliability diagrams and the learning curves.

    Args:
        comparison: what was measured.
        path: of the HTML file.
        title: its heading.
        facts: what else is to be said of the comparison, such as versions, by name.
        overwrite: whether an existing file may be replaced.

    Raises:
        MissingExtraError: matplotlib or Jinja is not installed.
        ConfigError: the file exists, or its folder does not.
    """
    jinja = require("jinja2", "plots", "A report")
    text = resources.files(__package__).joinpath("templates/comparison.html").read_text("utf-8")
    page = jinja.Environment(autoescape=True, undefined=jinja.StrictUndefined).from_string(text)
    figures = {
        "How often steps were productive, against what each critic said": draw_reliability(comparison),
        "Along the stream": draw_learning_curves(comparison),
    }
    drawings = [_Drawing(label, require("markupsafe", "plots", "A report").Markup(_svg(figure)))
                for label, figure in figures.items()]  # fmt: skip
    rows = list(_rows(comparison.critics))
    shown = page.render(
        title=title, comparison=comparison, columns=[*MEASURES, *COUNTS], rows=rows, figures=drawings, facts=facts or {}
    )
    with whole_file(path, overwrite=overwrite) as draft:
        draft.write_text(shown, encoding="utf-8")


def _rows(critics: list[CriticReport]) -> Iterator[_Row]:
    best = {name: _best(name, critics) for name in MEASURES}
    for critic in critics:
        measured = [_measured(read(critic.scores), best[name]) for name, (read, _) in MEASURES.items()]
        yield _Row(critic.name, [*measured, *(_Cell(read(critic.scores)) for read in COUNTS.values())])


def _best(name: str, critics: list[CriticReport]) -> float | None:
    read, choose = MEASURES[name]
    values = [value for critic in critics if (value := read(critic.scores).estimate) is not None]
    return choose(values) if values else None


def _measured(interval: Interval, best: float | None) -> _Cell:
    if interval.estimate is None:
        return _Cell("-")
    bounds = "" if interval.low is None else f"{interval.low:.3f} to {interval.high:.3f}"
    return _Cell(f"{interval.estimate:.3f}", bounds, interval.estimate == best)


def _svg(figure: Figure) -> str:
    """The drawing as an element of a page."""
    written = io.StringIO()
    matplotlib = require("matplotlib", "plots", "A report")
    with matplotlib.rc_context({"svg.hashsalt": "report"}):
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    return written.getvalue()[written.getvalue().index("<svg") :]


def _per_verdict(scores: CriticScores, total: float) -> float:
    verdicts = scores.steps + scores.unscored
    return total / verdicts if verdicts else 0.0
