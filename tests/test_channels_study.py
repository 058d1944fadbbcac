"""The study of suits and the order of melds: exchanges, listening, the page at its smallest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from canasta_env.channels import ShownBatch
from experiments.channels import __main__ as command
from experiments.channels import findings
from experiments.channels.findings import ARMS
from experiments.channels.listening import exchanged, listening, seats_of
from tests.test_gap import here
from train import seeds


def parts(batch: ShownBatch, seen: Any) -> dict[str, Any]:
    """The shown pieces of observations (m, O), by name, one row a seat where there is one."""
    ends = np.cumsum([piece.size for piece in batch.pieces])[:-1]
    split = np.split(seen[:, batch.base.observation_size :], ends, axis=1)
    found = dict(zip((piece.name for piece in batch.pieces), split, strict=True))
    for name in ("meld_order", "last_discard_suit"):
        found[name] = found[name].reshape(len(seen), batch.players, -1)
    return found


@pytest.fixture(scope="module")
def batch() -> ShownBatch:
    """Games of ``mini`` in the middle, with two ranks that the partner melded in a turn."""
    batch = ShownBatch("mini", 200, players=4, seed=2, autoreset="same_step")
    rng = np.random.default_rng(3)
    for _ in range(60):
        batch.step((rng.random(batch.mask.shape) * batch.mask).argmax(axis=1))
    assert batch._order is not None
    partner = (batch.seat + 2) % 4
    batch._order.places[np.arange(200), partner, :3] = [2, 0, 1]
    batch._write()
    return batch


@pytest.mark.parametrize("whose", ["partner", "opponents"])
def test_an_exchange_changes_only_what_these_seats_show(batch: ShownBatch, whose: str) -> None:
    """The rest of the view stays; places stay among the ranks that were melded, suits as often as
    they were, and the top card's suit is still that of who threw it.
    """
    seats = seats_of(whose, 4, 2)
    assert seats == ([2] if whose == "partner" else [1, 3])
    seen = batch.observation
    changed = exchanged(batch, seen, seats, np.random.default_rng(1))
    own = batch.base.observation_size
    np.testing.assert_array_equal(changed[:, :own], seen[:, :own])
    before, after = parts(batch, seen), parts(batch, changed)
    np.testing.assert_array_equal(after["hand_suits"], before["hand_suits"])
    for seat in range(4):
        for name in ("meld_order", "last_discard_suit"):
            old, new = before[name][:, seat], after[name][:, seat]
            assert (old != new).any() == (seat in seats and bool((old.max(axis=0) > 0).sum() > 1))
            np.testing.assert_array_equal(np.sort(old, axis=1), np.sort(new, axis=1))
        np.testing.assert_array_equal(old.sum(axis=0), new.sum(axis=0))
    np.testing.assert_array_equal(before["meld_order"] > 0, after["meld_order"] > 0)
    top = before["pile_top_suit"]
    threw = top.any(axis=1) & (top == before["last_discard_suit"][:, 3]).all(axis=1)
    assert threw.sum() > 20
    np.testing.assert_array_equal(
        after["pile_top_suit"][threw], after["last_discard_suit"][threw, 3]
    )


def test_a_constant_cannot_be_exchanged(batch: ShownBatch) -> None:
    seen = batch.observation.copy()
    found = parts(batch, seen)
    for name in ("meld_order", "last_discard_suit"):
        ends = batch.base.observation_size + sum(
            piece.size for piece in batch.pieces[: [p.name for p in batch.pieces].index(name)]
        )
        seen[:, ends : ends + found[name][0].size] = 0
    changed = exchanged(batch, seen, [1, 2, 3], np.random.default_rng(1))
    np.testing.assert_array_equal(changed, seen)


class Reader:
    """Draws or discards whatever is first, and has a policy that follows the suit of a seat's last
    discard alone."""

    def __init__(self, seat: int) -> None:
        self.seat = seat

    def act(self, batch: Any, rows: Any) -> Any:
        return batch.mask[rows].argmax(axis=1)

    def policy(self, batch: Any, rows: Any) -> Any:
        """0.7 for the first action where the suit is clubs, else 0.3; the rest for the second."""
        clubs = parts(batch, batch.observation[rows])["last_discard_suit"][:, self.seat, 0] > 0
        first = np.where(clubs, 0.7, 0.3)
        return np.stack([first, 1 - first], axis=1)


def test_listening_is_found_where_it_is_and_nowhere_else() -> None:
    """Who reads the partner's suit hears the partner and not the opponents. Where an exchange puts
    clubs in or takes them out, the policy moves by 0.4 · ln(7/3) nats, elsewhere not at all.
    """

    def heard(whose: str) -> Any:
        batch = ShownBatch("mini", 120, shown=("order", "suits"), players=4, seed=1,
                           autoreset="off")  # fmt: skip
        return listening(Reader(2), batch, whose, seed=3)

    partner, opponents = heard("partner"), heard("opponents")
    assert opponents.nats == 0 < opponents.share
    assert 0.05 < partner.nats < 0.4 * np.log(7 / 3)


def test_the_page_comes_out_the_same_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From training to the drawing, and again from the runs there are, where words beside the
    figures stay.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(seeds, "train", here)
    for name, value in (("256", "16"), ("512", "64"), ("128", "8")):
        settings = [value if word == name else word for word in findings.SETTINGS]
        monkeypatch.setattr(findings, "SETTINGS", tuple(settings))
    small = ["--seeds", "2", "--deals", "20", "--decks", "4", "--asked", "4"]
    page, plot = Path("page.md"), Path("page/mini.svg")
    made = []
    for _ in range(2):
        assert command.main([*small, "--runs", "runs", "--page", str(page)]) == 0
        made.append((page.read_text(), plot.read_text()))
        page.write_text(made[0][0].replace("# Suits", "# Of suits"))
    assert made[1] == (made[0][0].replace("# Suits", "# Of suits"), made[0][1])
    for arm in ARMS:
        assert f"| {arm} |" in made[0][0]
    capsys.readouterr()
    assert command.main(["--seeds", "1"]) == 2
    assert "one seed says nothing" in capsys.readouterr().err
