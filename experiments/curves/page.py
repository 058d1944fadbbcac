"""The curves as Markdown: tables by deals and by hours, every run shown, and the plots."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from experiments.curves.arms import Curve, at_deals, at_hours
from experiments.curves.plots import Panel, draw
from experiments.report import markdown
from experiments.report.blocks import Block, Table, Text
from experiments.stats import student_interval

__all__ = ["section", "write_plots"]

Floats = npt.NDArray[np.float64]

_ROWS: Final = 6
"""Rows of a table, about."""


def section(
    name: str, command: str, panels: Sequence[Panel], pairs: int, plots: Sequence[str]
) -> str:
    """The Markdown between the marks: the command, the plots (paths from the page), the tables."""
    blocks: list[Block] = [
        Text(f"```\n{command}\n```"),
        Text(
            f"Points a deal, {pairs:,} duplicate pairs for each checkpoint and opponent, the same "
            "decks for all. A cell is the mean over the runs of an arm ± half of its 95 % interval "
            "(Student's over runs), and in brackets every run. Hours are the trainer's own, "
            "without evaluations; between two checkpoints lines are straight. The plots leave out "
            "what was before the first deal."
        ),
        *(Text(f"![{name}]({plot})") for plot in plots),
    ]
    for panel in panels:
        deals = f"{panel.error:.0f} points are the standard error of one run at one checkpoint"
        blocks += [Text(f"**Against `{panel.opponent}`** ({deals})")]
        blocks += [_table("deals", panel, _deals(panel)), _table("hours", panel, _hours(panel))]
    blocks += [Text("**The runs**"), _runs(panels[0].curves)]
    return "\n\n".join(part for block in blocks if (part := markdown.block(block)))


def _deals(panel: Panel) -> list[float]:
    """Numbers of deals, of checkpoints where there are some: the beginning and the end of every
    arm, and some between.
    """
    marks = sorted({mark for curve in panel.curves for mark in curve.arm.marks if mark})
    ends = {curve.arm.marks[place] for curve in panel.curves for place in (0, -1)}
    every = max(1, round(len(marks) / _ROWS))
    return sorted({*marks[every - 1 :: every], *ends})


def _hours(panel: Panel) -> list[float]:
    """Round numbers of hours, to the end of the longest run."""
    longest = max(float(curve.arm.hours()[:, -1].min()) for curve in panel.curves)
    rough = longest / _ROWS
    unit = 10.0 ** math.floor(math.log10(rough)) if rough > 0 else 1.0
    step = next(unit * of for of in (1, 2, 5, 10) if unit * of >= rough)
    return [step * place for place in range(1, int(longest / step + 1e-9) + 1)]


def _table(unit: str, panel: Panel, marks: Sequence[float]) -> Table:
    """A row for each of the ``marks``, a column for each arm."""
    find = at_deals if unit == "deals" else at_hours
    columns = [find(curve, marks) for curve in panel.curves]
    rows = [
        [f"{mark:,.0f}" if unit == "deals" else f"{mark:.3g}", *map(_cell, cells)]
        for mark, *cells in zip(marks, *columns, strict=True)
    ]
    return Table([unit, *(curve.arm.name for curve in panel.curves)], rows)


def _cell(points: Floats | None) -> str:
    """Mean, half of the interval, and every run."""
    if points is None:
        return "–"
    mean = f"{points.mean():+.0f}"
    if len(points) == 1:
        return mean
    reach = student_interval(points).high - points.mean()
    return f"{mean} ± {reach:.0f} ({', '.join(f'{value:+.0f}' for value in points)})"


def _runs(curves: Sequence[Curve]) -> Table:
    """What stands behind the curves."""
    rows = [
        [curve.arm.name, run.path, f"{len(run.steps)}", f"{end.deals:,}", f"{end.hours:.2f}"]
        for curve in curves
        for run in curve.arm.runs
        for end in run.steps[-1:]
    ]
    return Table(["arm", "run", "checkpoints", "deals", "hours"], rows, labels=2)


def write_plots(folder: Path, name: str, panels: Sequence[Panel]) -> list[Path]:
    """Writes the curves by deals and by hours; the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for unit in ("deals", "hours"):
        file = folder / f"{name}-{unit}.svg"
        title = f"{name}: points a deal by {unit} of training"
        file.write_text(draw(title, panels, unit == "hours"), encoding="utf-8")
        files.append(file)
    return files
