"""Actions: a value for each, its text, and the table that numbers the actions of a rule system.

The texts are those of notation.md, Actions. Where the notation fixes an order of the cards, a text
with another order is read all the same: ``meld JK K K`` is ``meld K K JK``.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from canasta_env.action_list import all_actions
from canasta_env.action_text import Action, ActionError, Family, rank_of, suit_of
from canasta_env.cards import parse_kind
from canasta_env.engine.pack import ActionRow, pack_rules
from canasta_env.engine.state import BLACK_THREES, SUITS, WILD_RANK, PackedRules
from canasta_env.rules import Rules

__all__ = ["Action", "ActionError", "ActionTable", "Family"]

_ONTO_RANK: Final = (Family.ADD_DEUCE, Family.ADD_JOKER)
_THREES: Final = (
    Family.TAKE_THREES,
    Family.MELD_THREES,
    Family.MELD_FOUR_THREES,
    Family.ADD_THREE,
)
_WILD: Final = (Family.WILD_DEUCE, Family.WILD_JOKER)
_RUNS: Final = (Family.TAKE_INTO, Family.MELD_SEQUENCE)
_EXTENDING: Final = (Family.EXTEND, Family.EXTEND_DEUCE, Family.EXTEND_JOKER)


@dataclass(frozen=True)
class _Parts:
    """What a table consists of, made once for each rule system."""

    actions: tuple[Action, ...]
    texts: tuple[str, ...]
    ids: dict[str, int]
    offsets: dict[str, int]
    rows: tuple[ActionRow, ...]
    hash: str


class ActionTable:
    """The actions of a rule system, numbered from 0 in the order of :mod:`canasta_env.action_list`.

    The table is a function of the rules alone, so a number means the same for every player.

    Attributes:
        rules: the rules that the table belongs to.
        actions: all actions, by id.
        texts: their texts, by id.
        offsets: the id of the first action of each family that the rules have.
        rows: by id what the kernels need: the family; a number (the rank of the meld, the kind of
            the discard or of the place in a sequence, the jokers of a wild meld, else 0); and the
            kinds of the cards that the action names.
        hash: SHA-256 of the texts, in hexadecimal; stored with checkpoints and records.
    """

    def __init__(self, rules: Rules) -> None:
        parts = _parts(rules)
        self.rules = rules
        self.actions = parts.actions
        self.texts = parts.texts
        self.offsets = parts.offsets
        self.rows = parts.rows
        self.hash = parts.hash
        self._ids = parts.ids

    def id(self, action: Action | str | int) -> int:
        """The id of an action, given as a value, a text or an id.

        Raises:
            ActionError: these rules have no such action; the message names the closest ones.
        """
        if isinstance(action, str):
            return self._id_of_text(action)
        if isinstance(action, Action):
            return self._lookup(str(action))
        if not 0 <= action < len(self):
            raise ActionError(f"{action} is not an action; ids are 0 to {len(self) - 1}")
        return int(action)

    def text(self, action: int) -> str:
        """The text of an action, by id."""
        return self.texts[self.id(action)]

    def pack(self, players: int) -> PackedRules:
        """The rules for a table of ``players`` as the record array that the kernels read."""
        return pack_rules(self.rules, players, self.rows)

    def _id_of_text(self, text: str) -> int:
        found = self._ids.get(text)
        if found is not None:
            return found
        try:
            action = Action.parse(text)
        except ActionError as fault:
            raise ActionError(f"{fault}{self._closest(text)}") from None
        return self._lookup(str(action))

    def _lookup(self, text: str) -> int:
        found = self._ids.get(text)
        if found is None:
            name = self.rules.name
            raise ActionError(f"{text!r} is not an action of {name}{self._closest(text)}")
        return found

    def _closest(self, text: str) -> str:
        near = difflib.get_close_matches(text, self.texts, n=3, cutoff=0.4)
        return "; closest: " + ", ".join(near) if near else ""

    def __getitem__(self, action: int) -> Action:
        return self.actions[action]

    def __iter__(self) -> Iterator[Action]:
        return iter(self.actions)

    def __len__(self) -> int:
        return len(self.actions)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ActionTable) and self.rules == other.rules

    def __hash__(self) -> int:
        return hash(self.rules)

    def __reduce__(self) -> tuple[Any, ...]:
        return ActionTable, (self.rules,)

    def __repr__(self) -> str:
        return f"ActionTable({self.rules!r})"


@lru_cache(maxsize=64)
def _parts(rules: Rules) -> _Parts:
    actions = tuple(all_actions(rules))
    texts = tuple(map(str, actions))
    offsets: dict[str, int] = {}
    for i, action in enumerate(actions):
        offsets.setdefault(str(action.family), i)
    return _Parts(
        actions=actions,
        texts=texts,
        ids={text: i for i, text in enumerate(texts)},
        offsets=offsets,
        rows=tuple(_row(action, rules) for action in actions),
        hash=hashlib.sha256("\n".join(texts).encode()).hexdigest(),
    )


def _row(action: Action, rules: Rules) -> ActionRow:
    kinds = tuple(parse_kind(card, suited=rules.sequences) for card in action.cards)
    return str(action.family), _number(action, rules), kinds


def _number(action: Action, rules: Rules) -> int:
    """The number that a kernel needs beside the family of an action."""
    if action.family is Family.MELD_WILD:
        return action.cards.count("JK")
    if action.family in _ONTO_RANK:
        return rank_of(action.onto)
    if action.family in _EXTENDING:
        return parse_kind(action.onto, suited=True)
    if action.family in _RUNS:
        return _lowest(action.cards)
    if action.family in _THREES:
        return BLACK_THREES
    if action.family in _WILD:
        return WILD_RANK
    if action.family in (Family.DISCARD, Family.DISCARD_RED_THREE):
        return parse_kind(action.cards[0], suited=rules.sequences)
    return rank_of(action.cards[0]) if action.cards else 0


def _lowest(run: tuple[str, ...]) -> int:
    """The kind of the lowest place of a sequence, which a wild card may fill."""
    place = next(i for i, card in enumerate(run) if suit_of(card) >= 0)
    return parse_kind(run[place], suited=True) - SUITS * place
