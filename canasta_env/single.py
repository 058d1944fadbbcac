"""The game for one learner, as a Gymnasium environment: the others are played inside ``step``.

>>> import gymnasium
>>> env = gymnasium.make("canasta_env:Canasta-v0", opponents="greedy", partner="basic")
>>> observation, info = env.reset(seed=7)
>>> action = env.action_space.sample(info["action_mask"])
>>> observation, reward, terminated, truncated, info = env.step(action)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt

from canasta_env.actions import ActionTable
from canasta_env.aec_options import fresh_seed, read_options, start_from
from canasta_env.batch import Batch, Episode, IllegalActionError, Scores, Stock
from canasta_env.render.viewer import FPS, MODES, Picture, RenderMode, RenderSeat, Viewer
from canasta_env.rounds.games import Illegal, Reward, Rounds, Seat
from canasta_env.rounds.roster import Player
from canasta_env.rules import Rules

__all__ = ["CanastaEnv", "IllegalActionError"]

Floats: TypeAlias = npt.NDArray[np.float32]


class CanastaEnv(gymnasium.Env[Floats, np.int64]):
    """One game, in which one seat learns and others play the rest.

    Rewards are added up until the learner acts again, so it gets those of deals that others end,
    too; what is paid before its first decision comes with its first step. An episode that others
    end before it has had any decision is passed over.

    Args:
        rules: and all up to ``illegal_reward``: as for
            :class:`canasta_env.vector.CanastaVectorEnv`.
        render_mode: ``human`` shows the table in a window after each step; :meth:`render` returns
            it as text (``ansi``) or as pixels (``rgb_array``).
        render_seat: who looks at it: the learner (``turn``), the learner with all hands open
            (``all``), or always the same seat.

    Raises:
        ValueError: an argument is not possible; the message names it.
        gymnasium.error.DependencyNotInstalled: the render mode needs pygame, and there is none.
    """

    metadata: dict[str, Any] = {"render_modes": [*MODES], "render_fps": FPS}  # noqa: RUF012

    def __init__(
        self,
        rules: str | Rules = "classic",
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
        render_mode: RenderMode | None = None,
        render_seat: RenderSeat = "turn",
    ) -> None:
        batch = Batch(
            rules, 1, players=players, episode=episode, max_deals=max_deals, scores=scores,
            stock=stock, recall=recall, autoreset="off",
        )  # fmt: skip
        self._rounds = Rounds(
            batch, seat=seat, opponents=opponents, partner=partner, reward=reward, illegal=illegal,
            illegal_reward=illegal_reward,
        )  # fmt: skip
        self._viewer: Viewer | None = None
        if render_mode is not None:
            self._viewer = Viewer(batch.rules, players, render_mode, render_seat)
        self.render_mode, self._stock = render_mode, stock
        self._is_seeded = False
        self.observation_space = gymnasium.spaces.Box(
            0.0, 1.0, (batch.observation_size,), np.float32
        )
        self.action_space = gymnasium.spaces.Discrete(batch.actions)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Begin an episode; it starts where the learner must act for the first time.

        Args:
            seed: the first episode of this seed, the others' lots and the learner's seat too; left
                out: the next one of the seed before, or of a fresh seed if there was none.
            options: ``deck`` (tokens or kinds, first card first), ``dealer`` (a seat), ``scores``
                (one a side), which replace what the seed says; or ``position`` (notation.md), from
                which the episode goes on.

        Returns:
            The observation, float32 (O,), and the info, by the keys of
            :data:`canasta_env.vector.INFO`.

        Raises:
            ValueError: a seed or an option is not possible, or with a given deal the episode ends
                before the learner must act; nothing has changed.
        """
        chosen = read_options(options)
        super().reset(seed=seed)
        if seed is None and not self._is_seeded:
            seed = fresh_seed()
        if chosen:
            self._begin_with(seed, chosen)
        else:
            self._rounds.reset(seed)
        self._is_seeded = True
        if self._viewer is not None:
            self._viewer.begin()
        return self._shown()

    def _begin_with(self, seed: int | None, chosen: dict[str, Any]) -> None:
        """Begin an episode as the options say."""
        rounds, batch = self._rounds, self._rounds.batch
        before = rounds.state_dict()
        try:
            rounds.reset(
                seed,
                lambda: start_from(
                    batch.arrays[0], rounds.deck, chosen, batch.rules, batch.players, self._stock
                ),
            )
            if rounds.over[0]:
                raise ValueError("options: the episode ends before the learner must act")
        except ValueError:
            rounds.load_state_dict(before)
            raise

    def step(self, action: int | np.int64) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Play the learner's action, by id, and the others' until it must act again.

        Returns:
            The observation, float32 (O,), at the end of an episode the learner's own, too; the
            reward; whether the episode was terminated or truncated; the info.

        Raises:
            IllegalActionError: the action is not legal, with ``illegal="raise"``; nothing has
                changed. Also if an agent chooses such a one.
            TypeError: the action is no whole number.
            gymnasium.error.ResetNeeded: the episode is over, or there was none, or an agent failed
                in the step before.
        """
        rounds = self._rounds
        if rounds.over[0]:
            raise gymnasium.error.ResetNeeded("the episode is over: reset() begins the next one")
        number = index(action)
        rounds.play(number)
        observation, info = self._shown(number)
        reward, terminated = float(rounds.reward[0]), bool(rounds.terminated[0])
        return observation, reward, terminated, bool(rounds.truncated[0]), info

    def _shown(self, action: int | None = None) -> tuple[Floats, dict[str, Any]]:
        """What the learner sees and is told, in fresh arrays; ``action`` is what it did."""
        rounds, batch = self._rounds, self._rounds.batch
        if self._viewer is not None:
            text = "" if action is None or rounds.illegal[0] else batch.table.texts[action]
            self._viewer.follow(batch.games[0], f"the learner: {text}" if text else "")
            if self.render_mode == "human":
                self.render()
        info = {
            "action_mask": batch.mask[0].view(np.int8).copy(),
            "seat": int(rounds.seat[0]),
            "deals": int(rounds.deals[0]),
            "points": int(rounds.points[0]),
            "illegal": bool(rounds.illegal[0]),
        }
        return rounds.observation[0].copy(), info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """bool (A,): the legal actions, by the name that MaskablePPO looks for; never empty. At the
        end of an episode it allows action 0 alone."""
        mask: npt.NDArray[np.bool_] = self._rounds.batch.mask[0].copy()
        return mask

    def set_players(
        self,
        opponents: Player | Sequence[Player] | None = None,
        partner: Player | Sequence[Player] | None = None,
        *,
        at_once: bool = False,
    ) -> None:
        """Let others play with the learner, from the next episode on or ``at_once``; what is left
        out stays. The arguments are those of the environment."""
        self._rounds.set_players(opponents, partner, None, at_once)

    @property
    def table(self) -> ActionTable:
        """The actions by id."""
        return self._rounds.batch.table

    def render(self) -> Picture | None:
        """The table as ``render_seat`` sees it: text (``ansi``), uint8 (800, 1280, 3)
        (``rgb_array``), or None: it is shown in the window (``human``)."""
        if self._viewer is None:
            gymnasium.logger.warn(f"render() draws nothing: give render_mode, one of {MODES}")
            return None
        rounds = self._rounds
        looks = int(rounds.seat[0])
        return self._viewer.show(rounds.batch.games[0], looks, lambda seat: rounds.view(0, seat))

    def close(self) -> None:
        """Close the window."""
        if self._viewer is not None:
            self._viewer.close()
