"""A command that reads a house at rest as slowly as a test wants: it begins, waits for a line, and tells how much it read."""

import asyncio
import sys
from pathlib import Path

from feltlog.commands.connection import reading
from feltlog.house import House
from feltlog.trouble import Trouble
from shared.runtime.event_store import StoreRefusal


async def read(house: House) -> int:
    """Return how many entries a house holds."""
    async with reading(house) as store:
        print("reading", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        return sum([await store.end(log) for log in await store.logs()])


if __name__ == "__main__":
    try:
        print(asyncio.run(read(House(Path(sys.argv[1])))), flush=True)
    except (Trouble, StoreRefusal) as trouble:
        sys.exit(f"refused: {trouble}")
