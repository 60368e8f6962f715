"""Decoders: one for each type that is decoded, made once and found by the type itself.

A union of thirty messages takes as long to hash as an entry takes to decode, and its hash is worked out anew each time.  There
are few types, so they are looked through.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import msgspec

Decoder = msgspec.json.Decoder[Any]


def made_once(make: Callable[..., Decoder]) -> Callable[..., Decoder]:
    """Return `make`, remembering what it made of the very same type or two.  Types live as long as the process, and so does this."""
    made: list[tuple[Any, Any, Decoder]] = []

    @wraps(make)
    def decoder(one: Any, other: Any = None) -> Decoder:
        for first, second, found in made:
            if first is one and second is other:
                return found
        found = make(one) if other is None else make(one, other)
        made.append((one, other, found))
        return found

    return decoder
