"""OpenSpiel's Python interface."""

from __future__ import annotations

import importlib
import itertools
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
    """

    def __init__(self, game: str, *, clone: bool = False) -> None:
        super().__init__()
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
            state.apply_action(self._pick(state.legal_actions()))
        return state

    def _start(self) -> Any:
        return self._deal() if self._dealt is None else next(self._dealt).clone()

    def _some(self) -> int:
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


def _entry(game: str, name: str, reads: str, *, clone: bool = False) -> Entry:
    make = partial(OpenSpielPlayer, game, clone=clone)
    return Entry(f"OpenSpiel {name}", f"{reads}, legal_actions()", make, _OURS)


ENTRIES: Final = (
    _entry("gin_rummy", "gin_rummy", "observation"),
    _entry("gin_rummy", "gin_rummy by clone()", "observation", clone=True),
    _entry("hearts", "hearts", "information state"),
    _entry("bridge(use_double_dummy_result=false)", "bridge, no double dummy", "observation"),
    _entry("crazy_eights", "crazy_eights", "observation"),
)
