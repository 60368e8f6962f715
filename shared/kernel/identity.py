"""Identity: ids that can be worked out again, so that whatever is done twice carries the same id twice."""

import hashlib

ID_LENGTH_MAX = 64


def derived_id(*parts: str | int) -> str:
    """Return the id of something that follows from `parts`: 32 hexadecimal digits of a SHA-256 over their unambiguous join.

    >>> derived_id("a", 1) == derived_id("a", 1), derived_id("a", 1) == derived_id("a1")
    (True, False)
    """
    text = "".join(f"{len(str(part))}:{part}" for part in parts)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def digest(data: bytes) -> str:
    """Return the SHA-256 of `data` in hexadecimal: how entries name the one before."""
    return hashlib.sha256(data).hexdigest()
