"""The score of a deal from the cards as they lie at its end (rules.md, Scores)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from . import cards, melds
from .cards import BLACK_THREE, DEUCE, JOKER, RED_THREE
from .melds import Meld
from .rules import Rules


@dataclass(frozen=True)
class SideCards:
    """What counts for one side when the deal is over."""

    melds: tuple[tuple[str, ...], ...]
    hands: tuple[tuple[str, ...], ...]
    feet: tuple[tuple[str, ...], ...] = ()  # untaken
    red_threes: int = 0
    went_out: bool = False
    concealed: bool = False
    concealed_canastas: int = 0


def recount(rules: Rules, sides: Sequence[SideCards]) -> list[int]:
    """The deal score of each side."""
    return [total(rules, breakdown(rules, side)) for side in sides]


def breakdown(rules: Rules, side: SideCards) -> dict[str, int]:
    """The lines of a side's score sheet, signed."""
    table = [melds.read(list(meld), False) for meld in side.melds]
    has_canasta = any(melds.is_canasta(rules, meld) for meld in table)
    laid = sum(cards.points(meld.cards) for meld in table)
    against = rules.canasta_or_all_against and not has_canasta
    return {
        "melds": -laid if against else laid,
        "canastas": sum(melds.bonus(rules, meld) for meld in table),
        "concealed_canastas": side.concealed_canastas * rules.concealed_canasta_bonus,
        "going_out": rules.out_bonus if side.went_out else 0,
        "concealed": rules.concealed_bonus if side.concealed else 0,
        "red_threes": red_three_line(rules, side, against),
        "hands": -sum(in_hand(rules, hand) for hand in side.hands),
        "feet": -sum(in_foot(rules, foot) for foot in side.feet),
    }


def total(rules: Rules, lines: dict[str, int]) -> int:
    """Row "deal score rounded": to the nearest hundred, halves up."""
    score = sum(lines.values())
    return (score + 50) // 100 * 100 if rules.rounded else score


def red_three_line(rules: Rules, side: SideCards, against: bool) -> int:
    """Rows "red threes" and "red threes of a side that has not melded"."""
    worth = red_three_worth(rules, side.red_threes)
    if rules.canasta_or_all_against:
        return -worth if against else worth
    return worth if side.melds or rules.red_for_unmelded else -worth


def red_three_worth(rules: Rules, count: int) -> int:
    if rules.red_each_only:
        return rules.red_three * count
    if rules.packs == 3:  # six in the game: up to four 100 each, five 1,000, six 1,200
        return {5: 1000, 6: 1200}.get(count, 100 * count)
    return 800 if count == 4 else 100 * count


def in_hand(rules: Rules, hand: Iterable[str]) -> int:
    """Row "a black three left in hand"."""
    return sum(
        rules.black_three_in_hand if card == BLACK_THREE else cards.value(card) for card in hand
    )


def in_foot(rules: Rules, foot: Iterable[str]) -> int:
    """hand_and_foot: a red three in an untaken foot counts 100 against."""
    foot = list(foot)
    return in_hand(rules, foot) + 100 * foot.count(RED_THREE)


def concealed_canastas(rules: Rules, table: Iterable[Meld], own: tuple[str, ...]) -> int:
    """latvian, A concealed canasta: as many of this turn's canastas as the own cards can make.

    `own` is what was in the hand before the draw, came from the stock, or was the pile's top.
    """
    made = [meld for meld in table if meld.begun and melds.is_canasta(rules, meld)]
    stock = {wild: own.count(wild) for wild in (DEUCE, JOKER)}
    ways = [[(0, 0, 0), *ways_to_cover(rules, meld, own)] for meld in made]
    best = 0
    for choice in product(*ways):
        deuces, jokers = sum(way[1] for way in choice), sum(way[2] for way in choice)
        if deuces <= stock[DEUCE] and jokers <= stock[JOKER]:
            best = max(best, sum(way[0] for way in choice))
    return best


def ways_to_cover(rules: Rules, meld: Meld, own: tuple[str, ...]) -> list[tuple[int, int, int]]:
    """(1, deuces, jokers) for each way to find a canasta of the meld among the own cards."""
    naturals = min(meld.naturals, own.count(meld.rank))
    deuces, jokers = meld.cards.count(DEUCE), meld.cards.count(JOKER)
    return [
        (1, two, joker)
        for two, joker in product(range(deuces + 1), range(jokers + 1))
        if naturals + two + joker >= rules.canasta
    ]
