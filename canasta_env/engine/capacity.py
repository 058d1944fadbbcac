"""How many cards the melds of a rank can take, under every relation of wild cards to naturals."""

from __future__ import annotations

from typing import Any

from canasta_env.engine.scratch import NATURALS, WILDS
from canasta_env.engine.state import WILD_RANK
from canasta_env.jit import helper, inlined


@helper
def wilds_alone(s: Any, r: Any, wilds: int) -> int:
    """The most wild cards of the hand that a meld of wild cards can take."""
    lying = s[WILDS, WILD_RANK]
    if r.wild_melds == 0 or (r.wild_melds == 2 and (lying > 0 or wilds < r.canasta_size)):
        return 0
    if lying == 0 and wilds < 3:
        return 0
    return int(max(0, min(wilds, r.canasta_size - lying)))


@helper
def lays_alone(s: Any, r: Any, extra: int) -> bool:
    """May exactly ``extra`` wild cards join the side's meld of wild cards, or be a new one?"""
    if extra == 0:
        return True
    lying = s[WILDS, WILD_RANK]
    if r.wild_melds == 2:
        return bool(lying == 0 and extra == r.canasta_size)
    return bool(r.wild_melds == 1 and 3 <= lying + extra <= r.canasta_size)


@helper
def may_hold(r: Any, naturals: int, wilds: int) -> bool:
    """Is a meld of so many naturals and wild cards no canasta with too few naturals (rules.md,
    table: wilds against naturals)? The wild cards alone are judged by ``wild_capacity``."""
    return bool(naturals >= r.canasta_fewest_naturals or naturals + wilds < r.canasta_size)


@inlined
def fits(s: Any, r: Any, rank: int, naturals: int, extra: int) -> bool:
    """Can the melds of ``rank`` hold ``naturals`` in all and ``extra`` more wild cards?"""
    lying = s[WILDS, rank]
    wilds = lying + extra
    size = naturals + wilds
    if size == 0:
        return True
    if not r.melds_close or size <= r.canasta_size:
        if naturals < r.fewest_naturals or size < 3 or wilds > r.wild_capacity[naturals]:
            return False
        if size >= r.canasta_size and naturals < r.canasta_fewest_naturals:
            return False
        return bool(r.free_growth or s[NATURALS, rank] == 0 or grows_freely(s, r, rank, naturals))
    # the lying meld is filled first, and then closed: what it has is not shared out again
    room = int(r.canasta_size) - s[NATURALS, rank] - lying
    joining = joining_wilds(r, room, lying, extra)
    rest = size % r.canasta_size
    if room - joining > naturals - s[NATURALS, rank] or 0 < rest < 3:
        return False
    full = size // r.canasta_size - 1
    most = full * most_wilds_in(r, r.canasta_size) + most_wilds_in(r, rest)
    return bool(extra - joining <= most)


@helper
def joining_wilds(r: Any, room: int, lying: int, extra: int) -> int:
    """How many of ``extra`` wild cards can join a meld that has ``lying`` ones and ``room`` for
    more cards until it closes."""
    return max(0, min(extra, room, most_wilds_in(r, int(r.canasta_size)) - lying))


@helper
def grows_freely(s: Any, r: Any, rank: int, naturals: int) -> bool:
    """Can the lying meld get ``naturals`` one by one without being a canasta with too few of them?

    Naturals go first, so it is the wild cards that lie already that can stand in the way.
    """
    few = min(naturals, int(r.canasta_fewest_naturals) - 1)
    return bool(few <= s[NATURALS, rank] or few + s[WILDS, rank] < r.canasta_size)


@helper
def most_wilds_in(r: Any, size: int) -> int:
    """The most wild cards in a meld of so many cards."""
    most = 0
    for wilds in range(1, size - int(r.fewest_naturals) + 1):
        if wilds <= r.wild_capacity[size - wilds]:
            most = wilds
    return most


@helper
def mixed_range(s: Any, r: Any, rank: int, naturals: int, extra: int) -> tuple[int, int, int]:
    """Canastas of a rank once so many cards lie: in all, and the fewest and most that are mixed."""
    wilds = s[WILDS, rank] + extra
    size = naturals + wilds
    if not r.melds_close or size <= r.canasta_size:
        mixed = 1 if wilds > 0 else 0
        return (1, mixed, mixed) if size >= r.canasta_size else (0, 0, 0)
    lying = s[WILDS, rank]
    room = int(r.canasta_size) - s[NATURALS, rank] - lying
    most = joining_wilds(r, room, lying, extra)
    least = max(0, room - naturals + s[NATURALS, rank])
    others = size // r.canasta_size - 1
    each = max(1, most_wilds_in(r, r.canasta_size))
    spare = max(0, extra - most_wilds_in(r, size % r.canasta_size))  # for whole melds
    fewest = 1 + (max(0, spare - most) + each - 1) // each
    if lying + least == 0 and spare <= others * each:  # the lying meld can stay natural
        fewest = min(fewest, (spare + each - 1) // each)
    if lying + most == 0:
        return others + 1, fewest, min(others, extra)
    begun = least if lying > 0 else max(1, least)
    return others + 1, fewest, 1 + min(others, extra - begun)
