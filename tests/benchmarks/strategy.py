"""Basic strategy on plain numbers, so that both sides of a comparison ask the same function."""

from collections.abc import Container

from feltlog.styles import is_doubled, is_enough, pair_is_split


def word(points: int, card: int, dealer: int, *, soft: bool, options: Container[str]) -> str:
    """Return what to do with a hand against the dealer's open card, of what may be done with it.

    `card` is what its first card is worth, and like `dealer` counts an ace eleven.
    """
    if "split" in options and pair_is_split(card, dealer):
        return "split"
    if "double" in options and is_doubled(points, soft, dealer):
        return "double"
    return "stand" if is_enough(points, soft, dealer) else "hit"
