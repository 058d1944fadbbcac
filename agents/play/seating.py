"""Who sits where, and what the person at the terminal calls them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from canasta_env.rules import Rules

__all__ = ["PERSON", "Seating", "seat_all"]

PERSON: Final = "you"
"""The person's name, also in records; no agent has it."""
_LONGEST: Final = 16
_LAST: Final = "last"
_FORMS: Final = (
    ("you draws or takes", "you draw or take"),
    ("you melds or discards", "you meld or discard"),
    ("you accepts or refuses", "you accept or refuse"),
    ("you answers", "you answer"),
    ("points of its first meld", "points of your first meld"),
    ("you has ", "you have "),
    ("hand of you", "your hand"),
)
"""What pictures and reasons say of a player, said to you."""


@dataclass(frozen=True)
class Seating:
    """Who sits where.

    Attributes:
        names: by seat, the names of agents, and once ``you``.
        sides: how many sides there are; a seat's side is the seat modulo this number.
    """

    names: tuple[str, ...]
    sides: int

    @property
    def person(self) -> int:
        """The person's seat."""
        return self.names.index(PERSON)

    @property
    def agents(self) -> dict[int, str]:
        """The names of the agents by seat."""
        return {seat: name for seat, name in enumerate(self.names) if name != PERSON}

    def called(self, seat: int) -> str:
        """A seat's player for the eye: ``you``, ``basic 2``, or of a path its last part."""
        name = self.names[seat]
        if name == PERSON:
            return name
        path, at, temperature = name.partition("@")
        parts = [part for part in Path(path).parts if part != _LAST]
        short = (parts[-1] if parts else path).rpartition(":")[2]
        return f"{short[:_LONGEST]}{at}{temperature} {seat}"

    def side(self, side: int) -> str:
        """A side for the eye: ``your side``, ``their side``, or who it is."""
        members = range(side, len(self.names), self.sides)
        if len(members) == 1:
            return self.called(side)
        if self.person in members:
            return "your side"
        others = " and ".join(map(self.called, members))
        return "their side" if self.sides == 2 else f"the side of {others}"

    def named(self, text: str) -> str:
        """A text of events, pictures or reasons with the players' names in it."""
        width = max(len(self.called(seat)) for seat in range(len(self.names)))

        def in_column(found: re.Match[str]) -> str:
            return found[1] + self.called(int(found[2])).ljust(width)

        text = re.sub(r"^([> ] )player_(\d)", in_column, text, flags=re.MULTILINE)
        text = re.sub(r"\b(?:player_|seat )(\d)", lambda found: self.called(int(found[1])), text)
        text = re.sub(r"^side (\d) lays", lambda found: f"{self.side(int(found[1]))} lays", text)
        for theirs, yours in _FORMS:
            text = text.replace(theirs, yours)
        return text


def seat_all(rules: Rules, players: int, seat: int, partner: str, opponents: str) -> Seating:
    """The person at ``seat``, the partners' agents on the same side, the opponents' on the others.

    Names joined by ``+`` go to the seats in their order; one name goes to all.

    Raises:
        ValueError: there is no such seat, or the names do not fit the seats.
    """
    sides = rules.sides_of(players)
    if not 0 <= seat < players:
        raise ValueError(f"--seat {seat}: the seats are 0 to {players - 1}")
    others = [other for other in range(players) if other != seat]
    with_person = [other for other in others if other % sides == seat % sides]
    against = [other for other in others if other % sides != seat % sides]
    names = dict(_each("--partner", partner, with_person))
    names |= dict(_each("--opponents", opponents, against))
    names[seat] = PERSON
    return Seating(tuple(names[seat] for seat in range(players)), sides)


def _each(option: str, text: str, seats: list[int]) -> list[tuple[int, str]]:
    """Each of the seats with its name."""
    names = text.split("+")
    if len(names) == 1:
        names *= len(seats)
    if len(names) != len(seats) or not all(name.strip() for name in names):
        raise ValueError(f"{option} {text}: {len(names)} names given, for {len(seats)} seats")
    if PERSON in names:
        raise ValueError(f"{option} {text}: {PERSON!r} is the person at the terminal")
    return list(zip(seats, names, strict=True))
