"""Decoders: one for each type that is decoded, made once and found by the type itself.

A union of thirty messages takes as long to hash as an entry takes to decode, and its hash is worked out anew each time.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import msgspec

Decoder = msgspec.json.Decoder[Any]


def made_once(make: Callable[..., Decoder]) -> Callable[..., Decoder]:
    """Return `make`, remembering what it made of the very same types.  Types live as long as the process, and so does this."""
    made: dict[tuple[int, ...], tuple[tuple[Any, ...], Decoder]] = {}

    @wraps(make)
    def decoder(*types: Any) -> Decoder:
        key = tuple(map(id, types))
        found = made.get(key)
        if found is None:
            # The types are kept as well: as long as they are there, nothing else can have their identity.
            found = made[key] = (types, make(*types))
        return found[1]

    return decoder
