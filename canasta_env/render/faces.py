"""Playing cards drawn by code: faces, backs and suits, each drawn large once and then scaled."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import pygame
import pygame.font

__all__ = ["BLACK", "RED", "back", "face", "font", "star", "suit_shape"]

Colour = tuple[int, int, int]
Surface = Any  # pygame.Surface; pygame is loaded only where something is drawn

RED: Final[Colour] = (196, 30, 48)
BLACK: Final[Colour] = (28, 31, 38)
PAPER: Final[Colour] = (252, 250, 244)
EDGE: Final[Colour] = (120, 118, 112)
BACK: Final[Colour] = (44, 78, 138)
BACK_LINES: Final[Colour] = (206, 218, 238)
_PIPS: Final = 34
"""The narrowest card that has a large sign beside its corner."""
_FINE: Final = 4
"""How many times larger shapes are drawn before they are scaled down, which smooths their edges."""


@lru_cache(maxsize=64)
def font(size: int) -> Any:
    """The font that comes with pygame, of a height in pixels."""
    pygame.font.init()
    return pygame.font.Font(None, size)


def _canvas(width: int, height: int) -> Surface:
    return pygame.Surface((width * _FINE, height * _FINE), pygame.SRCALPHA, 32)


def _scaled(canvas: Surface) -> Surface:
    width, height = canvas.get_size()
    return pygame.transform.smoothscale(canvas, (width // _FINE, height // _FINE))


@lru_cache(maxsize=64)
def suit_shape(suit: str, size: int) -> Surface:
    """The sign of a suit, ``c``, ``d``, ``h`` or ``s``, in a square of so many pixels."""
    canvas = _canvas(size, size)
    unit = size * _FINE / 100

    def circle(x: float, y: float, radius: float) -> None:
        pygame.draw.circle(canvas, colour, (x * unit, y * unit), radius * unit)

    def polygon(*points: tuple[float, float]) -> None:
        pygame.draw.polygon(canvas, colour, [(x * unit, y * unit) for x, y in points])

    colour = RED if suit in "dh" else BLACK
    if suit == "d":
        polygon((50, 4), (86, 50), (50, 96), (14, 50))
    elif suit == "h":
        circle(29, 32, 24)
        circle(71, 32, 24)
        polygon((8, 44), (92, 44), (50, 94))
        polygon((29, 30), (71, 30), (71, 50), (29, 50))
    elif suit == "s":
        circle(29, 56, 22)
        circle(71, 56, 22)
        polygon((9, 47), (50, 4), (91, 47))
        polygon((29, 45), (71, 45), (71, 66), (29, 66))
        polygon((50, 50), (66, 96), (34, 96))
    else:
        circle(50, 27, 22)
        circle(26, 60, 22)
        circle(74, 60, 22)
        polygon((50, 40), (66, 96), (34, 96))
        circle(50, 52, 12)
    return _scaled(canvas)


@lru_cache(maxsize=16)
def star(size: int, colour: Colour) -> Surface:
    """The sign of a joker, in a square of so many pixels."""
    canvas = _canvas(size, size)
    centre = size * _FINE / 2
    points = []
    for i in range(10):
        arm = pygame.math.Vector2(0, -centre * (0.98 if i % 2 == 0 else 0.42)).rotate(36 * i)
        points.append((centre + arm.x, centre + arm.y))
    pygame.draw.polygon(canvas, colour, points)
    return _scaled(canvas)


def _colour_of(suit: str) -> Colour:
    return RED if suit in "dhr" else BLACK


def _sign(suit: str, size: int) -> Surface:
    return star(size, _colour_of(suit)) if suit in "rb" else suit_shape(suit, size)


def _outline(width: int, height: int, fill: Colour) -> Surface:
    """A blank card with round corners."""
    canvas = _canvas(width, height)
    area = canvas.get_rect()
    radius = width * _FINE // 9
    pygame.draw.rect(canvas, EDGE, area, border_radius=radius)
    inner = area.inflate(-2 * _FINE, -2 * _FINE)
    pygame.draw.rect(canvas, fill, inner, border_radius=radius - _FINE)
    return _scaled(canvas)


@lru_cache(maxsize=4096)
def face(rank: str, suit: str, width: int, height: int, strip: int = 0) -> Surface:
    """The face of a card.

    Args:
        rank: what stands in its corner: ``4`` … ``A``, ``2``, ``3`` or ``JK``.
        suit: ``c``, ``d``, ``h``, ``s``, or of a joker its colour, ``r`` or ``b``.
        width, height: in pixels.
        strip: how many pixels of its top other cards leave in sight: rank and suit stand side by
            side in them. 0: they leave its left side, where the suit stands below the rank.
    """
    card = _outline(width, height, PAPER)
    edge, colour = max(2, width // 16), _colour_of(suit)
    if strip:
        small = max(6, min(int(width * 0.3), strip - 3))
        text = _rank(rank, min(int(width * 0.46), int(strip * 1.25)), width * 0.56, colour)
        card.blit(text, (edge, max(1, (strip - text.get_height()) // 2 + 1)))
        card.blit(_sign(suit, small), (width - edge - small, max(2, (strip - small) // 2 + 1)))
        below = strip
    else:
        small = max(6, int(width * 0.3))
        text = _rank(rank, int(width * 0.5), width * 0.42, colour)
        below = edge + text.get_height()
        card.blit(text, (edge, edge))
        card.blit(_sign(suit, small), (edge + (text.get_width() - small) // 2, below))
    if height > width * 1.2 and width >= _PIPS:
        large = int(min(width * 0.6, height - below - 2 * edge))
        place = (width - large) // 2 + (0 if strip else width // 8)
        card.blit(_sign(suit, large), (place, height - large - 2 * edge))
    return card


def _rank(rank: str, size: int, most: float, colour: Colour) -> Surface:
    """A rank in a font of that size, made narrower where it would be too wide."""
    text = font(max(11, size)).render(rank, True, colour)
    if text.get_width() > most:
        text = pygame.transform.smoothscale(text, (int(most), text.get_height()))
    return text


@lru_cache(maxsize=64)
def back(width: int, height: int) -> Surface:
    """The back of a card, in pixels."""
    card = _outline(width, height, PAPER)
    inner = card.get_rect().inflate(-max(4, width // 7), -max(4, width // 7))
    pygame.draw.rect(card, BACK, inner, border_radius=max(1, width // 16))
    card.set_clip(inner)
    for x in range(inner.left - inner.height, inner.right, max(4, width // 6)):
        for start, stop in ((x, x + inner.height), (x + inner.height, x)):
            pygame.draw.aaline(card, BACK_LINES, (start, inner.top), (stop, inner.bottom))
    card.set_clip(None)
    return card
