"""Duplicate matches: seeds, seating, counting, the file, and the command."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import registry
from canasta_env.actions import ActionTable
from canasta_env.batch import Batch
from canasta_env.cards import card_counts
from canasta_env.engine.state import WILD_RANK, new_games
from canasta_env.game import Game
from canasta_env.rules import Rules
from experiments import behaviour, deals, match, play, result
from experiments.command import INTERRUPTED

UNITS = np.arange(50)


def setup(players: int = 4, rules: str = "classic", **changes: Any) -> play.Setup:
    parsed = Rules.parse(rules)
    settings = {"units": 12, "seed": 3, **changes}
    return play.Setup(str(parsed), parsed.at(players), players, **settings)


def played(team_a: str, team_b: str, players: int = 4, **changes: Any) -> play.Played:
    chosen = setup(players, **changes)
    return play.play(chosen, play.line_up(team_a, team_b, chosen))


PACKED = ActionTable(Rules.parse("classic")).pack(4)
ONES = np.ones(50, np.int64)


class TestDeals:
    def test_a_deck_is_the_packs_shuffled(self) -> None:
        decks = deals.decks(PACKED, 1, UNITS, ONES)
        assert decks.shape == (50, 108)
        for deck in decks:
            assert tuple(np.bincount(deck, minlength=15)) == card_counts(2)
        assert len({deck.tobytes() for deck in decks}) == 50

    def test_a_unit_does_not_depend_on_the_others(self) -> None:
        two = deals.decks(PACKED, 1, np.array([7, 7]), np.array([1, 2]))
        assert (deals.decks(PACKED, 1, UNITS, ONES)[7] == two[0]).all()
        assert (two[0] != two[1]).any()

    def test_the_seed_changes_everything(self) -> None:
        one, other = (deals.decks(PACKED, seed, UNITS, ONES) for seed in (1, 2))
        assert (one != other).any(1).all()
        one, other = (deals.starts(PACKED, seed, UNITS, "spread") for seed in (1, 2))
        assert (one.dealers != other.dealers).any()
        assert (one.scores != other.scores).any()
        assert deals.agent_seed(0, 0, 0) != deals.agent_seed(0, 1, 0) != deals.agent_seed(1, 1, 0)

    def test_not_the_decks_of_training(self) -> None:
        """A batch with the same seed plays other deals."""
        batch = Batch(n=50, seed=1)
        cards = deals.decks(PACKED, 1, UNITS, ONES)
        evaluation = Batch(n=50, autoreset="off")
        evaluation.start_deal(UNITS, cards, batch.games.dealer)
        assert (evaluation.games.hands != batch.games.hands).any((1, 2)).all()

    def test_the_stream_is_pinned(self) -> None:
        """A change here makes all stored results impossible to repeat."""
        assert deals.decks(PACKED, 0, UNITS[:1], ONES[:1])[0, :8].tolist() == PINNED_DECK
        assert deals.starts(PACKED, 0, UNITS[:8], "zero").dealers.tolist() == PINNED_DEALERS

    def test_starts(self) -> None:
        start = deals.starts(PACKED, 5, np.arange(4000), "spread")
        assert np.bincount(start.dealers, minlength=4).min() > 900
        assert start.scores.shape == (4000, 2)
        assert start.scores.max() < 5000
        shares = np.histogram(start.scores, [-9999, 0, 1500, 3000, 5000])[0] / start.scores.size
        assert abs(shares - 0.25).max() < 0.03
        assert abs(np.corrcoef(start.scores.T)[0, 1]) < 0.05
        zero = deals.starts(PACKED, 5, np.arange(4000), "zero")
        assert (zero.dealers == start.dealers).all()
        assert not zero.scores.any()


class TestBehaviour:
    def test_canastas(self) -> None:
        games = new_games(1)
        games.meld_naturals[0, 0, 10] = 7
        games.meld_naturals[0, 0, 5] = 6
        games.meld_naturals[0, 1, 9] = 5
        games.meld_jokers[0, 1, 9] = 1
        games.meld_deuces[0, 1, 9] = 1
        games.meld_deuces[0, 1, WILD_RANK] = 7
        games.closed_melds[0, 1, 8] = 2
        games.closed_wilds[0, 1, 8, 1] = 2
        found = behaviour.canastas(games, np.array([0]), 2, 7)
        assert [counts.tolist() for counts in found] == [[[1, 1]], [[0, 2]], [[0, 1]]]

    def test_caught(self) -> None:
        games = new_games(1)
        games.hand_sizes[0, :4] = [1, 2, 3, 4]
        games.feet[0, 2, 7] = 13
        assert behaviour.caught_cards(games, np.array([0]), 2, 4).tolist() == [[17, 6]]


class TestResult:
    scores = np.array([[[100, 40], [10, 30]], [[0, 0], [50, 50]]])

    def test_differences_and_wins(self) -> None:
        assert result.differences(self.scores).tolist() == [[60, 20], [0, 0]]
        assert result.wins(self.scores).tolist() == [[1, 1], [0.5, 0.5]]

    def test_three_sides(self) -> None:
        scores = np.array([[[90, 0, 60], [90, 0, 60], [90, 0, 60]]])
        assert result.differences(scores).tolist() == [[60, -75, 15]]
        assert result.wins(scores).tolist() == [[1, 0, 0]]

    def test_a_file_is_not_overwritten(self, tmp_path: Path) -> None:
        path = tmp_path / "x.json"
        path.write_text("old")
        with pytest.raises(FileExistsError, match="--force"):
            result.write(path, {})
        result.write(path, {"format": result.FORMAT, "x": math.nan}, force=True)
        assert result.read(path) == {"format": result.FORMAT, "x": None}

    def test_an_interrupted_write_leaves_nothing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupt(*_: Any) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(Path, "replace", interrupt)
        with pytest.raises(KeyboardInterrupt):
            result.write(tmp_path / "x.json", {"format": result.FORMAT})
        assert not list(tmp_path.iterdir())


class TestTeams:
    def test_names(self) -> None:
        assert play.parse_team("basic", 2) == ["basic", "basic"]
        assert play.parse_team("basic+greedy", 2) == ["basic", "greedy"]
        with pytest.raises(ValueError, match="a side has 2"):
            play.parse_team("a+b+c", 2)

    def test_seats(self) -> None:
        lineup = play.line_up("basic+greedy", "random", setup())
        assert [agent.name for agent in lineup.agents] == ["basic", "greedy", "random"]
        assert lineup.owner.tolist() == [[0, 2, 1, 2], [2, 0, 2, 1]]
        assert lineup.team.tolist() == [[0, 1], [1, 0]]

    def test_every_side_once(self) -> None:
        lineup = play.line_up("basic", "random", setup(3))
        assert lineup.owner.tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]


class TestPlay:
    @pytest.mark.parametrize("players", [2, 4, 6])
    def test_an_agent_against_itself_is_exactly_even(self, players: int) -> None:
        """Greedy does not draw lots, so the two tables of a pair are the same deal."""
        scores = played("greedy", "greedy", players).scores
        leads = result.differences(scores)
        assert (leads[:, 0] == -leads[:, 1]).all()
        assert leads.any()

    def test_three_players_rotate(self) -> None:
        scores = played("greedy", "greedy", 3).scores
        assert scores.shape == (12, 3, 3)
        assert np.allclose(result.differences(scores).sum(1), 0)

    def test_teams_exchange(self) -> None:
        one, other = played("greedy", "random"), played("random", "greedy")
        assert one.scores.shape == (12, 2, 2)
        assert result.differences(one.scores).mean() > 0 > result.differences(other.scores).mean()

    def test_counts_hold_together(self) -> None:
        found = played("basic", "greedy", units=40)
        counts = found.counts
        assert counts["deals"].tolist() == [80, 80]
        assert counts["points"].sum() == found.scores.sum()
        assert counts["went_out"].sum() <= 80
        for part, whole in (
            ("won", "deals"), ("melded", "deals"), ("went_out", "deals"),
            ("concealed", "went_out"), ("went_out_and_won", "went_out"),
            ("went_out_and_won", "won"), ("melded", "first_meld_turn"),
        ):  # fmt: skip
            assert (counts[part] <= counts[whole]).all(), (part, whole)
        assert (counts["takes"] > 0).all()

    def test_counts_and_scores_against_a_replay(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Every deal again, one at a time, in the Game that people play."""
        actions: dict[int, list[int]] = {}
        make = registry.make

        def recording(*given: Any) -> Any:
            agent = make(*given)
            act = agent.act

            def act_and_write(batch: Any, rows: Any) -> Any:
                chosen = act(batch, rows)
                for row, action in zip(rows, chosen, strict=True):
                    actions.setdefault(int(row), []).append(int(action))
                return chosen

            agent.act = act_and_write
            return agent

        monkeypatch.setattr(registry, "make", recording)
        found = played("basic", "random", units=6)
        takes, melds = np.zeros(2, int), np.zeros(2, int)
        start = deals.starts(PACKED, 3, np.arange(6), "spread")
        decks = deals.decks(PACKED, 3, np.arange(6), start.numbers)
        for row, played_actions in actions.items():
            unit, table = divmod(row, 2)
            game = Game(
                "classic", deck=decks[unit].tolist(), dealer=int(start.dealers[unit]),
                scores=start.scores[unit].tolist(), stock="seat_streams",
            )  # fmt: skip
            for action in played_actions:
                team = (game.turn + table) % 2
                takes[team] += game.table.text(action).startswith("take")
                game.play(action)
            assert game.over
            assert list(game.deal_scores) == found.scores[unit, table].tolist()
            melds += game.record.melded[:2][[table, 1 - table]]
        assert found.counts["takes"].tolist() == takes.tolist()
        assert found.counts["melded"].tolist() == melds.tolist()

    def test_units_do_not_depend_on_their_number(self) -> None:
        """Greedy does not draw lots, so nothing else changes either."""
        few, many = played("greedy", "greedy", units=3), played("greedy", "greedy", units=9)
        assert (few.scores == many.scores[:3]).all()

    def test_threads_change_nothing(self) -> None:
        one, two = played("random", "random"), played("random", "random", threads=2)
        assert (one.scores == two.scores).all()

    def test_whole_matches(self) -> None:
        found = played("greedy", "random", units=4, episode="match")
        assert found.capped == 0
        assert (found.scores.max(2) >= 5000).all()
        assert (found.counts["deals"] > 8).all()
        assert found.counts["points"].sum() == found.scores.sum()

    def test_matches_are_capped(self) -> None:
        found = played("random", "random", units=2, episode="match", max_deals=2)
        assert found.capped == 4
        assert found.counts["deals"].tolist() == [8, 8]

    def test_other_rules(self) -> None:
        rules = "russian(deals=4, tie=draw)"
        found = played("random", "greedy", units=3, rules=rules, episode="match")
        assert found.counts["deals"].tolist() == [24, 24]


class TestCommand:
    arguments = ("greedy", "random", "--pairs", "35", "--seed", "9")

    def test_the_same_bytes(self, tmp_path: Path) -> None:
        paths = [tmp_path / "a.json", tmp_path / "b.json"]
        for path in paths:
            assert match.main([*self.arguments, "--json", str(path)]) == 0
        assert paths[0].read_bytes() == paths[1].read_bytes()
        assert sorted(tmp_path.iterdir()) == paths

    def test_the_file_can_be_computed_again(self, tmp_path: Path) -> None:
        path = tmp_path / "a.json"
        match.main([*self.arguments, "--json", str(path)])
        document = result.read(path)
        one = document["matches"][0]
        again = result.outcome("greedy", "random", one["scores"], one["counts"], seed=9)
        assert one["summary"]["points"]["mean"] == pytest.approx(again.points.mean)
        assert one["summary"]["points"]["interval"]["low"] == again.points.interval.low
        assert np.mean(one["differences"]) == pytest.approx(again.points.mean)
        assert document["settings"]["units"] == 35
        assert document["identity"]["actions_hash"]
        assert document["versions"]["numpy"] == np.__version__

    def test_several_opponents(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert match.main(["basic", "--against", "random", "greedy", "--pairs", "5"]) == 0
        text = capsys.readouterr().out
        assert "basic against random" in text
        assert "basic against greedy" in text
        assert "gain" in text

    @pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
    def test_rules_with_suits(self, players: int, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = ["--rules", "czech", "--players", str(players), "--pairs", "2"]
        assert match.main(["basic", "random", *arguments]) == 0
        assert f"czech, {players} players" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["basic", "bascic"], "did you mean basic"),
            (["basic", "random", "--players", "5"], "players"),
            (["basic", "random", "--rules", "clasic"], "classic"),
            (["basic"], "name an opponent"),
            (["basic+greedy+random", "random"], "a side has 2"),
            (["basic", "random", "--level", "95"], "between 0 and 1"),
            (["basic", "random", "--json", "no/such/folder.json"], "no folder"),
        ],
    )
    def test_mistakes_are_one_line(
        self, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert match.main([*arguments, "--pairs", "2"]) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1

    def test_an_existing_file_is_refused_before_playing(self, tmp_path: Path) -> None:
        path = tmp_path / "a.json"
        path.write_text("{}")
        assert match.main([*self.arguments, "--json", str(path)]) == 2
        assert path.read_text() == "{}"
        assert match.main([*self.arguments, "--json", str(path), "--force"]) == 0
        assert json.loads(path.read_text())["format"] == result.FORMAT

    def test_interrupted(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupt(*_: Any) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(match, "play", interrupt)
        path = tmp_path / "a.json"
        assert match.main([*self.arguments, "--json", str(path)]) == INTERRUPTED
        assert not list(tmp_path.iterdir())


PINNED_DECK = [6, 3, 10, 1, 2, 6, 6, 13]
PINNED_DEALERS = [0, 0, 1, 3, 1, 1, 2, 3]
