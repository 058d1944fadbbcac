"""Writing a game down, so that it can be looked at and gone on with."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from agents.play.seating import PERSON, Seating
from canasta_env.game import Game
from canasta_env.record import RecordWriter, load_record

__all__ = ["Keeper", "NotSavedError", "go_on"]

COMMAND: Final = "python -m agents.play"


class NotSavedError(ValueError):
    """A file that cannot be written; the text is one line for the person."""


class Keeper:
    """Writes a game's record.

    Args:
        game: the game that is played.
        seating: who plays it.
        path: the file that is kept up to date; None for none, until the person leaves.
    """

    def __init__(self, game: Game, seating: Seating, path: Path | None) -> None:
        self._writer = RecordWriter(game, seating.names)
        self._path = path
        self.seed = int(game.record.match_seed)

    def keep(self) -> None:
        """Brings the file up to date, if there is one; raises :class:`NotSavedError`."""
        if self._path:
            self._write(self._path)

    def save(self, name: str = "") -> str:
        """Writes the game into a file, or into a new one; what to tell the person. Raises
        :class:`NotSavedError`.
        """
        path = Path(name) if name else self._path or self._free()
        self._write(path)
        return f"saved: {path}"

    def farewell(self, *, finished: bool) -> str:
        """Saves what is to be saved at the end; what to tell the person."""
        if finished and not self._path:
            return "goodbye"
        self._path = self._path or self._free()
        try:
            saved = self.save()
        except NotSavedError as reason:
            return str(reason)
        return saved if finished else f"{saved}; to go on: {COMMAND} --resume {self._path}"

    def _write(self, path: Path) -> None:
        try:
            self._writer.save(path)
        except OSError as error:
            raise NotSavedError(f"not saved: {path}: {error.strerror or error}") from None

    def _free(self) -> Path:
        """A name in the present folder that is no file's."""
        stem, number = f"canasta-{self.seed}", 1
        while (path := Path(f"{stem}.txt" if number == 1 else f"{stem}-{number}.txt")).exists():
            number += 1
        return path


def go_on(path: Path) -> tuple[Game, Seating]:
    """The game of a record that this command wrote, and who plays it.

    Raises:
        ValueError: the file cannot be read, or is no record, or its match is over, or nobody in it
            is called ``you``.
    """
    try:
        record = load_record(path)
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if record.names.count(PERSON) != 1:
        raise ValueError(f"{path}: no seat, or more than one, is called {PERSON!r}")
    if record.game.match_over:
        raise ValueError(f"{path}: the match is over; python -m canasta_env replay shows it")
    return record.game, Seating(record.names, record.game.sides)
