"""Chance: the only door through which it comes in, so that a test can hold it."""

import random
import secrets
from typing import Protocol


class Entropy(Protocol):
    """Gives random bytes."""

    def token_bytes(self, n: int) -> bytes:
        """Return `n` random bytes."""
        ...


class SystemEntropy:
    """The operating system's cryptographic source: the only one that cards may come from."""

    def token_bytes(self, n: int) -> bytes:
        """Return `n` bytes that nobody can predict."""
        return secrets.token_bytes(n)


class SeededEntropy:
    """The same bytes on every run, for tests and simulations; never for cards that anybody plays for."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def token_bytes(self, n: int) -> bytes:
        """Return the next `n` bytes of the seed."""
        return self._random.randbytes(n)
