"""How fast it is: ``python -m experiments.bench``. Four players, on this machine; classic where
nothing else is said.

Engine: decisions a second of ``Batch.step``, with observation and mask written at every step, in
random legal play and on the states that the rule bot ``basic`` reaches. Presets: the same in random
play. Masks: the time of one, on states of ``basic``, less the time of the same call where there is
nothing to decide. AEC: steps a second against an environment that does nothing, in the same
wrappers and in turns with it. Import: from a fresh interpreter to the first step, the kernels being
compiled already. Peers: decisions a second of our interfaces and of other frameworks' card games,
in turns on one core; `pip install -e '.[train,bench]'` brings the frameworks.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

import canasta_env
from agents import registry
from canasta_env.batch import Batch
from canasta_env.engine.state import Phase
from canasta_env.rules import Rules, preset_names
from experiments.empty_aec import empty_env, empty_raw_env
from experiments.peers import measure, report

__all__ = ["aec_speeds", "import_seconds", "main", "mask_times", "step_speeds"]

PARTS: Final = ("engine", "bots", "presets", "masks", "aec", "import", "peers")
SIZES: Final = (64, 1024, 8192)
PERCENTILES: Final = (50.0, 90.0, 99.0, 99.9, 100.0)
THREADS: Final = (1, 2)
_WARM_UP: Final = 200
"""Steps away from the deals' beginning, after which everything is in the cache."""
_TURNS: Final = 40
"""What is compared takes turns so many times, and the median counts."""
_REPEATS: Final = 7
"""A mask is timed so many times, and the fastest counts: the machine disturbs the others."""
_FIRST_STEP: Final = """
import time
start = time.perf_counter()
import canasta_env
env = canasta_env.env()
env.reset(seed=0)
env.step(int(env.last()[0]["action_mask"].argmax()))
print(time.perf_counter() - start)
"""
_DEPENDENCIES: Final = """
import time
start = time.perf_counter()
import gymnasium, numba, numpy, pettingzoo
print(time.perf_counter() - start)
"""


@dataclass(frozen=True)
class Speed:
    """Decisions a second of the steps alone, and with the choice of the actions, by the clock.

    ``cpu``: processor seconds of a decision's step, which other programs disturb less; of several
    threads the system may count them late, and so too few.
    """

    steps: float
    whole: float
    cpu: float


_SPEED: Final = [field.name for field in fields(Speed)]


class _Table:
    """Games in lock step, played by a rule bot.

    Attributes:
        decisions, stepping, spent, busy: what was played since :meth:`play` began, in how many
            seconds of the steps alone and with the choice, and processor seconds of the steps.
    """

    def __init__(
        self, agent: str, size: int, threads: int, rules: str = "classic", observe: bool = True
    ) -> None:
        allowed = Rules.parse(rules).players
        players = 4 if 4 in allowed else max(allowed)
        self.batch = Batch(
            rules, size, players=players, threads=threads, autoreset="same_step", seed=1,
            observe=observe,
        )  # fmt: skip
        self.player = registry.make(agent, rules, players, seed=2)
        self.rows = np.arange(size)
        self.play(steps=_WARM_UP)

    def play(self, seconds: float = 0.0, steps: int = 1) -> None:
        """At least so many seconds and steps."""
        batch, player, rows = self.batch, self.player, self.rows
        self.decisions, self.stepping, self.busy = 0, 0.0, 0.0
        start = time.perf_counter()
        while self.decisions < steps * batch.n or time.perf_counter() - start < seconds:
            actions = player.act(batch, rows)
            before, cpu = time.perf_counter(), time.process_time()
            batch.step(actions)
            self.stepping += time.perf_counter() - before
            self.busy += time.process_time() - cpu
            self.decisions += batch.n
        self.spent = time.perf_counter() - start

    def speed(self) -> Speed:
        """What was measured last."""
        decisions = self.decisions
        return Speed(decisions / self.stepping, decisions / self.spent, self.busy / decisions)


def step_speeds(
    agent: str, size: int, threads: Sequence[int], seconds: float, rules: str = "classic"
) -> tuple[list[Speed], list[float]]:
    """Plays ``size`` games in lock step by a rule bot, with each number of threads in turns.

    Returns the median speeds, of about ``seconds`` each, and by how much each is faster than the
    first: the median of what the turns gave, so that what disturbs a turn disturbs both sides of
    it.
    """
    tables = [_Table(agent, size, number, rules) for number in threads]
    rounds: list[list[Speed]] = []
    for _ in range(_TURNS):
        for table in tables:
            table.play(seconds / _TURNS, steps=2)
        rounds.append([table.speed() for table in tables])
    speeds = [
        Speed(*(median(getattr(speed, field) for speed in column) for field in _SPEED))
        for column in zip(*rounds, strict=True)
    ]
    gains = [
        median(turn[place].steps / turn[0].steps for turn in rounds) for place in range(len(tables))
    ]
    return speeds, gains


def bot_speed(agent: str, seconds: float) -> float:
    """Decisions a second of a rule bot in all seats of 4,096 games, choice and step together, on
    one thread; without observations, which it does not need.
    """
    table = _Table(agent, 4096, 1, observe=False)
    table.play(seconds, steps=2)
    return table.decisions / table.spent


def _states(count: int) -> Any:
    """States that ``basic`` reaches, spread over the deals: a record array of ``count`` games."""
    batch = Batch(n=512, autoreset="same_step", seed=3)
    player = registry.make("basic", seed=4)
    rng = np.random.default_rng(5)
    found, have = [], 0
    while have < count:
        for _ in range(11):  # not a divisor of anything in the game
            batch.step(player.act(batch, np.arange(batch.n)))
        rows = rng.choice(batch.n, min(64, count - have), replace=False)
        found.append(batch.games[rows].copy())
        have += len(rows)
    return np.concatenate(found)


def mask_times(count: int) -> npt.NDArray[np.float64]:
    """Seconds for the mask of each of ``count`` states of ``basic``, less the call's own time."""
    one = Batch(n=1, observe=False, autoreset="off")
    times = np.empty(count)
    for place, state in enumerate(_states(count)):
        one.games[0] = state
        times[place] = _fastest(one)
    one.games.phase[0] = Phase.OVER
    call = min(_fastest(one) for _ in range(100))
    return np.maximum(times - call, 0.0)


def _fastest(one: Batch) -> float:
    fastest = float("inf")
    for _ in range(_REPEATS):
        start = time.perf_counter()
        one.refresh()
        fastest = min(fastest, time.perf_counter() - start)
    return fastest


def _aec_speed(env: Any, seconds: float) -> float:
    """Steps a second of an AEC environment, its with ``last()`` and the choice of an action."""
    steps = 0
    env.reset(seed=0)
    start = time.perf_counter()
    while (spent := time.perf_counter() - start) < seconds:
        for _ in range(100):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(legal[steps % len(legal)])
            steps += 1
    return steps / spent


def aec_speeds(seconds: float) -> dict[str, tuple[list[float], list[float]]]:
    """Steps a second of ``raw_env`` and ``env``, and of the empty environment in their places.

    That twice: giving the same arrays at every call, and fresh ones as the contract asks. The three
    take turns; the speeds are the medians, and after them stand ours in parts of each, as the
    median of what the turns gave.
    """
    raw = canasta_env.raw_env()
    shape = raw.observation_space("player_0")["observation"].shape, len(raw.table)
    makers = {
        "raw_env": (raw, empty_raw_env(*shape), empty_raw_env(*shape, fresh=True)),
        "env": (canasta_env.env(), empty_env(*shape), empty_env(*shape, fresh=True)),
    }
    found: dict[str, tuple[list[float], list[float]]] = {}
    for name, three in makers.items():
        turns = [[_aec_speed(env, seconds / _TURNS) for env in three] for _ in range(_TURNS)]
        speeds = [median(column) for column in zip(*turns, strict=True)]
        shares = [median(turn[0] / turn[place] for turn in turns) for place in range(3)]
        found[name] = speeds, shares
    return found


def import_seconds(code: str, runs: int = 3) -> float:
    """The median time that ``code`` prints in fresh interpreters, after one to warm up."""
    command = [sys.executable, "-c", code]
    times = [
        float(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
        for _ in range(runs + 1)
    ]
    return median(times[1:])


def _table(title: str, *heads: str) -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE)
    for place, head in enumerate(heads):
        table.add_column(head, justify="right" if place else "left")
    return table


def _engine_table(seconds: float) -> Table:
    """``steps``: of Batch.step; ``CPU µs``: processor time of a step for each decision in it."""
    table = _table(
        "engine: thousand decisions a second", "play", "games", "threads", "steps",
        "of one thread", "with the bot", "CPU µs",
    )  # fmt: skip
    for agent in ("random", "basic"):
        for size in SIZES:
            speeds, gains = step_speeds(agent, size, THREADS, seconds)
            for threads, speed, gain in zip(THREADS, speeds, gains, strict=True):
                table.add_row(
                    agent,
                    str(size),
                    str(threads),
                    f"{speed.steps / 1e3:,.0f}",
                    f"{gain:.2f}",
                    f"{speed.whole / 1e3:,.0f}",
                    f"{1e6 * speed.cpu:.2f}",
                )
    return table


def _bot_table(seconds: float) -> Table:
    title = "rule bots in all seats, choice and step: 4,096 games, no observations, one thread"
    table = _table(title, "bot", "thousand/s")
    for name in registry.BOTS:
        table.add_row(name, f"{bot_speed(name, seconds) / 1e3:,.0f}")
    return table


def _preset_table(seconds: float) -> Table:
    table = _table(
        "presets: four players (tiny: two), random, 1,024 games, one thread", "preset", "thousand/s"
    )
    for name in preset_names():
        speeds, _ = step_speeds("random", 1024, (1,), seconds, name)
        table.add_row(name, f"{speeds[0].steps / 1000:,.0f}")
    return table


def _mask_table(count: int) -> Table:
    heads = [f"{p:g} %" if p < 100 else "longest" for p in PERCENTILES]
    table = _table(f"masks of {count:,} states of basic: microseconds", "mean", *heads)
    times = 1e6 * mask_times(count)
    table.add_row(*(f"{t:.2f}" for t in (times.mean(), *np.percentile(times, PERCENTILES))))
    return table


def _aec_table(seconds: float) -> Table:
    table = _table(
        "AEC: thousand steps a second", "", "ours", "empty", "ours / empty", "with fresh arrays",
        "ours / that",
    )  # fmt: skip
    for name, (speeds, shares) in aec_speeds(seconds).items():
        cells = [f"{speeds[0] / 1e3:.1f}"]
        for speed, share in zip(speeds[1:], shares[1:], strict=True):
            cells += [f"{speed / 1e3:.1f}", f"{share:.2f}"]
        table.add_row(name, *cells)
    return table


def _import_table() -> Table:
    table = _table("a fresh interpreter: seconds", "import and first step", "dependencies", "ratio")
    ours, others = import_seconds(_FIRST_STEP), import_seconds(_DEPENDENCIES)
    table.add_row(f"{ours:.2f}", f"{others:.2f}", f"{ours / others:.2f}")
    return table


def _peers(options: argparse.Namespace) -> Iterator[Table | Text]:
    result = measure.measure(measure.ENTRIES, options.seconds)
    if options.json:
        report.write(result, options.json)
    yield from report.show(result)


def _tables(options: argparse.Namespace) -> Iterator[Table | Text]:
    """The tables, each made when its turn comes."""
    if "engine" in options.parts:
        yield _engine_table(options.seconds)
    if "bots" in options.parts:
        yield _bot_table(options.seconds)
    if "presets" in options.parts:
        yield _preset_table(options.seconds)
    if "masks" in options.parts:
        yield _mask_table(options.states)
    if "aec" in options.parts:
        yield _aec_table(2 * options.seconds)
    if "import" in options.parts:
        yield _import_table()
    if "peers" in options.parts:
        yield from _peers(options)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parse = argparse.ArgumentParser(prog="python -m experiments.bench", description=__doc__)
    parse.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; left out: all")
    parse.add_argument("--seconds", type=float, default=2.0, help="for each measurement")
    parse.add_argument("--states", type=int, default=20_000, help="whose masks are timed")
    parse.add_argument("--json", type=Path, metavar="FILE", help="what the part peers measured")
    options = parse.parse_args(arguments)
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parse.error(f"{unknown[0]!r} is no part; they are {', '.join(PARTS)}")
    options.parts = options.parts or PARTS
    if options.json and "peers" not in options.parts:
        parse.error(f"--json {options.json}: only the part peers is written there")
    if options.json and not options.json.parent.is_dir():
        parse.error(f"--json {options.json}: there is no folder {options.json.parent}")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    console = Console()
    for table in _tables(_options(arguments)):
        console.print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
