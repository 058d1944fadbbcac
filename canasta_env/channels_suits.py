"""The suits of natural cards, followed through games whose engine knows none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from canasta_env.action_text import Family
from canasta_env.batch import Batch
from canasta_env.cards import SUITS
from canasta_env.engine.state import FIRST_NATURAL, RANKS
from canasta_env.observation import Piece

__all__ = ["Move", "Suits", "lots"]

NATURALS: Final = RANKS - FIRST_NATURAL
SUIT_COUNT: Final = len(SUITS)
NONE: Final = -1
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Move:
    """What is played in each game, arrays (n,).

    Attributes:
        action: the id in the rules' own table.
        suit: of the discard, 0 to 3; -1 where none is named.
        seat: who plays.
        playing: false where the episode is over and nothing is played.
    """

    action: Ints
    suit: Ints
    seat: Ints
    playing: npt.NDArray[np.bool_]


def lots(random: np.random.Generator, counts: npt.NDArray[Any], amount: Ints) -> Ints:
    """Draws ``amount`` (m,) cards from ``counts`` (m, suits) of each suit, without putting them
    back; how many of each suit, (m, suits)."""
    taken = np.zeros(counts.shape, np.int64)
    left, wanted = counts.sum(axis=1, dtype=np.int64), amount.astype(np.int64)
    for suit in range(counts.shape[1] - 1):
        good = counts[:, suit].astype(np.int64)
        left = left - good
        taken[:, suit] = random.hypergeometric(good, left, wanted)
        wanted = wanted - taken[:, suit]
    taken[:, -1] = wanted
    return taken


class Suits:
    """The suits of all natural cards of a batch, by where they lie.

    Args:
        batch: the games; a step of theirs is followed by :meth:`follow`.
        seed: of the lots.

    Attributes:
        pack: int64 (ranks, suits), how many of each card all packs hold.
        rest: int64 (n, ranks, suits), cards that no seat has seen: the stock, feet.
        hands: int64 (n, players, ranks, suits).
        pile: int64 (n, places), the card at each place of the pile, bottom to top, as
            ``4 * rank + suit`` with rank 0 for a 4; -1 for other cards and above the top. What
            lies apart of a taken pile follows, as in the game.
        last: int64 (n, players), the suit of each seat's last discard, -1 if it has none.
        discards: int64 (m,), the ids of the discards of natural cards.
    """

    def __init__(self, batch: Batch, seed: int) -> None:
        self.batch, self.seed, self.draws = batch, seed, 0
        n, players = batch.n, batch.players
        counts = batch.rules.card_counts(players)[FIRST_NATURAL:RANKS]
        dressed = [[i * SUIT_COUNT // count for i in range(count)] for count in counts]
        self.pack = np.array([np.bincount(suits, minlength=SUIT_COUNT) if suits else [0] * 4
                              for suits in dressed], np.int64)  # fmt: skip
        self.rest = np.zeros((n, NATURALS, SUIT_COUNT), np.int64)
        self.hands = np.zeros((n, players, NATURALS, SUIT_COUNT), np.int64)
        self.pile = np.full((n, sum(batch.rules.card_counts(players))), NONE, np.int64)
        self.last = np.full((n, players), NONE, np.int64)
        self.sizes = np.zeros((n, 2), np.int64)  # the pile's, and with what lies apart
        kinds = {
            i: int(number)
            for i, (family, number, _) in enumerate(batch.table.rows)
            if family == str(Family.DISCARD) and number >= FIRST_NATURAL
        }
        self.discards = np.array([*kinds], np.int64)
        self._ranks = np.array([*kinds.values()], np.int64) - FIRST_NATURAL
        self._rank_of = np.full(len(batch.table), NONE, np.int64)
        self._rank_of[self.discards] = self._ranks
        self.pieces = _pieces(players)

    def _random(self) -> np.random.Generator:
        """Lots of their own for each step, so that a count is all there is to keep."""
        self.draws += 1
        return np.random.default_rng([self.seed, self.draws])

    def restart(self, rows: Ints) -> None:
        """Gathers the cards of these games, whose deals begin; :meth:`catch_up` deals them."""
        self.rest[rows] = self.pack
        self.hands[rows] = 0
        self.pile[rows], self.last[rows], self.sizes[rows] = NONE, NONE, 0

    def follow(self, move: Move, rows: npt.NDArray[np.bool_]) -> None:
        """Goes on with a step that was made, in the games where ``rows`` (n,) is true; the others
        have been restarted."""
        random = self._random()
        played = rows & move.playing
        self._discard(random, move, np.flatnonzero(played & (self._rank_of[move.action] >= 0)))
        self._take(move.seat, played)
        self._catch_up(random)

    def catch_up(self) -> None:
        """Brings suits to where cards have come, after a restart."""
        self._catch_up(self._random())

    def _discard(self, random: np.random.Generator, move: Move, rows: Ints) -> None:
        """The chosen card goes from the hand to the top of the pile; one by lot if none is."""
        seats, ranks, suits = move.seat[rows], self._rank_of[move.action[rows]], move.suit[rows]
        drawn = lots(random, self.hands[rows, seats, ranks], np.ones(len(rows), np.int64))
        suits = np.where(suits >= 0, suits, drawn.argmax(axis=1))
        self.hands[rows, seats, ranks, suits] -= 1
        self.pile[rows, self.sizes[rows, 1]] = SUIT_COUNT * ranks + suits
        self.last[rows, seats] = suits
        self.sizes[rows] += 1

    def _take(self, seats: Ints, played: npt.NDArray[np.bool_]) -> None:
        """Cards that have left the pile go to the hand, but the top one, which is melded."""
        now = self._sizes()
        places = np.arange(self.pile.shape[1])
        rows = np.flatnonzero(played & (now < self.sizes).any(axis=1))
        gone = (places >= now[rows, 1, None]) & (places < self.sizes[rows, 1, None])
        lifted = now[rows, 0] < self.sizes[rows, 0]
        top = lifted[:, None] & (places == self.sizes[rows, 0, None] - 1)
        where, place = np.nonzero(gone & ~top & (self.pile[rows] >= 0))
        games = rows[where]
        rank, suit = np.divmod(self.pile[games, place], SUIT_COUNT)
        np.add.at(self.hands, (games, seats[games], rank, suit), 1)
        self.pile[rows] = np.where(gone | top, NONE, self.pile[rows])
        self.sizes[rows] = now[rows]

    def _sizes(self) -> Ints:
        games = self.batch.games
        size = games.pile_size.astype(np.int64)
        return np.stack([size, size + games.pending], axis=1)

    def _catch_up(self, random: np.random.Generator) -> None:
        """Gives suits to cards that have come to the pile and to hands, and takes those that were
        melded, all by lot."""
        self._turn_up(random)
        held = self.batch.games.hands[:, :, FIRST_NATURAL:RANKS]
        for seat in range(self.batch.players):
            hand = self.hands[:, seat]
            more = held[:, seat] - hand.sum(axis=2)
            rows, ranks = np.nonzero(more > 0)
            drawn = lots(random, self.rest[rows, ranks], more[rows, ranks])
            self.rest[rows, ranks] -= drawn
            hand[rows, ranks] += drawn
            rows, ranks = np.nonzero(more < 0)
            hand[rows, ranks] -= lots(random, hand[rows, ranks], -more[rows, ranks])

    def _turn_up(self, random: np.random.Generator) -> None:
        """Cards that were turned up from the stock onto the pile."""
        now = self._sizes()
        while (rows := np.flatnonzero(self.sizes[:, 1] < now[:, 1])).size:
            place = self.sizes[rows, 1]
            ranks = self.batch.games.pile[rows, place].astype(np.int64) - FIRST_NATURAL
            natural = ranks >= 0
            at, ranks = rows[natural], ranks[natural]
            drawn = lots(random, self.rest[at, ranks], np.ones(len(at), np.int64))
            self.rest[at, ranks] -= drawn
            self.pile[at, place[natural]] = SUIT_COUNT * ranks + drawn.argmax(axis=1)
            self.sizes[rows, 1] += 1
        self.sizes[:] = now

    def features(self) -> npt.NDArray[np.uint8]:
        """uint8 (n, features) for the seat to act, in the order of :attr:`pieces`."""
        n, players, seat = self.batch.n, self.batch.players, self.batch.seat
        games = np.arange(n)
        size = self.sizes[:, 0]
        top = np.where(size > 0, self.pile[games, np.maximum(size - 1, 0)], NONE)
        seats = (seat[:, None] + np.arange(players)) % players
        suits = np.column_stack([np.where(top >= 0, top % SUIT_COUNT, NONE),
                                 self.last[games[:, None], seats]])  # fmt: skip
        marks = (suits[:, :, None] == np.arange(SUIT_COUNT)).reshape(n, -1)
        own = self.hands[games, seat].reshape(n, -1)
        return np.concatenate([own, marks], axis=1).astype(np.uint8)

    def discardable(self) -> npt.NDArray[np.bool_]:
        """bool (n, discards * suits): the cards that the seat to act may discard."""
        batch = self.batch
        held = self.hands[np.arange(batch.n), batch.seat][:, self._ranks] > 0
        legal: npt.NDArray[np.bool_] = batch.mask[:, self.discards, None] & held
        return legal.reshape(batch.n, -1)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """What the next steps depend on, copied."""
        arrays = {name: getattr(self, name).copy() for name in _ARRAYS}
        return {**arrays, "lots": np.array([self.seed, self.draws], np.int64)}

    def restore(self, state: dict[str, npt.NDArray[Any]]) -> None:
        """Puts back what :meth:`state` gave."""
        for name in _ARRAYS:
            getattr(self, name)[:] = state[name]
        self.seed, self.draws = (int(number) for number in state["lots"])


_ARRAYS: Final = ("rest", "hands", "pile", "last", "sizes")


def _pieces(players: int) -> tuple[Piece, ...]:
    return (
        Piece("hand_suits", NATURALS * SUIT_COUNT, 2, "own cards 4c 4d 4h 4s … As"),
        Piece("pile_top_suit", SUIT_COUNT, 1, "suit of the top card, one-hot; 0 if not natural"),
        Piece("last_discard_suit", players * SUIT_COUNT, 1, "of each seat's last discard, one-hot"),
    )
