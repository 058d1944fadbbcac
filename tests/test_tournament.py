"""Tournaments: what is played, by whom, and that a block follows from its job alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import checkpoint as checkpoints
from agents import shipped
from experiments import play
from experiments.leads import differences
from experiments.tournament_agents import describe
from experiments.tournament_plan import Job, Settings, block_seed, pairings, team_name, teams
from experiments.tournament_store import COLUMNS
from experiments.tournament_work import AgentChangedError, play_block
from tests.tournaments import (
    ODD,
    SETTINGS,
    column,
)

REPOSITORY = Path(__file__).resolve().parent.parent


class TestPlan:
    def test_teams(self) -> None:
        assert teams(["b", "a"], [], "fixed", 2) == ["b", "a"]
        assert teams(["b", "a", "c"], ["c+a", "b+b"], "mixed", 2) == [
            "b", "a", "c", "a+c", "a+b", "b+c",
        ]  # fmt: skip
        assert team_name(["a", "a"]) == "a"
        with pytest.raises(ValueError, match="a side has 1"):
            teams(["a", "b"], [], "mixed", 1)

    def test_two_teams_meet_once_and_fields_both_ways(self) -> None:
        assert pairings(["b", "a", "c"], 2) == [("a", "b"), ("a", "c"), ("b", "c")]
        assert len(pairings(["b", "a", "c"], 3)) == 6
        assert pairings(["a"], 2) == []

    def test_a_blocks_seed_follows_from_names(self) -> None:
        seeds = {
            block_seed(seed, pair, block)
            for seed in (0, 1) for pair in (("a", "b"), ("b", "a"), ("a", "c")) for block in (0, 1)
        }  # fmt: skip
        assert len(seeds) == 12
        assert all(0 <= seed < 1 << 63 for seed in seeds)
        assert block_seed(0, ("basic", "greedy"), 3) == 112768153735532794

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"players": 5}, "players: 5 cannot play classic"),
            ({"seed": -1}, "seed -1"),
            ({"block": 0}, "block 0"),
            ({"scores": "none"}, "scores 'none'"),
        ],
    )
    def test_impossible_settings(self, change: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            Settings(**{**vars(SETTINGS), **change})


class TestBlocks:
    job = Job(SETTINGS, ("basic", f"{ODD}Lots"), 1, {}, 60.0, str(REPOSITORY))

    def test_a_block_is_a_duplicate_match(self) -> None:
        """The same scores as the runner of matches gives for the same units and seeds."""
        played = play_block(self.job)
        setup = SETTINGS.setup
        lineup = play.line_up(*self.job.teams, setup, block_seed(7, self.job.teams, 1))
        block = play.Block(setup, lineup, np.arange(5, 10)).play()
        scores = [json.loads(text) for text in column(played.games, "scores")]
        assert scores == block.scores.reshape(10, 2).tolist()
        leads = column(played.games, "lead")
        assert leads == differences(block.scores).ravel().tolist()
        takes = sum(column(played.games, "a_takes"))
        assert takes == play.by_team(lineup, block.counts["takes"])[:, 0].sum()
        assert [game[:2] for game in played.games] == [(5 + i // 2, i % 2) for i in range(10)]

    def test_again_it_is_the_same(self) -> None:
        assert play_block(self.job) == play_block(self.job)

    def test_an_agent_that_was_replaced_meanwhile_is_not_played(self) -> None:
        job = Job(SETTINGS, ("basic", "random"), 0, {"basic": "0" * 64}, 60.0, str(REPOSITORY))
        with pytest.raises(AgentChangedError, match="basic is not the agent"):
            play_block(job)

    @pytest.mark.parametrize(
        ("rules", "players", "episode"),
        [("classic", 3, "deal"), ("czech", 6, "deal"), ("hand_and_foot", 2, "match"),
         ("czech", 5, "deal"), ("latvian", 6, "deal")],
    )  # fmt: skip
    def test_other_tables(self, rules: str, players: int, episode: Any) -> None:
        settings = Settings(rules, players, 0, "zero", episode, "shared", 2, 2)
        games = play_block(Job(settings, ("basic", "random"), 0, {}, 60.0, ".")).games
        assert len(games) == 2 * settings.sides
        assert set(column(games, "status")) == {"ok"}
        assert all(len(game) == len(COLUMNS) for game in games)
        assert set(column(games, "deals")) == ({2} if episode == "match" else {1})
        assert set(column(games, "capped")) == {int(episode == "match")}


def written_network(folder: Path, seed: int) -> None:
    """A checkpoint's index and some bytes, enough to be described."""
    meta = {
        "rules": "classic", "players": 4, "trainer": "ppo",
        "actions": 0, "actions_hash": "", "observation_size": 0, "observation_hash": "",
        "network": {"kind": "mlp"}, "settings": {"seed": seed, "run": f"r{seed}", "deals": 5},
    }  # fmt: skip
    weights = {"w": np.full(3, seed, np.float32)}
    checkpoints.write(folder, meta, {"network": weights})


class TestAgents:
    def test_runs_that_differ_in_the_seed_alone_are_one_arm(self, tmp_path: Path) -> None:
        for seed in (1, 2):
            written_network(tmp_path / f"n{seed}", seed)
        one, two = (describe(str(tmp_path / f"n{seed}"), "classic", 4) for seed in (1, 2))
        assert one.arm == two.arm and one.arm is not None
        assert (one.training_seed, two.training_seed) == ("1", "2")
        assert one.hash != two.hash
        written_network(tmp_path / "n1", 2)
        assert describe(str(tmp_path / "n1"), "classic", 4).hash == two.hash

    def test_the_champion_is_known_by_its_network(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(shipped, "FOLDER", tmp_path)
        hashes = []
        for seed in (1, 2):
            written_network(tmp_path / "classic-4p", seed)
            hashes.append(describe("champion@0.5", "classic", 4).hash)
        assert hashes[0] != hashes[1] == describe("champion", "classic", 4).hash
        with pytest.raises(ValueError, match="no champion for russian"):
            describe("champion", "russian", 4)

    def test_a_checkpoint_for_another_game_is_refused(self, tmp_path: Path) -> None:
        written_network(tmp_path, 1)
        with pytest.raises(ValueError, match="made for other rules"):
            describe(str(tmp_path), "russian", 4)

    def test_bots_are_known_by_their_sources(self) -> None:
        basic, greedy = (describe(name, "classic", 4) for name in ("basic", "greedy"))
        assert basic.hash == greedy.hash != describe(f"{ODD}Lots", "classic", 4).hash
        assert basic.arm is None
