"""A match's records: the first decks at all their tables, replayed to the scores of the result."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from canasta_env.record import load_record
from experiments.match import main


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--episode", "match", "--rules", "russian(target=1500)", "--stock", "shared"],
        ["--rules", "hand_and_foot", "--scores", "spread"],
        ["--players", "3", "--rules", "classic", "--episode", "match", "--max-deals", "2"],
    ],
)
def test_records_replay_to_the_scores_of_the_result(tmp_path: Path, options: list[str]) -> None:
    sides = 3 if "--players" in options else 2
    arguments = ["greedy", "random", "--pairs", "4", "--seed", "5", *options]
    arguments += ["--records", str(tmp_path / "records"), "--record-decks", "2"]
    assert main([*arguments, "--json", str(tmp_path / "result.json")]) == 0
    folder = tmp_path / "records" / "greedy-against-random"
    files = sorted(folder.iterdir())
    assert [file.name for file in files] == [
        f"deck-{deck:05d}-table-{table}.txt" for deck in range(2) for table in range(sides)
    ]
    result = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    scores = result["matches"][0]["scores"]
    for number, file in enumerate(files):
        record = load_record(file)
        deck, table = divmod(number, sides)
        game = record.game
        played = game.scores if "match" in options else game.deal_scores
        assert played == scores[deck][table]
        names = ["random"] * game.players
        names[table::sides] = ["greedy"] * len(names[table::sides])
        assert list(record.names) == names
        assert game.over


def test_records_are_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["random", "greedy", "--pairs", "2", "--records", str(tmp_path)]
    assert main(arguments) == 0
    assert main(arguments) == 2
    assert "--force overwrites its records" in capsys.readouterr().err
    assert main([*arguments, "--force"]) == 0
