"""Where the cards of a position lie: hands, feet, pile and stock; what is left out is filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from canasta_env.cards import write_cards
from canasta_env.engine.state import MAX_CARDS, Phase
from canasta_env.positions.reader import Reader
from canasta_env.positions.values import (
    PositionError,
    by_index,
    known_keys,
    number,
    read_cards,
    switch,
)
from canasta_env.rules import Rules
from canasta_env.rules_fields import BlackThree, Upcard

__all__ = ["read_held"]

_CUT_CARDS: Final = 3
_CUT_KEYS: Final = ("seat", "taken", "bottom", "wilds", "places")
_JOKER, _DEUCE, _RED_THREE, _BLACK_THREE = range(4)
_Lot: TypeAlias = list[int] | int | None
"""Cards, or how many are to be filled in; None: all that are left."""


@dataclass
class _Held:
    """The lots of a position, as given and then filled."""

    hands: list[_Lot]
    feet: dict[int, _Lot]
    stock: list[_Lot]
    known: dict[int, list[int]]
    bottom: list[int] = field(default_factory=list)


def read_held(reader: Reader) -> None:
    """Place the named cards, fill in the others, and write all of them into the game.

    Raises:
        PositionError: the cards are not those of the deck; the message names one and both counts.
    """
    known = {s: read_cards("known", v, reader.suited) for s, v in reader.seats("known").items()}
    hands = _read_lots(reader, "hands")
    size: Any = reader.table_rules.hand
    held = _Held(
        hands=[hands.get(seat, size) for seat in range(reader.players)],
        feet=_read_lots(reader, "feet"),
        stock=_read_stock(reader),
        known=known,
        bottom=_read_cut(reader),
    )
    pile, pending = reader.cards("pile"), _read_pending(reader)
    absent = reader.given.get("absent")
    rest_is_absent = absent == "rest"
    gone = [] if rest_is_absent else reader.cards("absent")
    reader.supply.place([*pile, *pending, *gone])
    reader.supply.place([_RED_THREE] * int(reader.game.red_threes.sum()))
    _place_named(reader, held)
    reader.supply.start_filling(number("seed", reader.given.get("seed", 0), 0, 2**63 - 1))
    _fill(reader, held)
    if rest_is_absent:
        reader.supply.rest()
    reader.supply.finish()
    _write_held(reader, held)
    _write_pile(reader, pile, pending)
    _write_known(reader, known)


def _read_lot(key: str, value: object, suited: bool) -> list[int] | int:
    if isinstance(value, int):
        return number(key, value, 0, MAX_CARDS)
    return read_cards(key, value, suited)


def _read_lots(reader: Reader, key: str) -> dict[int, _Lot]:
    """Hands or feet by seat."""
    lots: dict[int, _Lot] = {}
    for seat, value in reader.seats(key).items():
        lot = _read_lot(key, value, reader.suited)
        if key == "hands" and isinstance(lot, list) and _RED_THREE in lot:
            raise PositionError(f"hands: seat {seat} cannot hold 3r; red threes are laid out")
        if key == "feet" and not lot:
            raise PositionError(
                f"feet: the foot of seat {seat} is empty; leave it out if it is taken"
            )
        lots[seat] = lot
    return lots


def _read_stock(reader: Reader) -> list[_Lot]:
    """The stock, or its streams by seat."""
    given = reader.given.get("stock")
    if given is None:
        return [[] if reader.given.get("absent") == "rest" else None]
    if not isinstance(given, Mapping):
        return [_read_lot("stock", given, reader.suited)]
    streams = by_index("stock", given, reader.players, "seat")
    return [_read_lot("stock", streams.get(s), reader.suited) for s in range(reader.players)]


def _read_pending(reader: Reader) -> list[int]:
    given = reader.turn_state.get("pending", "none")
    return [] if given == "none" else read_cards("pending", given, reader.suited)


def _read_cut(reader: Reader) -> list[int]:
    """Write what was cut into the game; returns the cards at the bottom of the stock."""
    game = reader.game
    game.cut_seat = -1
    game.cut_bottom[:] = -1
    game.cut_places[:] = -1
    given = known_keys("cut", reader.given.get("cut", {}), _CUT_KEYS)
    if not given:
        return []
    if not reader.rules.cut_bonus:
        raise PositionError(f"cut: {reader.rules.name} has no cut (cut_bonus)")
    before = (int(game.dealer) - 1) % reader.players
    game.cut_seat = number("cut: seat", given.get("seat", before), 0, reader.players - 1)
    game.cut_taken = number("cut: taken", given.get("taken", 0), 0, _CUT_CARDS)
    bottom = read_cards("cut: bottom", given.get("bottom"), reader.suited)
    if len(bottom) > _CUT_CARDS - game.cut_taken:
        raise PositionError(f"cut: {game.cut_taken} taken and {len(bottom)} left are more than 3")
    game.cut_bottom[: len(bottom)] = bottom
    game.cut_wilds = number("cut: wilds", given.get("wilds", 0), 0, int(game.cut_taken))
    return bottom


def _place_named(reader: Reader, held: _Held) -> None:
    """Count as placed what is named: cards, what a filled hand is known to hold, the cut bottom."""
    lots = [*enumerate(held.hands), *held.feet.items(), *enumerate(held.stock)]
    for _, lot in lots:
        if isinstance(lot, list):
            reader.supply.place(lot)
    for seat, cards in held.known.items():
        if isinstance(held.hands[seat], int):
            reader.supply.place(cards)
    if not held.bottom:
        return
    if len(held.stock) > 1:
        if not all(isinstance(lot, list) for lot in held.stock):
            raise PositionError("stock: after a cut, streams by seat are given card by card")
        held.bottom = []  # where they lie in the streams is said by places
        return
    _check_bottom(held)
    if not isinstance(held.stock[0], list):
        reader.supply.place(held.bottom)


def _check_bottom(held: _Held) -> None:
    """The stock ends with those of the seen cards that are not drawn yet."""
    stock = held.stock[0]
    size = len(held.bottom) if stock is None else stock if isinstance(stock, int) else len(stock)
    held.bottom = held.bottom[max(0, len(held.bottom) - size) :]
    if isinstance(stock, list) and stock[len(stock) - len(held.bottom) :] != held.bottom:
        raise PositionError("cut: the stock does not end with the cards of its bottom")


def _fill(reader: Reader, held: _Held) -> None:
    """Give the unseen cards out: to the hands, the feet, then the stock."""
    supply = reader.supply
    for seat, lot in enumerate(held.hands):
        if isinstance(lot, int):
            known = held.known.get(seat, [])
            if len(known) > lot:
                raise PositionError(f"known: seat {seat} has {lot} cards, {len(known)} are known")
            held.hands[seat] = known + supply.fill("hands", lot - len(known))
    for seat, lot in held.feet.items():
        if isinstance(lot, int):
            held.feet[seat] = supply.fill("feet", lot)
    for i, lot in enumerate(held.stock):
        if isinstance(lot, int):
            count = lot - len(held.bottom)
            held.stock[i] = supply.fill("stock", count, red_threes=True) + held.bottom
        elif lot is None:
            held.stock[i] = supply.rest() + held.bottom


def _write_held(reader: Reader, held: _Held) -> None:
    """Write hands, feet and stock into the game."""
    game = reader.game
    for seat, lot in enumerate(held.hands):
        cards = lot if isinstance(lot, list) else []
        if not cards and game.phase != Phase.OVER:
            raise PositionError(f"hands: seat {seat} has no card, but the deal is not over")
        for kind in cards:
            game.hands[seat, kind] += 1
        game.hand_sizes[seat] = len(cards)
    for seat, lot in held.feet.items():
        game.has_foot[seat] = True
        for kind in lot if isinstance(lot, list) else []:
            game.feet[seat, kind] += 1
    game.streams = len(held.stock)
    end = 0
    for stream, lot in enumerate(held.stock):
        cards = lot if isinstance(lot, list) else []
        game.stock_next[stream] = end
        game.stock[end : end + len(cards)] = cards
        end += len(cards)
        game.stock_end[stream] = end
    game.stock_size = end
    _write_places(reader)


def _write_places(reader: Reader) -> None:
    """Where in the stock the cards lie that stayed last in the cut: at its end, or as said."""
    game = reader.game
    bottom = [int(kind) for kind in game.cut_bottom if kind >= 0]
    given = known_keys("cut", reader.given.get("cut", {}), _CUT_KEYS).get("places")
    if given is None:
        if game.streams == 1:
            for i in range(len(bottom)):
                place = int(game.stock_end[0]) - len(bottom) + i
                game.cut_places[i] = place if place >= 0 else -1
        return
    if not isinstance(given, list | tuple) or len(given) != len(bottom):
        raise PositionError("cut: places has one entry for each card of the bottom")
    for i, place in enumerate(given):
        if place is not None:
            game.cut_places[i] = _read_place(reader, place, bottom[i])


def _read_place(reader: Reader, given: object, kind: int) -> int:
    """The index in the stock of ``[stream, cards after it]``."""
    game = reader.game
    if not isinstance(given, list | tuple) or len(given) != 2:
        raise PositionError(f"cut: {given!r} is no place; [stream, cards after it] is")
    stream = number("cut: stream", given[0], 0, int(game.streams) - 1)
    last = int(game.stock_end[stream]) - 1
    place = last - number("cut: cards after it", given[1], 0, last - int(game.stock_next[stream]))
    if game.stock[place] != kind:
        card = write_cards([kind], suited=reader.suited)
        raise PositionError(f"cut: {card} does not lie at {list(given)}")
    return place


def _write_pile(reader: Reader, pile: list[int], pending: list[int]) -> None:
    game = reader.game
    game.pile[: len(pile) + len(pending)] = pile + pending
    game.pile_size, game.pending = len(pile), len(pending)
    default = _is_frozen(pile, reader.rules)
    game.frozen = switch("frozen", reader.given.get("frozen", default))


def _write_known(reader: Reader, known: dict[int, list[int]]) -> None:
    game = reader.game
    for seat, cards in known.items():
        for kind in cards:
            game.known[seat, kind] += 1
            if game.known[seat, kind] > game.hands[seat, kind]:
                card = write_cards([kind], suited=reader.suited)
                raise PositionError(f"known: seat {seat} does not hold so many {card}")


def _is_frozen(pile: list[int], rules: Rules) -> bool:
    """What the cards of a pile say: is it frozen (rules.md, the rows about freezing)?"""
    started = _starting_cards(pile, rules)
    red = rules.start_red_three_freezes or rules.red_three_discard
    black = rules.black_three is BlackThree.FREEZE
    for i, kind in enumerate(pile):
        wild = rules.start_wild_freezes if i < started else rules.discarded_wild_freezes
        freezes = (wild, wild, red, black)
        if kind <= _BLACK_THREE and freezes[kind]:
            return True
    return False


def _starting_cards(pile: list[int], rules: Rules) -> int:
    """How many cards at the bottom may have been turned before the first turn."""
    if rules.upcard in (Upcard.AS_IS, Upcard.OFFER):
        return min(1, len(pile))
    if rules.upcard is Upcard.BURY:
        return 0
    threes = rules.upcard is Upcard.COVER_THREES_AND_WILD
    covered = _BLACK_THREE if threes else _RED_THREE
    return next((i for i, kind in enumerate(pile) if kind > covered), len(pile))
