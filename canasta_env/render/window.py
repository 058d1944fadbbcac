"""The window of ``render_mode="human"``: one in each process, opened by the first picture."""

from __future__ import annotations

from typing import Any, Final

import pygame

__all__ = ["close", "show"]

_TITLE: Final = "Canasta"
_UNSEEN: Final = ("dummy", "offscreen")
"""SDL's drivers where there is no screen."""


class _Window:
    """What is open now."""

    screen: Any = None
    clock: Any = None
    shut = False  # by the user; then nothing is shown any more


def show(picture: Any, rate: float) -> None:
    """Show a surface for ``1 / rate`` seconds; where SDL draws without a screen, no time is lost.
    Once the user has shut the window nothing is shown until :func:`close` has been called.

    Raises:
        RuntimeError: no window can be opened here.
    """
    if _Window.shut:
        return
    if _Window.screen is None:
        _open(picture.get_size())
    if any(event.type == pygame.QUIT for event in pygame.event.get()):
        close()
        _Window.shut = True
        return
    _Window.screen.blit(picture, (0, 0))
    pygame.display.flip()
    if pygame.display.get_driver() not in _UNSEEN:
        _Window.clock.tick(rate)


def _open(size: tuple[int, int]) -> None:
    try:
        pygame.display.init()
        _Window.screen = pygame.display.set_mode(size)
    except pygame.error as error:
        raise RuntimeError(
            f"render_mode='human': no window can be opened here ({error}); "
            "'rgb_array' and 'ansi' need none"
        ) from None
    pygame.display.set_caption(_TITLE)
    _Window.clock = pygame.time.Clock()


def close() -> None:
    """Close the window, if it is open."""
    if _Window.screen is not None:
        pygame.display.quit()
    _Window.screen, _Window.shut = None, False
