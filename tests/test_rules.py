"""Rules as a value: presets, text, changes, tables, and errors that name the field."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canasta_env.rules import ByPlayers, Rules, RulesError, field_specs, preset_names

CLASSIC = Rules.preset("classic")
ALL = [Rules.preset(name) for name in preset_names()]


def test_presets() -> None:
    assert preset_names()[0] == "classic"
    assert set(preset_names()) == {
        "classic", "russian", "czech", "standard", "hand_and_foot", "latvian", "hungarian",
        "mini", "tiny",
    }  # fmt: skip


@pytest.mark.parametrize("rules", ALL, ids=str)
def test_a_preset_is_its_name(rules: Rules) -> None:
    assert str(rules) == rules.name
    assert rules.to_mapping() == {"preset": rules.name}
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert len({rules, Rules.preset(rules.name)}) == 1


@pytest.mark.parametrize("rules", ALL, ids=str)
def test_the_values_at_a_table_are_plain(rules: Rules) -> None:
    for players in rules.players:
        table = rules.at(players)
        assert not any(isinstance(getattr(table, name), ByPlayers) for name in field_specs())
        assert table.players == (players,)
        assert table.at(players) == table
        assert Rules.parse(str(table)) == table


@pytest.mark.parametrize(
    ("text", "players", "field", "value"),
    [
        ("classic", 2, "hand", 15),
        ("classic", 4, "hand", 11),
        ("classic", 6, "packs", 3),
        ("classic", 3, "target", 7500),
        ("classic", 6, "target", 10_000),
        ("classic(sides=3)", 6, "target", 7500),
        ("latvian(sides=3)", 6, "target", 7500),
        ("latvian(sides=3, target=4000)", 6, "target", 4000),
        ("czech", 6, "sides", 3),
        ("czech", 6, "target", 10_000),
        ("czech", 5, "hand", 13),
        ("standard", 3, "draw", 2),
        ("hungarian", 2, "draw", 1),
        ("hungarian", 2, "canastas_to_go_out", 2),
        ("hand_and_foot", 3, "packs", 4),
        ("classic", 6, "red_three_values", (0, 100, 200, 300, 400, 1000, 1200)),
    ],
)
def test_values_by_players(text: str, players: int, field: str, value: Any) -> None:
    assert getattr(Rules.parse(text).at(players), field) == value


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("classic()", "classic"),
        (" classic( target = 3_000 ) ", "classic(target=3000)"),
        ("classic(target={4: 5000, 2: 5000, 3: 7500, 6: 10000, (6, 3): 7500})", "classic"),
        ("classic(black_three='freeze', asking=false)",
         "classic(black_three=freeze, asking=False)"),
        ("classic(asking=False, hand={2: 15, 3: 13, 4: 12, 6: 13})",
         "classic(hand={2: 15, 3: 13, 4: 12, 6: 13}, asking=False)"),
        ("czech(minimums=[[None, 10], [500, 50]])", "czech(minimums=((None, 10), (500, 50)))"),
        ("classic(players=4)", "classic(players=(4,))"),
        ("classic(red_threes_unmelded = for)", "classic(red_threes_unmelded=for)"),
        ("classic(red_threes_unmelded='for', asking=False)",
         "classic(asking=False, red_threes_unmelded=for)"),
    ],
)  # fmt: skip
def test_the_text_is_canonical(text: str, written: str) -> None:
    assert str(Rules.parse(text)) == written


def test_mappings_as_yaml_and_json_bring_them() -> None:
    assert Rules.from_mapping({"preset": "classic", "target": 3000}) == CLASSIC.replace(target=3000)
    assert Rules.from_mapping({"hand": {"2": 15, "3": 13, "4": 11, "6": 13}}) == CLASSIC
    target = {"2": 5000, "3": 7500, "4": 5000, "6": 10_000, "6/3": 7500}
    assert Rules.from_mapping({"target": target}) == CLASSIC
    changed = CLASSIC.replace(target=9000, minimums=[[None, 20]], tie="draw", sides=3)
    assert Rules.from_mapping(changed.to_mapping()) == changed
    assert changed.to_mapping() == {
        "preset": "classic", "sides": 3, "target": 9000, "tie": "draw", "minimums": [[None, 20]],
    }  # fmt: skip


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "target": st.integers(1, 20_000) | st.just({2: 1, 3: 2, 4: 3, 6: 4, (6, 3): 5}),
            "hand": st.integers(1, 16),
            "tie": st.sampled_from(["draw", "another_deal"]),
            "upcard": st.sampled_from(["cover_wild", "offer", "bury", "as_is"]),
            "discarded_wild_freezes": st.booleans(),
            "start_wild_freezes": st.booleans(),
            "most_wilds": st.integers(0, 6),
            "wild_relation": st.sampled_from(["any", "fewer", "half", "not_more"]),
            "minimums": st.lists(st.integers(0, 300), min_size=1, max_size=7).map(
                lambda points: [(None, 5), *((1000 * i, p) for i, p in enumerate(points))]
            ),
            "asking": st.booleans(),
            "natural_canasta": st.integers(0, 5000),
        },
    )
)
def test_text_and_mapping_read_back(changes: dict[str, Any]) -> None:
    rules = CLASSIC.replace(**changes)
    assert Rules.parse(str(rules)) == rules
    assert Rules.from_mapping(rules.to_mapping()) == rules
    assert eval(repr(rules), {"Rules": Rules}) == rules


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("clasic", "'clasic' is not a preset; presets are classic, czech.*did you mean classic?"),
        ("classic(targett=3)", "targett: the rules have no such field; did you mean target?"),
        ("classic(name=czech)", "name: the rules have no such field"),
        ("classic(target=x)", "target: 'x' is not allowed; allowed: a whole number from 0 to"),
        ("classic(target=-5)", "target: -5 is not allowed"),
        ("classic(target=True)", "target: True is not allowed"),
        ("classic(asking=1)", "asking: 1 is not allowed; allowed: True or False"),
        ("classic(black_three=froze)", "black_three: 'froze' .* one of block, freeze"),
        ("classic(smallest_meld=4)", "smallest_meld: 4 is not allowed; allowed: 3 only"),
        ("classic(hand={2: 15})", r"hand: \{2: 15\} has no value for 3 players"),
        ("classic(hand={x: 15})", "hand: .* is not allowed"),
        ("classic(players=(4, 9))", "players: .* different numbers from 2 to 6"),
        ("classic(players=5)", "sides: .* has no value for 5 players"),
        ("classic(sides=5)", "sides: 5 is not allowed for 2 players; allowed: 2"),
        ("classic(packs=3)", "red_three_values: .* ends at 4 red threes; packs=3 have 6"),
        ("classic(hand=60)", "hand: 2 players with hand=60 and foot=0 need 120 cards"),
        ("classic(minimums=())", "minimums: .* is not allowed; allowed: 1 to 8 pairs"),
        ("classic(minimums=((None, 5), (50, 6), (50, 7)))", "minimums: .* ascending"),
        ("classic(minimums=((0, 50),))", "minimums: the first step begins at 0"),
        ("classic(minimum_by=deal)", "minimums: .* minimum_by=deal"),
        ("classic(red_three_values=(100, 200))", "red_three_values: .* beginning with 0"),
        ("classic(wild_canasta=100)", "wild_canasta: 100 is paid for melds that wild_melds=none"),
        ("czech(wild_melds=none)", "wild_canasta: 1000 is paid"),
        ("classic(always_pair=True)", "take_natural_wild: True contradicts always_pair=True"),
        ("classic(take_into_sequence=True)", "take_into_sequence: True needs sequences=True"),
        ("classic(sequences=True)", "asking: True needs sequences=False"),
        ("classic(sequences=True, asking=False)", "black_three_melds: going_out needs sequences"),
        ("czech(black_three_take=True)", "black_three_take: True needs black_three_melds"),
        ("classic(partner_foot_to_go_out=True)", "partner_foot_to_go_out: True needs a foot"),
        ("classic(target=0)", "target: 0 with deals=0"),
        ("classic(target=3, target=4)", "target: given twice"),
        ("classic(", r"'classic\(' cannot be read; rules are written classic or"),
        ("classic(3)", "cannot be read"),
        ("classic(**x)", "cannot be read"),
        ("", "cannot be read"),
        ("classic(target=f(3))", r"target: f\(3\) is not a value"),
    ],
)
def test_errors_name_the_field_and_what_is_allowed(text: str, message: str) -> None:
    with pytest.raises(RulesError, match=message):
        Rules.parse(text)


def test_a_table_that_the_rules_do_not_know() -> None:
    with pytest.raises(RulesError, match="players: 5 cannot play classic; allowed: 2, 3, 4, 6"):
        CLASSIC.at(5)
    with pytest.raises(RulesError, match="sides: 3 is not allowed for 4 players; allowed: 2, 4"):
        CLASSIC.replace(sides=3).at(4)


@pytest.mark.parametrize(
    ("relation", "capacities"),
    [
        ("any", [0, 0, 3, 3, 3, 3, 3]),
        ("fewer", [0, 0, 1, 2, 3, 3, 3]),
        ("half", [0, 0, 1, 1, 2, 2, 3]),
        ("not_more", [0, 0, 2, 3, 3, 3, 3]),
    ],
)
def test_wilds_beside_naturals(relation: str, capacities: list[int]) -> None:
    rules = CLASSIC.replace(wild_relation=relation)
    assert [rules.wilds_beside(naturals) for naturals in range(7)] == capacities
