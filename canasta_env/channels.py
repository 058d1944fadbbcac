"""Suits and the order of melds, shown on request: a batch with a wider view of the same games.

Where suits do not matter the engine knows no suits, and no view tells in which order a turn's melds
were laid. Both cost nothing at a real table and all see them, so partners could tell each other
something by them. :class:`ShownBatch` plays the games of a :class:`~canasta_env.batch.Batch`,
unchanged, and shows either or both.

``order``: for each seat and natural rank its place among the ranks that the seat laid or added to
in the last turn in which it melded.

``suits``: each natural card has a suit, which it gets by lot among those of the pack that are not
yet out when it first comes to where a seat sees it. That is as if the deck had been dressed
before. Whoever discards chooses the suit, by actions of their own after the engine's
(``discard 7h``). Which of equal cards are melded is decided by lot, but the card that is taken from
the top of the pile is among them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from canasta_env.batch import Batch, IllegalActionError
from canasta_env.cards import SUITS
from canasta_env.channels_order import MeldOrder
from canasta_env.channels_suits import Move, Suits
from canasta_env.observation import Piece

__all__ = ["CHANNELS", "ShownBatch", "ShownTable"]

CHANNELS: Final = ("order", "suits")
"""What can be shown."""
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ShownTable:
    """The numbers of all actions of a wider view.

    Attributes:
        texts: by id; those of the rules' own :class:`~canasta_env.actions.ActionTable` come first.
        plain: int64 (actions,), the id in that table of the same move, whatever the suit.
        suits: int64 (actions,), the suit that is discarded, 0 to 3 (c d h s); -1 where none is
            named.
        hash: SHA-256 in hexadecimal; that of the rules' own table if no action is added.
    """

    texts: tuple[str, ...]
    plain: Ints
    suits: Ints
    hash: str

    def __len__(self) -> int:
        return len(self.texts)


def _table(batch: Batch, discards: Iterable[int]) -> ShownTable:
    """The table with four more actions for each of the ``discards`` (ids)."""
    own = len(batch.table)
    added = [(action, suit) for action in discards for suit in range(len(SUITS))]
    texts = (*batch.table.texts, *(batch.table.texts[a] + SUITS[suit] for a, suit in added))
    plain = np.array([*range(own), *(action for action, _ in added)], np.int64)
    suits = np.array([-1] * own + [suit for _, suit in added], np.int64)
    made = hashlib.sha256("\n".join(texts).encode()).hexdigest()
    return ShownTable(texts, plain, suits, made if added else batch.table.hash)


class ShownBatch:
    """The games of a :class:`~canasta_env.batch.Batch` in a wider view.

    All that is not named here is that of ``base``: games, seats, rewards, flags, ``stop``, ``over``
    and so on.

    Args:
        rules, n, seed: as for a batch, which also gets the ``options``.
        shown: any of :data:`CHANNELS`; none of them: bytes are those of the batch.

    Attributes:
        base: the batch.
        shown: what is shown, in the order of :data:`CHANNELS`.
        observation: uint8 (n, O), the base's features and after them those of :attr:`pieces`.
        mask: bool (n, A), the base's actions and after them the discards by suit. The base's own
            ``discard 7`` stays legal, for agents that know no suits and for who does not care: the
            suit is drawn from those of the hand.
        table: the :class:`ShownTable`.
        observation_size: with ``scale``, ``observation_hash`` and ``actions`` as in a batch, for
            the wider view.

    Raises:
        ValueError: an argument is not possible; the message names it.
    """

    def __init__(
        self,
        rules: Any = "classic",
        n: int = 1024,
        *,
        shown: Iterable[str] = CHANNELS,
        seed: int = 0,
        **options: Any,
    ) -> None:
        asked = tuple(shown)
        unknown = [name for name in asked if name not in CHANNELS]
        if unknown:
            raise ValueError(f"shown: {unknown[0]!r} is none of {', '.join(CHANNELS)}")
        self.shown = tuple(name for name in CHANNELS if name in asked)
        self.base = base = Batch(rules, n, seed=seed, **options)
        if asked and base.rules.sequences:
            raise ValueError(
                f"shown: in {base.rules} suits matter and are seen by all as it is; leave it out"
            )
        self._order = MeldOrder(base) if "order" in self.shown else None
        self._suits = Suits(base, seed) if "suits" in self.shown else None
        self._channels = [one for one in (self._order, self._suits) if one is not None]
        self.pieces = tuple(piece for one in self._channels for piece in one.pieces)
        self.table = _table(base, self._suits.discards if self._suits else ())
        self.actions = len(self.table)
        self.observation_size = base.observation_size + sum(piece.size for piece in self.pieces)
        self.observation_hash = _hash(base.observation_hash, self.pieces)
        more = [np.full(piece.size, 1.0 / piece.bound, np.float32) for piece in self.pieces]
        self.scale = np.concatenate([base.scale, *more])
        self.observation = np.zeros((base.n, self.observation_size), np.uint8)
        self.mask = np.zeros((base.n, self.actions), np.bool_)
        self._restart(np.arange(base.n))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "base":  # before there is one
            raise AttributeError(name)
        return getattr(self.base, name)

    def reset(self, seed: int | None = None) -> None:
        """Start a new episode in every game; with a seed, the first ones of that seed, whose suits
        follow from it too.

        Raises:
            ValueError: the seed is negative.
        """
        self.base.reset(seed)
        if seed is not None and self._suits is not None:
            self._suits.seed, self._suits.draws = seed, 0
        self._restart(np.arange(self.base.n))

    def step(self, actions: npt.ArrayLike) -> None:
        """Apply one action in each game: int (n,), ids of :attr:`table`.

        Raises:
            IllegalActionError: an action is not legal; no game has changed.
            ValueError: not one action a game.
        """
        base, given = self.base, np.asarray(actions)
        move = self._move(given)
        if self._order is not None:
            self._order.look()
        before = self._deals()
        base.step(move.action)
        fresh = (before != self._deals()).any(axis=1)
        for channel in self._channels:
            channel.restart(np.flatnonzero(fresh))
            channel.follow(move, ~fresh)
        self._write()

    def _deals(self) -> Ints:
        """What changes when a deal begins: (n, 2), numbers of episodes and of deals."""
        slots = self.base.arrays[2]
        return np.stack([slots["episode"], self.base.games.deal], axis=1).astype(np.int64)

    def _move(self, given: npt.NDArray[Any]) -> Move:
        """What is about to be played, and by whom; raises as :meth:`step` does."""
        base = self.base
        if given.shape != (base.n,) or given.dtype.kind not in "iu":
            raise ValueError(
                f"actions has shape {given.shape} and type {given.dtype}; "
                f"({base.n},) and whole numbers needed"
            )
        playing = ~base.over
        inside = (given >= 0) & (given < self.actions)
        ids = np.where(inside, given, 0)
        wrong = playing & ~(inside & self.mask[np.arange(base.n), ids])
        if wrong.any():
            row = int(wrong.argmax())
            raise IllegalActionError(self.explain(row, int(given[row])))
        return Move(self.table.plain[ids], self.table.suits[ids], base.seat.copy(), playing)

    def explain(self, row: int, action: int) -> str:
        """Why an action is not legal in a game, and which ones are."""
        if not 0 <= action < self.actions:
            return f"game {row}: {action} is not an action; ids are 0 to {self.actions - 1}"
        legal = ", ".join(self.table.texts[i] for i in np.flatnonzero(self.mask[row]))
        text = self.table.texts[action]
        return f"game {row}: {text!r} is not legal for seat {self.base.seat[row]}; legal: {legal}"

    def refresh(self) -> None:
        """Write all again after games have been changed from outside: what was shown of their
        deals is forgotten, and suits are drawn anew."""
        self.base.refresh()
        self._restart(np.arange(self.base.n))

    def start_deal(self, rows: npt.ArrayLike, *args: Any, **options: Any) -> None:
        """Put given deals into some games, as :meth:`Batch.start_deal` does."""
        self.base.start_deal(rows, *args, **options)
        self._restart(np.atleast_1d(np.asarray(rows)))

    def _restart(self, rows: Ints) -> None:
        for channel in self._channels:
            channel.restart(rows)
        if self._suits is not None:
            self._suits.catch_up()
        self._write()

    def _write(self) -> None:
        """The wider observation and mask from what is known now."""
        base = self.base
        own = base.observation_size
        self.observation[:, :own] = base.observation
        for channel in self._channels:
            found = channel.features()
            self.observation[:, own : own + found.shape[1]] = found
            own += found.shape[1]
        self.mask[:, : len(base.table)] = base.mask
        if self._suits is not None:
            self.mask[:, len(base.table) :] = self._suits.discardable()

    def state_dict(self) -> dict[str, npt.NDArray[Any]]:
        """Everything that the next steps depend on, as plain arrays (copies)."""
        state = self.base.state_dict()
        for name, channel in zip(self.shown, self._channels, strict=True):
            state |= {f"{name}.{key}": array for key, array in channel.state().items()}
        return state

    def load_state_dict(self, state: dict[str, npt.NDArray[Any]]) -> None:
        """Take over what :meth:`state_dict` gave; the next steps are then the same.

        Raises:
            ValueError: the state is of a batch of another size or layout.
        """
        self.base.load_state_dict(state)
        for name, channel in zip(self.shown, self._channels, strict=True):
            channel.restore({key: state[f"{name}.{key}"] for key in channel.state()})
        self._write()

    def __repr__(self) -> str:
        return f"ShownBatch({self.base!r}, shown={self.shown})"


def _hash(base: str, pieces: Iterable[Piece]) -> str:
    """The observation's hash: the base's own if there are no more pieces."""
    lines = [f"{piece.name} {piece.size} {piece.bound}" for piece in pieces]
    return hashlib.sha256("\n".join([base, *lines]).encode()).hexdigest() if lines else base
