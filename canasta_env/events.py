"""What happened at the table, as one seat saw and heard it.

A stream of events holds all that is public and what the seat alone knows: its own cards. Two games
with equal streams for a seat have equal views, masks and texts for it. The stream remembers more
than a view does: the order of melds within a turn, and cards that views forget without recall.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Protocol

from canasta_env.cards import RANK_TOKENS, write_cards
from canasta_env.engine.state import End
from canasta_env.game import Deal, Game

__all__ = ["Event", "Happening", "Played", "events"]


class Happening(StrEnum):
    """What kind of thing happened."""

    DEAL = "deal"
    POSITION = "position"
    HAND = "hand"
    UPCARDS = "upcards"
    RED_THREES = "red_threes"
    OFFER = "offer"
    DRAW = "draw"
    PASS = "pass"
    TAKE = "take"
    PILE = "pile"
    MELD = "meld"
    ADD = "add"
    ASK = "ask"
    ANSWER = "answer"
    DISCARD = "discard"
    FOOT = "foot"
    CONCEALED_CANASTAS = "concealed_canastas"
    END = "end"


_WORDS: Final = {
    "accept": Happening.OFFER,
    "refuse": Happening.OFFER,
    "extend": Happening.ADD,
    "yes": Happening.ANSWER,
    "no": Happening.ANSWER,
}
"""What an action is whose first word is not the name of a happening."""


@dataclass(frozen=True)
class Event:
    """One thing that a seat saw or heard.

    Attributes:
        what: its kind.
        text: it in words, with ``you`` for the seat that looks.
        seat: who did it or had it happen, -1 if nobody.
        cards: the tokens of the cards that are seen, in the order of kinds or, of the pile, from
            the bottom to the top.
        count: of the cards that are not seen; of the red threes and the concealed canastas.
        numbers: what else is told: scores, the deal and the dealer.
        detail: the action's text, the answer, how the deal ended; of a position a hash of the view.
    """

    what: Happening
    text: str
    seat: int = -1
    cards: tuple[str, ...] = ()
    count: int = 0
    numbers: tuple[int, ...] = ()
    detail: str = ""

    def __str__(self) -> str:
        return self.text


class Played(Protocol):
    """A record, or anything that has a game."""

    @property
    def game(self) -> Game: ...


def events(played: Game | Played, seat: int) -> list[Event]:
    """The events of all deals that a game or record has played, as ``seat`` saw them.

    A game that was made from a position, or as a world that a seat thinks possible, begins there.

    Raises:
        ValueError: there is no such seat.
    """
    game = played if isinstance(played, Game) else played.game
    game.view(seat)  # refuses a wrong seat
    return list(_stream(game, seat))


def _stream(game: Game, seat: int) -> Iterator[Event]:
    """All events: each action is told by what it changed."""
    before: Any = None
    last: int | None = None
    for state, action in game.replay():
        if before is None:
            yield from _beginning(state, seat)
        elif last is not None:
            yield from _Step(state, before, last, seat).events()
        kept = Deal(state.record.tobytes(), b"")  # numpy copies records field by field, slowly
        before = None if action is None else kept.games()[0]
        last = action


def _name(seat: int, looks: int) -> str:
    return "you" if seat == looks else f"player_{seat}"


def _tokens(counts: Any) -> tuple[str, ...]:
    return tuple(RANK_TOKENS[kind] for kind in range(len(counts)) for _ in range(int(counts[kind])))


def _pile(kinds: Iterable[Any]) -> tuple[str, ...]:
    return tuple(write_cards(map(int, kinds)).split())


def _red(count: int) -> str:
    return "a red three" if count == 1 else f"{count} red threes"


def _beginning(game: Game, seat: int) -> Iterator[Event]:
    """A deal before its first action, or the position that the game began with."""
    record, scores = game.record, tuple(game.scores)
    hand = game.hand(seat)
    if not game.deck.size:
        text = f"you join at turn {int(record.turns) + 1} of deal {game.deal} and hold {hand}"
        detail = hashlib.sha256(game.view(seat).tobytes()).hexdigest()
        yield Event(Happening.POSITION, text, seat, tuple(hand.split()), detail=detail)
        return
    dealer = game.dealer
    text = f"deal {game.deal}: {_name(dealer, seat)} dealt; scores {' : '.join(map(str, scores))}"
    yield Event(Happening.DEAL, text, dealer, numbers=(game.deal, *scores))
    cards = _pile(record.pile[: int(record.pile_size)])
    if cards:
        frozen = "frozen" if record.frozen else ""
        text = f"turned up: {' '.join(cards)}" + (", which freezes the pile" if frozen else "")
        yield Event(Happening.UPCARDS, text, cards=cards, detail=frozen)
    for side in range(game.sides):
        count = int(record.red_threes[side])
        if count:
            text = f"side {side} lays out {_red(count)}"
            yield Event(Happening.RED_THREES, text, count=count, numbers=(side,))
    yield Event(Happening.HAND, f"you hold {hand}", seat, tuple(hand.split()))


class _Step:
    """One action, told by the game after it and a copy of the record before it."""

    def __init__(self, game: Game, before: Any, action: int, looks: int) -> None:
        self.game, self.before, self.after = game, before, game.record
        self.text = game.table.texts[action]
        word = self.text.split()[0]
        self.what = _WORDS.get(word) or Happening(word)
        self.looks = looks
        self.seat = int(before.turn)
        self.who = _name(self.seat, looks)
        self.side = self.seat % game.sides

    def events(self) -> Iterator[Event]:
        """The action itself, then what followed from it."""
        if self.what is Happening.DRAW:
            yield self._draw()
        else:
            yield self._take() if self.what is Happening.TAKE else self._said()
            yield from self._pile_came()
            yield from self._foot()
        yield from self._ended()

    def _event(self, what: Happening, text: str, **more: Any) -> Event:
        return Event(what, text, self.seat, **more)

    def _said(self) -> Event:
        """An action that everybody saw as it is written."""
        said = "may I go out?" if self.what is Happening.ASK else self.text
        return self._event(self.what, f"{self.who}: {said}", detail=self.text)

    def _red_threes(self) -> int:
        """Red threes that the action brought to the table."""
        return int(self.after.red_threes[self.side]) - int(self.before.red_threes[self.side])

    def _draw(self) -> Event:
        """The own cards by name, those of others only counted."""
        gained = self.after.hands[self.seat] - self.before.hands[self.seat]
        count, red = int(gained.sum()), self._red_threes()
        own = self.seat == self.looks
        cards = _tokens(gained) if own else ()
        shown = " ".join(cards) if own else f"{count} card{'' if count == 1 else 's'}"
        text = f"{self.who}: draw {shown if count else 'nothing'}"
        text += f", and lay out {_red(red)}" if red else ""
        unseen = 0 if own else count
        return self._event(Happening.DRAW, text, cards=cards, count=unseen, numbers=(red,))

    def _take(self) -> Event:
        """The take, with the cards of the pile below its top, which come in or lie apart."""
        size, left = int(self.before.pile_size), int(self.after.pile_size)
        top = RANK_TOKENS[int(self.before.pile[size - 1])]
        cards = _pile(self.before.pile[left : size - 1])
        must = bool(self.after.must_go_out)
        text = f"{self.who}: {self.text}, with the {top} on top"
        if cards:
            text += f" and under it {' '.join(cards)}"
            text += ", which lie apart" if self.after.pending else ""
        text += f"; {self.who} must go out" if must else ""
        detail = self.text + (" (apart)" if self.after.pending else "")
        return self._event(Happening.TAKE, text, cards=(*cards, top), count=must, detail=detail)

    def _pile_came(self) -> Iterator[Event]:
        """Cards of the pile that lay apart and came into the hand."""
        size, pending = int(self.before.pile_size), int(self.before.pending)
        if pending and not self.after.pending:
            cards = _pile(self.before.pile[size : size + pending])
            text = f"{self.who}: the pile comes in, {' '.join(cards)}"
            yield self._event(Happening.PILE, text, cards=cards)

    def _foot(self) -> Iterator[Event]:
        """The foot that came into the hand; its cards are seen by their owner alone."""
        before, after, seat = self.before, self.after, self.seat
        if not before.has_foot[seat] or after.has_foot[seat]:
            return
        own = seat == self.looks
        cards = _tokens(after.hands[seat]) if own else ()
        count, red = int(after.hand_sizes[seat]), int(before.feet[seat][2])
        shown = " ".join(cards) if own else f"{count} cards"
        text = f"{self.who}: the foot, {shown}" + (f", and lay out {_red(red)}" if red else "")
        laid = (self._red_threes(),)
        unseen = 0 if own else count
        yield self._event(Happening.FOOT, text, cards=cards, count=unseen, numbers=laid)

    def _ended(self) -> Iterator[Event]:
        """What the end of a turn or of the deal brought."""
        side, after = self.side, self.after
        count = int(after.concealed_canastas[side]) - int(self.before.concealed_canastas[side])
        if count:
            text = f"{self.who}: {count} concealed canasta{'' if count == 1 else 's'}"
            yield self._event(Happening.CONCEALED_CANASTAS, text, count=count)
        if self.game.over:
            how = End(int(after.end)).name.lower()
            points, totals = self.game.deal_scores, self.game.scores
            text = f"the deal is over ({how.replace('_', ' ')}): {_colons(points)}, "
            text += f"so it is {_colons(totals)}"
            out, numbers = int(after.out_seat), (*points, *totals)
            yield Event(Happening.END, text, out, numbers=numbers, detail=how)


def _colons(values: Iterable[int]) -> str:
    return " : ".join(map(str, values))
