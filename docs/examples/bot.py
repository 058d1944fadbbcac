"""A bot for the line protocol (line-protocol.md) that imports nothing of Canasta's: it melds what
it can, takes the pile when it may, and discards its lowest card that nobody melds.

    python -m experiments.match "process:python3 docs/examples/bot.py" random --pairs 10
"""

import sys

ORDER = ["4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]


def choose(legal, hand, melded):
    """One of the legal actions."""
    for word in ("accept", "take", "meld", "add", "yes"):
        found = [action for action in legal if action.split()[0] == word]
        # wild cards are kept for later where a natural card does
        natural = [action for action in found if not {"2", "JK"} & set(action.split())]
        if found and word != "add":
            return (natural or found)[0]
        if natural:
            return natural[0]
    discards = [action for action in legal if action.startswith("discard ")]
    if discards:
        return min(discards, key=lambda action: cost(action.split()[1], hand, melded))
    return legal[0]


def cost(card, hand, melded):
    """What it costs to discard a card; of wild cards and pairs the most."""
    if card in ("2", "JK"):
        return 1000
    if card.startswith("3"):
        return -1
    rank = card.rstrip("cdhs")
    alike = sum(other.rstrip("cdhs") == rank for other in hand)
    return 100 * (rank in melded) + 50 * (alike > 1) + ORDER.index(rank)


def main():
    """Read line after line, and answer where an answer is awaited."""
    hand, legal, melded = [], [], set()
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "start":
            print("ready example", flush=True)
        elif word == "decide":  # game and seat; what follows describes the table
            hand, legal, melded = [], [], set()
        elif word == "meld":
            melded.update(card.rstrip("cdhs") for card in rest.split()[1:])
        elif word == "hand":
            hand = [card for card in rest.split() if card != "-"]
        elif word == "legal":
            legal.append(rest)
        elif word == "act":
            print("play", choose(legal, hand, melded), flush=True)
        elif word == "quit":
            break


if __name__ == "__main__":
    main()
