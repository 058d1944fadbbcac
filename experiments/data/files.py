"""The files of a data set: each is there whole or not at all, and the manifest names those.

A file is written under another name and renamed when it is whole; then the manifest is replaced. A
writer that is stopped at any time leaves a data set of the deals that were finished, which says
that it is not complete.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy.typing as npt

from canasta_env.data.reader import identity_text
from canasta_env.data.schema import FORMAT, MANIFEST, arrow_schema, columns_of, to_arrow

__all__ = ["Writer"]

_LEVEL: Final = 1
"""Of the compression: higher ones halve the speed for a tenth of the size."""
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Writer:
    """Writes the files of a data set into a folder, which is made if there is none.

    Args:
        folder: where they go.
        played: what was played, as the manifest and each file say it.
        force: remove the data set that is there; other files stay.

    Raises:
        FileExistsError: there is a data set, and ``force`` is not given.
    """

    def __init__(self, folder: Path, played: Mapping[str, Any], *, force: bool = False) -> None:
        self.folder = folder
        self.played = dict(played)
        self.files: list[dict[str, Any]] = []
        self._schema = arrow_schema(played, identity_text(played))
        self._columns = {column.name: column for column in columns_of(played)}
        folder.mkdir(parents=True, exist_ok=True)
        old = [path for path in folder.iterdir() if _is_ours(path.name)]
        if old and not force:
            raise FileExistsError(f"{folder} holds a data set; --force writes over it")
        for path in sorted(old, key=lambda path: path.name != MANIFEST):  # the manifest first
            path.unlink()
        self._write_manifest(complete=False)

    @property
    def rows(self) -> int:
        """How many decisions have been written."""
        return sum(int(file["rows"]) for file in self.files)

    @property
    def deals(self) -> int:
        """How many deals have been written."""
        return sum(int(file["deals"]) for file in self.files)

    def write(self, groups: Iterable[Mapping[str, npt.NDArray[Any]]], deals: int) -> None:
        """Writes a file of row groups, all of whose columns are given, and names it in the
        manifest.

        Raises:
            OSError: it cannot be written; nothing of it stays.
        """
        name = f"decisions-{len(self.files):05d}.parquet"
        with _whole(self.folder / name) as temporary:
            sizes = self._write_groups(temporary, groups)
            digest = hashlib.sha256(temporary.read_bytes()).hexdigest()
        self.files.append(
            {"file": name, "rows": sum(sizes), "deals": deals, "groups": sizes, "sha256": digest}
        )
        self._write_manifest(complete=False)

    def finish(self) -> None:
        """Says in the manifest that all is there."""
        self._write_manifest(complete=True)

    def _write_groups(
        self, path: Path, groups: Iterable[Mapping[str, npt.NDArray[Any]]]
    ) -> list[int]:
        """The sizes of the groups, which are written into a new file."""
        import pyarrow as pa
        from pyarrow import parquet

        sizes = []
        numbers = [name for name, column in self._columns.items() if not column.sizes]
        with parquet.ParquetWriter(
            path, self._schema, compression="zstd", compression_level=_LEVEL,
            use_dictionary=numbers, write_statistics=numbers,
        ) as file:  # fmt: skip
            for group in groups:
                arrays = [to_arrow(column, group[name]) for name, column in self._columns.items()]
                table = pa.Table.from_arrays(arrays, schema=self._schema)
                file.write_table(table, row_group_size=table.num_rows)
                sizes.append(table.num_rows)
        return sizes

    def _write_manifest(self, *, complete: bool) -> None:
        manifest = {
            "format": FORMAT, "complete": complete, "rows": self.rows, "deals": self.deals,
            "files": self.files, "played": self.played,
        }  # fmt: skip
        with _whole(self.folder / MANIFEST) as temporary:
            text = json.dumps(manifest, indent=1, ensure_ascii=False)
            temporary.write_text(text + "\n", encoding="utf-8")


def _is_ours(name: str) -> bool:
    """Whether a file belongs to a data set, a file that was not finished included."""
    name = name.removeprefix(".")
    return name.startswith(MANIFEST) or (name.startswith("decisions-") and ".parquet" in name)


@contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """A name to write under; what was written is called ``path`` once it is on the disk."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        if error.errno in _FULL:
            what = os.strerror(error.errno or 0).lower()
            raise OSError(f"{path}: {what}; what was written before it stays readable") from None
        raise
    finally:
        temporary.unlink(missing_ok=True)
