"""One game of the kernels for the AEC environment: its arrays, its copies, its full state."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from canasta_env.compile import ensure_compiled
from canasta_env.engine.state import PackedRules, copy_records, new_games
from canasta_env.observation import Piece, pieces
from canasta_env.rules import Rules

ensure_compiled()

from canasta_env import kernels  # noqa: E402  (its import loads the compiled code)
from canasta_env.aec_kernel import place, stepper  # noqa: E402  (so does its)


class Table:
    """One game, its slot and settings, the rows that a step writes, and the workspace of a call.

    Attributes:
        game, slot, settings: records, as arrays of length one; what a state consists of.
        scale: float32 (O,), by which an observation's bytes are multiplied.
        observation: float32 (O,), that of the seat to act, as the last call wrote it.
        mask: int8 (A,), its legal actions.
        legal: the same memory, faster to read one by one.
        rules: the packed rules.
        workspace: a view, its bytes, a scratch and a deck.
    """

    def __init__(
        self, rules: Rules, packed: PackedRules, scale: npt.NDArray[np.float32], actions: int
    ) -> None:
        kinds = kernels.kinds_for(rules)
        self.kernels = kernels.kernels_for(rules)
        self._step = stepper(rules)
        self.rules = kernels.plain(packed)
        self.sides = int(packed[0].sides)
        self.scale = scale
        self.game = kernels.plain(new_games(1, kinds))
        self.slot = kernels.plain(np.zeros(1, kernels.SLOT_DTYPE).view(np.recarray))
        self.slot["who"] = kernels.TO_ACT
        self.settings = kernels.plain(np.zeros(1, kernels.SETTINGS_DTYPE).view(np.recarray))
        self._rows = np.zeros((1, len(scale)), np.uint8), np.zeros((1, actions), np.bool_)
        self.observation: npt.NDArray[np.float32] = np.zeros(len(scale), np.float32)
        self.workspace = kernels.workspace(kinds)
        self._attach()

    def _attach(self) -> None:
        """Name the parts of the arrays that a step reads and writes."""
        self.mask: npt.NDArray[np.int8] = self._rows[1][0].view(np.int8)
        self.legal = memoryview(self.mask)
        self.bytes = kernels.as_bytes(self.game)
        self._place: Any = None  # made by the first step: most copies only look

    @property
    def record(self) -> Any:
        """The game's record, with fields as attributes; slow, so not for every step."""
        return self.game.view(np.recarray)[0]

    @property
    def paid(self) -> Any:
        """The slot's record: rewards and flags of the last step."""
        return self.slot.view(np.recarray)[0]

    def play(self, action: int) -> int:
        """Play a legal action and write what the next seat sees.

        Returns that seat, times two, and one more if a deal ended.
        """
        if self._place is None:
            records = self.game, self.bytes, self.slot, self.rules, self.settings
            arguments = *records, *self.workspace, 0, 1, *self._rows
            self._place = place(arguments, self.scale, self.observation)
        return self._step(self._place, action)

    def refresh(self) -> int:
        """The same without an action, after the game has been changed from outside."""
        return self.play(kernels.WATCH)

    def deck(self, match_seed: int, deal: int) -> npt.NDArray[np.uint8]:
        """The deck, kinds in the order of dealing, of a match's deal."""
        cards = np.zeros(int(self.rules["cards"][0]), np.uint8)
        self.kernels.make_deck(self.rules, match_seed, deal, cards)
        return cards

    def begin_episode(self) -> None:
        """Start the next episode; the rows are not written."""
        records = self.game, self.slot, self.rules, self.settings
        self.kernels.reset_games(*records, self.workspace[3], 0, 1)

    def view(self, seat: int, recall: bool) -> Any:
        """What any seat may know, in the workspace: overwritten by the next call."""
        views, view_bytes = self.workspace[:2]
        self.kernels.view_game(
            self.game, self.bytes, 0, self.rules, seat, recall, views, view_bytes, 0
        )
        return views

    def look(self, seat: int, recall: bool, out: npt.NDArray[np.uint8]) -> None:
        """Write the observation of any seat into ``out``, uint8 (O,)."""
        view = self.view(seat, recall)
        self.kernels.encode_view(view, 0, self.rules, out)

    def resample(self, seat: int, seed: int) -> bool:
        """Draw all that a seat cannot know anew; False if no world was found."""
        scratch = self.workspace[2]
        return bool(self.kernels.determinize_game(self.game, 0, self.rules, seat, seed, scratch))

    def copy(self) -> Table:
        """An independent table in the same state."""
        other = object.__new__(Table)
        other.rules, other.sides, other.scale = self.rules, self.sides, self.scale
        other.kernels, other._step = self.kernels, self._step
        other.game, other.slot = copy_records(self.game), copy_records(self.slot)
        other.settings = copy_records(self.settings)
        features, mask = self._rows
        other._rows = features.copy(), mask.copy()
        other.observation = self.observation.copy()
        views, _, scratch, deck = self.workspace
        views = copy_records(views)
        # a workspace of its own: kernels run without the GIL
        other.workspace = views, kernels.as_bytes(views), np.empty_like(scratch), deck.copy()
        other._attach()
        return other

    def save(self) -> tuple[bytes, bytes, bytes]:
        """The state as bytes."""
        return self.game.tobytes(), self.slot.tobytes(), self.settings.tobytes()

    def load(self, state: tuple[bytes, bytes, bytes]) -> None:
        """Take over what :meth:`save` gave, and write the rows of it."""
        for array, data in zip((self.game, self.slot, self.settings), state, strict=True):
            kernels.as_bytes(array)[0] = np.frombuffer(data, np.uint8)
        self.refresh()


def state_pieces(rules: Rules, players: int) -> tuple[Piece, ...]:
    """The pieces of the full state: the observation of seat 0, then all that it cannot see.

    Counts by kind are divided by the number of such cards in the deck, so they are exact; the
    order of the stock is not part of it.
    """
    found = [*pieces(rules, players)]
    kinds = kernels.kinds_for(rules)
    for seat in range(players):
        meaning = f"the share of each kind that is in seat {seat}'s hand"
        found.append(Piece(f"hand_of[{seat}]", kinds, 0, meaning))
    if rules.at(players).foot:
        for seat in range(players):
            found.append(Piece(f"foot_of[{seat}]", kinds, 0, f"the same of seat {seat}'s foot"))
    found.append(Piece("stock", kinds, 0, "the same of the stock"))
    return tuple(found)


def state_size(rules: Rules, players: int) -> int:
    """How many features the full state has."""
    return sum(piece.size for piece in state_pieces(rules, players))


def full_state(table: Table) -> npt.NDArray[np.float32]:
    """float32 (state_size,), in [0, 1]: the full state, by :func:`state_pieces`."""
    public = np.empty(len(table.scale), np.uint8)
    table.look(0, True, public)
    game, rules = table.game, table.rules
    players = int(rules["players"][0])
    hidden = [game["hands"][0, :players]]
    if rules["foot"][0]:
        hidden.append(game["feet"][0, :players])
    starts, ends = game["stock_next"][0].tolist(), game["stock_end"][0].tolist()
    kinds = rules["counts"].shape[1]
    cards = np.zeros((1, kinds), np.int64)
    for stream in range(int(game["streams"][0])):
        stock = game["stock"][0, starts[stream] : ends[stream]]
        cards[0] += np.bincount(stock, minlength=kinds)
    shares = np.concatenate([*hidden, cards]) / np.maximum(rules["counts"][0], 1)
    return np.concatenate([public * table.scale, shares.reshape(-1)], dtype=np.float32)
