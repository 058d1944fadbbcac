"""One game to talk to: play by text, ask why something is not allowed, look as a seat looks.

>>> from canasta_env import Game
>>> game = Game("classic", seed=7)
>>> [str(action) for action in game.legal()]
['draw']
>>> game.play("draw")
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from canasta_env import kernels
from canasta_env.actions import Action, ActionTable
from canasta_env.batch import IllegalActionError, Stock
from canasta_env.cards import write_cards
from canasta_env.engine import reasons
from canasta_env.engine.reasons import Reason
from canasta_env.engine.scoring import ITEMS
from canasta_env.engine.state import Games, Phase, Views, copy_records, new_games, new_views
from canasta_env.game_deck import Deck, read_deck
from canasta_env.game_log import Deal
from canasta_env.observation import observation_size
from canasta_env.rules import Rules

if TYPE_CHECKING:
    from canasta_env.events import Event

__all__ = ["Deal", "Game", "IllegalActionError"]

SHEET: Final = (
    "melded_cards",
    "canastas",
    "going_out",
    "concealed",
    "red_threes",
    "concealed_canastas",
    "in_hand",
    "rounding",
)
"""The items of a score sheet; they add up to the deal score."""


class Game:
    """One game: a deal after the other, until the match is decided.

    Args:
        rules: a preset's name, a text like ``classic(target=3000)``, or :class:`Rules`.
        players: how many players.
        seed: from it follow the first dealer and all decks; 0 <= seed < 2**63.
        deck: the deck of the first deal, first card first, as tokens or kinds; left out: from
            the seed.
        dealer: the first dealer; left out: from the seed.
        scores: one a side, before the first deal; left out: zero.
        deal: the number of the first deal in its match.
        stock: one ``shared`` stock, or ``seat_streams``, one stream a seat, for duplicate
            matches.
        recall: whether views remember what was public.

    Raises:
        ValueError: an argument is not possible; the message names it, what was given and what is
            allowed.
    """

    def __init__(
        self,
        rules: str | Rules = "classic",
        *,
        players: int = 4,
        seed: int = 0,
        deck: Deck | None = None,
        dealer: int | None = None,
        scores: Sequence[int] | None = None,
        deal: int = 1,
        stock: Stock = "shared",
        recall: bool = True,
    ) -> None:
        if stock not in ("shared", "seat_streams"):
            raise ValueError(f"stock={stock!r} is not possible; shared or seat_streams")
        if not 1 <= deal < 2**15:
            raise ValueError(f"deal={deal!r} is not possible; deals are numbered from 1")
        if not 0 <= seed < 2**63:
            raise ValueError(f"seed={seed!r} is not possible; a whole number from 0 to 2**63 - 1")
        self._setup(rules, players, None, recall)
        record = self._games[0]
        record.match_seed = seed
        record.deal = deal
        if scores is not None:
            if len(scores) != self.sides:
                raise ValueError(
                    f"scores has {len(scores)} numbers; one a side needed: {self.sides}"
                )
            record.scores[: self.sides] = scores
        if dealer is None:
            dealer = int(self._kernels.opening_dealer(self._arrays[1], seed))
        elif not 0 <= dealer < players:
            raise ValueError(f"dealer={dealer!r} is not a seat; 0 to {players - 1}")
        self._deal(dealer, stock == "seat_streams", deck)

    def _setup(self, rules: str | Rules, players: int, games: Games | None, recall: bool) -> None:
        self.rules = Rules.parse(rules) if isinstance(rules, str) else rules
        self.rules.at(players)
        self.players = players
        self.recall = recall
        self.table = ActionTable(self.rules)
        self._packed = self.table.pack(players)
        self.sides = int(self._packed[0].sides)
        self._kernels = kernels.kernels_for(self.rules)
        self._kinds = kernels.kinds_for(self.rules)
        self._attach(new_games(1, self._kinds) if games is None else games)

    def _attach(self, games: Games) -> None:
        """Make the arrays that one game needs and write its mask."""
        self._games = games
        slots = np.zeros(1, kernels.SLOT_DTYPE).view(np.recarray)
        slots[0].action = kernels.WATCH
        slots[0].who = kernels.TO_ACT
        slots[0].over = games[0].phase == Phase.OVER
        settings = np.zeros(1, kernels.SETTINGS_DTYPE).view(np.recarray)
        settings[0].recall = self.recall
        self._slots = slots
        self._space = kernels.workspace(self._kinds)
        self._mask = np.zeros((1, len(self.table)), np.bool_)
        self._none = np.zeros((1, 0), np.uint8)
        self._arrays = (kernels.plain(games), kernels.plain(self._packed))
        self._rest = (kernels.plain(slots), self._arrays[1], kernels.plain(settings))
        self._bytes = kernels.as_bytes(games)
        self._run(kernels.WATCH)

    def _run(self, action: int) -> None:
        self._slots[0].action = action
        self._kernels.play_games(
            self._arrays[0], self._bytes, *self._rest, *self._space, 0, 1, self._none, self._mask
        )

    def _deal(self, dealer: int, seat_streams: bool, deck: Deck | None) -> None:
        record = self._games[0]
        cards = np.zeros(int(self._packed[0].cards), np.uint8)
        if deck is None:
            self._kernels.make_deck(
                self._arrays[1], int(record.match_seed), int(record.deal), cards
            )
        else:
            cards[:] = read_deck(deck, self._packed[0].counts)
        self._kernels.deal_game(self._arrays[0], 0, self._arrays[1], cards, dealer, seat_streams)
        self._slots[0].over = False
        self._run(kernels.WATCH)
        self._remember(cards)

    def _remember(self, deck: npt.NDArray[np.uint8], past: tuple[Deal, ...] = ()) -> None:
        """Begin the log of a deal, that has just been dealt or set up."""
        self.deck: npt.NDArray[np.uint8] = deck
        self._past = past
        self._start = Deal(self._games.tobytes(), deck.tobytes())
        self._played: list[int] = []

    # -- playing -------------------------------------------------------------------------------

    def legal(self) -> list[Action]:
        """The legal actions of the seat to act, in the table's order; none if the deal is over."""
        return [self.table.actions[i] for i in np.flatnonzero(self._mask[0])]

    def mask(self) -> npt.NDArray[np.int8]:
        """int8 (A,): 1 where the action of that id is legal."""
        mask: npt.NDArray[np.int8] = self._mask[0].astype(np.int8)
        return mask

    def play(self, action: Action | str | int) -> None:
        """Play an action of the seat to act.

        Raises:
            ActionError: these rules have no such action.
            IllegalActionError: it is not legal; the message says why, and what would be.
        """
        number = self.table.id(action)
        if not self._mask[0, number]:
            raise IllegalActionError(f"{self.table.texts[number]}: {self.why_not(number)}")
        self._run(number)
        self._played.append(number)

    def why_not(self, action: Action | str | int) -> Reason | None:
        """Why an action is not legal now; None if it is.

        Raises:
            ActionError: these rules have no such action, now or ever.
        """
        number = self.table.id(action)
        if self._mask[0, number]:
            return None
        return reasons.explain(self._games[0], self._packed[0], self.table.actions[number], number)

    def next_deal(self, deck: Deck | None = None) -> None:
        """Deal the next deal of the match, from its seed or from a given deck.

        Raises:
            ValueError: this deal is not over, or the match is; the deck has not the right cards.
        """
        if not self.over:
            raise ValueError("the deal is not over; next_deal is for after it")
        dealer = int(self._kernels.following_dealer(self._arrays[0], 0, self._arrays[1]))
        if dealer < 0:
            raise ValueError(f"the match is over at {self.scores}; start a new Game")
        past, record = self.deals, self._games[0]
        cards = None if deck is None else read_deck(deck, self._packed[0].counts).tolist()
        record.deal += 1
        self._deal(dealer, int(record.streams) > 1, cards)
        self._past = past

    @property
    def match_over(self) -> bool:
        """Is the match decided (rules.md: match, tie at the end)?"""
        arrays = self._arrays
        return self.over and int(self._kernels.following_dealer(arrays[0], 0, arrays[1])) < 0

    # -- looking -------------------------------------------------------------------------------

    @property
    def turn(self) -> int:
        """The seat to act."""
        return int(self._games[0].turn)

    @property
    def phase(self) -> str:
        """What it decides: offer, draw, meld, answer; or over."""
        return Phase(int(self._games[0].phase)).name.lower()

    @property
    def over(self) -> bool:
        """Is the deal over?"""
        return bool(self._games[0].phase == Phase.OVER)

    @property
    def deal(self) -> int:
        """The number of this deal in the match, from 1."""
        return int(self._games[0].deal)

    @property
    def dealer(self) -> int:
        """The seat that dealt."""
        return int(self._games[0].dealer)

    @property
    def stock(self) -> Stock:
        """Whether the seats draw from one stock, or each from its own stream."""
        return "shared" if self._games[0].streams == 1 else "seat_streams"

    @property
    def scores(self) -> list[int]:
        """One a side; those of a deal are in them once it is over."""
        return [int(score) for score in self._games[0].scores[: self.sides]]

    @property
    def deal_scores(self) -> list[int]:
        """One a side, once the deal is over; zeros before."""
        return [int(score) for score in self._games[0].deal_scores[: self.sides]]

    @property
    def record(self) -> Any:
        """The record itself, for reading (``canasta_env.engine.state.GAME_DTYPE``, or
        ``SUITED_GAME_DTYPE`` for rules with sequences)."""
        return self._games[0]

    def breakdown(self) -> list[dict[str, int]]:
        """The score sheet of each side as it stands: the items of :data:`SHEET`, which add up."""
        items = np.zeros((self.sides, ITEMS), np.int64)
        self._kernels.score_sheet(self._arrays[0], 0, self._arrays[1], items)
        return [dict(zip(SHEET, map(int, row), strict=True)) for row in items]

    def hand(self, seat: int) -> str:
        """A seat's hand as text, in the order of kinds."""
        self._check_seat(seat)
        counts = self._games[0].hands[seat]
        kinds = np.repeat(np.arange(len(counts)), counts)
        return write_cards(kinds, suited=self.rules.sequences)

    def _check_seat(self, seat: int) -> None:
        if not 0 <= seat < self.players:
            raise ValueError(f"seat={seat!r} is not a seat; 0 to {self.players - 1}")

    def view(self, seat: int) -> Views:
        """What a seat may know, as a record array of length one (``state.VIEW_DTYPE``, or
        ``state.SUITED_VIEW_DTYPE`` for rules with sequences)."""
        self._check_seat(seat)
        views = new_views(1, self._kinds)
        game, rules = self._arrays
        looking = (kernels.plain(views), kernels.as_bytes(views), 0)
        self._kernels.view_game(game, self._bytes, 0, rules, seat, self.recall, *looking)
        return views

    def observation(self, seat: int) -> npt.NDArray[np.uint8]:
        """uint8 (O,): the observation of a seat, made from its view."""
        out = np.zeros(observation_size(self.rules, self.players), np.uint8)
        self._kernels.encode_view(kernels.plain(self.view(seat)), 0, self._arrays[1], out)
        return out

    # -- what was played -----------------------------------------------------------------------

    @property
    def deals(self) -> tuple[Deal, ...]:
        """The deals played, the one under way last; not what was before a position or a world."""
        return (*self._past, Deal(self._start.start, self._start.deck, tuple(self._played)))

    def replay(self) -> Iterator[tuple[Game, int | None]]:
        """Play all deals again: each state and the id of the action that follows, None at the end
        of a deal. It is one game that changes; copy what you keep.
        """
        for i, deal in enumerate(deals := self.deals):
            game = self._with(deal.games())
            game._remember(np.frombuffer(deal.deck, np.uint8), deals[:i])
            for action in deal.actions:
                yield game, action
                game.play(action)
            yield game, None

    def events(self, seat: int) -> list[Event]:
        """What a seat saw and heard, in order (:mod:`canasta_env.events`)."""
        from canasta_env.events import events

        return events(self, seat)

    # -- copies and positions ------------------------------------------------------------------

    def copy(self) -> Game:
        """An independent game in the same state."""
        return self._with(copy_records(self._games))

    def _with(self, games: Games) -> Game:
        other = object.__new__(Game)
        other.__dict__.update(self.__dict__)
        other._played = self._played.copy()
        other._attach(games)
        return other

    def determinize(self, seat: int, seed: int) -> Game:
        """A game that ``seat`` cannot tell from this one: all that it cannot know is drawn anew.

        Raises:
            ValueError: the seat is none, or no world was found in which the turn under way is
                possible.
        """
        self._check_seat(seat)
        games = copy_records(self._games)
        found = self._kernels.determinize_game(
            kernels.plain(games), 0, self._arrays[1], seat, seed, self._space[2]
        )
        if not found:
            raise ValueError("no possible world was found for the turn under way")
        world = self._with(games)
        world._remember(np.zeros(0, np.uint8))
        return world

    def to_position(self) -> dict[str, Any]:
        """The game as a whole position (notation.md, Positions); it reads back as the same game."""
        from canasta_env.notation import write_position

        return write_position(self._games, 0, self.rules)

    @classmethod
    def from_position(cls, position: Mapping[str, Any], *, recall: bool = True) -> Game:
        """The game of a position (notation.md, Positions).

        Raises:
            PositionError: the position is not possible; the message names the key or the card.
        """
        from canasta_env.notation import PositionError, read_position

        rules, players, games, table = read_position(position)
        packed = kernels.plain(table.pack(players))
        kernels.kernels_for(rules).derive_game(kernels.plain(games), 0, packed)
        game = object.__new__(cls)
        game._setup(rules, players, games, recall)
        game._remember(np.zeros(0, np.uint8))
        if not game.over and not game._mask.any():
            raise PositionError(
                f"turn: seat {game.turn} has no legal action in phase {game.phase}; "
                "no play leads to this position"
            )
        return game

    def __getstate__(self) -> dict[str, Any]:
        return {
            "rules": self.rules,
            "players": self.players,
            "recall": self.recall,
            "games": self._games.tobytes(),
            "deals": self.deals,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        *past, deal = state["deals"]
        games = Deal(state["games"], b"").games()
        self._setup(state["rules"], state["players"], games, state["recall"])
        self._remember(np.frombuffer(deal.deck, np.uint8), tuple(past))
        self._start, self._played = deal, list(deal.actions)

    def __repr__(self) -> str:
        return (
            f"<Game {self.rules} players={self.players} deal={self.deal} "
            f"phase={self.phase} turn={self.turn} scores={self.scores}>"
        )
