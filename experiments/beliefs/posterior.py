"""The exact belief in a game that can be walked through, and how near a learned one comes.

Every history of such a game is known, and so is the play of an agent in every information state. So
the chance of each hidden hand is that of the histories with it: of their deal and of all choices
that led there (the seat's own choices are the same in all of them). No belief has fewer bits. Two
steps lie between it and a learned one and are computed too: an observation forgets the order of
play, and a law of :mod:`experiments.beliefs.laws` knows no pairs of kinds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from canasta_env.engine.state import GAME_DTYPE
from experiments.beliefs.counting import Certain, certain, look
from experiments.beliefs.laws import bits_of, condition, hypergeometric
from experiments.beliefs.model import BeliefNetwork, corrections
from experiments.exact.policies import tables
from experiments.exact.strategy import reaches
from experiments.exact.tree import Tree
from experiments.exact.walk import Walker

__all__ = ["Bits", "Posterior", "States", "best_laws", "bits", "posterior", "states"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_ROUNDS: Final = 1000
_CLOSE: Final = 1e-6
"""The search for the best law ends after so many rounds, or once all chances are so close."""
_DEALT: Final = 1024


@dataclass(frozen=True)
class States:
    """What the seat to act sees in each information state of a tree: ``observation`` uint8 (infos,
    O), and what it knows for certain.
    """

    observation: npt.NDArray[np.uint8]
    certain: Certain


@dataclass(frozen=True)
class Posterior:
    """Every hidden hand that can be in every information state, a row for each.

    Attributes:
        info: (rows,) information states, in order.
        hand: (rows, K) the hidden cards of the hand by kind.
        reach: (rows,) how likely play comes to that state with that hand.
    """

    info: Ints
    hand: Ints
    reach: Floats

    def bits(self, of: Ints) -> Floats:
        """(rows,) -log2 of the chance of each hand among all rows with the same number in ``of``
        (rows,), weighed by their reach: their posterior given that number.
        """
        hands = np.unique(self.hand, axis=0, return_inverse=True)[1].reshape(-1)
        both = np.unique(np.stack([of, hands], 1), axis=0, return_inverse=True)[1].reshape(-1)
        chance = np.bincount(both, self.reach)[both] / np.bincount(of, self.reach)[of]
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Floats = np.where(self.reach > 0, -np.log2(chance), 0.0)
        return found


def states(tree: Tree) -> States:
    """What is seen in all information states."""
    seen, sure = [], []
    for _, batch in tables(tree, observe=True):
        seen.append(batch.observation.copy())
        sure.append(certain(look(batch, np.arange(batch.n))))
    names = vars(sure[0])
    joined = (np.concatenate([getattr(part, name) for part in sure]) for name in names)
    return States(np.concatenate(seen), Certain(*joined))


def _hands(tree: Tree) -> list[Ints]:
    """By level the other hand, (histories, K), from the seat to act."""
    walker, decks = Walker(tree.rules), tree.deals.decks
    if len(decks) > _DEALT:
        raise ValueError(f"{tree.rules} has {len(decks):,} deals; beliefs walk {_DEALT:,} at most")
    games, found = walker.deal(decks), []
    for depth, level in enumerate(tree.levels):
        if depth:
            games = walker.step(games, level.parent, tree.action[level.move])
        hands = np.frombuffer(games.raw.tobytes(), GAME_DTYPE)["hands"]
        other = np.where(games.seat < 0, 0, 1 - games.seat)
        found.append(hands[np.arange(len(hands)), other].astype(np.int64))
    return found


def posterior(tree: Tree, strategy: Floats, seen: States) -> Posterior:
    """The exact posterior of the other hand in every information state that play can come to.

    Raises:
        ValueError: the tree has too many deals.
    """
    infos, hands, chances = [], [], []
    reached = reaches(tree, strategy)
    for level, hand, reach in zip(tree.levels, _hands(tree), reached, strict=True):
        on = np.flatnonzero((level.info >= 0) & (reach > 0))
        infos.append(level.info[on])
        hands.append(hand[on] - seen.certain.known[level.info[on], 0])
        chances.append(reach[on])
    info, reach = np.concatenate(infos), np.concatenate(chances)
    rows = np.column_stack([info, np.concatenate(hands)])
    kept, place = np.unique(rows, axis=0, return_inverse=True)
    summed = np.bincount(place.reshape(-1), reach).astype(np.float64)
    return Posterior(kept[:, 0], kept[:, 1:], summed)


def _scored(log_weights: Floats, cards: Ints, info: Ints, hands: Ints) -> Floats:
    """Bits of hands (rows,), each in the information state of its row, whose laws are given."""
    sums, _ = condition(log_weights, cards)
    return bits_of(log_weights[info], sums[info], hands)


def best_laws(base: Floats, cards: Ints, of: Ints, given: Posterior) -> Floats:
    """The laws that come nearest to a posterior: the one of the fewest bits for each number in
    ``of`` (rows,), as log weights (numbers, K, C + 1).

    By iterative scaling: the chances of the counts of each kind become those of the posterior.
    ``base`` (numbers, K, C + 1) are the weights to begin with, ``cards`` (numbers,) the hands'.
    """
    target = np.zeros_like(base)
    kinds = np.arange(base.shape[1])
    np.add.at(target, (of[:, None], kinds, given.hand), given.reach[:, None])
    target /= np.maximum(np.bincount(of, given.reach, len(base)), 1e-300)[:, None, None]
    used = np.maximum(1, (base > -np.inf)[..., 1:].any(axis=2).sum(axis=1))[:, None, None]
    weights, floor = base.copy(), 1e-12
    for _ in range(_ROUNDS):
        _, chances = condition(weights, cards)
        if np.abs(target - chances).max() < _CLOSE:
            break
        step = np.log(np.maximum(target, floor)) - np.log(np.maximum(chances, floor))
        weights = np.where(base > -np.inf, weights + step / used, -np.inf)
    return weights


@dataclass(frozen=True)
class Bits:
    """Expected bits a hidden card of each belief, from the worst to the best but for ``learned``.

    Attributes:
        hypergeometric: a uniform draw from the pool.
        learned: a trained network.
        best_law: the best law of :mod:`experiments.beliefs.laws` for each observation.
        observation: the posterior given the observation.
        exact: the posterior given all that the seat saw; no belief has fewer bits.
    """

    hypergeometric: float
    learned: float
    best_law: float
    observation: float
    exact: float


def bits(given: Posterior, seen: States, most: int, network: BeliefNetwork | None = None) -> Bits:
    """The expected bits of all beliefs; without a network those of ``learned`` are NaN."""
    cards, info = seen.certain.hidden[:, 0], given.info
    kinds = np.flatnonzero(seen.certain.pool.any(axis=0))
    given = replace(given, hand=given.hand[:, kinds])
    base = hypergeometric(seen.certain.pool[:, kinds], cards, most)
    _, one, place = np.unique(
        seen.observation[info], axis=0, return_index=True, return_inverse=True
    )
    place, one = place.reshape(-1), info[one]
    nearest = best_laws(base[one], cards[one], place, given)
    found = {
        "hypergeometric": _scored(base, cards, info, given.hand),
        "best_law": _scored(nearest, cards[one], place, given.hand),
        "observation": given.bits(place),
        "exact": given.bits(info),
    }
    if network is not None:
        changed = base + corrections(network, seen.observation)[:, 0, kinds]
        found["learned"] = _scored(changed, cards, info, given.hand)
    hidden = float(given.reach @ cards[info])
    rates = {name: float(given.reach @ of) / hidden for name, of in found.items()}
    return Bits(**{"learned": float("nan")} | rates)
