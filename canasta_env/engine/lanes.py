"""Sixteen counts at a time.

A row of counts by kind has fifteen of them where suits do not matter and forty-eight where they do:
one block of sixteen bytes, or three. The compiler would move them one by one, since it can't know
that what is written is not what is read next. Of fifteen kinds the sixteenth byte is whatever
follows in memory: where it is written, the caller writes what belongs there afterwards, and where
it is read it must lie within the record.

Rows are pointers: :func:`row_of` gives one of a record's, ``bare`` one of an array. Without the
compiler they are arrays, and only what belongs to the row is copied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numba.core.config
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from canasta_env.engine.bare import Bare
from canasta_env.jit import helper

__all__ = [
    "LANES", "MOST_NATURALS", "MOST_WILDS", "STEPS", "bits_block", "clip_block", "clip_row",
    "copy_row", "melds_block", "row_of", "steps_block", "unseen_block", "widen", "widen_sum",
]  # fmt: skip

LANES: Final = 16
STEPS: Final = 4
"""How far :func:`steps_block` counts."""
MOST_NATURALS, MOST_WILDS = 8, 4
"""Where :func:`melds_block` clips."""

_intrinsic: Callable[..., Callable[[Callable[..., Any]], Callable[..., Any]]] = intrinsic

_BYTE: Final = ir.IntType(8)
_BYTES: Final = ir.VectorType(_BYTE, LANES)


def _load(builder: Any, pointer: Any) -> Any:
    """Sixteen bytes from a pointer to bytes, wherever it points."""
    return builder.load(builder.bitcast(pointer, _BYTES.as_pointer()), align=1)


def _store(builder: Any, value: Any, pointer: Any) -> None:
    builder.store(value, builder.bitcast(pointer, value.type.as_pointer()), align=1)


def _splat(builder: Any, value: Any, count: int) -> Any:
    """A vector of ``count`` equal numbers."""
    kind = ir.VectorType(value.type, count)
    zero = ir.Constant(ir.IntType(32), 0)
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), value, zero)
    order = ir.Constant(ir.VectorType(ir.IntType(32), count), None)
    return builder.shuffle_vector(first, ir.Constant(kind, ir.Undefined), order)


def _further(context: Any, builder: Any, pointer: Any, index: Any, kind: Any) -> Any:
    """A pointer further on by an index."""
    return builder.gep(pointer, [context.cast(builder, index, kind, types.intp)], inbounds=True)


def _move(context: Any, builder: Any, signature: Any, arguments: Any, i: int) -> Any:
    """The pointer that is argument ``i``, further on by the argument that follows it."""
    return _further(context, builder, arguments[i], arguments[i + 1], signature.args[i + 1])


def _at_most(builder: Any, counts: Any, most: Any) -> Any:
    """The smaller of two vectors, lane by lane."""
    return builder.select(builder.icmp_unsigned("<", counts, most), counts, most)


def _constant(numbers: Sequence[int], bits: int) -> Any:
    """A vector of numbers."""
    return ir.Constant(ir.VectorType(ir.IntType(bits), len(numbers)), list(numbers))


@_intrinsic(prefer_literal=True)
def _row_of(_: Any, record: Any, field: Any, index: Any) -> Any:
    name = field.literal_value
    array = record.fields[name].type
    if array.dtype.bitwidth != _BYTE.width:
        raise TypeError(f"{name}: {array.dtype}, and rows are of bytes")
    width = int(np.prod(array.shape[1:])) * array.dtype.bitwidth // 8

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        start = context.get_constant(types.intp, record.offset(name))
        place = context.cast(builder, arguments[2], signature.args[2], types.intp)
        step = builder.mul(place, context.get_constant(types.intp, width), flags=["nsw"])
        first = builder.bitcast(arguments[0], _BYTE.as_pointer())
        pointer = builder.gep(first, [builder.add(start, step, flags=["nsw"])], inbounds=True)
        return builder.bitcast(pointer, context.get_value_type(signature.return_type))

    return Bare(array.dtype, 0)(record, field, index), build


@_intrinsic
def _widen(_: Any, source: Any, target: Any, row: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = builder.sext(_load(builder, arguments[0]), ir.VectorType(ir.IntType(64), LANES))
        _store_row(context, builder, signature, wide, *arguments[1:])
        return context.get_dummy_value()

    return types.none(source, target, row), build


@_intrinsic
def _widen_sum(_: Any, one: Any, other: Any, target: Any, row: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        total = builder.add(_load(builder, arguments[0]), _load(builder, arguments[1]))
        wide = builder.sext(total, ir.VectorType(ir.IntType(64), LANES))
        _store_row(context, builder, signature, wide, *arguments[2:])
        return context.get_dummy_value()

    return types.none(one, other, target, row), build


def _store_row(
    context: Any, builder: Any, signature: Any, value: Any, target: Any, row: Any
) -> None:
    """Write the beginning of a row of a table of int64."""
    table, kind = signature.args[-2:]
    place = context.cast(builder, row, kind, types.intp)
    width = context.get_constant(types.intp, table.columns)
    offset = builder.mul(place, width, flags=["nsw"])
    _store(builder, value, builder.gep(target, [offset], inbounds=True))


@_intrinsic
def _copy_eight(_: Any, source: Any, target: Any, at: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        eight = ir.IntType(64)
        places = (_further(context, builder, p, arguments[2], at) for p in arguments[:2])
        origin, place = (builder.bitcast(place, eight.as_pointer()) for place in places)
        builder.store(builder.load(origin, align=1), place, align=1)
        return context.get_dummy_value()

    return types.none(source, target, at), build


@_intrinsic
def _clip_block(_: Any, source: Any, start: Any, target: Any, at: Any, bound: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        counts = _load(builder, _move(context, builder, signature, arguments, 0))
        most = context.cast(builder, arguments[4], bound, types.uint8)
        small = _at_most(builder, counts, _splat(builder, most, LANES))
        _store(builder, small, _move(context, builder, signature, arguments, 2))
        return context.get_dummy_value()

    return types.none(source, start, target, at, bound), build


@_intrinsic(prefer_literal=True)
def _steps_block(_: Any, source: Any, start: Any, target: Any, at: Any, left_out: Any) -> Any:
    lanes = [lane for lane in range(LANES) if lane != left_out.literal_value]
    lanes += [0] * (LANES - len(lanes))

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        counts = _load(builder, _move(context, builder, signature, arguments, 0))
        order = _constant([lane for lane in lanes for _ in range(STEPS)], 32)
        wide = builder.shuffle_vector(counts, ir.Constant(_BYTES, ir.Undefined), order)
        below = _constant(list(range(STEPS)) * LANES, 8)
        more = builder.zext(builder.icmp_signed(">", wide, below), below.type)
        _store(builder, more, _move(context, builder, signature, arguments, 2))
        return context.get_dummy_value()

    return types.none(source, start, target, at, left_out), build


@_intrinsic
def _unseen_block(
    _: Any, start: Any, cards: Any, hand: Any, pile: Any, apart: Any, shown: Any, target: Any
) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def place(i: int) -> Any:
            return _further(context, builder, arguments[i], arguments[0], signature.args[0])

        left = _load(builder, place(1))
        for i in range(2, 6):
            left = builder.sub(left, _load(builder, place(i)))
        _store(builder, left, place(6))
        return context.get_dummy_value()

    return types.none(start, cards, hand, pile, apart, shown, target), build


@_intrinsic
def _melds_block(
    _: Any, naturals: Any, deuces: Any, jokers: Any, start: Any, size: Any, target: Any, at: Any,
    width: Any,
) -> Any:  # fmt: skip
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def number(i: int, kind: Any) -> Any:
            return context.cast(builder, arguments[i], signature.args[i], kind)

        def row(i: int) -> Any:
            place = _further(context, builder, arguments[i], arguments[3], signature.args[3])
            return _load(builder, place)

        pure = row(0)
        wild = builder.add(row(1), row(2))
        enough = _splat(builder, number(4, types.uint8), LANES)
        whole = builder.icmp_unsigned(">=", builder.add(pure, wild), enough)
        natural = builder.and_(whole, builder.icmp_unsigned("==", wild, ir.Constant(_BYTES, None)))
        parts = (
            _at_most(builder, pure, _constant([MOST_NATURALS] * LANES, 8)),
            _at_most(builder, wild, _constant([MOST_WILDS] * LANES, 8)),
            builder.zext(whole, _BYTES),
            builder.zext(natural, _BYTES),
        )
        step = number(7, types.intp)
        place = number(6, types.intp)
        for part in parts:
            _store(builder, part, builder.gep(arguments[5], [place], inbounds=True))
            place = builder.add(place, step, flags=["nsw"])
        one = context.get_constant(types.int64, 1)
        bits = builder.zext(builder.bitcast(whole, ir.IntType(LANES)), ir.IntType(64))
        inside = builder.sub(builder.shl(one, builder.zext(step, one.type)), one)
        return builder.ctpop(builder.and_(bits, inside))

    arguments = naturals, deuces, jokers, start, size, target, at, width
    return types.int64(*arguments), build


@_intrinsic
def _bits_block(_: Any, bits: Any, target: Any, at: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        low = context.cast(builder, arguments[0], bits, types.uint16)
        flags = _constant([1 << lane for lane in range(LANES)], LANES)
        chosen = builder.and_(_splat(builder, low, LANES), flags)
        found = builder.icmp_unsigned("!=", chosen, ir.Constant(flags.type, None))
        place = _further(context, builder, arguments[1], arguments[2], at)
        _store(builder, builder.zext(found, _BYTES), place)
        return context.get_dummy_value()

    return types.none(bits, target, at), build


def _plain_row_of(record: Any, field: str, index: int) -> Any:
    found = getattr(record, field)
    return found[index] if found.ndim > 1 else found


def _plain_widen(source: Any, target: Any, row: int) -> None:
    target[row, : len(source)] = source


def _plain_widen_sum(one: Any, other: Any, target: Any, row: int) -> None:
    target[row, : len(one)] = one.astype(np.int64) + other


def _block(row: Any, start: int) -> Any:
    """The part of a row that a block holds, as uint8."""
    return row[start : start + LANES].view(np.uint8)


def _plain_copy_eight(source: Any, target: Any, at: int) -> None:
    target[at : at + 8] = source[at : at + 8]


def _plain_clip_block(source: Any, start: int, target: Any, at: int, bound: int) -> None:
    counts = np.minimum(_block(source, start), bound)
    target[at : at + len(counts)] = counts


def _plain_steps_block(source: Any, start: int, target: Any, at: int, left_out: int) -> None:
    counts = _block(source, start)
    kept = counts[np.arange(len(counts)) != left_out]
    steps = (kept[:, None] > np.arange(STEPS)).reshape(-1)
    target[at : at + len(steps)] = steps


def _plain_unseen_block(
    start: int, cards: Any, hand: Any, pile: Any, apart: Any, shown: Any, target: Any
) -> None:
    left = _block(cards, start).astype(np.int64)
    for row in (hand, pile, apart, shown):
        left -= _block(row, start)
    target[start : start + len(left)] = left


def _plain_melds_block(
    naturals: Any, deuces: Any, jokers: Any, start: int, size: int, target: Any, at: int,
    width: int,
) -> int:  # fmt: skip
    pure, one, other = (
        row[start : start + width].astype(np.int64) for row in (naturals, deuces, jokers)
    )
    wild = one + other
    whole = pure + wild >= size
    parts = (
        np.minimum(pure, MOST_NATURALS),
        np.minimum(wild, MOST_WILDS),
        whole,
        whole & (wild == 0),
    )
    target[at : at + 4 * width] = np.concatenate(parts)
    return int(whole.sum())


def _plain_bits_block(bits: int, target: Any, at: int) -> None:
    found = [(int(bits) >> lane) & 1 for lane in range(LANES)]
    room = min(LANES, len(target) - at)
    target[at : at + room] = found[:room]


_compiled = not numba.core.config.DISABLE_JIT

row_of: Callable[..., Any] = _row_of if _compiled else _plain_row_of
"""``row_of(record, "field", i)``: a pointer to row ``i`` of a field of two dimensions, or to all of
one of one dimension, where ``i`` is 0."""

widen: Callable[..., Any] = _widen if _compiled else _plain_widen
"""``widen(source, table, row)``: copy int8 counts into a row of an int64 table."""

widen_sum: Callable[..., Any] = _widen_sum if _compiled else _plain_widen_sum
"""``widen_sum(one, other, table, row)``: the same of the sum of two rows."""

copy_eight: Callable[..., Any] = _copy_eight if _compiled else _plain_copy_eight
"""``copy_eight(source, target, at)``: copy the eight bytes from place ``at`` on."""

clip_block: Callable[..., Any] = _clip_block if _compiled else _plain_clip_block
"""``clip_block(source, start, target, at, bound)``: copy a block of counts of one byte, that which
begins at ``source[start]``, to ``target[at:]``, those above ``bound`` as ``bound``."""

steps_block: Callable[..., Any] = _steps_block if _compiled else _plain_steps_block
"""``steps_block(source, start, target, at, left_out)``: of each count of a block, but for that in
place ``left_out`` (a constant; -1: of all), write whether it is at least 1, 2, 3 and 4."""

unseen_block: Callable[..., Any] = _unseen_block if _compiled else _plain_unseen_block
"""``unseen_block(start, cards, hand, pile, apart, shown, target)``: a block of what is left of the
deck's cards without those of four rows, written to the same place of ``target``."""

melds_block: Callable[..., Any] = _melds_block if _compiled else _plain_melds_block
"""``melds_block(naturals, deuces, jokers, start, size, target, at, width)``: of the ``width`` melds
from ``start`` on write the naturals (8 at most), the wild cards (4 at most), whether they are
canastas, and whether those are natural, each ``width`` numbers; returns how many are canastas."""

bits_block: Callable[..., Any] = _bits_block if _compiled else _plain_bits_block
"""``bits_block(bits, target, at)``: the sixteen lowest bits as numbers, the lowest first."""


@helper
def copy_row(source: Any, target: Any, kinds: int) -> None:
    """Copy a row of ``kinds`` counts of a byte, eight or more, and nothing beyond it."""
    for at in range(0, kinds - 8, 8):
        copy_eight(source, target, at)
    copy_eight(source, target, kinds - 8)


@helper
def clip_row(source: Any, target: Any, at: int, bound: int, kinds: int) -> None:
    """Copy a row of ``kinds`` counts, those above ``bound`` as ``bound``."""
    for start in range(0, kinds, LANES):
        clip_block(source, start, target, at + start, bound)
