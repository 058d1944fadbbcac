"""The tables of docs/bots.md: ``python -m canasta_env.bots.page`` prints them."""

from __future__ import annotations

from canasta_env.bots import styles
from canasta_env.bots.weights import WEIGHTS

__all__ = ["tables"]


def tables() -> str:
    """All weights of ``basic`` with their meanings, and what the other styles change, as Markdown.

    A change is the style's value; where there is none, the style has ``basic``'s.
    """
    others = [name for name in styles.STYLES if name != "basic"]
    lines = [
        "| weight | unit | basic | " + " | ".join(others) + " | what |",
        "| --- | --- " + "| ---: " * (1 + len(others)) + "| --- |",
    ]
    for weight in WEIGHTS:
        changed = (styles.STYLES[name].get(weight.name) for name in others)
        cells = ["" if value is None else str(value) for value in changed]
        row = [f"`{weight.name}`", weight.unit, str(weight.basic), *cells, weight.text]
        lines.append("| " + " | ".join(row) + " |")
    hashes = [styles.digest(changes) for changes in styles.STYLES.values()]
    lines += ["", "| style | hash of its weights |", "| --- | --- |"]
    lines += [f"| {name} | `{one}` |" for name, one in zip(styles.STYLES, hashes, strict=True)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(tables(), end="")
