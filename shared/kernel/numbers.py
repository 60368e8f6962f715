"""Numbers: how a key becomes whole numbers of which none is more likely than another, and the same ones each time.

Blocks of HMAC-SHA256 over a label and a counter are read as words of 32 bits.  A number below a bound is a word modulo the
bound; words from the largest multiple of the bound upwards are passed over.
"""

import hmac
from collections.abc import Iterator

WORD_BYTES = 4
WORDS = 1 << 8 * WORD_BYTES


def words(key: bytes, label: str) -> Iterator[int]:
    """Yield words without end, most significant byte first, of the blocks HMAC-SHA256(`key`, `label` + counter from 0)."""
    counter = 0
    while True:
        block = hmac.digest(key, f"{label}{counter}".encode(), "sha256")
        for start in range(0, len(block), WORD_BYTES):
            yield int.from_bytes(block[start : start + WORD_BYTES], "big")
        counter += 1


def below(bound: int, stream: Iterator[int]) -> int:
    """Return a whole number from 0 to below `bound`, each equally likely if the words are."""
    limit = WORDS - WORDS % bound
    for word in stream:
        if word < limit:
            return word % bound
    raise AssertionError("the stream of words has no end")
