"""The commitment: one hash over all salted cards, fixed before the first of them is dealt.

Whoever holds the root can check each card alone, as it is dealt, and learns nothing about the others: the salt keeps
anybody from trying 52 cards against a leaf.  The tree is the one of certificate transparency (RFC 6962, section 2.1), so
that a stranger can check it with a tool that is not ours.
"""

import hashlib
import re
from collections.abc import Sequence
from typing import Protocol

from shared.kernel.cards import POINTS

HASH_HEX = re.compile(r"[0-9a-f]{64}")
SALT_HEX = re.compile(r"[0-9a-f]{32}")
LEAF_LABEL = "feltlog card 1"


class Opened(Protocol):
    """A card with its proof: salt and sibling hashes from the leaf up, in lower-case hexadecimal."""

    @property
    def card(self) -> str:
        """Its face."""

    @property
    def salt(self) -> str:
        """16 bytes that hide it until it is opened."""

    @property
    def path(self) -> tuple[str, ...]:
        """The audit path."""


def leaf(data: bytes) -> bytes:
    """Return the hash of a leaf that holds `data` (RFC 6962, section 2.1)."""
    return hashlib.sha256(b"\x00" + data).digest()


def card_leaf(shoe: str, index: int, *, salt: str, card: str) -> bytes:
    """Return the leaf of the card at `index` of `shoe`.

    Its data are five lines of plain text without a newline at the end: the label, the shoe, the index, the salt in
    hexadecimal, the card.
    """
    return leaf(f"{LEAF_LABEL}\n{shoe}\n{index}\n{salt}\n{card}".encode())


def card_leaves(shoe: str, cards: Sequence[str], salts: Sequence[str]) -> list[bytes]:
    """Return the leaves of all cards of `shoe`, each with the salt of its place."""
    # One text and one hash for each card, and nothing around them: a shoe has hundreds.
    head = f"\0{LEAF_LABEL}\n{shoe}\n"
    numbered = enumerate(zip(salts, cards, strict=True))
    return [hashlib.sha256(f"{head}{index}\n{salt}\n{card}".encode()).digest() for index, (salt, card) in numbered]


def root(leaves: Sequence[bytes]) -> str:
    """Return the root over `leaves`, in hexadecimal (RFC 6962, section 2.1; of nothing: the hash of nothing)."""
    return Tree(leaves).root


class Tree:
    """The tree over `leaves`: its root, and the path of each leaf when somebody needs it (RFC 6962, section 2.1)."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        self._levels = _levels(leaves)
        self.root = self._levels[-1][0].hex() if leaves else hashlib.sha256().hexdigest()

    def path(self, index: int) -> tuple[str, ...]:
        """Return the audit path of a leaf, from the leaf up, in hexadecimal (RFC 6962, section 2.1.1)."""
        steps = ((level, (index >> height) ^ 1) for height, level in enumerate(self._levels[:-1]))
        return tuple(level[place].hex() for level, place in steps if place < len(level))


def verify(root: str, size: int, shoe: str, opening: Opened, *, place: int) -> bool:
    """Return whether `opening` proves that its card lies at `place` of `shoe`, whose `size` cards have this `root`.

    Places are those of the committed order, counted from 0.

    The check is that of RFC 9162, section 2.1.3.2.  There is one spelling of each opening: a longer path, capital
    hexadecimal digits or a card that is none prove nothing.
    """
    index = place
    if not 0 <= index < size or opening.card not in POINTS or not SALT_HEX.fullmatch(opening.salt):
        return False
    if not all(HASH_HEX.fullmatch(step) for step in opening.path):
        return False
    steps = iter(opening.path)
    reached = card_leaf(shoe, index, salt=opening.salt, card=opening.card)
    while size > 1:
        if index ^ 1 < size:
            step = next(steps, None)
            if step is None:
                return False
            sibling = bytes.fromhex(step)
            reached = _node(sibling, reached) if index & 1 else _node(reached, sibling)
        index, size = index >> 1, (size + 1) >> 1
    return next(steps, None) is None and reached.hex() == root


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def _levels(leaves: Sequence[bytes]) -> list[list[bytes]]:
    """Return the tree from the leaves to the root.

    Pairing neighbours and letting an odd last one rise is the same tree as RFC 6962's split at the largest power of two.
    """
    levels = [list(leaves)]
    while len(level := levels[-1]) > 1:
        above = [hashlib.sha256(b"\x01" + left + right).digest() for left, right in zip(level[::2], level[1::2], strict=False)]
        if len(level) & 1:
            above.append(level[-1])
        levels.append(above)
    return levels
