"""Seeded random whole positions that stress the hard cases; every one has a legal action.

`positions(preset, players, seed, count)` mixes positions built card by card (small hands, first
melds, concealed going out, empty stock, …) with later ones of the same turn, played at random, so
that half-laid minimums, pending piles and answers occur. `deals(preset, players, seed)` gives the
positions of a whole deal played at random.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from . import cards, lookahead, melds, moves, takes
from .cards import BLACK_THREE, DEUCE, JOKER, RANKS, RED_THREE, SUITS, WILDS
from .dealing import deal
from .lookahead import TooHardError
from .rules import Rules, rules_for
from .table import Table
from .writing import write

SCORES = (-400, -5, 0, 0, 50, 1495, 1500, 2495, 2500, 2995, 3000, 3035, 5000, 7500)
THEMES = ("first", "first", "first", "open", "open", "out", "concealed", "concealed", "black")


class Builder:
    """One position, put together from a full deck."""

    def __init__(self, rules: Rules, rng: random.Random) -> None:
        self.rules, self.rng = rules, rng
        self.left = Counter(cards.deck(rules))
        self.seat = rng.randrange(rules.players)
        self.side = self.seat % rules.sides
        self.theme = rng.choice(THEMES)
        self.ranks = cards.ranks(rules)
        self.favourites = rng.sample(self.ranks, min(3, len(self.ranks)))
        self.red_threes = [self.take_red() for _ in range(rules.sides)]
        self.melds: list[list[list[str]]] = [[] for _ in range(rules.sides)]

    # --- cards from the deck -----------------------------------------------------------------

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def take(self, token: str) -> list[str]:
        """The card (of any suit left, where only a rank is named) if one is left."""
        if token in RANKS and self.rules.suited:
            suits = [suit for suit in SUITS if self.left[token + suit]]
            if not suits:
                return []
            token += self.rng.choice(suits)
        if not self.left[token]:
            return []
        self.left[token] -= 1
        return [token]

    def take_many(self, tokens: list[str]) -> list[str]:
        return [card for token in tokens for card in self.take(token)]

    def take_red(self) -> int:
        return len(self.take_many([RED_THREE] * self.rng.choice((0, 0, 0, 1, 2))))

    def take_any(self, size: int) -> list[str]:
        """Cards from all that are left, without red threes."""
        rest = [card for card in self.left.elements() if card != RED_THREE]
        found = self.rng.sample(rest, min(size, len(rest)))
        self.left.subtract(found)
        return found

    # --- melds -------------------------------------------------------------------------------

    def build_melds(self) -> None:
        for side in range(self.rules.sides):
            self.build_side(side)

    def build_side(self, side: int) -> None:
        own = side == self.side
        if own and self.theme == "first":
            return
        if own and self.theme == "concealed" and self.chance(0.7):
            return
        if not own and self.chance(0.4):
            return
        ranks = self.rng.sample(self.ranks, min(self.rng.randint(1, 4), len(self.ranks)))
        if own and self.chance(0.6):
            ranks[0] = self.favourites[0]
        for rank in dict.fromkeys(ranks):
            self.lay(side, self.make_set(rank, own))
        if self.rules.natural_canastas and own and self.theme in ("out", "black"):
            self.build_foot_canastas(side, ranks)
        if self.rules.wild_melds != "no" and self.chance(0.15):
            self.lay(side, self.make_wild_meld())
        if self.rules.runs and self.chance(0.5):
            self.lay(side, self.make_run())

    def lay(self, side: int, row: list[str]) -> None:
        meld = melds.read(row, False) if len(row) >= 3 else None
        one_too_many = meld is not None and meld.kind == "wild" and self.has_wild_meld(side)
        if meld is not None and melds.allowed(self.rules, meld) and not one_too_many:
            self.melds[side].append(list(meld.cards))
        else:
            self.left.update(row)

    def has_wild_meld(self, side: int) -> bool:
        return any(melds.read(row, False).kind == "wild" for row in self.melds[side])

    def make_set(self, rank: str, own: bool) -> list[str]:
        big = (
            (5, 6, 6, 7, 7, 7, 8) if own and self.theme in ("out", "black") else (3, 3, 4, 5, 6, 7)
        )
        size, wilds = self.rng.choice(big), self.rng.choice((0, 0, 1, 2, 3))
        row = [rank] * (size - wilds) + [self.rng.choice(WILDS) for _ in range(wilds)]
        return self.take_many(row)

    def make_wild_meld(self) -> list[str]:
        size = 7 if self.rules.wild_melds == "whole" else self.rng.randint(3, 7)
        return self.take_many([self.rng.choice(WILDS) for _ in range(size)])

    def make_run(self) -> list[str]:
        first, size, suit = self.rng.randrange(9), self.rng.randint(3, 7), self.rng.choice(SUITS)
        row = [rank + suit for rank in RANKS[first : first + size]]
        if self.chance(0.4):
            row[self.rng.randrange(len(row))] = self.rng.choice(WILDS)
        taken = self.take_many(row)
        if taken != row:
            self.left.update(taken)
            return []
        return taken

    def build_foot_canastas(self, side: int, used: list[str]) -> None:
        free = [rank for rank in RANKS if rank not in used]
        for wilds in (0, 0, self.rng.choice((1, 2)), self.rng.choice((0, 1, 2))):
            rank = free.pop(self.rng.randrange(len(free)))
            size = 7 if self.chance(0.9) else 6
            self.lay(side, self.take_many([rank] * (size - wilds) + [DEUCE] * wilds))

    # --- the hand and the pile ---------------------------------------------------------------

    def build_hand(self) -> list[str]:
        sizes = (1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8)
        size = self.rng.choice(sizes)
        if self.theme in ("first", "concealed"):
            size = max(size, self.rng.randint(4, 8))
        size = min(size, self.left.total() // 2)
        hand = self.plan()
        while len(hand) < size:
            hand += self.group()
        hand, back = hand[:size], hand[size:]
        self.left.update(back)
        return hand

    def plan(self) -> list[str]:
        """What the theme wants in the hand first."""
        if self.theme == "concealed" and self.chance(0.5):
            return self.canasta_in_hand()
        if self.theme == "black" and self.chance(0.6):
            return self.take_many([BLACK_THREE] * self.rng.choice((2, 3, 3, 4)))
        if self.theme == "first" and self.chance(0.6):
            row = [self.favourites[0]] * 2 + [self.favourites[1]] * 2
            return self.take_many([*row, *self.rng.choices(("A", "2", "JK", "K"), k=2)])
        return []

    def canasta_in_hand(self) -> list[str]:
        """A canasta of the first favourite, or one that lacks what the pile may bring."""
        size, wilds = self.rng.choice((4, 5, 6, 6, 7, 7)), self.rng.choice((0, 0, 1, 2, 3))
        row = [self.favourites[0]] * (size - wilds) + [DEUCE] * wilds
        return self.take_many(row) + self.take_many([self.favourites[1]] * self.rng.choice((0, 2)))

    def group(self) -> list[str]:
        """A few cards that belong together."""
        rng = self.rng
        rank = rng.choice(self.favourites) if self.chance(0.7) else rng.choice(self.ranks)
        groups: list[Callable[[], list[str]]] = [
            lambda: self.take_many([rank] * rng.randint(1, 3)),
            lambda: self.take_many([rank] * 2 + [rng.choice(WILDS)]),
            lambda: self.take(rng.choice((DEUCE, DEUCE, JOKER))),
            lambda: self.take_any(1),
            lambda: self.take(self.own_meld_rank()),
        ]
        if self.theme == "concealed":
            groups.append(lambda: self.take_many([self.favourites[0]] * rng.randint(4, 7)))
        if self.theme == "black" or self.chance(0.1):
            groups.append(lambda: self.take_many([BLACK_THREE] * rng.randint(1, 4)))
        if self.rules.runs:
            groups.append(self.part_of_a_run)
        if self.rules.wild_melds != "no" and self.chance(0.15):
            groups.append(lambda: self.take_many([rng.choice(WILDS) for _ in range(7)]))
        return rng.choice(groups)()

    def own_meld_rank(self) -> str:
        rows = self.melds[self.side]
        if not rows:
            return self.rng.choice(self.ranks)
        return cards.rank_of(self.rng.choice(self.rng.choice(rows)))

    def part_of_a_run(self) -> list[str]:
        suit, first = self.rng.choice(SUITS), self.rng.randrange(9)
        runs = [melds.read(row, False) for row in self.melds[self.side]]
        runs = [run for run in runs if run.kind == "run"]
        if runs and self.chance(0.5):
            suit, first = runs[0].rank, melds.start(runs[0]) + len(runs[0].cards)
        return self.take_many([rank + suit for rank in RANKS[first : first + 3]])

    def build_pile(self, hand: list[str]) -> list[str]:
        if self.theme == "concealed" and self.chance(0.4):
            under = [self.favourites[1]] * self.rng.randint(0, 2)
            return self.take_many(under) + (self.take(self.favourites[0]) or self.take_any(1))
        size = self.rng.choice((0, 1, 1, 1, 2, 2, 2, 3, 3, 4))
        if self.rules.taken and self.chance(0.2):
            size = self.rng.randint(6, 9)
        pile = self.take_any(max(size - 1, 0))
        if pile and self.chance(0.3):
            pile = self.under(pile, self.rng.choice((DEUCE, JOKER, RED_THREE, BLACK_THREE)))
        if pile and self.chance(0.4):
            pile = self.under(pile[::-1], self.rng.choice(self.favourites))
        return pile + self.top(hand) if size and hand else []

    def under(self, pile: list[str], token: str) -> list[str]:
        """The pile with that card in the place of its lowest."""
        card = self.take(token)
        self.left.update(pile[: len(card)])
        return card + pile[len(card) :]

    def top(self, hand: list[str]) -> list[str]:
        counts = Counter(map(cards.rank_of, hand))
        pairs = [rank for rank, count in counts.items() if count >= 2 and rank in RANKS]
        wanted = [cards.rank_of(self.rng.choice(hand)), self.own_meld_rank(), *pairs * 4]
        if not self.melds[self.side]:
            wanted += pairs * 8
        if counts[BLACK_THREE] >= 2 and self.rules.take_black_three:
            wanted += [BLACK_THREE] * 4
        if self.rules.runs:
            wanted += [card for card in self.next_places(hand) if card]
        found = self.take(self.rng.choice(wanted))
        return found or self.take_any(1)

    def next_places(self, hand: list[str]) -> list[str]:
        runs = [melds.read(row, False) for row in self.melds[self.side]]
        places = [
            (run.rank, melds.start(run) + len(run.cards)) for run in runs if run.kind == "run"
        ]
        places += [
            (cards.suit_of(card), RANKS.index(cards.rank_of(card)) + 1)
            for card in hand
            if cards.is_natural(card)
        ]
        return [RANKS[at] + suit for suit, at in places if at < len(RANKS)]

    # --- the whole ---------------------------------------------------------------------------

    def build(self) -> dict[str, Any]:
        rules, rng = self.rules, self.rng
        self.build_melds()
        hand = self.build_hand()
        pile = self.build_pile(hand)
        draw = self.chance(0.5 if self.melds[self.side] else 0.75)
        high = rules.waives == "always" and self.theme == "concealed"
        scores = (3000, 1500) if high else SCORES
        position: dict[str, Any] = {
            "rules": rules.name,
            "players": rules.players,
            "scores": [rng.choice(scores) for _ in range(rules.sides)],
            "deal": rng.randint(1, 4) if rules.deals else 1,
            "dealer": rng.randrange(rules.players),
            "turn": self.seat,
            "phase": "draw" if draw else "meld",
            "hands": {seat: " ".join(row) for seat, row in self.other_hands(hand).items()},
            "melds": {side: [" ".join(row) for row in rows] for side, rows in self.rows()},
            "red_threes": self.red_threes,
            "pile": " ".join(pile),
            "seat_melded": self.seat_melded(),
        }
        if rules.foot:
            self.add_feet(position)
        if rules.suited and self.chance(0.4):
            position["owed"] = self.owed()
        self.add_stock(position)
        return position

    def rows(self) -> Iterator[tuple[int, list[list[str]]]]:
        return iter(enumerate(self.melds))

    def other_hands(self, own: list[str]) -> dict[int, list[str]]:
        """A seat that has not melded and drew nothing would hold more; these hands are short."""
        most = max(1, self.left.total() // (self.rules.players + 1))
        sizes = [min(most, self.rng.randint(2, 9)) for _ in range(self.rules.players)]
        hands = {seat: self.take_any(size) for seat, size in enumerate(sizes)}
        self.left.update(hands[self.seat])
        return {**hands, self.seat: own}

    def seat_melded(self) -> list[bool]:
        """At least one seat of a side that has melds; the seat to act often not."""
        flags = []
        for seat in range(self.rules.players):
            alone = self.rules.players == self.rules.sides
            has = bool(self.melds[seat % self.rules.sides])
            flags.append(has and (alone or seat != self.seat or self.chance(0.5)))
        return flags

    def add_feet(self, position: dict[str, Any]) -> None:
        share = 0.3 if self.theme in ("out", "black") else 0.6
        waiting = [seat for seat in range(self.rules.players) if self.chance(share)]
        feet = {seat: self.take_any(self.rng.randint(9, 13)) for seat in waiting}
        for foot in feet.values():
            foot += self.take_many([RED_THREE] * self.rng.choice((0, 0, 1)))
        position["feet"] = {seat: " ".join(foot) for seat, foot in feet.items()}
        played = [seat not in feet and self.chance(0.7) for seat in range(self.rules.players)]
        position["foot_played"] = played

    def owed(self) -> list[int]:
        owed, left = [], list(self.red_threes)
        for seat in range(self.rules.players):
            owed.append(self.rng.randint(0, left[seat % self.rules.sides]))
            left[seat % self.rules.sides] -= owed[-1]
        return owed

    def add_stock(self, position: dict[str, Any]) -> None:
        """The rest, shuffled; or only a few cards of it, the others out of the game; or none."""
        rest = list(self.left.elements())
        self.rng.shuffle(rest)
        size = len(rest)
        if self.chance(0.3):
            size = min(size, self.rng.choice((0, 0, 0, 1, 2)))
        if self.rules.empty_stock == "ends" and position["phase"] == "draw":
            size = max(size, 1)  # the deal would be over
        position["stock"], position["absent"] = " ".join(rest[:size]), " ".join(rest[size:])


def usable(table: Table) -> bool:
    """Legal actions exist; not a seat that holds one card after its draw (nothing leads there)."""
    if table.over or (table.phase == "meld" and table.state is not None and lonely(table)):
        return False
    return bool(table.legal())


def lonely(table: Table) -> bool:
    state = table.state
    return state is not None and not state.acted and not state.top and len(state.hand) < 2


def wander(table: Table, rng: random.Random) -> Iterator[Table]:
    """The table after each of some random legal actions in the same turn, few of them discards."""
    table = table.copy()
    seat = table.turn
    for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 4, 6))):
        text = step(table.legal(), rng)
        if not text:
            return
        table.play(text)
        if table.over or (table.turn != seat and table.phase != "answer"):
            return
        yield table.copy()


def step(legal: list[str], rng: random.Random) -> str:
    choices = [text for text in legal if not text.startswith(("discard", "pass"))]
    for word, share in (("take", 0.85), ("ask", 0.3), ("meld", 0.4)):
        some = [text for text in choices if text.startswith(word)]
        if some and rng.random() < share:
            return rng.choice(some)
    return rng.choice(choices) if choices else ""


def promising(table: Table) -> bool:
    """By shape alone there is a take, a meld or an addition, whether it is legal or not."""
    if table.phase == "draw":
        return bool(takes.takes(table.begin(), tuple(table.pile), table.frozen))
    return table.state is not None and bool(moves.melds_and_additions(table.state))


def positions(
    preset: str, players: int, seed: int, count: int, limit: int = 3000
) -> Iterator[dict[str, Any]]:
    """So many positions; those whose search would pass `limit` states are left out."""
    rules = rules_for(preset, players)
    rng = random.Random(f"{preset} {players} {seed}")
    made = 0
    while made < count:
        for table in attempt(rules, rng, limit)[: count - made]:
            made += 1
            yield write(table)


def attempt(rules: Rules, rng: random.Random, limit: int) -> list[Table]:
    """A built position and later ones of its turn; none where it is not usable or too hard."""
    position = Builder(rules, rng).build()
    if not all(position["hands"].values()):  # the deck was too small
        return []
    table = Table.from_position(position)
    try:
        with lookahead.limited(limit):
            if not usable(table) or not (promising(table) or rng.random() < 0.1):
                return []
            found = [table, *wander(table, rng)]
            return [one for one in found if usable(one)]
    except TooHardError:
        return []


def deals(preset: str, players: int, seed: int, limit: int = 3000) -> Iterator[dict[str, Any]]:
    """The positions of one deal that is played at random; it breaks off where it gets too hard."""
    rules = rules_for(preset, players)
    rng = random.Random(f"deal {preset} {players} {seed}")
    deck = cards.deck(rules)
    rng.shuffle(deck)
    scores = [rng.choice(SCORES) for _ in range(rules.sides)]
    table = deal(preset, players, deck, rng.randrange(players), scores, rng.randint(1, 4))
    while not table.over:
        try:
            with lookahead.limited(limit):
                action = choose(table.legal(), rng)
        except TooHardError:
            return
        yield write(table)
        table.play(action)
    yield write(table)


def choose(legal: list[str], rng: random.Random) -> str:
    going_on = [text for text in legal if not text.startswith("discard")]
    return rng.choice(going_on if going_on and rng.random() < 0.8 else legal)
