"""The chance to win the match, from the scores and the number of the deal: a model of two numbers.

    python -m train.winning --rules classic --players 4

    from train import winning
    model = winning.load("classic", 4)
    model.chances([[3200, 2400]], [5])      # before the fifth deal: [[0.62, 0.38]]

A match ends some way ahead: so many points away for the side that leads, or so many deals. The
further it is, the more a lead can still be lost. What will be won and lost until then adds up deal
by deal, so its variance grows in proportion to the way, and a score counts by how many standard
deviations it is worth:

    chances = softmax(score / sqrt(base + growth * way))

``base`` and ``growth`` are fitted to matches that ``basic`` plays against itself from scores spread
over all bands of the first meld. No side has a place of its own in the formula, so the sides are
treated alike; the chances sum to one, and more points never lower a side's chance, since a leader
who comes nearer to the end also makes the lead count for more. Where the match is over nothing is
estimated. Bands of the first meld are left out on purpose: a step at 1,500 points explained a
thousandth of a bit more.

Models lie in ``train/winning_models``, one file for each rules and number of players.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents import registry
from agents.checkpoint import versions
from canasta_env.batch import Batch
from canasta_env.rules import Rules
from canasta_env.rules_fields import Tie

__all__ = ["FOLDER", "Matches", "WinningModel", "fit", "judge", "load", "main", "play"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FOLDER: Final = Path(__file__).parent / "winning_models"
FORMAT: Final = 1
_THOUSAND: Final = 1000.0
_TOGETHER: Final = 4096
"""Matches in lock step."""
_MOST_DEALS: Final = 200
_BINS: Final = 10
_TEST_SHARE: Final = 0.25
"""The share of the matches that the fit doesn't see and the model is judged by."""


# --- the model ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class WinningModel:
    """Chances to win a match under ``rules`` (those of one number of players).

    ``base`` and ``growth`` are variances, in (thousands of points)²; ``growth`` is for each
    thousand points that the leader needs, or for each deal that is to be played where their number
    is fixed. ``base`` is above 0 and ``growth`` not below.
    """

    rules: Any
    base: float
    growth: float

    def chances(self, scores: npt.ArrayLike, deals: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """Each side's chance to win: float32 (m, sides), from 0 to 1, every row sums to one.

        Args:
            scores: int (m, sides), the match's scores.
            deals: int (m,), the number, from 1 on, of the deal that would be played next. After a
                deal these are the scores that it led to and its number plus one.

        Where the match is over, the winner has 1 and the others 0; a draw is shared.

        Raises:
            ValueError: the shapes do not fit the rules.
        """
        points, numbers = np.asarray(scores, np.int64), np.asarray(deals, np.int64)
        if points.ndim != 2 or points.shape[1] != self.rules.sides:
            raise ValueError(f"scores: shape (m, {self.rules.sides}) needed, not {points.shape}")
        if numbers.shape != points.shape[:1]:
            raise ValueError(f"deals: shape {points.shape[:1]} needed, not {numbers.shape}")
        shares = _shares(points)
        over = self._over(points, numbers)
        found = _softmax(points / _THOUSAND / self._spread(points, numbers)[:, None])
        found[over] = shares[over]
        return found.astype(np.float32)

    def _over(self, scores: Ints, deals: Ints) -> npt.NDArray[np.bool_]:
        """bool (m,): the match was decided by the deal before."""
        best = scores.max(axis=1)
        ended = deals > self.rules.deals if self.rules.deals else best >= self.rules.target
        is_tie = (scores == best[:, None]).sum(axis=1) > 1
        over: npt.NDArray[np.bool_] = ended & (~is_tie | (self.rules.tie == Tie.DRAW))
        return over

    def _spread(self, scores: Ints, deals: Ints) -> Floats:
        """(m,): the points, in thousands, that a lead is measured by."""
        return _spread(_way(self.rules, scores, deals), self.base, self.growth)


def _way(rules: Any, scores: Ints, deals: Ints) -> Floats:
    """(m,): how far the end is, in thousands of the leader's points, or in deals."""
    ahead = rules.deals - deals + 1
    if not rules.deals:
        ahead = (rules.target - scores.max(axis=1)) / _THOUSAND
    way: Floats = np.maximum(ahead, 0.0)
    return way


def _spread(way: Floats, base: float, growth: float) -> Floats:
    spread: Floats = np.sqrt(base + growth * way)
    return spread


def _softmax(logits: Floats) -> Floats:
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: Floats = weights / weights.sum(axis=1, keepdims=True)
    return shares


def _shares(scores: Ints) -> Floats:
    """(m, sides): what each side has of the win by these final scores."""
    first = scores == scores.max(axis=1, keepdims=True)
    shares: Floats = first / first.sum(axis=1, keepdims=True)
    return shares


# --- files --------------------------------------------------------------------------------------


def load(rules: str | Rules, players: int, folder: Path = FOLDER) -> WinningModel:
    """The fitted model for these rules and this number of players.

    Raises:
        ValueError: there are no such rules, or no model was fitted for them; the text has the
            command that makes one.
    """
    whole = Rules.parse(rules) if isinstance(rules, str) else rules
    table = whole.at(players)
    path = _file(whole, players, folder)
    if not path.is_file():
        raise ValueError(
            f"no model of the chances to win {whole} with {players} players; fit one, in a minute "
            f"or two, with: python -m train.winning --rules '{whole}' --players {players}"
        )
    saved = json.loads(path.read_text(encoding="utf-8"))
    if saved.get("format") != FORMAT or saved.get("rules") != str(whole):
        raise ValueError(f"{path}: not a model for {whole} of format {FORMAT}; fit it again")
    return WinningModel(table, saved["model"]["base"], saved["model"]["growth"])


def _file(rules: Rules, players: int, folder: Path) -> Path:
    """Where a model lies: changed rules have a hash of their text in the name."""
    text = str(rules)
    own = "" if text == rules.name else "-" + hashlib.sha256(text.encode()).hexdigest()[:8]
    return folder / f"{rules.name}{own}-{players}p.json"


# --- fitting ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Matches:
    """Matches that were played out.

    ``scores`` int (states, sides), ``deals`` int (states,): what there was before each deal;
    ``match`` int (states,) says of which match, and ``final`` int (matches, sides) how it ended.
    """

    scores: Ints
    deals: Ints
    match: Ints
    final: Ints

    @property
    def won(self) -> Floats:
        """float (states, sides): what each side got of the win in the end."""
        return _shares(self.final)[self.match]

    def split(self) -> tuple[Matches, Matches]:
        """The matches to fit to, and those to judge by."""
        first = round(len(self.final) * (1 - _TEST_SHARE))
        parts = self.match < first, self.match >= first
        fitted, judged = (
            Matches(self.scores[part], self.deals[part], self.match[part], self.final)
            for part in parts
        )
        return fitted, judged


def play(rules: str, players: int, matches: int, seed: int, agent: str = "basic") -> Matches:
    """Matches of an agent against itself, from spread scores.

    Raises:
        ValueError: more than a hundredth of them do not end within 200 deals.
    """
    parts: list[Matches] = []
    bot = registry.make(agent, rules, players, seed)
    for first in range(0, matches, _TOGETHER):
        rows = min(_TOGETHER, matches - first)
        batch = Batch(
            rules, rows, players=players, seed=seed + first, episode="match", scores="spread",
            max_deals=_MOST_DEALS, autoreset="off", observe=False,
        )  # fmt: skip
        parts.append(_play(batch, bot, first))
        if batch.truncated.mean() > 0.01:
            raise ValueError(f"{rules}: {agent} does not finish a match in {_MOST_DEALS} deals")
    names = ("scores", "deals", "match", "final")
    return Matches(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def _play(batch: Any, bot: Any, first: int) -> Matches:
    """Plays a batch of matches out; they are numbered from ``first`` on."""
    rows = np.arange(batch.n)
    begun = [rows]
    scores, deals = [_scores(batch, rows)], [batch.games.deal[rows].astype(np.int64)]
    actions = np.zeros(batch.n, np.int64)
    while rows.size:
        actions[rows] = bot.act(batch, rows)
        batch.step(actions)
        next_deal = rows[batch.deal_over[rows] & ~batch.over[rows]]
        begun.append(next_deal)
        scores.append(_scores(batch, next_deal))
        deals.append(batch.games.deal[next_deal].astype(np.int64))
        rows = rows[~batch.over[rows]]
    final = _scores(batch, np.arange(batch.n))
    match = np.concatenate(begun) + first
    return Matches(np.concatenate(scores), np.concatenate(deals), match, final)


def _scores(batch: Any, rows: Ints) -> Ints:
    found: Ints = batch.games.scores[rows, : batch.sides].astype(np.int64)
    return found


def fit(rules: str, players: int, matches: Matches) -> WinningModel:
    """The model under which these matches ended as they did with the highest probability."""
    from scipy.optimize import minimize  # type: ignore[import-untyped]

    table = Rules.parse(rules).at(players)
    points, won = matches.scores / _THOUSAND, matches.won
    way = _way(table, matches.scores, matches.deals)

    def loss(logs: Floats) -> float:
        spread = _spread(way, *np.exp(logs))
        return _log_loss(_softmax(points / spread[:, None]), won)

    found = minimize(loss, np.zeros(2), method="L-BFGS-B", bounds=[(-10, 10)] * 2)
    base, growth = np.exp(found.x)
    return WinningModel(table, float(base), float(growth))


def judge(model: WinningModel, matches: Matches) -> dict[str, Any]:
    """How well a model foretells matches: log loss (nats) and Brier score, each beside that of
    equal chances, and the reliability: by tenths of the chance, the mean chance, the share of wins
    and the number of sides.
    """
    chances, won = model.chances(matches.scores, matches.deals).astype(np.float64), matches.won
    equal = np.full_like(chances, 1 / chances.shape[1])
    tenth = np.minimum((chances * _BINS).astype(int), _BINS - 1)
    bins = [tenth == i for i in range(_BINS) if (tenth == i).any()]
    return {
        "states": len(won),
        "log_loss": _log_loss(chances, won),
        "log_loss_of_equal_chances": _log_loss(equal, won),
        "brier": _brier(chances, won),
        "brier_of_equal_chances": _brier(equal, won),
        "reliability": [
            [float(chances[at].mean()), float(won[at].mean()), int(at.sum())] for at in bins
        ],
    }


def _log_loss(chances: Floats, won: Floats) -> float:
    return float(-(won * np.log(np.maximum(chances, 1e-12))).sum(axis=1).mean())


def _brier(chances: Floats, won: Floats) -> float:
    return float(((chances - won) ** 2).sum(axis=1).mean())


# --- command ------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(
        prog="python -m train.winning", description="Fits the chances to win a match."
    )
    parse.add_argument("--rules", default="classic", help="a preset, or classic(target=3000)")
    parse.add_argument("--players", type=int, default=4)
    parse.add_argument("--matches", type=int, default=20_000, help="to play; a quarter are a test")
    parse.add_argument("--seed", type=int, default=0)
    return parse


def run(options: argparse.Namespace, folder: Path = FOLDER) -> Path:
    """Plays, fits, judges and writes; the file. Raises ValueError with one clear line."""
    if options.matches < 100:
        raise ValueError(f"--matches {options.matches}: too few to fit to; 100 or more")
    rules = Rules.parse(options.rules)
    played = play(str(rules), options.players, options.matches, options.seed)
    to_fit, to_judge = played.split()
    model = fit(str(rules), options.players, to_fit)
    saved = {
        "format": FORMAT,
        "rules": str(rules),
        "players": options.players,
        "model": {"base": model.base, "growth": model.growth},
        "fit": {"agent": "basic", "matches": options.matches, "seed": options.seed},
        "test": judge(model, to_judge),
        "versions": versions(),
    }
    path = _file(rules, options.players, folder)
    path.write_text(json.dumps(_rounded(saved), indent=1) + "\n", encoding="utf-8")
    return path


def _rounded(value: Any) -> Any:
    """The same with five decimals."""
    if isinstance(value, dict):
        return {name: _rounded(of) for name, of in value.items()}
    if isinstance(value, list):
        return [_rounded(of) for of in value]
    return round(value, 5) if isinstance(value, float) else value


def main(arguments: Sequence[str] | None = None) -> None:
    """The command; its status is 130 if it was interrupted."""
    try:
        path = run(parser().parse_args(arguments))
    except ValueError as error:
        sys.exit(f"train.winning: {error}")
    except KeyboardInterrupt:
        print("train.winning: interrupted; nothing was written", file=sys.stderr)
        sys.exit(130)
    test = json.loads(path.read_text(encoding="utf-8"))["test"]
    print(
        f"{path}: log loss {test['log_loss']:.4f} "
        f"(equal chances: {test['log_loss_of_equal_chances']:.4f}), "
        f"Brier score {test['brier']:.4f} ({test['brier_of_equal_chances']:.4f})"
    )


if __name__ == "__main__":
    main()
