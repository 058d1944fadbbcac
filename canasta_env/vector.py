"""Many games with a learner in each as a Gymnasium vector environment.

    >>> import gymnasium
    >>> envs = gymnasium.make_vec("canasta_env:Canasta-v0", num_envs=64, opponents="greedy")
    >>> observations, infos = envs.reset(seed=7)
    >>> actions = infos["action_mask"].argmax(axis=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step(actions)

Where the other players are rule bots, a step is one compiled call for all games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector.utils import batch_space

from canasta_env.aec_options import fresh_seed
from canasta_env.batch import Batch, Episode, Scores, Stock
from canasta_env.render.viewer import FPS, Picture, RenderMode, Viewer
from canasta_env.rounds.games import Illegal, Reward, Rounds, Seat
from canasta_env.rounds.roster import Player
from canasta_env.rules import Rules

if hasattr(gymnasium.vector, "AutoresetMode"):
    from gymnasium.vector import AutoresetMode
else:  # Gymnasium 1.0
    from canasta_env.vector_modes import AutoresetMode  # type: ignore[assignment]

__all__ = ["INFO", "AutoresetMode", "CanastaVectorEnv"]

Floats: TypeAlias = npt.NDArray[np.float32]
Stepped: TypeAlias = tuple[
    Floats, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]
]

INFO: Final = ("action_mask", "seat", "deals", "points", "illegal")
"""The keys of an info: int8 (A,), the legal actions; the learner's seat; how many deals ended with
the step, and what its side scored in them; whether the action was not legal."""


class CanastaVectorEnv(gymnasium.vector.VectorEnv[Floats, npt.NDArray[np.int64], Any]):
    """``num_envs`` games in lock step, in each of which one seat learns and others play the rest.

    Args:
        rules: a preset's name, a text like ``classic(target=3000)``, or :class:`Rules`.
        num_envs: how many games.
        players: how many players each game has.
        opponents: who plays against the learner: ``random``, ``greedy`` or ``basic``; an agent, an
            object with ``act(batch, rows)`` that gives one legal action id for each of ``rows``
            (int64 (m,)) of a :class:`~canasta_env.batch.Batch`; a function of observation
            (float32 (O,)) and mask (bool (A,)) that gives one; or a list of these, one an opponent,
            in the order of play from the learner's left.
        partner: who plays with it, in the same way; left out: as the opponent to its left.
        seat: the learner's, or ``rotate``: the next one with every episode, another in every row.
        episode: an episode is a ``deal`` or a ``match``.
        max_deals: a match is truncated after so many deals; 0 for no bound.
        scores: episodes start from ``zero``, or from scores ``spread`` over all bands of the first
            meld.
        stock: one ``shared`` stock, or one stream a seat (``seat_streams``).
        recall: whether observations remember what was public.
        reward: ``points``: for each deal the difference of deal scores, in thousands; ``win``: at
            the end of a match 1 for the winners, and for the others so much less that the sides add
            up to zero; a tie shares; a truncated match pays nothing.
        illegal: what becomes of an action that is not legal: ``raise`` an error, ``end`` the
            episode, or ``replace`` it by a legal one that is drawn by lot.
        illegal_reward: what the learner is paid where it ends the episode.
        autoreset_mode: ``NextStep``, ``SameStep``, or a member of Gymnasium's ``AutoresetMode``.
        threads: the most threads that play, the caller's among them.
        render_mode: what :meth:`render` returns for each game: text (``ansi``) or pixels
            (``rgb_array``); or None.

    Attributes:
        batch: the games as a :class:`~canasta_env.batch.Batch`, to read: ``batch.observation`` has
            the same observations as bytes, ``batch.mask`` the masks, both overwritten by the next
            step; ``batch.table`` numbers the actions.

    Raises:
        ValueError: an argument is not possible; the message names it.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": FPS}  # noqa: RUF012

    def __init__(
        self,
        rules: str | Rules = "classic",
        num_envs: int = 1,
        *,
        players: int = 4,
        opponents: Player | Sequence[Player] = "basic",
        partner: Player | Sequence[Player] | None = None,
        seat: Seat = 0,
        episode: Episode = "deal",
        max_deals: int = 20,
        scores: Scores = "spread",
        stock: Stock = "shared",
        recall: bool = True,
        reward: Reward = "points",
        illegal: Illegal = "end",
        illegal_reward: float = -1.0,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        threads: int = 1,
        render_mode: RenderMode | None = None,
    ) -> None:
        mode = _mode(autoreset_mode)
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(
                f"render_mode={render_mode!r} is not possible; 'ansi', 'rgb_array' or None"
            )
        self.batch = Batch(
            rules, num_envs, players=players, episode=episode, max_deals=max_deals, scores=scores,
            stock=stock, recall=recall, autoreset="off",
        )  # fmt: skip
        self._rounds = Rounds(
            self.batch, seat=seat, opponents=opponents, partner=partner, reward=reward,
            illegal=illegal, illegal_reward=illegal_reward, threads=threads,
        )  # fmt: skip
        self.num_envs, self.render_mode = num_envs, render_mode
        self._viewers: list[Viewer] = []
        if render_mode is not None:
            rows = range(num_envs)
            self._viewers = [Viewer(self.batch.rules, players, render_mode) for _ in rows]
        self.metadata = {**self.metadata, "autoreset_mode": mode}
        self._resets_at_once = mode == AutoresetMode.SAME_STEP
        self._is_seeded = False
        size, actions = self.batch.observation_size, self.batch.actions
        self.single_observation_space = gymnasium.spaces.Box(0.0, 1.0, (size,), np.float32)
        self.single_action_space = gymnasium.spaces.Discrete(actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Begin an episode in every game.

        Args:
            seed: the first episodes of this seed, row by row, whatever ``num_envs`` and
                ``threads``; left out: the next ones of the seed before, or of a fresh seed if there
                was none.
            options: none are known.

        Returns:
            The observations, float32 (n, O), and the infos, by the keys of :data:`INFO`.

        Raises:
            ValueError: the seed is not possible, or there is an option.
        """
        super().reset(seed=seed)
        if options:
            raise ValueError(f"options: {', '.join(options)} not known; there are none")
        if seed is None and not self._is_seeded:
            seed = fresh_seed()
        self._rounds.reset(seed)
        self._is_seeded = True
        return self._rounds.observation.copy(), self._infos()

    def step(self, actions: npt.ArrayLike) -> Stepped:
        """Play the learner's action in each game, and the others' until it must act again.

        Args:
            actions: whole numbers (n,). Where the episode has ended with the step before they are
                ignored, and the next one begins (``NextStep``).

        Returns:
            Observations, float32 (n, O); rewards, float64 (n,); terminations and truncations, bool
            (n,); infos. With ``SameStep`` observations and infos are those of the new episode, and
            those of the end stand in ``final_obs`` and ``final_info``, as Gymnasium has it.

        Raises:
            IllegalActionError: an action is not legal, with ``illegal="raise"``; nothing has
                changed. Also if an agent chooses such a one.
            ValueError: not one action a game.
        """
        rounds = self._rounds
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise ValueError(
                f"actions has shape {given.shape} and type {given.dtype}; "
                f"({self.num_envs},) and whole numbers needed"
            )
        rounds.play(given)
        rewards = rounds.reward.copy()
        terminated, truncated = rounds.terminated.copy(), rounds.truncated.copy()
        final = {}
        if self._resets_at_once and rounds.over.any():
            final = self._end()
        return rounds.observation.copy(), rewards, terminated, truncated, {**self._infos(), **final}

    def _end(self) -> dict[str, Any]:
        """Begin the next episodes where one has ended; what there was to see at the end."""
        ended = self._rounds.over.copy()
        rows = np.flatnonzero(ended)
        seen = np.full(self.num_envs, None, object)
        for row, last in zip(rows, self._rounds.observation[rows], strict=True):
            seen[row] = last
        infos = self._infos(ended)
        self._rounds.begin(rows)
        return {"final_obs": seen, "_final_obs": ended, "final_info": infos, "_final_info": ended}

    def _infos(self, rows: npt.NDArray[np.bool_] | None = None) -> dict[str, Any]:
        """The infos by key, as Gymnasium has them: zero in other rows, with a flag beside."""
        rounds = self._rounds
        values: tuple[npt.NDArray[Any], ...] = (
            self.batch.mask.view(np.int8), rounds.seat, rounds.deals, rounds.points, rounds.illegal,
        )  # fmt: skip
        infos: dict[str, Any] = {}
        has = np.ones(self.num_envs, np.bool_) if rows is None else rows
        for name, value in zip(INFO, values, strict=True):
            infos[name] = value.copy()
            if rows is not None:
                infos[name][~rows] = 0
            infos[f"_{name}"] = has
        return infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """bool (n, A): the legal actions; never empty. Where an episode waits for its reset, action
        0, which is ignored."""
        return self.batch.mask.copy()

    def set_players(
        self,
        opponents: Player | Sequence[Player] | None = None,
        partner: Player | Sequence[Player] | None = None,
        *,
        rows: npt.ArrayLike | None = None,
        at_once: bool = False,
    ) -> None:
        """Let others play with the learner, who goes on amid its episodes.

        For a pool of agents, call it once for each with the rows that it plays in. Agents in whom
        no row has a use any more are forgotten.

        Args:
            opponents, partner: as for the environment; left out: those before.
            rows: indices or a mask (n,) of the games that it's about; left out: all.
            at_once: replace them at once, or each when its next episode begins.

        Raises:
            ValueError: somebody is no player, or a list has another length.
        """
        self._rounds.set_players(opponents, partner, rows, at_once)

    def render(self) -> tuple[Picture | None, ...] | None:  # type: ignore[override]  # generic there
        """The tables as the learners see them: texts (``ansi``), or uint8 (800, 1280, 3) each
        (``rgb_array``)."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() draws nothing: render_mode='ansi' or 'rgb_array'")
            return None
        return tuple(self._picture(row, viewer) for row, viewer in enumerate(self._viewers))

    def _picture(self, row: int, viewer: Viewer) -> Picture | None:
        rounds, games = self._rounds, self.batch.games
        return viewer.show(games[row], int(rounds.seat[row]), lambda seat: rounds.view(row, seat))

    def close_extras(self, **_: Any) -> None:
        """End the threads."""
        self._rounds.close()


def _mode(given: str | AutoresetMode) -> AutoresetMode:
    possible = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP
    for mode in possible:
        if given in (mode, mode.value):
            return mode
    words = ", ".join(repr(mode.value) for mode in possible)
    raise ValueError(f"autoreset_mode={given!r} is not possible; one of {words}")
