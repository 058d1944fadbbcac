"""What agents tell by their discards, and whether they listen.

    python -m experiments.signals discards basic champion --deals 100
    python -m experiments.signals listening basic champion --deals 400
    python -m experiments.signals truth random greedy basic --deals 2000

``discards``: how many bits a discard tells the partner and the opponents about the hand that it
comes from. ``listening``: how far an agent's play changes if two buried discards had been thrown by
each other's seats. ``truth``: the estimate of the first beside the exact numbers, in a game small
enough. An agent is what ``experiments.match`` takes; it plays with itself in all seats. The unit of
the intervals is the deal.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from agents import registry
from canasta_env.rules import Rules
from experiments import result
from experiments.command import carry_out, check_level, positive
from experiments.exact.deals import PLAYERS
from experiments.exact.policies import strategy_of
from experiments.exact.tree import grow
from experiments.signals import discards, listening, tables
from experiments.signals.discards import DiscardProbe
from experiments.signals.laws import ANSWERS
from experiments.signals.listening import ListeningProbe
from experiments.signals.tables import Found
from experiments.signals.truth import throws, truth

__all__ = ["main", "parser"]

_ASKS: Final = 64
"""Times that an agent with random ties is asked in each information state for the truth."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m experiments.signals", description=__doc__)
    parse.formatter_class = argparse.RawDescriptionHelpFormatter
    parts = parse.add_subparsers(dest="part", required=True)
    told = parts.add_parser("discards", help="what discards tell of the hand")
    _common(told, "classic", 4, 5)
    _drawing(told)
    heard = parts.add_parser("listening", help="whether it matters who threw which discard")
    _common(heard, "classic", 4, 5)
    heard.add_argument(
        "--no-recall", action="store_true", help="views that forget who threw what: all must be 0"
    )
    exact = parts.add_parser("truth", help="the estimate beside the exact numbers")
    _common(exact, "tiny", PLAYERS, 1)
    _drawing(exact)
    return parse


def _common(parse: argparse.ArgumentParser, rules: str, players: int, every: int) -> None:
    """The arguments that all parts have."""
    parse.add_argument("agents", nargs="+", metavar="AGENT", help="a bot, or a checkpoint's path")
    parse.add_argument("--rules", default=rules, help=f"a preset, or a text (default: {rules})")
    if players != PLAYERS:
        parse.add_argument("--players", type=int, default=players)
    parse.add_argument("--deals", type=positive, default=100, help="that each agent plays")
    parse.add_argument(
        "--every", type=positive, default=every,
        help=f"look at one in so many discards or choices, by lot (default: {every})",
    )  # fmt: skip
    parse.add_argument("--seed", type=int, default=0, help="of deals, lots, worlds and agents")
    parse.add_argument("--level", type=float, default=0.95, help="of the intervals")
    parse.add_argument("--json", type=Path, metavar="FILE", help="write the results here")
    parse.add_argument("--force", action="store_true", help="overwrite FILE")


def _drawing(parse: argparse.ArgumentParser) -> None:
    """The arguments of the parts that draw worlds."""
    parse.add_argument("--worlds", type=positive, default=64, help="kept for each observer")
    parse.add_argument("--most", type=positive, default=2048, help="drawn for each at the most")
    parse.add_argument(
        "--answers", type=positive, default=ANSWERS,
        help=f"of an agent with random ties in each world (default: {ANSWERS})",
    )  # fmt: skip


Measured = tuple[list[Table], Found, dict[str, Any]]
"""What is shown, what was found, and what else stands in the file."""


def _discards(options: argparse.Namespace) -> Measured:
    """Measures what discards tell."""
    probe = _discard_probe(options, options.players)
    found = {name: discards.of_name(name, probe) for name in options.agents}
    title = f"{probe.rules}, {probe.players} players, {probe.deals} deals"
    shown = [tables.discards(title, name, one, options.level) for name, one in found.items()]
    return shown, found, {}


def _discard_probe(options: argparse.Namespace, players: int, **more: Any) -> DiscardProbe:
    names = ("deals", "every", "worlds", "most", "answers", "seed")
    given = {name: getattr(options, name) for name in names}
    return DiscardProbe(Rules.parse(options.rules), players, **given, **more)


def _listening(options: argparse.Namespace) -> Measured:
    """Measures who listens."""
    probe = ListeningProbe(
        Rules.parse(options.rules), options.players, options.deals, options.every, options.seed,
        not options.no_recall,
    )  # fmt: skip
    found = {name: listening.of_name(name, probe) for name in options.agents}
    without = "" if probe.recall else ", without recall"
    title = f"{probe.rules}, {probe.players} players, {probe.deals} deals{without}: who listens"
    return [tables.listening(title, found, options.level)], found, {}


def _truth(options: argparse.Namespace) -> Measured:
    """Computes the truth and estimates it."""
    probe = _discard_probe(options, PLAYERS, scores="zero")
    agents = {
        name: registry.make(name, str(probe.rules), PLAYERS, options.seed)
        for name in options.agents
    }
    tree = grow(probe.rules)
    thrown = throws(tree)
    exact = {
        name: truth(tree, thrown, strategy_of(tree, agent, _ASKS)) for name, agent in agents.items()
    }
    found = {name: discards.of_name(name, probe) for name in agents}
    title = f"{probe.rules}, {probe.deals} deals: bits a discard"
    numbers = {name: asdict(one) for name, one in exact.items()}
    return [tables.truths(title, exact, found, options.level)], found, {"exact": numbers}


_PARTS: Final[dict[str, Callable[[argparse.Namespace], Measured]]] = {
    "discards": _discards,
    "listening": _listening,
    "truth": _truth,
}


def run(options: argparse.Namespace, console: Console) -> None:
    """Measures, shows and writes; raises ValueError or OSError with one clear line."""
    check_level(options.level)
    if options.seed < 0:
        raise ValueError(f"--seed {options.seed} is not possible; a whole number from 0 on")
    if options.json and options.json.exists() and not options.force:
        raise FileExistsError(f"{options.json} exists; --force overwrites it")
    shown, found, more = _PARTS[options.part](options)
    console.print(*shown, sep="\n")
    if options.json:
        document = _document(options, found) | more
        result.write(options.json, document, force=options.force)
        console.print(f"wrote {options.json}")


def _document(options: argparse.Namespace, found: Found) -> dict[str, Any]:
    """The result file."""
    others = ("part", "agents", "rules", "players", "level", "json", "force")
    settings = {name: value for name, value in vars(options).items() if name not in others}
    rules, players = Rules.parse(options.rules), getattr(options, "players", PLAYERS)
    return tables.document(options.part, rules, players, settings, found, options.level)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    options = parser().parse_args(arguments)
    work = partial(run, options, Console())
    return carry_out("experiments.signals", work, "interrupted; nothing was written")


if __name__ == "__main__":
    sys.exit(main())
