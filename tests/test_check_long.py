"""The long check: short here, a million deals with ``--long``; and it sees faults."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from canasta_env.batch import Batch
from canasta_env.cards import SUITED_KIND_COUNT, parse_kind, suited_kind
from canasta_env.engine.state import WILD_RANK, End, new_games
from canasta_env.rules import Rules, preset_names
from experiments import check_long, recount

CLASSIC = Rules.parse("classic").at(4)
CZECH = Rules.parse("czech").at(4)
OTHERS = [
    (name, players)
    for name in preset_names()
    for players in Rules.preset(name).players
    if name != "classic"
]


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_random_deals(players: int) -> None:
    report = check_long.check("classic", players, 300, rows=128, every=4)
    assert report.deals == report.ends.sum() == 300
    assert report.ends[End.NOT_YET] == 0
    assert report.longest <= report.decisions
    assert report.turns > 20


@pytest.mark.parametrize("rules", ["russian", "standard"])
def test_random_deals_of_other_rules(rules: str) -> None:
    assert check_long.check(rules, 4, 200, rows=100, every=4).deals == 200


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_random_deals_with_suits(players: int) -> None:
    assert check_long.check("czech", players, 120, rows=60, every=4).deals == 120


@pytest.mark.parametrize(
    "rules",
    [
        "classic(upcard=offer, cut_bonus=True, owed_red_threes=True)",
        "classic(red_three_discard=True, wild_melds=from_three, natural_group=True)",
    ],
)
def test_random_deals_with_single_fields_of_czech(rules: str) -> None:
    assert check_long.check(rules, 4, 100, rows=50, every=4).deals == 100


@pytest.mark.long
@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_a_million_random_deals(players: int) -> None:
    assert check_long.check("classic", players, 250_000).deals == 250_000


@pytest.mark.long
@pytest.mark.parametrize(("rules", "players"), OTHERS)
def test_many_random_deals_of_other_rules(rules: str, players: int) -> None:
    assert check_long.check(rules, players, 200_000).deals == 200_000


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert check_long.main(["--deals", "40", "--rows", "16", "--players", "4"]) == 0
    assert "no fault" in capsys.readouterr().out
    assert check_long.main(["--rules", "clasic"]) == 2


@pytest.mark.parametrize(
    ("field", "message"), [("stock", "cards by kind"), ("hand_sizes", "hand sizes")]
)
def test_a_fault_is_found(
    field: str, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Cheating(Batch):
        def start_deal(self, *given: Any) -> None:
            super().start_deal(*given)
            if field == "stock":
                last = self.games.stock_end[3, 0] - 1
                self.games.stock[3, last] = (self.games.stock[3, last] + 1) % 15
            else:
                self.games.hand_sizes[3, 1] += 1

    monkeypatch.setattr(check_long, "Batch", Cheating)
    assert check_long.main(["--deals", "20", "--players", "4"]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert "deck: " in error


def test_a_wrong_score_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = recount.deal_scores
    monkeypatch.setattr(recount, "deal_scores", lambda *given: right(*given) + 5)
    with pytest.raises(check_long.FaultError, match=r"deal scores: [\s\S]*actions: draw"):
        check_long.check("classic", 4, 5)


class TestRecount:
    """Known answers, worked out by hand from rules.md."""

    def game(self) -> Any:
        games = new_games(1)
        games.out_seat[0] = -1
        games.end[0] = End.PASSED
        return games

    def scores(self, games: Any, rules: Any = CLASSIC) -> list[int]:
        return recount.deal_scores(games, rules, 4)[0].tolist()

    def test_melds_and_canastas(self) -> None:
        games = self.game()
        games.melded[0, :2] = True
        games.meld_naturals[0, 0, 14] = 7  # 140 + 500
        games.meld_naturals[0, 0, 3] = 3  # 15
        games.meld_naturals[0, 1, 13] = 5  # 50
        games.meld_deuces[0, 1, 13] = 1  # 20
        games.meld_jokers[0, 1, 13] = 1  # 50 + 300
        assert self.scores(games) == [655, 420]

    def test_hands_red_threes_and_going_out(self) -> None:
        games = self.game()
        games.end[0], games.out_seat[0] = End.CONCEALED, 2  # 100 + 100 for side 0
        games.melded[0, 0] = True
        games.red_threes[0, :2] = 1, 3  # +100, -300
        games.hands[0, 1, 0] = 1  # -50
        games.hands[0, 3, 3] = 2  # -10
        assert self.scores(games) == [300, -360]
        games.red_threes[0, :2] = 0, 4  # -800
        assert self.scores(games) == [200, -860]

    def test_rounding_takes_halves_up(self) -> None:
        rules = Rules.parse("russian").at(4)
        games = self.game()
        games.melded[0, :2] = True
        games.hands[0, 0, 0] = 1  # -50 becomes 0
        games.hands[0, 1, 0], games.hands[0, 1, 4] = 1, 1  # -55 becomes -100
        assert self.scores(games, rules) == [0, -100]

    def test_closed_melds_and_wild_canastas(self) -> None:
        rules = Rules.parse("classic(wild_canasta=1000, wild_melds=from_three)").at(4)
        games = self.game()
        games.closed_melds[0, 0, 10] = 2  # seven tens: 570; five tens, a deuce, a joker: 420
        games.closed_wilds[0, 0, 10, 1] = 1 + 16
        games.meld_deuces[0, 1, WILD_RANK] = 7  # 140 + 1,000
        assert self.scores(games, rules) == [990, 1140]
        totals = recount.card_totals(games, 7)[0]
        assert (totals[[0, 1, 10]] == [1, 8, 12]).all()
        assert totals.sum() == 21

    def suited_game(self) -> Any:
        games = new_games(1, SUITED_KIND_COUNT)
        games.out_seat[0] = -1
        games.end[0] = End.PASSED
        return games

    def test_sequences_and_sets_with_suits(self) -> None:
        games = self.suited_game()
        games.melded[0, :2] = True
        games.meld_naturals[0, 0, 13] = 7  # 70 + 600
        games.meld_cards[0, 0, suited_kind(13, 0) : suited_kind(13, 0) + 4] = 2, 2, 2, 1
        games.sequence_count[0, :2] = 1, 2
        games.sequence_low[0, 0, 0], games.sequence_suit[0, 0, 0] = 10, 2
        games.sequence_length[0, 0, 0] = 5  # 10h J 2 K A: 30 + 20 + 20
        games.sequence_deuces[0, 0, 0] = 0b100
        games.sequence_low[0, 1, :2], games.sequence_length[0, 1, :2] = 4, 3  # 4c 5c JK, 4c 5c 6c
        games.sequence_jokers[0, 1, 0] = 0b100
        assert self.scores(games, CZECH) == [740, -75]  # without a canasta all is against
        totals = recount.card_totals(games, 7)[0]
        assert totals.sum() == 7 + 5 + 6
        named = ["Kc", "Kd", "Kh", "Ks", "10h", "Jh", "Ah", "4c", "5c", "6c"]
        counts = [int(totals[parse_kind(token, suited=True)]) for token in named]
        assert counts == [2, 2, 3, 1, 1, 1, 1, 2, 2, 1]
        assert (totals[0], totals[1]) == (1, 1)

    def test_a_side_without_a_canasta(self) -> None:
        games = self.suited_game()
        games.hands[0, 0, [0, 3, suited_kind(14, 1)]] = 1, 2, 1  # 50 + 200 + 20
        games.red_threes[0, :2] = 2, 1
        games.melded[0, 1], games.meld_deuces[0, 1, WILD_RANK] = True, 3
        games.meld_jokers[0, 1, WILD_RANK] = 4  # 260 + 2,000
        assert self.scores(games, CZECH) == [-470, 2360]

    def test_cards_everywhere(self) -> None:
        games = self.game()
        games.hands[0, 2, 5] = 2
        games.feet[0, 1, 6] = 1
        games.red_threes[0, 1] = 1
        games.pile[0, :4] = 7, 7, 8, 9
        games.pile_size[0], games.pending[0] = 1, 2
        games.stock[0, :5] = 0, 1, 3, 4, 4
        games.streams[0] = 2
        games.stock_next[0, :2], games.stock_end[0, :2] = (1, 3), (2, 4)
        expected = np.zeros(15, np.int64)
        expected[[5, 6, 2, 7, 8, 1, 4]] = 2, 1, 1, 2, 1, 1, 1
        assert (recount.card_totals(games, 7)[0] == expected).all()

    def test_going_out_needs_a_canasta(self) -> None:
        games = self.game()
        games.end[0], games.out_seat[0] = End.WENT_OUT, 1
        games.melded[0, 1], games.meld_naturals[0, 1, 9] = True, 6
        assert recount.going_out_faults(games, CLASSIC).tolist() == [True]
        games.meld_naturals[0, 1, 9] = 7
        assert recount.going_out_faults(games, CLASSIC).tolist() == [False]
        games.hands[0, 1, 4] = 1
        assert recount.going_out_faults(games, CLASSIC).tolist() == [True]
