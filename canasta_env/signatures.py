"""The types of the entry points' arguments, for each layout of the records."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from canasta_env.jit import records

__all__ = ["Signatures"]

_INT = types.int64
_INTS = types.int64[:, ::1]
_BOOL = types.boolean
_BYTES = types.uint8[::1]
_ROWS = types.uint8[:, ::1]
_MASKS = types.boolean[:, ::1]


class Signatures:
    """The signature of each entry point, by its name."""

    def __init__(
        self,
        game: np.dtype[np.void],
        view: np.dtype[np.void],
        rules: np.dtype[np.void],
        slot: np.dtype[np.void],
        settings: np.dtype[np.void],
    ) -> None:
        games, views, packed = records(game), records(view), records(rules)
        slots, options = records(slot), records(settings)
        self.play_games: Any = types.void(
            games,
            _ROWS,
            slots,
            packed,
            options,
            views,
            _ROWS,
            _INTS,
            _BYTES,
            _INT,
            _INT,
            _ROWS,
            _MASKS,
        )
        self.reset_games: Any = types.void(games, slots, packed, options, _BYTES, _INT, _INT)
        self.deal_game: Any = types.void(games, _INT, packed, _BYTES, _INT, _BOOL)
        self.make_deck: Any = types.void(packed, _INT, _INT, _BYTES)
        self.view_game: Any = types.void(
            games, _ROWS, _INT, packed, _INT, _BOOL, views, _ROWS, _INT
        )
        self.derive_game: Any = types.void(games, _INT, packed)
        self.encode_view: Any = types.void(views, _INT, packed, _BYTES)
        self.score_sheet: Any = types.void(games, _INT, packed, _INTS)
        self.following_dealer: Any = _INT(games, _INT, packed)
        self.opening_dealer: Any = _INT(packed, _INT)
        self.determinize_game: Any = _BOOL(games, _INT, packed, _INT, _INT, _INTS)
        self.first_illegal: Any = _INT(_MASKS, slots, _INT, _INT)
