"""Other-play: in every deal each seat sees the cards under other names.

Partners who are one network can agree on things that nothing in the rules suggests, such as that
fives are the rank to collect. If each seat's cards are renamed by a symmetry of the rules drawn for
it alone, no such agreement means the same to both, and only what follows from the game pays (Hu et
al., arXiv 2003.02979). The renaming holds for a whole deal and for observation, mask and action
together, so the seat's own experience stays one of the real game.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from canasta_env.symmetry import Relabelling, symmetries
from canasta_env.symmetry_places import relabel_axis

__all__ = ["OtherPlay"]

Ints = npt.NDArray[np.int64]


class OtherPlay:
    """The relabelling of each seat of each game, drawn anew for every deal.

    Args:
        batch: the games; only their rules, players and number are read.
        seed: of the relabellings.

    Raises:
        ValueError: the rules have no symmetry but that which changes nothing.
    """

    def __init__(self, batch: Any, seed: int) -> None:
        self.group = symmetries(batch.rules, batch.players)
        if self.group.order == 1:
            raise ValueError(
                f"--other-play: in {batch.rules} no two ranks are alike, so no card can get "
                "another name; leave it out"
            )
        self.seed, self.draws = seed, 0
        shape = batch.n, batch.players
        self.changes = self.group.identity(batch.n * batch.players)
        self._features = np.zeros((*shape, batch.observation_size), np.int32)
        self._actions = np.zeros((*shape, batch.actions), np.int32)
        self._seats = np.arange(batch.players)
        self.draw(np.arange(batch.n))

    def draw(self, games: Ints) -> None:
        """New relabellings for all seats of ``games``, whose deals begin."""
        if len(games) == 0:
            return
        random = np.random.default_rng([self.seed, self.draws])
        self.draws += 1
        places = (games[:, None] * len(self._seats) + self._seats).ravel()
        drawn = self.group.sample(random, len(places))
        self.changes.ranks[places], self.changes.suits[places] = drawn.ranks, drawn.suits
        self._index(games)

    def _index(self, games: Ints) -> None:
        """The index arrays of ``games``: where a seat's features and actions really stand."""
        places = (games[:, None] * len(self._seats) + self._seats).ravel()
        undo = self.changes[places].inverse()
        shape = len(games), len(self._seats), -1
        self._features[games] = self.group.features(undo).reshape(shape)
        self._actions[games] = self.group.actions(undo).reshape(shape)

    def observed(
        self, observations: npt.NDArray[Any], games: Ints, seats: Ints
    ) -> npt.NDArray[Any]:
        """Observations (m, O) of ``seats`` (m,) in ``games`` (m,), as these seats see them."""
        return relabel_axis(self._features[games, seats], observations)

    def masked(self, masks: npt.NDArray[Any], games: Ints, seats: Ints) -> npt.NDArray[Any]:
        """Masks (m, A) of ``seats`` (m,) in ``games`` (m,), as these seats see them."""
        return relabel_axis(self._actions[games, seats], masks)

    def played(self, actions: Ints, games: Ints, seats: Ints) -> Ints:
        """The actions (m,) of the game that ``seats`` mean by theirs."""
        found: Ints = self._actions[games, seats, actions].astype(np.int64)
        return found

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """What a checkpoint keeps: the relabellings of the deals that go on, and the count of
        draws."""
        return {
            "ranks": self.changes.ranks,
            "suits": self.changes.suits,
            "draws": np.array(self.draws, np.int64),
        }

    def restore(self, state: dict[str, npt.NDArray[Any]]) -> None:
        """Puts back what :meth:`state` gave."""
        self.changes = Relabelling(state["ranks"].copy(), state["suits"].copy())
        self.draws = int(state["draws"])
        self._index(np.arange(len(self._features)))
