"""The closed books: every request that was ever answered in one of them, so that none is answered otherwise later.

The open book knows its own ids and those of the day before.  Older ones lie in an index beside the logs, which can be made
again from them.
"""

import asyncio
import contextlib
from pathlib import Path

from msgspec import Struct

from services.wallet.domain.ledger import LEDGER
from services.wallet.domain.state import Ledger
from shared.contracts.subjects import ledger_stream, log_day
from shared.kernel.entry import Stray
from shared.kernel.folded import Folded, Recorded, empty, fold
from shared.kernel.messages import Answer
from shared.kernel.rows import Kind
from shared.runtime.event_store import EventStore
from shared.runtime.sql import Index


class UsedId(Struct, frozen=True):
    """An id that somebody outside the house chose, and what it stands for."""

    id: str
    day: str
    fingerprint: str
    answer: Answer


class ClosedBooks:
    """What the books of past days have answered."""

    def __init__(self, path: Path) -> None:
        self._index = Index(path, {"used_ids": Kind(UsedId, ("id",))})

    async def learn(self, store: EventStore, *, before: str) -> None:
        """Take in the books of all days before the gaming day `before` that are not in the index yet.

        Raises `EntriesMissing` if a book holds less than the index has seen of it.
        """
        for log in await store.logs("wallet"):
            day = log_day(log)[1]
            if day >= before:
                continue
            end = await store.end(log)
            await asyncio.to_thread(self._index.check, log, end)
            if await asyncio.to_thread(self._index.position, log) < end:
                rows = [
                    UsedId(id, day, recorded.fingerprint, recorded.answer)
                    for id, recorded in (await _read(store, log)).answers.items()
                    if recorded.fingerprint
                ]
                await asyncio.to_thread(self._index.write, {"used_ids": rows}, {log: end})

    async def recorded(self, id: str) -> Recorded | None:
        """Return what an id stands for in a closed book, None if it was never used."""
        found = await asyncio.to_thread(self._index.rows, "used_ids", UsedId, id=id)
        return Recorded(found[0].fingerprint, found[0].answer) if found else None


async def _read(store: EventStore, log: str) -> Folded[Ledger]:
    """Return the ledger of a log, folded to its end."""
    folded = empty(LEDGER, ledger_stream(log_day(log)[1]))
    async for stored in store.read(log, pattern=folded.stream):
        with contextlib.suppress(Stray):
            fold(LEDGER, folded, stored.data, stored.sequence, claimed=stored.claimed)
    return folded
