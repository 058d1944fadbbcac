"""One face for the two readings of rules.md, so that a test of a rule runs on both.

``reading`` is a fixture (conftest.py): the engine or the plain reading in tests/reference. A test
sets up a position or a deal with it and asks the :class:`Board` that it gets. Cards are written
without suits: where the rules need suits, the board dresses them, and takes them off again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from canasta_env import Game
from canasta_env.rules import Rules
from tests.reference import Table, deal, next_dealer, totals, winners, write

SEATS: dict[str, tuple[int, ...]] = {
    "classic": (2, 3, 4, 6),
    "russian": (4,),
    "czech": (2, 3, 4, 5, 6),
    "standard": (2, 3, 4),
    "hand_and_foot": (2, 3, 4),
    "latvian": (2, 3, 4, 6),
    "hungarian": (2, 4),
}
"""The presets of rules.md, with how many can play them."""

SMALL: dict[str, tuple[int, ...]] = {"mini": (2, 4), "tiny": (2,)}
"""The small games, which play by the rules of classic; many of its cards are not in them."""

RANKS = ("4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
SUITS = "cdhs"
SUITED = re.compile(rf"\b({'|'.join(RANKS)})[{SUITS}]\b")
ROWS = ("melds", "hands", "feet")


def cards(text: str) -> list[str]:
    """A row of cards, as sorted tokens."""
    return sorted(text.split())


def undressed(text: str) -> str:
    return SUITED.sub(r"\1", text)


class Dresser:
    """Gives naturals suits, the copies of a rank in turn, neighbours never the same at first.

    So a hand that is written without suits has no sequence by accident.
    """

    def __init__(self) -> None:
        self.used: Counter[str] = Counter()

    def text(self, text: str) -> str:
        return " ".join(self.token(token) for token in text.split())

    def token(self, token: str) -> str:
        if token not in RANKS:
            return token
        suit = SUITS[(self.used[token] + RANKS.index(token)) % 4]
        self.used[token] += 1
        return token + suit

    def any(self, value: Any) -> Any:
        """The text, or every text in a list or mapping."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.any(one) for one in value]
        if isinstance(value, Mapping):
            return {key: self.any(one) for key, one in value.items()}
        return value

    def position(self, position: Mapping[str, Any]) -> dict[str, Any]:
        dressed = dict(position)
        for key in (*ROWS, "pile", "stock"):
            if key in dressed:
                dressed[key] = self.any(dressed[key])
        return dressed


def preset_of(position: Mapping[str, Any]) -> str:
    rules = position.get("rules", "classic")
    return str(rules if isinstance(rules, str) else rules["preset"])


def without_suits(position: Mapping[str, Any]) -> bool:
    """Whether a position is written without suits; it may not be written half and half."""
    rows = [position.get(key) for key in (*ROWS, "pile", "stock")]
    return not SUITED.search(str(rows))


class Board:
    """A game of either reading: what is legal, what lies where, what the deal came to."""

    def __init__(self, game: Game | Table, plain: bool) -> None:
        self.game = game
        self.plain = plain

    def text(self, text: str) -> str:
        return undressed(text) if self.plain else text

    def legal(self, word: str = "") -> set[str]:
        """The legal actions, or those that begin with a word."""
        found = {self.text(str(action)) for action in self.game.legal()}
        return {text for text in found if text.startswith(word)}

    def can(self, text: str) -> bool:
        return text in self.legal()

    def play(self, *texts: str) -> Board:
        """Play actions in order; each must be legal when its turn comes."""
        for text in texts:
            found = [str(action) for action in self.game.legal()]
            same = [action for action in found if text in (action, self.text(action))]
            assert same, f"{text} is not legal, only {sorted(self.legal())}"
            self.game.play(same[0])
        return self

    def can_play(self, *texts: str) -> bool:
        """Whether these actions are legal one after the other, without playing them here."""
        board = Board(self.game.copy(), self.plain)
        for text in texts:
            if not board.can(text):
                return False
            board.play(text)
        return True

    @property
    def position(self) -> dict[str, Any]:
        return self.game.to_position() if isinstance(self.game, Game) else write(self.game)

    def row(self, key: str) -> Any:
        """A value of the written position; cards without suits where the board has none."""
        value = self.position[key]
        return self.text(value) if isinstance(value, str) else value

    def hand(self, seat: int) -> list[str]:
        return cards(self.text(self.position["hands"][seat]))

    def foot(self, seat: int) -> list[str]:
        return cards(self.text(self.position.get("feet", {}).get(seat, "")))

    def melds(self, side: int) -> list[list[str]]:
        return sorted(cards(self.text(row)) for row in self.position["melds"][side])

    @property
    def pile(self) -> str:
        return str(self.row("pile"))

    @property
    def stock(self) -> str:
        return str(self.row("stock"))

    @property
    def frozen(self) -> bool:
        return bool(self.row("frozen"))

    @property
    def red_threes(self) -> list[int]:
        return list(self.row("red_threes"))

    @property
    def turn(self) -> int:
        return self.game.turn

    @property
    def phase(self) -> str:
        return self.game.phase

    @property
    def over(self) -> bool:
        return self.game.over

    @property
    def deal_scores(self) -> list[int]:
        """One a side; the deal must be over."""
        assert self.over and self.game.deal_scores is not None
        return list(self.game.deal_scores)

    @property
    def scores(self) -> list[int]:
        """The scores of the match after a deal that is over."""
        return self.game.scores if isinstance(self.game, Game) else totals(self.game)

    @property
    def match_over(self) -> bool:
        return self.game.match_over if isinstance(self.game, Game) else bool(winners(self.game))

    @property
    def next_dealer(self) -> int:
        """Who deals after a deal that is over, in a match that goes on."""
        if isinstance(self.game, Table):
            return next_dealer(self.game)
        following = self.game.copy()
        following.next_deal()
        return following.dealer


class Reading:
    """The engine, or the reference: makes boards of positions and deals."""

    def __init__(self, name: str) -> None:
        self.name = name

    def at(self, position: Mapping[str, Any] | None = None, **more: Any) -> Board:
        """The board of a position; the keys can be given as arguments too."""
        position = {"turn": 0, **(position or {}), **more}
        preset = preset_of(position)
        plain = without_suits(position)
        if preset == "czech" and plain:
            position = Dresser().position(position)
        if self.name == "reference":
            return Board(Table.from_position(position), plain)
        return Board(Game.from_position(position), plain)

    def deal(self, preset: str, players: int, deck: list[str], dealer: int = 0) -> Board:
        """The board after the deal of a whole deck, first card first."""
        plain = not SUITED.search(" ".join(deck))
        if preset == "czech" and plain:
            dresser = Dresser()
            deck = [dresser.token(card) for card in deck]
        if self.name == "reference":
            return Board(deal(preset, players, deck, dealer), plain)
        return Board(Game(preset, players=players, deck=" ".join(deck), dealer=dealer), plain)


def whole_deck(packs: int) -> Counter[str]:
    """A deck without suits."""
    pack = {**dict.fromkeys(RANKS, 4), "2": 4, "JK": 2, "3r": 2, "3b": 2}
    return Counter({card: packs * count for card, count in pack.items()})


def deck_with(packs: int, dealt: int, after: str = "", back: str = "4 4 4") -> list[str]:
    """A deck whose first cards are so many naturals, then those named, and whose last are too.

    What lies between are the remaining naturals, then black threes and wild cards; the red threes
    that are not named come right before the last three.
    """
    left = whole_deck(packs)
    left.subtract([*after.split(), *back.split()])
    assert min(left.values()) >= 0
    naturals = [card for card in RANKS for _ in range(left[card])]
    special = [card for card in ("3b", "2", "JK", "3r") for _ in range(left[card])]
    front, rest = naturals[:dealt], naturals[dealt:]
    return [*front, *after.split(), *rest, *special, *back.split()]


Values = Any


def per_preset(classic: Values, **others: Values) -> Callable[[Any], Any]:
    """Parametrise a test by ``preset, players, value``, as a row of the table in rules.md is read.

    A preset that is not named has the value of classic. A value {players: value} goes by the
    number of players; any other is for four, whom all presets know.
    """
    assert set(others) < set(SEATS)
    found = []
    for preset, seats in SEATS.items():
        value = others.get(preset, classic)
        by_players = value if isinstance(value, dict) else {4: value}
        for players, one in by_players.items():
            if players in seats:
                found.append(pytest.param(preset, players, one, id=f"{preset}-{players}"))
    return pytest.mark.parametrize(("preset", "players", "value"), found)


def rounded(preset: str, score: int) -> int:
    """A side's deal score as the preset writes it (row "deal score rounded")."""
    return (score + 50) // 100 * 100 if preset == "russian" else score


def at_the_edges(preset: str, score: int) -> list[tuple[str, int]]:
    """Cards to hold besides, with their points, so that no wrong value hides behind the rounding.

    Where scores are rounded there are two rows: one brings the score to exactly a half, which goes
    up, and one to five points less, which go down.
    """
    if rounded(preset, 5) == 5:
        return [("", 0)]
    rows = []
    for edge in (50, 45):
        points = (score - edge) % 100
        aces, fours = divmod(points, 20)
        rows.append((" ".join(["A"] * aces + ["4"] * (fours // 5)), points))
    return rows


def sides_of(preset: str, players: int) -> int:
    return Rules.preset(preset).sides_of(players)


FOUR = ["K K K K K K K", "Q Q Q Q Q Q Q", "J J J J J 2 2", "10 10 10 10 10 2 2"]
"""Two natural and two mixed canastas: with them every preset lets a seat go out."""
FOUR_CARDS = 70 + 70 + 90 + 90
FEET = {"foot_played": [True] * 4}
"""hand_and_foot: everybody has played from his foot, so that the partner never keeps a seat in."""


def four_bonuses(preset: str) -> int:
    """The bonuses of the four canastas (rows "natural canasta", "mixed canasta")."""
    return 2 * (600 if preset == "czech" else 500) + 2 * 300


def end_of_deal(reading: Reading, preset: str, players: int = 4, **given: Any) -> Board:
    """A deal that ends without going out, with the cards that are given.

    Seat 0 discards a black three on an empty stock and the next seat passes, if it still can. All
    hold a four then unless ``hands`` says otherwise.
    """
    hands = dict.fromkeys(range(players), "4") | given.pop("hands", {})
    hands[0] = f"3b {hands[0]}"
    position = {"rules": preset, "players": players, "phase": "meld", "hands": hands}
    position |= {"pile": "", "stock": "", "absent": "rest"}
    board = reading.at(position | given).play("discard 3b")
    return board if board.over else board.play("pass")
