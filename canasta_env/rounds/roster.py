"""The players around a learner: rule bots by name, agents, and plain functions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from canasta_env.bots import Bot

__all__ = ["Agent", "Player", "Policy", "Roster", "places"]

Rows: TypeAlias = npt.NDArray[np.int64]

Policy: TypeAlias = Callable[[npt.NDArray[np.float32], npt.NDArray[np.bool_]], int]
"""A function of the observation, float32 (O,), and the mask, bool (A,), that gives an action."""

BOTS: Final = tuple(bot.name.lower() for bot in Bot)


@runtime_checkable
class Agent(Protocol):
    """A player of any number of games at once."""

    def act(self, batch: Any, rows: Rows) -> Rows:
        """One legal action id for each of ``rows`` of a :class:`~canasta_env.batch.Batch`; in each
        of them it is this agent's turn."""
        ...


Player: TypeAlias = str | Agent | Policy


class _OneByOne:
    """A plain function as an agent."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def act(self, batch: Any, rows: Rows) -> Rows:
        seen = batch.observation[rows] * batch.scale
        chosen = [self.policy(seen[j], batch.mask[row].copy()) for j, row in enumerate(rows)]
        return np.array(chosen, np.int64)


class Roster:
    """The numbers by which the kernels know players: rule bots by theirs, agents from there on."""

    def __init__(self) -> None:
        self._known: list[tuple[Player, Agent] | None] = []

    def number(self, player: Player) -> int:
        """The number of a player, a new one if need be.

        Raises:
            ValueError: it is none.
        """
        if isinstance(player, str):
            if player not in BOTS:
                raise ValueError(f"no rule bot is called {player!r}; they are {', '.join(BOTS)}")
            return BOTS.index(player)
        for place, known in enumerate(self._known):
            if known is not None and known[0] is player:
                return len(BOTS) + place
        if None not in self._known:
            self._known.append(None)
        place = self._known.index(None)
        self._known[place] = player, _agent(player)
        return len(BOTS) + place

    def agent(self, number: int) -> Agent:
        """The agent with a number."""
        known = self._known[number - len(BOTS)]
        assert known is not None
        return known[1]

    def keep(self, numbers: Collection[int]) -> None:
        """Forget the agents with other numbers than these."""
        for place in range(len(self._known)):
            if len(BOTS) + place not in numbers:
                self._known[place] = None

    @property
    def has_agents(self) -> bool:
        """Whether somebody is no rule bot."""
        return any(known is not None for known in self._known)


def _agent(player: Any) -> Agent:
    if isinstance(player, Agent):
        return player
    if callable(player):
        return _OneByOne(player)
    raise ValueError(
        f"{player!r} is no player; one of {', '.join(BOTS)}, an object with act(batch, rows), or a "
        "function of observation and mask is needed"
    )


def seated(who: str, given: Player | Sequence[Player], places: Sequence[int]) -> dict[int, Player]:
    """Who sits where, by place: one player for all places, or one a place.

    Raises:
        ValueError: there is no such place, or a list has another length.
    """
    if not places:
        raise ValueError(f"{who}: nobody plays with the learner in this game")
    if not isinstance(given, (list, tuple)):
        return dict.fromkeys(places, given)  # type: ignore[arg-type]
    if len(given) != len(places):
        raise ValueError(f"{who}: {len(given)} players given, {len(places)} needed")
    return dict(zip(places, given, strict=True))


def places(players: int, sides: int) -> tuple[list[int], list[int]]:
    """The places of opponents and of partners, in the order of play from the learner's left."""
    others = range(1, players)
    return [i for i in others if i % sides], [i for i in others if not i % sides]
