"""The table of parameters of rules.md as plain data; field names are this package's own."""

from dataclasses import dataclass, fields
from typing import Any

Bands = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Rules:
    """One column of the table for one number of players."""

    name: str
    players: int
    sides: int
    packs: int = 2
    # of one pack: natural ranks from 4 upward, cards of each, and the others
    ranks: int = 11
    copies: int = 4
    deuces: int = 4
    jokers: int = 2
    red_threes: int = 2
    black_threes: int = 2
    hand: int = 11
    foot: int = 0
    draw: int = 1
    target: int = 5000
    deals: int = 0  # the match is exactly so many deals
    canasta: int = 7  # cards of one
    rounded: bool = False
    dealer: str = "next"  # or "winner": the side with the higher deal score
    # row "upcard": classic, until_natural, offer, bottom, as_is
    upcard: str = "classic"
    start_freezers: tuple[str, ...] = ("2", "JK", "3r")
    wild_freezes: bool = True
    black_three_freezes: bool = False
    discard_red_three: bool = False
    frozen_unmelded: bool = True
    pair_only: bool = False
    take_with_wild: bool = True
    take_onto_meld: bool = True
    take_into_run: bool = False
    taken: int = 0  # cards taken from the top; 0 is all
    max_wilds: int = 3
    wilds: str = "any"  # any, fewer, half, not_more
    closes_at: int = 0
    wild_melds: str = "no"  # no, grow, whole
    runs: bool = False
    meld_black_threes: bool = True  # melded three or four, without wilds, only in going out
    take_black_three: bool = False
    bands: Bands = ((-(10**9), 15), (0, 50), (1500, 90), (3000, 120))
    by_deal: tuple[int, ...] = ()
    bonus_counts: bool = False
    triple_needed: bool = False
    canastas: int = 1
    natural_canastas: int = 0
    mixed_canastas: int = 0
    asking: bool = True
    out_bonus: int = 100
    concealed_bonus: int = 100
    concealed_own: bool = True
    concealed_side_new: bool = False  # hungarian: the side had not melded before this turn
    waives: str = "stock"  # stock, never, always
    natural_bonus: int = 500
    mixed_bonus: int = 300
    wild_bonus: int = 0
    four_jokers_bonus: int = 0
    concealed_canasta_bonus: int = 0
    red_three: int = 100  # each
    red_each_only: bool = False
    red_for_unmelded: bool = False
    canasta_or_all_against: bool = False
    black_three_in_hand: int = 5
    empty_stock: str = "forced"  # forced, free, ends
    cut: bool = False

    @property
    def suited(self) -> bool:
        """Suits matter only where there are sequences."""
        return self.runs


# A value {players: ...} is chosen by the number of players; None is every other number.
CLASSIC: dict[str, Any] = {
    "seats": (2, 3, 4, 6),
    "packs": {6: 3, None: 2},
    "hand": {2: 15, 3: 13, 4: 11, 6: 13},
    "draw": {2: 2, None: 1},
    "target": {3: 7500, 6: 10000, None: 5000},
    "canastas": {2: 2, 6: 2, None: 1},
    "bands": {
        6: ((-(10**9), 15), (0, 50), (1500, 90), (3000, 120), (7500, 150)),
        None: ((-(10**9), 15), (0, 50), (1500, 90), (3000, 120)),
    },
}

PRESETS: dict[str, dict[str, Any]] = {
    "classic": {},
    "russian": {
        "seats": (4,),
        "rounded": True,
        "dealer": "winner",
        "upcard": "until_natural",
        "start_freezers": ("2", "JK", "3r", "3b"),
        "black_three_freezes": True,
        "frozen_unmelded": False,
        "canastas": 1,
        "concealed_own": False,
        "waives": "never",
        "red_for_unmelded": True,
        "empty_stock": "free",
    },
    "czech": {
        "seats": (2, 3, 4, 5, 6),
        "packs": 2,
        "hand": {2: 15, 3: 15, 4: 13, 5: 13, 6: 13},
        "draw": 1,
        "target": 10000,
        "upcard": "offer",
        "discard_red_three": True,
        "take_into_run": True,
        "wild_melds": "grow",
        "runs": True,
        "meld_black_threes": False,
        "bands": ((-(10**9), 15), (0, 50), (1500, 90), (2500, 120), (5000, 150)),
        "bonus_counts": True,
        "triple_needed": True,
        "canastas": 1,
        "asking": False,
        "out_bonus": 200,
        "concealed_bonus": 0,
        "waives": "never",
        "natural_bonus": 600,
        "wild_bonus": 1000,
        "four_jokers_bonus": 2000,
        "red_each_only": True,
        "canasta_or_all_against": True,
        "black_three_in_hand": 100,
        "cut": True,
    },
    "standard": {
        "seats": (2, 3, 4),
        "hand": {2: 15, 3: 13, 4: 11},
        "draw": {2: 2, 3: 2, None: 1},
        "take_onto_meld": False,
        "wilds": "fewer",
        "canastas": {2: 2, None: 1},
        "concealed_own": False,
    },
    "hand_and_foot": {
        "seats": (2, 3, 4),
        "packs": {2: 3, 3: 4, 4: 5},
        "hand": 13,
        "foot": 13,
        "draw": 2,
        "target": 0,
        "deals": 4,
        "upcard": "bottom",
        "start_freezers": (),
        "wild_freezes": False,
        "pair_only": True,
        "take_with_wild": False,
        "take_onto_meld": False,
        "taken": 7,
        "max_wilds": 2,
        "wilds": "half",
        "closes_at": 7,
        "meld_black_threes": False,
        "by_deal": (50, 90, 120, 150),
        "canastas": 0,
        "natural_canastas": 2,
        "mixed_canastas": 2,
        "concealed_bonus": 0,
        "concealed_own": False,
        "waives": "never",
        "red_each_only": True,
        "empty_stock": "free",
    },
    "latvian": {
        "upcard": "until_natural",
        "start_freezers": ("2", "JK"),
        "wilds": "not_more",
        "concealed_canasta_bonus": 100,
    },
    "hungarian": {
        "seats": (2, 4),
        "hand": {2: 15, 4: 11},
        "draw": 1,
        "upcard": "as_is",
        "frozen_unmelded": False,
        "wilds": "not_more",
        "wild_melds": "whole",
        "take_black_three": True,
        "canastas": {2: 2, None: 1},
        "out_bonus": 0,
        "concealed_bonus": 200,
        "concealed_side_new": True,
        "waives": "always",
        "wild_bonus": 2000,
        "four_jokers_bonus": 2000,
        "black_three_in_hand": 100,
        "empty_stock": "ends",
    },
    "mini": {
        "seats": (2, 4),
        "packs": 2,
        "ranks": 6,
        "copies": 3,
        "deuces": 2,
        "jokers": 1,
        "red_threes": 1,
        "black_threes": 1,
        "hand": {2: 8, 4: 6},
        "draw": 1,
        "target": 1000,
        "max_wilds": 2,
        "canasta": 4,
        "bands": ((-(10**9), 15), (0, 25), (300, 35), (600, 45)),
        "canastas": 1,
        "out_bonus": 50,
        "concealed_bonus": 50,
        "natural_bonus": 200,
        "mixed_bonus": 100,
        "red_three": 50,
        "red_each_only": True,
    },
    "tiny": {
        "seats": (2,),
        "packs": 1,
        "ranks": 2,
        "deuces": 2,
        "jokers": 0,
        "red_threes": 0,
        "black_threes": 0,
        "hand": 3,
        "draw": 1,
        "target": 0,
        "deals": 1,
        "frozen_unmelded": False,
        "canasta": 4,
        "bands": ((-(10**9), 15),),
        "canastas": 1,
        "asking": False,
        "out_bonus": 10,
        "concealed_bonus": 0,
        "natural_bonus": 30,
        "mixed_bonus": 20,
    },
}

TEXT_FIELDS = {"sides", "target", "cut_bonus", "preset"}


def sides_of(name: str, players: int) -> int:
    """rules.md, before the table: pairs crosswise with 4; alone with 2, 3, 5; 6 by preset."""
    if players == 4:
        return 2
    if players == 6:
        return 3 if name == "czech" else 2
    return players


def seats_of(name: str) -> tuple[int, ...]:
    return tuple({**CLASSIC, **PRESETS[name]}["seats"])


def rules_for(name: str, players: int, changes: dict[str, Any] | None = None) -> Rules:
    """The rules of a preset for so many players, with the few changes that positions use."""
    if name not in PRESETS:
        raise ValueError(f"no such rules: {name}")
    if players not in seats_of(name):
        raise ValueError(f"{name} is not played by {players}")
    row = {**CLASSIC, **PRESETS[name]}
    changes = changes or {}
    known = {field.name for field in fields(Rules)}
    values = {key: choose(value, players) for key, value in row.items() if key in known}
    values["sides"] = sides_of(name, players)
    for key, value in changes.items():
        if key not in TEXT_FIELDS:
            raise ValueError(f"the reference does not know the change {key}")
        if key != "preset":
            values["cut" if key == "cut_bonus" else key] = value
    three_pairs = players == 6 and values["sides"] == 3 and name != "czech"
    if three_pairs and "target" not in changes:
        values["target"] = 7500
    return Rules(name=name, players=players, **values)


def choose(value: Any, players: int) -> Any:
    if isinstance(value, dict):
        return value[players] if players in value else value[None]
    return value


def minimum(rules: Rules, score: int, deal: int) -> int:
    """Row "first meld, by score" (by the number of the deal in hand_and_foot)."""
    if rules.by_deal:
        return rules.by_deal[min(deal, len(rules.by_deal)) - 1]
    return max(needed for floor, needed in rules.bands if score >= floor)
