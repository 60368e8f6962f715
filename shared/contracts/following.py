"""Following: an entry that was heard, taken apart into the commands that must follow from it."""

from collections.abc import Callable
from typing import Any

from shared.contracts.language import read_entry
from shared.kernel.identity import digest
from shared.kernel.reactions import Reaction, Source

Follow = Callable[[Any, Source], list[Reaction]]
Planned = tuple[Reaction, Source]


def planned(log: str, stream: str, sequence: int, data: bytes, follow: Follow, *, claimed: str) -> list[Planned]:
    """Return what must follow from a stored entry, in order.

    Raise `Stray` if it is no entry of the stream, so that nothing may follow from it, and another of `POISON` if what must
    follow cannot be worked out.
    """
    entry = read_entry(stream, data, claimed=claimed)
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
