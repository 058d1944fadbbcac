"""Any field of any preset can be changed: what is accepted is a game that can be played out."""

from typing import Any, Final

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from canasta_env import Batch, Rules
from canasta_env.rules import RulesError, preset_names

CHOICES: Final[dict[str, list[Any]]] = {
    "wild_relation": ["any", "fewer", "half", "not_more"],
    "most_wilds": [1, 2, 3, 4, 6],
    "fewest_naturals": [2, 3],
    "canasta_size": [4, 5, 6, 7],
    "melds_close": [False, True],
    "black_three": ["block", "freeze"],
    "black_three_melds": ["going_out", "never"],
    "black_three_take": [False, True],
    "frozen_to_unmelded": [False, True],
    "take_natural_wild": [False, True],
    "take_onto": [False, True],
    "pile_taken": [0, 3, 7],
    "upcard": ["cover_wild", "cover_threes_and_wild", "offer", "bury", "as_is"],
    "cut_bonus": [False, True],
    "owed_red_threes": [False, True],
    "red_three_discard": [False, True],
    "natural_group": [False, True],
    "bonus_counts_to_minimum": [False, True],
    "canasta_fewest_naturals": [0, 3, 4, 5],
    "new_meld_most_wilds": [0, 1],
    "always_pair": [False, True],
    "sequences": [False, True],
    "take_into_sequence": [False, True],
    "minimums": [[[None, 50]], [[None, 120]], [[None, 500]]],
    "last_discard": ["optional", "required"],
    "asking": [False, True],
    "canastas_to_go_out": [1, 2, 3],
    "natural_canastas_to_go_out": [0, 1],
    "mixed_canastas_to_go_out": [0, 1],
    "concealed_canasta": ["own", "side"],
    "concealed_waives": ["never", "stock", "always"],
    "concealed_canasta_bonus": [0, 100],
    "stock_end": ["forced", "free", "ends"],
    "discarded_wild_freezes": [False, True],
    "draw": [1, 2, 3],
    "hand": [5, 11, 15],
    "foot": [0, 5, 11],
    "wild_melds": ["none", "from_three", "whole"],
    "next_dealer": ["next_seat", "higher_score"],
    "rounding": ["none", "hundred"],
    "packs": [2, 3],
    "ranks": [2, 6, 11],
    "copies": [2, 3, 4],
    "deuces": [0, 2, 4],
    "jokers": [0, 1, 2],
    "red_threes": [0, 1, 2],
    "black_threes": [0, 1, 2],
}
GAMES: Final = 24
MOST_STEPS: Final = 20_000


@st.composite
def rule_systems(draw: st.DrawFn) -> tuple[Rules, int]:
    """A preset with some fields changed, and a number of players."""
    preset = draw(st.sampled_from(preset_names()))
    fields = draw(st.lists(st.sampled_from(sorted(CHOICES)), max_size=6, unique=True))
    changes = {field: draw(st.sampled_from(CHOICES[field])) for field in fields}
    if changes.get("sequences"):
        changes |= {"asking": False, "black_three_melds": "never", "black_three_take": False}
    try:
        rules = Rules.preset(preset).replace(**changes)
        players = draw(st.sampled_from(rules.players))
        rules.at(players)
    except RulesError:
        assume(False)
    return rules, players


def cards_of(games: Any, canasta_size: int) -> Any:
    """How many cards each game holds, wherever they lie."""
    melded = sum(
        games[name].astype(np.int64).sum((1, 2))
        for name in ("meld_naturals", "meld_deuces", "meld_jokers", "hands", "feet")
    )
    closed = games.closed_melds.astype(np.int64).sum((1, 2)) * canasta_size
    kept = np.arange(games.sequence_length.shape[2]) < games.sequence_count[..., None]
    melded += (games.sequence_length * kept).astype(np.int64).sum((1, 2))
    apart = games.pile_size.astype(np.int64) + games.pending + games.stock_size
    return melded + closed + apart + games.red_threes.sum(1)


@settings(max_examples=80, deadline=None)
@given(rule_systems(), st.integers(0, 2**31))
def test_accepted_rules_are_never_stuck_and_lose_no_card(
    system: tuple[Rules, int], seed: int
) -> None:
    rules, players = system
    try:
        batch = Batch(rules, GAMES, players=players, seed=seed, autoreset="off", observe=False)
    except RulesError:
        assume(False)
    rng = np.random.default_rng(seed)
    deck, size = int(batch.packed[0].cards), int(batch.packed[0].canasta_size)
    for step in range(MOST_STEPS):
        if batch.over.all():
            break
        assert batch.mask[~batch.over].any(1).all(), f"stuck: {rules}"
        batch.step((rng.random(batch.mask.shape) * batch.mask).argmax(1))
        if step % 50 == 0:
            assert (cards_of(batch.games, size) == deck).all()
    assert batch.over.all()
    assert (cards_of(batch.games, size) == deck).all()
    assert (batch.games.hands >= 0).all()
    assert not batch.games.hands[:, :, 2].any()
