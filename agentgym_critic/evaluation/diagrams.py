"""Reliability diagrams and learning curves, drawn with matplotlib (extra ``plots``) as PNG and SVG.

Knows comparisons only; a drawing depends on nothing but what it shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from agentgym_critic.errors import require
from agentgym_critic.evaluation.calibration import Bin
from agentgym_critic.evaluation.comparison import Comparison, CriticReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_learning_curves", "draw_reliability", "save_figure"]

PER_ROW = 3
SIDE_INCHES = 3.2


def draw_reliability(comparison: Comparison) -> Figure:
    """A diagram for each critic: how often steps were productive, against what it said, and how often it said so.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    critics = comparison.critics
    rows = -(-len(critics) // PER_ROW)
    figure = _figure(min(len(critics), PER_ROW), rows)
    for place, critic in enumerate(critics, start=1):
        axes = figure.add_subplot(rows, min(len(critics), PER_ROW), place)
        _reliability(axes, critic)
    return figure


def draw_learning_curves(comparison: Comparison) -> Figure:
    """The Brier score and the calibration error of every critic along the stream, with the spread over orders.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    figure = _figure(2, 1)
    for place, (measure, title) in enumerate((("brier", "Brier score"), ("ece", "ECE")), start=1):
        axes = figure.add_subplot(1, 2, place)
        for critic in comparison.critics:
            _curve(axes, critic, measure)
        axes.set(title=title, xlabel="trajectories before", ylim=(0, None))
        axes.legend(fontsize="x-small")
    return figure


def save_figure(figure: Figure, stem: Path) -> list[Path]:
    """Write a figure as ``stem.png`` and ``stem.svg``; the same figure gives the same bytes."""
    import matplotlib as mpl

    paths = [stem.with_suffix(".png"), stem.with_suffix(".svg")]
    with mpl.rc_context({"svg.hashsalt": stem.name}):
        figure.savefig(paths[0], dpi=120, metadata={"Software": None})
        figure.savefig(paths[1], metadata={"Date": None, "Creator": None})
    return paths


def _figure(columns: int, rows: int) -> Figure:
    kind: type[Figure] = require("matplotlib.figure", "plots", "A diagram").Figure
    return kind(figsize=(SIDE_INCHES * columns + 0.4, SIDE_INCHES * rows + 0.4), layout="constrained")


def _reliability(axes: Axes, critic: CriticReport) -> None:
    diagram = critic.diagram
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    axes.bar(_middles(diagram), _shares(diagram), width=0.08, color="0.85", label="share of steps")
    axes.plot([each.mean_p for each in diagram], [each.frequency for each in diagram], "o-", label="productive")
    axes.set(title=critic.name, xlabel="p", xlim=(0, 1), ylim=(0, 1))
    axes.legend(fontsize="x-small", loc="upper left")


def _middles(diagram: Sequence[Bin]) -> list[float]:
    return [(each.low + each.high) / 2 for each in diagram]


def _shares(diagram: Sequence[Bin]) -> list[float]:
    total = sum(each.count for each in diagram)
    return [each.count / total for each in diagram]


def _curve(axes: Axes, critic: CriticReport, measure: str) -> None:
    places = [point.position for point in critic.curve]
    values = [float(getattr(point, measure)) for point in critic.curve]
    spread = [float(getattr(point, f"{measure}_sd")) for point in critic.curve]
    (line,) = axes.plot(places, values, "o-", label=critic.name)
    low, high = ([value + sign * sd for value, sd in zip(values, spread, strict=True)] for sign in (-1, 1))
    axes.fill_between(places, low, high, color=line.get_color(), alpha=0.15)
