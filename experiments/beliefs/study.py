"""Beliefs trained on the play of some agents and tested on the play of each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from canasta_env.rules import Rules
from experiments.beliefs.counting import most_copies
from experiments.beliefs.measures import (
    Calibration,
    Rate,
    calibration,
    counting,
    groups,
    rate,
)
from experiments.beliefs.model import Judged, Training, judge, train
from experiments.beliefs.samples import Play, Samples, gather

__all__ = ["BELIEFS", "CALIBRATED", "Cell", "Plan", "Population", "Study", "study"]

BELIEFS: Final = ("counting", "hypergeometric", "learned")
"""From the one that knows least on."""
CALIBRATED: Final = BELIEFS[1:]
"""Those that tell hidden cards from known ones."""
_TESTED, _TRAINED = 0, 1
"""The parts of the deals: beliefs are never tested on decks that they were trained on."""


@dataclass(frozen=True)
class Plan:
    """What is done: ``deals`` are trained on, ``test_deals`` are tested on, for each agent."""

    rules: Rules
    players: int
    deals: int
    test_deals: int
    every: int
    training: Training
    seed: int = 0
    level: float = 0.95

    def play(self, part: int) -> Play:
        """The deals of a part."""
        deals = self.deals if part == _TRAINED else self.test_deals
        return Play(self.rules, self.players, deals, self.every, seed=self.seed, part=part)


@dataclass(frozen=True)
class Population:
    """What beliefs say about the play of one agent, all on its test deals.

    Attributes:
        states, cards: how many states there are, and hidden cards in them.
        bits: by group of hands and belief (:data:`BELIEFS`) the bits a card; ``learned`` is the
            network that was trained on the same agent.
        gain: by group, bits a card of ``hypergeometric`` less ``learned``.
        calibration: by belief (:data:`CALIBRATED`).
    """

    states: int
    cards: int
    bits: dict[str, dict[str, Rate]]
    gain: dict[str, Rate]
    calibration: dict[str, Calibration]


@dataclass(frozen=True)
class Cell:
    """A network on the play of an agent: its bits a card, and how many more they are than those of
    the network that was trained on that agent.
    """

    bits: Rate
    excess: Rate


@dataclass(frozen=True)
class Study:
    """``populations`` by agent; ``matrix[trained on][tested on]``."""

    populations: dict[str, Population]
    matrix: dict[str, dict[str, Cell]]


def study(names: Sequence[str], plan: Plan, told: Callable[[str], Any] = print) -> Study:
    """Trains a network for each agent and tests all of them on the play of each.

    ``told`` hears in a line what was done. Raises ValueError if a name is no agent's, or the rules
    or numbers do not fit.
    """
    tested = {name: gather(name, plan.play(_TESTED)) for name in names}
    judged: dict[str, dict[str, Judged]] = {name: {} for name in names}
    most = most_copies(plan.rules, plan.players)
    for trained in names:
        samples = gather(trained, plan.play(_TRAINED))
        network = train(samples, plan.rules, plan.players, plan.training)
        told(f"{trained}: trained on {len(samples):,} states of {plan.deals:,} deals")
        for name, of in tested.items():
            judged[name][trained] = judge(of, most, network)
    populations = {name: _population(of, judged[name][name], plan) for name, of in tested.items()}
    matrix = {
        trained: {name: _cell(of, judged[name], trained, name, plan) for name, of in tested.items()}
        for trained in names
    }
    return Study(populations, matrix)


def _population(samples: Samples, learned: Judged, plan: Plan) -> Population:
    hypergeometric = judge(samples, most_copies(plan.rules, plan.players))
    judged = (hypergeometric, learned)
    each = dict(zip(BELIEFS, (counting(samples), *(of.bits for of in judged)), strict=True))
    bits, gain = {}, {}
    for group in groups(samples, plan.rules, plan.players):
        bits[group.name] = {
            belief: rate(of, samples, group.chosen, plan.level) for belief, of in each.items()
        }
        saved = hypergeometric.bits - learned.bits
        gain[group.name] = rate(saved, samples, group.chosen, plan.level)
    return Population(
        len(samples), int(samples.certain.hidden.sum()), bits, gain,
        {name: calibration(of, samples) for name, of in zip(CALIBRATED, judged, strict=True)},
    )  # fmt: skip


def _cell(samples: Samples, judged: dict[str, Judged], trained: str, name: str, plan: Plan) -> Cell:
    chosen = samples.certain.hidden > 0
    more = judged[trained].bits - judged[name].bits
    return Cell(
        rate(judged[trained].bits, samples, chosen, plan.level),
        rate(more, samples, chosen, plan.level),
    )
