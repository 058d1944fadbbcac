"""Who sits at the tables of a training beside the network that learns: agents by name, past selves.

Self-play alone meets nobody but itself. Here a share of the games has other opponents, and a share
other partners: rule bots, trained agents, or ``past``, snapshots of the run's own network. Seats
are given out once for the run; what a game pays the learner's seats is learnt from in every game.

Past selves. A snapshot is taken every so many updates. The first one and the latest are always
kept; of the others goes the one that is closest to its neighbours, measured by its age: so there
are several of late and a few from long ago. Two are in play at a time, drawn anew with each
snapshot, since each costs a forward pass in every step. They draw their actions as the learner
does. Their weights may change in the middle of a deal, as those of the network itself do.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from agents import checkpoint as checkpoints
from agents import registry
from agents.base import Agent, load_state, state_of
from agents.neural import Network, NeuralAgent
from train.members import MEMBERS, Members
from train.workers import Workers

__all__ = ["PAST", "Past", "Pool", "seating", "shares"]

PAST: Final = "past"
IN_PLAY: Final = 2
"""Snapshots in play at a time."""
Chairs = npt.NDArray[np.int64]


def shares(words: Iterable[str], option: str) -> dict[str, float]:
    """Shares of the games by name, from words like ``basic=0.1``.

    Raises:
        ValueError: a word is not of that form, a name comes twice, a share is not above 0, or
            they make more than 1; the text names ``option``.
    """
    found: dict[str, float] = {}
    for word in words:
        name, _, text = word.rpartition("=")
        try:
            share = float(text)
        except ValueError:
            share = 0.0
        if not name or not 0 < share <= 1:
            raise ValueError(
                f"{option} {word}: not a name and its share of the games; "
                "write basic=0.1 for a tenth"
            )
        if name in found:
            raise ValueError(f"{option}: {name} comes twice; give it one share")
        found[name] = share
    if sum(found.values()) > 1 + 1e-9:
        raise ValueError(f"{option}: the shares make {sum(found.values()):g}; 1 at most")
    return found


def seating(
    shape: tuple[int, int],
    sides: int,
    opponents: Mapping[str, float],
    partners: Mapping[str, float],
    numbers: Mapping[str, Sequence[int]],
    random: np.random.Generator,
) -> Chairs:
    """Who sits where: int64 ``shape`` (games, players), 0 where the network plays and learns.

    In the games of an opponent the learner has one side, in those of a partner one seat of its
    side; sides and seats alternate from game to game. ``numbers`` are those of each name; if it
    has several, its games are shared among them.
    """
    games, players = shape
    chairs = np.zeros(shape, np.int64)
    side_of_seat = np.arange(players) % sides
    side = np.zeros(games, np.int64)
    for name, rows in _groups(games, opponents, random):
        place = np.arange(len(rows))
        side[rows] = place % sides
        if name:
            number = np.array(numbers[name])[place // sides % len(numbers[name])]
            theirs = side_of_seat != side[rows, None]
            chairs[rows] = np.where(theirs, number[:, None], 0)
    for name, rows in _groups(games, partners, random):
        if name:
            place = np.arange(len(rows))
            own = side[rows] + sides * (place % (players // sides))
            number = np.array(numbers[name])[place // (players // sides) % len(numbers[name])]
            theirs = (side_of_seat == side[rows, None]) & (np.arange(players) != own[:, None])
            chairs[rows] = np.where(theirs, number[:, None], chairs[rows])
    return chairs


def _groups(
    games: int, parts: Mapping[str, float], random: np.random.Generator
) -> list[tuple[str, Chairs]]:
    """The games drawn for each name, and those that are left, under an empty name."""
    drawn = random.permutation(games)
    ends = np.round(games * np.cumsum(list(parts.values()))).astype(np.int64)
    return list(zip((*parts, ""), np.split(drawn, ends), strict=True))


class Past:
    """Snapshots of a network's weights, and the agents that play with two of them.

    ``rows`` are the weights of each snapshot, one row of numbers; ``taken`` the numbers of the
    updates after which they were taken, ascending.
    """

    def __init__(self, network: Network, identity: dict[str, Any], keep: int, seed: int) -> None:
        self.keep, self.seed = keep, seed
        seeds = np.random.default_rng(seed).integers(2**31, size=IN_PLAY)
        self.rows: list[Tensor] = []
        self.taken: list[int] = []
        self.agents = [
            NeuralAgent(
                copy.deepcopy(network).requires_grad_(False), identity, name=PAST, temperature=1.0,
                seed=int(own),
            )
            for own in seeds
        ]  # fmt: skip

    def take(self, weights: Tensor, update: int) -> None:
        """One more snapshot, after ``update``; another one goes if there are too many."""
        self.rows.append(weights.detach().cpu().clone())
        self.taken.append(update)
        if len(self.taken) > self.keep:
            gone = superfluous(self.taken)
            del self.rows[gone], self.taken[gone]
        self._seat()

    def _seat(self) -> None:
        """Draws the snapshots in play; the draw depends on seed and latest snapshot alone."""
        random = np.random.default_rng([self.seed, self.taken[-1]])
        count = len(self.rows)
        drawn = random.choice(count, IN_PLAY, replace=count < IN_PLAY)
        for agent, i in zip(self.agents, drawn, strict=True):
            nn.utils.vector_to_parameters(self.rows[i], agent.network.parameters())

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """The snapshots as arrays: ``rows`` float32 (snapshots, weights), ``taken`` int64."""
        return {"rows": torch.stack(self.rows).numpy(), "taken": np.array(self.taken, np.int64)}

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Puts back what :meth:`state` gave."""
        self.rows = [torch.from_numpy(row.copy()) for row in state["rows"]]
        self.taken = [int(update) for update in state["taken"]]
        self._seat()


def superfluous(taken: Sequence[int]) -> int:
    """Which snapshot goes, by the updates at which they were taken: neither the first nor the
    last, but the one whose neighbours' ages are closest to each other as a ratio. With two there
    is none between, and the first one goes.
    """
    if len(taken) < 3:
        return 0
    age = taken[-1] + 1 - np.array(taken, np.float64)
    return 1 + int(np.argmax(age[2:] / age[:-2]))


class Pool:
    """The agents at the tables of a training, each asked once a step for all its games.

    Args:
        batch: the games, as the trainer plays them.
        network: the network that learns; the pattern of its past selves.
        opponents: words for :func:`shares`: who plays the sides that do not learn.
        partners: who has the other seats of the learner's side.
        keep: how many snapshots are kept.
        rules, seed: for the agents that are made by name.
        members: names of a population's agents.
        in_play: how many of them are in play at a time.

    Attributes:
        learner: bool (games, players), the seats whose decisions are learnt from.

    Raises:
        ValueError: an unknown name, shares that are not possible, or partners where there are
            none; the text says which.
    """

    def __init__(
        self,
        batch: Any,
        network: Network,
        opponents: Iterable[str],
        partners: Iterable[str],
        *,
        keep: int,
        rules: str,
        seed: int,
        members: Sequence[str] = (),
        in_play: int = 4,
    ) -> None:
        against, beside = shares(opponents, "--pool"), shares(partners, "--partners")
        if bool(members) != (MEMBERS in against or MEMBERS in beside):
            raise ValueError(
                "--members names a population, and --pool members=0.5 or --partners members=0.5 "
                "its share of the games; give both or neither"
            )
        if beside and batch.players == batch.sides:
            raise ValueError(
                f"--partners: with {batch.players} players everybody plays alone; leave it out"
            )
        named = [n for n in dict.fromkeys((*against, *beside)) if n not in (PAST, MEMBERS)]
        # seeds of their own: the network draws by those that follow the run's
        random = np.random.default_rng(seed)
        seeds = random.integers(2**31, size=len(named) + 1).tolist()
        self.agents: list[Agent] = [
            registry.make(name, rules, batch.players, own)
            for name, own in zip(named, seeds, strict=False)
        ]
        numbers = {name: [1 + i] for i, name in enumerate(named)}
        self._on_caller = len(named)
        self.members: Members | None = None
        if members:
            self.members = Members(members, rules, batch.players, in_play, seeds[-1])
            numbers[MEMBERS] = [1 + len(self.agents)]
            self.agents += self.members.agents
        self.past: Past | None = None
        if PAST in against or PAST in beside:
            self.past = Past(network, checkpoints.identity(batch), keep, seeds[-1])
            numbers[PAST] = [1 + len(self.agents) + i for i in range(IN_PLAY)]
            self.agents += self.past.agents
        shape = batch.n, batch.players
        self.chairs = seating(shape, batch.sides, against, beside, numbers, random)
        self.learner: npt.NDArray[np.bool_] = self.chairs == 0
        self._games, self._side = np.arange(batch.n), np.arange(batch.players) % batch.sides
        self._of_members = np.isin(self.chairs, numbers.get(MEMBERS, []))
        self.deal(self._games)

    def take(self, weights: Tensor, update: int) -> None:
        """Keeps the network's weights (a row) after ``update``, if past selves play; other members
        are in play."""
        if self.past is not None:
            self.past.take(weights, update)
        if self.members is not None and update:
            self.members.turn()

    def deal(self, games: Chairs) -> None:
        """New members for ``games`` (int64), whose deals begin: one for each side that has some."""
        if self.members is None or not len(games):
            return
        drawn = self.members.draw((len(games), int(self._side.max()) + 1))[:, self._side]
        number = 1 + self._on_caller + drawn
        self.chairs[games] = np.where(self._of_members[games], number, self.chairs[games])

    def act(self, batch: Any, actions: npt.NDArray[np.int64], workers: Workers) -> None:
        """Writes the agents' choices into ``actions`` (games,). A forced move is left as it is.
        Members and past selves play on the threads of ``workers``, the others on the caller's.
        """
        chair = self.chairs[self._games, batch.seat]
        waiting = np.flatnonzero(chair)
        waiting = waiting[np.count_nonzero(batch.mask[waiting], axis=1) > 1]

        def play(numbers: Tensor, _: torch.Generator) -> None:
            for number in numbers.tolist():
                rows = waiting[chair[waiting] == number]
                if rows.size:
                    actions[rows] = self.agents[number - 1].act(batch, rows)

        numbers = torch.from_numpy(np.unique(chair[waiting]))
        on_caller = numbers <= self._on_caller
        play(numbers[on_caller], workers.generators[0])
        workers.share(play, numbers[~on_caller])

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Snapshots, seats and the agents' random numbers, by name."""
        groups = {str(i): state_of(agent) for i, agent in enumerate(self.agents)}
        if self.past is not None:
            groups[PAST] = self.past.state()
        if self.members is not None:
            groups[MEMBERS] = self.members.state()
        return {"chairs": self.chairs, **checkpoints.joined(groups)}

    def restore(self, state: dict[str, npt.NDArray[Any]]) -> None:
        """Puts back what :meth:`state` gave."""
        self.chairs[:] = state["chairs"]
        np.equal(self.chairs, 0, out=self.learner)
        for i, agent in enumerate(self.agents):
            load_state(agent, checkpoints.group(state, str(i)))
        if self.past is not None:
            self.past.restore(checkpoints.group(state, PAST))
        if self.members is not None:
            self.members.restore(checkpoints.group(state, MEMBERS))
