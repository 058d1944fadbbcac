"""What play gives away about hidden hands: ``python -m experiments.beliefs --of AGENT …``.

Each agent plays deals with itself in all seats. In one of ``--every`` steps the seat to act says
what the other hands hold, in three ways: *counting* knows which cards are unseen, *hypergeometric*
also that known cards stay where they are and the rest is one draw without replacement, *learned* is
a network that corrects that, trained on other deals of the same agent. Measured are the bits of the
true hands for each hidden card, and whether the chance of a card of a kind comes true as often as
it says. With several agents every network is tested on the play of each. Agents are what
:mod:`experiments.match` takes; intervals are over test deals.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from canasta_env.rules import Rules
from experiments.beliefs import plots
from experiments.beliefs.counting import refuse_unfit
from experiments.beliefs.model import Training
from experiments.beliefs.report import (
    add_arguments,
    interval,
    new_table,
    refuse,
    settings_of,
    write,
)
from experiments.beliefs.study import BELIEFS, CALIBRATED, Plan, Population, Study, study
from experiments.command import carry_out, positive

__all__ = ["main", "parser"]


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m experiments.beliefs", description=__doc__)
    parse.add_argument("--of", nargs="+", required=True, metavar="AGENT", help="whose play it is")
    parse.add_argument("--rules", default="classic", help="a preset, or classic(target=3000)")
    parse.add_argument("--players", type=int, default=4)
    parse.add_argument("--deals", type=positive, default=2000, help="to train on, of each agent")
    parse.add_argument("--test-deals", type=positive, default=500, help="to test on")
    parse.add_argument("--every", type=positive, default=8, help="a state in so many steps")
    parse.add_argument("--epochs", type=positive, default=Training.epochs)
    parse.add_argument("--svg", type=Path, metavar="FILE", help="draw the reliability here")
    add_arguments(parse)
    return parse


def _plan(options: argparse.Namespace) -> Plan:
    """What is asked for; raises ValueError with one clear line."""
    rules = Rules.parse(options.rules)
    rules.at(options.players)
    refuse_unfit(rules)
    if len(set(options.of)) < len(options.of):
        raise ValueError("--of: an agent is named twice")
    return Plan(
        rules, options.players, options.deals, options.test_deals, options.every,
        Training(epochs=options.epochs, seed=options.seed), options.seed, options.level,
    )  # fmt: skip


def _measures(name: str, found: Population) -> Table:
    """Bits a card of each group of hands."""
    table = new_table(
        f"play of {name}: bits a hidden card, {found.states:,} states", "hands",
        [*BELIEFS, "gain"], "gain: of learned over hypergeometric, with its interval over deals;\n"
        "calibration: the expected error of the chance of a card of a kind.",
    )  # fmt: skip
    for group, of in found.bits.items():
        means = (f"{of[belief].mean:.3f}" for belief in BELIEFS)
        table.add_row(group, *means, interval(found.gain[group]))
    errors = (f"{100 * found.calibration[belief].error:.2f} %" for belief in CALIBRATED)
    table.add_section()
    table.add_row("calibration", "", *errors, "")
    return table


def _matrix(found: Study) -> Table:
    """Every network on every play."""
    caption = "excess: over the network trained on the same play, with the interval over deals."
    heads = ["tested on", "bits a hidden card", "excess"]
    table = new_table("beliefs across agents", "trained on", heads, caption)
    for trained, row in found.matrix.items():
        for name, cell in row.items():
            excess = "" if name == trained else interval(cell.excess)
            table.add_row(trained, name, f"{cell.bits.mean:.3f}", excess)
    return table


def run(options: argparse.Namespace, console: Console) -> None:
    """Plays, trains, tests and shows; raises ValueError or OSError with one clear line."""
    refuse(options, [options.json, options.svg])
    plan = _plan(options)
    found = study(options.of, plan, console.print)
    for name, population in found.populations.items():
        console.print(_measures(name, population))
    if len(options.of) > 1:
        console.print(_matrix(found))
    if options.json:
        whole = settings_of(options, plan.rules, plan.players, options.of)
        write(options.json, whole | asdict(found))
        console.print(f"wrote {options.json}")
    if options.svg:
        options.svg.write_text(plots.draw(found.populations), encoding="utf-8")
        console.print(f"wrote {options.svg}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    options = parser().parse_args(arguments)
    work = partial(run, options, Console())
    return carry_out("experiments.beliefs", work, "interrupted; nothing was written")


if __name__ == "__main__":
    sys.exit(main())
