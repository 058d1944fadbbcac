"""The group of relabellings: derived from the rules, a group, and as large as it can be."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest

from canasta_env import Batch, Rules
from canasta_env.actions import ActionTable
from canasta_env.engine.state import RULES_DTYPE, SUITED_RULES_DTYPE
from canasta_env.observation import observation_size
from canasta_env.rules import RulesError, preset_names
from canasta_env.symmetry import Relabelling, Symmetries, symmetries

FIVES = (4, 5, 6, 7)
TENS = (8, 9, 10, 11, 12, 13)
ORDERS = {"mini": 48, "tiny": 2, "czech": 24}
"""Of the presets that have not all of classic's 4! · 6! relabellings."""
CASES = [("classic", 4), ("mini", 2), ("tiny", 2), ("czech", 4), ("hand_and_foot", 3)]


def rows_of(found: Relabelling) -> set[bytes]:
    return {a.tobytes() + b.tobytes() for a, b in zip(found.ranks, found.suits, strict=True)}


@pytest.mark.parametrize("name", preset_names())
def test_orders_by_hand(name: str) -> None:
    for players in Rules.preset(name).players:
        assert symmetries(name, players).order == ORDERS.get(name, 24 * 720)


def test_orbits_by_hand() -> None:
    assert symmetries("classic", 4).orbits == (FIVES, TENS, (14,))
    assert symmetries("classic", 4).suit_orbits == ()
    assert symmetries("mini", 4).orbits == (FIVES, (8, 9))
    assert symmetries("tiny", 2).orbits == ((4, 5),)
    czech = symmetries("czech", 4)
    assert {len(orbit) for orbit in czech.orbits} == {1}  # a sequence tells ranks apart
    assert czech.suit_orbits == ((0, 1, 2, 3),)


def test_changed_rules_have_their_own_group() -> None:
    """Where suits begin to matter, ranks can no longer change places, and suits can."""
    changed = "sequences=True, asking=False, black_three_melds=never, black_three_take=False"
    assert symmetries(f"classic({changed})", 4).order == 24
    assert symmetries("classic(ranks=6)", 4).order == 48
    assert symmetries("classic(natural_group=True, target=3000)", 4).order == 24 * 720


def test_there_are_none_for_a_table_that_the_rules_do_not_have() -> None:
    with pytest.raises(RulesError, match="tiny"):
        symmetries("tiny", 4)


def test_written_as_cycles() -> None:
    group = symmetries("classic", 4)
    change = group.exchange("4", "5").after(group.exchange("10", "Q"))
    assert str(change) == "(4 5)(10 Q)"
    assert str(group.identity()) == "()"
    assert str(symmetries("czech", 4).exchange("c", "s")) == "(c s)"
    with pytest.raises(ValueError, match="'c' and 'Q'"):
        group.exchange("c", "Q")


def test_as_many_relabellings_as_rows() -> None:
    group = symmetries("mini", 2)
    change = group.sample(np.random.default_rng(0), 3)
    for act in (group.decks, group.masks, group.observations, group.action_ids):
        with pytest.raises(ValueError, match=r"3 relabellings for an array of shape \(2,"):
            act(change, np.zeros((2, 400), np.uint8))
    with pytest.raises(ValueError, match="'take into 4c 5c 6c' becomes no action of czech"):
        czech = symmetries("czech", 4)
        czech.actions(czech.exchange("4", "5"))


# -- a group ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "players"), CASES)
def test_group_laws(name: str, players: int) -> None:
    group, rng = symmetries(name, players), np.random.default_rng(1)
    a, b, c = (group.sample(rng, 20) for _ in range(3))
    one = group.identity(20)
    assert a.after(b).after(c) == a.after(b.after(c))
    assert a.after(one) == one.after(a) == a
    assert a.after(a.inverse()) == a.inverse().after(a) == one
    assert all(a.after(b)[i] in group for i in range(20))


@pytest.mark.parametrize(("name", "players"), CASES)
def test_one_after_the_other_acts_as_both(name: str, players: int) -> None:
    group, rng = symmetries(name, players), np.random.default_rng(2)
    a, b = group.sample(rng, 12), group.sample(rng, 12)
    size, actions = observation_size(group.rules, players), len(ActionTable(group.rules))
    seen = rng.integers(0, 200, (12, size), dtype=np.uint8)
    masks = rng.random((12, actions)) < 0.5
    ids = rng.integers(0, actions, 12)
    for act, what in (
        (group.observations, seen),
        (group.masks, masks),
        (group.action_ids, ids),
        (group.decks, rng.integers(0, 15, (12, 30), dtype=np.uint8)),
    ):
        np.testing.assert_array_equal(act(a, act(b, what)), act(a.after(b), what))
        np.testing.assert_array_equal(act(a.inverse(), act(a, what)), what)
        assert act(a, what).dtype == what.dtype
        np.testing.assert_array_equal(act(a, what)[3], act(a[3], what[3]))  # a row is its own
    rows = np.arange(12)
    assert (masks[rows, ids] == group.masks(a, masks)[rows, group.action_ids(a, ids)]).all()


@pytest.mark.parametrize(("name", "players"), [("mini", 2), ("tiny", 2), ("czech", 4)])
def test_elements_are_all_there_are_and_generators_reach_them(name: str, players: int) -> None:
    group = symmetries(name, players)
    found = group.elements()
    assert len(found) == group.order == len(rows_of(found))
    assert found[0] == group.identity()
    reached, edge = {group.identity()}, [group.identity()]
    while edge:
        edge = [step.after(old) for old in edge for step in group.generators()]
        edge = list(set(edge) - reached)
        reached |= set(edge)
    assert reached == {found[i] for i in range(group.order)}


def test_drawn_uniformly() -> None:
    """All 48 of mini, within what chance allows: chi squared of 47 degrees, its 99.9 % point."""
    found = symmetries("mini", 2).sample(np.random.default_rng(0), 48 * 200)
    _, counts = np.unique(found.ranks, axis=0, return_counts=True)
    assert len(counts) == 48
    assert ((counts - 200) ** 2 / 200).sum() < 82.7


# -- as large as it can be -------------------------------------------------------------------------


def all_of_mini(group: Symmetries) -> Relabelling:
    """All 720 relabellings of mini's six ranks, whether symmetries or not."""
    found = group.identity(720)
    found.ranks[:, 4:10] = list(permutations(range(4, 10)))
    return found


def test_what_is_not_in_the_group_changes_the_packed_rules() -> None:
    mini = symmetries("mini", 4)
    found = all_of_mini(mini)
    assert sum(found[i] in mini for i in range(720)) == 48
    assert all((found[i] in mini) == mini.keeps(found[i]) for i in range(720))
    classic, rng = symmetries("classic", 4), np.random.default_rng(3)
    names = [*map(str, range(4, 11)), *"JQKA"]
    for one, other in combinations(names, 2):
        change = classic.exchange(one, other)
        assert (change in classic) == classic.keeps(change)
        assert not symmetries("czech", 4).keeps(change)
    for _ in range(30):
        change = classic.identity()
        change.ranks[4:] = rng.permutation(change.ranks[4:])
        assert (change in classic) == classic.keeps(change)


def test_suits_stay_together_in_all_ranks() -> None:
    """Suits exchanged in one rank alone tear sequences apart."""
    czech = symmetries("czech", 4)
    kinds = np.arange(48)
    kinds[[4, 5]] = 5, 4  # 4c and 4d
    assert (czech.names.find(kinds, np.arange(15)) < 0).any()


def test_what_is_not_in_the_group_changes_play() -> None:
    """Each of mini's 720 relabellings, on deals of its own: those of the group change nothing, and
    after each other one something else is legal or the scores are others."""
    group = symmetries("mini", 2)
    found = all_of_mini(group)
    left = np.arange(720)  # those that nothing has told from a symmetry yet
    for seed in range(6):
        left = left[~breaks_play(group, found[left], seed)]
    assert left.tolist() == [i for i in range(720) if found[i] in group]


def breaks_play(group: Symmetries, change: Relabelling, seed: int) -> Any:
    """Where relabelled deals, played with relabelled actions, show that they are other deals."""
    n, rng = len(change), np.random.default_rng(seed)
    one, other = (
        Batch(group.rules, n, players=2, autoreset="off", observe=False) for _ in range(2)
    )
    decks = np.repeat(np.arange(15, dtype=np.uint8), one.packed[0].counts)
    decks = rng.permuted(np.tile(decks, (n, 1)), axis=1)
    for batch, dealt in ((one, decks), (other, group.decks(change, decks))):
        batch.start_deal(np.arange(n), dealt, np.zeros(n, np.int64))
    targets, rows, broken = group.actions(change), np.arange(n), np.zeros(n, bool)
    while not one.over.all():
        broken |= (group.masks(change, one.mask) != other.mask).any(1)
        actions = (rng.random(one.mask.shape) * one.mask).argmax(1)
        one.step(actions)
        other.step(np.where(broken, other.mask.argmax(1), targets[rows, actions]))
    return broken | (one.deal_scores != other.deal_scores).any(1)


def test_seven_and_eight_are_not_alike() -> None:
    """By hand: three eights reach the minimum of mini's second band, three sevens do not."""
    group = symmetries("mini", 2)
    batch = Batch("mini", 1, players=2, autoreset="off", observe=False)
    hand = np.array([7, 7, 7, 7, 4, 5, 6, 9], np.uint8)
    assert can_meld(batch, hand, "7") is False
    assert can_meld(batch, group.decks(group.exchange("7", "8"), hand), "8") is True
    assert can_meld(batch, group.decks(group.exchange("7", "4"), hand), "4") is False


def can_meld(batch: Any, hand: Any, rank: str) -> bool:
    """May seat 1, who holds ``hand`` and needs 35 points, meld three of a rank after its draw?"""
    counts = np.array(batch.packed[0].counts)
    rest = np.repeat(np.arange(15, dtype=np.uint8), counts - np.bincount(hand, minlength=15))
    rest = rest[rest != 2]  # the red threes at the end, so that nothing is replaced
    rest = np.concatenate([rest[rest > 3], rest[rest <= 3], [2, 2]]).astype(np.uint8)
    dealt = np.stack([hand, rest[:8]], axis=1).ravel()  # card by card, from the dealer's left
    deck = np.concatenate([dealt, rest[8:]])[None]
    batch.start_deal([0], deck, [0], np.array([[0, 300]], np.int32))
    batch.step([batch.table.id("draw")])
    return bool(batch.mask[0, batch.table.id(f"meld {rank} {rank} {rank}")])


@pytest.mark.parametrize("dtype", [RULES_DTYPE, SUITED_RULES_DTYPE])
def test_no_other_field_of_the_packed_rules_goes_by_card(dtype: Any) -> None:
    """What :meth:`Symmetries.keeps` compares is all that there is: a row of 15 or 48 numbers."""
    by_card = {name for name in dtype.names if {15, 11, 48, 44} & set(dtype[name].shape)}
    assert by_card == {"counts", "values"}
