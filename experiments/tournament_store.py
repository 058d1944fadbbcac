"""The file of a tournament: an SQLite database that only one run at a time writes.

A block of games is one transaction: a run that is killed, or whose disk is full, leaves all of a
block or nothing of it. Everything that the database says is wrong becomes a :class:`StoreError` of
one line.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from experiments.behaviour import COUNTS
from experiments.luck import FEATURES
from experiments.tournament_agents import Entrant
from experiments.tournament_plan import Pairing, Settings
from experiments.tournament_work import OK, Played

__all__ = ["COLUMNS", "FORMAT", "Store", "StoreError"]

FORMAT: Final = "canasta tournament 2"

COLUMNS: Final = (
    "unit", "side_a", "seed", "deals", "lead", "won", "scores", "capped", "luck", "status",
    *(f"{team}_{name}" for team in "ab" for name in COUNTS),
)  # fmt: skip
"""The columns of a game after its pairing, in the order of :attr:`Played.games`."""

_TYPES: Final = {
    "unit": "INTEGER NOT NULL",
    "side_a": "INTEGER NOT NULL",
    "seed": "INTEGER NOT NULL",
    "lead": "REAL",
    "won": "REAL",
    "scores": "TEXT",
    "luck": "TEXT",
    "status": "TEXT NOT NULL",
}

_TABLES: Final = f"""
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE agents(
    agent INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, hash TEXT NOT NULL,
    arm TEXT, training_seed TEXT
);
CREATE TABLE pairings(
    pairing INTEGER PRIMARY KEY, team_a TEXT NOT NULL, team_b TEXT NOT NULL, UNIQUE(team_a, team_b)
);
CREATE TABLE blocks(
    pairing INTEGER NOT NULL REFERENCES pairings, block INTEGER NOT NULL, status TEXT NOT NULL,
    versions TEXT NOT NULL, PRIMARY KEY(pairing, block)
) WITHOUT ROWID;
CREATE TABLE games(
    pairing INTEGER NOT NULL REFERENCES pairings,
    {", ".join(f"{column} {_TYPES.get(column, 'INTEGER')}" for column in COLUMNS)},
    PRIMARY KEY(pairing, unit, side_a)
) WITHOUT ROWID;
"""


class StoreError(ValueError):
    """A file that cannot be used, or not any more; the text is one line that says why."""


class Store:
    """The database of one tournament, open for a run.

    Args:
        path: the file; made if there is none.

    Raises:
        StoreError: another run has it open, it cannot be written, is damaged or is no tournament.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.parent.is_dir():
            raise StoreError(f"{path}: there is no folder {path.parent}")
        self._lock = FileLock(path.with_name(f".{path.name}.lock"))
        self._take_lock()
        try:
            with self._explained():
                self.connection = sqlite3.connect(path, timeout=60.0, isolation_level=None)
                self.connection.execute("PRAGMA synchronous=FULL")
                self._check_file()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file and lets other runs have it."""
        if hasattr(self, "connection"):
            self.connection.close()
        self._lock.release()

    def settings(self) -> dict[str, Any] | None:
        """The settings that the file was begun with, None in a new one."""
        with self._explained():
            found = self._meta("settings")
        return None if found is None else dict(json.loads(found))

    def begin(self, settings: Settings, identity: Mapping[str, Any], units: int) -> None:
        """Makes the file that of a tournament with these settings; ``units`` are asked for.

        Raises:
            StoreError: it is that of another one; the message says what differs.
        """
        before = self.settings()
        with self._explained(), self._transaction():
            if before is None:
                self._set_meta("format", FORMAT)
                self._set_meta("identity", json.dumps(identity))
                self._set_meta("luck", json.dumps(FEATURES))
            else:
                self._check_settings(settings, before, identity)
                units = max(units, int(before["units"]))
            self._set_meta("settings", json.dumps({**settings.as_dict(), "units": units}))

    def enter(self, entrants: Sequence[Entrant]) -> None:
        """Writes the agents down.

        Raises:
            StoreError: one of them is in the file and was another.
        """
        with self._explained(), self._transaction():
            for one in entrants:
                row = self._row("SELECT hash FROM agents WHERE name=?", one.name)
                if row is None:
                    self.connection.execute(
                        "INSERT INTO agents(name, hash, arm, training_seed) VALUES(?,?,?,?)",
                        (one.name, one.hash, one.arm, one.training_seed),
                    )
                elif row[0] != one.hash:
                    raise StoreError(
                        f"{self.path}: agent {one.name} has changed since its games were played "
                        f"(hash {row[0][:12]} there, {one.hash[:12]} now); give it another name"
                    )

    def pair(self, pairings: Sequence[Pairing]) -> dict[Pairing, int]:
        """Writes the pairings down; their numbers."""
        with self._explained(), self._transaction():
            self.connection.executemany(
                "INSERT OR IGNORE INTO pairings(team_a, team_b) VALUES(?,?)", pairings
            )
            rows = self.connection.execute("SELECT team_a, team_b, pairing FROM pairings")
            numbers = {(team_a, team_b): number for team_a, team_b, number in rows}
        return {pairing: numbers[pairing] for pairing in pairings}

    def teams(self) -> list[str]:
        """The teams that have met in the file."""
        text = "SELECT team_a FROM pairings UNION SELECT team_b FROM pairings ORDER BY 1"
        with self._explained():
            return [row[0] for row in self.connection.execute(text)]

    def played(self, retry_failed: bool, block: int) -> set[tuple[int, int]]:
        """Pairing and number of the blocks that are done; with ``retry_failed`` without those that
        hold a game that failed, ``block`` being their size.
        """
        with self._explained():
            done = set(self.connection.execute("SELECT pairing, block FROM blocks"))
            if retry_failed:
                done -= set(
                    self.connection.execute(
                        "SELECT DISTINCT pairing, unit / ? FROM games WHERE status<>?", (block, OK)
                    )
                )
        return done

    def write(self, pairing: int, block: int, played: Played) -> None:
        """Writes a block in one transaction, in place of what was there of it.

        Raises:
            StoreError: the disk is full, or anything else; nothing of the block is then written.
        """
        places = ",".join("?" * (1 + len(COLUMNS)))
        with self._explained(), self._transaction():
            self.connection.execute(
                "INSERT OR REPLACE INTO blocks VALUES(?,?,?,?)",
                (pairing, block, "played", json.dumps(played.versions)),
            )
            self.connection.executemany(
                f"INSERT OR REPLACE INTO games VALUES({places})",
                [(pairing, *game) for game in played.games],
            )

    def leads(self, pairing: int) -> list[tuple[int, float | None, float | None]]:
        """Unit, lead and win of every game of a pairing; None in those that failed."""
        text = "SELECT unit, lead, won FROM games WHERE pairing=? ORDER BY unit, side_a"
        with self._explained():
            return list(self.connection.execute(text, (pairing,)))

    def faults(self) -> list[tuple[str, int]]:
        """What went wrong, and in how many games."""
        text = "SELECT status, count(*) FROM games WHERE status<>? GROUP BY 1 ORDER BY 2 DESC, 1"
        with self._explained():
            return list(self.connection.execute(text, (OK,)))

    def _take_lock(self) -> None:
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise StoreError(f"{self.path} is being written by another run") from None
        except OSError as error:
            raise StoreError(f"{self.path}: {error.strerror or error}") from None

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turns the database's errors into one line."""
        try:
            yield
        except (sqlite3.Error, json.JSONDecodeError) as error:
            raise StoreError(f"{self.path}: {error}") from None

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """All of what is done inside, or nothing."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):  # a full disk has rolled back by itself
                self.connection.execute("ROLLBACK")
            raise

    def _check_file(self) -> None:
        """Makes the tables of a new file; raises if an old one is none of ours, or damaged."""
        tables = self.connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if tables == 0:
            with self._transaction():
                for statement in _TABLES.strip().split(";")[:-1]:
                    self.connection.execute(statement)
            return
        if not self._row("SELECT 1 FROM sqlite_schema WHERE name='meta'"):
            raise StoreError(f"{self.path} is a database of something else")
        found = self._meta("format")
        if found not in (FORMAT, None):
            raise StoreError(f"{self.path}: format {found!r}; this version writes {FORMAT!r}")
        fault = self.connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if fault != "ok":
            raise StoreError(f"{self.path} is damaged: {' '.join(str(fault).split())}")

    def _check_settings(
        self, settings: Settings, before: dict[str, Any], identity: Mapping[str, Any]
    ) -> None:
        differences = settings.differences(before)
        known = json.loads(self._meta("identity") or "{}")
        for key in identity:
            if known.get(key) != identity[key]:
                differences.append(f"another {key.replace('_', ' ')}")
        if differences:
            raise StoreError(f"{self.path} was begun with {'; '.join(differences)}")

    def _row(self, text: str, *values: Any) -> Any:
        return self.connection.execute(text, values).fetchone()

    def _meta(self, key: str) -> str | None:
        row = self._row("SELECT value FROM meta WHERE key=?", key)
        return None if row is None else str(row[0])

    def _set_meta(self, key: str, value: str) -> None:
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES(?,?)", (key, value))
