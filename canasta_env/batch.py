"""Many games in lock step: no Python per game and step.

All seats are played through the same interface: every step applies one action in each game, of the
seat to act there, and gives the rewards of all players. The arrays of a batch are updated in place;
copy what you keep.
"""

from __future__ import annotations

import functools
import hashlib
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numba.core.config
import numpy as np
import numpy.typing as npt

from canasta_env.actions import ActionTable
from canasta_env.compile import ensure_compiled
from canasta_env.engine.state import Games, new_games
from canasta_env.observation import observation_hash, observation_scale, observation_size
from canasta_env.rules import Rules

ensure_compiled()

from canasta_env import kernels  # noqa: E402  (its import loads the compiled code)

if TYPE_CHECKING:
    from canasta_env.batch_threads import Crew

__all__ = ["Batch", "IllegalActionError"]

Autoreset: TypeAlias = Literal["off", "next_step", "same_step"]
Episode: TypeAlias = Literal["deal", "match"]
Scores: TypeAlias = Literal["zero", "spread"]
Stock: TypeAlias = Literal["shared", "seat_streams"]

_CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "autoreset": ("off", "next_step", "same_step"),
    "episode": ("deal", "match"),
    "scores": ("zero", "spread"),
    "stock": ("shared", "seat_streams"),
}


ROWS_A_THREAD: Final = 128
"""A thread needs so many games, or waking it takes longer than it saves."""


def worth(threads: int, n: int) -> int:
    """How many threads, of so many, are worth waking for ``n`` games."""
    if numba.core.config.DISABLE_JIT:  # then the interpreter runs one at a time
        return 1
    return max(1, min(threads, n // ROWS_A_THREAD))


class IllegalActionError(ValueError):
    """An action that is not legal; nothing of the step was applied."""


def _choice(name: str, given: str) -> int:
    """The index of a word among the allowed ones; a ValueError names argument, value and
    choices."""
    if given not in _CHOICES[name]:
        raise ValueError(f"{name}={given!r} is not possible; choose one of {_CHOICES[name]}")
    return _CHOICES[name].index(given)


@functools.cache
def _layout(games: Any) -> npt.NDArray[np.uint8]:
    """uint8 (16,): a hash of how the bytes of a batch's state are to be read."""
    plain = [np.dtype(dtype).descr for dtype in (games, kernels.SLOT_DTYPE, kernels.SETTINGS_DTYPE)]
    digest = hashlib.blake2b(repr(plain).encode(), digest_size=16).digest()
    return np.frombuffer(digest, np.uint8)


class Batch:
    """``n`` games of the same rules in lock step.

    Args:
        rules: a preset's name, a text like ``classic(target=3000)``, or :class:`Rules`.
        n: how many games.
        players: how many players each game has.
        seed: everything random follows from it, row by row, whatever ``n`` and ``threads``.
        episode: an episode is a ``deal`` or a ``match``.
        max_deals: a match is truncated after so many deals; 0 for no bound.
        scores: episodes start from ``zero``, or from scores ``spread`` over all bands of the
            first meld.
        stock: one ``shared`` stock, or one stream a seat (``seat_streams``) for duplicate matches.
        threads: the most threads that step the games, the caller's among them. A small batch uses
            fewer, one for each 128 games, since waking another would take longer than it saves.
        autoreset: ``next_step`` (a finished episode is reset by the following step, whose actions
            it ignores), ``same_step`` (flags and rewards tell of the end, everything else of the
            new episode) or ``off``.
        recall: whether observations remember what was public.
        observe: write observations; without them only masks are written, as rule bots need.

    Attributes:
        observation: uint8 (n, O), of the seat to act; times ``scale`` it lies in [0, 1].
        mask: bool (n, A), legal actions of the seat to act; never empty while an episode runs.
        seat: int64 (n,), the seat to act.
        reward: float32 (n, players), of the last step; differences of deal scores in thousands,
            zero-sum over sides.
        terminated, truncated: bool (n,), of the last step.
        deal_over: bool (n,), a deal ended with the last step; its scores are in ``deal_scores``.
        deal_scores: int32 (n, sides).
        games: the record array (n,) of the games themselves.
        table: the :class:`ActionTable` that numbers the actions.

    Raises:
        ValueError: an argument is not possible; the message names it.
    """

    def __init__(
        self,
        rules: str | Rules = "classic",
        n: int = 1024,
        *,
        players: int = 4,
        seed: int = 0,
        episode: Episode = "deal",
        max_deals: int = 20,
        scores: Scores = "spread",
        stock: Stock = "shared",
        threads: int = 1,
        autoreset: Autoreset = "next_step",
        recall: bool = True,
        observe: bool = True,
    ) -> None:
        for name, value, least in (
            ("n", n, 1),
            ("threads", threads, 1),
            ("max_deals", max_deals, 0),
        ):
            if not isinstance(value, (int, np.integer)) or value < least:
                raise ValueError(
                    f"{name}={value!r} is not possible; a whole number from {least} on"
                )
        self.rules = Rules.parse(rules) if isinstance(rules, str) else rules
        self.rules.at(players)
        self.players = players
        self.n = int(n)
        self.threads = int(threads)
        self.recall = bool(recall)
        self.table = ActionTable(self.rules)
        self._kernels = kernels.kernels_for(self.rules)
        self.packed = self.table.pack(players)
        self.sides = int(self.packed[0].sides)
        self.actions = len(self.table)
        self.observation_size = observation_size(self.rules, players) if observe else 0
        self.observation_hash = observation_hash(self.rules, players)
        self.scale = observation_scale(self.rules, players)
        self._observe = bool(observe)
        self._settings = np.zeros(1, kernels.SETTINGS_DTYPE).view(np.recarray)
        options = self._settings[0]
        options.autoreset = _choice("autoreset", autoreset)
        options.episode = _choice("episode", episode)
        options.max_deals = max_deals
        options.spread = _choice("scores", scores)
        options.seat_streams = _choice("stock", stock)
        options.recall = self.recall
        options.observe = self._observe
        self._allocate()
        self.reset(seed=seed)

    def _allocate(self) -> None:
        self.games: Games = new_games(self.n, kernels.kinds_for(self.rules))
        self._slots = np.zeros(self.n, kernels.SLOT_DTYPE).view(np.recarray)
        self._slots.who = kernels.TO_ACT
        self._slots.action = kernels.WATCH
        self.observation: npt.NDArray[np.uint8] = np.zeros(
            (self.n, self.observation_size), np.uint8
        )
        self.mask: npt.NDArray[np.bool_] = np.zeros((self.n, self.actions), np.bool_)
        fields = self._slots.view(np.ndarray)
        self.seat: npt.NDArray[np.int64] = fields["seat"]
        self.reward: npt.NDArray[np.float32] = fields["reward"][:, : self.players]
        self.terminated: npt.NDArray[np.bool_] = fields["terminated"]
        self.truncated: npt.NDArray[np.bool_] = fields["truncated"]
        self.deal_over: npt.NDArray[np.bool_] = fields["deal_over"]
        self.deal_scores: npt.NDArray[np.int32] = fields["deal_scores"][:, : self.sides]
        self._action: npt.NDArray[np.int64] = fields["action"]
        self._arrays = (
            kernels.plain(self.games),
            kernels.as_bytes(self.games),
            kernels.plain(self._slots),
            kernels.plain(self.packed),
            kernels.plain(self._settings),
        )
        self._space = kernels.workspace(kernels.kinds_for(self.rules))
        self._crew = self._hire(worth(self.threads, self.n))

    def _hire(self, threads: int) -> Crew | None:
        """The threads that step the games; None if the caller does it alone."""
        if threads == 1:
            return None
        from canasta_env.batch_threads import Crew  # its code takes time to load

        if self.rules.sequences:
            from canasta_env.suited_batch import share_rows
        else:
            from canasta_env.batch_threads import share_rows
        spaces = [kernels.workspace(kernels.kinds_for(self.rules)) for _ in range(threads)]
        return Crew(share_rows, spaces, self._arrays, self.n, self.observation, self.mask)

    def reset(self, seed: int | None = None) -> None:
        """Start a new episode in every game; with a seed, the first ones of that seed.

        Raises:
            ValueError: the seed is negative.
        """
        if seed is not None:
            if not 0 <= seed < 2**63:
                raise ValueError(
                    f"seed={seed!r} is not possible; a whole number from 0 to 2**63 - 1"
                )
            self._settings[0].seed = seed
            self._slots.episode = 0
        games, _, slots, rules, settings = self._arrays
        self._kernels.reset_games(games, slots, rules, settings, self._space[3], 0, self.n)
        self._action[:] = kernels.WATCH
        self._run()

    def step(self, actions: npt.ArrayLike) -> None:
        """Apply one action in each game: int (n,), of the seat to act; the arrays change in place.

        In games whose episode is over the action is ignored.

        Raises:
            IllegalActionError: an action is not legal; the first such game is named, and no
                game has changed.
            ValueError: not one action a game.
        """
        given = np.asarray(actions)
        if given.shape != (self.n,) or given.dtype.kind not in "iu":
            raise ValueError(
                f"actions has shape {given.shape} and type {given.dtype}; "
                f"({self.n},) and whole numbers needed"
            )
        self.check(given)
        self._run()

    def check(self, actions: npt.NDArray[Any] | int) -> None:
        """Put one action into each slot; the games stay as they are.

        Raises:
            IllegalActionError: one is not legal; the first such game is named.
        """
        self._action[:] = actions
        row = self._kernels.first_illegal(self.mask, self._arrays[2], 0, self.n)
        if row >= 0:
            raise IllegalActionError(self.explain(int(row), int(self._action[row])))

    def explain(self, row: int, action: int) -> str:
        """Why an action is not legal in a game, and which ones are."""
        if not 0 <= action < self.actions:
            return f"game {row}: {action} is not an action; ids are 0 to {self.actions - 1}"
        legal = ", ".join(self.table.texts[i] for i in np.flatnonzero(self.mask[row]))
        text = self.table.texts[action]
        return f"game {row}: {text!r} is not legal for seat {self.seat[row]}; legal: {legal}"

    def refresh(self) -> None:
        """Write observations, masks and seats again, after games have been changed from outside."""
        self._action[:] = kernels.WATCH
        self._run()

    def start_deal(
        self,
        rows: npt.ArrayLike,
        decks: npt.NDArray[np.uint8],
        dealers: npt.ArrayLike,
        scores: npt.NDArray[np.int32] | None = None,
        deals: npt.ArrayLike | None = None,
    ) -> None:
        """Put given deals into some games: for matches.

        Args:
            rows: (m,) games.
            decks: uint8 (m, cards), kinds of cards in the order of dealing.
            dealers: (m,) seats.
            scores: int32 (m, sides) before the deal; left out: zero.
            deals: (m,) numbers of the deals in their matches; left out: 1.

        Raises:
            ValueError: a deck is not the rules' deck, or the shapes do not fit.
        """
        chosen, dealer = np.atleast_1d(np.asarray(rows)), np.atleast_1d(np.asarray(dealers))
        cards = int(self.packed[0].cards)
        if decks.shape != (len(chosen), cards) or dealer.shape != chosen.shape:
            raise ValueError(f"decks has shape {decks.shape}; ({len(chosen)}, {cards}) needed")
        expected = np.repeat(np.arange(len(self.packed[0].counts)), self.packed[0].counts)
        if not (np.sort(decks, axis=1) == expected).all():
            raise ValueError("decks: a deck does not hold the cards of these rules")
        games, _, _, packed, _ = self._arrays
        streams = bool(self._settings[0].seat_streams)
        number = np.ones(len(chosen), np.int64) if deals is None else np.asarray(deals)
        self.games.scores[chosen] = 0
        if scores is not None:
            self.games.scores[chosen, : self.sides] = scores
        self.games.deal[chosen] = number
        for i, row in enumerate(chosen):
            deck = np.ascontiguousarray(decks[i], np.uint8)
            self._kernels.deal_game(games, int(row), packed, deck, int(dealer[i]), streams)
        slots = self._slots
        for flag in (slots.over, slots.terminated, slots.truncated, slots.deal_over):
            flag[chosen] = False
        self.refresh()

    def stop(self, rows: npt.ArrayLike) -> None:
        """End the episodes of some games where they stand; steps treat them as finished ones."""
        self._slots.over[np.asarray(rows)] = True

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What the kernels take first: the games, their bytes, the slots, the packed rules and the
        settings."""
        return self._arrays

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """bool (n,): games whose episode has ended and was not reset."""
        return self._slots.view(np.ndarray)["over"]

    def _run(self) -> None:
        if self._crew is not None:
            self._crew.run()
            return
        self._kernels.play_games(
            *self._arrays, *self._space, 0, self.n, self.observation, self.mask
        )

    def state_dict(self) -> dict[str, npt.NDArray[Any]]:
        """Everything that the next steps depend on, as plain arrays (copies)."""
        return {
            "games": np.frombuffer(self.games.tobytes(), np.uint8).copy(),
            "slots": np.frombuffer(self._slots.tobytes(), np.uint8).copy(),
            "settings": np.frombuffer(self._settings.tobytes(), np.uint8).copy(),
            "layout": _layout(self.games.dtype),
        }

    def load_state_dict(self, state: dict[str, npt.NDArray[Any]]) -> None:
        """Take over what :meth:`state_dict` gave; the next steps are then the same.

        Raises:
            ValueError: the state is of a batch of another size, or of another version, which keeps
                games otherwise.
        """
        layout = state.get("layout")
        if layout is None or not np.array_equal(layout, _layout(self.games.dtype)):
            raise ValueError(
                "games: saved by another version of canasta_env, which keeps them otherwise; what "
                "was trained plays, but this version can't go on with it"
            )
        targets = {"games": self.games, "slots": self._slots, "settings": self._settings}
        for name, target in targets.items():
            given = np.ascontiguousarray(state[name], np.uint8)
            if given.nbytes != target.nbytes:
                raise ValueError(f"{name}: {given.nbytes} bytes given, {target.nbytes} needed")
            target.view(np.ndarray).view(np.uint8).reshape(-1)[:] = given
        self.refresh()

    def close(self) -> None:
        """End the threads. A batch that is forgotten ends its own, and so does the interpreter; the
        next step would start others."""
        if self._crew is not None:
            self._crew.close()

    def __getstate__(self) -> dict[str, Any]:
        names = ("rules", "n", "players", "threads", "recall")
        arguments = {name: getattr(self, name) for name in names} | {"observe": self._observe}
        return {"arguments": arguments, "state": self.state_dict()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state["arguments"])  # type: ignore[misc]
        self.load_state_dict(state["state"])  # the other arguments are in it

    def __repr__(self) -> str:
        return f"Batch({str(self.rules)!r}, {self.n}, players={self.players})"
