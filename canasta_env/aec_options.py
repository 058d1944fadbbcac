"""The options of a reset: a deck, a dealer, scores, or a position to go on from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from canasta_env.batch import Stock
from canasta_env.game import Game
from canasta_env.rules import Rules

__all__ = ["read_options", "start_from"]

_KNOWN: Final = ("deck", "dealer", "scores", "position")
_UNHEEDED: Final = "options"  # what PettingZoo's api_test passes to every environment


def read_options(options: Mapping[str, Any] | None) -> dict[str, Any]:
    """The options that are given.

    Raises:
        ValueError: one is unknown, or a position is not alone.
    """
    chosen = {name: value for name, value in (options or {}).items() if name != _UNHEEDED}
    for name in chosen:
        if name not in _KNOWN:
            raise ValueError(f"options: {name!r} is not known; possible are {', '.join(_KNOWN)}")
    chosen = {name: value for name, value in chosen.items() if value is not None}
    if "position" in chosen and len(chosen) > 1:
        raise ValueError("options: a position is whole; no deck, dealer or scores go with it")
    return chosen


def start_from(
    games: Any,
    make_deck: Callable[[int, int], npt.NDArray[np.uint8]],
    chosen: dict[str, Any],
    rules: Rules,
    players: int,
    stock: Stock,
) -> list[int]:
    """Replace the deal that an episode has begun with by what the options say.

    Args:
        games: the record array (1,) of the game.
        make_deck: gives the deck, kinds in the order of dealing, for a match seed and a deal.
        chosen: the options.
        rules, players, stock: those of the game.

    Returns the deck, first card first; empty for a position.

    Raises:
        ValueError: what they say is not possible; the message names it.
    """
    record = games.view(np.recarray)[0]
    seed, deal = int(record.match_seed), int(record.deal)
    if "position" in chosen:
        game = _position(chosen["position"], rules, players)
        deal = game.deal
        if "match_seed" in chosen["position"]:
            seed = int(game.record.match_seed)
    else:
        scores = record.scores[: rules.sides_of(players)].tolist()
        game = Game(
            rules,
            players=players,
            seed=seed,
            deck=chosen.get("deck", make_deck(seed, deal).tolist()),
            dealer=chosen.get("dealer"),
            scores=chosen.get("scores", scores),
            stock=stock,
        )
    games[0] = game.record
    record.match_seed, record.deal = seed, deal
    deck: list[int] = game.deck.tolist()
    return deck


def _position(position: Mapping[str, Any], rules: Rules, players: int) -> Game:
    game = Game.from_position(position)
    if game.rules != rules or game.players != players:
        raise ValueError(
            f"position: it is one of {game.rules} with {game.players} players; this environment "
            f"plays {rules} with {players}"
        )
    if game.over:
        raise ValueError("position: its deal is over; an episode starts before the end")
    return game


def fresh_seed() -> int:
    """A seed from the system's entropy, 0 <= seed < 2**63."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> 1)
