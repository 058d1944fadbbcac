"""The luck of the cards: its expectation is zero, exactly and in played games."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from canasta_env.batch import Batch
from canasta_env.engine.state import Phase
from canasta_env.rules import Rules
from experiments import deals
from experiments.block import Block, Setup
from experiments.luck import FEATURES, Luck, advantage
from experiments.play import line_up

RED_THREE = 2


def setup(rules: str, players: int, **changes: Any) -> Setup:
    parsed = Rules.parse(rules)
    units = 100 if parsed.sequences else 300
    return Setup(str(parsed), parsed.at(players), players, **{"units": units, **changes})


class Watched(Block):
    """A block that compares what is thought to be known with the games, after every step."""

    def _step(self, rows: Any) -> Any:
        rows = super()._step(rows)
        assert self.luck is not None
        known, games = self.luck._known, self.batch.games
        for field in ("stock_next", "stock_end", "stock_size"):
            assert (known[field][rows] == games[field][rows]).all()
        for row in rows[:2]:
            left = [
                int(games.stock[row, place])
                for stream in range(int(games.streams[row]))
                for place in range(games.stock_next[row, stream], games.stock_end[row, stream])
                if not known["seen"][row, place]
            ]
            hidden = known["hidden"][row]
            assert np.bincount(left, minlength=len(hidden)).tolist() == hidden.tolist()
        return rows


TABLES = (
    ("classic", 4, "seat_streams"),
    ("classic", 3, "shared"),
    ("czech", 4, "seat_streams"),
    ("czech", 5, "shared"),
    ("hand_and_foot", 4, "seat_streams"),
    ("latvian", 2, "seat_streams"),
    ("hungarian", 4, "shared"),
)


@pytest.mark.parametrize(("rules", "players", "stock"), TABLES)
def test_the_hidden_cards_are_those_of_the_stock_that_nobody_saw(
    rules: str, players: int, stock: Any
) -> None:
    chosen = setup(rules, players, units=6, stock=stock)
    lineup = line_up("random", "basic", chosen)
    Watched(chosen, lineup, np.arange(6), with_luck=True).play()


@pytest.mark.parametrize(("rules", "players", "stock"), TABLES)
def test_the_mean_is_zero_whoever_plays(rules: str, players: int, stock: Any) -> None:
    chosen = setup(rules, players, stock=stock)
    lineup = line_up("random", "basic", chosen)
    tables = Block(chosen, lineup, np.arange(chosen.units), with_luck=True).play()
    assert tables.luck is not None
    sums = tables.luck.reshape(*tables.scores.shape, len(FEATURES))
    for units in (sums[:, :, 0].mean(1), advantage(sums).mean(1)):  # a side's, and A's over B's
        error = units.std(0, ddof=1) / np.sqrt(len(units))
        assert (error > 0).all()
        assert (np.abs(units.mean(0)) < 4 * error).all()


def test_the_mean_over_all_next_cards_is_exactly_zero() -> None:
    """All ordered pairs of the cards that may come next: a red three is replaced by the second."""
    packed = Batch(n=1).packed
    for unit in range(20):  # one of whose deals leaves a single red three in the stock
        start = deals.starts(packed, 0, np.array([unit]), "zero")
        deck = deals.decks(packed, 0, np.array([unit]), start.numbers)
        batch, luck = dealt(deck, start.dealers, 1)
        stock = left_in_stock(batch)
        if stock.count(RED_THREE) == 1:
            break
    pairs = [(i, j) for i in range(len(stock)) for j in range(len(stock)) if i != j]
    batch, luck = dealt(deck, start.dealers, len(pairs))
    first = int(batch.games.stock_next[0, 0])
    for row, pair in enumerate(pairs):
        rest = [card for place, card in enumerate(stock) if place not in pair]
        order = [stock[place] for place in pair] + rest
        batch.games.stock[row, first : first + len(order)] = order
    before = luck.sums.copy()
    side, seats = int(batch.seat[0]) % 2, batch.seat.copy()
    batch.step(np.full(batch.n, batch.table.texts.index("draw")))
    luck.after(np.arange(batch.n), seats)
    change = luck.sums - before
    assert np.allclose(change.mean(0), 0.0, atol=1e-12)
    assert (change[:, 1 - side] == 0.0).all()
    values = np.array(packed[0].values)
    one = next(row for row, (i, _) in enumerate(pairs) if stock[i] not in (0, 1, RED_THREE))
    card = stock[pairs[one][0]]
    expected = [
        values[card] - values[stock].mean(),
        *(-stock.count(kind) / len(stock) for kind in (0, 1, RED_THREE)),
    ]
    assert np.allclose(change[one, side], expected)


def dealt(deck: Any, dealers: Any, rows: int) -> tuple[Batch, Luck]:
    """The same deal in so many rows."""
    batch = Batch(n=rows, stock="shared", autoreset="off", observe=False)
    luck = Luck(batch, seat_streams=False)
    decks = np.repeat(deck, rows, axis=0)
    batch.start_deal(np.arange(rows), decks, np.repeat(dealers, rows))
    luck.dealt(np.arange(rows), decks)
    assert (batch.games.phase == Phase.DRAW).all()
    return batch, luck


def left_in_stock(batch: Batch) -> list[int]:
    game = batch.games[0]
    return [int(card) for card in game.stock[int(game.stock_next[0]) : int(game.stock_end[0])]]


def test_a_hand_is_measured_by_the_whole_deck() -> None:
    """Without red threes in the hands and covered upcards, the deal's luck is that of the hands."""
    packed = Batch(n=1).packed
    counts, values = np.array(packed[0].counts), np.array(packed[0].values)
    start = deals.starts(packed, 1, np.arange(30), "zero")
    decks = deals.decks(packed, 1, np.arange(30), start.numbers)
    plain = [unit for unit in range(30) if not (decks[unit, :44] == RED_THREE).any()]
    unit = plain[0]
    batch, luck = dealt(decks[[unit]], start.dealers[[unit]], 1)
    mean = counts @ values / counts.sum()
    for side in (0, 1):
        hands = batch.games.hands[0, [side, side + 2]].sum(0)
        assert np.isclose(luck.sums[0, side, 0], hands @ (values - mean))
        assert np.isclose(luck.sums[0, side, 1], hands[0] - 22 * 4 / 108)


def test_luck_explains_a_part_of_the_lead() -> None:
    chosen = setup("classic", 4)
    tables = Block(chosen, line_up("basic", "basic", chosen), np.arange(300), with_luck=True).play()
    assert tables.luck is not None
    lead = (tables.scores[:, 0, 0] - tables.scores[:, 0, 1]).astype(float)
    luck = advantage(tables.luck.reshape(300, 2, 2, -1))[:, 0]
    correlation = np.corrcoef(np.column_stack([lead, luck]).T)[0, 1:]
    assert correlation[FEATURES.index("points")] > 0.2
