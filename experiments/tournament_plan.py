"""What a tournament plays: its settings, teams, pairings, and the blocks that they are played in.

A *block* is a number of consecutive units of one pairing, played in lock step. What comes of it
follows from the settings, the two teams' names and the block's number alone: the decks from the
tournament's seed and the unit, the same for all pairings, the agents' own random numbers from
:func:`block_seed`. So blocks can be played in any order, anywhere, and again.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any, Final, Literal, get_args

from canasta_env.batch import Episode, Scores, Stock
from canasta_env.rules import Rules
from experiments.block import Setup
from experiments.play import parse_team

__all__ = ["Job", "Pairing", "Partners", "Settings", "block_seed", "pairings", "team_name", "teams"]

Partners = Literal["fixed", "mixed"]
Pairing = tuple[str, str]

_SEEDS: Final = 1 << 63


@dataclass(frozen=True)
class Settings:
    """What all games of a tournament have in common; any other value makes it another tournament.

    ``block``: units in a block.
    """

    rules: str
    players: int
    seed: int
    scores: Scores
    episode: Episode
    stock: Stock
    max_deals: int
    block: int

    def __post_init__(self) -> None:
        """Raises ValueError in one line that names what is not possible."""
        Rules.parse(self.rules).at(self.players)
        for name, least in (("seed", 0), ("max_deals", 1), ("block", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} {getattr(self, name)} is less than {least}")
        for name, kind in (("scores", Scores), ("episode", Episode), ("stock", Stock)):
            if getattr(self, name) not in get_args(kind):
                raise ValueError(f"{name} {getattr(self, name)!r} is none of {get_args(kind)}")

    @cached_property
    def setup(self) -> Setup:
        """The same for :mod:`experiments.play`; a block is what it plays."""
        rules = Rules.parse(self.rules)
        return Setup(
            text=str(rules),
            rules=rules.at(self.players),
            players=self.players,
            units=self.block,
            seed=self.seed,
            episode=self.episode,
            scores=self.scores,
            stock=self.stock,
            max_deals=self.max_deals,
        )

    @property
    def sides(self) -> int:
        return self.setup.sides

    @property
    def seats(self) -> int:
        """Seats of a side."""
        return self.players // self.sides

    def as_dict(self) -> dict[str, Any]:
        """The settings, and what follows from them, for the file."""
        return {**asdict(self), "sides": self.sides}

    def differences(self, other: dict[str, Any]) -> list[str]:
        """How ``other``, settings of a file, differ from these: ``players 4, not 2``."""
        own = asdict(self)
        return [
            f"{field.name} {other.get(field.name)}, not {own[field.name]}"
            for field in fields(self)
            if other.get(field.name) != own[field.name]
        ]


@dataclass(frozen=True)
class Job:
    """One block to play, with all that it follows from.

    ``hashes``: what the agents' files or sources must be, by name. ``limit``: seconds for one call
    of an agent. ``folder``: the one that relative paths of agents start from.
    """

    settings: Settings
    teams: Pairing
    block: int
    hashes: dict[str, str]
    limit: float
    folder: str


def block_seed(seed: int, teams: Pairing, block: int) -> int:
    """The seed, 63 bits, of the agents' own random numbers in a block of a pairing."""
    text = "\n".join((str(seed), *teams, str(block)))
    digest = hashlib.sha256(text.encode()).digest()
    return int.from_bytes(digest[:8], "big") % _SEEDS


def team_name(members: Iterable[str]) -> str:
    """The one name of a team: its agent's, or those of its seats in alphabetical order.

    Who sits first makes no difference that a rotating deal would not even out.
    """
    members = sorted(members)
    return members[0] if len(set(members)) == 1 else "+".join(members)


def teams(agents: Sequence[str], given: Sequence[str], partners: Partners, seats: int) -> list[str]:
    """The teams of a tournament, each once: one agent in all seats, with ``mixed`` partners all
    teams of two different agents too, and those that are ``given``.

    Raises:
        ValueError: mixed partners where a side has not two seats, or a team that does not fit.
    """
    found = [team_name(parse_team(team, seats)) for team in (*agents, *given)]
    if partners == "mixed":
        if seats != 2:
            raise ValueError(f"mixed partners need sides of two seats; here a side has {seats}")
        found += [team_name(pair) for pair in itertools.combinations(agents, 2)]
    return list(dict.fromkeys(found))


def pairings(names: Sequence[str], sides: int) -> list[Pairing]:
    """Every team against every other, those that share an agent included.

    With two sides a duplicate pair serves both teams alike, and each two teams meet once, in
    alphabetical order. With more, A plays alone against a field of B's, and they meet both ways.
    """
    ordered = sorted(names)
    if sides == 2:
        return list(itertools.combinations(ordered, 2))
    return list(itertools.permutations(ordered, 2))


def blocks_for(pairs: int, block: int) -> int:
    """How many blocks hold so many units; blocks are never played in part."""
    return math.ceil(pairs / block)
