"""Small games of this engine as OpenSpiel games, for its solvers: ``python_canasta(rules=tiny)``.

One chance node deals: its outcomes are the deals of :mod:`experiments.exact.deals`. After it come
the players' actions, by their ids in the action table. The information state of a player is the
stream of events that its seat has seen and heard. Returns are points of a deal less the other's.
Needs ``open_spiel`` (the extra ``openspiel``)::

    import experiments.openspiel_game  # registers the game
    game = pyspiel.load_game("python_canasta(rules=tiny)")

Rules with changes are no parameter that OpenSpiel can read from a text, so such a game is made
directly: ``CanastaGame({"rules": "tiny(deuces=1)"})``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pyspiel

from canasta_env import Game
from canasta_env.actions import ActionTable
from canasta_env.rules import Rules
from experiments.exact.deals import DEALER, PLAYERS, Deals, all_deals

__all__ = ["CanastaGame", "CanastaState"]

MOST_DEALS: Final = 20_000
LONGEST: Final = 1_000
"""No deal of a small game has so many actions."""
MOST_POINTS: Final = 10_000.0

_TYPE: Final = pyspiel.GameType(
    short_name="python_canasta",
    long_name="Canasta, one deal of a small game for two",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=PLAYERS,
    min_num_players=PLAYERS,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=False,
    provides_observation_tensor=False,
    parameter_specification={"rules": "tiny"},
)


class _Table:
    """The deals of a game and what was dealt and played. OpenSpiel copies a state by copying what
    its attributes hold, so this says how: the deals never change.
    """

    def __init__(self, rules: Rules, deals: Deals, game: Game | None = None) -> None:
        self.rules, self.deals, self.game = rules, deals, game

    def __deepcopy__(self, memo: object) -> _Table:
        return _Table(self.rules, self.deals, None if self.game is None else self.game.copy())


class CanastaGame(pyspiel.Game):  # type: ignore[misc]
    """The game of the rules that the parameter ``rules`` names."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = {"rules": "tiny", **(params or {})}
        self.rules = Rules.parse(given["rules"])
        self.deals = all_deals(self.rules, MOST_DEALS)
        info = pyspiel.GameInfo(
            num_distinct_actions=len(ActionTable(self.rules)),
            max_chance_outcomes=len(self.deals.decks),
            num_players=PLAYERS,
            min_utility=-MOST_POINTS,
            max_utility=MOST_POINTS,
            utility_sum=0.0,
            max_game_length=LONGEST,
        )
        super().__init__(_TYPE, info, given)

    def new_initial_state(self) -> CanastaState:
        """Before the deal."""
        return CanastaState(self, _Table(self.rules, self.deals))


class CanastaState(pyspiel.State):  # type: ignore[misc]
    """A state: nothing dealt yet, or a game under way."""

    def __init__(self, game: CanastaGame, table: _Table) -> None:
        super().__init__(game)
        self._table = table

    def current_player(self) -> int:
        """The seat to act, or OpenSpiel's numbers for chance and the end."""
        game = self._table.game
        if game is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if game.over else game.turn

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The deals, by number, with their probabilities."""
        return list(enumerate(self._table.deals.chance.tolist()))

    def _legal_actions(self, player: int) -> list[int]:
        return [int(action) for action in self._game().mask().nonzero()[0]]

    def _apply_action(self, action: int) -> None:
        table = self._table
        if table.game is None:
            deck = table.deals.decks[action].tolist()
            table.game = Game(table.rules, players=PLAYERS, deck=deck, dealer=DEALER)
        else:
            table.game.play(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return f"deal {action}" if self._table.game is None else self._game().table.text(action)

    def information_state_string(self, player: int | None = None) -> str:
        """All that a player has seen and heard, an event a line."""
        seat = self.current_player() if player is None else player
        return "\n".join(map(str, self._game().events(seat)))

    def is_terminal(self) -> bool:
        """Whether the deal is over."""
        return self._table.game is not None and self._table.game.over

    def returns(self) -> list[float]:
        """Points of each seat less the other's; zeros while the deal goes on."""
        if self._table.game is None:
            return [0.0] * PLAYERS
        first, second = self._table.game.deal_scores
        return [float(first - second), float(second - first)]

    def __str__(self) -> str:
        game = self._table.game
        return "before the deal" if game is None else str(game.to_position())

    def _game(self) -> Game:
        assert self._table.game is not None, "nothing is dealt yet"
        return self._table.game


pyspiel.register_game(_TYPE, CanastaGame)
