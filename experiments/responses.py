"""Trains best responses and chooses among them; what the commands that use them share.

A response is trained with several seeds, and the best of them is chosen on decks of its own. The
chosen one is reported on other decks: the largest of several means would be too large by chance on
the decks that it was the largest on.
"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from rich import box
from rich.console import Console
from rich.table import Table

from agents import checkpoint as checkpoints
from agents.checkpoint import versions
from canasta_env.batch import Batch
from canasta_env.rules import Rules
from experiments import result
from experiments.command import carry_out, check_level, positive
from experiments.deals import EVALUATION
from experiments.leads import differences
from experiments.play import Setup, line_up, play
from experiments.report import blocks, markdown
from experiments.report.pages import insert
from experiments.stats import Interval, Summary, summarise
from experiments.tournament_agents import describe
from train import best_response, runs
from train import seeds as training

__all__ = [
    "CHOOSING", "Measured", "Plan", "Response", "add_options", "best", "budget", "check_file",
    "choosing_text",    "hand_out", "heading", "how_trained", "interval_text", "leads", "plan_of",
    "played", "evaluation_of", "split_command", "trained", "with_settings",
]  # fmt: skip

Floats = npt.NDArray[np.float64]

CHOOSING: Final = 500_000_000
"""Added to the seed of the reported decks for those on which a response is chosen."""


@dataclass(frozen=True)
class Plan:
    """How responses are trained: folders are ``run``-<what>-<deals>-seed<seed>; ``settings`` are
    further ones of train.best_response, as on its command line. ``sampled`` responses draw their
    actions by probability when they are evaluated, others play the likeliest.
    """

    run: str
    seeds: tuple[int, ...]
    settings: tuple[str, ...] = ()
    sampled: bool = False


@dataclass(frozen=True)
class Evaluation:
    """What is played: the decks that are reported, how many others responses are chosen on, and
    the level of the intervals.
    """

    setup: Setup
    choose_units: int
    level: float

    @property
    def choosing(self) -> Setup:
        """The decks for choosing, apart from those that are reported."""
        setup = self.setup
        return replace(setup, seed=setup.seed + CHOOSING, units=self.choose_units)

    def summary(self, units: Floats) -> Summary:
        """What is known of the mean of units."""
        return summarise(units, level=self.level, seed=self.setup.seed)


@dataclass(frozen=True)
class Response:
    """A trained response: its name as an agent, its training seed and what it was trained with.

    ``deals`` and ``decisions`` are those that were played and learnt from, ``network`` its kind and
    widths.
    """

    agent: str
    seed: int
    deals: int
    decisions: int
    network: str


@dataclass(frozen=True)
class Measured:
    """An agent's mean on the decks for choosing, NaN where there was no choice, and its units on
    the others, float64 (units,).
    """

    agent: str
    choosing: float
    units: Floats


# --- training -----------------------------------------------------------------------------------


def trained(
    plan: Plan, setup: Setup, against: str, partner: str, deals: int, console: Console
) -> list[Response]:
    """The responses of all seeds of a plan; those that are not there yet are trained.

    Args:
        plan, setup: how, and for which rules and players.
        against, partner: who is answered; no partner where the learner has its whole side.
        deals: of each training.
        console: where it is said what is trained.

    Raises:
        ValueError: settings or names that won't do, a run of other settings or against agents that
            have changed since, or a training that failed; one clear line.
        KeyboardInterrupt: a training was interrupted; it goes on where it stopped.
    """
    what = f"{partner}-with-{against}" if partner else against
    folder = f"{plan.run}-{re.sub('[^A-Za-z0-9.]+', '-', what).strip('-')}-{deals}"
    settings = [
        "--against", against, *(["--partner", partner] if partner else []),
        "--rules", setup.text, "--players", str(setup.players), "--deals", str(deals),
        "--eval-every", "0", *plan.settings,
    ]  # fmt: skip
    todo = training.plan("best_response", plan.seeds, folder, settings)
    for run in todo.runs:
        if run.deals >= 0:
            best_response.check_frozen(checkpoints.read(run.folder))
    for run in todo.runs:
        if not todo.is_done(run):
            console.print(f"training {run.folder}", highlight=False, soft_wrap=True)
            _train(todo.arguments(run))
    return [_response(run, plan.sampled) for run in todo.runs]


def _train(arguments: list[str]) -> None:
    """One training to its end, as its command does it."""
    try:
        best_response.main(arguments)
    except SystemExit as stopped:
        if stopped.code == runs.INTERRUPTED:
            raise KeyboardInterrupt from None
        raise ValueError(f"{stopped.code}; the same command goes on") from None


def _response(run: training.Run, sampled: bool) -> Response:
    meta = checkpoints.read(run.folder).meta
    network = " ".join(map(str, (meta["network"]["kind"], *meta["network"]["hidden"])))
    counters = meta["counters"]
    return Response(
        agent=f"{run.folder}@1" if sampled else str(run.folder),
        seed=run.seed,
        deals=int(counters["deals"]),
        decisions=int(counters["decisions"]),
        network=network,
    )


def budget(responses: Sequence[Response]) -> dict[str, Any]:
    """What the training of responses took, for a result file: deals and decisions by seed."""
    return {
        "network": responses[0].network,
        "seeds": [one.seed for one in responses],
        "deals": [one.deals for one in responses],
        "decisions": [one.decisions for one in responses],
    }


# --- choosing -----------------------------------------------------------------------------------


def leads(setup: Setup, team: str, against: str) -> Floats:
    """Points a deal of a team above the others, for each deck; the mean over the tables at which
    the deck is played. float64 (units,).
    """
    return differences(play(setup, line_up(team, against, setup)).scores).mean(1)


def best(
    agents: Sequence[str], on: Evaluation, points: Callable[[Setup, str], Floats]
) -> tuple[int, list[Measured]]:
    """Which of the agents does best on the decks for choosing, and all of them on the others.

    ``points(setup, agent)`` gives an agent's points a deal, float64 (units,).
    """
    several = len(agents) > 1
    choosing = [float(points(on.choosing, one).mean()) if several else np.nan for one in agents]
    found = [
        Measured(agent, mean, points(on.setup, agent))
        for agent, mean in zip(agents, choosing, strict=True)
    ]
    return int(np.argmax(choosing)), found


# --- command lines and tables -------------------------------------------------------------------


def add_options(parse: argparse.ArgumentParser) -> None:
    """The options that the commands share."""
    parse.add_argument("--rules", default="classic", help="a preset, or classic(target=3000)")
    parse.add_argument("--players", type=int, default=4)
    parse.add_argument("--run", default="runs/br", help="what the runs' folders begin with")
    parse.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], help="of the responses")
    parse.add_argument(
        "--sampled", action="store_true", help="responses draw their actions by probability"
    )
    parse.add_argument("--pairs", type=positive, default=2000, help="decks that are reported")
    parse.add_argument(
        "--choose-pairs", type=positive, default=1000, help="decks that responses are chosen on"
    )
    parse.add_argument("--seed", type=int, default=0, help="of the decks and the agents")
    parse.add_argument("--level", type=float, default=0.95, help="of the intervals")
    parse.add_argument("--json", type=Path, metavar="FILE", help="write the result here")
    parse.add_argument("--force", action="store_true", help="overwrite FILE")
    parse.add_argument("--page", type=Path, metavar="FILE", help="a page to put the table into")
    parse.add_argument("--name", default="table", help="of the table in the page")


def split_command(given: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """A command line up to ``--``, and the settings of the trainer after it."""
    cut = list(given).index("--") if "--" in given else len(given)
    return list(given[:cut]), tuple(given[cut + 1 :])


def with_settings(
    name: str,
    parser: argparse.ArgumentParser,
    run: Callable[[argparse.Namespace, tuple[str, ...], str, Console], None],
    arguments: Sequence[str] | None,
) -> int:
    """Carries out the command ``python -m NAME``, whose trainer's settings stand after ``--``; its
    exit status. ``run`` gets the options, those settings, and the whole command as a text."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    own, settings = split_command(given)
    command = f"python -m {name} {shlex.join(given)}"
    work = partial(run, parser.parse_args(own), settings, command, Console())
    return carry_out(name, work, "interrupted; the same command goes on with the training")


def evaluation_of(options: argparse.Namespace, scores: str) -> Evaluation:
    """What is played; raises ValueError for rules, players, a level or a seed that won't do."""
    check_level(options.level)
    if not 0 <= options.seed < CHOOSING:
        raise ValueError(f"--seed {options.seed} is not possible; from 0 to {CHOOSING - 1:,}")
    rules = Rules.parse(options.rules)
    setup = Setup(
        text=str(rules), rules=rules.at(options.players), players=options.players,
        units=options.pairs, seed=options.seed, scores=scores,
    )  # fmt: skip
    return Evaluation(setup, options.choose_pairs, options.level)


def plan_of(options: argparse.Namespace, settings: Sequence[str]) -> Plan:
    """How responses are trained."""
    return Plan(options.run, tuple(options.seeds), tuple(settings), options.sampled)


def check_file(options: argparse.Namespace) -> None:
    """Raises OSError where a result could not be written after the work."""
    if options.json and options.json.exists() and not options.force:
        raise FileExistsError(f"{options.json} exists; --force overwrites it")
    for file in (options.json, options.page):
        if file and not file.parent.is_dir():
            raise FileNotFoundError(f"{file}: there is no folder {file.parent}")


def heading(on: Evaluation, plan: Plan, agents: Sequence[str]) -> dict[str, Any]:
    """What a result file says of how it came about; the hashes of these agents among it."""
    setup = on.setup
    return {
        "versions": versions(),
        "identity": checkpoints.identity(Batch(setup.text, 1, players=setup.players)),
        "settings": {
            "rules": setup.text, "players": setup.players, "units": setup.units,
            "choose_units": on.choose_units, "scores": setup.scores, "stock": setup.stock,
            "level": on.level, "sampled": plan.sampled, "training": list(plan.settings),
        },
        "seeds": {"seed": setup.seed, "choosing": on.choosing.seed, "stream": EVALUATION},
        "hashes": {
            name: describe(name, setup.text, setup.players).hash for name in dict.fromkeys(agents)
        },
    }  # fmt: skip


def played(setup: Setup) -> str:
    """What was played, in a sentence."""
    scores = "of zero" if setup.scores == "zero" else "spread over all bands"
    return (
        f"{setup.text}, {setup.players} players, {setup.units:,} duplicate pairs from scores "
        f"{scores}, seed {setup.seed}."
    )


def how_trained(on: Evaluation, plan: Plan, networks: Collection[str]) -> str:
    """How responses were trained and chosen, in two sentences."""
    how = "drawing their actions" if plan.sampled else "playing their likeliest action"
    return (
        f"Responses: PPO, network {', '.join(sorted(networks))}, {how}. Choosing: points of every "
        f"seed on {on.choose_units:,} other pairs; the best one is reported, with its own deals "
        "and decisions, and each seed took about as many."
    )


def choosing_text(candidates: Mapping[str, float]) -> str:
    """The means of agents on the decks for choosing; a dash where there was no choice."""
    means = candidates.values()
    return ", ".join(f"{mean:+.1f}" for mean in means) if len(means) > 1 else "–"


def interval_text(value: float, interval: Interval, form: str) -> str:
    """A value with its interval in brackets."""
    low, high = (format(end, form) for end in (interval.low, interval.high))
    return f"{format(value, form)} [{low}, {high}]"


def shown(table: blocks.Table) -> Table:
    """A table for the terminal."""
    found = Table(box=box.SIMPLE)
    for place, head in enumerate(table.head):
        found.add_column(head, justify="left" if place < table.labels else "right", overflow="fold")
    for row in table.rows:
        found.add_row(*row)
    return found


def hand_out(
    options: argparse.Namespace,
    command: str,
    table: blocks.Table,
    text: str,
    document: Callable[[], dict[str, Any]],
    console: Console,
) -> None:
    """Shows a table and the text beside it, and writes the files that were asked for."""
    console.print(shown(table))
    console.print(text)
    if options.json:
        result.write(options.json, document(), force=options.force)
        console.print(f"wrote {options.json}")
    if options.page:
        parts = (f"```\n{command}\n```", markdown.block(table), text)
        insert(options.page, options.name, "\n\n".join(parts), "responses", "Best responses")
        console.print(f"wrote {options.page}")
