"""Determinized Monte-Carlo search: what would come of each action, if a rule bot played on?

At a decision the agent draws worlds that its seat cannot tell from the true one, plays each action
in each of them, and lets a rule bot play all seats to the end of the deal; or for some turns, after
which a network says what the position is worth. The worlds and the bot's lots are the same for all
actions, so the differences between actions are seen through far less noise than their values.
"""

from __future__ import annotations

import importlib
import math
import re
import time
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final

import numba.core.config
import numpy as np
import numpy.typing as npt

from agents.base import Rows
from agents.bots import BotAgent
from agents.search_kernel import JOB_DTYPE, PLACES
from canasta_env.bots import styles
from canasta_env.engine.state import new_games
from canasta_env.kernels import as_bytes, kinds_for, plain, workspace
from canasta_env.rules import Rules

if TYPE_CHECKING:
    from agents.neural import NeuralAgent

__all__ = ["Options", "SearchAgent", "halving"]

Floats = npt.NDArray[np.float64]

_TOGETHER: Final = 32
"""Decisions that are searched in the same calls of the kernel."""
_LEAST: Final = 2
"""Worlds that a round has at the least: of one alone nobody knows how much chance was in it."""


@dataclass(frozen=True)
class Options:
    """How a search spends its time and when it is believed.

    ``rollouts``: the most of them a decision. ``bot``: the style of the rule bots
    (:mod:`canasta_env.bots.styles`) that plays them. ``errors``: an action is played instead of the
    bot's own only if it was better by more than so many standard errors of the difference.
    ``network``: a checkpoint or a run that judges positions, or empty; ``turns``: after how many
    turns of the seat (0: never, the deal is played out). ``stock_from``, ``stock_to``: it searches
    only with so many cards in the stock, both included, and elsewhere plays as the bot.

    Raises:
        ValueError: a value is not possible; the message names it.
    """

    rollouts: int = 256
    bot: str = "basic"
    errors: float = 1.0
    network: str = ""
    turns: int = 0
    stock_from: int = 0
    stock_to: int = 1000

    def __post_init__(self) -> None:
        if self.rollouts < 1:
            raise ValueError(f"rollouts={self.rollouts} is not possible; a whole number from 1 on")
        if self.bot not in styles.STYLES:
            raise ValueError(
                f"bot={self.bot!r} can't play rollouts; {', '.join(styles.STYLES)} can"
            )
        if not self.errors >= 0:
            raise ValueError(f"errors={self.errors} is not possible; a number from 0 on")
        if bool(self.network) != (self.turns > 0):
            raise ValueError(
                f"network={self.network!r} and turns={self.turns} don't fit: a network judges "
                "positions after 1 turn or more, and without one the deal is played out (turns=0)"
            )

    @classmethod
    def parse(cls, text: str) -> Options:
        """The options of ``search``, or of ``search(rollouts=256, errors=2)``.

        Raises:
            ValueError: it is not written like this, or names an option that there is not.
        """
        written = re.fullmatch(r"search(?:\((.*)\))?", text)
        if not written:
            raise ValueError("is not possible; write search, or search(rollouts=256)")
        kinds = {field.name: type(field.default) for field in fields(cls)}
        given: dict[str, Any] = {}
        for part in filter(None, (part.strip() for part in (written[1] or "").split(","))):
            name, _, value = (word.strip() for word in part.partition("="))
            if name not in kinds or name in given or not value:
                raise ValueError(f"{part!r} is not possible; name=value with {', '.join(kinds)}")
            try:
                given[name] = kinds[name](value)
            except ValueError:
                raise ValueError(f"{name}={value} is not possible; it's a number") from None
        return cls(**given)

    def __str__(self) -> str:
        """The text that :meth:`parse` reads: what differs from the defaults."""
        values = ((one.name, getattr(self, one.name), one.default) for one in fields(self))
        given = ",".join(f"{name}={value}" for name, value, usual in values if value != usual)
        return f"search({given})" if given else "search"


def halving(actions: int, rollouts: int) -> list[tuple[int, int]]:
    """The rounds of a decision: how many actions are played in it, and in how many new worlds.

    Sequential halving (Karnin, Koren, Somekh 2013): after each round the worse half of the actions
    goes, and all rounds cost about the same, so the last two actions, which are hardest to tell
    apart, meet in most worlds. With too few rollouts for that all are spent in one round; with too
    few for two worlds an action there is none.
    """
    left = [actions]
    while left[-1] > 2:
        left.append((left[-1] + 1) // 2)
    worlds = [rollouts // (len(left) * count) for count in left]
    if rollouts // actions < _LEAST:
        return []
    if worlds[0] < _LEAST:
        return [(actions, rollouts // actions)]
    spare = rollouts - sum(a * b for a, b in zip(left, worlds, strict=True))
    worlds[-1] += spare // left[-1]
    return list(zip(left, worlds, strict=True))


class Decision:
    """What is known of the actions of one decision: their points in the worlds so far.

    Args:
        row: of the batch.
        number: of the decision, from which its lots follow.
        actions: int64 (k,), the legal ones.
        own: the bot's, which is never dropped: all others are compared with it.
        rollouts: the most there may be.
    """

    def __init__(self, row: int, number: int, actions: Rows, own: int, rollouts: int) -> None:
        self.row, self.number = row, number
        self.actions = actions
        self.own = int(np.flatnonzero(actions == own)[0])
        self.rounds = halving(len(actions), rollouts)[::-1]
        self.alive = np.arange(len(actions))
        self.points = np.zeros((0, len(actions)))

    def jobs(self) -> npt.NDArray[Any]:
        """The rollouts of the next round, world after world."""
        worlds = self.rounds[-1][1]
        jobs = np.zeros((worlds, len(self.alive)), JOB_DTYPE)
        jobs["row"], jobs["decision"] = self.row, self.number
        jobs["world"] = len(self.points) + np.arange(worlds)[:, None]
        jobs["action"] = self.actions[self.alive]
        return jobs.reshape(-1)

    def take(self, points: Floats) -> None:
        """Takes over the results of :meth:`jobs`; drops the worst for the round that follows."""
        _, worlds = self.rounds.pop()
        fresh = np.full((worlds, len(self.actions)), np.nan)
        fresh[:, self.alive] = points.reshape(worlds, -1)
        self.points = np.concatenate([self.points, fresh])
        if self.rounds:
            order = np.argsort(-self.points[:, self.alive].mean(axis=0), kind="stable")
            best = self.alive[order]
            others = best[best != self.own][: self.rounds[-1][0] - 1]
            self.alive = np.sort(np.append(others, self.own))

    def best(self, errors: float) -> int:
        """The action with the best mean, if it is better than the bot's by more than so many
        standard errors of the difference; else the bot's."""
        seen = self.points[:, self.alive]
        gains = seen - self.points[:, [self.own]]
        if len(gains) < _LEAST or np.isnan(gains).any():
            return int(self.actions[self.own])
        means = gains.mean(axis=0)
        best = int(means.argmax())
        error = float(gains[:, best].std(ddof=1)) / math.sqrt(len(gains))
        better = means[best] > 0 and means[best] > errors * error
        return int(self.actions[self.alive[best] if better else self.own])


class SearchAgent:
    """Plays the action that did best in rollouts, of which a decision gets so many.

    ``searched`` counts the decisions it has searched, ``overruled`` those in which it did not play
    the bot's action, and ``seconds`` is the processor time that they took. All lots come from the
    seed and the number of decisions so far.

    Args:
        options: how it searches.
        rules, players: what the network must fit, if there is one.
        seed: of its worlds and of the bot's lots.

    Raises:
        CheckpointError: the network is none, or of another game.
    """

    def __init__(
        self, options: Options = Options(), rules: Any = None, players: int | None = None,
        seed: int = 0, name: str = "search",
    ) -> None:  # fmt: skip
        self.options, self.name, self.seed = options, name, seed
        self.bot = BotAgent(options.bot, seed)
        self._weights = styles.rows(styles.STYLES[options.bot])
        self.network: NeuralAgent | None = None
        if options.network:
            from agents.neural import NeuralAgent  # torch: loaded only for a network

            self.network = NeuralAgent.load(options.network, rules, players)
        self.searched = self.overruled = 0
        self.seconds = 0.0
        self._space: tuple[tuple[Rules, int], Any, tuple[Any, ...]] | None = None

    def act(self, batch: Any, rows: Rows) -> Rows:
        """One legal action id for each of ``rows`` (where this agent is to act). Forced moves cost
        nothing.

        Raises:
            ValueError: the batch's views forget what was public (``recall=False``): the worlds
                would be drawn with what the seat has forgotten.
        """
        if not getattr(batch, "recall", True):
            raise ValueError("search remembers what was public; it can't play with recall=False")
        chosen = self.bot.act(batch, rows)
        stock = batch.games.stock_size[rows]
        free = np.count_nonzero(batch.mask[rows], axis=1) > 1
        free &= (stock >= self.options.stock_from) & (stock <= self.options.stock_to)
        open_ = np.flatnonzero(free)
        start = time.process_time()
        for first in range(0, len(open_), _TOGETHER):
            part = open_[first : first + _TOGETHER]
            chosen[part] = self._search(batch, rows[part], chosen[part])
        self.seconds += time.process_time() - start
        return chosen

    def _search(self, batch: Any, rows: Rows, own: Rows) -> Rows:
        """The actions for some rows, where there is a choice and the bot's is ``own``."""
        decisions = [
            Decision(row, self.searched + i, np.flatnonzero(batch.mask[row]), own[i],
                     self.options.rollouts)
            for i, row in enumerate(rows)
        ]  # fmt: skip
        while under_way := [decision for decision in decisions if decision.rounds]:
            parts = [decision.jobs() for decision in under_way]
            points = self.evaluate(batch, np.concatenate(parts))
            ends = np.cumsum([len(part) for part in parts])[:-1]
            for decision, share in zip(under_way, np.split(points, ends), strict=True):
                decision.take(share)
        best = np.array([one.best(self.options.errors) for one in decisions], np.int64)
        self.searched += len(rows)
        self.overruled += int((best != own).sum())
        return best

    def evaluate(self, batch: Any, jobs: npt.NDArray[Any]) -> Floats:
        """What came of the jobs, in points of the seat's side above the others."""
        roll_out, space = self._workspace(batch)
        size = self.network.identity["observation_size"] if self.network else 0
        leaves = np.zeros((len(jobs), size), np.uint8)
        roll_out(
            as_bytes(batch.games), plain(batch.packed), _plain(self._weights), _plain(jobs),
            self.seed, self.options.turns, leaves, space,
        )  # fmt: skip
        points: Floats = jobs["points"].copy()
        cut = np.flatnonzero(jobs["cut"])
        if self.network and cut.size:
            points[cut] = 1000.0 * self.network.values(batch, leaves[cut])
        return points

    def _workspace(self, batch: Any) -> tuple[Any, tuple[Any, ...]]:
        """The kernel for the rules of a batch, and its workspace, which is made once for them."""
        rules, players = batch.rules, batch.players
        if self._space is None or self._space[0] != (rules, players):
            kernel = _kernel_for(rules)
            places = new_games(PLACES, kinds_for(rules))
            views, view_bytes, scratch, _ = workspace(kinds_for(rules))
            mask = np.zeros(batch.actions, np.bool_)
            space = (plain(places), as_bytes(places), views, view_bytes, scratch, mask)
            self._space = (rules, players), kernel, (*space, *kernel.choosing(rules, players))
        return self._space[1].roll_out, self._space[2]

    def __getstate__(self) -> dict[str, Any]:
        """Without the workspace, whose arrays share memory: a copy's would not."""
        return self.__dict__ | {"_space": None}

    def state_dict(self) -> dict[str, Any]:
        """How many decisions it has searched, and the choices of its bot."""
        return {"searched": np.array(self.searched), **self.bot.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Puts back what :meth:`state_dict` gave."""
        self.searched = int(state["searched"])
        self.bot.load_state_dict(state)


def _plain(records: Any) -> Any:
    """Records as the kernels take them: a plain array compiled, a record array uncompiled."""
    return records.view(np.recarray if numba.core.config.DISABLE_JIT else np.ndarray)


def _kernel_for(rules: Rules) -> Any:
    """The module whose kernel plays these rules; that with suits is compiled at its first use."""
    return importlib.import_module(
        "agents.suited_search_kernel" if rules.sequences else "agents.search_kernel"
    )
