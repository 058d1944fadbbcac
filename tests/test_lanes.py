"""Sixteen counts at a time: compiled moves against plain ones, and what they leave alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from numba import njit

from canasta_env.engine import lanes
from canasta_env.engine.bare import bare, prefetch
from canasta_env.engine.state import FIRST_NATURAL, RANKS, VIEW_DTYPE

KINDS = (RANKS, 48)
MELDS = RANKS - FIRST_NATURAL
FILL = 77
CASES = range(20)

pytestmark = pytest.mark.skipif(not hasattr(lanes.copy_row, "py_func"), reason="not compiled")


@njit
def moved(source: Any, target: Any, kinds: int, bound: int) -> None:
    row, out = bare(source, 0), bare(target, 0)
    lanes.clip_row(row, out, 3, bound, kinds)


@njit
def copied(source: Any, target: Any, kinds: int) -> None:
    lanes.copy_row(bare(source, 0), bare(target, 0), kinds)


@njit
def stepped(source: Any, target: Any) -> None:
    row, out = bare(source, 0), bare(target, 0)
    lanes.steps_block(row, 0, out, 0, 2)
    lanes.steps_block(row, 16, out, 60, -1)


@njit
def left(rows: Any, target: Any) -> None:
    out = bare(target, 0)
    one, two, three = bare(rows[0], 0), bare(rows[1], 0), bare(rows[2], 0)
    lanes.unseen_block(16, one, two, three, bare(rows[3], 0), bare(rows[4], 0), out)


@njit
def melded(rows: Any, size: int, target: Any) -> int:
    out = bare(target, 0)
    naturals, deuces, jokers = bare(rows[0], 0), bare(rows[1], 0), bare(rows[2], 0)
    return lanes.melds_block(naturals, deuces, jokers, 4, size, out, 5, 11)  # type: ignore[no-any-return]


@njit
def split(bits: int, target: Any) -> None:
    lanes.bits_block(bits, bare(target, 0), 2)


@njit
def widened(one: Any, other: Any, target: Any) -> None:
    table = bare(target, 24)
    lanes.widen(bare(one, 0), table, 1)
    lanes.widen_sum(bare(one, 0), bare(other, 0), table, 3)


@njit
def rows_of(views: Any, seat: int, target: Any) -> None:
    view = views[0]
    row, hand = lanes.row_of(view, "known", seat), lanes.row_of(view, "hand", 0)
    for k in range(RANKS):
        target[0, k] = row[k]
        target[1, k] = hand[k]
        hand[k] = k


@njit
def fetched(rows: Any) -> int:
    total = 0
    for i in range(len(rows)):
        prefetch(rows, i + 1, 5, 300)
        total += rows[i, 0]
    return total


def counts(case: int, *shape: int, most: int = 12) -> npt.NDArray[np.int8]:
    return np.random.default_rng(case).integers(0, most, shape, np.int8)


def blank(size: int = 160) -> npt.NDArray[np.uint8]:
    return np.full(size, FILL, np.uint8)


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("case", CASES)
def test_a_clipped_row_writes_its_kinds_and_at_most_one_byte_more(kinds: int, case: int) -> None:
    row = counts(case, 64)
    out, plain = blank(), blank()
    moved(row, out, kinds, 5)
    for start in range(0, kinds, lanes.LANES):
        lanes._plain_clip_block(row[:kinds], start, plain, 3 + start, 5)
    assert (out[: 3 + kinds] == plain[: 3 + kinds]).all()
    assert (plain[3 : 3 + kinds] == np.minimum(row[:kinds], 5)).all()
    assert (out[3 + kinds + kinds % 2 :] == FILL).all() and (plain[3 + kinds :] == FILL).all()


@pytest.mark.parametrize("kinds", KINDS)
def test_a_copied_row_writes_its_kinds_and_nothing_else(kinds: int) -> None:
    row, out = counts(1, 64), np.full(64, FILL, np.int8)
    copied(row, out, kinds)
    assert (out[:kinds] == row[:kinds]).all() and (out[kinds:] == FILL).all()


@pytest.mark.parametrize("case", CASES)
def test_steps_tell_whether_there_is_one_two_three_and_four(case: int) -> None:
    row = counts(case, 32, most=7)
    out, plain = blank(), blank()
    stepped(row, out)
    lanes._plain_steps_block(row, 0, plain, 0, 2)
    lanes._plain_steps_block(row, 16, plain, 60, -1)
    assert (out == plain).all()
    kept = np.delete(row, 2)
    assert (out[: 4 * 31].reshape(31, 4) == (kept[:, None] > np.arange(4))).all()


@pytest.mark.parametrize("case", CASES)
def test_unseen_is_what_the_rows_leave_of_the_deck(case: int) -> None:
    rows = counts(case, 5, 48, most=6)
    rows[0] += 40
    out, plain = np.full(64, FILL, np.int8), np.full(64, FILL, np.int8)
    left(rows, out)
    lanes._plain_unseen_block(16, *rows, plain)
    assert (out == plain).all()
    assert (out[16:32] == (rows[0] - rows[1:].sum(0))[16:32]).all()


@pytest.mark.parametrize("size", [4, 7])
@pytest.mark.parametrize("case", CASES)
def test_melds_are_written_and_their_canastas_counted(case: int, size: int) -> None:
    rows = counts(case, 3, 32, most=5)
    rows[0] += rows[0]
    out, plain = blank(), blank()
    found = melded(rows, size, out)
    assert found == lanes._plain_melds_block(*rows, 4, size, plain, 5, MELDS)
    assert (out[: 5 + 4 * MELDS] == plain[: 5 + 4 * MELDS]).all()
    assert (out[5 + 4 * MELDS + 5 :] == FILL).all() and (plain[5 + 4 * MELDS :] == FILL).all()
    sizes = rows.sum(0, dtype=int)[4:15]
    assert found == (sizes >= size).sum()


@pytest.mark.parametrize("bits", [0, 1, 0b1010_0000_0101, 0xFFFF, 1 << 40])
def test_bits_come_lowest_first(bits: int) -> None:
    out, plain = blank(40), blank(40)
    split(bits, out)
    lanes._plain_bits_block(bits, plain, 2)
    assert (out == plain).all()
    assert out[2:18].tolist() == [(bits >> i) & 1 for i in range(16)]


@pytest.mark.parametrize("case", CASES)
def test_rows_are_widened_into_a_table(case: int) -> None:
    one, other = counts(case, 16), counts(case + 100, 16)
    out, plain = np.zeros((5, 24), np.int64), np.zeros((5, 24), np.int64)
    widened(one, other, out)
    lanes._plain_widen(one, plain, 1)
    lanes._plain_widen_sum(one, other, plain, 3)
    assert (out == plain).all()
    assert (out[1, :16] == one).all() and (out[3, :16] == one + other).all()
    assert not out[:, 16:].any()


@pytest.mark.parametrize("seat", range(6))
def test_a_row_of_a_record_is_the_records_memory(seat: int) -> None:
    views = np.zeros(1, VIEW_DTYPE)
    views["known"][0] = counts(seat, 6, RANKS)
    views["hand"][0] = 3
    found = np.zeros((2, RANKS), np.int64)
    rows_of(views, seat, found)
    assert (found[0] == views["known"][0, seat]).all() and (found[1] == 3).all()
    assert (views["hand"][0] == np.arange(RANKS)).all()


def test_fetching_ahead_changes_nothing_and_may_go_beyond_the_end() -> None:
    rows = counts(3, 4, 70).view(np.uint8)
    before = rows.copy()
    assert fetched(rows) == rows[:, 0].sum()
    assert (rows == before).all()
