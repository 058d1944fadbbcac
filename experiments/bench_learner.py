"""How fast the environments of one learner are: ``python -m experiments.bench_learner``.

Classic with four players, steps of the learner a second, on this machine: its own random legal
action and all that the others do until it must act again, the resets included, the choice of its
action not. ``gymnasium.make`` as it is and without Gymnasium's checker, and ``gymnasium.make_vec``.
Also by processor time, which other programs disturb less; of two threads it counts both.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

import gymnasium
import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from agents import registry

__all__ = ["Clock", "main", "single_speed", "vector_speed"]

ID: Final = "canasta_env:Canasta-v0"
OPPONENTS: Final = ("random", "basic")


@dataclass
class Clock:
    """Steps, and the seconds that they took by the clock and of the processors."""

    steps: int = 0
    spent: float = 0.0
    busy: float = 0.0

    @contextlib.contextmanager
    def timing(self, steps: int) -> Iterator[None]:
        """Time so many steps."""
        start, cpu = time.perf_counter(), time.process_time()
        yield
        self.spent += time.perf_counter() - start
        self.busy += time.process_time() - cpu
        self.steps += steps


def single_speed(seconds: float, **arguments: Any) -> Clock:
    """Times one environment; ``arguments`` are those of ``gymnasium.make``."""
    env = gymnasium.make(ID, **arguments)
    _, info = env.reset(seed=1)
    rng = np.random.default_rng(2)
    clock = Clock()
    while clock.spent < seconds:
        legal = info["action_mask"].nonzero()[0]
        action = int(legal[int(rng.random() * len(legal))])
        with clock.timing(1):
            _, _, terminated, truncated, info = env.step(action)
            if terminated or truncated:
                _, info = env.reset()
    return clock


def vector_speed(seconds: float, games: int, **arguments: Any) -> Clock:
    """Times so many games; ``arguments`` are those of ``gymnasium.make_vec``."""
    envs: Any = gymnasium.make_vec(ID, games, **arguments)
    envs.reset(seed=1)
    learner, rows = registry.make("random", seed=2), np.arange(games)
    clock = Clock()
    while clock.spent < seconds:
        actions = learner.act(envs.batch, rows)
        with clock.timing(games):
            envs.step(actions)
    envs.close()
    return clock


def _kinds(opponents: str, seconds: float, games: int) -> dict[str, Callable[[], Clock]]:
    """What is measured, by its name."""
    single = functools.partial(single_speed, seconds, opponents=opponents)
    vector = functools.partial(vector_speed, seconds, games, opponents=opponents)
    return {
        "gymnasium.make": single,
        "… disable_env_checker=True": functools.partial(single, disable_env_checker=True),
        f"gymnasium.make_vec, {games} games": vector,
        "… threads=2": functools.partial(vector, threads=2),
    }


def _repeated(times: int, measure: Callable[[], Clock]) -> tuple[str, str, str]:
    """The best and the median of several runs, and the median by processor time."""
    clocks = [measure() for _ in range(times)]
    speeds = [clock.steps / clock.spent for clock in clocks]
    alone = [clock.steps / clock.busy for clock in clocks]
    return f"{max(speeds):,.0f}", f"{median(speeds):,.0f}", f"{median(alone):,.0f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="of each run")
    parser.add_argument("--runs", type=int, default=5, help="of each kind")
    parser.add_argument("--games", type=int, default=64, help="of the vector environment")
    options = parser.parse_args(arguments)
    table = Table(
        "steps of the learner a second", "others", "best", "median", "by processor", box=box.SIMPLE
    )
    for opponents in OPPONENTS:
        for name, measure in _kinds(opponents, options.seconds, options.games).items():
            table.add_row(name, opponents, *_repeated(options.runs, measure))
    Console().print(table)


if __name__ == "__main__":
    main()
