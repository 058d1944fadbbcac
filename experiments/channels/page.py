"""The figures of the study as Markdown, and its drawing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from experiments.channels.findings import OPPONENT, OfArm, Study
from experiments.report import effects, markdown
from experiments.report.blocks import Block, Table, Text
from experiments.stats import student_interval

__all__ = ["drawing", "section"]

Floats = npt.NDArray[np.float64]


def drawing(study: Study, found: Sequence[OfArm]) -> str:
    """An SVG file: what is gained by what is shown, and lost by its exchange."""
    rows = [effects.Row(name, values.tolist(), float(values.mean()), *_ends(values))
            for name, values in _effects(found)]  # fmt: skip
    return effects.draw(f"{study.rules}: what is shown, and what is heard", rows)


def _effects(found: Sequence[OfArm]) -> Iterator[tuple[str, Floats]]:
    """Names and values by seed."""
    first, *others = found
    for one in others:
        yield f"{one.name} less {first.name}, against {OPPONENT}", one.basic - first.basic
        yield f"{one.name} against {first.name}", one.duel
        yield f"{one.name}: exchanged less as it is", one.deaf


def section(study: Study, found: Sequence[OfArm], plot: str) -> str:
    """The Markdown between the marks; ``plot`` is the way from the page to the drawing."""
    first = found[0].name
    blocks: list[Block] = [
        Text(
            f"`{study.rules}`, {len(study.seeds)} seeds an arm, {study.deals:,} deals each; points "
            f"a deal over {study.decks:,} decks on both sides, the same for all, means over seeds "
            "with Student's 95 % intervals."
        ),
        _points(found),
        Text(
            f"*Less {first}*: against `{OPPONENT}`, seed by seed. *Against {first}*: the same "
            "seed's agent of that arm, at a table that shows what it does not see. *Exchanged*: "
            f"against `{OPPONENT}`, with what the other seats show exchanged at every choice, less "
            "as it is."
        ),
        Text(f"![points a deal by arm]({plot})"),
        Text(
            f"Listening, at one in four choices of {study.asked:,} deals with itself: the share of "
            "choices at which an exchange changes the view, and there the divergence of the "
            "policy, in nats."
        ),
        _heard(found),
        Text(f"Every seed against `{OPPONENT}`, and in brackets against the {first} one:"),
        _seeds(study, found),
    ]
    return "\n\n".join(part for block in blocks if (part := markdown.block(block)))


def _points(found: Sequence[OfArm]) -> Table:
    first = found[0]
    head = ["arm", f"against {OPPONENT}", f"less {first.name}", f"against {first.name}",
            "exchanged"]  # fmt: skip
    rows = [[first.name, _mean(first.basic), "–", "–", "–"]]
    for one in found[1:]:
        rows.append(
            [one.name, *map(_mean, (one.basic, one.basic - first.basic, one.duel, one.deaf))]
        )
    return Table(head, rows)


def _heard(found: Sequence[OfArm]) -> Table:
    rows = []
    for one in found:
        for whose, heard in one.heard.items():
            share = np.mean([each.share for each in heard])
            nats = np.array([each.nats for each in heard])
            rows.append([one.name, whose, f"{share:.0%}", _mean(nats, ".4f")])
    return Table(["arm", "whose", "choices", "nats"], rows, labels=2)


def _seeds(study: Study, found: Sequence[OfArm]) -> Table:
    rows = []
    for one in found:
        duels = [f" ({duel:+.0f})" if one.heard else "" for duel in one.duel]
        cells = (f"{own:+.0f}{duel}" for own, duel in zip(one.basic, duels, strict=True))
        rows.append([one.name, *cells])
    return Table(["arm", *(f"seed {seed}" for seed in study.seeds)], rows)


def _mean(values: Floats, form: str = "+.1f") -> str:
    low, high = _ends(values)
    return f"{values.mean():{form}} [{low:{form}}, {high:{form}}]"


def _ends(values: Floats) -> tuple[float, float]:
    found = student_interval(values)
    return found.low, found.high
