"""States as bytes, the same for equal states wherever they are folded, so that two machines can compare them."""

from collections.abc import Iterable
from typing import Any

import msgspec
from immutables import Map

from services.surveillance.redecide import decider_of


def encoded(state: Any) -> bytes:
    """Return a state as JSON, its mappings in the order of their keys."""
    return msgspec.json.encode(state, enc_hook=_plain, order="deterministic")


def folded(stream: str, events: Iterable[Any]) -> Any:
    """Return the state of a stream after its events."""
    decider = decider_of(stream)
    state = decider.initial
    for event in events:
        state = decider.evolve(state, event)
    return state


def _plain(value: Any) -> Any:
    if isinstance(value, Map):
        return dict(value)
    raise NotImplementedError(f"{type(value).__name__} stands in no state")
