"""OpenSpiel's Python interface."""

from __future__ import annotations

import importlib
import itertools
import random
from functools import partial
from typing import Any, Final

from experiments.peers.player import CHUNK, Entry, Player

__all__ = ["ENTRIES", "OpenSpielPlayer"]

_DEALS: Final = 1000
_OURS: Final = ("raw_env()", "Batch, 1,024 games")
"""A single game from Python, as OpenSpiel's, and what one trains on."""


class OpenSpielPlayer(Player):
    """A game of OpenSpiel.

    It is read by OpenSpiel's observer, which writes into one numpy array and is faster than the
    lists that ``observation_tensor()`` gives: the observation, or the information state where a
    game has no other. A move of chance is no decision. In the games below all its outcomes are
    always as likely, so it is drawn as a player's action is, which is the fastest.

    Args:
        game: as ``pyspiel.load_game`` takes it.
        clone: start from clones of a thousand games that were dealt before; else every game is
            dealt, card by card, as OpenSpiel does it.
        plain: as OpenSpiel's own examples do it instead: the lists of ``observation_tensor()`` or
            ``information_state_tensor()``, and chance drawn from ``chance_outcomes()``.
    """

    def __init__(self, game: str, *, clone: bool = False, plain: bool = False) -> None:
        super().__init__()
        self._lots = random.Random(2)
        self.plain = plain
        pyspiel = importlib.import_module("pyspiel")
        observation = importlib.import_module("open_spiel.python.observation")
        self.game = pyspiel.load_game(game)
        has_own = self.game.get_type().provides_observation_tensor
        kind = None if has_own else pyspiel.IIGObservationType(perfect_recall=True)
        self.observer = observation.make_observation(self.game, kind)
        dealt = [self._deal() for _ in range(_DEALS)] if clone else []
        self._dealt = itertools.cycle(dealt) if clone else None
        self.state = self._start()

    def _deal(self) -> Any:
        state = self.game.new_initial_state()
        while state.is_chance_node():
            drawn = self._draw(state) if self.plain else self._pick(state.legal_actions())
            state.apply_action(drawn)
        return state

    def _start(self) -> Any:
        return self._deal() if self._dealt is None else next(self._dealt).clone()

    def _some(self) -> int:
        return self._plain() if self.plain else self._fast()

    def _plain(self) -> int:
        has_own = self.game.get_type().provides_observation_tensor
        pick = self._pick
        for _ in range(CHUNK):
            state = self.state
            seat = state.current_player()
            if has_own:
                state.observation_tensor(seat)
            else:
                state.information_state_tensor(seat)
            state.apply_action(pick(state.legal_actions()))
            while state.is_chance_node():
                state.apply_action(self._draw(state))
            if state.is_terminal():
                self.state = self._start()
        return CHUNK

    def _draw(self, state: Any) -> int:
        actions, chances = zip(*state.chance_outcomes(), strict=True)
        return int(self._lots.choices(actions, chances)[0])

    def _fast(self) -> int:
        read, pick = self.observer.set_from, self._pick
        for _ in range(CHUNK):
            state = self.state
            read(state, state.current_player())
            state.apply_action(pick(state.legal_actions()))
            while state.is_chance_node():
                state.apply_action(pick(state.legal_actions()))
            if state.is_terminal():
                self.state = self._start()
        return CHUNK


def _entry(game: str, name: str, reads: str, *, clone: bool = False, plain: bool = False) -> Entry:
    make = partial(OpenSpielPlayer, game, clone=clone, plain=plain)
    what = f"list of {reads}" if plain else reads
    return Entry(f"OpenSpiel {name}", f"{what}, legal_actions()", make, _OURS)


_BRIDGE: Final = "bridge(use_double_dummy_result=false)"


ENTRIES: Final = (
    _entry("gin_rummy", "gin_rummy", "observation"),
    _entry("gin_rummy", "gin_rummy by clone()", "observation", clone=True),
    _entry("hearts", "hearts", "information state"),
    _entry(_BRIDGE, "bridge, no double dummy", "observation"),
    _entry("crazy_eights", "crazy_eights", "observation"),
    _entry("gin_rummy", "gin_rummy, plain", "observation", plain=True),
    _entry("gin_rummy", "gin_rummy by clone(), plain", "observation", clone=True, plain=True),
    _entry("hearts", "hearts, plain", "information state", plain=True),
    _entry(_BRIDGE, "bridge, plain", "observation", plain=True),
    _entry("crazy_eights", "crazy_eights, plain", "observation", plain=True),
)
