"""A trained agent in numpy beside the same in torch: ``python -m experiments.bench_champion``.

Both choose for the same observations, as they come in the agent's own games, one thread each, in
turns; medians over the rounds. ``OMP_NUM_THREADS=1`` keeps numpy to one thread too.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np

from agents.neural import NeuralAgent
from agents.plain_agent import PlainAgent
from agents.shipped import folder_of
from canasta_env.batch import Batch
from experiments.command import carry_out, positive

__all__ = ["main", "seconds"]

_WARM: Final = 60
"""Steps before the states that are measured, so that games stand at all stages."""
_CALLS: Final = 20


def seconds(path: Path, rows: int, rounds: int) -> dict[str, float]:
    """Seconds for one call with so many rows, by what computes it: the median over the rounds.

    Raises:
        CheckpointError: the checkpoint does not fit.
    """
    agents = {"torch": NeuralAgent.load(path), "numpy": PlainAgent.load(path)}
    meta = agents["numpy"].identity
    batch = Batch(meta["rules"], rows, players=meta["players"], seed=1)
    every = np.arange(rows)
    for _ in range(_WARM):
        batch.step(agents["numpy"].act(batch, every))
    found: dict[str, list[float]] = {name: [] for name in agents}
    for _ in range(rounds):
        for name, agent in agents.items():
            found[name].append(_timed(agent, batch, every))
    return {name: median(times) for name, times in found.items()}


def _timed(agent: Any, batch: Batch, rows: Any) -> float:
    """Seconds of one call, the median of several."""
    times = []
    for _ in range(_CALLS):
        start = time.perf_counter()
        agent.act(batch, rows)
        times.append(time.perf_counter() - start)
    return median(times)


def _work(options: argparse.Namespace) -> None:
    path = options.checkpoint or folder_of("classic", 4)
    found = seconds(path, options.rows, options.rounds)
    for name, spent in found.items():
        print(f"{name}: {1000 * spent:.1f} ms for {options.rows:,} rows")
    print(f"numpy is {found['torch'] / found['numpy']:.2f} times as fast as torch")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    parse = argparse.ArgumentParser(
        prog="python -m experiments.bench_champion", description=__doc__
    )
    parse.add_argument(
        "checkpoint", nargs="?", type=Path, help="left out: the champion for classic with four"
    )
    parse.add_argument("--rows", type=positive, default=1024)
    parse.add_argument("--rounds", type=positive, default=5)
    return carry_out("experiments.bench_champion", partial(_work, parse.parse_args(arguments)))


if __name__ == "__main__":
    sys.exit(main())
