"""The figures of a study as Markdown, and its drawings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from experiments.crossplay import picture
from experiments.crossplay.estimates import Estimate
from experiments.crossplay.tensor import Tensor
from experiments.gap.config import Study
from experiments.gap.findings import Found, OfArm
from experiments.report import effects, markdown
from experiments.report.blocks import Block, Table, Text
from experiments.stats import student_interval

__all__ = ["drawings", "own_gaps", "section"]

Floats = npt.NDArray[np.float64]


def own_gaps(tensor: Tensor) -> Floats:
    """What each agent wins with itself, less the mean of what it wins with each of the others in
    both orders: (n,), in points a deal."""
    points = tensor.matrix()
    joint = (points + points.T) / 2
    others = (joint.sum(axis=1) - joint.diagonal()) / (len(joint) - 1)
    gaps: Floats = joint.diagonal() - others
    return gaps


# --- drawings -----------------------------------------------------------------------------------


def drawings(study: Study, found: Found) -> dict[str, str]:
    """SVG files by name: the gaps of all arms, and the matrices that the study asks for."""
    files = {"gaps": effects.draw(f"self-play less cross-play, {study.rules}", list(_rows(found)))}
    for one in found.arms:
        if one.arm.name in study.pictures:
            names = [f"seed {seed}" for seed in one.arm.seeds]
            title = f"{study.rules}, {one.arm.name}: points a deal"
            files[one.arm.name.replace(" ", "-")] = picture.draw(title, names, one.tensor.matrix())
    return files


def _rows(found: Found) -> Iterator[effects.Row]:
    for one in found.arms:
        gap = one.summary.gap
        seeds = own_gaps(one.tensor).tolist()
        yield effects.Row(one.arm.name, seeds, gap.mean, gap.interval.low, gap.interval.high)


# --- text ---------------------------------------------------------------------------------------


def section(study: Study, found: Found, plots: Mapping[str, str]) -> str:
    """The Markdown between the marks; ``plots`` are the ways from the page to the drawings."""
    blocks: list[Block] = [
        Text(_played(study)),
        _arms(found.arms),
        Text(
            "*Gap*: self-play less cross-play, with its interval for seeds and decks not yet seen "
            "(jackknife over seeds, Student's); *these agents*: the interval for these very agents "
            "on other decks; *seeds*: the share of the variance that more decks would not take "
            "away. *Nats*: the divergence of an agent's policy from its policy with the cards "
            "relabelled, mean over seeds with Student's interval."
        ),
        Text(f"![gaps]({plots['gaps']})"),
        Text("Differences of gaps; intervals are not corrected for their number."),
        _differences(found),
        Text(
            "Every seed: what it wins with itself, and in brackets its own gap, to the mean of all "
            "partners in both seats."
        ),
        _seeds(found.arms),
        *(Text(f"![{name}]({way})") for name, way in plots.items() if name != "gaps"),
    ]
    return "\n\n".join(part for block in blocks if (part := markdown.block(block)))


def _played(study: Study) -> str:
    against = ", ".join(f"`{name}`" for name in study.opponents)
    return (
        f"`{study.rules}`, {len(study.seeds)} seeds an arm; each two partners in both orders, "
        f"{study.pairs:,} decks on both sides, against teams of {against}; the same decks for all. "
        f"Points a deal, {study.level:.0%} intervals. An arm is a network and its weight of the "
        "entropy bonus."
    )


def _arms(arms: Sequence[OfArm]) -> Table:
    head = ["arm", "self-play", "cross-play", "gap", "these agents", "seeds", "nats"]
    rows = []
    for one in arms:
        found, nats = one.summary, student_interval(one.nats)
        gap = found.gap
        rows.append(
            [
                one.arm.name,
                _estimate(found.self_play),
                _estimate(found.cross_play),
                _estimate(gap),
                f"[{gap.decks.low:+.1f}, {gap.decks.high:+.1f}]",
                f"{gap.seeds_share:.0%}",
                f"{one.nats.mean():.4f} [{nats.low:.4f}, {nats.high:.4f}]",
            ]
        )
    return Table(head, rows)


def _differences(found: Found) -> Table:
    rows = [[one.second, one.first, _estimate(one.gap)] for one in found.differences]
    return Table(["gap of", "less that of", "points"], rows, labels=2)


def _seeds(arms: Sequence[OfArm]) -> Table:
    seeds = arms[0].arm.seeds
    rows = []
    for one in arms:
        alone, gaps = one.tensor.matrix().diagonal(), own_gaps(one.tensor)
        cells = [f"{own:+.0f} ({gap:+.0f})" for own, gap in zip(alone, gaps, strict=True)]
        rows.append([one.arm.name, *cells])
    return Table(["arm", *(f"seed {seed}" for seed in seeds)], rows)


def _estimate(found: Estimate) -> str:
    return f"{found.mean:+.1f} [{found.interval.low:+.1f}, {found.interval.high:+.1f}]"
