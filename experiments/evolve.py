"""Searches weights for the rule bots: ``python -m experiments.evolve --json runs/expert.json``.

An evolution strategy (CMA-ES of the library pycma, with a diagonal covariance) starts from a style
and plays all candidates of a generation on the same decks, as duplicate units against the same
opponents; each generation has other decks. What counts as found is the mean of the search's
distribution, which luck harms less than the best candidate of a generation. In the end the start
and the means along the way are compared on decks of their own, and the best of them is measured on
others.

The file is written after every generation. Ctrl-C ends the search, not the comparison; a second one
ends that too, and the last mean stays in the file. ``--start runs/expert.json`` goes on from there.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from rich.console import Console

from agents.checkpoint import versions
from canasta_env.bots import styles
from canasta_env.bots.weights import BASIC, WEIGHTS
from canasta_env.rules import Rules
from experiments import result
from experiments.command import carry_out, positive
from experiments.evolve_trial import Changes, Field, leads
from experiments.stats import Summary, summarise

__all__ = ["FORMAT", "Search", "main", "start_from", "steps_for"]

FORMAT: Final = "canasta weights 1"
STEPS: Final = {"cards": 1.5, "points": 20.0, "some": 8.0, "few": 3.0, "permille": 150.0}
"""What a usual change of a weight is, by its unit. Flags are not searched, nor are limits that
stand at never in the start."""
_LIMIT: Final = 1.5
_CHOICE: Final = 1 << 30
"""The first unit of the comparison in the end; no search gets so far."""
_MEASURE: Final = 1 << 31
"""The first unit of the measurement."""
_COMPARED: Final = 8
"""So many means along the way are compared in the end."""


def start_from(text: str) -> Changes:
    """The weights that a search begins with: a style's by name, or those of a search's file.

    Raises:
        ValueError: there is no such style, and no such file of a search.
    """
    path = Path(text)
    if not path.is_file():
        return styles.changes_of(text)
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        assert document["format"] == FORMAT
        return {str(name): int(value) for name, value in document["weights"].items()}
    except (AssertionError, KeyError, TypeError, ValueError):
        raise ValueError(f"{path} is no file of a search for weights") from None


def steps_for(start: Changes, without: Sequence[str] = ()) -> dict[str, float]:
    """The weights that a search may change, with their usual changes.

    Raises:
        ValueError: ``without`` names something else than weights.
    """
    unknown = sorted(set(without) - BASIC.keys())
    if unknown:
        raise ValueError(f"--without {' '.join(unknown)}: there is no such weight")
    steps = {weight.name: STEPS[weight.unit] for weight in WEIGHTS if weight.unit in STEPS}
    steps |= {
        weight.name: _LIMIT
        for weight in WEIGHTS
        if weight.unit == "limit" and start.get(weight.name)
    }
    return {name: step for name, step in steps.items() if name not in without}


@dataclass
class Search:
    """A search: where it began, what it may change, and the mean of each generation so far.

    ``steps``: as :func:`steps_for` gives them. ``trend``: the mean lead of each generation's
    candidates in points a deal.
    """

    field: Field
    start: Changes
    steps: dict[str, float]
    means: list[Changes] = field(default_factory=list)
    trend: list[float] = field(default_factory=list)

    def weights(self, point: npt.NDArray[np.float64]) -> Changes:
        """The weights at a point of the search's space, whose unit is a usual change, as changes of
        ``basic``."""
        values = {**BASIC, **self.start}
        for (name, step), x in zip(self.steps.items(), point, strict=True):
            values[name] = round(values[name] + step * float(x))
        return {name: value for name, value in values.items() if value != BASIC[name]}

    def run(
        self,
        generations: int,
        population: int,
        pairs: int,
        sigma: float,
        tell: Callable[[], object],
    ) -> None:
        """Adds a mean for each generation of ``population`` candidates, each on the same ``pairs``
        units, and calls ``tell`` after it."""
        import cma  # nothing else needs it

        options = {
            "popsize": population, "seed": self.field.seed + 1, "CMA_diagonal": True,
            "verbose": -9, "verb_log": 0, "tolx": 0, "tolfun": 0, "tolfunhist": 0,
            "tolflatfitness": generations + 1,
        }  # fmt: skip
        evolution = cma.CMAEvolutionStrategy(np.zeros(len(self.steps)), sigma, options)
        for generation in range(generations):
            points = evolution.ask()
            units = np.arange(generation * pairs, (generation + 1) * pairs)
            found = leads(self.field, [self.weights(point) for point in points], units).mean(1)
            evolution.tell(points, (-found).tolist())
            self.means.append(self.weights(evolution.mean))
            self.trend.append(float(found.mean()))
            tell()

    def choose(self, pairs: int) -> tuple[Changes, list[tuple[Changes, float]]]:
        """The best of the start and of some means along the way, and all that were compared with
        their leads in points a deal, on ``pairs`` units that the search has not seen."""
        places = np.linspace(0, len(self.means) - 1, _COMPARED + 1).round().astype(int)[1:]
        compared = [self.start, *(self.means[i] for i in sorted(set(places.tolist())))]
        found = leads(self.field, compared, _CHOICE + np.arange(pairs)).mean(1)
        best = compared[int(np.argmax(found))]
        return best, list(zip(compared, found.tolist(), strict=True))

    def measure(self, chosen: Changes, pairs: int) -> Summary:
        """The chosen weights' lead in points a deal on ``pairs`` other units."""
        return summarise(leads(self.field, [chosen], _MEASURE + np.arange(pairs))[0], seed=0)


def document(search: Search, settings: dict[str, Any], weights: Changes) -> dict[str, Any]:
    """The file as it stands after a generation."""
    return {
        "format": FORMAT,
        "versions": versions(),
        "settings": settings,
        "weights": weights,
        "weights_hash": styles.digest(weights),
        "basic_hash": styles.digest({}),
        "steps": search.steps,
        "generations": len(search.means),
        "trend": search.trend,
    }


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m experiments.evolve", description=__doc__)
    parse.add_argument("--json", type=Path, required=True, metavar="FILE", help="the result")
    parse.add_argument("--force", action="store_true", help="overwrite FILE")
    parse.add_argument("--start", default="basic", help="a style, or the file of a search")
    parse.add_argument("--against", nargs="+", default=["basic"], metavar="STYLE")
    parse.add_argument("--without", nargs="+", default=[], metavar="WEIGHT", help="not searched")
    parse.add_argument("--rules", default="classic")
    parse.add_argument("--players", type=int, default=4)
    parse.add_argument("--generations", type=positive, default=300)
    parse.add_argument("--population", type=positive, default=16)
    parse.add_argument("--pairs", type=positive, default=250, help="of each candidate")
    parse.add_argument("--sigma", type=float, default=0.5, help="in usual changes of a weight")
    parse.add_argument("--seed", type=int, default=1, help="of decks, lots and search")
    parse.add_argument("--choice-pairs", type=positive, default=2000, help="of the comparison")
    parse.add_argument("--measure-pairs", type=positive, default=4000, help="of the measurement")
    return parse


def run(options: argparse.Namespace, console: Console) -> None:
    """Searches, compares, measures and writes; raises ValueError or OSError with one line."""
    if options.json.exists() and not options.force:
        raise FileExistsError(f"{options.json} exists; --force overwrites it")
    if not options.json.parent.is_dir():
        raise FileNotFoundError(f"{options.json}: there is no folder {options.json.parent}")
    if options.population < 4 or options.sigma <= 0:
        raise ValueError("--population is 4 or more, and --sigma more than 0")
    rules = Rules.parse(options.rules)
    rules.at(options.players)  # says so if there is no such number
    against = tuple(start_from(text) for text in options.against)
    played = Field(str(rules), options.players, against, options.seed)
    start = start_from(options.start)
    search = Search(played, start, steps_for(start, options.without))
    settings = {key: value for key, value in vars(options).items() if key not in ("json", "force")}

    def tell() -> None:
        result.write(options.json, document(search, settings, search.means[-1]), force=True)
        if len(search.means) % 10 == 0:
            lead = float(np.mean(search.trend[-10:]))
            console.print(f"generation {len(search.means)}: {lead:+.0f} points a deal")

    try:
        search.run(options.generations, options.population, options.pairs, options.sigma, tell)
    except KeyboardInterrupt:
        console.print("interrupted; what was found is compared (Ctrl-C again: not even that)")
    if search.means:
        _finish(search, settings, options, console)


def _finish(
    search: Search, settings: dict[str, Any], options: argparse.Namespace, console: Console
) -> None:
    chosen, compared = search.choose(options.choice_pairs)
    found = search.measure(chosen, options.measure_pairs)
    whole = document(search, settings, chosen)
    whole["compared"] = [{"hash": styles.digest(one), "lead": lead} for one, lead in compared]
    whole["measured"] = {"lead": found.mean, "low": found.interval.low, "high": found.interval.high}
    result.write(options.json, whole, force=True)
    low, high = found.interval.low, found.interval.high
    console.print(f"{found.mean:+.0f} [{low:.0f}, {high:.0f}] points a deal; wrote {options.json}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    options = parser().parse_args(arguments)
    kept = "interrupted; the last mean is in the file"
    return carry_out("experiments.evolve", partial(run, options, Console()), kept)


if __name__ == "__main__":
    sys.exit(main())
