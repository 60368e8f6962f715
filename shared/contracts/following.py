"""Following: an entry that was heard, taken apart into the commands that must follow from it."""

from collections.abc import Callable
from typing import Any

from shared.contracts.language import types_of
from shared.kernel.entry import decode_as
from shared.kernel.identity import digest
from shared.kernel.reactions import Reaction, Source

Follow = Callable[[Any, Source], list[Reaction]]
Planned = tuple[Reaction, Source]


def planned(log: str, stream: str, sequence: int, data: bytes, follow: Follow) -> list[Planned]:
    """Return what must follow from a stored entry, in order; raise one of `POISON` if that cannot be worked out."""
    entry = decode_as(*types_of(stream), data)
    mark = digest(data)
    found: list[Planned] = []
    for d, decision in enumerate(entry.decisions):
        for e, event in enumerate(decision.events):
            source = Source(
                log=log,
                stream=stream,
                sequence=sequence,
                revision=entry.revision,
                decision=d,
                event=e,
                at_ms=entry.at_ms,
                digest=mark,
            )
            found += [(reaction, source) for reaction in follow(event, source)]
    return found
