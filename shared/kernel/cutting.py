"""The cut: where it lies follows from the committed order's root and what players gave towards it, and from nothing else.

The house knows the order that it committed to, so it must not choose the cut; a player who speaks last must not choose it
either.  So the root stands first, then everybody seals a secret, and only when no further seal is taken are the secrets
told.  Whoever wants to can work the cut out again:

1. The key is the SHA-256 of lines of plain text: the label, the shoe, the root, and a line `player secret` for each secret
   that was told, in the order of the players' names as ASCII.
2. Numbers are drawn from it as `numbers` says, under the label, the shoe, and a counter, on lines of their own: first the
   cards in front of the cut, then the cards behind the cutting card, each from the lowest that is allowed to the highest.
"""

import hashlib
import re
from collections.abc import Iterable

from shared.kernel.numbers import below, words

CUT_LABEL = "feltlog cut 1"
SEAL_LABEL = "feltlog cut seal 1"
SECRET_HEX = re.compile(r"[0-9a-f]{64}")
"""A secret: 32 bytes in lower-case hexadecimal."""

Bounds = tuple[int, int]
"""The lowest and the highest number of cards."""


def seal(shoe: str, player: str, secret: str) -> str:
    """Return what a player shows of a secret before it may be known: its SHA-256, bound to the shoe and the player."""
    return hashlib.sha256("\n".join((SEAL_LABEL, shoe, player, secret)).encode()).hexdigest()


def cut_and_marker(shoe: str, root: str, secrets: Iterable[tuple[str, str]], *, cut: Bounds, cutting_card: Bounds) -> tuple[int, int]:
    """Return how many cards lie in front of the cut, and how many behind the cutting card.

    `secrets` are those that were told, each with its player, whose name is ASCII; of none at all both follow from the root.
    """
    told = sorted(secrets)
    key = hashlib.sha256("\n".join((CUT_LABEL, shoe, root, *(f"{player} {secret}" for player, secret in told))).encode()).digest()
    stream = words(key, f"{CUT_LABEL}\n{shoe}\n")
    front, behind = (low + below(high - low + 1, stream) for low, high in (cut, cutting_card))
    return front, behind


def place_of(index: int, *, cut_at: int, cards: int) -> int:
    """Return where in the committed order the card lies that leaves the shoe at `index`, both counted from 0 (ON-5.6).

    >>> [place_of(index, cut_at=3, cards=5) for index in range(5)]
    [3, 4, 0, 1, 2]
    """
    return (index + cut_at) % cards
