"""Reads safetensors with numpy alone.

The format is a length of 8 bytes, a header in JSON that names each array with its type, shape and
place, and the numbers. Reading it takes a page, so that who only plays a trained agent needs no
package for it; the files are written by the package ``safetensors``, as trainers need it anyway.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ["load"]

_LENGTH: Final = 8
_TYPES: Final = {
    "BOOL": "?", "U8": "u1", "U16": "<u2", "U32": "<u4", "U64": "<u8", "I8": "i1", "I16": "<i2",
    "I32": "<i4", "I64": "<i8", "F16": "<f2", "F32": "<f4", "F64": "<f8",
}  # fmt: skip


def load(data: bytes) -> dict[str, npt.NDArray[Any]]:
    """The arrays of a file by name, each with memory of its own.

    Raises:
        ValueError: the bytes are not safetensors, or of a type that numpy does not have; the text
            says what is wrong.
    """
    size = int.from_bytes(data[:_LENGTH], "little")
    start = _LENGTH + size
    if len(data) < start or size == 0:
        raise ValueError(f"its header of {size} bytes is not there")
    header = json.loads(data[_LENGTH:start])
    if not isinstance(header, dict):
        raise ValueError("its header is no JSON object")
    header.pop("__metadata__", None)
    numbers = memoryview(data)[start:]
    return {name: _array(name, entry, numbers) for name, entry in header.items()}


def _array(name: str, entry: Any, numbers: memoryview) -> npt.NDArray[Any]:
    """One array, whose entry in the header is not trusted."""
    try:
        kind, shape, (first, last) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{name}: its entry in the header lacks type, shape or place") from None
    if kind not in _TYPES:
        raise ValueError(f"{name}: its type {kind!r} is not one of {', '.join(_TYPES)}")
    if not all(isinstance(n, int) and n >= 0 for n in (*shape, first, last)):
        raise ValueError(f"{name}: its shape or place is no row of whole numbers")
    dtype = np.dtype(_TYPES[kind])
    if last > len(numbers) or last - first != dtype.itemsize * math.prod(shape):
        raise ValueError(f"{name}: its place does not hold an array of the shape {shape}")
    return np.frombuffer(numbers[first:last], dtype).reshape(shape).copy()
