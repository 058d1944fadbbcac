"""The entry points for rules with sequences, where suits matter: compiled at their first use."""

from __future__ import annotations

from typing import Final

from canasta_env import entries
from canasta_env.engine.state import SUITED_GAME_DTYPE, SUITED_RULES_DTYPE, SUITED_VIEW_DTYPE
from canasta_env.entries import SETTINGS_DTYPE, SLOT_DTYPE
from canasta_env.jit import kernel
from canasta_env.signatures import Signatures

_TYPES: Final = Signatures(
    SUITED_GAME_DTYPE, SUITED_VIEW_DTYPE, SUITED_RULES_DTYPE, SLOT_DTYPE, SETTINGS_DTYPE
)

play_games = kernel(_TYPES.play_games, home=__name__)(entries.play_games)
reset_games = kernel(_TYPES.reset_games, home=__name__)(entries.reset_games)
deal_game = kernel(_TYPES.deal_game, home=__name__)(entries.deal_game)
make_deck = kernel(_TYPES.make_deck, home=__name__)(entries.make_deck)
view_game = kernel(_TYPES.view_game, home=__name__)(entries.view_game)
derive_game = kernel(_TYPES.derive_game, home=__name__)(entries.derive_game)
encode_view = kernel(_TYPES.encode_view, home=__name__)(entries.encode_view)
score_sheet = kernel(_TYPES.score_sheet, home=__name__)(entries.score_sheet)
following_dealer = kernel(_TYPES.following_dealer, home=__name__)(entries.following_dealer)
opening_dealer = kernel(_TYPES.opening_dealer, home=__name__)(entries.opening_dealer)
determinize_game = kernel(_TYPES.determinize_game, home=__name__)(entries.determinize_game)
first_illegal = kernel(_TYPES.first_illegal, home=__name__)(entries.first_illegal)
