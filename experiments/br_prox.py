"""How close egos come to the best partner that a frozen agent can have, above a floor.

    python -m experiments.br_prox runs/x runs/y --partner basic --floor greedy --against expert \\
        --rules mini --deals 10000 -- --hidden 32 64

For a partner B, M[a, B] are points a deal of a and B as partners against fixed opponents. The
proximity of an ego is (M[ego, B] - M[floor, B]) / (M[response, B] - M[floor, B]): 0 as good a
partner for B as the floor, 1 as good as the best response that was found for B. Points can be
negative and have no natural zero, so a ratio without a floor would mean nothing. The response is
trained (train.best_response, whose settings stand after ``--``), a lower bound of the best one: an
ego that is better than it has more than 1, and that is not clipped.

All play the same decks, each with either partner in the first seat of the side. The interval is
Fieller's. Where the response is not better than the floor beyond doubt the ratio is undefined, and
said to be.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from rich.console import Console

from agents import registry
from experiments.command import positive
from experiments.play import Setup
from experiments.report.blocks import Table
from experiments.responses import (
    Evaluation,
    Plan,
    add_options,
    best,
    budget,
    check_file,
    choosing_text,
    evaluation_of,
    hand_out,
    heading,
    how_trained,
    interval_text,
    leads,
    plan_of,
    played,
    trained,
    with_settings,
)
from experiments.stats import Summary, mean_interval, student_interval, summarise
from experiments.stats.ratio import Ratio, ratio_of_means

__all__ = ["Proximity", "Question", "beside", "main", "parser", "proximity"]

Floats = npt.NDArray[np.float64]

FORMAT: Final = "canasta proximity 1"


@dataclass(frozen=True)
class Question:
    """Who the partner is, who the floor, and who the opponents are."""

    partner: str
    floor: str
    against: str


@dataclass(frozen=True)
class Proximity:
    """How close an ego comes.

    Attributes:
        gain: of the ego over the floor, points a deal.
        range: of the response over the floor, points a deal.
        ratio: gain over range; undefined unless the range is above zero beyond doubt.
    """

    gain: Summary
    range: Summary
    ratio: Ratio

    @property
    def is_defined(self) -> bool:
        """Whether there is a ratio."""
        return self.ratio.interval.method != "undefined"


def proximity(
    ego: npt.ArrayLike,
    floor: npt.ArrayLike,
    response: npt.ArrayLike,
    *,
    level: float = 0.95,
    seed: int = 0,
) -> Proximity:
    """The proximity from points a deal beside one partner, all on the same decks.

    Args:
        ego, floor, response: float (units,), unit by unit from the same decks; the response was
            chosen on others.
        level: of the intervals.
        seed: of the resampling behind the intervals of gain and range.

    Raises:
        ValueError: they are not vectors of finite numbers of one length.
    """
    points = [np.asarray(units, np.float64) for units in (ego, floor, response)]
    if len({units.shape for units in points}) > 1:
        raise ValueError(f"not the same decks: {[units.size for units in points]} units")
    gain, reach = points[0] - points[1], points[2] - points[1]
    ratio = ratio_of_means(gain, reach, level=level)
    if student_interval(reach, level=level).low <= 0:  # a response that is worse is none
        ratio = Ratio.undefined()
    return Proximity(
        summarise(gain, level=level, seed=seed), summarise(reach, level=level, seed=seed), ratio
    )


def beside(setup: Setup, ego: str, asked: Question) -> Floats:
    """Points a deal of an ego beside the partner, above the opponents: float64 (units,), the mean
    over both orders of the partners' seats.
    """
    orders = (f"{ego}+{asked.partner}", f"{asked.partner}+{ego}")
    both: Floats = np.mean([leads(setup, team, asked.against) for team in orders], axis=0)
    return both


# --- results ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """All that was measured.

    ``points``: float64 (units,) beside the partner, by agent: the floor, the response, the egos.
    ``candidates``: the mean of each response on the decks for choosing. ``budget``: what their
    training took.
    """

    asked: Question
    response: str
    candidates: dict[str, float]
    budget: dict[str, Any]
    points: dict[str, Floats]
    egos: dict[str, Proximity]


def measure(
    egos: Sequence[str],
    asked: Question,
    on: Evaluation,
    plan: Plan,
    deals: int,
    console: Console,
) -> Answer:
    """The proximities of some egos; responses that are missing are trained with so many ``deals``.

    Raises:
        ValueError, KeyboardInterrupt: as :func:`experiments.responses.trained`.
    """
    responses = trained(plan, on.setup, asked.against, asked.partner, deals, console)
    agents = [one.agent for one in responses]
    chosen, measured = best(agents, on, lambda setup, agent: beside(setup, agent, asked))
    response = measured[chosen]
    points = {name: beside(on.setup, name, asked) for name in dict.fromkeys((asked.floor, *egos))}
    floor = points[asked.floor]
    return Answer(
        asked=asked,
        response=response.agent,
        candidates={one.agent: one.choosing for one in measured},
        budget=budget(responses),
        points=points | {response.agent: response.units},
        egos={
            name: proximity(points[name], floor, response.units, level=on.level, seed=on.setup.seed)
            for name in egos
        },
    )


def document(on: Evaluation, plan: Plan, found: Answer) -> dict[str, Any]:
    """The result file: how it was played and trained, with what, and the proximities."""
    names = [*found.points, found.asked.partner, found.asked.against]
    points = {name: on.summary(units) for name, units in found.points.items()}
    return {
        "format": FORMAT,
        **heading(on, plan, names),
        "asked": asdict(found.asked),
        "response": found.response,
        "candidates": found.candidates,
        "budget": found.budget,
        "points": {name: asdict(one) for name, one in points.items()},
        "egos": {name: asdict(one) for name, one in found.egos.items()},
    }


def table(found: Answer, level: float) -> Table:
    """A row for each ego, between the floor and the response."""
    percent = f"({100 * level:g} %)"
    rows = [["floor", found.asked.floor, _points(found, found.asked.floor, level), "", "0"]]
    for name, one in found.egos.items():
        gain = interval_text(one.gain.mean, one.gain.interval, "+.1f")
        rows.append(["ego", name, _points(found, name, level), gain, _ratio(one)])
    reach = next(iter(found.egos.values())).range
    gain = interval_text(reach.mean, reach.interval, "+.1f")
    rows.append(["response", found.response, _points(found, found.response, level), gain, "1"])
    head = ["", "agent", f"points {percent}", f"above the floor {percent}", f"proximity {percent}"]
    return Table(head, rows, labels=2)


def _points(found: Answer, name: str, level: float) -> str:
    units = found.points[name]
    return interval_text(float(units.mean()), mean_interval(units, level=level), "+.1f")


def _ratio(one: Proximity) -> str:
    if not one.is_defined:
        return "undefined"
    return interval_text(one.ratio.value, one.ratio.interval, ".2f")


def note(on: Evaluation, plan: Plan, found: Answer) -> str:
    """What stands beside the table."""
    spent, asked = found.budget, found.asked
    place = list(found.candidates).index(found.response)
    text = (
        f"{played(on.setup)} Beside {asked.partner}, against {asked.against}. "
        f"{how_trained(on, plan, [spent['network']])} The response had "
        f"{spent['deals'][place]:,} deals and {spent['decisions'][place]:,} decisions; choosing: "
        f"{choosing_text(found.candidates)}."
    )
    if not all(one.is_defined for one in found.egos.values()):
        text += " Undefined: the response is not better than the floor beyond doubt."
    return text


# --- command ------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """The command line up to ``--``."""
    parse = argparse.ArgumentParser(prog="python -m experiments.br_prox", description=__doc__)
    parse.formatter_class = argparse.RawDescriptionHelpFormatter
    parse.add_argument("egos", nargs="+", metavar="EGO", help="whose proximity to find")
    parse.add_argument("--partner", required=True, metavar="AGENT", help="the frozen partner")
    parse.add_argument("--floor", default="random", metavar="AGENT", help="default: random")
    parse.add_argument("--against", default="basic", metavar="AGENT", help="both opponents")
    add_options(parse)
    parse.add_argument("--deals", type=positive, default=10_000, help="of each training")
    parse.add_argument(
        "--scores", choices=("spread", "zero"), default="spread", help="before a deal"
    )
    return parse


def run(
    options: argparse.Namespace, settings: tuple[str, ...], command: str, console: Console
) -> None:
    """Trains, plays, shows and writes; raises ValueError or OSError with one clear line."""
    on, plan = evaluation_of(options, options.scores), plan_of(options, settings)
    setup = on.setup
    if setup.players != 2 * setup.sides:
        raise ValueError(
            f"--players {setup.players}: a side of {setup.text} has "
            f"{setup.players // setup.sides} seat(s); two partners are needed"
        )
    asked = Question(options.partner, options.floor, options.against)
    for name in (*options.egos, *asdict(asked).values()):
        registry.make(name, setup.text, setup.players)  # a wrong name is told now
    check_file(options)
    found = measure(options.egos, asked, on, plan, options.deals, console)
    hand_out(
        options, command, table(found, on.level), note(on, plan, found),
        partial(document, on, plan, found), console,
    )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    return with_settings("experiments.br_prox", parser(), run, arguments)


if __name__ == "__main__":
    sys.exit(main())
