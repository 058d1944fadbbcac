"""Egos beside partners that they never met, always on the same decks.

    python -m experiments.partners --ego alone runs/alone-seed1 runs/alone-seed2 \\
        --ego fcp runs/pop/ego-seed1 runs/pop/ego-seed2 --partners basic closer runs/other

``--ego`` names a way of training and its agents, which differ in their seed. Each of them plays
beside each partner, one of the side's seats against the partner in all others, and against the same
opponents, in duplicate pairs. A partner that an ego met in its training, by the settings of its
checkpoint, is an error.

Shown are points a deal, and what each way gains above the first one. Intervals are of two kinds. By
seed: for an ego not trained yet, Student's over the egos of a way, Welch's for a difference; they
say what the way of training is worth. By deck: for these very egos on other decks, BCa over decks,
on which the differences are paired. The mean over partners is of these partners, taken as given.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from rich import box
from rich import table as rich
from rich.console import Console
from rich.progress import track

from canasta_env.rules import Rules
from experiments import leads, match, result
from experiments.command import carry_out, check_level, positive
from experiments.play import Setup, line_up, play
from experiments.report import markdown
from experiments.report.blocks import Table, Text
from experiments.report.pages import insert
from experiments.stats import arm_difference, mean_interval, student_interval
from train.held_out import are_one, met_by

__all__ = ["Arm", "Played", "check_unmet", "gains", "main", "parser", "play_all", "points"]

Floats = npt.NDArray[np.float64]

FORMAT: Final = "canasta partners 1"
ALL: Final = "all of them"


@dataclass(frozen=True)
class Arm:
    """A way of training, and the agents that were trained so."""

    name: str
    egos: tuple[str, ...]


@dataclass(frozen=True)
class Played:
    """What came of it: ``scores[arm, ego, partner]`` are those of the units (units, tables, sides),
    by the names of all three.
    """

    arms: tuple[Arm, ...]
    partners: tuple[str, ...]
    scores: Mapping[tuple[str, str, str], npt.NDArray[np.int64]]

    def units(self, arm: Arm, partner: str) -> Floats:
        """Points a deal above the opponents, a row for each ego: (egos, units); for :data:`ALL` the
        mean over the partners.
        """
        if partner == ALL:
            mean: Floats = np.stack([self.units(arm, one) for one in self.partners]).mean(axis=0)
            return mean
        cells = [self.scores[arm.name, ego, partner] for ego in arm.egos]
        return np.stack([leads.differences(cell).mean(axis=1) for cell in cells])


# --- play ---------------------------------------------------------------------------------------


def check_unmet(arms: Sequence[Arm], partners: Sequence[str]) -> None:
    """Raises ``ValueError`` if an ego met a partner in its training, or is one; one clear line."""
    for ego in (ego for arm in arms for ego in arm.egos):
        for partner in partners:
            found = next((name for name in (ego, *met_by(ego)) if are_one(partner, name)), None)
            if found is not None:
                how = "is that agent" if found == ego else f"met it in its training, as {found}"
                raise ValueError(f"--partners {partner}: {ego} {how}; leave one of them out")


def play_all(
    setup: Setup,
    arms: Sequence[Arm],
    partners: Sequence[str],
    opponents: str,
    console: Console | None = None,
) -> Played:
    """Plays all egos with all partners; what comes of one does not depend on the others.

    Raises:
        ValueError: a side has one seat, a name is no agent's, or an ego met a partner.
    """
    seats = setup.players // setup.sides
    if seats < 2:
        raise ValueError(f"with {setup.players} players everybody plays alone; no partners there")
    check_unmet(arms, partners)
    cells = [(arm.name, ego, one) for arm in arms for ego in arm.egos for one in partners]
    lineups = [
        line_up("+".join([ego, *[one] * (seats - 1)]), opponents, setup) for _, ego, one in cells
    ]
    shown = track(lineups, "playing", console=console, disable=console is None)
    played = [play(setup, lineup).scores for lineup in shown]
    return Played(tuple(arms), tuple(partners), dict(zip(cells, played, strict=True)))


# --- tables -------------------------------------------------------------------------------------


def points(played: Played, level: float) -> Table:
    """Points a deal of every way beside every partner, ± half of the interval by seed, and every
    ego.
    """
    rows = [
        [one, *(_points(played.units(arm, one).mean(axis=1), level) for arm in played.arms)]
        for one in (*played.partners, ALL)
    ]
    return Table(["partner", *(arm.name for arm in played.arms)], rows)


def _points(means: Floats, level: float) -> str:
    if len(means) == 1:
        return f"{means[0]:+.0f}"
    reach = student_interval(means, level=level).high - means.mean()
    return f"{means.mean():+.0f} ± {reach:.0f} ({', '.join(f'{mean:+.0f}' for mean in means)})"


def gains(played: Played, level: float) -> Table:
    """What every other way gains above the first one, with both intervals."""
    first, *others = played.arms
    head = ["partner"]
    for arm in others:
        head += [f"{arm.name} - {first.name}", f"{level:.0%} by seed", f"{level:.0%} by deck"]
    rows = []
    for one in (*played.partners, ALL):
        row = [one]
        for arm in others:
            row += _gain(played.units(arm, one), played.units(first, one), level)
        rows.append(row)
    return Table(head, rows)


def _gain(ours: Floats, theirs: Floats, level: float) -> list[str]:
    """A difference of means with its interval by seed and by deck, from (egos, units) each."""
    by_seed = arm_difference(*(_seed_means(units) for units in (ours, theirs)), level=level)
    by_deck = mean_interval(ours.mean(0) - theirs.mean(0), level=level)
    return [f"{by_seed.mean:+.0f}", _ends(by_seed.interval), _ends(by_deck)]


def _seed_means(units: Floats) -> dict[str, list[float]]:
    return {str(place): [float(row.mean())] for place, row in enumerate(units)}


def _ends(interval: Any) -> str:
    if not np.isfinite(interval.low):
        return "–"
    return f"[{interval.low:+.0f}, {interval.high:+.0f}]"


def _for_terminal(table: Table, title: str) -> rich.Table:
    shown = rich.Table(title=title, title_justify="left", box=box.SIMPLE)
    for place, head in enumerate(table.head):
        shown.add_column(head, justify="right" if place else "left", overflow="fold")
    for row in table.rows:
        if row[0] == ALL:
            shown.add_section()
        shown.add_row(*row)
    return shown


# --- results ------------------------------------------------------------------------------------


def document(setup: Setup, played: Played, opponents: str, level: float) -> dict[str, Any]:
    """The result file: the scores of all, so that every table can be computed again."""
    entries = [
        {
            "arm": arm, "ego": ego, "partner": one, "opponents": opponents,
            "differences": leads.differences(scores).mean(1), "scores": scores,
        }
        for (arm, ego, one), scores in played.scores.items()
    ]  # fmt: skip
    return match.document(setup, entries, level) | {"format": FORMAT}


def section(command: str, setup: Setup, opponents: str, tables: Sequence[Table]) -> str:
    """The Markdown between the marks of a page."""
    told = (
        f"Points a deal against `{opponents}`, {setup.units:,} duplicate pairs for each ego and "
        "partner, the same decks for all. ± is half of the 95 % interval by seed, and in brackets "
        "stands every ego."
    )
    blocks: list[Text | Table] = [Text(f"```\n{command}\n```"), Text(told), *tables]
    return "\n\n".join(markdown.block(one) for one in blocks)


# --- command ------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m experiments.partners", description=__doc__)
    parse.formatter_class = argparse.RawDescriptionHelpFormatter
    parse.add_argument(
        "--ego", action="append", nargs="+", default=[], metavar=("NAME", "AGENT"),
        help="a way of training and its agents; the first one is what others are compared with",
    )  # fmt: skip
    parse.add_argument("--partners", nargs="+", required=True, metavar="AGENT")
    parse.add_argument("--opponents", default="basic", metavar="TEAM", help="(default: basic)")
    parse.add_argument("--rules", default="classic", help="a preset, or classic(target=3000)")
    parse.add_argument("--players", type=int, default=4)
    parse.add_argument("--pairs", type=positive, default=500, help="decks; each is played twice")
    parse.add_argument("--seed", type=int, default=0, help="of the decks and the agents")
    parse.add_argument("--level", type=float, default=0.95, help="of the intervals")
    parse.add_argument("--threads", type=positive, default=1)
    parse.add_argument("--json", type=Path, metavar="FILE", help="write all scores here")
    parse.add_argument("--page", type=Path, metavar="FILE", help="write the tables into this page")
    return parse


def _arms(options: argparse.Namespace) -> list[Arm]:
    """The ways of training; raises ValueError with one clear line."""
    arms = [Arm(name, tuple(egos)) for name, *egos in options.ego]
    names = [arm.name for arm in arms]
    for arm in arms:
        if not arm.egos:
            raise ValueError(f"--ego {arm.name}: name its agents, too")
        if names.count(arm.name) > 1:
            raise ValueError(f"--ego {arm.name}: comes twice; name all its agents at once")
    if not arms:
        raise ValueError("name a way of training and its agents: --ego alone runs/a-seed1")
    return arms


def _setup(options: argparse.Namespace) -> Setup:
    """What is played; raises ValueError for what cannot be."""
    check_level(options.level)
    if len(set(options.partners)) < len(options.partners):
        raise ValueError("--partners: somebody comes twice; name each partner once")
    rules = Rules.parse(options.rules)
    setup = Setup(str(rules), rules.at(options.players), options.players, options.pairs)
    return replace(setup, seed=options.seed, threads=options.threads)


def run(options: argparse.Namespace, command: str, console: Console) -> None:
    """Plays, shows and writes; raises ValueError or OSError with one clear line."""
    arms, setup = _arms(options), _setup(options)
    played = play_all(setup, arms, options.partners, options.opponents, console)
    tables = [points(played, options.level)]
    if len(arms) > 1:
        tables.append(gains(played, options.level))
    titles = f"points a deal against {options.opponents}, {setup.units:,} pairs", "gains"
    for table, title in zip(tables, titles, strict=False):
        console.print(_for_terminal(table, title))
    if options.json:
        text = document(setup, played, options.opponents, options.level)
        result.write(options.json, text, force=True)
    if options.page:
        insert(
            options.page,
            "partners",
            section(command, setup, options.opponents, tables),
            "partners",
            "Partners",
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    command = f"python -m experiments.partners {shlex.join(given)}"
    work = partial(run, parser().parse_args(given), command, Console())
    return carry_out("experiments.partners", work, "interrupted; nothing was written")


if __name__ == "__main__":
    sys.exit(main())
