"""The game as a PettingZoo AEC environment: one agent acts after the other.

    >>> from canasta_env import canasta_v0
    >>> env = canasta_v0.env("classic", players=4)
    >>> env.reset(seed=7)
    >>> for agent in env.agent_iter():
    ...     observation, reward, terminated, truncated, info = env.last()
    ...     mask = observation["action_mask"]
    ...     env.step(None if terminated or truncated else env.action_space(agent).sample(mask))

``raw_env`` refuses an illegal action with its reason and changes nothing. ``env`` puts PettingZoo's
three wrappers around it; there TerminateIllegalWrapper ends the episode at an illegal action, with
``illegal_reward`` for the one who tried it and nothing for the others.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from canasta_env.actions import ActionTable
from canasta_env.aec_options import fresh_seed, read_options, start_from
from canasta_env.aec_state import Table, full_state, state_size
from canasta_env.aec_told import INFO, explain, infos, make_spaces, win_shares
from canasta_env.batch import Episode, IllegalActionError, Scores, Stock
from canasta_env.observation import observation_scale
from canasta_env.render.viewer import FPS, MODES, Picture, RenderMode, RenderSeat, Viewer
from canasta_env.rules import Rules

if TYPE_CHECKING:
    from canasta_env.aec_records import Recorder

__all__ = ["INFO", "IllegalActionError", "env", "raw_env"]

Reward: TypeAlias = Literal["points", "win"]
Observation: TypeAlias = dict[str, npt.NDArray[Any]]

_CHOICES: Final = {
    "episode": ("deal", "match"),
    "scores": ("zero", "spread"),
    "stock": ("shared", "seat_streams"),
    "reward": ("points", "win"),
}


def env(
    rules: str | Rules = "classic", *, illegal_reward: float = -1.0, **arguments: Any
) -> AECEnv[str, Observation, int]:
    """:class:`raw_env` in PettingZoo's wrappers; ``arguments`` are those of :class:`raw_env`.

    Args:
        rules: as there.
        illegal_reward: what TerminateIllegalWrapper gives the agent that tries an illegal action.
        arguments: as there.
    """
    environment: AECEnv[str, Observation, int] = raw_env(rules, **arguments)
    environment = wrappers.TerminateIllegalWrapper(environment, illegal_reward=illegal_reward)
    environment = wrappers.AssertOutOfBoundsWrapper(environment)
    return wrappers.OrderEnforcingWrapper(environment)


class raw_env(AECEnv[str, "Observation", int]):  # type: ignore[misc]  # PettingZoo has no types
    """One game of Canasta; agents are ``player_0`` … in the order of play.

    Args:
        rules: a preset's name, a text like ``classic(target=3000)``, or :class:`Rules`.
        players: how many players.
        episode: an episode is a ``deal`` or a ``match``.
        max_deals: a match is truncated after so many deals; 0 for no bound.
        scores: episodes start from ``zero`` or from scores ``spread`` over all bands of the first
            meld.
        stock: one ``shared`` stock, or one stream a seat (``seat_streams``).
        recall: whether observations remember what was public.
        reward: ``points``: after each deal the difference of deal scores, in thousands; ``win``:
            at the end of a match 1 for the winners, and for the others so much less that the sides
            add up to zero (-1 with two sides); a tie shares; a truncated match pays nothing.
        render_mode: ``human`` shows the table in a window after each step; :meth:`render` returns
            it as text (``ansi``) or as pixels (``rgb_array``).
        render_seat: who looks at it: the seat to act (``turn``), the same with all hands open
            (``all``), or always the same seat.
        info: whether infos hold the numbers of :data:`INFO`; else they are empty.
        records: a folder, made if need be, into which each episode is written when it ends, as
            ``seed-S-episode-N.txt`` (docs/records.md); another of that name gets a number. One that
            is left before its end, by ``reset()`` or ``close()``, is written as far as it came,
            unless nothing was played.

    Raises:
        ValueError: an argument is not possible; the message names it.
        gymnasium.error.DependencyNotInstalled: the render mode needs pygame, and there is none.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  (a plain attribute, as PettingZoo reads it)
        "name": "canasta_v0",
        "render_modes": [*MODES],
        "render_fps": FPS,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        rules: str | Rules = "classic",
        *,
        players: int = 4,
        episode: Episode = "deal",
        max_deals: int = 20,
        scores: Scores = "spread",
        stock: Stock = "shared",
        recall: bool = True,
        reward: Reward = "points",
        render_mode: RenderMode | None = None,
        render_seat: RenderSeat = "turn",
        info: bool = False,
        records: str | os.PathLike[str] | None = None,
    ) -> None:
        super().__init__()
        given = {"episode": episode, "scores": scores, "stock": stock, "reward": reward}
        for name, value in given.items():
            if value not in _CHOICES[name]:
                raise ValueError(f"{name}={value!r} is not possible; one of {_CHOICES[name]}")
        if not isinstance(max_deals, int) or max_deals < 0:
            raise ValueError(f"max_deals={max_deals!r} is not possible; a whole number from 0 on")
        if reward == "win" and episode != "match":
            raise ValueError("reward='win' is that of a match; it needs episode='match'")
        self.rules = Rules.parse(rules) if isinstance(rules, str) else rules
        self.rules.at(players)
        self.players, self.stock, self.recall = players, stock, bool(recall)
        self.reward, self.render_mode, self.info = reward, render_mode, bool(info)
        self._viewer: Viewer | None = None
        if render_mode is not None:
            self._viewer = Viewer(self.rules, players, render_mode, render_seat)
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._prepare()
        settings = self._table.settings
        settings["episode"] = _CHOICES["episode"].index(episode)
        settings["max_deals"] = max_deals
        settings["spread"] = scores == "spread"
        settings["seat_streams"] = stock == "seat_streams"
        settings["recall"] = self.recall
        settings["observe"] = True
        self._recorder: Recorder | None = None
        if records is not None:
            from canasta_env.aec_records import Recorder  # only who asks for records pays for them

            self._recorder = Recorder(records, self.rules, players, stock)
        # is there more to do in a step?
        self._shows = self.info or render_mode is not None or records is not None
        self._is_seeded = False
        self._acting = ""  # the agent whose rows the table holds; none before the first reset
        self._has_paid = False
        self.observation_spaces, self.action_spaces = make_spaces(
            self.possible_agents, len(self._scale), self._actions
        )
        size = state_size(self.rules, players)
        self.state_space = gymnasium.spaces.Box(0.0, 1.0, (size,), np.float32)

    def _prepare(self) -> None:
        """Everything that follows from rules and players."""
        self.table = ActionTable(self.rules)
        packed = self.table.pack(self.players)
        self._actions = len(self.table)
        self._scale = observation_scale(self.rules, self.players)
        self._table = Table(self.rules, packed, self._scale, self._actions)
        self.sides = self._table.sides

    def observation_space(self, agent: str) -> Any:
        """The observation space of an agent; equal for all of them."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The action space of an agent: the ids of the action table; equal for all of them."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start an episode.

        Args:
            seed: the first episode of this seed; left out: the next one of the seed before, or of a
                fresh seed if there was none.
            options: ``deck`` (tokens or kinds, first card first), ``dealer`` (a seat), ``scores``
                (one a side), which replace what the seed says; or ``position`` (notation.md), from
                which the episode goes on.

        Raises:
            ValueError: a seed or an option is not possible; the message names it.
                Nothing has changed.
        """
        chosen = read_options(options)
        if self._recorder is not None and "position" in chosen:
            raise ValueError("options: a position has no deck, so no record can be kept of it")
        before = self._table.save()
        try:
            deck = self._begin(seed, chosen)
        except ValueError:
            if self._is_seeded:
                self._table.load(before)
            raise
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, int]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._has_paid = False
        self.agent_selection = self._acting = self.possible_agents[self._table.refresh() // 2]
        if self._viewer is not None:
            self._viewer.begin()
        self._show()
        if self._recorder is not None:  # last: the episode has begun, even if the disk is full
            self._recorder.begin(self._table, deck)

    def _begin(self, seed: int | None, chosen: dict[str, Any]) -> list[int]:
        """Begin an episode in the table; returns the deck if it was given."""
        table = self._table
        if seed is not None and not 0 <= seed < 2**63:
            raise ValueError(f"seed={seed!r} is not possible; a whole number from 0 to 2**63 - 1")
        if seed is None and not self._is_seeded:
            seed = fresh_seed()
        if seed is not None:
            table.settings["seed"] = seed
            table.slot["episode"] = 0
        table.begin_episode()
        deck: list[int] = []
        if chosen:
            deck = start_from(table.game, table.deck, chosen, self.rules, self.players, self.stock)
        self._is_seeded = True
        return deck

    def step(self, action: int | None) -> None:
        """Play the action of ``agent_selection``, by id; None for an agent that is done.

        Raises:
            IllegalActionError: it is not legal; the message says why. Nothing has changed.
            ValueError: an agent that is done acts.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        table = self._table
        try:
            is_legal = table.legal[action] and action >= 0  # type: ignore[index, operator]
        except (TypeError, IndexError):  # no whole number, or too high a one
            is_legal = False
        if not is_legal:
            raise IllegalActionError(explain(table, self.table, agent, action))
        self._cumulative_rewards[agent] = 0.0
        if self._has_paid:
            self.rewards = dict.fromkeys(self.agents, 0.0)
            self._has_paid = False
        told = table.play(action)  # type: ignore[arg-type]
        if told & 1:  # a deal is over
            self._settle()
        self.agent_selection = self._acting = self.possible_agents[told >> 1]
        if self._shows:
            self._show(f"{agent}: {self.table.texts[action]}")  # type: ignore[index]
            if self._recorder is not None:
                self._recorder.played(action, table)

    def _show(self, last: str = "") -> None:
        """Tell and draw what was asked for; ``last`` is the action that led here."""
        if self.info:
            seats = [self._seats[agent] for agent in self.agents]
            self.infos.update(zip(self.agents, infos(self._table, seats), strict=True))
        if self._viewer is not None:
            self._viewer.follow(self._table.record, last)
            if self.render_mode == "human":
                self.render()

    def _settle(self) -> None:
        """Pay the deal that ended, and end the episode if that is over too."""
        slot = self._table.paid
        paid = slot.reward if self.reward == "points" else win_shares(self._table, self.players)
        # the kernel's float32 has seven digits; rounded they are whole points again
        self.rewards = {agent: round(float(paid[seat]), 6) for agent, seat in self._seats.items()}
        self._has_paid = True
        if slot.over:
            self.terminations = dict.fromkeys(self.agents, bool(slot.terminated))
            self.truncations = dict.fromkeys(self.agents, bool(slot.truncated))
        for agent, reward in self.rewards.items():
            self._cumulative_rewards[agent] += reward

    # -- looking -------------------------------------------------------------------------------

    def observe(self, agent: str) -> Observation:
        """What ``agent`` sees now, in fresh arrays: float32 (O,) in [0, 1] and its mask, int8 (A,).

        Right for every agent at any time; the mask of one who is not to act is zero.

        Raises:
            ValueError: there is no such agent, or no reset yet.
        """
        table = self._table
        if agent == self._acting:
            return {"observation": table.observation.copy(), "action_mask": table.mask.copy()}
        features = np.empty(len(self._scale), np.uint8)
        table.look(self._seat_of(agent), self.recall, features)
        return {
            "observation": features * self._scale,
            "action_mask": np.zeros(self._actions, np.int8),
        }

    def _seat_of(self, agent: str | int) -> int:
        seat = self._seats.get(agent, agent) if isinstance(agent, str) else agent
        if isinstance(seat, str) or not 0 <= seat < self.players:
            raise ValueError(f"{agent!r} is not an agent; they are {', '.join(self._seats)}")
        if not self._acting:
            raise ValueError("there is no game yet: reset() comes first")
        return int(seat)

    def state(self) -> npt.NDArray[np.float32]:
        """float32, in [0, 1]: the full state, all hands and the stock's counts too.

        It is for centralised critics; :func:`canasta_env.aec_state.state_pieces` lists what is
        in it.
        """
        self._seat_of(0)
        return full_state(self._table)

    def render(self) -> Picture | None:
        """The table as ``render_seat`` sees it: text (``ansi``), uint8 (800, 1280, 3)
        (``rgb_array``), or None: it is shown in the window (``human``)."""
        if self._viewer is None:
            gymnasium.logger.warn(f"render() draws nothing: give render_mode, one of {MODES}")
            return None
        self._seat_of(0)
        table = self._table
        turn = int(table.slot["seat"][0])
        return self._viewer.show(table.record, turn, lambda seat: table.view(seat, self.recall))

    def close(self) -> None:
        """Close the window; write the record of an episode that was left before its end, where
        records are kept."""
        if self._viewer is not None:
            self._viewer.close()
        if self._recorder is not None:
            self._recorder.close()

    # -- copies --------------------------------------------------------------------------------

    def clone(self) -> raw_env:
        """An independent environment in the same state; only the spaces are shared.

        It keeps no records and shows nothing by itself: what a search tries out was not played.
        """
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._recorder = None
        if self._viewer is not None:
            other._viewer = self._viewer.copy()
            other._shows = self.info
        other._table = self._table.copy()
        if self._acting:
            other.agents = self.agents[:]
            other.rewards = self.rewards.copy()
            other._cumulative_rewards = self._cumulative_rewards.copy()
            other.terminations = self.terminations.copy()
            other.truncations = self.truncations.copy()
            other.infos = {agent: info.copy() for agent, info in self.infos.items()}
        return other

    def determinize(self, seat: int | str, seed: int | np.random.Generator) -> raw_env:
        """A clone that ``seat`` cannot tell from this one: all that it cannot know is drawn anew.

        The stock and the deals that follow are drawn too.

        Args:
            seat: a seat or the name of an agent.
            seed: a seed, 0 <= seed < 2**63, or a generator to draw one from.

        Raises:
            ValueError: there is no such seat, or no world was found for the turn under way.
        """
        number = self._seat_of(seat)
        if isinstance(seed, np.random.Generator):
            seed = int(seed.integers(2**63))
        other = self.clone()
        table = other._table
        if not table.resample(number, seed):
            raise ValueError("no possible world was found for the turn under way")
        table.settings["seed"] = table.game["match_seed"]  # drawn anew too, so later episodes are
        table.refresh()
        if other._viewer is not None:
            other._viewer.resample(table.record, number, seed)
        return other

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state["_table"] = self._table.save()
        del state["table"], state["_scale"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()
        self._table.load(state["_table"])

    def __deepcopy__(self, memo: dict[int, Any]) -> raw_env:
        other = self.clone()
        for name in ("observation_spaces", "action_spaces", "state_space", "_recorder"):
            setattr(other, name, copy.deepcopy(getattr(self, name), memo))
        other._shows = self._shows
        return other
