"""States as bytes, the same for equal states wherever they are folded, so that two machines can compare them."""

from collections.abc import Iterable, Mapping, Set
from typing import Any

import msgspec

from services.surveillance.redecide import decider_of


def encoded(state: Any) -> bytes:
    """Return a state as JSON, everything that has no order of its own sorted."""
    return msgspec.json.encode(plain(state))


def folded(stream: str, events: Iterable[Any]) -> Any:
    """Return the state of a stream after its events."""
    decider = decider_of(stream)
    state = decider.initial
    for event in events:
        state = decider.evolve(state, event)
    return state


def plain(value: Any) -> Any:
    """Return a state as data for JSON, a phase by its name."""
    match value:
        case msgspec.UNSET:
            return None
        case msgspec.Struct():
            fields = {name: plain(getattr(value, name)) for name in value.__struct_fields__}
            return {"": type(value).__name__, **fields}
        case Mapping():
            return dict(sorted((_key(key), plain(part)) for key, part in value.items()))
        case Set():
            return sorted(plain(part) for part in value)
        case list() | tuple():
            return [plain(part) for part in value]
        case _:
            return value


def _key(key: Any) -> str:
    return key if isinstance(key, str) else msgspec.json.encode(plain(key)).decode()
