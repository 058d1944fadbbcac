"""The records that an AEC environment keeps: each episode in a file (:mod:`canasta_env.record`)."""

from __future__ import annotations

import itertools
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from canasta_env.aec_state import Table
from canasta_env.batch import Stock
from canasta_env.game import Game
from canasta_env.record import RecordWriter
from canasta_env.rules import Rules

__all__ = ["Episode", "Recorder"]


@dataclass
class Episode:
    """What an episode follows from, all its deals included.

    Attributes:
        name: the name of its file, without the ending.
        seed: the match seed, from which the decks of later deals come.
        deck, dealer, scores, deal: of the first deal.
        actions: the ids of all that was played.
    """

    name: str
    seed: int
    deck: Sequence[int]
    dealer: int
    scores: Sequence[int]
    deal: int
    actions: list[int] = field(default_factory=list)


class Recorder:
    """Watches the episodes of one environment, and writes each down when it ends.

    Args:
        folder: where the files go; it is made if it does not exist.
        rules, players, stock: those of the environment.

    Raises:
        ValueError: the folder cannot be made, or nothing can be written into it.
    """

    def __init__(
        self, folder: str | os.PathLike[str], rules: Rules, players: int, stock: Stock
    ) -> None:
        self.folder = Path(folder)
        self._rules, self._players, self._stock = rules, players, stock
        self._episode: Episode | None = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._draft("").unlink()
        except (OSError, ValueError) as fault:  # the latter of a name that no file can have
            why = fault.strerror if isinstance(fault, OSError) else fault
            raise ValueError(
                f"records={str(folder)!r} is no folder to write files into: {why}"
            ) from None

    def begin(self, table: Table, deck: list[int]) -> None:
        """An episode begins at a table, with a given deck or, if that is empty, its seed's.

        The one before is written, if it was left before its end.
        """
        left, game = self._episode, table.record
        seed, deal = int(game.match_seed), int(game.deal)
        self._episode = Episode(
            name=f"seed-{int(table.settings['seed'][0])}-episode-{int(table.slot['episode'][0])}",
            seed=seed,
            deck=deck or table.deck(seed, deal).tolist(),
            dealer=int(game.dealer),
            scores=game.scores[: table.sides].tolist(),
            deal=deal,
        )
        self._leave(left)

    def played(self, action: Any, table: Table) -> None:
        """An action was played; the episode is written if that was its last one."""
        episode = self._episode
        if episode is None:
            return
        episode.actions.append(int(action))
        if table.slot["over"][0]:
            self._episode = None  # first: it's not tried again if the disk is full
            self.write(episode)

    def close(self) -> None:
        """The episode under way goes on no longer; it is written as far as it came."""
        left, self._episode = self._episode, None
        self._leave(left)

    def _leave(self, episode: Episode | None) -> None:
        if episode is not None and episode.actions:
            self.write(episode)

    def write(self, episode: Episode) -> Path:
        """Write an episode's record, under its name or that with a number if there is such a file.

        Raises:
            OSError: it cannot be written.
        """
        text = RecordWriter(self._replayed(episode)).text()
        draft = self._draft(text)
        try:
            return self._publish(draft, episode.name)
        finally:
            draft.unlink(missing_ok=True)

    def _draft(self, text: str) -> Path:
        """A file that nobody else has, not yet under its name."""
        draft = self.folder / f".{secrets.token_hex(8)}.draft"
        try:
            draft.write_text(text, encoding="utf-8", newline="\n")
        except OSError:
            draft.unlink(missing_ok=True)
            raise
        return draft

    def _publish(self, draft: Path, name: str) -> Path:
        """Give the draft its name, which another environment may want in the same moment."""
        for number in itertools.count(1):
            file = self.folder / (f"{name}.txt" if number == 1 else f"{name}-{number}.txt")
            if file.exists():
                continue
            try:
                os.link(draft, file)
            except FileExistsError:
                continue
            except OSError:  # a file system without links
                draft.rename(file)
            return file
        raise AssertionError

    def _replayed(self, episode: Episode) -> Game:
        game = Game(
            self._rules, players=self._players, seed=episode.seed, stock=self._stock,
            deck=episode.deck, dealer=episode.dealer, scores=episode.scores, deal=episode.deal,
        )  # fmt: skip
        for action in episode.actions:
            if game.over:
                game.next_deal()
            game.play(action)
        return game
