"""Events of a game under way, told to its seats one action after the other."""

from __future__ import annotations

from canasta_env.actions import Action
from canasta_env.events import Event, Step, beginning
from canasta_env.game import Deal, Game

__all__ = ["LiveEvents"]


class LiveEvents:
    """Follows a game and keeps for each seat what it has not been told yet: the same events as
    :func:`canasta_env.events.events`, without playing the deal again each time.

    Args:
        game: one in which nothing has been played since it was dealt or set up; from now on it is
            played by this object, to the end of the deal.

    Attributes:
        game: the game as it stands.
        told: the seats that have asked for news.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.told: set[int] = set()
        self._news = [list(beginning(game, seat)) for seat in range(game.players)]

    def play(self, action: Action | str | int) -> None:
        """Play an action of the seat to act.

        Raises:
            ActionError, IllegalActionError: as :meth:`canasta_env.game.Game.play`.
        """
        number = self.game.table.id(action)
        before = Deal(self.game.record.tobytes(), b"").games()[0]
        self.game.play(number)
        for seat, news in enumerate(self._news):
            news += Step(self.game, before, number, seat).events()

    def news(self, seat: int) -> list[Event]:
        """What a seat has seen and heard since the last call, at first since the beginning."""
        self.told.add(seat)
        told, self._news[seat] = self._news[seat], []
        return told
