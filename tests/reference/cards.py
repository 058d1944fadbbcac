"""Cards as text tokens (notation.md, Cards), their values and the deck (rules.md, Card values)."""

from collections import Counter
from collections.abc import Iterable

from .rules import Rules

RANKS = ("4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
SUITS = ("c", "d", "h", "s")
DEUCE, JOKER, RED_THREE, BLACK_THREE = "2", "JK", "3r", "3b"
WILDS = (DEUCE, JOKER)

# rules.md, "Card values everywhere"; a red three has no card value.
VALUES = {JOKER: 50, DEUCE: 20, "A": 20, BLACK_THREE: 5, RED_THREE: 0}
VALUES |= dict.fromkeys(("8", "9", "10", "J", "Q", "K"), 10)
VALUES |= dict.fromkeys(("4", "5", "6", "7"), 5)


def rank_of(token: str) -> str:
    """The token without its suit; wild cards and threes are their own rank."""
    return token[:-1] if suit_of(token) else token


def suit_of(token: str) -> str:
    return token[-1] if token[:-1] in RANKS and token[-1] in SUITS else ""


def is_natural(token: str) -> bool:
    return rank_of(token) in RANKS


def is_wild(token: str) -> bool:
    return token in WILDS


def value(token: str) -> int:
    return VALUES[rank_of(token)]


def points(tokens: Iterable[str]) -> int:
    return sum(value(token) for token in tokens)


def order(token: str) -> tuple[int, int, str]:
    """The order in an action's text: naturals by rank and suit, black threes, `2`, `JK`."""
    rank = rank_of(token)
    if rank in RANKS:
        return (0, RANKS.index(rank), suit_of(token))
    return (1, (RED_THREE, BLACK_THREE, DEUCE, JOKER).index(rank), "")


def sort(tokens: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(tokens, key=order))


def remove(hand: tuple[str, ...], cards: Iterable[str]) -> tuple[str, ...]:
    """The hand without these cards, each of which it must hold."""
    left = list(hand)
    for card in cards:
        left.remove(card)
    return tuple(left)


def holds(hand: Iterable[str], cards: Iterable[str]) -> bool:
    return not Counter(cards) - Counter(hand)


def kinds(suited: bool) -> list[str]:
    """Every token that the deck has."""
    naturals = [rank + suit for rank in RANKS for suit in SUITS] if suited else list(RANKS)
    return [*naturals, RED_THREE, BLACK_THREE, DEUCE, JOKER]


def copies(rules: Rules, token: str) -> int:
    """How often one pack has this token; whole packs have 54 cards."""
    special = {DEUCE: rules.deuces, JOKER: rules.jokers}
    special |= {RED_THREE: rules.red_threes, BLACK_THREE: rules.black_threes}
    if token in special:
        return special[token]
    if rank_of(token) not in ranks(rules):
        return 0
    return 1 if rules.suited else rules.copies


def ranks(rules: Rules) -> tuple[str, ...]:
    """The natural ranks of the deck."""
    return RANKS[: rules.ranks]


def deck(rules: Rules) -> list[str]:
    return [
        token for token in kinds(rules.suited) for _ in range(rules.packs * copies(rules, token))
    ]


def parse(text: object, suited: bool) -> list[str]:
    """A list of cards: one text with spaces, or a list of texts."""
    if text is None:
        return []
    if isinstance(text, str):
        tokens = text.split()
    elif isinstance(text, list | tuple):
        tokens = [str(item) for item in text]
    else:
        raise ValueError(f"not a list of cards: {text!r}")
    known = set(kinds(suited))
    for token in tokens:
        if token not in known:
            raise ValueError(f"no such card in these rules: {token}")
    return tokens
