"""What a data set of games holds: one row a decision, in Parquet files beside a manifest.

A row's columns are :data:`COLUMNS`, and :data:`HIDDEN` where the data set was written with hands.
The manifest (``manifest.json``) says what was played and lists the files; each file repeats what
was played in its own metadata, under the key ``canasta``, so that a file alone can still be read.

Vectors of bytes (observations, masks as bits, hands) are stored as binary values of a fixed size,
which are written and read as they lie in memory; vectors of larger numbers as lists of a fixed
size. This module needs pyarrow only where it makes or reads a column.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = [
    "COLUMNS", "FORMAT", "HIDDEN", "KEY", "MANIFEST", "Column", "DataError", "arrow_schema",
    "columns_of", "from_arrow", "pack_mask", "to_arrow",
]  # fmt: skip

FORMAT: Final = "canasta decisions 1"
"""The format's name and version; the version changes when a reader of the old one would err."""
MANIFEST: Final = "manifest.json"
KEY: Final = b"canasta"
"""Where the JSON text of what was played stands in a file's metadata."""

Array = npt.NDArray[Any]


class DataError(ValueError):
    """A data set that cannot be used; the text is one line that says which, why, and what to do."""


@dataclass(frozen=True)
class Column:
    """A column of a data set.

    Attributes:
        name: as in the file.
        dtype: of the values in numpy.
        sizes: what the dimensions of one value are, by the names of :func:`_sizes`; empty for a
            number.
        meaning: one line for the docs.
    """

    name: str
    dtype: str
    sizes: tuple[str, ...]
    meaning: str

    @property
    def is_bits(self) -> bool:
        """Whether eight flags are stored in a byte, the first in the lowest bit."""
        return self.dtype == "bool" and bool(self.sizes)

    @property
    def is_bytes(self) -> bool:
        """Whether a value is stored as bytes of a fixed number."""
        return self.is_bits or (self.dtype == "uint8" and bool(self.sizes))

    def shape(self, played: Mapping[str, Any]) -> tuple[int, ...]:
        """The shape of one value, in a data set of which ``played`` was played."""
        sizes = _sizes(played)
        return tuple(sizes[name] for name in self.sizes)

    def width(self, played: Mapping[str, Any]) -> int:
        """How many bytes or numbers a value is stored as."""
        numbers = int(np.prod(self.shape(played), dtype=np.int64))
        return -(-numbers // 8) if self.is_bits else numbers


COLUMNS: Final = (
    Column("deal", "int64", (), "number of the deal in the data set, from 0 on"),
    Column("deck", "int64", (), "number of the deck, or in matches of the row of decks"),
    Column("table", "int8", (), "which of the tables at which this deck was played"),
    Column("number", "int16", (), "number of the deal in its match, from 1 on"),
    Column("step", "int32", (), "number of the decision in its deal, from 0 on"),
    Column("seat", "int8", (), "the seat that decides; its side is `seat % sides`"),
    Column("dealer", "int8", (), "the seat that dealt"),
    Column("phase", "int8", (), "what is decided: index into `phases`"),
    Column("agent", "int8", (), "who decides: index into `agents`"),
    Column("observation", "uint8", ("observation_size",), "what the seat sees; times the scale"),
    Column("mask", "bool", ("actions",), "the legal actions, eight in a byte"),
    Column("action", "int32", (), "the action that was played, by id"),
    Column("legal", "int32", (), "how many actions were legal"),
    Column("reward", "float32", (), "paid until the seat decides again or the deal ends"),
    Column("return_to_go", "float32", (), "paid from here to the end of the deal"),
    Column("last", "bool", (), "the seat decides no more in this deal: the terminal flag"),
    Column("scores", "int32", ("sides",), "of each side before the deal"),
    Column("result", "int32", ("sides",), "what each side scored in the deal"),
)
"""What every data set has."""
HIDDEN: Final = (
    Column("hands", "uint8", ("players", "kinds"), "all hands by kind, the seat's own first"),
)
"""What only a data set with hands has: what the seat could not know."""


def columns_of(played: Mapping[str, Any]) -> tuple[Column, ...]:
    """The columns of a data set of which ``played`` was played."""
    return (*COLUMNS, *HIDDEN) if played["settings"]["hands"] else COLUMNS


def _sizes(played: Mapping[str, Any]) -> dict[str, int]:
    names = "observation_size", "actions", "sides", "players", "kinds"
    return {name: int(played[name]) for name in names}


def pack_mask(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    """The flags of each row, (m, A), as bytes, (m, ceil(A / 8)), the first in the lowest bit."""
    return np.packbits(mask, axis=1, bitorder="little")


def arrow_schema(played: Mapping[str, Any], text: str) -> Any:
    """The ``pyarrow.Schema`` of a file; ``text`` is what its metadata says, JSON of ``played``."""
    import pyarrow as pa  # an extra: needed only by who writes

    fields = [pa.field(c.name, _arrow_type(c, played), nullable=False) for c in columns_of(played)]
    return pa.schema(fields, metadata={KEY: text.encode(), b"format": FORMAT.encode()})


def _arrow_type(column: Column, played: Mapping[str, Any]) -> Any:
    import pyarrow as pa

    if column.is_bytes:
        return pa.binary(column.width(played))
    plain = pa.from_numpy_dtype(np.dtype(column.dtype))
    return pa.list_(plain, column.width(played)) if column.sizes else plain


def to_arrow(column: Column, values: Array) -> Any:
    """A ``pyarrow.Array`` of values (m, ...), flags already packed by :func:`pack_mask`."""
    import pyarrow as pa

    rows = np.ascontiguousarray(values).reshape(len(values), -1)
    if column.is_bytes:
        kind = pa.binary(rows.shape[1])
        return pa.Array.from_buffers(kind, len(rows), [None, pa.py_buffer(rows.view(np.uint8))])
    flat = pa.array(rows.reshape(-1))
    return pa.FixedSizeListArray.from_arrays(flat, rows.shape[1]) if column.sizes else flat


def from_arrow(column: Column, stored: Any, played: Mapping[str, Any]) -> Array:
    """The values (m, ...) of a ``pyarrow.Array``, as numpy knows them; may be read-only."""
    shape = (len(stored), *column.shape(played))
    if column.is_bytes:
        width = column.width(played)
        data = np.frombuffer(stored.buffers()[1], np.uint8)
        rows = data[stored.offset * width : (stored.offset + len(stored)) * width]
        if column.is_bits:
            bits = np.unpackbits(rows.reshape(-1, width), axis=1, count=shape[1], bitorder="little")
            return bits.view(np.bool_)
        return rows.reshape(shape)
    numbers = stored.flatten() if column.sizes else stored
    values: Array = numbers.to_numpy(zero_copy_only=False).astype(column.dtype, copy=False)
    return values.reshape(shape)
