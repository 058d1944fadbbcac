"""Positions as mappings (notation.md, Positions): reading the cards that they name and fill."""

import random
from collections import Counter
from collections.abc import Mapping
from typing import Any

from . import cards
from .cards import RED_THREE
from .rules import Rules, rules_for


def read_rules(given: Mapping[str, Any]) -> Rules:
    named = given.get("rules", "classic")
    changes = dict(named) if isinstance(named, Mapping) else {}
    name = changes.get("preset", "classic") if isinstance(named, Mapping) else str(named)
    players = given.get("players", 4)
    return rules_for(name, int(players), changes)


def by_seat(value: object) -> dict[int, Any]:
    """A mapping or a list by seat or side, with numbers as keys (JSON has texts)."""
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return {int(key): item for key, item in value.items()}
    if isinstance(value, list | tuple):
        return dict(enumerate(value))
    raise ValueError(f"neither a mapping nor a list: {value!r}")


class Cards:
    """The cards of a position: those named first, then those filled in."""

    def __init__(self, rules: Rules, given: Mapping[str, Any]) -> None:
        self.rules = rules
        self.given = given
        self.seats = range(rules.players)
        self.random = random.Random(int(given.get("seed") or 0))
        self.read_named()
        self.unseen = self.find_unseen()
        self.fill()
        self.left_out: list[str] = list(self.absent)
        self.stock = self.read_stock()

    def parse(self, text: object) -> list[str]:
        return cards.parse(text, self.rules.suited)

    def read_named(self) -> None:
        given, sides = self.given, range(self.rules.sides)
        rows = by_seat(given.get("melds"))
        self.melds = [[self.parse(row) for row in rows.get(side) or []] for side in sides]
        red = by_seat(given.get("red_threes"))
        self.red_threes = [int(red.get(side, 0)) for side in sides]
        self.pile = self.parse(given.get("pile"))
        turn_state = given.get("turn_state") or {}
        pending = turn_state.get("pending")
        self.pending = [] if pending == "none" else self.parse(pending)
        self.hands = self.read_group("hands", self.rules.hand, True)
        for seat, held in self.hands.items():
            if isinstance(held, list) and RED_THREE in held:
                count = held.count(RED_THREE)
                raise ValueError(f"{RED_THREE} in the hand of seat {seat}: {count}, not 0")
        self.feet = self.read_group("feet", 0, False)
        stock = given.get("stock")
        self.named_stock = None if stock is None or isinstance(stock, int) else self.parse(stock)
        absent = given.get("absent")
        self.absent = [] if absent in (None, "rest") else self.parse(absent)

    def read_group(self, key: str, size: int, all_seats: bool) -> dict[int, list[str] | int]:
        """Hands or feet: cards, or the number to be filled in; a seat without a foot is missing."""
        rows = by_seat(self.given.get(key))
        found: dict[int, list[str] | int] = {}
        for seat in self.seats:
            row = rows.get(seat, size if all_seats else None)
            if row is not None:
                found[seat] = row if isinstance(row, int) else self.parse(row)
        return found

    def placed(self) -> Counter[str]:
        count: Counter[str] = Counter()
        for rows in self.melds:
            for row in rows:
                count.update(row)
        for group in (self.hands, self.feet):
            for held in group.values():
                count.update(held if isinstance(held, list) else [])
        for row in (self.pile, self.pending, self.named_stock or [], self.absent):
            count.update(row)
        count[RED_THREE] += sum(self.red_threes)
        return count

    def find_unseen(self) -> list[str]:
        whole = Counter(cards.deck(self.rules))
        placed = self.placed()
        for card in sorted(placed, key=cards.order):
            if placed[card] > whole[card]:
                raise ValueError(
                    f"too many {card}: the position has {placed[card]}, the deck {whole[card]}"
                )
        unseen = list((whole - placed).elements())
        self.random.shuffle(unseen)
        return unseen

    def draw_unseen(self, size: int, red: bool) -> list[str]:
        """So many unseen cards; filled hands and feet get no red threes."""
        fit = [card for card in self.unseen if red or card != RED_THREE][:size]
        if len(fit) < size:
            raise ValueError(f"{size} cards are to be filled in, but only {len(fit)} are unseen")
        for card in fit:
            self.unseen.remove(card)
        return fit

    def fill(self) -> None:
        for group in (self.hands, self.feet):
            for seat, held in group.items():
                if isinstance(held, int):
                    group[seat] = self.draw_unseen(held, False)

    def hand(self, seat: int) -> list[str]:
        return self.taken_from(self.hands, seat)

    def foot(self, seat: int) -> list[str] | None:
        return self.taken_from(self.feet, seat) if seat in self.feet else None

    def taken_from(self, group: dict[int, list[str] | int], seat: int) -> list[str]:
        held = group[seat]
        assert isinstance(held, list)
        return held

    def read_stock(self) -> list[str]:
        stock, rest = self.given.get("stock"), self.given.get("absent") == "rest"
        if stock is None and not rest:
            return self.unseen
        found = list(self.named_stock or [])
        if isinstance(stock, int):
            found = self.draw_unseen(stock, True)
        if rest:
            self.left_out = self.unseen
        elif self.unseen:
            whole, card = cards.deck(self.rules), self.unseen[0]
            have = whole.count(card) - self.unseen.count(card)
            raise ValueError(
                f"too few {card}: the position has {have}, the deck {whole.count(card)}"
            )
        return found
