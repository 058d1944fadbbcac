"""Arrays as kernels use them inside: nothing but where they begin.

What a kernel hands on as an array is nine values that say whose it is and what it looks like;
whoever gets it counts its holders and asks at every access whether the index counts from the end.
The helpers of the engine call each other dozens of times a step: they get a pointer.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numba.core.config
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

__all__ = ["Bare", "bare", "prefetch"]

Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]
_intrinsic: Callable[..., Decorator] = intrinsic
_type_of: Callable[[Any], Decorator] = type_callable
_code_of: Callable[..., Decorator] = lower_builtin


class Bare(types.Type):  # type: ignore[misc]
    """The type of a pointer to numbers.

    Args:
        dtype: numba's type of the numbers.
        columns: how many a row has, for two indices; 0 for one index.
    """

    def __init__(self, dtype: Any, columns: int) -> None:
        self.dtype = dtype
        self.columns = columns
        super().__init__(name=f"Bare({dtype}, {columns})")


class _BareModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, bare: Bare) -> None:
        number = manager.lookup(bare.dtype).get_data_type()
        super().__init__(manager, bare, number.as_pointer())


register_model(Bare)(_BareModel)


def _is_index(pointer: Any, index: Any) -> bool:
    if not isinstance(pointer, Bare):
        return False
    if pointer.columns == 0:
        return isinstance(index, types.Integer)
    parts = list(index) if isinstance(index, types.BaseTuple) else []
    return len(parts) == 2 and all(isinstance(part, types.Integer) for part in parts)


@_type_of(operator.getitem)
def _type_get(_: Any) -> Callable[..., Any]:
    def typer(pointer: Any, index: Any) -> Any:
        return pointer.dtype if _is_index(pointer, index) else None

    return typer


@_type_of(operator.setitem)
def _type_set(_: Any) -> Callable[..., Any]:
    def typer(pointer: Any, index: Any, value: Any) -> Any:
        return types.none if _is_index(pointer, index) else None

    return typer


def _element(context: Any, builder: Any, types_: Any, pointer: Any, index: Any) -> Any:
    """The address of an element; an index counts from the beginning."""
    bare, kind = types_[:2]
    if bare.columns == 0:
        offset = context.cast(builder, index, kind, types.intp)
    else:
        parts = [builder.extract_value(index, i) for i in range(2)]
        row, column = (
            context.cast(builder, part, kind[i], types.intp) for i, part in enumerate(parts)
        )
        width = context.get_constant(types.intp, bare.columns)
        offset = builder.add(builder.mul(row, width, flags=["nsw"]), column, flags=["nsw"])
    return builder.gep(pointer, [offset], inbounds=True)


@_code_of(operator.getitem, Bare, types.Any)
def _get(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    place = _element(context, builder, signature.args, *arguments)
    return context.unpack_value(builder, signature.args[0].dtype, place)


@_code_of(operator.setitem, Bare, types.Any, types.Any)
def _set(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    bare, _, given = signature.args
    place = _element(context, builder, signature.args, *arguments[:2])
    value = context.cast(builder, arguments[2], given, bare.dtype)
    context.pack_value(builder, bare.dtype, value, place)
    return context.get_dummy_value()


@_intrinsic(prefer_literal=True)
def _pointer(_: Any, array: Any, columns: Any) -> Any:
    """Where an array begins."""
    if array.layout != "C":
        raise TypeError(f"{array} is not contiguous")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.make_array(signature.args[0])(context, builder, arguments[0]).data

    return Bare(array.dtype, columns.literal_value)(array, columns), build


@_intrinsic(prefer_literal=True)
def _prefetched(_: Any, rows: Any, i: Any, start: Any, stop: Any) -> Any:
    places = range(start.literal_value, stop.literal_value, CACHE_LINE)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        row = context.cast(builder, arguments[1], signature.args[1], types.intp)
        width = builder.extract_value(array.strides, 0)
        first = builder.gep(array.data, [builder.mul(row, width)])
        numbers = [ir.Constant(ir.IntType(32), number) for number in (0, 3, 1)]  # read, keep, data
        kind = ir.FunctionType(ir.VoidType(), [first.type, *(n.type for n in numbers)])
        name = "llvm.prefetch.p0"
        fetch = cgutils.get_or_insert_function(builder.module, kind, name)
        for place in places:
            offset = context.get_constant(types.intp, place)
            builder.call(fetch, [builder.gep(first, [offset]), *numbers])
        return context.get_dummy_value()

    return types.none(rows, i, start, stop), build


def _not_fetched(rows: Any, i: int, start: int, stop: int) -> None:
    """Nothing, where nothing is compiled."""


def _as_it_is(array: Any, columns: int) -> Any:
    """The same where nothing is compiled."""
    return array


CACHE_LINE: Final = 64
"""Bytes that a processor fetches together; where it fetches more, some are asked for twice."""

prefetch: Callable[..., Any] = _not_fetched if numba.core.config.DISABLE_JIT else _prefetched
"""``prefetch(rows, i, start, stop)``: have the bytes ``start`` to ``stop`` (constants) of row ``i``
of a uint8 array brought near, while something else is done; the row need not exist."""

bare: Callable[..., Any] = _as_it_is if numba.core.config.DISABLE_JIT else _pointer
"""``bare(array, columns)`` in a kernel: a contiguous array as a pointer, which must not outlive the
call. ``columns``, a constant: 0 for an array of one dimension, else the length of its rows. Indices
count from the beginning and are not checked."""
