"""The lines of a record as its reader walks over them, and the error that names a place in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NoReturn

__all__ = ["Lines", "Place", "RecordError", "Word"]

_WORD: Final = re.compile(r"\S+")


@dataclass(frozen=True)
class Place:
    """A place in a text: line and column, from 1."""

    line: int
    column: int


class RecordError(ValueError):
    """A text that is no record, or one that did not happen.

    Attributes:
        place: line and column, from 1.
        reason: what is wrong there.
    """

    def __init__(self, place: Place, reason: str) -> None:
        super().__init__(f"line {place.line}, column {place.column}: {reason}")
        self.place = place
        self.reason = reason

    def __reduce__(self) -> tuple[type[RecordError], tuple[Place, str]]:
        return RecordError, (self.place, self.reason)


@dataclass(frozen=True)
class Word:
    """A piece of a line, and where it begins."""

    text: str
    place: Place

    def fail(self, reason: str) -> NoReturn:
        """Refuse the record because of this piece."""
        raise RecordError(self.place, reason)

    def number(self, what: str, low: int, high: int) -> int:
        """The whole number that this piece is."""
        if not re.fullmatch(r"-?(0|[1-9][0-9]{0,18})", self.text) or self.text == "-0":
            self.fail(f"{what}: {self.text!r} is not a whole number")
        value = int(self.text)
        if not low <= value <= high:
            self.fail(f"{what}: {value} is not possible; {low} to {high}")
        return value

    def part(self, start: int, stop: int | None = None) -> Word:
        """The piece from ``start`` to ``stop``, without the space around it."""
        text = self.text[start:stop]
        start += len(text) - len(text.lstrip())
        return Word(text.strip(), Place(self.place.line, self.place.column + start))

    def words(self) -> list[Word]:
        """The words of this piece, as spaces divide it."""
        return [self.part(*match.span()) for match in _WORD.finditer(self.text)]

    def split(self, separator: str) -> list[Word]:
        """The pieces between the separators."""
        pieces, start = [], 0
        for text in self.text.split(separator):
            pieces.append(self.part(start, start + len(text)))
            start += len(text) + len(separator)
        return pieces

    def key(self) -> tuple[Word, Word]:
        """The two sides of the colon.

        Raises:
            RecordError: there is none.
        """
        at = self.text.find(":")
        if at < 0:
            self.fail(
                f"{self.text!r} is not understood: a key, a colon and a value are needed here"
            )
        return self.part(0, at), self.part(at + 1)


class Lines:
    """The lines of a text that are not empty, one after the other."""

    def __init__(self, text: str) -> None:
        self._lines = [
            Word(line, Place(number, 1)).part(0)
            for number, line in enumerate(text.split("\n"), 1)
            if line.strip()
        ]
        rows = text.split("\n")
        self.end = Place(len(rows), len(rows[-1]) + 1)
        self._next = 0

    def peek(self) -> Word | None:
        """The next line, None at the end of the text."""
        return self._lines[self._next] if self._next < len(self._lines) else None

    def take(self, what: str) -> Word:
        """The next line, which should hold ``what``.

        Raises:
            RecordError: the text ends here.
        """
        line = self.peek()
        if line is None:
            raise RecordError(self.end, f"the record is cut short: {what} is missing")
        self._next += 1
        return line

    def take_while(self, wanted: Callable[[Word], object]) -> Iterator[Word]:
        """The next lines as long as they are such."""
        while (line := self.peek()) is not None and wanted(line):
            self._next += 1
            yield line
