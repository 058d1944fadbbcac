"""The figures of a game as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from experiments.asking.config import Game, Study
from experiments.asking.effects import POWER, Effect
from experiments.asking.findings import Found
from experiments.asking.information import Information
from experiments.report import effects, markdown
from experiments.report.blocks import Block, Table, Text
from experiments.report.wording import interval, number, percent
from experiments.stats import Summary

__all__ = ["plot", "section"]

Floats = npt.NDArray[np.float64]


def section(study: Study, found: Found, plot_path: str) -> str:
    """The Markdown of a game; ``plot_path`` is the way from the page to its plot."""
    game = found.game
    blocks: list[Block] = [
        Text(f"### {game.rules}"),
        Text(_played(game)),
        Text(f"![effects in {game.rules}]({plot_path})"),
    ]
    if found.effects:
        blocks += [Text(f"**Effects**, in points a deal. {_legend(study, game)}")]
        blocks += [_effects(found.effects, study.level)]
    for name, of in found.single.items():
        text = f"**`{name}`**, one agent: the unit is the deck, so the intervals say nothing of "
        blocks += [Text(f"{text}another training."), _single(of, study.level)]
    blocks += [
        Text("**How the question is used**, by agents that have all four seats; of trained ones "
             "the mean, and in brackets the least and the most of all seeds."),
        _uses(found),
        Text("**What an answer tells** about the hand behind it, in bits: about its card points, "
             "in five classes, and about these where the number of its cards is known already. "
             "Control: the same answers shuffled."),
        _told(found.told),
        Text("**Whole deals**, where an agent has all four seats; means over its seeds."),
        _deals(found),
        Text(f"**Rule bots**: `{game.bot}` that asks against `{game.bot}`, {game.bot_pairs:,} "
             "decks; p is corrected by Holm's method for all rows."),
        _bots(found, study.level),
    ]  # fmt: skip
    return "\n\n".join(markdown.block(block) for block in blocks)


def plot(found: Found) -> str:
    """The effects of a game as SVG."""
    rows = [
        effects.Row(name, of.means.tolist(), of.mean, of.interval.low, of.interval.high)
        for name, of in found.effects.items()
    ]
    for agent, single in found.single.items():
        rows += [
            effects.Row(f"{agent}: {name}", (), of.mean, of.interval.low, of.interval.high)
            for name, of in single.items()
        ]
    return effects.draw(f"What asking is worth in {found.game.rules}", rows)


def _played(game: Game) -> str:
    decks = f"{game.pairs:,} duplicate decks for each agent, {game.alone:,} where it has all seats"
    if not game.seeds:
        return f"Nothing was trained for this; it is played by agents that there are. {decks}."
    start = f"from `{game.start}`" if game.start else "from nothing"
    return (
        f"{len(game.seeds)} seeds of each arm, trained {start} with `python -m train.ppo --rules "
        f"{game.rules} {' '.join(game.training)}`, and `--rules '{game.without}'`. {decks}, "
        f"{game.crossed:,} for each pair of an agent trained with the question and one without."
    )


def _legend(study: Study, game: Game) -> str:
    return (
        f"Mean of {len(game.seeds)} seeds, Student's {percent(study.level)} interval over seeds, "
        "the standard error that the decks leave in one seed, and the effect that so many seeds, "
        f"as different as these, find with a chance of {percent(POWER)}; then every seed."
    )


def _effects(effects: Mapping[str, Effect], level: float) -> Table:
    head = ["", "mean", percent(level), "decks", "found", "seeds"]
    rows = [
        [name, number(of.mean), interval(of.interval), number(of.error, ".1f"),
         number(of.detectable, ".1f"), _each(of.means)]
        for name, of in effects.items()
    ]  # fmt: skip
    return Table(head, rows)


def _each(values: Floats) -> str:
    return ", ".join(number(float(value), "+.0f") for value in values)


def _single(effects: Mapping[str, Summary], level: float) -> Table:
    rows = [
        [name, number(of.mean), interval(of.interval), f"{of.units:,}", number(of.p_value, ".4f")]
        for name, of in effects.items()
    ]
    return Table(["", "mean", percent(level), "decks", "p"], rows)


def _range(values: Floats, form: str, scale: float = 1.0) -> str:
    """The mean of what is known, and the least and the most if there are several."""
    known = values[~np.isnan(values)]
    if not known.size:
        return "–"
    mean = number(float(known.mean()), form, scale)
    if len(values) == 1:
        return mean
    ends = (number(float(end), form, scale) for end in (known.min(), known.max()))
    return f"{mean} ({' to '.join(ends)})"


def _uses(found: Found) -> Table:
    head = ["", "possible a deal", "asked, %", "answered yes, %", "gone out unasked, % of deals"]
    rows = [
        [use.label, _range(use.possible, ".2f"), _range(use.asked, ".1f", 100.0),
         _range(use.yes, ".1f", 100.0), _range(use.unasked, ".1f", 100.0)]
        for use in found.uses
    ]  # fmt: skip
    return Table(head, rows)


def _told(told: Mapping[str, tuple[Information, Information]]) -> Table:
    head = ["", "answers", "bits of an answer", "about points", "control", "p",
            "given the cards", "control", "p"]  # fmt: skip
    rows = [
        [label, f"{alone.answers:,}", number(alone.entropy, ".3f"), *_cells(alone), *_cells(given)]
        for label, (alone, given) in told.items()
    ]
    return Table(head, rows)


def _cells(of: Information) -> Sequence[str]:
    return number(of.bits, ".4f"), number(of.control, ".4f"), number(of.p_value, ".3f")


def _deals(found: Found) -> Table:
    head = ["", "turns", "gone out, %", "concealed, %", "cards caught, a side", "points, a side"]
    rows = [
        [of.label, number(of.turns, ".1f"), number(of.gone_out, ".1f", 100.0),
         number(of.concealed, ".1f", 100.0), number(of.caught, ".1f"), number(of.points, ".0f")]
        for of in found.deals
    ]  # fmt: skip
    return Table(head, rows)


def _bots(found: Found, level: float) -> Table:
    head = ["asks a partner who has cards", "no above points", "asked, %", "yes, %", "mean",
            percent(level), "p"]  # fmt: skip
    rows = [
        [f"{of.ask_hand} or more", f"{of.answer_no_above:,}", number(of.asked, ".1f", 100.0),
         number(of.yes, ".1f", 100.0), number(of.lead.mean, "+.2f"),
         interval(of.lead.interval, "+.2f"), number(of.p_value, ".4f")]
        for of in found.bots
    ]  # fmt: skip
    return Table(head, rows, labels=1)
