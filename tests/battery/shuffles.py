"""The shuffles that are examined: the house's own, and three that look alike and are wrong.

Each is a function of a seed, so that a run can be repeated shuffle by shuffle.  The wrong ones are there to show that the
battery sees what it looks for; each has been dealt in public somewhere.
"""

import hashlib
from collections.abc import Callable, Iterator
from functools import cmp_to_key
from itertools import count

from services.shoe.domain.shuffle import order
from shared.kernel.cards import DECK

Shuffle = Callable[[bytes, str, int], tuple[str, ...]]
"""The order of a shoe, of a seed, the shoe's name and its number of decks."""


def seed_of(run: str, number: int) -> bytes:
    """Return the seed of shuffle `number` of a run: fixed, so that everybody gets the same figures."""
    return hashlib.sha256(f"feltlog battery\n{run}\n{number}".encode()).digest()


def modulo(seed: bytes, shoe: str, decks: int) -> tuple[str, ...]:
    """Shuffle with a byte modulo the number of places: the low places come up too often."""
    cards = list(DECK) * decks
    chance = _bytes(seed, shoe)
    for last in range(len(cards) - 1, 0, -1):
        place = next(chance) % (last + 1)
        cards[last], cards[place] = cards[place], cards[last]
    return tuple(cards)


def anywhere(seed: bytes, shoe: str, decks: int) -> tuple[str, ...]:
    """Shuffle by swapping every card with one at any place: n to the n ways, which n! does not divide."""
    cards = list(DECK) * decks
    chance = _bytes(seed, shoe)
    for place in range(len(cards)):
        other = _below(len(cards), chance)
        cards[place], cards[other] = cards[other], cards[place]
    return tuple(cards)


def comparator(seed: bytes, shoe: str, decks: int) -> tuple[str, ...]:
    """Sort by a comparison that answers at random: no sort was made for that, and each favours its own places."""
    chance = _bytes(seed, shoe)
    return tuple(sorted(list(DECK) * decks, key=cmp_to_key(lambda _, __: 1 if next(chance) & 1 else -1)))


GOOD: Shuffle = order
WRONG: dict[str, Shuffle] = {"modulo bias": modulo, "n^n swaps": anywhere, "sort by a random comparator": comparator}


def _bytes(seed: bytes, shoe: str) -> Iterator[int]:
    for block in count():
        yield from hashlib.sha256(seed + f"{shoe}\n{block}".encode()).digest()


def _below(bound: int, chance: Iterator[int]) -> int:
    while True:
        number = next(chance) << 8 | next(chance)
        if number < (1 << 16) - (1 << 16) % bound:
            return number % bound
