"""A person plays in the terminal: whole games through the input, and what goes wrong."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agents import shipped
from agents.play import session as sessions
from agents.play import show
from agents.play.__main__ import main
from agents.play.menu import Menu, Unclear
from agents.play.seating import Seating, seat_all
from canasta_env.game import Game
from canasta_env.record import RecordWriter, load_record
from canasta_env.rules import Rules

BASIC = ["--opponents", "basic", "--partner", "basic"]
Play = Callable[..., tuple[int, str, str]]


@pytest.fixture
def play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Play:
    """Plays in a folder of its own; the status, what was printed, and what was printed of errors.
    The list of typed lines is followed by the number 1 for ever if ``go_on``.
    """
    monkeypatch.chdir(tmp_path)

    def run(*options: str, typed: list[str] | None = None, go_on: bool = False) -> Any:
        lines = [*(typed or []), *(["1"] * 3000 if go_on else [])]
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        status = main([*options])
        return status, *capsys.readouterr()

    return run


# --- whole games ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "others"),
    [
        (["--rules", "classic"], "basic 1, basic 2, basic 3"),
        (["--rules", "czech", "--players", "5", "--seat", "3"], "basic 4"),
        (["--rules", "hand_and_foot", "--seat", "2"], "basic 3"),
        (["--rules", "hungarian", "--players", "2", "--opponents", "greedy"], "greedy 1"),
        (["--players", "6", "--partner", "basic+greedy"], "basic 2, basic 3, greedy 4, basic 5"),
    ],
)
def test_a_whole_deal_by_numbers(
    play: Play, tmp_path: Path, options: list[str], others: str
) -> None:
    status, out, err = play(
        *BASIC, *options, "--seed", "3", "--deal", "--log", "game.txt", go_on=True
    )
    assert (status, err) == (0, "")
    assert others in out
    record = load_record(tmp_path / "game.txt")
    assert record.game.over and record.names.count("you") == 1
    assert re.search(r"(win|wins) the deal, |the deal is a draw", out)
    totals = [f"{score:,}" for score in record.game.scores]
    sheet = next(line for line in out.splitlines() if line.startswith("deal score"))
    assert sheet.split()[2:] == totals
    assert "player_" not in out
    for line in out.splitlines():  # what others drew is only counted
        for drawn in re.findall(r"^(?!you\b).*: draw ([^,]*)", line):
            assert re.fullmatch(r"\d+ cards?|nothing", drawn)


def test_a_match_goes_on_until_the_target(play: Play, tmp_path: Path) -> None:
    rules = "classic(target=400)"
    typed = ["1"] * 400 + ["", "score"]
    lines = ["1" if i % 3 else "" for i in range(3000)]  # Enter, where a deal is to be dealt
    status, out, _ = play(*BASIC, "--rules", rules, "--seed", "2", "--log", "m.txt", typed=lines)
    assert status == 0 and typed
    game = load_record(tmp_path / "m.txt").game
    assert game.match_over and max(game.scores) >= 400
    assert ("Enter: the next deal> " in out) == (game.deal > 1)
    assert "the match, " in out and "saved: m.txt" in out


def test_the_champion_is_the_default_opponent(play: Play) -> None:
    assert shipped.has_champion("classic", 4)
    status, out, _ = play("--seed", "3", typed=["1", "hint", "hint basic"])
    assert status == 0
    assert "you, champion 1, basic 2, champion 3" in out
    assert re.search(r"^champion would: (meld|add|discard|ask)", out, re.MULTILINE)
    assert re.search(r"^basic would: ", out, re.MULTILINE)


@pytest.mark.parametrize(("patience", "times"), [(-1.0, 3), (1e9, 1)])
def test_who_waits_long_is_told_turn_by_turn(
    play: Play, monkeypatch: pytest.MonkeyPatch, patience: float, times: int
) -> None:
    told: list[int] = []

    def count(self: sessions.Session, events: list[Any]) -> None:
        told.append(len(events))

    monkeypatch.setattr(sessions, "_PATIENCE", patience)
    monkeypatch.setattr(sessions.Session, "_show", count)
    monkeypatch.setattr(sessions.Session, "_list", lambda self: told.append(0))
    play(*BASIC, "--seed", "9", typed=["quit"])
    assert told.index(0) == times  # until the first question


# --- leaving and going on ------------------------------------------------------------------------


@pytest.mark.parametrize("last", [["quit"], ["Q"], []])
def test_leaving_says_how_to_go_on(play: Play, tmp_path: Path, last: list[str]) -> None:
    status, out, _ = play(*BASIC, "--seed", "5", typed=["1", "1", "1", *last])
    assert status == 0
    assert out.endswith("saved: canasta-5.txt; to go on: python -m agents.play "
                        "--resume canasta-5.txt\n")  # fmt: skip
    before = load_record(tmp_path / "canasta-5.txt").game
    status, out, _ = play("--resume", "canasta-5.txt", "--deal", go_on=True)
    assert status == 0
    assert "deal 1: " not in out  # what was told before the person left is not told again
    after = load_record(tmp_path / "canasta-5.txt").game
    assert after.over and after.deals[0].actions[: len(before.deals[0].actions)] == (
        before.deals[0].actions
    )
    assert play("--resume", "canasta-5.txt", typed=["score", "hint", "? draw", "x", "quit"])[0] == 0


def test_a_second_game_of_a_seed_has_another_file(play: Play, tmp_path: Path) -> None:
    for _ in range(2):
        play(*BASIC, "--seed", "5", typed=["quit"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["canasta-5-2.txt", "canasta-5.txt"]


def test_ctrl_c_saves(play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sessions.Session, "_hint", interrupt)
    status, out, _ = play(*BASIC, "--seed", "5", typed=["1", "hint"])
    assert status == 130 and "--resume canasta-5.txt" in out
    assert (tmp_path / "canasta-5.txt").exists()


def test_the_log_is_kept_turn_by_turn(play: Play, tmp_path: Path) -> None:
    """It is there, and whole, before the person leaves."""
    play(*BASIC, "--seed", "5", "--log", "a.txt", typed=["save b.txt", "1", "save no/c.txt"])
    assert len(load_record(tmp_path / "a.txt").game.deals[0].actions) > len(
        load_record(tmp_path / "b.txt").game.deals[0].actions
    )
    assert play(*BASIC, "--log", "a.txt")[::2] == (
        2, "agents.play: --log a.txt: exists; choose another name, or --resume it\n"
    )  # fmt: skip


def test_a_disk_that_is_full_does_not_end_the_game(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(RecordWriter, "save", full)
    status, out, _ = play(*BASIC, "--seed", "5", "--deal", go_on=True)
    assert status == 0 and "the deal, " in out
    status, out, _ = play(*BASIC, "--seed", "5", typed=["quit"])
    assert status == 0
    assert out.endswith("not saved: canasta-5.txt: No space left on device\n")


# --- wrong options and wrong input ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rules", "klassic"], "klassic"),
        (["--players", "5"], "5"),
        (["--seat", "4"], "--seat 4: the seats are 0 to 3"),
        (["--opponents", "basik"], "did you mean basic?"),
        (["--opponents", "a+b+c"], "--opponents a+b+c: 3 names given, for 2 seats"),
        (["--partner", "you"], "'you' is the person at the terminal"),
        (["--rules", "tiny", "--players", "2", "--opponents", "champion"], "no champion for tiny"),
        (["--seed", "-1"], "seed=-1 is not possible"),
        (["--resume", "nothing.txt"], "nothing.txt: No such file"),
        (["--resume", "x.txt", "--seat", "0"], "--seat belongs to a new game; --resume takes it"),
        (["--log", "no/such/folder.txt"], "not saved: no/such/folder.txt: No such"),
    ],
)
def test_wrong_options_are_one_line(play: Play, options: list[str], message: str) -> None:
    status, out, err = play(*options)
    assert (status, out) == (2, "")
    assert message in err and err.startswith("agents.play: ") and err.count("\n") == 1


@pytest.mark.parametrize("names", [["a", "b", "c", "d"], ["you", "you", "basic", "basic"]])
def test_records_of_others_are_refused(play: Play, tmp_path: Path, names: list[str]) -> None:
    RecordWriter(Game(seed=1), names).save(tmp_path / "r.txt")
    assert "is called 'you'" in play("--resume", "r.txt")[2]
    (tmp_path / "r.txt").write_text("no record")
    assert play("--resume", "r.txt")[2].startswith("agents.play: r.txt: line 1")


@pytest.mark.parametrize(
    "typed",
    ["99", "0", "-1", "9" * 5000, "x" * 5000, "meld", "meld ? ?", "take", "\x00", "ä ö",
     "discard 3r", "? nonsense", "? 99", "?", "? draw", "hint nobody", "hint no.such:thing",
     "table", "HAND", "history", "score", "actions", "help", "", "   ", "'", "🂡"],
)  # fmt: skip
def test_no_input_ends_the_game(play: Play, typed: str) -> None:
    status, out, err = play(*BASIC, "--seed", "9", typed=[typed, "draw", typed, "quit"])
    assert (status, err) == (0, "")
    assert "saved: canasta-9.txt" in out


def test_an_agent_that_cheats_ends_it_in_one_line(play: Play) -> None:
    status, out, err = play("--opponents", "tests.odd_agents:Cheats", "--seed", "1", go_on=True)
    assert status == 2 and err.count("\n") == 1
    assert "--resume canasta-1.txt" in out


# --- the menu -----------------------------------------------------------------------------------


def menu(hand: str, **more: Any) -> Menu:
    """The menu of a seat that has drawn and holds ``hand``."""
    position = {"rules": "classic", "phase": "meld", "turn": 0, "hands": {0: hand}, **more}
    return Menu(Game.from_position(position))


HAND = "K K K 10 10 JK 2 2 5 J"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("meld K K K", "meld K K K"),
        ("m k k k", "meld K K K"),
        ("MELD k K jk", "meld K K JK"),
        ("meld JK K K", "meld K K JK"),
        ("m jk 10 10", "meld 10 10 JK"),
        ("disc 5", "discard 5"),
        ("d J", "discard J"),
        ("discard 10", "discard 10"),
    ],
)
def test_texts_are_understood(typed: str, meant: str) -> None:
    offered = menu(HAND, melds={0: ["Q Q Q"]}, melded=[True, False])
    assert offered.texts[offered.ids.index(offered.choose(typed))] == meant


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("meld K", "which?"),
        ("d", "which?"),
        ("d 1", "not an action"),  # neither 10 nor J is meant
        ("discard Q", "not possible: "),
        ("extend", "extend: nothing of the kind is possible now"),
        ("draw", "not possible: seat 0 has drawn already"),
        ("fold", "'fold' is neither an action nor a command"),
        ("17000", "there is no 17000; the numbers are 1 to"),
    ],
)
def test_what_means_no_action(typed: str, message: str) -> None:
    with pytest.raises(Unclear) as unclear:
        menu(HAND, melds={0: ["Q Q Q"]}, melded=[True, False]).choose(typed)
    assert message in str(unclear.value)


def test_numbers_are_those_of_the_list() -> None:
    """All actions have one, also those that are not shown; no line is wider than asked for."""
    hand = "Kc Kd Kh 10c 10d 10h JK 2 2 5c Jd 4c 6d 7h 8s 9c Qh Ac 3b"
    offered = menu(hand, rules="czech", melds={0: ["Qc Qd Qh"]}, melded=[True, False])
    lines = offered.lines(60)
    assert max(map(len, lines)) <= 60
    shown = dict(re.findall(r"(\d+)\) ((?:\S+ )*\S+)", "\n".join(lines)))
    assert "1" in shown
    for number, cards in shown.items():
        assert offered.texts[int(number) - 1].endswith(cards)
        assert offered.choose(number) == offered.ids[int(number) - 1]
    assert offered.texts[-2:] == ["discard JK", "discard 2"]
    assert re.search(r"and \d+ more: type discard", lines[-1])
    assert str(len(offered.ids)) not in shown


def test_the_partner_is_answered() -> None:
    position = {
        "rules": "classic", "phase": "answer", "turn": 0, "hands": {0: "4 5", 2: "K K K 9"},
        "melds": {0: ["Q Q Q Q Q Q Q"]}, "turn_state": {"asked": "open", "asker": 2},
    }  # fmt: skip
    game = Game.from_position(position)
    seating = seat_all(game.rules, 4, 0, "basic", "greedy")
    assert "you answer basic 2: may I go out?" in show.own(game, seating)
    offered = Menu(game)
    assert offered.texts == ["yes", "no"]
    assert offered.lines() == ["  yes      1) yes", "  no       2) no"]
    assert game.table.texts[offered.choose("y")] == "yes"
    assert seating.named(offered.why("draw")).startswith("draw: not possible: you must answer")


# --- what is shown ------------------------------------------------------------------------------


@pytest.mark.parametrize(("rules", "players"), [("classic", 4), ("czech", 4), ("hand_and_foot", 2)])
def test_nothing_hidden_is_shown(rules: str, players: int) -> None:
    """Where all that the person cannot know is drawn anew, the same is shown and offered."""
    game = Game(rules, players=players, seed=8)
    seating = seat_all(Rules.parse(rules), players, 0, "basic", "basic")
    looked = 0
    for turn in range(120):
        if game.over:
            break
        if game.turn == 0:
            looked += 1
            world = game.determinize(0, turn)
            assert world.to_position() != game.to_position()
            for part in (show.table, show.own, show.scores):
                assert part(world, seating) == part(game, seating)
            ours, theirs = Menu(game), Menu(world)
            assert ours.lines() == theirs.lines()
            for text in game.table.texts[:: 1 + len(game.table) // 40]:
                assert ours.why(text) == theirs.why(text)
        game.play(game.legal()[turn % 7 % len(game.legal())])
    assert looked >= 10


@pytest.mark.parametrize(("name", "called"), [
    ("runs/classic/last", "classic 1"), ("runs/classic@0.5", "classic@0.5 1"), ("basic", "basic 1"),
    ("champion", "champion 1"), ("a.module:Maker", "Maker 1"), ("x" * 40, "x" * 16 + " 1"),
])  # fmt: skip
def test_agents_are_called_shortly(name: str, called: str) -> None:
    assert Seating(("you", name), 2).called(1) == called


def test_colours_change_no_word(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = play(*BASIC, "--seed", "3", "--deal", go_on=True)[1]
    assert "\x1b" not in plain
    monkeypatch.setattr(show, "colours_wanted", lambda: True)
    coloured = play(*BASIC, "--seed", "3", "--deal", go_on=True)[1]
    assert "\x1b[1m" in coloured and "\x1b[32m" in coloured
    assert re.sub(r"\x1b\[\d+m", "", coloured) == plain
