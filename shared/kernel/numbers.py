"""Numbers: how a key becomes whole numbers of which none is more likely than another, and the same ones each time.

Blocks of HMAC-SHA256 over a label and a counter are read as words of 32 bits.  A number below a bound is a word modulo the
bound; words from the largest multiple of the bound upwards are passed over.
"""

import hmac
from collections.abc import Iterator
from itertools import count
from struct import Struct

WORDS = 1 << 32
BLOCK = Struct(">8I")
"""A block of HMAC-SHA256, read as words."""


def words(key: bytes, label: str) -> Iterator[int]:
    """Yield words without end, most significant byte first, of the blocks HMAC-SHA256(`key`, `label` + counter from 0)."""
    for block in counted(key, label):
        yield from BLOCK.unpack(block)


def counted(key: bytes, label: str) -> Iterator[bytes]:
    """Yield HMAC-SHA256(`key`, `label` + number), the number counted from 0, without end."""
    # Key and label are taken in once: a copy of what has taken them in costs a third of beginning anew.
    begun = hmac.new(key, label.encode(), "sha256")
    for number in count():
        block = begun.copy()
        block.update(b"%d" % number)
        yield block.digest()


def below(bound: int, stream: Iterator[int]) -> int:
    """Return a whole number from 0 to below `bound`, each equally likely if the words are."""
    limit = WORDS - WORDS % bound
    for word in stream:
        if word < limit:
            return word % bound
    raise AssertionError("the stream of words has no end")
