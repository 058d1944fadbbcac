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

from canasta_env.action_text import Family
from canasta_env.cards import KIND_COUNT, Kind, kind_token, parse_kind, write_cards
from canasta_env.engine.deal import CUT_CARDS
from canasta_env.engine.draw import next_stream
from canasta_env.engine.layout import kinds_of
from canasta_env.engine.state import End, Phase
from canasta_env.game import Deal, Game

__all__ = ["Event", "Happening", "Played", "events"]


class Happening(StrEnum):
    """What kind of thing happened."""

    DEAL = "deal"
    POSITION = "position"
    CUT = "cut"
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
            the bottom to the top; of the cut those that were taken.
        count: of the cards that are not seen; of the red threes and the concealed canastas.
        numbers: what else is told: scores, the deal and the dealer; of a draw the red threes laid
            out and, where they are replaced later, those replaced by it; of the cut the cards and
            the red threes that were taken.
        detail: the action's text, the answer, how the deal ended; of a position a hash of the view;
            of the cut, for who cut, the cards that stayed last.
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
            yield from beginning(state, seat)
        elif last is not None:
            yield from Step(state, before, last, seat).events()
        kept = Deal(state.record.tobytes(), b"")  # numpy copies records field by field, slowly
        before = None if action is None else kept.games()[0]
        last = action


def _name(seat: int, looks: int) -> str:
    return "you" if seat == looks else f"player_{seat}"


def _tokens(counts: Any) -> tuple[str, ...]:
    suited = len(counts) > KIND_COUNT
    return tuple(
        kind_token(kind, suited=suited) for kind in range(len(counts)) for _ in range(counts[kind])
    )


def _token(record: Any, kind: Any) -> str:
    return kind_token(int(kind), suited=kinds_of(record) > KIND_COUNT)


def _row(record: Any, kinds: Iterable[Any]) -> tuple[str, ...]:
    suited = kinds_of(record) > KIND_COUNT
    return tuple(write_cards(map(int, kinds), suited=suited).split())


def _cards(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"


def _red(count: int) -> str:
    return "a red three" if count == 1 else f"{count} red threes"


def beginning(game: Game, seat: int) -> Iterator[Event]:
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
    yield from _cut(game, seat)
    cards = _row(record, record.pile[: int(record.pile_size)])
    if cards:
        frozen = "frozen" if record.frozen else ""
        text = f"turned up: {' '.join(cards)}" + (", which freezes the pile" if frozen else "")
        yield Event(Happening.UPCARDS, text, cards=cards, detail=frozen)
    yield from _dealt_red_threes(game, seat)
    yield Event(Happening.HAND, f"you hold {hand}", seat, tuple(hand.split()))
    yield from _offer(game, seat)


def _cut(game: Game, seat: int) -> Iterator[Event]:
    """Who cut, and how many cards he took; which, and what stayed last, is for him alone."""
    record, cutter = game.record, int(game.record.cut_seat)
    if cutter < 0:
        return
    taken = int(record.cut_taken)
    red = taken - int(record.cut_wilds)
    who, own = _name(cutter, seat), cutter == seat
    low = _row(record, (kind for kind in game.deck[-CUT_CARDS:] if kind <= Kind.RED_THREE))
    stayed = " ".join(_row(record, (kind for kind in record.cut_bottom if kind >= 0)))
    if own:
        text = f"{who} cut and take {' '.join(low) or 'nothing'}"
        text += f"; last {'stay' if ' ' in stayed else 'stays'} {stayed}" if stayed else ""
    else:
        text = f"{who} cuts and takes {_cards(taken) if taken else 'nothing'}"
        text += f", with {_red(red)}" if red else ""
    cards, unseen = (low, 0) if own else ((), taken - red)
    detail = stayed if own else ""
    yield Event(Happening.CUT, text, cutter, cards, unseen, (taken, red), detail)


def _dealt_red_threes(game: Game, seat: int) -> Iterator[Event]:
    """Red threes of the deal: of each side, or where they are not replaced yet of each seat."""
    record = game.record
    if game.rules.owed_red_threes:
        for other in range(game.players):
            count = int(record.owed[other])
            if count:
                text = f"{_name(other, seat)}: {_red(count)} on the table, to be replaced later"
                yield Event(
                    Happening.RED_THREES, text, other, count=count, numbers=(other % game.sides,)
                )
        return
    for side in range(game.sides):
        count = int(record.red_threes[side])
        if count:
            text = f"side {side} lays out {_red(count)}"
            yield Event(Happening.RED_THREES, text, count=count, numbers=(side,))


def _offer(game: Game, seat: int) -> Iterator[Event]:
    """The first card of the stock, which everybody sees."""
    if game.record.phase == Phase.OFFER:
        card = _token(game.record, game.view(seat)[0].offered)
        text = f"{card} is offered to {_name(game.turn, seat)}"
        yield Event(Happening.OFFER, text, game.turn, (card,), detail="offer")


class Step:
    """One action, told by the game after it and a copy of the record before it."""

    def __init__(self, game: Game, before: Any, action: int, looks: int) -> None:
        self.game, self.before, self.after = game, before, game.record
        self.number, self.text = action, game.table.texts[action]
        word = self.text.split()[0]
        self.what = _WORDS.get(word) or Happening(word)
        self.looks = looks
        self.seat = int(before.turn)
        self.who = _name(self.seat, looks)
        self.side = self.seat % game.sides

    def events(self) -> Iterator[Event]:
        """The action itself, then what followed from it."""
        if self.what is Happening.DRAW:
            yield self._draw(self._gained())
        elif self.what is Happening.OFFER:
            yield from self._offered()
        else:
            yield self._take() if self.what is Happening.TAKE else self._said()
            yield from self._pile_came()
            yield from self._owed_after_take()
            yield from self._foot()
        yield from self._ended()

    def _event(self, what: Happening, text: str, **more: Any) -> Event:
        return Event(what, text, self.seat, **more)

    def _said(self) -> Event:
        """An action that everybody saw as it is written."""
        said = "may I go out?" if self.what is Happening.ASK else self.text
        said += " from the table" if self.text == "discard 3r" else ""
        return self._event(self.what, f"{self.who}: {said}", detail=self.text)

    def _red_threes(self) -> int:
        """Red threes that the action brought to the table."""
        return int(self.after.red_threes[self.side]) - int(self.before.red_threes[self.side])

    def _gained(self) -> Any:
        """What came into the hand, by kind."""
        return self.after.hands[self.seat].astype(int) - self.before.hands[self.seat]

    def _draw(self, gained: Any, red_seen: int = 0) -> Event:
        """The own cards by name, those of others only counted.

        ``red_seen`` of the red threes on the table did not come from the stock.
        """
        count, red = int(gained.sum()), self._red_threes() - red_seen
        owed = int(self.before.owed[self.seat]) - int(self.after.owed[self.seat])
        own = self.seat == self.looks
        cards = _tokens(gained) if own else ()
        shown = " ".join(cards) if own else _cards(count)
        text = f"{self.who}: draw {shown if count else 'nothing'}"
        text += f", also for {_red(owed)}" if owed else ""
        text += f", and lay out {_red(red)}" if red else ""
        unseen, numbers = 0 if own else count, (red, owed) if owed else (red,)
        return self._event(Happening.DRAW, text, cards=cards, count=unseen, numbers=numbers)

    def _offered(self) -> Iterator[Event]:
        """The offered card is accepted or refused; then what the stock brought besides."""
        stream = next_stream(self.before, self.seat)
        kind = int(self.before.stock[int(self.before.stock_next[stream])])
        card, gained = _token(self.before, kind), self._gained()
        accepted = self.text == "accept"
        if accepted and kind != Kind.RED_THREE:
            gained[kind] -= 1
        text = f"{self.who}: {self.text} {card}"
        if not accepted:
            text += ", which freezes the pile" if self.after.frozen else ", which starts the pile"
        yield self._event(Happening.OFFER, text, cards=(card,), detail=self.text)
        if not accepted or gained.any() or self._red_threes() or self.before.owed[self.seat]:
            yield self._draw(gained)

    def _owed_after_take(self) -> Iterator[Event]:
        """What replaced the dealt red threes of a seat that began by taking the pile."""
        before, after, seat = self.before, self.after, self.seat
        if self.what is not Happening.TAKE or not before.owed[seat]:
            return
        if before.has_foot[seat] and not after.has_foot[seat]:
            return  # the hand had run out, so nothing came
        gained = self._gained()
        size, left = int(before.pile_size), int(after.pile_size)
        red = 0
        for kind in before.pile[left : size - 1] if not after.pending else ():
            red += 1 if kind == Kind.RED_THREE else 0
            gained[kind] -= 1 if kind != Kind.RED_THREE else 0
        for kind in self._from_hand(int(before.pile[size - 1])):
            gained[kind] += 1
        yield self._draw(gained, red)

    def _from_hand(self, top: int) -> list[int]:
        """The kinds of the hand's cards that a take lays with the top card."""
        suited = kinds_of(self.before) > KIND_COUNT
        action = self.game.table.actions[self.number]
        kinds = [parse_kind(token, suited=suited) for token in action.cards]
        if action.family is Family.TAKE_INTO:
            kinds.remove(top)
        return kinds

    def _take(self) -> Event:
        """The take, with the cards of the pile below its top, which come in or lie apart."""
        size, left = int(self.before.pile_size), int(self.after.pile_size)
        top = _token(self.before, self.before.pile[size - 1])
        cards = _row(self.before, self.before.pile[left : size - 1])
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
            cards = _row(self.before, self.before.pile[size : size + pending])
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
