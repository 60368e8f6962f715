"""The forms of a secret: how a seed, a salt or cards in a row could have been written down by somebody who lets them out."""

import base64
from collections.abc import Iterator, Sequence

DECK = tuple(rank + suit for suit in "SHDC" for rank in "23456789TJQKA")
WINDOW = 6
"""So many cards in a row come about by chance in no evening."""


def forms(secret: bytes) -> list[bytes]:
    """Return the ways in which bytes may be written down."""
    plain = [secret, secret.hex().encode(), secret.hex().upper().encode()]
    return [*plain, base64.b64encode(secret).rstrip(b"="), base64.urlsafe_b64encode(secret).rstrip(b"="), str(list(secret)).encode()]


def rows(cards: Sequence[str]) -> list[bytes]:
    """Return the ways in which cards in a row may be written down."""
    packed = bytes(DECK.index(card) for card in cards)
    numbers = [str(place) for place in packed]
    joined = [
        '","'.join(cards),
        '", "'.join(cards),
        "".join(cards),
        " ".join(cards),
        ",".join(cards),
        ",".join(numbers),
        ", ".join(numbers),
    ]
    return [text.encode() for text in joined] + forms(packed)


def runs(cards: Sequence[str]) -> Iterator[bytes]:
    """Yield the ways in which parts of an order may be written down, forwards and backwards."""
    for start in range(0, len(cards) - WINDOW + 1, WINDOW):
        run = cards[start : start + WINDOW]
        yield from rows(run)
        yield from rows(run[::-1])
