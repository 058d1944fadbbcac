"""The deal from a full deck, first card first (rules.md, The deal), and what follows a deal."""

from collections.abc import Mapping, Sequence
from typing import Any

from . import cards
from .cards import RED_THREE, WILDS
from .rules import rules_for
from .table import Table


def deal(
    preset: str,
    players: int,
    deck: Sequence[str],
    dealer: int,
    scores: Sequence[int] | None = None,
    number: int = 1,
    changes: Mapping[str, Any] | None = None,
) -> Table:
    """The table after the deal of this deck; `number` is the deal's number in the match."""
    rules = rules_for(preset, players, dict(changes or {}))
    if sorted(deck) != sorted(cards.deck(rules)):
        raise ValueError("not the deck of these rules")
    table = Table(rules)
    table.dealer, table.number, table.stock = dealer, number, list(deck)
    table.scores = list(scores or table.scores)
    if rules.cut:
        cut(table)
    order = [(dealer + 1 + i) % players for i in range(players)]
    deal_hands(table, order)
    if rules.foot:
        deal_feet(table, order)
    turn_upcard(table)
    for seat in order:
        lay_out_red_threes(table, seat)
    table.turn = order[0]
    table.phase = "offer" if rules.upcard == "offer" else "draw"
    return table


def cut(table: Table) -> None:
    """The cut: jokers, deuces and red threes of the last three are the player's at the right."""
    seat = (table.dealer - 1) % table.rules.players
    seen, table.stock = table.stock[-3:], table.stock[:-3]
    mine = [card for card in seen if card in (*WILDS, RED_THREE)]
    table.hands[seat] += mine
    table.stock += [card for card in seen if card not in (*WILDS, RED_THREE)]


def deal_hands(table: Table, order: list[int]) -> None:
    """One card at a time; who took cards at the cut is dealt that many fewer."""
    for _ in range(table.rules.hand):
        for seat in order:
            if len(table.hands[seat]) < table.rules.hand:
                table.hands[seat].append(table.stock.pop(0))


def deal_feet(table: Table, order: list[int]) -> None:
    feet: dict[int, list[str]] = {seat: [] for seat in order}
    for _ in range(table.rules.foot):
        for seat in order:
            feet[seat].append(table.stock.pop(0))
    table.feet = [feet[seat] for seat in range(table.rules.players)]


def turn_upcard(table: Table) -> None:
    """Row "upcard"."""
    how = table.rules.upcard
    if how == "offer":
        return
    while True:
        card = table.stock.pop(0)
        covered = is_covered(how, card)
        if how == "bottom" and covered:
            table.stock.append(card)
            continue
        table.pile.append(card)
        if not covered:
            break
    table.frozen = any(card in table.rules.start_freezers for card in table.pile)


def is_covered(how: str, card: str) -> bool:
    if how == "as_is":
        return False
    if how == "until_natural":
        return not cards.is_natural(card)
    return card in (*WILDS, RED_THREE)


def lay_out_red_threes(table: Table, seat: int) -> None:
    """Laid out and replaced from the stock; czech: replaced only at the seat's first buy."""
    red = table.hands[seat].count(RED_THREE)
    table.hands[seat] = [card for card in table.hands[seat] if card != RED_THREE]
    table.red_threes[table.side(seat)] += red
    if table.rules.upcard == "offer":
        table.owed[seat] = red
    else:
        table.hands[seat] += table.from_stock(table.side(seat), red)


def totals(table: Table) -> list[int]:
    """The scores of the match after a deal that is over."""
    assert table.deal_scores is not None
    return [old + new for old, new in zip(table.scores, table.deal_scores, strict=True)]


def next_dealer(table: Table) -> int:
    """Row "next dealer"."""
    seats = table.rules.players
    following = [(table.dealer + 1 + i) % seats for i in range(seats)]
    scores = table.deal_scores
    assert scores is not None
    best = [side for side, score in enumerate(scores) if score == max(scores)]
    if table.rules.dealer == "next" or len(best) > 1:
        return following[0]
    return next(seat for seat in following if table.side(seat) == best[0])


def winners(table: Table) -> list[int]:
    """The sides that have won the match with this deal: none while it goes on; a draw has several.

    Rows "match" and "tie at the end".
    """
    total = totals(table)
    best = [side for side, score in enumerate(total) if score == max(total)]
    if table.rules.deals:
        return best if table.number >= table.rules.deals else []
    return best if max(total) >= table.rules.target and len(best) == 1 else []
