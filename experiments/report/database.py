"""Reads a tournament's database, which is never written to."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from experiments.behaviour import COUNTS

__all__ = ["FORMAT", "Agent", "Failure", "Pairing", "Tournament", "load"]

FORMAT: Final = "canasta tournament 2"

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_COLUMNS: Final = ("unit", "side_a", "seed", "status", "lead", "won", "capped", "luck")
_COUNT_COLUMNS: Final = tuple(f"{team}_{name}" for name in COUNTS for team in "ab")


@dataclass(frozen=True)
class Agent:
    """One that played. ``arm`` and ``training_seed`` stand for several trained in the same way."""

    name: str
    hash: str
    arm: str | None
    training_seed: str | None


@dataclass(frozen=True)
class Pairing:
    """Team A against team B: the units whose tables were all played to the end.

    ``units`` (units,): their numbers. ``leads`` and ``won`` (units, tables): A's lead in points,
    and 1, 0.5 or 0. ``luck`` (units, features): the mean over a unit's tables, NaN where it failed;
    without features where the tournament kept none. ``counts[name]`` (2,): sums over A's and B's
    sides. ``failed``: units left out. ``capped``: games that the limit of deals ended.
    """

    team_a: str
    team_b: str
    units: Ints
    leads: Floats
    won: Floats
    luck: Floats
    counts: dict[str, Ints]
    failed: int
    capped: int


@dataclass(frozen=True)
class Failure:
    """A game that was not played to the end, and why."""

    team_a: str
    team_b: str
    unit: int
    table: int
    seed: int
    status: str


@dataclass(frozen=True)
class Tournament:
    """All that the file holds.

    ``luck``: the names of the control variates. ``versions``: each set of versions that a block was
    played with. ``unplayed``: blocks that are in the file but not played.
    """

    settings: dict[str, Any]
    identity: dict[str, Any]
    luck: tuple[str, ...]
    versions: tuple[str, ...]
    agents: tuple[Agent, ...]
    pairings: tuple[Pairing, ...]
    failures: tuple[Failure, ...]
    unplayed: int

    @property
    def mirrored(self) -> bool:
        """Is B's lead A's turned round? With more than two sides B plays the field."""
        return int(self.settings["sides"]) == 2

    @property
    def seats(self) -> int:
        """Seats of a side."""
        return int(self.settings["players"]) // int(self.settings["sides"])


def load(path: Path) -> Tournament:
    """Reads the file.

    Raises:
        FileNotFoundError: there is none.
        ValueError: it is no tournament, or damaged; one line that says what is wrong.
    """
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file")
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as file:
            return _read(file)
    except sqlite3.Error as error:
        raise ValueError(f"{path} is no tournament that can be read: {error}") from None
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path} is no tournament, or damaged: {error}") from None


def _read(file: sqlite3.Connection) -> Tournament:
    meta = dict(file.execute("SELECT key, value FROM meta"))
    if meta.get("format") != FORMAT:
        raise ValueError(f"its format is {meta.get('format')!r}, not {FORMAT!r}")
    settings = _settings(meta)
    luck = tuple(json.loads(meta.get("luck") or "[]"))
    teams = file.execute("SELECT pairing, team_a, team_b FROM pairings ORDER BY pairing").fetchall()
    games = [(a, b, _games(file, pairing)) for pairing, a, b in teams]
    blocks = file.execute("SELECT status, versions FROM blocks ORDER BY pairing, block").fetchall()
    agents = file.execute("SELECT name, hash, arm, training_seed FROM agents ORDER BY agent")
    return Tournament(
        settings=settings,
        identity=json.loads(meta.get("identity") or "{}"),
        luck=luck,
        versions=tuple(dict.fromkeys(versions for status, versions in blocks if versions)),
        agents=tuple(Agent(*row) for row in agents),
        pairings=tuple(
            _pairing(a, b, rows, int(settings["sides"]), len(luck)) for a, b, rows in games
        ),
        failures=tuple(failure for a, b, rows in games for failure in _failures(a, b, rows)),
        unplayed=sum(status != "played" for status, _ in blocks),
    )


def _settings(meta: dict[str, str]) -> dict[str, Any]:
    settings = json.loads(meta.get("settings") or "{}")
    missing = [key for key in ("rules", "players", "sides", "seed") if key not in settings]
    if missing:
        raise ValueError(f"its settings lack {missing[0]!r}")
    return dict(settings)


def _games(file: sqlite3.Connection, pairing: int) -> list[sqlite3.Row]:
    columns = ", ".join((*_COLUMNS, *_COUNT_COLUMNS))
    rows = file.cursor()
    rows.row_factory = sqlite3.Row
    return rows.execute(
        f"SELECT {columns} FROM games WHERE pairing = ? ORDER BY unit, side_a", (pairing,)
    ).fetchall()


def _failures(team_a: str, team_b: str, rows: Sequence[sqlite3.Row]) -> Iterator[Failure]:
    for row in rows:
        if row["status"] != "ok":
            where = int(row["unit"]), int(row["side_a"]), int(row["seed"])
            yield Failure(team_a, team_b, *where, str(row["status"]))


def _pairing(
    team_a: str, team_b: str, rows: Sequence[sqlite3.Row], tables: int, features: int
) -> Pairing:
    """The units of which every table is there and 'ok'; the others are counted."""
    numbers, place = np.unique(np.array([row["unit"] for row in rows], int), return_inverse=True)
    ok = np.array([row["status"] == "ok" for row in rows], bool)
    whole = np.bincount(place[ok], minlength=numbers.size) == tables
    kept = [row for row, unit in zip(rows, place, strict=True) if whole[unit]]

    def column(name: str) -> Floats:
        values = np.array([row[name] for row in kept], np.float64)
        if not np.isfinite(values).all():
            raise ValueError(f"a {name} of {team_a} against {team_b} is no number")
        return values.reshape(-1, tables)

    if (column("side_a") != np.arange(tables)).any():
        raise ValueError(f"the tables of {team_a} against {team_b} are not one of each side")
    luck = np.array([_luck(row["luck"], features) for row in kept], np.float64)
    return Pairing(
        team_a=team_a,
        team_b=team_b,
        units=numbers[whole],
        leads=column("lead"),
        won=column("won"),
        luck=luck.reshape(len(kept) // tables, tables, features).mean(axis=1),
        counts={
            name: np.array([column(f"{team}_{name}").sum() for team in "ab"], np.int64)
            for name in COUNTS
        },
        failed=int(numbers.size - whole.sum()),
        capped=int(column("capped").sum()),
    )


def _luck(text: str | None, features: int) -> list[float]:
    """A game's control variates; NaN where there are none."""
    values = json.loads(text) if text else [np.nan] * features
    if len(values) != features:
        raise ValueError(f"{len(values)} control variates of a game, and {features} names")
    return [float(value) for value in values]
