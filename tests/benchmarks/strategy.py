"""Basic strategy on plain numbers, so that both sides of a comparison ask the same function."""

from typing import Literal

from feltlog.styles import is_doubled, is_enough, pair_is_split

Word = Literal["hit", "stand", "double", "split"]


def word(points: int, dealer: int, *, soft: bool, pair: int, may_double: bool) -> Word:
    """Return what to do with a hand against the dealer's open card, an ace counted eleven.

    `pair` is what one card of a pair is worth, and 0 where nothing can be split.
    """
    if pair and pair_is_split(pair, dealer):
        return "split"
    if may_double and is_doubled(points, soft, dealer):
        return "double"
    return "stand" if is_enough(points, soft, dealer) else "hit"
