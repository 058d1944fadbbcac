"""Reading a data set: the decisions that ``python -m experiments.data`` wrote, as numpy arrays.

>>> data = DataSet("data")
>>> for decisions in data.groups(("observation", "mask", "action")):
...     print(decisions["action"])
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from canasta_env.data.schema import (
    FORMAT,
    KEY,
    MANIFEST,
    Column,
    DataError,
    columns_of,
    from_arrow,
)

__all__ = ["DataError", "DataSet", "Decisions", "Group"]

Decisions = dict[str, npt.NDArray[Any]]
"""Columns by name, (m, ...) each: ``observation`` uint8 (m, O), ``mask`` bool (m, A), ``hands``
uint8 (m, players, kinds), ``scores`` and ``result`` int32 (m, sides), the others (m,)."""


@dataclass(frozen=True)
class Group:
    """A row group: a run of decisions that is read at once. Deals may go on in the next one."""

    file: str
    index: int
    rows: int


class DataSet:
    """The decisions in a folder.

    Args:
        folder: where ``manifest.json`` lies.

    Attributes:
        played: what was played: rules, players, agents, seeds, versions, the actions' texts, the
            pieces of the observation. docs/data.md lists the keys.
        is_complete: false if the writer was stopped: then there are fewer deals than were asked
            for, but each of them is whole.
        rows: how many decisions there are.
        deals: how many deals they belong to.
        groups_there: the row groups in order.

    Raises:
        DataError: there is no manifest, or one of another format.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        manifest = _manifest(self.folder / MANIFEST)
        self.played: dict[str, Any] = manifest["played"]
        self.is_complete = bool(manifest["complete"])
        self.files: list[dict[str, Any]] = manifest["files"]
        self.rows = sum(int(file["rows"]) for file in self.files)
        self.deals = sum(int(file["deals"]) for file in self.files)
        self.groups_there = [
            Group(file["file"], index, int(rows))
            for file in self.files
            for index, rows in enumerate(file["groups"])
        ]
        self._columns = {column.name: column for column in columns_of(self.played)}

    def __len__(self) -> int:
        return self.rows

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(self._columns)

    @property
    def scale(self) -> npt.NDArray[np.float32]:
        """float32 (O,): what an observation is multiplied with to lie in [0, 1]."""
        runs = [np.full(size, 1.0 / bound, np.float32) for _, size, bound in self.played["pieces"]]
        return np.concatenate(runs)

    def groups(self, columns: Sequence[str] | None = None) -> Iterator[Decisions]:
        """The decisions, a row group at a time, in the order in which they were written.

        Args:
            columns: names; left out: all.

        Raises:
            DataError: as :meth:`read_group`.
        """
        for group in self.groups_there:
            yield self.read_group(group, columns)

    def read(self, columns: Sequence[str] | None = None) -> Decisions:
        """All decisions at once; the arguments and errors are those of :meth:`groups`."""
        parts = list(self.groups(columns))
        if not parts:
            raise DataError(f"{self.folder}: holds no decisions yet")
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def read_group(self, group: Group, columns: Sequence[str] | None = None) -> Decisions:
        """The decisions of a row group.

        Raises:
            DataError: there is no such column; the file is missing, damaged, or of another data
                set.
        """
        wanted = [self._column(name) for name in (self.columns if columns is None else columns)]
        path = self.folder / group.file
        with _opened(path) as file:
            if file.schema_arrow.metadata.get(KEY) != self._identity:
                raise DataError(f"{path}: belongs to another data set than {MANIFEST} beside it")
            table = file.read_row_group(group.index, [column.name for column in wanted])
        stored = table.combine_chunks().to_batches()
        if len(stored) != 1 or len(stored[0]) != group.rows:
            raise DataError(f"{path}: has not the rows that {MANIFEST} lists; write it again")
        return {c.name: from_arrow(c, stored[0].column(c.name), self.played) for c in wanted}

    def check_environment(self) -> None:
        """Check that this version of the environment numbers actions and features as the data do.

        Raises:
            DataError: it does not.
        """
        from canasta_env.actions import ActionTable  # compiled code is not needed to read
        from canasta_env.observation import observation_hash
        from canasta_env.rules import Rules

        rules, players = Rules.parse(self.played["rules"]), int(self.played["players"])
        here = {
            "actions_hash": ActionTable(rules.at(players)).hash,
            "observation_hash": observation_hash(rules, players),
        }
        for key, value in here.items():
            if self.played[key] != value:
                raise DataError(
                    f"{self.folder}: {key} {self.played[key][:16]}… is not that of this version, "
                    f"{value[:16]}…; use canasta-env {self.played['versions']['canasta-env']}"
                )

    def check_columns(self, columns: Sequence[str]) -> None:
        """Check that there are such columns.

        Raises:
            DataError: one is not there; the text lists those that are.
        """
        for name in columns:
            self._column(name)

    def agent_numbers(self, names: Sequence[str]) -> list[int]:
        """What stands in the column ``agent`` for agents of these names.

        Raises:
            DataError: none of the agents has one of the names.
        """
        there: list[str] = self.played["agents"]
        for name in names:
            if name not in there:
                raise DataError(f"{self.folder}: {name!r} did not play; {', '.join(there)} did")
        return [number for number, name in enumerate(there) if name in names]

    @property
    def _identity(self) -> bytes:
        return identity_text(self.played).encode()

    def _column(self, name: str) -> Column:
        if name not in self._columns:
            known = ", ".join(self._columns)
            raise DataError(f"{self.folder}: no column is called {name!r}; there are {known}")
        return self._columns[name]


def identity_text(played: Mapping[str, Any]) -> str:
    """What a file's metadata says of what was played: one line of JSON."""
    return json.dumps(played, sort_keys=True, ensure_ascii=False)


def _manifest(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(f"{path}: no such file; python -m experiments.data writes one") from None
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read: {error}") from None
    given = found.get("format") if isinstance(found, dict) else None
    if given != FORMAT:
        raise DataError(f"{path}: format {given!r}; this version reads {FORMAT!r}")
    manifest: dict[str, Any] = found
    return manifest


def _opened(path: Path) -> Any:
    """A ``pyarrow.parquet.ParquetFile``."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise DataError("reading data needs pyarrow: pip install 'canasta-env[data]'") from None
    try:
        return parquet.ParquetFile(path)
    except (OSError, ArrowException) as error:
        raise DataError(f"{path}: cannot be read: {_line(error)}") from None


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
