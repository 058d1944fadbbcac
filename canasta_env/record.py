"""Records: a game as a text that a person can read and a program can replay exactly::

    canasta record 1
    rules: classic(target=3000)
    players: 2
    version: 0.1.0
    actions: b4459cac2e835b82…
    seed: 7
    stock: shared
    seat 0: basic
    seat 1: random

    deal 1
    dealer: 1
    scores: 0 0
    deck:
      7 Q 3r …
    0: draw, discard 5
    1: take 5 5, meld K K K, discard 9
    …
    ended: seat 1 went out
    score sheet         side 0  side 1
    melded cards           250     130
    …
    end 9f86d081884c7d65

``actions`` is the hash of the action table; all follows from rules, players, stock, dealer, scores,
deck and actions, and the reader replays it through the engine (notation.md, Records). A line of a
turn begins with the seat; a partner's answer has a line of its own. The last line ends with a hash
of all before it, so that any change shows; a record written by hand leaves the hash out. A game
that was left before its deal was over ends with ``stopped``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import canasta_env
from canasta_env.game import Game
from canasta_env.record_lines import Place, RecordError
from canasta_env.record_read import Reader
from canasta_env.record_write import write_record

__all__ = ["Place", "Record", "RecordError", "RecordWriter", "load_record", "read_record"]


@dataclass(frozen=True)
class Record:
    """A game that was played.

    Attributes:
        game: the game after its last action; ``game.replay()`` plays it again.
        names: the players' names, by seat.
        version: the version of the program that wrote the record.
    """

    game: Game
    names: tuple[str, ...]
    version: str

    def __str__(self) -> str:
        return write_record(self.game, self.names, self.version)


class RecordWriter:
    """The record of a game that is being played.

    Args:
        game: the game; it must have begun with a deal, not with a position. Go on playing it.
        names: one a seat; left out: player_0, player_1, …

    Raises:
        ValueError: the game began with a position, or a name is none.
    """

    def __init__(self, game: Game, names: Sequence[str] | None = None) -> None:
        if not all(deal.deck for deal in game.deals):
            raise ValueError("a game that began with a position has no deck to record")
        given = [f"player_{seat}" for seat in range(game.players)] if names is None else names
        if len(given) != game.players:
            raise ValueError(f"{len(given)} names given; the game has {game.players} players")
        for name in given:
            if not name or not name.isprintable() or name != name.strip():
                raise ValueError(f"{name!r} is not a name: one line of text without space around")
        self.game = game
        self.names = tuple(given)

    def record(self) -> Record:
        """What has been played so far; the game may go on without changing it."""
        return Record(self.game.copy(), self.names, canasta_env.__version__)

    def text(self) -> str:
        """The record's text as it stands."""
        return str(self.record())

    def save(self, path: Path) -> None:
        """Write the record to a file, in UTF-8: whole, or not at all."""
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            temporary.write_text(self.text(), encoding="utf-8", newline="\n")
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def read_record(text: str) -> Record:
    """Replay a record.

    Raises:
        RecordError: it is none, or an action is illegal, or a card, a score or anything else that
            is written is not what the engine computes; the message names line and column.
    """
    return Record(*Reader(text.replace("\r\n", "\n")).read())


def load_record(path: Path) -> Record:
    """Read and replay the record of a file.

    Raises:
        OSError: the file cannot be read.
        RecordError: as :func:`read_record`, or the file is not text.
    """
    data = path.read_bytes()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as fault:
        before = data[: fault.start].decode("utf-8").split("\n")
        place = Place(len(before), len(before[-1]) + 1)
        raise RecordError(place, "this is not a record: not text in UTF-8") from None
    return read_record(text)
