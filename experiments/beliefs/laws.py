"""Laws of a hidden hand: the chance of every number of cards of every kind, given the hand's size.

A law is a table of weights, one for each kind and count. The chance of a hand is the product of the
weights of its counts, divided by the sum of these products over all hands of the same size. That
sum, and the chance of each count of each kind, come from two passes over the kinds (forward and
backward), exactly and without listing hands. Multiplying the weights of all counts ``c`` by a
number to the power ``c``, or all weights of one kind by a number, leaves the law as it is.

With the weights ``binomial(pool, count)`` the law is the multivariate hypergeometric one: a uniform
draw from the pool.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, xlogy

from canasta_env.jit import kernel

__all__ = ["bits_of", "condition", "counting_bits", "hypergeometric"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@kernel()
def _condition(weights: Any, cards: Any, sums: Any, chances: Any) -> None:
    """``sums`` (m,) and ``chances`` (m, K, C + 1) of weights of this shape and hands of ``cards``
    (m,) cards.
    """
    m, kinds, width = weights.shape
    most = 0
    for row in range(m):
        most = max(most, cards[row])
    before = np.zeros((kinds + 1, most + 1))
    after = np.zeros((kinds + 1, most + 1))
    before[0, 0] = 1.0
    after[kinds, 0] = 1.0
    for row in range(m):
        w, n = weights[row], cards[row]
        for i in range(kinds):
            back = kinds - 1 - i
            for s in range(n + 1):
                ahead, behind = 0.0, 0.0
                for c in range(min(width - 1, s) + 1):
                    ahead += before[i, s - c] * w[i, c]
                    behind += after[back + 1, s - c] * w[back, c]
                before[i + 1, s] = ahead
                after[back, s] = behind
        whole = before[kinds, n]
        sums[row] = whole
        for k in range(kinds):
            for c in range(width):
                rest = 0.0
                for s in range(n - c + 1):
                    rest += before[k, s] * after[k + 1, n - c - s]
                chances[row, k, c] = w[k, c] * rest / whole


def condition(log_weights: Floats, cards: Ints) -> tuple[Floats, Floats]:
    """Hands of a given size under weights.

    Args:
        log_weights: (m, K, C + 1), of each kind and count; -inf for what cannot be.
        cards: int (m,), cards of each hand.

    Returns:
        The logarithm of the sum over all hands, (m,), -inf if no hand is possible; and the chance
        of each count of each kind, (m, K, C + 1), which is the gradient of the first by the second.
    """
    largest = log_weights.max(axis=2, keepdims=True)
    weights = np.exp(log_weights - largest)
    sums, chances = np.zeros(len(weights)), np.zeros_like(weights)
    _condition(weights, np.ascontiguousarray(cards, np.int64), sums, chances)
    with np.errstate(divide="ignore"):
        return np.log(sums) + largest.sum(axis=(1, 2)), chances


def bits_of(log_weights: Floats, log_sums: Floats, hands: Ints) -> Floats:
    """-log2 of the chance of each hand, (m,): ``hands`` int (m, K), their counts by kind."""
    chosen = np.take_along_axis(log_weights, hands[..., None], axis=2)[..., 0]
    bits: Floats = (log_sums - chosen.sum(axis=1)) / np.log(2.0)
    return bits


def hypergeometric(pool: Ints, hidden: Ints, most: int) -> Floats:
    """The logarithms of the weights of a uniform draw from a pool.

    Args:
        pool: int (m, K), the cards that are drawn from.
        hidden: int (m,), how many are drawn.
        most: the largest count of a kind.

    Returns:
        (m, K, most + 1), -inf for counts above the pool's. They are those of independent binomial
        counts with the share that is drawn, so that sums over hands are neither huge nor tiny.
    """
    counts = np.arange(most + 1)
    left = pool[..., None] - counts
    share = ((hidden + 0.5) / (pool.sum(axis=1) + 1.0))[:, None, None]
    ways = gammaln(pool + 1.0)[..., None] - gammaln(counts + 1.0) - gammaln(np.maximum(left, 0) + 1)
    chosen = ways + counts * np.log(share) + left * np.log1p(-share)
    weights: Floats = np.where(left >= 0, chosen, -np.inf)
    return weights


def counting_bits(unseen: Ints, hands: Ints) -> Floats:
    """-log2 of the chance of whole hands for one who only counts what is unseen, (m,).

    Each card of a hand is, for him, any unseen card, whatever the others are: a multinomial law. He
    does not remember who took the pile, and not that a card cannot lie in two places.

    Args:
        unseen: int (m, K), unseen cards that may lie in hands.
        hands: int (m, K), the hands, known cards included.
    """
    shares = unseen / np.maximum(unseen.sum(axis=1, keepdims=True), 1)
    orders = gammaln(hands.sum(axis=1) + 1.0) - gammaln(hands + 1.0).sum(axis=1)
    bits: Floats = -(orders + xlogy(hands, shares).sum(axis=1)) / np.log(2.0)
    return bits
