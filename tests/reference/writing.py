"""Writing a table as a whole position (notation.md, Positions)."""

from typing import Any

from . import melds
from .table import Table


def write(table: Table) -> dict[str, Any]:
    """Every hand, foot, the stock and the pile card by card, and every key of the state."""
    rules = table.rules
    position: dict[str, Any] = {
        "rules": rules.name,
        "players": rules.players,
        "scores": list(table.scores),
        "deal": table.number,
        "dealer": table.dealer,
        "turn": table.turn,
        "phase": table.phase,
        "hands": {seat: " ".join(hand) for seat, hand in enumerate(table.hands)},
        "melds": {
            side: [" ".join(row) for row in table.melds(side)] for side in range(rules.sides)
        },
        "red_threes": list(table.red_threes),
        "pile": " ".join(table.pile),
        "frozen": table.frozen,
        "stock": " ".join(table.stock),
        "absent": " ".join(table.absent),
        "melded": list(table.melded),
        "seat_melded": list(table.seat_melded),
    }
    if rules.foot:
        feet = {seat: foot for seat, foot in enumerate(table.feet) if foot is not None}
        position["feet"] = {seat: " ".join(foot) for seat, foot in feet.items()}
        position["foot_played"] = list(table.foot_played)
    if rules.cut:
        position["owed"] = list(table.owed)
    if rules.concealed_canasta_bonus:
        position["concealed_canastas"] = list(table.concealed_canastas)
    if table.state is not None:
        position["turn_state"] = write_turn(table)
    if table.over:
        position["deal_scores"] = table.deal_scores
    return position


def write_turn(table: Table) -> dict[str, Any]:
    """The keys of `turn_state`; those whose value is "none" are left out."""
    state = table.state
    assert state is not None
    keys: dict[str, Any] = {
        "drew": state.drew,
        "before": " ".join(state.before),
        "begun": [at for at, meld in enumerate(state.melds) if meld.begun],
        "added": state.added,
        "acted": state.acted,
        "must_go_out": state.must_go_out,
    }
    if state.top:
        keys["top"] = state.top
    if state.pending:
        keys["pending"] = " ".join(state.pending)
    if not state.melded and not state.whole_pile:  # hungarian: pile cards count nothing
        keys["staged"] = melds.staged(table.rules, state.melds)
    if table.phase == "answer":
        keys["asked"], keys["asker"] = "open", table.asker
    elif state.asked:
        keys["asked"] = state.asked
    return keys
