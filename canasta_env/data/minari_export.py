"""One seat's experience of a data set as a Minari dataset, for libraries of offline learning:

    python -m canasta_env.data.minari_export data canasta/basic-v0 --seat 0

An episode is a deal. Observations are float32 in [0, 1] and the spaces those of
``gymnasium.make("canasta_env:Canasta-v0")``, which the dataset can make again; the masks of legal
actions are in the infos, as there. After its last action the seat sees nothing in the data, so the
observation and the mask at the end are all zero; nothing is to be learned from a state that is
terminal. Where Minari keeps its datasets is Minari's own business (``MINARI_DATASETS_PATH``).
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from canasta_env.data.reader import DataError, DataSet, Decisions, Group

__all__ = ["episodes", "export", "main"]

_COLUMNS = ("deal", "seat", "agent", "observation", "mask", "action", "reward", "last")


def export(data: DataSet, name: str, seat: int, agent: str | None = None) -> Any:
    """Writes a seat's experience as the Minari dataset called ``name``, and returns it.

    Args:
        data: what is exported; it may hold any agents.
        name: as Minari names datasets: ``canasta/basic-v0``.
        seat: whose experience it is.
        agent: only deals in which this agent sits there; left out: all.

    Raises:
        DataError: there is no such seat or agent, or nothing to export; Minari is missing, or has
            a dataset of that name.
    """
    try:
        import minari
        from minari.data_collector import EpisodeBuffer
    except ImportError:
        raise DataError("exporting needs minari: pip install 'canasta-env[minari]'") from None
    if name in minari.list_local_datasets():
        raise DataError(f"{name}: Minari has this dataset; `minari delete {name}` removes it")
    found = list(episodes(data, seat, agent))
    if not found:
        raise DataError(f"{data.folder}: no deal in which seat {seat} decides anything")
    buffers = [EpisodeBuffer(id=place, **one) for place, one in enumerate(found)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it asks for an author, a link and more
        return minari.create_dataset_from_buffers(
            name,
            buffers,
            env=_environment(data, seat),
            algorithm_name=agent or ", ".join(data.played["agents"]),
            description=_description(data, seat),
            requirements=[f"canasta-env=={data.played['versions']['canasta-env']}"],
            data_format="arrow",
        )


def episodes(data: DataSet, seat: int, agent: str | None = None) -> Iterator[dict[str, Any]]:
    """The deals of a seat with T decisions each, by the names of Minari's ``EpisodeBuffer``.

    ``observations`` float32 (T + 1, O), ``actions`` int64 (T,), ``rewards`` float32 (T,) in
    thousands of points, ``terminations`` and ``truncations`` bool (T,), ``infos`` with
    ``action_mask``, int8 (T + 1, A).

    Raises:
        DataError: there is no such seat or agent.
    """
    players = int(data.played["players"])
    if not 0 <= seat < players:
        raise DataError(f"{data.folder}: there is no seat {seat}; seats are 0 to {players - 1}")
    numbers = None if agent is None else data.agent_numbers([agent])
    for _, groups in groupby(data.groups_there, lambda group: group.file):
        mine = _of_seat(data, groups, seat, numbers)
        ends = np.flatnonzero(mine["last"])
        for first, end in zip([0, *(ends[:-1] + 1)], ends + 1, strict=False):
            yield _episode(data, {column: values[first:end] for column, values in mine.items()})


def _of_seat(
    data: DataSet, groups: Iterator[Group], seat: int, agents: list[int] | None
) -> Decisions:
    """The decisions of a seat in the row groups of a file, which hold whole deals."""
    parts = []
    for group in groups:
        read = data.read_group(group, _COLUMNS)
        wanted = read["seat"] == seat
        if agents is not None:
            wanted &= np.isin(read["agent"], agents)
        parts.append({column: values[wanted] for column, values in read.items()})
    return {column: np.concatenate([part[column] for part in parts]) for column in _COLUMNS}


def _episode(data: DataSet, mine: Decisions) -> dict[str, Any]:
    """A seat's decisions of one deal as an episode."""
    return {
        "observations": _and_zeros(mine["observation"] * data.scale),
        "actions": mine["action"].astype(np.int64),
        "rewards": mine["reward"],
        "terminations": mine["last"],
        "truncations": np.zeros_like(mine["last"]),
        "infos": {"action_mask": _and_zeros(mine["mask"].astype(np.int8))},
    }


def _and_zeros(rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The rows and one more, of zeros."""
    return np.concatenate([rows, np.zeros_like(rows[:1])])


def _environment(data: DataSet, seat: int) -> gymnasium.Env[Any, Any]:
    """The environment whose spaces the data have, with the usual players around the seat."""
    data.check_environment()
    played = data.played
    return gymnasium.make(
        "canasta_env:Canasta-v0", rules=played["rules"], players=played["players"], seat=seat
    )


def _description(data: DataSet, seat: int) -> str:
    played = data.played
    return (
        f"Seat {seat} of {played['rules']} for {played['players']} players, deals between "
        f"{' and '.join(played['teams'])}, seed {played['seeds']['seed']}. Rewards in thousands of "
        "points; the observation at the end of an episode is all zero."
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m canasta_env.data.minari_export", description=(__doc__ or "").split(":")[0]
    )
    parser.add_argument("data", help="the folder of the data set")
    parser.add_argument("name", help="of the Minari dataset, such as canasta/basic-v0")
    parser.add_argument("--seat", type=int, default=0, help="whose experience it is")
    parser.add_argument("--agent", help="only deals in which this agent sits there")
    options = parser.parse_args(arguments)
    try:
        made = export(DataSet(options.data), options.name, options.seat, options.agent)
    except (ValueError, OSError) as error:
        print(f"canasta_env.data.minari_export: {error}", file=sys.stderr)
        return 2
    print(f"{options.name}: {made.total_episodes:,} episodes, {made.total_steps:,} steps")
    return 0


if __name__ == "__main__":
    sys.exit(main())
