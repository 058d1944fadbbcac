"""Plays the blocks of a tournament on a Ray cluster.

The processes of all nodes import this checkout and read the agents' files: both must lie on every
node under the same path (docs/tournaments.md). Whether an agent is the same everywhere is checked
with every block, by its hash.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from experiments.tournament_crew import CrewError, Died
from experiments.tournament_plan import Job
from experiments.tournament_work import Played, play_block

__all__ = ["RayCluster"]

_NEEDED: Final = "every node needs this checkout and the agents' files (docs/tournaments.md)"


class RayCluster:
    """The processors of a running cluster, one block on each.

    Args:
        address: as ``ray.init`` takes it; ``auto`` is the cluster of this machine.

    Raises:
        CrewError: Ray is not installed, or there is no such cluster.
    """

    def __init__(self, address: str) -> None:
        try:
            import ray
        except ImportError:
            raise CrewError("--ray needs Ray: pip install -e '.[ray]'") from None
        self._ray = ray
        self._was_connected = ray.is_initialized()
        if not self._was_connected:
            try:
                ray.init(address, log_to_driver=False, logging_level="ERROR")
            except (ConnectionError, RuntimeError, ValueError) as error:
                raise CrewError(f"--ray {address}: {_one_line(error)}") from None
        self._task = ray.remote(num_cpus=1, max_retries=0)(play_block)

    def play(self, jobs: Iterator[Job]) -> Iterator[tuple[Job, Played | Died]]:
        """As :meth:`experiments.tournament_crew.Crew.play`."""
        busy: dict[Any, Job] = {}
        while True:
            for _, job in zip(range(self._processors() - len(busy)), jobs, strict=False):
                busy[self._task.remote(job)] = job
            if not busy:
                return
            done, _ = self._ray.wait(list(busy), num_returns=1)
            yield busy.pop(done[0]), self._take(done[0])

    def _processors(self) -> int:
        """Of all nodes that are there now: nodes may come and go."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def _take(self, task: Any) -> Played | Died:
        errors = self._ray.exceptions
        try:
            played: Played = self._ray.get(task)
        except errors.RayTaskError as error:
            raise CrewError(f"{_one_line(error.cause)}; {_NEEDED}") from None
        except errors.RayError as error:  # the process or its node is gone
            return Died(f"ended ({type(error).__name__})")
        return played

    def close(self) -> None:
        """Leaves the cluster; its processes give up what they play for this run."""
        if not self._was_connected:
            self._ray.shutdown()


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
