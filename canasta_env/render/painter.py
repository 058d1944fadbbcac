"""The table as a picture: what :mod:`canasta_env.render.ansi` says in text, with cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pygame

from canasta_env.cards import KIND_COUNT, RANK_TOKENS, SUITS, Kind
from canasta_env.engine.state import FIRST_NATURAL, Phase
from canasta_env.render import dressing as places
from canasta_env.render import words
from canasta_env.render.dressing import Dressing, Place
from canasta_env.render.faces import back, face, font
from canasta_env.rules import Rules

__all__ = ["SIZE", "Painter", "pixels"]

SIZE: Final = (1280, 800)
"""Width and height of a picture in pixels; even, as video formats want them."""

Card = tuple[int, str]
"""A kind with the suit that it is dressed with."""
Colour = tuple[int, int, int]

_FELT: Final = (20, 92, 66)
_PANEL: Final = (15, 70, 51)
_BAR: Final = (10, 46, 34)
_TEXT: Final = (238, 242, 236)
_MUTED: Final = (163, 196, 180)
_GOLD: Final = (236, 190, 78)
_ICE: Final = (120, 205, 250)
_SIDES: Final = (
    (86, 156, 230), (236, 130, 84), (170, 204, 92), (204, 132, 214), (240, 206, 96), (120, 210, 200)
)  # fmt: skip
_CANASTAS: Final = {"natural": (214, 52, 66), "mixed": (40, 44, 54), "wild": (206, 156, 40)}
_SUIT_ORDER: Final = "shcdrb"

_HEADING: Final = pygame.Rect(0, 0, 1280, 44)
_SEATS: Final = pygame.Rect(8, 52, 250, 540)
_MELDS: Final = pygame.Rect(266, 52, 790, 540)
_SUPPLY: Final = pygame.Rect(1064, 52, 208, 540)
_WORDS: Final = pygame.Rect(8, 598, 1264, 32)
_HAND: Final = pygame.Rect(8, 636, 1264, 156)
_MINI: Final = (30, 42)
_CARD: Final = (58, 82)
_LARGE: Final = (92, 130)


class Painter:
    """Paints tables of some rules.

    Args:
        rules: the rules of the games.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._surface = pygame.Surface(SIZE, 0, 32)

    def paint(
        self, view: Any, dressing: Dressing, hands: Sequence[Any] = (), last: str = ""
    ) -> Any:
        """The picture of a view as a ``pygame.Surface`` of :data:`SIZE`; the next call paints over
        it.

        Args:
            view: a record of ``state.VIEW_DTYPE`` or ``state.SUITED_VIEW_DTYPE``.
            dressing: the suits; only those of cards that the views hold are looked at.
            hands: views of other seats, whose hands are shown too.
            last: what was done last, in words.
        """
        self._surface.fill(_FELT)
        table = _Table(self._surface, self._rules, view, dressing, hands)
        table.heading()
        table.seats()
        table.melds()
        table.supply()
        table.words(last)
        table.hand()
        return self._surface


def pixels(surface: Any) -> npt.NDArray[np.uint8]:
    """uint8 (height, width, 3): the colours of a surface, red, green and blue."""
    width, height = surface.get_size()
    data = np.frombuffer(pygame.image.tobytes(surface, "RGB"), np.uint8)
    return data.reshape(height, width, 3).copy()


class _Table:
    """One picture while it is painted."""

    def __init__(
        self, surface: Any, rules: Rules, view: Any, dressing: Dressing, hands: Sequence[Any]
    ) -> None:
        self.surface, self.rules, self.view, self.dressing = surface, rules, view, dressing
        self.hands: Mapping[int, Any] = {int(one.seat): one for one in (*hands, view)}
        self.dressed = KIND_COUNT if len(view.hand) == KIND_COUNT else FIRST_NATURAL

    # -- small things ------------------------------------------------------------------------------

    def write(
        self,
        text: str,
        at: tuple[float, float],
        size: int = 22,
        colour: Colour = _TEXT,
        *,
        width: int = 0,
        right: bool = False,
        centre: bool = False,
    ) -> int:
        """A line of text, cut to ``width`` pixels if that is given; its own width."""
        line = font(size).render(text, True, colour)
        while width and line.get_width() > width and len(text) > 1:
            text = text.rstrip("…")[:-1] + "…"
            line = font(size).render(text, True, colour)
        x = at[0] - (line.get_width() if right else line.get_width() // 2 if centre else 0)
        self.surface.blit(line, (x, at[1]))
        return int(line.get_width())

    def panel(self, area: pygame.Rect, edge: Colour | None = None) -> None:
        pygame.draw.rect(self.surface, _PANEL, area, border_radius=10)
        if edge:
            pygame.draw.rect(self.surface, edge, area, width=3, border_radius=10)

    def card(
        self, card: Card, at: tuple[float, float], size: tuple[int, int], strip: int = 0
    ) -> None:
        kind, suit = card
        self.surface.blit(face(_rank(kind, self.dressed), suit, *size, strip), at)

    def row(
        self,
        row: Sequence[Card | None],
        area: pygame.Rect,
        size: tuple[int, int],
        pitch: int,
    ) -> None:
        """Cards from left to right, backs where there is none, as close as they must be."""
        room = area.width - size[0]
        step = min(pitch, room / (len(row) - 1)) if len(row) > 1 else 0
        for i, card in enumerate(row):
            at = area.x + i * step, area.y
            if card is None:
                self.surface.blit(back(*size), at)
            else:
                self.card(card, at, size)

    # -- which cards -------------------------------------------------------------------------------

    def cards(self, counts: Any, *where: Place) -> list[Card]:
        """Counts by kind as dressed cards that lie at some places, in the order of a hand."""
        found: list[Card] = []
        for kind in dict.fromkeys(words.kinds_in_order(counts)):
            suits = [suit for place in where for suit in self.suits(place, kind)]
            number = int(counts[kind])
            suits = (suits + [places.suits_of(kind)[0]] * number)[:number]
            found += [(kind, suit) for suit in sorted(suits, key=_SUIT_ORDER.index)]
        return found

    def suits(self, place: Place, kind: int) -> list[str]:
        """The suits of the cards of a kind at a place."""
        if kind >= self.dressed:
            return [SUITS[(kind - FIRST_NATURAL) % len(SUITS)]] * 200
        return self.dressing.suits(place, kind)

    def in_hand(self, seat: int) -> list[Card | None]:
        """A seat's hand, as far as the picture may show it."""
        if seat in self.hands:
            where = places.known(seat), places.hand(seat)
            return [*self.cards(self.hands[seat].hand, *where)]
        seen: list[Card | None] = [*self.cards(self.view.known[seat], places.known(seat))]
        return [None] * (int(self.view.hand_sizes[seat]) - len(seen)) + seen

    def of_meld(self, side: int, meld: words.Meld) -> list[Card]:
        """The cards of a meld, dressed."""
        if meld.rank < 0:
            where = places.sequence(side, meld.number)
        else:
            where = places.meld(side, meld.rank, meld.number)
        suits = {kind: self.suits(where, kind) for kind in set(meld.kinds)}
        return [
            (kind, suits[kind].pop(0) if suits[kind] else places.suits_of(kind)[0])
            for kind in meld.kinds
        ]

    # -- the parts of a picture --------------------------------------------------------------------

    def heading(self) -> None:
        """Rules, deal and turn, and the scores."""
        view = self.view
        pygame.draw.rect(self.surface, _BAR, _HEADING)
        parts = [str(self.rules), f"deal {int(view.deal)}", f"turn {int(view.turns) + 1}"]
        self.write(words.joined(parts), (16, 12), 28, width=760)
        right = _HEADING.right - 16
        for side in reversed(range(int(view.sides))):
            score = str(int(view.scores[side]))
            right -= self.write(score, (right, 11), 30, _TEXT, right=True) + 10
            pygame.draw.circle(self.surface, _SIDES[side], (right - 4, 21), 8)
            right -= 34
        self.write("scores", (right + 8, 14), 24, _MUTED, right=True)

    def seats(self) -> None:
        """What all know of each seat, one below the other."""
        players = int(self.view.players)
        height = min(132, (_SEATS.height - 8 * (players - 1)) // players)
        for seat in range(players):
            top = _SEATS.y + seat * (height + 8)
            self.seat(seat, pygame.Rect(_SEATS.x, top, _SEATS.width, height))

    def seat(self, seat: int, area: pygame.Rect) -> None:
        """One seat: its name, its cards or their backs, and what there is to say."""
        view = self.view
        acts = seat == view.turn and view.phase != Phase.OVER
        self.panel(area, _GOLD if acts else None)
        stripe = pygame.Rect(area.x + 6, area.y + 8, 5, area.height - 16)
        pygame.draw.rect(self.surface, _SIDES[seat % int(view.sides)], stripe, border_radius=2)
        small = area.height < 100
        x, y = area.x + 20, area.y + (4 if small else 8)
        end = x + self.write(f"player_{seat}", (x, y), 26, _GOLD if acts else _TEXT)
        if seat == view.dealer:
            pygame.draw.circle(self.surface, _TEXT, (end + 16, y + 9), 9)
            self.write("D", (end + 16, y + 2), 20, _BAR, centre=True)
        held = words.count(int(view.hand_sizes[seat]), "card", "cards")
        self.write(held, (area.right - 10, y + 2), 22, _MUTED, right=True)
        size = (_MINI[0] - 4, _MINI[1] - 6) if small else _MINI
        strip = pygame.Rect(x, y + (20 if small else 24), area.width - 32, size[1])
        self.row(self.in_hand(seat), strip, size, 19)
        top = strip.bottom + (3 if small else 7)
        room = pygame.Rect(x, top, area.width - 32, area.bottom - 3 - top)
        self.seat_words(seat, room)

    def seat_words(self, seat: int, area: pygame.Rect) -> None:
        """The lines below a seat's cards, as many as there is room for."""
        view = self.view
        foot, last = int(view.foot_sizes[seat]), int(view.last_discard[seat])
        said = [word for word in words.seat_remarks(view, seat) if word != "dealer"]
        parts = [f"foot of {foot}" if foot else ""]
        parts.append(f"last discard {words.token(view, last)}" if last >= 0 else "")
        lines = [words.joined(parts), words.joined(said)]
        if area.height < 36:
            lines = [words.joined([*said, *parts])]
        for i, line in enumerate(lines):
            self.write(line, (area.x, area.y + 18 * i), 20, _MUTED, width=area.width)

    def melds(self) -> None:
        """The sides' melds, each side in a field of its own."""
        sides = int(self.view.sides)
        columns = 1 if sides <= 3 else 2
        rows = -(-sides // columns)
        width = (_MELDS.width - 8 * (columns - 1)) // columns
        height = (_MELDS.height - 8 * (rows - 1)) // rows
        for side in range(sides):
            row, column = divmod(side, columns)
            x, y = _MELDS.x + column * (width + 8), _MELDS.y + row * (height + 8)
            alone = side == sides - 1 and column == 0
            self.side(side, pygame.Rect(x, y, _MELDS.width if alone else width, height))

    def side(self, side: int, area: pygame.Rect) -> None:
        """A side: its name, what there is to say, and its melds as columns."""
        self.panel(area)
        pygame.draw.circle(self.surface, _SIDES[side], (area.x + 18, area.y + 17), 7)
        x = area.x + 34
        x += self.write(words.side_title(self.view, side), (x, area.y + 8), 24) + 14
        red = self.dressing.suits(places.red_threes(side), Kind.RED_THREE)
        red = red[: int(self.view.red_threes[side])]
        remarks = [text for text in words.side_remarks(self.view, side) if "red three" not in text]
        strip = pygame.Rect(area.right - 10 - _MINI[0], area.y + 5, 150, _MINI[1])
        if red:
            strip.x -= 19 * (len(red) - 1)
            self.row([(Kind.RED_THREE, suit) for suit in red], strip, _MINI, 19)
        room = (strip.x if red else area.right) - 12 - x
        self.write(words.joined(remarks), (x, area.y + 9), 22, _MUTED, width=max(room, 1))
        melds = words.melds_of(self.view, side, self.rules.canasta_size)
        inner = pygame.Rect(area.x + 12, area.y + 40, area.width - 24, area.height - 48)
        width = max(36, min(_CARD[0], inner.height * 2 // 5))
        room = inner.width - width - (2 * _MINI[0] if red else 0)
        step = min(width + 8.0, room / max(1, len(melds) - 1))
        for i, meld in enumerate(melds):
            column = pygame.Rect(int(inner.x + i * step), inner.y, width, inner.height)
            self.meld(self.of_meld(side, meld), meld, column)

    def meld(self, row: list[Card], meld: words.Meld, area: pygame.Rect) -> None:
        """A meld as a column; a canasta has a ribbon below it with its number of cards."""
        width, height = area.width, area.width * _CARD[1] // _CARD[0]
        ribbon = 20 if meld.canasta else 0
        room = area.height - height - ribbon
        step = min(width * 0.4, room / max(1, len(row) - 1))
        shown = row
        if meld.closed:  # a stack that shows one natural
            step, shown = 4, row[:3]
        for i, card in enumerate(shown):
            strip = int(width * 0.4) if meld.closed or card is shown[-1] else int(step)
            self.card(card, (area.x, area.y + int(i * step)), (width, height), strip)
        bottom = area.y + int((len(shown) - 1) * step) + height
        if meld.canasta:
            tag = pygame.Rect(area.x, bottom - 4, width, 20)
            pygame.draw.rect(self.surface, _CANASTAS[meld.canasta], tag, border_radius=5)
            pygame.draw.rect(self.surface, _TEXT, tag, width=1, border_radius=5)
            text = meld.canasta if width >= 50 else str(len(row))
            self.write(text, (tag.centerx, tag.y + 4), 18, _TEXT, centre=True)

    def supply(self) -> None:
        """Stock and pile."""
        view, area = self.view, _SUPPLY
        self.panel(area)
        left, middle = area.x + 10, area.x + 108
        self.write("stock", (left, area.y + 10), 24)
        self.write("pile", (middle, area.y + 10), 24)
        top = area.y + 34
        if view.offered >= 0:
            suits = self.suits(places.OFFERED, int(view.offered))
            self.card((int(view.offered), suits[0]), (left, top), _LARGE, 40)
        else:
            for i in range(min(3, -(-int(view.stock_size) // 20))):
                self.surface.blit(back(*_LARGE), (left + 2 * i, top + 2 * i))
        self.pile(middle, top)
        below = top + _LARGE[1] + 10
        stock = words.count(int(view.stock_size), "card", "cards")
        self.write("offered" if view.offered >= 0 else stock, (left, below), 22, _MUTED)
        size = words.count(int(view.pile_size), "card", "cards")
        self.write(size, (middle, below), 22, _MUTED)
        if view.frozen and view.pile_size:
            self.write("FROZEN", (middle, below + 20), 26, _ICE)
        rest = pygame.Rect(left, below + 50, area.width - 20, area.bottom - below - 58)
        self.in_pile(rest)

    def pile(self, x: int, y: int) -> None:
        """The pile's top card, framed with ice if the pile is frozen."""
        area = pygame.Rect((x, y), _LARGE)
        if self.view.pile_size == 0:
            pygame.draw.rect(self.surface, _MUTED, area, width=2, border_radius=10)
            return
        top = int(self.view.pile_top)
        suits = self.suits(places.PILE, top) or [places.suits_of(top)[0]]
        self.card((top, suits[-1]), (x, y), _LARGE, 40)
        if self.view.frozen:
            pygame.draw.rect(self.surface, _ICE, area.inflate(8, 8), width=4, border_radius=12)

    def in_pile(self, area: pygame.Rect) -> None:
        """The cards of the pile, as far as they are known, and those that lie apart."""
        view = self.view
        parts = []
        if 1 < int(np.sum(view.pile)) == int(view.pile_size):
            parts.append(("in the pile", self.cards(view.pile, places.PILE)))
        if view.pending.any():
            parts.append(("apart until the first meld", self.cards(view.pending, places.APART)))
        y, a_row = area.y, 10
        for title, row in parts:
            self.write(title, (area.x, y), 20, _MUTED, width=area.width)
            y += 18
            rows = -(-len(row) // a_row)
            step = min(_MINI[1] + 3, (area.bottom - y - _MINI[1]) / max(1, rows - 1))
            for i in range(rows):
                strip = pygame.Rect(area.x, int(y + i * step), area.width, _MINI[1])
                self.row(row[i * a_row : (i + 1) * a_row], strip, _MINI, 17)
            y += int((rows - 1) * step) + _MINI[1] + 8

    def words(self, last: str) -> None:
        """What was done last, and what is to be decided."""
        pygame.draw.rect(self.surface, _BAR, _WORDS, border_radius=8)
        turn = words.turn_words(self.view)
        room = _WORDS.width - 32
        end = self.write(turn, (_WORDS.right - 14, _WORDS.y + 8), 22, _GOLD, right=True, width=room)
        if last:
            self.write(last, (_WORDS.x + 14, _WORDS.y + 8), 22, width=max(1, room - end - 20))

    def hand(self) -> None:
        """The hand of the seat that looks."""
        seat = int(self.view.seat)
        self.panel(_HAND)
        row = self.in_hand(seat)
        area = pygame.Rect(_HAND.x + 14, _HAND.y + 13, _HAND.width - 28, _LARGE[1])
        if not row:
            self.write(f"player_{seat} holds no cards", (area.x, area.y + 8), 24, _MUTED)
            return
        pitch = _LARGE[0] + 6
        width = min(area.width, _LARGE[0] + pitch * (len(row) - 1))
        area = pygame.Rect(area.centerx - width // 2, area.y, width, area.height)
        self.row(row, area, _LARGE, pitch)


def _rank(kind: int, dressed: int) -> str:
    """What stands in the corner of a card."""
    if kind >= FIRST_NATURAL and dressed == FIRST_NATURAL:
        kind = FIRST_NATURAL + (kind - FIRST_NATURAL) // len(SUITS)
    return RANK_TOKENS[kind].rstrip("rb") if kind < FIRST_NATURAL else RANK_TOKENS[kind]
