"""Melds: which shapes are allowed, canastas, points toward the first minimum."""

from dataclasses import dataclass, replace

from . import cards
from .cards import BLACK_THREE, JOKER, RANKS
from .rules import Rules


@dataclass(frozen=True, order=True)
class Meld:
    """A set of one rank, black threes (a set too), a run in a suit, or wild cards only."""

    kind: str  # set, run, wild
    rank: str  # the rank of a set, the suit of a run, "wild"
    cards: tuple[str, ...]  # a run's low to high, others in the order of the notation
    begun: bool = False  # begun in this turn

    @property
    def wilds(self) -> int:
        return sum(map(cards.is_wild, self.cards))

    @property
    def naturals(self) -> int:
        return len(self.cards) - self.wilds


def start(run: Meld) -> int:
    """The index of the rank of the run's first place."""
    place = next(i for i, card in enumerate(run.cards) if cards.is_natural(card))
    return RANKS.index(cards.rank_of(run.cards[place])) - place


def joined(meld: Meld, more: tuple[str, ...]) -> Meld:
    """The meld with more cards: sets are sorted, runs grow at the high end."""
    both = meld.cards + more
    return replace(meld, cards=both if meld.kind == "run" else cards.sort(both))


def allowed(rules: Rules, meld: Meld) -> bool:
    """Whether the rules let a meld of these cards lie on the table."""
    if meld.kind == "wild":
        return wild_allowed(rules, meld)
    if meld.rank == BLACK_THREE:  # row "black threes melded": three or four, without wilds
        return rules.meld_black_threes and len(meld.cards) in (3, 4) and not meld.wilds
    if meld.kind == "run":
        return run_allowed(rules, meld)
    if len(meld.cards) < 3 or meld.naturals < 2 or meld.wilds > rules.max_wilds:
        return False
    if rules.closes_at and len(meld.cards) > rules.closes_at:
        return False
    return wilds_against_naturals(rules, meld)


def wilds_against_naturals(rules: Rules, meld: Meld) -> bool:
    """Row "wilds against naturals"."""
    if rules.wilds == "fewer":
        return meld.wilds < meld.naturals
    if rules.wilds == "half":
        return meld.naturals >= 2 * meld.wilds
    if rules.wilds == "not_more":
        return meld.wilds <= meld.naturals
    if rules.name == "czech":  # at most one wild in three; a canasta has four naturals
        if len(meld.cards) == 3 and meld.wilds > 1:
            return False
        return len(meld.cards) < rules.canasta or meld.naturals >= 4
    return True


def wild_allowed(rules: Rules, meld: Meld) -> bool:
    """Row "melds of wild cards only"."""
    if rules.wild_melds == "grow":
        return 3 <= len(meld.cards) <= rules.canasta
    return rules.wild_melds == "whole" and len(meld.cards) == rules.canasta


def run_allowed(rules: Rules, meld: Meld) -> bool:
    """Row "sequences": one suit, 4 up to A, at least two naturals, at most three wilds."""
    if not rules.runs or len(meld.cards) < 3 or meld.naturals < 2 or meld.wilds > 3:
        return False
    first = start(meld)
    if first < 0 or first + len(meld.cards) > len(RANKS):
        return False
    return all(
        cards.is_wild(card) or card == RANKS[first + i] + meld.rank
        for i, card in enumerate(meld.cards)
    )


def is_canasta(rules: Rules, meld: Meld) -> bool:
    """A sequence is never a canasta."""
    return meld.kind != "run" and len(meld.cards) >= rules.canasta


def bonus(rules: Rules, meld: Meld) -> int:
    """Rows "natural canasta", "mixed canasta", "canasta of wild cards"."""
    if not is_canasta(rules, meld):
        return 0
    if meld.kind == "wild":
        four = meld.cards.count(JOKER) == 4
        return rules.four_jokers_bonus if four else rules.wild_bonus
    return rules.mixed_bonus if meld.wilds else rules.natural_bonus


def staged(rules: Rules, table: tuple[Meld, ...]) -> int:
    """The points of the melds begun this turn toward the first minimum (First meld)."""
    begun = [meld for meld in table if meld.begun]
    total = sum(cards.points(meld.cards) for meld in begun)
    if rules.bonus_counts:
        total += sum(bonus(rules, meld) for meld in begun)
    return total


def has_triple(table: tuple[Meld, ...]) -> bool:
    """czech: a set with three naturals, or a sequence with three naturals in a row."""
    return any(is_triple(meld) for meld in table if meld.begun)


def is_triple(meld: Meld) -> bool:
    if meld.kind == "set":
        return meld.naturals >= 3
    natural = "".join("n" if cards.is_natural(card) else "w" for card in meld.cards)
    return meld.kind == "run" and "nnn" in natural


def reaches(rules: Rules, table: tuple[Meld, ...], needed: int) -> bool:
    if rules.triple_needed and not has_triple(table):
        return False
    return staged(rules, table) >= needed


def canastas_made(rules: Rules, table: tuple[Meld, ...]) -> bool:
    """Row "canastas to go out (canastas of wild cards count)"."""
    made = [meld for meld in table if is_canasta(rules, meld)]
    mixed = sum(1 for meld in made if meld.wilds)
    if len(made) - mixed < rules.natural_canastas or mixed < rules.mixed_canastas:
        return False
    return len(made) >= rules.canastas


def read(tokens: list[str], begun: bool) -> Meld:
    """A meld written in a position as a row of cards."""
    naturals = [card for card in tokens if not cards.is_wild(card)]
    if not naturals:
        return Meld("wild", "wild", cards.sort(tokens), begun)
    ranks = {cards.rank_of(card) for card in naturals}
    if len(ranks) == 1:
        return Meld("set", ranks.pop(), cards.sort(tokens), begun)
    return Meld("run", cards.suit_of(naturals[0]), tuple(tokens), begun)
