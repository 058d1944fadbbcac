"""Games in each of which a learner sits among other players, in lock step from one of its decisions
to the next: what the single-seat and the vector environment are made of."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, Final, Literal, TypeAlias

import gymnasium
import numba.core.config
import numpy as np
import numpy.typing as npt

from canasta_env.batch import Batch, IllegalActionError, worth
from canasta_env.batch_threads import Crew
from canasta_env.bots import styles
from canasta_env.compile import BOTS, LATER, ROUNDS, ensure_compiled
from canasta_env.engine.state import MAX_CARDS
from canasta_env.rounds.roster import Player, Roster, places, seated

for package in (BOTS, ROUNDS):
    ensure_compiled(package, LATER[package])

from canasta_env import kernels  # noqa: E402  (its import loads the compiled code)
from canasta_env.aec_kernel import direct  # noqa: E402  (so does its)
from canasta_env.rounds import kernel as rounds  # noqa: E402  (and its)

__all__ = ["Illegal", "Reward", "Rounds", "Seat"]

Seat: TypeAlias = int | Literal["rotate"]
Illegal: TypeAlias = Literal["raise", "end", "replace"]
Reward: TypeAlias = Literal["points", "win"]
Rows: TypeAlias = npt.NDArray[np.int64]
Players: TypeAlias = Player | Sequence[Player]

_ILLEGAL: Final = ("raise", "end", "replace")
_REWARD: Final = ("points", "win")


class Rounds:
    """The games of a batch with a learner in each; a round goes from one of its decisions to the
    next.

    Args:
        batch: the games, without autoreset; only this object may step them.
        seat, opponents, partner, reward, illegal, illegal_reward, threads: as the arguments of
            :class:`canasta_env.vector.CanastaVectorEnv`.

    Attributes:
        batch: where a learner must act, observation and mask of the row are those of its seat.
        observation: float32 (n, O), what the learners see.
        seat: int64 (n,), the learner's seats.
        reward: float64 (n,), what the learner was paid in the last round.
        deals, points: int64 (n,), how many deals ended in it, and what its side scored in them.
        illegal: bool (n,), whether its action was not legal.
        over: bool (n,), the episode has ended; then its mask allows action 0 alone, and the
            observation is what the learner sees at the end.
        terminated, truncated: bool (n,), how it ended.

    Raises:
        ValueError: an argument is not possible; the message names it.
    """

    def __init__(
        self,
        batch: Batch,
        *,
        seat: Seat,
        opponents: Players,
        partner: Players | None,
        reward: Reward,
        illegal: Illegal,
        illegal_reward: float,
        threads: int = 1,
    ) -> None:
        if not isinstance(threads, int) or threads < 1:
            raise ValueError(f"threads={threads!r} is not possible; a whole number from 1 on")
        self.batch, self.threads = batch, threads
        self._options = _options(batch, seat, reward, illegal, illegal_reward)
        self._raises = illegal == "raise"
        self._lanes = _records(batch.n, rounds.LANE_DTYPE)
        self._roster = Roster()
        self._opponents, self._mates = places(batch.players, batch.sides)
        self._is_amid = True  # not where each learner has something to decide
        self.observation: npt.NDArray[np.float32] = np.zeros(batch.observation.shape, np.float32)
        self._attach()
        self._following[:, 0] = rounds.LEARNER
        self.set_players(opponents, partner)
        if partner is None:
            self._following[:, self._mates] = self._following[:, [1]]

    # -- playing -------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, change: Callable[[], object] | None = None) -> None:
        """Begin the next episode in all rows; with a seed the first one of that seed.

        Args:
            seed: 0 <= seed < 2**63.
            change: called when the cards have been dealt and nobody has acted; it may replace them.

        Raises:
            ValueError: the seed is not possible.
        """
        if seed is not None:
            if not 0 <= seed < 2**63:
                raise ValueError(
                    f"seed={seed!r} is not possible; a whole number from 0 to 2**63 - 1"
                )
            self._settings["seed"] = seed
            self._episode[:] = 0
        if change is not None:
            self._deal()
            change()
        self._order[:] = rounds.BEGIN if change is None else rounds.START
        self._run()

    def begin(self, rows: Rows) -> None:
        """Begin the next episode in some rows; the results of the others stay."""
        self._order[rows] = rounds.BEGIN
        self._run()

    def play(self, actions: npt.NDArray[Any] | int) -> None:
        """The learner's action in each row, and all that follows until it must act again; where the
        episode is over, the next one begins instead.

        Args:
            actions: whole numbers (n,), or one for all.

        Raises:
            IllegalActionError: an action is not legal, and that is an error; nothing has changed.
            ResetNeeded: there was no reset, or an agent failed in the round before.
        """
        if self._is_amid:
            raise gymnasium.error.ResetNeeded("nothing is ready to be played: reset() comes first")
        if self._raises:
            self.batch.check(actions)
        else:
            self._action[:] = actions
        self._order[:] = np.where(self.over, rounds.BEGIN, rounds.PLAY)
        self._run()

    def _run(self) -> None:
        self._is_amid = True
        self._play()
        while self._roster.has_agents:
            rows = np.flatnonzero(self._waits >= rounds.AGENTS)
            if not len(rows):
                break
            self._ask(rows)
            self._order[rows] = rounds.RESUME
            self._play()
        self._is_amid = False

    def _ask(self, rows: Rows) -> None:
        """Let the agents choose in the rows that wait for them."""
        batch, owners = self.batch, self._waits[rows]
        for owner in np.unique(owners).tolist():
            mine = rows[owners == owner]
            agent = self._roster.agent(owner)
            actions = np.asarray(agent.act(batch, mine))
            fits = (actions >= 0) & (actions < batch.actions)
            wrong = ~(fits & batch.mask[mine, np.where(fits, actions, 0)])
            if wrong.any():
                row, action = int(mine[wrong][0]), int(actions[wrong][0])
                raise IllegalActionError(f"{agent!r}: {batch.explain(row, action)}")
            self._action[mine] = actions

    # -- looking -------------------------------------------------------------------------------

    def view(self, row: int, seat: int) -> Any:
        """What any seat may know of a row's game, as a record array of length one; overwritten by
        the next call."""
        games, game_bytes, _, packed, _ = self.batch.arrays
        views, view_bytes, _, _ = kernels.workspace(kernels.kinds_for(self.batch.rules))
        recall = self.batch.recall
        self._kernels.view_game(games, game_bytes, row, packed, seat, recall, views, view_bytes, 0)
        return views

    # -- the others ----------------------------------------------------------------------------

    def set_players(
        self,
        opponents: Players | None = None,
        partner: Players | None = None,
        rows: npt.ArrayLike | None = None,
        at_once: bool = False,
    ) -> None:
        """As :meth:`canasta_env.vector.CanastaVectorEnv.set_players`."""
        chosen = slice(None) if rows is None else np.asarray(rows)
        seats: dict[int, Player] = {}
        if opponents is not None:
            seats |= seated("opponents", opponents, self._opponents)
        if partner is not None:
            seats |= seated("partner", partner, self._mates)
        numbers = {place: self._roster.number(player) for place, player in seats.items()}
        for place, number in numbers.items():
            self._following[chosen, place] = number
            if at_once:
                self._owners[chosen, place] = number
        self._roster.keep({*self._following.flat, *self._owners.flat})

    # -- memory --------------------------------------------------------------------------------

    def _attach(self) -> None:
        """Name what is read and written from Python, in the memory of the kernels."""
        lanes = self._lanes.view(np.ndarray)
        slots = self.batch.arrays[2].view(np.ndarray)
        self.seat: npt.NDArray[np.int64] = lanes["seat"]
        self.reward: npt.NDArray[np.float64] = lanes["reward"]
        self.deals: npt.NDArray[np.int64] = lanes["deals"]
        self.points: npt.NDArray[np.int64] = lanes["points"]
        self.illegal: npt.NDArray[np.bool_] = lanes["illegal"]
        self.over: npt.NDArray[np.bool_] = slots["over"]
        self.terminated: npt.NDArray[np.bool_] = slots["terminated"]
        self.truncated: npt.NDArray[np.bool_] = slots["truncated"]
        self._order, self._waits = lanes["order"], lanes["waits"]
        self._owners, self._following = lanes["owners"], lanes["following"]
        self._kernels = kernels.kernels_for(self.batch.rules)
        self._action, self._episode = slots["action"], slots["episode"]
        self._settings = self.batch.arrays[4].view(np.ndarray)
        self._hire()

    def _hire(self) -> None:
        """Prepare the call that plays, and the threads that share it."""
        batch = self.batch
        module = _module(batch)
        games, game_bytes, slots, packed, settings = batch.arrays
        quiet = settings.copy()
        quiet.view(np.ndarray)["observe"] = False
        records = (
            games, game_bytes, (slots, self._lanes), packed, (settings, quiet, self._options),
        )  # fmt: skip
        threads = worth(self.threads, batch.n * batch.players)
        spaces = [_space(module, batch) for _ in range(threads)]
        rows = (batch.observation, batch.scale, self.observation), batch.mask
        self._crew: Crew | None = None
        self._play: Callable[[], None]
        if threads == 1:
            code = direct(module.play_games)
            self._play = functools.partial(code, *records, *spaces[0], 0, batch.n, *rows)
        else:
            self._crew = Crew(module.share_rows, spaces, records, batch.n, *rows)
            self._play = self._crew.run

    def _deal(self) -> None:
        """Deal the next episode in all rows."""
        games, _, slots, packed, settings = self.batch.arrays
        deck = np.zeros(MAX_CARDS, np.uint8)
        self._kernels.reset_games(games, slots, packed, settings, deck, 0, self.batch.n)

    def deck(self, match_seed: int, deal: int) -> npt.NDArray[np.uint8]:
        """uint8 (cards,): the deck, kinds in the order of dealing, of a match's deal."""
        packed = self.batch.arrays[3]
        cards = np.zeros(int(self.batch.packed[0].cards), np.uint8)
        self._kernels.make_deck(packed, match_seed, deal, cards)
        return cards

    def state_dict(self) -> dict[str, npt.NDArray[Any]]:
        """Everything but the agents that the next rounds depend on, as plain arrays (copies)."""
        return {
            **self.batch.state_dict(),
            "lanes": np.frombuffer(self._lanes.tobytes(), np.uint8).copy(),
            "observation": self.observation.copy(),
            "mask": self.batch.mask.copy(),
            "amid": np.array(self._is_amid),
        }

    def load_state_dict(self, state: dict[str, npt.NDArray[Any]]) -> None:
        """Take over what :meth:`state_dict` gave; the next rounds are then the same.

        Raises:
            ValueError: the state is of games of another number or layout.
        """
        self.batch.load_state_dict(state)
        lanes = self._lanes.view(np.ndarray).view(np.uint8).reshape(-1)
        lanes[:] = state["lanes"]
        self.observation[:] = state["observation"]
        self.batch.mask[:] = state["mask"]
        self._is_amid = bool(state["amid"])

    def __getstate__(self) -> dict[str, Any]:
        names = "batch", "threads", "_options", "_raises", "_roster", "_opponents", "_mates"
        return {**{name: self.__dict__[name] for name in names}, "arrays": self.state_dict()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        arrays = state.pop("arrays")
        self.__dict__.update(state)
        self._lanes = _records(self.batch.n, rounds.LANE_DTYPE)
        self.observation = np.zeros(self.batch.observation.shape, np.float32)
        self._attach()
        self.load_state_dict(arrays)

    def close(self) -> None:
        """End the threads; the next round would start others."""
        if self._crew is not None:
            self._crew.close()


def _records(n: int, dtype: np.dtype[np.void]) -> Any:
    """Records as the kernels take them, all zero."""
    array = np.zeros(n, dtype)
    return array.view(np.recarray) if numba.core.config.DISABLE_JIT else array


def _options(batch: Batch, seat: Seat, reward: str, illegal: str, penalty: float) -> Any:
    """What the kernels know of the arguments."""
    for name, value, allowed in (
        ("reward", reward, _REWARD),
        ("illegal", illegal, _ILLEGAL),
        ("seat", seat, ("rotate", *range(batch.players))),
    ):
        if value not in allowed:
            raise ValueError(f"{name}={value!r} is not possible; one of {allowed}")
    if reward == "win" and batch.arrays[4]["episode"][0] != kernels.MATCH:
        raise ValueError("reward='win' is that of a match; it needs episode='match'")
    records = _records(1, rounds.OPTIONS_DTYPE)
    options = records.view(np.ndarray)
    options["seat"] = rounds.ROTATES if seat == "rotate" else seat
    options["illegal"] = _ILLEGAL.index(illegal)
    options["penalty"] = penalty
    options["win"] = reward == "win"
    return records


def _module(batch: Batch) -> ModuleType:
    """The module whose kernels play the rounds of these rules."""
    if not batch.rules.sequences:
        return rounds
    for package in (BOTS, ROUNDS):
        ensure_compiled(package, LATER[package], suited=True)
    return importlib.import_module("canasta_env.rounds.suited_kernel")


def _space(module: ModuleType, batch: Batch) -> tuple[Any, ...]:
    """A workspace for one thread."""
    views, view_bytes, scratch, deck = kernels.workspace(kernels.kinds_for(batch.rules))
    choosing = module.choosing(batch.rules, batch.players)
    return views, view_bytes, (scratch, styles.table(), *choosing), deck
