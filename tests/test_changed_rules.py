"""Values that no preset has: the engine plays them too, and refuses what cannot be."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from canasta_env import Game
from canasta_env.notation import PositionError, load_position
from canasta_env.record_lines import Place, RecordError
from canasta_env.rules import ByPlayers, Rules, RulesError
from tests.readings import cards

CANASTA = "K K K K K K K"


def at(hand: str, changes: dict[str, Any], preset: str = "classic", **given: Any) -> Game:
    """A position of changed rules; the seat to act holds the hand."""
    rules = {"preset": preset, **changes}
    return Game.from_position({"rules": rules, "turn": 0, "hands": {0: hand}, **given})


def legal(game: Game, word: str = "") -> set[str]:
    return {text for text in map(str, game.legal()) if text.startswith(word)}


def test_a_last_discard_that_is_required() -> None:
    """No meld may take the last card, and the last two cannot both be laid."""
    required = {"last_discard": "required"}
    given: dict[str, Any] = {"phase": "meld", "melds": {0: [CANASTA, "9 9 9"]}}
    assert legal(at("9 9", required, **given)) == {"add 9", "discard 9", "ask"}
    game = at("9 9", required, **given)
    game.play("add 9")
    assert legal(game) == {"discard 9"}
    assert str(game.why_not("add 9"))
    game.play("discard 9")
    assert game.over
    assert legal(at("8 8 8", required, **given)) == {"discard 8"}
    assert legal(at("8 8 8", {}, **given)) == {"meld 8 8 8", "discard 8", "ask"}
    take = {"pile": "9", "phase": "draw", "melds": {0: [CANASTA, "9 9 9"]}}
    assert legal(at("9 9", required, **take)) == {"draw", "take"}
    assert legal(at("9 9", {}, **take)) == {"draw", "take", "take 9 9"}


def test_black_threes_with_a_last_discard_that_is_required() -> None:
    required = {"last_discard": "required"}
    given: dict[str, Any] = {"phase": "meld", "melds": {0: [CANASTA]}}
    assert legal(at("3b 3b 3b", required, **given)) == {"discard 3b"}
    assert legal(at("3b 3b 3b 5", required, **given), "meld") == {"meld 3b 3b 3b"}
    assert legal(at("3b 3b 3b 3b 5", required, **given), "meld") == {
        "meld 3b 3b 3b",
        "meld 3b 3b 3b 3b",
    }


def test_new_melds_without_wild_cards() -> None:
    """They come by adding; a take with a wild card only joins a meld."""
    none = {"new_meld_most_wilds": 0}
    given: dict[str, Any] = {"phase": "meld", "melds": {0: ["Q Q Q"]}}
    game = at("K K 2 5 9", none, **given)
    assert legal(game, "meld") == set() and "add 2 to Q" in legal(game)
    assert "meld K K 2" in legal(at("K K 2 5 9", {}, **given))
    take = {"pile": "5 K", "melds": {0: ["Q Q Q"]}}
    assert legal(at("K 2 5 9", none, **take)) == {"draw"}
    join = {"pile": "5 Q", "melds": {0: ["Q Q Q"]}}
    assert legal(at("Q 2 5 9", none, **join)) == {"draw", "take", "take Q 2"}


def test_three_naturals_in_every_meld() -> None:
    three = {"fewest_naturals": 3}
    given: dict[str, Any] = {"phase": "meld", "melds": {0: ["Q Q Q"]}}
    assert legal(at("K K 2 5 9", three, **given), "meld") == set()
    assert legal(at("K K K 2 5 9", three, **given), "meld") == {"meld K K K"}


def test_a_canasta_with_more_naturals_than_a_meld() -> None:
    """Four wild cards fit beside two and three naturals, but three and four are no canasta."""
    more = {"most_wilds": 4, "canasta_fewest_naturals": 4}
    given: dict[str, Any] = {"phase": "meld"}
    six = at("K 2 5 9", more, melds={0: ["K K K 2 2 2"]}, **given)
    assert "add 2 to K" not in legal(six) and "add K" in legal(six)
    assert six.why_not("add 2 to K") is not None
    assert "add 2 to K" in legal(at("K 2 5 9", more, melds={0: ["K K K 2 2"]}, **given))
    assert "add 2 to K" in legal(at("K 2 5 9", more, melds={0: ["K K K K 2 2 2"]}, **given))


def test_everything_against_a_side_without_a_canasta() -> None:
    against = {"no_canasta_against": True}
    hands = {0: "3b 4", 1: "4", 2: "4", 3: "4"}
    given: dict[str, Any] = {"phase": "meld", "melds": {0: [CANASTA], 1: ["Q Q Q"]}}
    given |= {"hands": hands, "red_threes": [1, 2], "stock": "", "absent": "rest"}
    rules = {"preset": "classic", **against}
    game = Game.from_position({"rules": rules, "turn": 0, **given})
    game.play("discard 3b")
    game.play("pass")
    assert game.deal_scores == [70 + 500 + 100 - 10, -30 - 200 - 10]


def test_a_tie_that_is_a_draw() -> None:
    hands = {0: "3b 4", 1: "4", 2: "4", 3: "4"}
    given = {"phase": "meld", "hands": hands, "stock": "", "absent": "rest", "turn": 0}
    for tie, over in (("draw", True), ("another_deal", False)):
        rules = {"preset": "classic", "tie": tie}
        game = Game.from_position({"rules": rules, "scores": [6000, 6000], **given})
        game.play("discard 3b")
        game.play("pass")
        assert game.match_over is over


def test_the_pile_comes_whole_with_a_black_three_on_top() -> None:
    """hungarian: the minimum is out of reach, so the seat that takes the black three goes out.

    In the middle of that turn the position says by its cards that the pile came whole.
    """
    hand = "3b 3b 4 4 4 4 4 4 9"
    position = {"rules": "hungarian", "turn": 0, "scores": [3000, 0], "pile": "4 3b"}
    game = Game.from_position({**position, "hands": {0: hand, 1: 4, 2: 4, 3: 4}})
    game.play("take 3b 3b")
    assert game.hand(0).split().count("4") == 7
    again = Game.from_position(game.to_position())
    assert legal(again) == legal(game) == {"meld 4 4 4"}
    again.play("meld 4 4 4")
    assert legal(again) == {"add 4"}
    # a side that has reached its minimum, or has melded, takes it apart and in
    melded = {"melds": {0: [CANASTA]}, "pile": "K 3b", "rules": "hungarian", "turn": 0}
    open_game = Game.from_position({**melded, "hands": {0: "3b 3b 9", 1: 4, 2: 4, 3: 4}})
    open_game.play("take 3b 3b")
    assert cards(open_game.hand(0)) == ["9", "K"]


def test_a_dry_stream_draws_from_the_longest_other_one() -> None:
    """The end of the stock goes by the total."""
    position = {"rules": "classic", "turn": 0, "hands": dict.fromkeys(range(4), "4 5")}
    position |= {"stock": {0: "", 1: "6 7", 2: "8 9 10", 3: "J"}, "absent": "rest"}
    game = Game.from_position(position)
    assert game.stock == "seat_streams"
    game.play("draw")
    assert cards(game.hand(0)) == ["4", "5", "8"]


# -- what cannot be ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("players", []),
        ("players", [2, 2]),
        ("players", 7),
        ("players", "two"),
        ("minimums", 50),
        ("minimums", [[0]]),
        ("minimums", [["under", 15]]),
        ("red_three_values", []),
        ("hand", {7: 11}),
        ("hand", "many"),
        ("asking", "perhaps"),
        ("upcard", "none"),
        ("packs", True),
    ],
)
def test_values_that_a_field_cannot_have(name: str, value: Any) -> None:
    with pytest.raises(RulesError, match=name):
        Rules.preset("classic").replace(**{name: value})


def test_one_number_of_players_is_a_list_of_one() -> None:
    assert Rules.preset("classic").replace(players=4).players == (4,)


def test_rules_need_the_name_of_a_preset() -> None:
    fields = {name: getattr(Rules.preset("classic"), name) for name in Rules.__dataclass_fields__}
    for name in ("clasic", 3):
        with pytest.raises(RulesError):
            Rules(**{**fields, "name": name})
    assert Rules(**fields) == Rules.preset("classic")


def test_values_by_players_are_a_mapping() -> None:
    hand = Rules.preset("classic").hand
    assert isinstance(hand, ByPlayers)
    assert list(hand) == [2, 3, 4, 6] and len(hand) == 4 and hand[3] == 13
    assert len({hand, Rules.preset("latvian").hand}) == 1 and repr(hand).startswith("{2: 15")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"phase": "meld", "turn_state": {"begun": 1}}, "begun: a list of places"),
        ({"phase": "meld", "turn_state": "none"}, "a mapping is needed"),
        ({"melds": {0: [CANASTA] * 2}}, "two melds of K"),
        ({"discards": {0: "4 " * 5000}}, "discards"),
        ({"cut": {"seat": 1}}, "has no cut"),
    ],
)
def test_positions_that_cannot_be(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(PositionError, match=message):
        Game.from_position({"rules": "classic", "turn": 0, **changes})


def test_a_position_takes_rules_as_they_are() -> None:
    rules = Rules.preset("latvian").replace(target=3000)
    assert Game.from_position({"rules": rules, "turn": 0}).rules == rules


def test_a_position_in_yaml_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    assert load_position('{"pile": "5"}') == {"pile": "5"}
    with pytest.raises(PositionError, match="needs the package pyyaml"):
        load_position("pile: 5")


def test_an_error_of_a_record_can_be_sent_to_another_process() -> None:
    error = RecordError(Place(3, 7), "no such card")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.place == error.place


def test_a_game_needs_a_known_stock() -> None:
    with pytest.raises(ValueError, match="stock="):
        Game("classic", stock="deep")  # type: ignore[arg-type]
