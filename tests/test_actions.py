"""Actions, their texts and their numbers; the rules as the kernels read them."""

from __future__ import annotations

import pickle
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canasta_env.actions import Action, ActionError, ActionTable, Family
from canasta_env.engine.state import FAMILIES, MAX_CARDS
from canasta_env.rules import Rules, RulesError, preset_names

TABLES = [ActionTable(Rules.preset(name)) for name in preset_names()]
CLASSIC, CZECH = TABLES[0], ActionTable(Rules.preset("czech"))
HUNGARIAN = ActionTable(Rules.preset("hungarian"))


@pytest.mark.parametrize("table", TABLES, ids=repr)
def test_text_and_number_are_inverse(table: ActionTable) -> None:
    assert len(set(table.texts)) == len(table) == len(table.actions)
    for number, action in enumerate(table):
        assert Action.parse(str(action)) == action
        assert eval(repr(action), {"Action": Action}) == action
        assert table.id(action) == table.id(str(action)) == table.id(number) == number
        assert table.text(number) == str(action)


@pytest.mark.parametrize("table", TABLES, ids=repr)
def test_families_stand_together_in_their_order(table: ActionTable) -> None:
    families = [action.family for action in table]
    order = list(Family)
    assert all(order.index(a) <= order.index(b) for a, b in pairwise(families))
    assert table.offsets == {str(f): families.index(f) for f in families}
    assert len(table) < (1400 if table.rules.sequences else 512)


def test_the_table_of_classic() -> None:
    assert len(CLASSIC) == 122
    assert CLASSIC.texts[:4] == ("draw", "pass", "take", "take 4 4")
    assert CLASSIC.texts[-14:-10] == ("discard JK", "discard 2", "discard 3b", "discard 4")
    assert CLASSIC.text(CLASSIC.offsets["meld_joker"]) == "meld 4 4 JK"
    assert CLASSIC.hash == ActionTable(Rules.preset("latvian")).hash != CZECH.hash
    assert len(CLASSIC.hash) == 64


def test_wild_melds_by_the_rules() -> None:
    laid_whole = [text for text in HUNGARIAN.texts if text.startswith("meld 2 2 2")]
    assert laid_whole[0] == "meld 2 2 2 2 2 2 2"
    assert laid_whole[-1] == "meld 2 2 2 JK JK JK JK"
    assert "add 2 to wild" not in HUNGARIAN.texts
    assert {"meld 2 2 2", "meld 2 2 JK", "meld 2 JK JK", "meld JK JK JK"} <= set(CZECH.texts)
    assert not any(text.startswith("meld 2 2") for text in CLASSIC.texts)


def test_the_suited_table() -> None:
    assert len(CZECH) == 1320
    for text in ("take into 2 7h 8h", "extend 10h with 2", "meld 10c 10d 10h", "discard 3r",
                 "take Kc Ks", "add 2 to 10", "meld Ad Ah 2", "accept"):  # fmt: skip
        assert text in CZECH.texts
    for text in ("meld Kc Kc Kc", "extend 6h", "ask", "meld 3b 3b 3b", "add K"):
        assert text not in CZECH.texts
    assert "meld Kc Kc Kc" in ActionTable(
        Rules.parse("czech(packs=3, red_three_values=(0, 1, 2, 3, 4, 5, 6))")
    ).texts  # fmt: skip


@pytest.mark.parametrize(
    ("given_text", "canonical"),
    [
        ("meld JK K K", "meld K K JK"),
        ("take 2 K", "take K 2"),
        (" meld  K K   K ", "meld K K K"),
        ("meld 2 9d 9c", "meld 9c 9d 2"),
        ("meld 10h 10c 10d", "meld 10c 10d 10h"),
        ("meld 9h 8h 7h", "meld 7h 8h 9h"),
        ("meld JK 2 2", "meld 2 2 JK"),
        ("take into 9h 7h 8h", "take into 7h 8h 9h"),
        ("take into 8h JK 10h", "take into 8h JK 10h"),
        ("take Ks Kc", "take Kc Ks"),
    ],
)
def test_cards_come_into_the_order_of_the_notation(given_text: str, canonical: str) -> None:
    assert str(Action.parse(given_text)) == canonical


@given(table=st.sampled_from(TABLES), data=st.data())
def test_any_order_of_a_set_reads_as_the_same_action(
    table: ActionTable, data: st.DataObject
) -> None:
    sets = [a for a in table if a.family in (Family.MELD, Family.MELD_JOKER, Family.TAKE_DEUCE)]
    action = data.draw(st.sampled_from(sets))
    verb = str(action).split()[0]
    cards = data.draw(st.permutations(action.cards))
    assert Action.parse(" ".join([verb, *cards])) == action


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not an action: .* actions are draw, pass"),
        ("mel K K K", "'mel K K K' is not an action: .* did you mean meld K K K?"),
        ("take K", "forms of take are take, take K K"),
        ("discard 1", "'1' is not a card"),
        ("meld K K", "a new meld is three cards, two of them natural"),
        ("meld K 2 2", "two of them natural"),
        ("meld K K Q", "not a sequence of one suit"),
        ("meld Kc Kd K", "not a sequence of one suit"),
        ("meld 7h 9h 8d", "not a sequence of one suit"),
        ("meld 2 4h 5h", "a sequence lies between 4 and A"),
        ("meld Kh Ah 2", "a sequence lies between 4 and A"),
        ("add JK", "where JK goes is not said"),
        ("add K to Q", "'K' is not a wild card"),
        ("add 2 to Kc", "'Kc' is neither a rank"),
        ("extend 10", "'10' is not a place in a sequence"),
        ("take 3b 2", "the pile is taken with a pair"),
        ("take 5 6", "the pile is taken with a pair"),
    ],
)
def test_texts_that_are_no_action(text: str, message: str) -> None:
    with pytest.raises(ActionError, match=message):
        Action.parse(text)


@given(st.text(alphabet="adelmotk 2345JKQA3brchs", max_size=24))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        action = Action.parse(text)
    except ActionError:
        return
    assert Action.parse(str(action)) == action


def test_the_table_names_what_was_given_and_what_is_near() -> None:
    with pytest.raises(
        ActionError, match=r"'discard 3r' is not an action of classic; closest: dis"
    ):
        CLASSIC.id("discard 3r")
    with pytest.raises(ActionError, match=r"'take k k' .* 'k' is not a card.*closest: take . ."):
        CLASSIC.id("take k k")
    with pytest.raises(ActionError, match="122 is not an action; ids are 0 to 121"):
        CLASSIC.id(122)
    with pytest.raises(ActionError):
        CLASSIC.text(-1)


def test_tables_of_equal_rules_are_equal() -> None:
    again = ActionTable(Rules.parse("classic"))
    assert again == CLASSIC and hash(again) == hash(CLASSIC) and again.texts is CLASSIC.texts
    assert pickle.loads(pickle.dumps(CLASSIC)) == CLASSIC
    assert CLASSIC[0] == Action(Family.DRAW)


@pytest.mark.parametrize("table", TABLES, ids=repr)
def test_the_packed_rules(table: ActionTable) -> None:
    for players in table.rules.players:
        packed = table.pack(players)
        record, rules = packed[0], table.rules.at(players)
        assert packed.shape == (1,) and record.players == players and record.sides == rules.sides
        assert record.hand == rules.hand and record.asking == rules.asking
        assert record.cards == record.counts.sum() == sum(rules.card_counts(players))
        assert record.actions == len(table)
        for family in FAMILIES:
            assert record[f"at_{family}"] == table.offsets.get(family, -1)


def test_packed_words_and_steps() -> None:
    record = CLASSIC.pack(6)[0]
    assert record.pile_taken == MAX_CARDS
    assert list(record.minimum_points[: record.minimum_count]) == [15, 50, 90, 120, 150]
    assert list(record.minimum_from[1:5]) == [0, 1500, 3000, 7500]
    assert list(record.red_three_values[:8]) == [0, 100, 200, 300, 400, 1000, 1200, 1200]
    assert list(record.wild_capacity[:5]) == [0, 0, 3, 3, 3]
    record = ActionTable(Rules.preset("hand_and_foot")).pack(4)[0]
    assert record.minimum_by_deal and record.tie_is_draw and record.upcard == 3
    assert record.pile_taken == 7 and list(record.wild_capacity[:6]) == [0, 0, 1, 1, 2, 2]
    record = HUNGARIAN.pack(2)[0]
    assert (record.wild_melds, record.concealed_canasta, record.concealed_waives) == (2, 2, 2)
    assert (record.stock_end, record.upcard) == (2, 4)
    row = HUNGARIAN.id("meld 2 2 2 2 2 JK JK")
    assert FAMILIES[record.family[row]] == "meld_wild" and record["rank"][row] == 2
    row = HUNGARIAN.id("discard 3b")
    assert FAMILIES[record.family[row]] == "discard" and record["rank"][row] == 3
    row = HUNGARIAN.id("add JK to K")
    assert FAMILIES[record.family[row]] == "add_joker" and record["rank"][row] == 13


def test_rules_beyond_the_record_are_refused() -> None:
    table = ActionTable(Rules.parse("hand_and_foot(canasta_size=4)"))
    with pytest.raises(RulesError, match="melds_close: a side could close"):
        table.pack(4)
