"""A process that folds every stream of a house and writes each state on a line: run as `python -m`, with the house's directory."""

import asyncio
import sys

from feltlog.commands.connection import reading
from feltlog.house import House
from shared.contracts.language import types_of
from shared.kernel.entry import decode_as
from tests.states import encoded, folded


async def fold_all(data: str) -> None:
    """Write stream and state of everything that is kept."""
    events: dict[str, list[object]] = {}
    async with reading(House(data)) as store:
        for log in await store.logs():
            async for stored in store.read(log):
                entry = decode_as(*types_of(stored.stream), stored.data)
                events.setdefault(stored.stream, []).extend(event for decision in entry.decisions for event in decision.events)
    for stream, happened in sorted(events.items()):
        sys.stdout.buffer.write(stream.encode() + b" " + encoded(folded(stream, happened)) + b"\n")


if __name__ == "__main__":
    asyncio.run(fold_all(sys.argv[1]))
