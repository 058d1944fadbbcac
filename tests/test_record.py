"""Records: written byte for byte as they are read, and refused where they did not happen."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from canasta_env import Game
from canasta_env.record import Record, RecordError, RecordWriter, load_record, read_record
from tests.playing import TABLES, pick


def played(rules: str, players: int, seed: int, deals: int = 2, steps: int = 10_000) -> Game:
    """A random game of some deals, left after so many actions."""
    rng = np.random.default_rng(seed)
    stock: Any = ("shared", "seat_streams")[seed % 2]
    game = Game(rules, players=players, seed=seed, stock=stock)
    for _ in range(steps):
        if game.over:
            if game.match_over or game.deal >= deals:
                break
            game.next_deal()
        game.play(pick(game, rng))
    return game


@cache
def text_of(rules: str = "classic", players: int = 4, seed: int = 7) -> str:
    return RecordWriter(played(rules, players, seed)).text()


def by_hand(text: str) -> str:
    """The record without its hash, as somebody would write it."""
    return re.sub(r"(?m)^(end|stopped) \w+$", r"\1", text)


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_a_game_is_read_back_byte_for_byte(rules: str, players: int) -> None:
    for seed in range(3):
        game = played(rules, players, seed, deals=3)
        writer = RecordWriter(game, [f"player {seat}: é" for seat in range(players)])
        record = read_record(writer.text())
        assert str(record) == writer.text()
        assert str(read_record(by_hand(writer.text()))) == writer.text()
        assert record.names == writer.names
        assert record.game.record.tobytes() == game.record.tobytes()
        assert record.game.deals == game.deals and record.game.match_over == game.match_over


@settings(max_examples=25)
@given(table=st.sampled_from(TABLES), seed=st.integers(0, 2**40), steps=st.integers(0, 400))
def test_a_game_may_be_left_at_any_time(table: tuple[str, int], seed: int, steps: int) -> None:
    game = played(*table, seed, steps=steps)
    text = RecordWriter(game).text()
    assert text.splitlines()[-1].startswith("end " if game.over else "stopped ")
    again = read_record(text)
    assert str(again) == text and again.game.deals == game.deals


def test_a_match_goes_on_where_its_record_stops() -> None:
    game = played("classic(target=900)", 4, 2, steps=70)
    again = read_record(RecordWriter(game).text()).game
    ends = []
    for one in (game, again):
        rng = np.random.default_rng(0)
        while not one.match_over:
            if one.over:
                one.next_deal()
            one.play(pick(one, rng))
        ends.append((RecordWriter(one).text(), one.scores))
    assert ends[0] == ends[1]


def test_what_was_given_to_a_game_is_in_its_record() -> None:
    deck = np.random.default_rng(0).permutation(Game(players=2).deck).tolist()
    rules = "classic(red_threes_unmelded=for, minimums={2: ((None, 15),), 4: ((None, 20),)}, "
    rules += "players=(2, 4))"
    given = {"deck": deck, "dealer": 1, "scores": [-35, 1700], "deal": 5}
    game = Game(rules, players=2, seed=2**62, stock="seat_streams", **given)
    game.play("draw")
    again = read_record(RecordWriter(game).text()).game
    assert again.record.tobytes() == game.record.tobytes()
    assert again.deck.tolist() == deck and again.deal == 5


def test_a_next_deal_takes_a_deck() -> None:
    game = played("classic", 4, 3, deals=1)
    deck = game.deck[::-1].tolist()
    number = game.deal
    with pytest.raises(ValueError, match="deck: JK is there 0 times"):
        game.next_deal("4 5 6")
    assert game.over and game.deal == number
    game.next_deal(deck)
    assert game.deck.tolist() == deck and game.deal == number + 1
    assert str(read_record(text := RecordWriter(game).text())) == text


def test_the_writer_follows_the_game() -> None:
    game = Game(seed=1)
    writer = RecordWriter(game)
    first = writer.record()
    game.play("draw")
    assert ": draw\n" in writer.text() and ": draw\n" not in str(first)
    assert read_record(writer.text()).game.phase == "meld"


@pytest.mark.parametrize("names", [["a"], ["a", "b", "c", ""], ["a", "b", "c", "d\n"], [" a"] * 4])
def test_wrong_names_are_refused(names: list[str]) -> None:
    with pytest.raises(ValueError, match="name"):
        RecordWriter(Game(), names)


def test_a_position_has_no_record() -> None:
    game = Game(seed=1)
    for other in (Game.from_position(game.to_position()), game.determinize(0, 0)):
        with pytest.raises(ValueError, match="position"):
            RecordWriter(other)


def refused(text: str) -> RecordError:
    with pytest.raises(RecordError) as caught:
        read_record(text)
    line, column = caught.value.place.line, caught.value.place.column
    lines = text.split("\n")
    assert 1 <= line <= len(lines) and 1 <= column <= len(lines[line - 1]) + 1
    assert str(caught.value).startswith(f"line {line}, column {column}: ")
    assert "\n" not in str(caught.value)
    return caught.value


def refused_bytes(data: bytes, folder: Path) -> Record | None:
    """The record of a file, None if it is refused with a place that the file has."""
    file = folder / "record.txt"
    file.write_bytes(data)
    try:
        return load_record(file)
    except RecordError as error:
        lines = data.decode(errors="replace").replace("\r\n", "\n").split("\n")
        place = error.place
        assert 1 <= place.line <= len(lines) and 1 <= place.column <= len(lines[place.line - 1]) + 1
        assert str(error).startswith(f"line {place.line}, column {place.column}: ")
    return None


def changed(text: str, data: st.DataObject) -> tuple[bytes, bytes]:
    """A text's bytes, and the same with one of them changed to another."""
    before = text.encode()
    at = data.draw(st.integers(0, len(before) - 1) | st.integers(0, 400), label="place")
    at = min(at, len(before) - 1)
    likely = st.sampled_from(b"0123456789JKQA23rbseat -:,\n\r\t\x1c")
    byte = data.draw((likely | st.integers(0, 255)).filter(lambda one: one != before[at]))
    return before, before[:at] + bytes([byte]) + before[at + 1 :]


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=st.sampled_from(TABLES), data=st.data())
def test_one_changed_byte_is_refused(
    table: tuple[str, int], data: st.DataObject, tmp_path: Path
) -> None:
    before, after = changed(text_of(*table), data)
    record = refused_bytes(after, tmp_path)
    # the last line break says nothing: the hash stands before it
    assert record is None or (after[:-1] == before[:-1] and str(record).encode() == before)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=st.sampled_from(TABLES), data=st.data())
def test_a_changed_byte_in_a_record_by_hand_is_refused_or_read_as_written(
    table: tuple[str, int], data: st.DataObject, tmp_path: Path
) -> None:
    _, after = changed(by_hand(text_of(*table)), data)
    record = refused_bytes(after, tmp_path)
    if record is not None:
        written = by_hand(str(record)).encode()
        assert re.sub(rb"\s", b"", written) == re.sub(rb"\s", b"", after)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=st.sampled_from(TABLES), data=st.data())
def test_a_piece_left_out_or_doubled_is_refused(
    table: tuple[str, int], data: st.DataObject, tmp_path: Path
) -> None:
    text = text_of(*table).encode()
    start = data.draw(st.integers(0, len(text) - 2))
    stop = data.draw(st.integers(start + 1, min(start + 90, len(text) - 1)))
    piece = data.draw(st.sampled_from([b"", 2 * text[start:stop]]))
    assert refused_bytes(text[:start] + piece + text[stop:], tmp_path) is None


def test_the_space_before_the_hash_counts_too() -> None:
    text = text_of()
    assert "hash" in str(refused(text.replace("\nend ", "\nend\t")))
    assert "hash" in str(refused(text.replace("\nend ", "\n end ")))


def test_a_record_cut_short_is_refused() -> None:
    for text in (text_of(), by_hand(text_of())):
        # the last line break alone says nothing more, if there is a hash
        for length in [*range(0, len(text) - 40, 61), *range(len(text) - 40, len(text) - 1)]:
            refused(text[:length])
    refused(by_hand(text_of())[:-1])
    assert read_record(text_of()[:-1])


def test_line_breaks_of_other_systems_are_read() -> None:
    assert str(read_record(text_of().replace("\n", "\r\n"))) == text_of()


def edited(pattern: str, change: str, text: str = "") -> str:
    text = by_hand(text or text_of())
    edit = re.sub(pattern, change, text, count=1, flags=re.MULTILINE)
    assert edit != text
    return edit


WRONG: list[tuple[str, str, str]] = [
    (r"^canasta record 1", "canasta record 2", "this is not a record"),
    (r"^rules: classic", "rules: clasic", "'clasic' is not a preset.*did you mean classic"),
    (r"^rules: classic", "rules: czech", "actions: czech has the table"),
    (r"^rules: classic", "rules: hungarian", "actions: hungarian has the table"),
    (r"^players: 4", "players: 5", "players: 5 cannot play classic"),
    (r"^players: 4", "players: four", "players: 'four' is not a whole number"),
    (r"^players: 4", "players: 2", "seat 2: classic with 2 players has no such seat"),
    (r"^version:.*\n", "", "version is missing"),
    (r"^version:", "versoin:", "'versoin' is not a key; keys are rules"),
    (r"^version: .*", "version:", "version: '' is not a value"),
    (r"^(seed: .*)", r"\1\n\1", "seed: given twice"),
    (r"^seed: ", "seed: -", "seed: -7 is not possible; 0 to"),
    (r"^stock: .*", "stock: deep", "stock: 'deep' is not possible; shared or seat_streams"),
    (r"^seat 3.*\n", "", "seat 3 is missing"),
    (r"^deal 1", "deal 0", "deal: 0 is not possible"),
    (r"^deal 2", "deal 3", "deal: 3 is written; it is 2"),
    (r"^dealer: \d", "dealer: 4", "dealer: 4 is not possible; 0 to 3"),
    (r"^dealer: \d", "dealr: 1", "'dealr' is not the key that is needed here: dealer"),
    (r"^scores: 0 0", "scores: 0", "scores: 1 numbers; one a side needed: 2"),
    (r"^(deal 2\n.*\nscores: )", r"\g<1>1", r"scores: 1.* is written; it is "),
    (r"^(deck:\n  )", r"\g<1>8x ", "deck: '8x' is not a card"),
    (r"^(deck:\n  )", r"\g<1>JK ", "deck: JK is there more than 4 times"),
    (r"^(deck:\n  )\S+", r"\1", r"deck: \S+ is there \d times; the deck has \d"),
    (r"^(\d: draw)", r"\1 2", "'draw 2' is not an action"),
    (r"^(\d: )draw", r"\1discard JK", "discard JK: seat . must draw or take the pile first"),
    (r"^(\d: draw)", r"\1, draw", "draw: seat . has drawn"),
    (r"^(\d: draw,.*)", r"\1, draw", "draw: it is the turn of seat ., on a new line"),
    (r"^((\d): draw,.*)", r"\1\n\2: draw", "it is the turn of seat ., not ."),
    (r"^ended: .*", "ended: somehow", "ended: the deal ended otherwise: "),
    (r"^ended: ", "how: ", "'how' is not the key that is needed here: ended"),
    (r"^score sheet.*", "score sheet", "the heading is score sheet, side 0, side 1"),
    (r"^canastas .*\n", "", "the row 'canastas' of the score sheet is missing"),
    (r"^(canastas +)", r"\g<1>1", "canastas: 1.* is written; it is "),
    (r"^(total .*)", r"\1 0", "total: 3 numbers; one a side needed: 2"),
    (r"^end\n", "stopped\n", "the deal is over; the last line is 'end'"),
    (r"^end\n", "end\nmore\n", "nothing follows after 'end'"),
    (r"^end\n", "end 0123456789abcdef 1\n", "nothing follows after the hash"),
    (r"^end\n", "end 0123456789abcdef\n", "the hash is another"),
    (r"^end\n", "fin\n", "'fin' is not understood; a deal or the end is needed here"),
]


@pytest.mark.parametrize(("pattern", "change", "message"), WRONG)
def test_errors_say_what_is_wrong(pattern: str, change: str, message: str) -> None:
    assert re.search(message, str(refused(edited(pattern, change))))


def test_errors_name_the_place() -> None:
    text = by_hand(text_of())
    lines = text.split("\n")
    turn = next(i for i, line in enumerate(lines) if re.match(r"\d: draw, discard", line))
    column = lines[turn].index("discard") + 1
    lines[turn] = lines[turn].split(", ")[0] + ", meld K K K, meld A A A"
    found = refused("\n".join(lines)).place
    assert (found.line, found.column) == (turn + 1, column)
    lines = text.split("\n")
    total = next(i for i, line in enumerate(lines) if line.startswith("total"))
    column = len(lines[total]) - len(lines[total].split()[-1]) + 1
    lines[total] = lines[total][: column - 1] + "7"
    found = refused("\n".join(lines)).place
    assert (found.line, found.column) == (total + 1, column)


def test_a_deal_after_the_end_of_the_match_is_refused() -> None:
    text = RecordWriter(played("classic(target=5)", 4, 3, deals=1)).text()
    deal = text[text.index("\ndeal 1") : text.index("\n\nend")].replace("deal 1", "deal 2")
    assert "the match is over" in str(refused(by_hand(text).replace("\n\nend", deal + "\n\nend")))
    stopped = by_hand(RecordWriter(played("classic", 4, 3, steps=20)).text())
    assert "not over" in str(refused(stopped.replace("\nstopped", deal + "\nstopped")))
    assert "actions are missing" in str(refused(stopped.replace("\nstopped", "\nend")))


@pytest.mark.parametrize("text", ["", "\n", "x", "{}", "\udcff", "canasta record 1", "\0" * 100])
def test_other_texts_are_refused(text: str) -> None:
    refused(text)


def test_a_save_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "game.txt"
    file.write_text("old")

    def fill_the_disk(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", fill_the_disk)
    with pytest.raises(OSError, match="no space"):
        RecordWriter(played("classic", 2, 5)).save(file)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    RecordWriter(played("russian", 4, 5), ["Ёж", "b", "c", "d"]).save(file)
    record = load_record(file)
    assert isinstance(record, Record) and record.names[0] == "Ёж"
    assert file.read_bytes() == str(record).encode()
    file.write_bytes(file.read_bytes()[:30] + b"\xff\xfe")
    with pytest.raises(RecordError, match=r"line 2, column 14: .*not text in UTF-8"):
        load_record(file)
    with pytest.raises(OSError, match="missing"):
        load_record(tmp_path / "missing")
