"""Symmetries of the game: which cards the rules do not tell apart.

Where fours and fives are worth the same and no rule names either, a deal in which they change
places is the same deal. The *relabellings* of natural ranks, and with sequences of suits, that
leave a rule system unchanged are a group, and :func:`symmetries` derives it from the rules: two
ranks may change places if all that the packed rules say by rank, by kind or by action stays as it
was. It acts on all that goes by cards, and the game commutes with it::

    step(φ(state), φ(action)) == φ(step(state, action))

What acts are index arrays: one relabelling for all rows of an array, or one for each row. For games
and views see :mod:`canasta_env.symmetry_records`, which has the turning of seats too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, permutations, product
from math import factorial, prod
from typing import Any

import numpy as np
import numpy.typing as npt

from canasta_env.action_text import FIRST_NATURAL
from canasta_env.actions import ActionTable
from canasta_env.cards import KIND_COUNT, RANK_TOKENS, SUITS
from canasta_env.rules import Rules
from canasta_env.symmetry_places import ActionNames, feature_places, relabel_axis, relabel_values

__all__ = ["Relabelling", "Symmetries", "symmetries"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Relabelling:
    """What each rank and each suit becomes; one relabelling, or one for each of ``n`` rows.

    Attributes:
        ranks: int64 (15,) or (n, 15): the rank that each one becomes; joker, deuce and threes (0 to
            3) and ranks that the deck has not stay what they are.
        suits: int64 (4,) or (n, 4): the suit (c d h s) that each one becomes.
    """

    ranks: Ints
    suits: Ints

    def after(self, first: Relabelling) -> Relabelling:
        """The relabelling that does what ``first`` does, and then what this one does."""
        return Relabelling(_after(self.ranks, first.ranks), _after(self.suits, first.suits))

    def inverse(self) -> Relabelling:
        """The relabelling that undoes this one."""
        return Relabelling(self.ranks.argsort(-1), self.suits.argsort(-1))

    def kinds(self, suited: bool) -> Ints:
        """int64 (…, 15), with suits (…, 48): the kind of card that each kind becomes."""
        if not suited:
            return self.ranks
        special, naturals = self.ranks[..., :FIRST_NATURAL], self.ranks[..., FIRST_NATURAL:]
        kinds = FIRST_NATURAL + 4 * (naturals[..., None] - FIRST_NATURAL)
        kinds = kinds + self.suits[..., None, :]
        flat = kinds.reshape(*kinds.shape[:-2], -1)
        return np.concatenate([special, flat], axis=-1)

    def __getitem__(self, rows: Any) -> Relabelling:
        return Relabelling(self.ranks[rows], self.suits[rows])

    def __len__(self) -> int:
        return len(self.ranks) if self.ranks.ndim > 1 else 1

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Relabelling)
            and np.array_equal(self.ranks, other.ranks)
            and np.array_equal(self.suits, other.suits)
        )

    def __hash__(self) -> int:
        return hash((self.ranks.tobytes(), self.suits.tobytes()))

    def __str__(self) -> str:
        """The cycles, as ``(4 5)(8 10 9)``; ``()`` if nothing changes. Of one relabelling."""
        cycles = [*_cycles(self.ranks, RANK_TOKENS), *_cycles(self.suits, tuple(SUITS))]
        return "".join(f"({' '.join(cycle)})" for cycle in cycles) or "()"


def _after(second: Ints, first: Ints) -> Ints:
    """The permutation that does what ``first`` does, and then what ``second`` does."""
    targets, places = np.broadcast_arrays(second, first)
    return np.take_along_axis(targets, places, -1)


def _cycles(targets: Ints, names: tuple[str, ...]) -> Iterator[list[str]]:
    """The cycles of a permutation that are longer than one."""
    seen: set[int] = set()
    for start in range(len(targets)):
        cycle = []
        while start not in seen:
            seen.add(start)
            cycle.append(names[start])
            start = int(targets[start])
        if len(cycle) > 1:
            yield cycle


class Symmetries:
    """The group of relabellings that leave rules unchanged at a table of ``players``.

    Made by :func:`symmetries`. Turning the seats is a symmetry too, which no seat can see, since
    observations and masks are relative to the seat that looks; it is not in this group.

    Attributes:
        rules, players: what the group belongs to.
        orbits: the ranks of the deck, 4 to 14, in groups that can change places.
        suit_orbits: the same of suits; empty where suits do not matter.
        order: how many relabellings there are.
        names, places: where cards stand in the action table and in the observation; for networks
            that are built of them.
    """

    def __init__(self, rules: Rules, players: int) -> None:
        self.rules, self.players = rules, players
        self.suited = bool(rules.sequences)
        self._table = ActionTable(rules)
        self._packed = self._table.pack(players)[0]
        self.names = ActionNames(self._table, self.suited)
        self.places = feature_places(rules, players, self.suited)
        ranks = range(FIRST_NATURAL, FIRST_NATURAL + rules.ranks)
        self.orbits = self._exchangeable("ranks", ranks)
        self.suit_orbits = self._exchangeable("suits", range(4)) if self.suited else ()
        self.order = prod(factorial(len(orbit)) for orbit in self._all_orbits())

    def _all_orbits(self) -> tuple[tuple[int, ...], ...]:
        return (*self.orbits, *self.suit_orbits)

    def _exchangeable(self, what: str, members: range) -> tuple[tuple[int, ...], ...]:
        """Members in groups of which any two can change places: whether two can is a relation of
        equivalence, since a symmetry after a symmetry is one."""
        found: list[list[int]] = []
        for member in members:
            home = next((o for o in found if self.keeps(self._exchange(what, o[0], member))), None)
            if home is None:
                found.append([member])
            else:
                home.append(member)
        return tuple(map(tuple, found))

    def _exchange(self, what: str, one: int, other: int) -> Relabelling:
        """The relabelling that exchanges two ranks, or two suits."""
        changed = self.identity()
        getattr(changed, what)[[one, other]] = other, one
        return changed

    # -- the group ---------------------------------------------------------------------------------

    def keeps(self, change: Relabelling) -> bool:
        """Does one relabelling, whichever, leave all that the packed rules say unchanged?

        That is how many cards of each kind there are, what each rank is worth, and which actions
        there are, each with its family and the cards that it names.
        """
        kinds = self.kinds(change)
        if (self._packed.counts[kinds] != self._packed.counts).any():
            return False
        if (self._packed.values[change.ranks] != self._packed.values).any():
            return False
        return bool((self.names.find(kinds, change.ranks) >= 0).all())

    def identity(self, n: int | None = None) -> Relabelling:
        """The relabelling that changes nothing; for ``n`` rows if given."""
        shape = () if n is None else (n,)
        ranks = np.broadcast_to(np.arange(KIND_COUNT), (*shape, KIND_COUNT))
        suits = np.broadcast_to(np.arange(4), (*shape, 4))
        return Relabelling(ranks.copy(), suits.copy())

    def exchange(self, one: str, other: str) -> Relabelling:
        """The relabelling that exchanges two ranks (``"4"``, ``"Q"``) or two suits (``"c"``),
        whether it is a symmetry or not.

        Raises:
            ValueError: the two are neither two natural ranks nor two suits.
        """
        names = {"ranks": RANK_TOKENS[FIRST_NATURAL:], "suits": tuple(SUITS)}
        for what, known in names.items():
            if one in known and other in known:
                first = FIRST_NATURAL if what == "ranks" else 0
                return self._exchange(what, first + known.index(one), first + known.index(other))
        raise ValueError(f"{one!r} and {other!r} are not two natural ranks or two suits")

    def sample(self, rng: np.random.Generator, n: int | None = None) -> Relabelling:
        """A relabelling drawn uniformly; ``n`` independent ones if given."""
        drawn = self.identity(1 if n is None else n)
        for targets, orbits in ((drawn.ranks, self.orbits), (drawn.suits, self.suit_orbits)):
            for orbit in orbits:
                places = np.array(orbit)
                targets[:, places] = rng.permuted(targets[:, places], axis=1)
        return drawn[0] if n is None else drawn

    def elements(self) -> Relabelling:
        """All ``order`` relabellings, one a row, the identity first."""
        ways = [list(permutations(orbit)) for orbit in self._all_orbits()]
        found = self.identity(self.order)
        for i, chosen in enumerate(product(*ways)):
            for j, (orbit, images) in enumerate(zip(self._all_orbits(), chosen, strict=True)):
                targets = found.ranks if j < len(self.orbits) else found.suits
                targets[i, list(orbit)] = images
        return found

    def generators(self) -> list[Relabelling]:
        """Exchanges of two neighbours in an orbit; all relabellings are rows of these."""
        named = (("ranks", self.orbits), ("suits", self.suit_orbits))
        return [
            self._exchange(what, one, other)
            for what, orbits in named
            for orbit in orbits
            for one, other in pairwise(orbit)
        ]

    def __contains__(self, change: Relabelling) -> bool:
        """Is one relabelling in the group?"""
        return _stays(change.ranks, self.orbits) and _stays(change.suits, self.suit_orbits)

    # -- what it acts on ---------------------------------------------------------------------------

    def kinds(self, change: Relabelling) -> Ints:
        """int64 (…, 15), with suits (…, 48): the kind of card that each kind becomes."""
        return change.kinds(self.suited)

    def actions(self, change: Relabelling) -> Ints:
        """int64 (…, A): the id that each action becomes.

        Raises:
            ValueError: an action becomes none of the table's; the relabelling is no symmetry.
        """
        found = self.names.find(self.kinds(change), change.ranks)
        if (found < 0).any():
            action = self._table.texts[int(np.argwhere(found < 0)[0, -1])]
            raise ValueError(f"{action!r} becomes no action of {self.rules}: no symmetry of it")
        return found

    def features(self, change: Relabelling) -> Ints:
        """int64 (…, O): the index that each feature of an observation becomes."""
        return self.places.moved(self.kinds(change), change.ranks)

    def decks(self, change: Relabelling, decks: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Decks or other rows of kinds, (n, …) or (…), relabelled; the type stays."""
        return relabel_values(self.kinds(change), decks)

    def action_ids(self, change: Relabelling, actions: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Action ids, (n,) or one, relabelled; the type stays."""
        return relabel_values(self.actions(change), actions)

    def masks(self, change: Relabelling, masks: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Masks, or anything else with one number an action, (n, A) or (A,), relabelled."""
        return relabel_axis(self.actions(change.inverse()), masks)

    def observations(self, change: Relabelling, observations: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Observations (n, O) or (O,) relabelled."""
        return relabel_axis(self.features(change.inverse()), observations)

    def __repr__(self) -> str:
        return f"<Symmetries of {self.rules}, players={self.players}: order {self.order}>"


def _stays(targets: Ints, orbits: tuple[tuple[int, ...], ...]) -> bool:
    """Does every member of an orbit stay in it, and everything else where it is?"""
    home = np.arange(len(targets))
    for orbit in orbits:
        home[list(orbit)] = orbit[0]
    return bool((home[targets] == home).all())


@lru_cache(maxsize=64)
def _symmetries(rules: Rules, players: int) -> Symmetries:
    return Symmetries(rules, players)


def symmetries(rules: str | Rules, players: int) -> Symmetries:
    """The symmetries of rules at a table of ``players``; the same object for the same rules.

    Raises:
        RulesError: there are no such rules, or not for so many players.
    """
    return _symmetries(Rules.parse(rules) if isinstance(rules, str) else rules, players)
