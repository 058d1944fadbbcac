"""The kernels of :mod:`canasta_env.batch_threads` and :mod:`canasta_env.aec_kernel` once more, for
rules with sequences."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from numba import types

from canasta_env import aec_kernel, batch_threads, suited_kernels
from canasta_env.engine.scratch import SUITED_ROWS
from canasta_env.engine.state import SUITED_GAME_DTYPE, SUITED_RULES_DTYPE, SUITED_VIEW_DTYPE
from canasta_env.jit import kernel

__all__ = ["share_rows", "step_addresses"]


def _with(compiled: Any, **names: Any) -> Any:
    """A kernel's function, with other meanings of some of its names."""
    function = getattr(compiled, "py_func", compiled)
    scope = {**function.__globals__, **names}
    other = FunctionType(function.__code__, scope, function.__name__, function.__defaults__)
    other.__doc__ = function.__doc__
    return other


share_rows = kernel(batch_threads.signature(suited_kernels.play_games), home=__name__)(
    _with(batch_threads.share_rows, kernels=suited_kernels)
)
step_addresses = kernel(types.int64(types.int64[::1], types.int64), home=__name__)(
    _with(
        aec_kernel.step_addresses,
        kernels=suited_kernels,
        GAME_DTYPE=SUITED_GAME_DTYPE,
        VIEW_DTYPE=SUITED_VIEW_DTYPE,
        RULES_DTYPE=SUITED_RULES_DTYPE,
        GAME_BYTES=SUITED_GAME_DTYPE.itemsize,
        VIEW_BYTES=SUITED_VIEW_DTYPE.itemsize,
        ROWS=SUITED_ROWS,
    )
)
