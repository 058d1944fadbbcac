"""Arrays that a kernel only borrows, without the counting of who holds them.

Whatever takes a part of an array or hands it on counts its holders up and down, one locked
instruction each time, and the kernels do that dozens of times a step. The caller holds the arrays
until the kernel is back, so there is nothing to count.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba.core.config
from numba import types
from numba.extending import intrinsic

__all__ = ["borrowed"]

_intrinsic: Callable[[Callable[..., Any]], Callable[..., Any]] = intrinsic


@_intrinsic
def _without_count(_: Any, array: Any) -> Any:
    """The same array, of nobody's memory."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = context.make_array(signature.args[0])(context, builder, arguments[0])
        made.meminfo = context.get_constant_null(types.MemInfoPointer(types.voidptr))
        return made._getvalue()

    return array(array), build


def _as_it_is(array: Any) -> Any:
    """The same where nothing is compiled."""
    return array


borrowed: Callable[[Any], Any] = _as_it_is if numba.core.config.DISABLE_JIT else _without_count
"""``borrowed(array)`` in a kernel: the array, which must not outlive the call."""
