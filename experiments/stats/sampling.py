"""Resampling in blocks that stay in the cache."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

__all__ = ["blocks"]

_BLOCK: Final = 1 << 20
"""Numbers drawn at a time: small enough to stay in the cache, large enough for numpy."""


def blocks(rows: int, width: int) -> Iterator[slice]:
    """Slices of ``rows`` rows so that a block has about ``_BLOCK`` numbers."""
    step = max(1, _BLOCK // width)
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))
