"""What was found in a game: effects, how the question is used, what answers tell, whole deals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from experiments.asking import arms
from experiments.asking.arms import Agents, Grid
from experiments.asking.config import Game, Study
from experiments.asking.effects import Effect, crossed, over_seeds
from experiments.asking.information import Information, classes, information
from experiments.asking.matches import Hall, Played
from experiments.asking.questions import ANSWER
from experiments.stats import Summary, holm, summarise

__all__ = ["AGAINST", "NEVER", "NEVER_LESS", "NEVER_MUTED", "Bot", "Deals", "Found", "Use", "find"]

Floats = npt.NDArray[np.float64]

AGAINST: Final = "asks less muted, against {}"
NEVER: Final = "trained with, asks, against trained without"
NEVER_MUTED: Final = "trained with, muted, against trained without"
NEVER_LESS: Final = "asks less muted, against trained without"


@dataclass(frozen=True)
class Use:
    """How agents with themselves use the question, a number for each agent, (agents,).

    ``possible``: turns in a deal in which a seat might ask; ``asked``: share of these; ``yes``:
    share of the answers, NaN without any; ``unasked``: deals ended by going out without a yes, as a
    share of all deals.
    """

    label: str
    possible: Floats
    asked: Floats
    yes: Floats
    unasked: Floats


@dataclass(frozen=True)
class Deals:
    """What deals are like where an agent has all seats: means over agents. ``turns`` of a deal,
    shares of deals ``gone_out`` and ``concealed``, ``caught``: cards left in a side's hands, and
    ``points`` of a side.
    """

    label: str
    turns: float
    gone_out: float
    concealed: float
    caught: float
    points: float


@dataclass(frozen=True)
class Bot:
    """A rule bot that asks against the one that doesn't; ``p_value`` after Holm's correction over
    all of the game's.
    """

    ask_hand: int
    answer_no_above: int
    asked: float
    yes: float
    lead: Summary
    p_value: float


@dataclass(frozen=True)
class Found:
    """All about a game. ``single``: leads of the further agents by regime, where the unit is the
    deck. ``told``: pairs of what answers tell about the points of the hand, alone and given the
    number of its cards; for each trained agent, then for each further one.
    """

    game: Game
    effects: dict[str, Effect]
    single: dict[str, dict[str, Summary]]
    uses: Sequence[Use]
    told: dict[str, tuple[Information, Information]]
    deals: Sequence[Deals]
    bots: Sequence[Bot]


def find(hall: Hall, study: Study, game: Game, agents: Agents) -> Found:
    """Plays what is missing and sums up; raises ValueError as :meth:`Hall.play`."""
    alone = _alone(hall, game, agents)
    names = [(f"seed {seed}", agents.trained_with(seed)) for seed in game.seeds]
    names += [(name, name) for name in game.agents]
    return Found(
        game=game,
        effects=_effects(hall, study, game, agents),
        single={name: _single(hall, study, game, name) for name in game.agents},
        uses=[_use(label, of) for label, of in alone.items()],
        told={
            label: _told(arms.itself(hall, game, [name])[0].answers, study) for label, name in names
        },
        deals=[_deals(label, of) for label, of in alone.items()],
        bots=_bots(hall, study, game),
    )


def _effects(hall: Hall, study: Study, game: Game, agents: Agents) -> dict[str, Effect]:
    """Those whose unit is the training seed, by name; none without seeds."""
    if not game.seeds:
        return {}
    level = study.level
    names = {seed: agents.trained_with(seed) for seed in game.seeds}
    leads = {seed: arms.switched_off(hall, game, name) for seed, name in names.items()}
    found = {
        regime: over_seeds({seed: of[regime] for seed, of in leads.items()}, level)
        for regime in next(iter(leads.values()))
    }
    foreign = {seed: arms.against(hall, game, name) for seed, name in names.items()}
    found[AGAINST.format(game.opponent)] = over_seeds(foreign, level)

    def without(seed: int) -> str:
        return f"translated({agents.trained_without(seed)})"

    def muted(seed: int) -> str:
        return f"mute({agents.trained_with(seed)})"

    asking, silent = (
        arms.crossing(hall, game, first, without) for first in (agents.trained_with, muted)
    )
    difference = Grid(asking.leads - silent.leads)
    for name, grid in ((NEVER, asking), (NEVER_MUTED, silent), (NEVER_LESS, difference)):
        found[name] = crossed(grid.means, grid.error, level)
    return found


def _single(hall: Hall, study: Study, game: Game, name: str) -> dict[str, Summary]:
    """The regimes of one agent, whose unit is the deck."""
    leads = arms.switched_off(hall, game, name)
    leads[AGAINST.format(game.opponent)] = arms.against(hall, game, name)
    return {
        regime: summarise(of, level=study.level, seed=study.seed) for regime, of in leads.items()
    }


def _alone(hall: Hall, game: Game, agents: Agents) -> dict[str, list[Played]]:
    """Agents that have all seats, by what they are."""
    found = _trained(hall, game, agents) if game.seeds else {}
    for name in game.agents:
        found[name] = arms.itself(hall, game, [name])
        found[f"{name}, muted"] = arms.itself(hall, game, [f"mute({name})"])
    asking = f"{game.bot}(ask_hand={game.ask_hand[0]})"
    for name in (game.bot, asking):
        found[name] = arms.itself(hall, game, [name])
    return found


def _trained(hall: Hall, game: Game, agents: Agents) -> dict[str, list[Played]]:
    names = [agents.trained_with(seed) for seed in game.seeds]
    without = [agents.trained_without(seed) for seed in game.seeds]
    return {
        "trained with": arms.itself(hall, game, names),
        "trained with, muted": arms.itself(hall, game, [f"mute({name})" for name in names]),
        "trained without, no question in the rules": arms.itself(hall, game, without, game.without),
    }


def _ratio(one: Any, other: Any) -> float:
    return float(one / other) if other else float("nan")


def _use(label: str, played: Sequence[Played]) -> Use:
    def each(name: str, of: str) -> Floats:
        return np.array([_ratio(p.uses[name].sum(), _base(p, of)) for p in played])

    gone_out = np.array([p.counts["went_out"].sum() - p.uses["yes"].sum() for p in played])
    deals = np.array([_tables(p) for p in played])
    return Use(label, each("possible", "deals"), each("asked", "possible"), each("yes", "answers"),
               gone_out / deals)  # fmt: skip


def _base(played: Played, of: str) -> int:
    """What a share is taken of."""
    if of == "deals":
        return _tables(played)
    if of == "answers":
        return int(played.uses["yes"].sum() + played.uses["no"].sum())
    return int(played.uses[of].sum())


def _tables(played: Played) -> int:
    """Deals that were played: each is one for both teams."""
    return int(played.counts["deals"].sum()) // 2


def _told(answers: Any, study: Study) -> tuple[Information, Information]:
    columns = {name: answers[:, place] for place, name in enumerate(ANSWER)}
    points = classes(columns["points"])
    alone, given = (
        information(columns["yes"], points, known, shuffles=study.shuffles, seed=study.seed)
        for known in (None, columns["hand"])
    )
    return alone, given


def _deals(label: str, played: Sequence[Played]) -> Deals:
    def mean(name: str, of_a_side: bool = False) -> float:
        sides = 2 if of_a_side else 1
        return float(np.mean([p.counts[name].sum() / _tables(p) / sides for p in played]))

    return Deals(
        label=label,
        turns=float(np.mean([p.turns / _tables(p) for p in played])),
        gone_out=mean("went_out"),
        concealed=mean("concealed"),
        caught=mean("caught", of_a_side=True),
        points=mean("points", of_a_side=True),
    )


def _bots(hall: Hall, study: Study, game: Game) -> list[Bot]:
    """Every pair of the two weights against the bot that never asks."""
    grid = [(ask, above) for ask in game.ask_hand for above in game.answer_no_above]
    played = [
        hall.play(
            game,
            (f"{game.bot}(ask_hand={ask},answer_no_above={above})", game.bot),
            game.bot_pairs,
        )
        for ask, above in grid
    ]
    leads = [summarise(of.leads, level=study.level, seed=study.seed) for of in played]
    corrected = holm([lead.p_value for lead in leads])
    return [
        Bot(ask, above, _ratio(of.uses["asked"][0], of.uses["possible"][0]), arms.yes_share(of),
            lead, float(p))
        for (ask, above), of, lead, p in zip(grid, played, leads, corrected, strict=True)
    ]  # fmt: skip
