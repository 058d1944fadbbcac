"""The game in words: rules on one page, what a seat sees, the events of a game under way."""

from __future__ import annotations

import numpy as np
import pytest

from canasta_env import Game, Rules
from canasta_env.__main__ import main
from canasta_env.events import events
from canasta_env.events_live import LiveEvents
from canasta_env.render import words
from canasta_env.rules import preset_names
from canasta_env.text import protocol
from canasta_env.text.summary import rules_summary
from canasta_env.text.table import table_lines
from tests.playing import pick, play_some


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_fits_on_one_page(name: str) -> None:
    rules = Rules.preset(name)
    for players in rules.players:
        lines = rules_summary(rules, players).splitlines()
        assert 15 < len(lines) < 50 and max(map(len, lines)) <= 96
        text = " ".join(lines)
        assert f"for {players}, seats" in text and f"dealt {rules.at(players).hand} card" in text
        assert ("foot" in text.lower().split("going out:")[0]) == bool(rules.foot)
        assert ("sequence" in text) == rules.sequences


def test_changed_rules_read_changed() -> None:
    page = rules_summary(Rules.preset("classic"), 4)
    for change, old, new in (
        ("target=3000", "a side reaches 5000", "a side reaches 3000"),
        ("natural_canasta=777", "natural canasta 500", "natural canasta 777"),
        ("black_three=freeze", "they block it;", "they block it and freeze it;"),
        ("canastas_to_go_out=3", "needs 1 canasta for", "needs 3 canastas for"),
        ("take_onto=False", ", or onto an own meld", "one wild card. A"),
        ("asking=False", "ask the partner", "Concealed is"),
    ):
        other = " ".join(rules_summary(Rules.parse(f"classic({change})"), 4).split())
        assert old in " ".join(page.split()) and old not in other and new in other
    assert "partner" not in rules_summary(Rules.preset("classic"), 2)


@pytest.mark.parametrize("rules", ["classic", "czech", "hand_and_foot"])
def test_a_table_in_lines_holds_the_view_and_nothing_hidden(rules: str) -> None:
    rng = np.random.default_rng(6)
    game = play_some(Game(rules, seed=3), 60, rng)
    for seat in range(4):
        view = game.view(seat)[0]
        lines = table_lines(view, game.rules)
        assert lines == table_lines(game.determinize(seat, 1).view(seat)[0], game.rules)
        found = {line.partition(" ")[0]: line.partition(" ")[2] for line in lines}
        assert found["hand"] == (words.cards(view.hand) or "-") and found["stock"] == str(
            view.stock_size
        )
        assert found["pile"].startswith(f"{view.pile_size} top ")
        seats = [line.split() for line in lines if line.startswith("seat ")]
        assert [int(one[3]) for one in seats] == game.record.hand_sizes[:4].tolist()
        melded = sum(len(line.split()) - 2 for line in lines if line.startswith("meld "))
        assert melded == int(game.record.shown.sum()) - int(game.record.red_threes[:2].sum())


@pytest.mark.parametrize(("rules", "players"), [("classic", 4), ("czech", 3), ("hand_and_foot", 2)])
def test_live_events_are_the_events(rules: str, players: int) -> None:
    rng = np.random.default_rng(8)
    live = LiveEvents(Game(rules, players=players, seed=2))
    told: dict[int, list[str]] = {seat: [] for seat in range(players)}
    for _ in range(80):
        if live.game.over:
            break
        told[live.game.turn] += map(str, live.news(live.game.turn))
        live.play(pick(live.game, rng))
    for seat in range(players):
        told[seat] += map(str, live.news(seat))
        assert told[seat] == [str(event) for event in events(live.game, seat)]
    assert live.told == set(range(players)) and live.news(0) == []


def test_answers_are_read_with_patience_and_others_are_named() -> None:
    assert protocol.play("  play   meld K  K K\n") == "meld K K K"
    assert protocol.ready("ready my bot\n") == "my bot"
    for line in ("", "play", "draw", "ready x"):
        with pytest.raises(protocol.AnswerError, match="'play ACTION' was expected"):
            protocol.play(line)
    for line in ("ready ", "hello"):
        with pytest.raises(protocol.AnswerError, match="'ready NAME' was expected"):
            protocol.ready(line)


def test_the_command_prints_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["summary", "classic(target=3000)", "--players", "2"]) == 0
    page = capsys.readouterr().out
    assert page == rules_summary(Rules.parse("classic(target=3000)"), 2) + "\n"
    assert main(["summary", "clasic"]) == 2 and main(["summary", "russian", "--players", "3"]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert (
        errors[0].startswith("canasta_env summary: 'clasic' is not a preset") and len(errors) == 2
    )
