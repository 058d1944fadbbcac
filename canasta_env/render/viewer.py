"""How an environment shows its table: as text, as an array of pixels, or in a window.

pygame is imported by the first picture that is drawn, so text needs none of it.
"""

from __future__ import annotations

import copy
import importlib.util
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt

from canasta_env.engine.state import copy_records
from canasta_env.render.ansi import draw
from canasta_env.render.dressing import Dressing
from canasta_env.rules import Rules

if TYPE_CHECKING:
    from canasta_env.render.painter import Painter

__all__ = ["FPS", "MODES", "Picture", "RenderMode", "RenderSeat", "Viewer", "picture"]

RenderMode: TypeAlias = Literal["human", "ansi", "rgb_array"]
RenderSeat: TypeAlias = int | Literal["turn", "all"]
Picture: TypeAlias = str | npt.NDArray[np.uint8]

MODES: Final = ("human", "ansi", "rgb_array")
FPS: Final = 2
"""Pictures a second, in a window and in videos: people want to follow."""


class Viewer:
    """Shows one game after the other.

    Args:
        rules, players: those of the games.
        mode: ``human`` for a window, ``ansi`` for text, ``rgb_array`` for pixels.
        seat: who looks: a seat; ``turn``: the seat to act; ``all``: that one, with all hands open.

    Raises:
        ValueError: the mode or the seat is not possible.
        gymnasium.error.DependencyNotInstalled: the mode needs pygame, and there is none.
    """

    def __init__(
        self, rules: Rules, players: int, mode: RenderMode, seat: RenderSeat = "turn"
    ) -> None:
        if mode not in MODES:
            raise ValueError(f"render_mode={mode!r} is not possible; one of {MODES} or None")
        if seat not in ("turn", "all", *range(players)) or isinstance(seat, bool):
            raise ValueError(
                f"render_seat={seat!r} is not possible; 'turn', 'all' or 0 to {players - 1}"
            )
        if mode != "ansi" and importlib.util.find_spec("pygame") is None:
            raise gymnasium.error.DependencyNotInstalled(
                f"render_mode={mode!r} needs pygame, which is not installed: "
                "pip install 'canasta-env[render]', or use 'ansi'"
            )
        self.rules, self.players, self.mode, self.seat = rules, players, mode, seat
        self.last = ""
        self._dressing: Dressing | None = None
        self._deal = (0, 0)

    @property
    def draws(self) -> bool:
        """Are its pictures drawn, with suits?"""
        return self.mode != "ansi"

    def begin(self) -> None:
        """An episode begins: forget the one before."""
        self.last, self._dressing = "", None

    def follow(self, record: Any, last: str = "") -> None:
        """Go on to a state of the game; ``last`` is what was done to come there. Called after each
        action, it lets every card keep its suit."""
        self.last = last or self.last
        if not self.draws:
            return
        deal = int(record.match_seed), int(record.deal)
        if self._dressing is None or self._deal != deal:
            self._dressing, self._deal = Dressing(self.rules, self.players, deal), deal
        self._dressing.follow(record)

    def resample(self, record: Any, seat: int, seed: int) -> None:
        """Go on to a world that ``seat`` cannot tell from this one."""
        if self._dressing is not None:
            self._deal = int(record.match_seed), int(record.deal)
            self._dressing.resample(record, seat, seed)

    def show(self, record: Any, turn: int, look: Callable[[int], Any]) -> Picture | None:
        """The picture: text, uint8 (800, 1280, 3), or None if it has been shown in the window.

        Args:
            record: the game.
            turn: the seat to act.
            look: gives a seat's view, as an array of length one that it may write over.

        Raises:
            RuntimeError: no window can be opened here.
        """
        looks = self.seat if isinstance(self.seat, int) else turn
        others = range(self.players) if self.seat == "all" else ()
        seats = [looks, *(other for other in others if other != looks)]
        view, *opened = (copy_records(look(seat)).view(np.recarray)[0] for seat in seats)
        if not self.draws:
            return draw(view, self.rules, last=self.last, hands=opened)
        self.follow(record)
        assert self._dressing is not None
        surface = _painter(self.rules).paint(view, self._dressing, opened, self.last)
        if self.mode == "rgb_array":
            return _pixels(surface)
        from canasta_env.render import window

        window.show(surface, FPS)
        return None

    def copy(self) -> Viewer:
        """An independent viewer in the same state, which shows nothing in a window by itself."""
        other = copy.copy(self)
        other._dressing = self._dressing.copy() if self._dressing else None
        return other

    def close(self) -> None:
        """Close the window, if this viewer has one."""
        if self.mode == "human":
            from canasta_env.render import window

            window.close()


def picture(view: Any, record: Any, rules: Rules) -> npt.NDArray[np.uint8]:
    """uint8 (800, 1280, 3): what one seat sees of a game, dressed for this picture alone: it
    follows from the view.

    Args:
        view: the record of the seat's view.
        record: the record of the game, for the suits.
        rules: its rules.
    """
    dressing = Dressing(rules, int(record.players), int(record.deal), first=int(view.seat))
    dressing.follow(record)
    return _pixels(_painter(rules).paint(view, dressing))


@lru_cache(maxsize=4)
def _painter(rules: Rules) -> Painter:
    from canasta_env.render.painter import Painter

    return Painter(rules)


def _pixels(surface: Any) -> npt.NDArray[np.uint8]:
    from canasta_env.render.painter import pixels

    return pixels(surface)
