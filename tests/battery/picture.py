"""The picture: where each card lay, how the runs fell, and how surprising each verdict is, on one page."""

from math import log10
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tests.battery.examination import LEVEL, Examination, Report, deck_count

matplotlib.use("Agg")

MAX_DEVIATIONS = 5.0
SURPRISE_MAX = 12.0


def draw(examined: list[tuple[Examination, Report]], path: Path) -> None:
    """Write a PNG that shows examinations side by side."""
    figure = Figure(figsize=(3.6 * len(examined), 9), layout="constrained")
    axes = figure.subplots(3, len(examined), squeeze=False)
    for column, (examination, report) in enumerate(examined):
        title = f"{report.shuffle}\n{deck_count(report.decks)}, {report.shuffles:,} shuffles: {'passed' if report.passed else 'rejected'}"
        axes[0, column].set_title(title, fontsize="medium")
        _positions(axes[0, column], examination)
        _runs(axes[1, column], examination)
        _verdicts(axes[2, column], report)
        if column:
            axes[0, column].set_ylabel("")
            axes[2, column].set_yticklabels([])
    figure.savefig(path, dpi=110)


def _positions(axes: Axes, examination: Examination) -> None:
    shown = axes.imshow(
        examination.positions.deviations.T, aspect="auto", cmap="RdBu", vmin=-MAX_DEVIATIONS, vmax=MAX_DEVIATIONS, interpolation="nearest"
    )
    axes.set_xlabel("place in the shoe")
    axes.set_ylabel("card, in new-deck order")
    colours = axes.figure.colorbar(shown, ax=axes, location="bottom")
    colours.set_label("from what is expected, standard deviations", fontsize="small")


def _runs(axes: Axes, examination: Examination) -> None:
    runs = examination.runs
    seen = np.flatnonzero(runs.counts)
    axes.bar(seen, runs.counts[seen], color="0.75", label="counted")
    axes.plot(seen, runs.expected[seen], color="tab:red", linewidth=1, label="expected")
    axes.set_xlabel("runs of one colour in a shoe")
    axes.set_ylim(0, 1.35 * float(runs.expected.max()))
    axes.legend(loc="upper center", ncols=2, fontsize="small", frameon=False)


def _verdicts(axes: Axes, report: Report) -> None:
    limit = -log10(LEVEL / len(report.verdicts))
    surprise = [min(-log10(verdict.p), SURPRISE_MAX) if verdict.p else SURPRISE_MAX for verdict in report.verdicts]
    colours = ["tab:red" if each > limit else "tab:green" for each in surprise]
    axes.barh([verdict.measure for verdict in report.verdicts], surprise, color=colours)
    axes.invert_yaxis()
    axes.axvline(limit, color="black", linestyle="--", linewidth=1)
    axes.set_xlim(0, SURPRISE_MAX)
    axes.set_xlabel("surprise (one in ten to the power of),\nrejected beyond the line", fontsize="small")
