"""The rules on one page, as text: what a newcomer, or a language model, has to know to play.

It is made from the values of :class:`~canasta_env.rules.Rules`, so changed rules read changed. The
details are in docs/rules.md; the legal actions are always told, so nothing follows from its gaps.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from typing import Final

from canasta_env.cards import CARD_VALUES, RANK_TOKENS
from canasta_env.rules import Rules, RulesError
from canasta_env.rules_fields import (
    BlackThree,
    BlackThreeMelds,
    ConcealedWaives,
    LastDiscard,
    MinimumBy,
    RedThreesUnmelded,
    StockEnd,
    Upcard,
    WildMelds,
    WildRelation,
)

__all__ = ["main", "rules_summary"]

_WIDTH: Final = 96
_RELATIONS: Final = {
    WildRelation.ANY: "",
    WildRelation.FEWER: " and fewer of them than naturals",
    WildRelation.HALF: " and at most half as many as naturals",
    WildRelation.NOT_MORE: " and not more of them than naturals",
}
_ENDS: Final = {
    StockEnd.FORCED: "play goes on by taking the pile; who can take an unfrozen pile onto an own "
    "meld must, else one may pass, which ends the deal",
    StockEnd.FREE: "play goes on by taking the pile; a pass ends the deal",
    StockEnd.ENDS: "the deal ends after the turn of the seat that drew the last card",
}


def rules_summary(rules: Rules, players: int) -> str:
    """The rules for a table of ``players``: a paragraph a subject, each beginning with its name and
    a colon, wrapped at 96 columns.

    Raises:
        RulesError: these rules are not for so many players.
    """
    table = rules.at(players)
    return "\n".join(
        textwrap.fill(" ".join([f"{name}:", *sentences]), _WIDTH, subsequent_indent="  ")
        for name, sentences in _paragraphs(table, str(rules))
        if sentences
    )


def _paragraphs(rules: Rules, name: str) -> Iterator[tuple[str, list[str]]]:
    """The subjects with their sentences."""
    yield "Game", list(_game(rules, name))
    yield "Cards", list(_cards(rules))
    yield "Turn", list(_turn(rules))
    yield "Melds", list(_melds(rules))
    yield "First meld", list(_first_meld(rules))
    yield "Pile", list(_pile(rules))
    yield "Red threes", list(_red_threes(rules))
    yield "Black threes", list(_black_threes(rules))
    yield "Foot", list(_foot(rules))
    yield "Going out", list(_going_out(rules))
    yield "Empty stock", [f"{_ENDS[rules.stock_end]}."]
    yield "Score", list(_score(rules))


def _number(count: object, one: str) -> str:
    return f"{count} {one}" if count == 1 else f"{count} {one}s"


def _game(rules: Rules, name: str) -> Iterator[str]:
    (players,), sides = rules.players, rules.sides
    assert isinstance(sides, int)
    seats = f"Canasta ({name}) for {players}, seats 0 to {players - 1} in the order of play"
    if sides < players:
        yield f"{seats}; seat s belongs to side s mod {sides}, whose members share melds and score."
    else:
        yield f"{seats}, each for itself."
    if rules.deals:
        yield f"A match has {_number(rules.deals, 'deal')}; the highest total wins."
    else:
        yield f"The match ends when a side reaches {rules.target}; the highest total wins."


def _cards(rules: Rules) -> Iterator[str]:
    packs = _number(rules.packs, "pack")
    last = RANK_TOKENS[3 + rules.ranks]
    yield f"{packs} together; natural ranks 4 to {last}; JK (joker) and 2 are wild."
    yield f"{sum(rules.card_counts(rules.players[0]))} cards in all."
    yield f"Each is dealt {_number(rules.hand, 'card')}."
    if rules.sequences:
        yield "A natural card is written with its suit, c d h or s: 10h."
    points: dict[int, list[str]] = {}
    held = rules.card_counts(rules.players[0])
    ranks = held if not rules.sequences else (*held[:4], *held[4::4])
    for token, value, count in zip(RANK_TOKENS, CARD_VALUES, ranks, strict=True):
        if token != "3r" and count:
            points.setdefault(value, []).append(token)
    told = (f"{' '.join(points[value])}: {value}" for value in sorted(points, reverse=True))
    yield f"Values: {'; '.join(told)}."


def _turn(rules: Rules) -> Iterator[str]:
    yield (
        f"draw {_number(rules.draw, 'card')} from the stock or take the pile; meld and add to own "
        "melds as often as you like; then discard one card, which ends the turn."
    )
    yield "It is played as a row of small actions, each legal by itself."
    if rules.upcard is Upcard.OFFER:
        yield "The first card of the stock is offered to the first seat, which accepts it as its"
        yield "draw or refuses it."


def _melds(rules: Rules) -> Iterator[str]:
    yield (
        f"three or more cards of one rank, at least {rules.fewest_naturals} natural, at most "
        f"{_number(rules.most_wilds, 'wild card')}{_RELATIONS[rules.wild_relation]}."
    )
    if rules.melds_close:
        yield f"At {rules.canasta_size} cards a meld is closed, and another of its rank may begin."
    else:
        yield "A side has one meld of a rank, which may grow."
    if rules.sequences:
        yield "Three or more cards of one suit in a row are a sequence, extended at its high end."
    if rules.wild_melds is not WildMelds.NONE:
        least = rules.canasta_size if rules.wild_melds is WildMelds.WHOLE else 3
        yield f"Wild cards alone are a meld from {least} cards on."
    least = rules.canasta_fewest_naturals
    mixed = f"mixed, with {least} naturals at least" if least else "mixed"
    yield f"A meld of {rules.canasta_size} cards is a canasta:"
    yield f"natural without wild cards, or {mixed}."


def _first_meld(rules: Rules) -> Iterator[str]:
    bands = rules.minimums
    assert isinstance(bands, tuple)
    yield "the first melds of a side must reach a minimum in one turn of one seat:"
    by = "from deal" if rules.minimum_by is MinimumBy.DEAL else "from a score of"
    told = []
    for place, (start, points) in enumerate(bands):
        if start is not None:
            told.append(f"{points} {by} {start}")
        else:
            told.append(f"{points} below {bands[1][0]}" if len(bands) > place + 1 else str(points))
    yield f"{', '.join(told)}."
    if rules.bonus_counts_to_minimum:
        yield "The bonus of a canasta counts toward it."
    if rules.natural_group:
        yield "Among them must be three naturals of one rank or in a row."


def _pile(rules: Rules) -> Iterator[str]:
    cards = f"the top {rules.pile_taken} cards" if rules.pile_taken else "the whole pile"
    yield f"who takes {cards} must meld the top card at once, with two natural cards of its rank;"
    ways = []
    if rules.take_natural_wild:
        ways.append("with one natural and one wild card")
    if rules.take_onto:
        ways.append("onto an own meld")
    if rules.take_into_sequence:
        ways.append("into a new sequence (that with two naturals also if it is frozen)")
    if ways and not rules.always_pair:
        yield f"if it is not frozen also {', or '.join(ways)}."
    else:
        yield "there is no other way."
    if rules.discarded_wild_freezes:
        yield "A discarded wild card freezes it until it is taken."
    if rules.frozen_to_unmelded and not rules.always_pair:
        yield "It counts as frozen for a side that has not melded."
    yield (
        "No wild card and no three on top can be taken."
        if not rules.black_three_take
        else ("A wild card or red three on top cannot be taken.")
    )


def _red_threes(rules: Rules) -> Iterator[str]:
    count = rules.card_counts(rules.players[0])[2]
    if not count:
        return
    values = rules.red_three_values
    assert isinstance(values, tuple)
    yield "they are laid out at once and another card is drawn;"
    yield f"by number they are worth {', '.join(map(str, values[1 : count + 1]))}"
    if rules.red_threes_unmelded is RedThreesUnmelded.AGAINST:
        yield "(against a side that has not melded)."
    else:
        yield "(whether or not the side has melded)."


def _black_threes(rules: Rules) -> Iterator[str]:
    if not rules.black_threes:
        return
    freezes = rules.black_three is BlackThree.FREEZE
    yield f"on top of the pile they block it{' and freeze it' if freezes else ''};"
    if rules.black_three_melds is BlackThreeMelds.GOING_OUT:
        yield "three or four of them may be melded only in going out."
    else:
        yield "they are never melded."
    yield f"One left in hand counts {rules.black_three_in_hand} against its side."


def _foot(rules: Rules) -> Iterator[str]:
    if rules.foot:
        yield f"each has a second hand of {rules.foot} cards, which it takes unseen when the first"
        yield "is used up."


def _going_out(rules: Rules) -> Iterator[str]:
    needs = [_number(rules.canastas_to_go_out, "canasta")] if rules.canastas_to_go_out else []
    for count, kind in (
        (rules.natural_canastas_to_go_out, "natural"),
        (rules.mixed_canastas_to_go_out, "mixed"),
    ):
        if count:
            needs.append(_number(count, f"{kind} canasta"))
    yield "melding or discarding the last card ends the deal;"
    yield f"the side needs {' and '.join(needs) or 'nothing else'} for it."
    if rules.partner_foot_to_go_out:
        yield "The partner must have played from his foot."
    if rules.last_discard is LastDiscard.REQUIRED:
        yield "The last card must be discarded."
    if rules.asking and rules.sides != rules.players[0]:
        yield "One may ask the partner before melding; the answer binds."
    if rules.concealed_bonus or rules.concealed_waives is not ConcealedWaives.NEVER:
        yield "Concealed is to go out in one turn without having melded before."
    if rules.concealed_waives is ConcealedWaives.STOCK:
        yield "After a draw from the stock that needs no minimum."
    elif rules.concealed_waives is ConcealedWaives.ALWAYS:
        yield "That needs no minimum."


def _score(rules: Rules) -> Iterator[str]:
    yield "values of melded cards less those in hands, and:"
    items = [
        f"natural canasta {rules.natural_canasta}",
        f"mixed {rules.mixed_canasta}",
        f"of wild cards {rules.wild_canasta}" if rules.wild_melds is not WildMelds.NONE else "",
        f"with four jokers {rules.wild_canasta_jokers}" if rules.wild_canasta_jokers else "",
        f"going out {rules.going_out_bonus}",
        f"concealed {rules.concealed_bonus} more" if rules.concealed_bonus else "",
        f"each concealed canasta {rules.concealed_canasta_bonus}"
        if rules.concealed_canasta_bonus
        else "",
    ]
    yield f"{', '.join(item for item in items if item)}."
    if rules.no_canasta_against:
        yield "Everything counts against a side without a canasta."


def main(rules: str = "classic", players: int | None = None) -> int:
    """``python -m canasta_env summary``; exit status 2 if the rules or the players are not
    possible."""
    try:
        found = Rules.parse(rules)
        print(rules_summary(found, found.players[-1] if players is None else players))
    except RulesError as error:
        print(f"canasta_env summary: {error}", file=sys.stderr)
        return 2
    return 0
