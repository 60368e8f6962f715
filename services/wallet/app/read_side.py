"""The read side: the ledger's rows in a database, kept beside the deciding and never waited for by it.

It reads the log like anybody else, from where its rows stand, and writes rows and position in one transaction; a crash between
two of them costs nothing and repeats nothing.  Two wallets may run it at once for a moment: whoever comes second finds that
the position has moved on, and writes nothing.  Nothing that happens here reaches the money: a database that is away is asked
again, and what cannot be mended by waiting stops the rows alone, with an alarm and a sentence for whoever looks.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Literal

from services.wallet.rows import HEADS, TABLES, HeadRow, LogChanged, Rows
from services.wallet.views import RowsState, Standing
from shared.contracts.subjects import log_day
from shared.kernel.entry import Unreadable
from shared.kernel.identity import digest
from shared.runtime.event_store import DayClosed, EventStore, StoreUnavailable
from shared.runtime.settings import SettingMissing
from shared.runtime.sql import DatabaseAway, EntriesMissing, Failure, Index, Overtaken, Where, shown

LOOK_EVERY_S = 5.0
"""How often it looks for what this process did not write itself."""
REST_S = 0.1
"""The least rest between two transactions; it rests as long as it worked, so that deciding has at least every other moment."""
AGAIN_S = 2.0
ALARM_EVERY_S = 30.0
ENTRIES_AT_ONCE = 500
POSTINGS_AT_ONCE = 5_000

log = logging.getLogger(__name__)


class ReadSide:
    """Follows the wallet's own logs into a database."""

    def __init__(self, where: Where, store: EventStore, alarm: Callable[..., Awaitable[None]]) -> None:
        self._where = where
        self._store = store
        self._alarm = alarm
        self._index: Index | None = None
        self._rows = Rows({}, {})
        self._sealed: dict[str, int] = {}
        """How far the logs reach that never grow again: a year of them is not asked for all the time."""
        self._state: RowsState = "starting"
        self._why = ""
        self._news = asyncio.Event()
        self._alarmed_at = -ALARM_EVERY_S

    def news(self) -> None:
        """Say that an entry was stored."""
        self._news.set()

    async def standing(self) -> Standing:
        """Return how far the rows are, and what keeps them if anything does."""
        latest = max(self._rows.heads.values(), key=lambda head: head.stream, default=None)
        return Standing(
            database=shown(self._where),
            state=self._state,
            behind=await self._behind(),
            why=self._why,
            stream=latest.stream if latest else "",
            revision=latest.revision if latest else 0,
        )

    async def follow(self) -> None:
        """Follow the logs until cancelled, or until something is wrong that no waiting mends; then say so again and again."""
        try:
            await self._follow()
        finally:
            if self._index is not None:
                self._index.close()

    async def _follow(self) -> None:
        while True:
            why = await self._until_trouble()
            if not isinstance(why, DatabaseAway | StoreUnavailable | DayClosed | Overtaken):
                break
            if isinstance(why, DatabaseAway):
                await self._tell("waits", "rows_wait", why)
            await asyncio.sleep(AGAIN_S)
        self._state = "stopped"
        while True:
            await self._tell("stopped", "entries_missing" if isinstance(why, EntriesMissing | LogChanged) else "rows_stopped", why)
            await asyncio.sleep(ALARM_EVERY_S)

    async def _until_trouble(self) -> Exception:
        """Follow the logs, and return what ended it."""
        try:
            await self._open()
            while True:
                self._news.clear()
                while await self._read_on():
                    pass
                self._state, self._why = "follows", ""
                await asyncio.sleep(REST_S)
                try:
                    async with asyncio.timeout(LOOK_EVERY_S):
                        await self._news.wait()
                except TimeoutError:
                    pass
        except Failure as error:
            return self._index.trouble(error) if self._index is not None else error
        except (SettingMissing, StoreUnavailable, DayClosed, Overtaken, EntriesMissing, LogChanged, Unreadable) as why:
            return why
        except Exception as error:
            # Whatever it is, the money goes on without it.
            log.exception("the rows of the ledger stop")
            return error

    async def _open(self) -> None:
        """Learn where the rows stand, and hold that against the logs."""
        if self._index is None:
            self._index = await asyncio.to_thread(Index, self._where, TABLES)
        self._rows = await asyncio.to_thread(standing_rows, self._index)
        for head in sorted(self._rows.heads.values(), key=lambda head: head.stream)[-2:]:
            await self._check_head(head)

    async def _check_head(self, head: HeadRow) -> None:
        """Raise `LogChanged` if the entry that the rows know last of a book is another one now, or is not there."""
        name = next((log for log in self._rows.positions if log_day(log)[1] in head.stream), "")
        if name not in await self._store.logs("wallet"):
            return
        found = [stored async for stored in self._store.read(name, after=head.sequence - 1, upto=head.sequence)]
        end = await self._store.end(name)
        if end < self._rows.positions[name]:
            raise EntriesMissing(name, known=self._rows.positions[name], end=end)
        if [digest(stored.data) for stored in found] != [head.digest]:
            raise LogChanged(head.stream, head.revision - 1)

    async def _read_on(self) -> bool:
        """Write the rows of the next entries; return whether there may be more."""
        begun = asyncio.get_running_loop().time()
        before = dict(self._rows.positions)
        rows = Rows(dict(before), dict(self._rows.heads))
        ends = await self._ends()
        heard = 0
        for name in sorted(ends):
            async for stored in self._store.read(name, after=rows.positions.get(name, 0), upto=ends[name]):
                rows.hear(stored)
                heard += 1
                if heard >= ENTRIES_AT_ONCE or len(rows.postings) >= POSTINGS_AT_ONCE:
                    break
            if heard >= ENTRIES_AT_ONCE or len(rows.postings) >= POSTINGS_AT_ONCE:
                break
        if not heard:
            return False
        assert self._index is not None, "the index is open"
        moved = {name: sequence for name, sequence in rows.positions.items() if sequence != before.get(name)}
        await asyncio.to_thread(self._index.write, rows.written(), moved, after=before)
        self._rows = Rows(rows.positions, rows.heads)
        await asyncio.sleep(max(REST_S, asyncio.get_running_loop().time() - begun))
        return True

    async def _ends(self) -> dict[str, int]:
        """Return how far the logs of the kept days reach; raise `EntriesMissing` if the rows know more of one.

        The latest first: whatever is seen of a day, all of the day before it is seen as well.
        """
        names = await self._store.logs("wallet")
        still_open = await self._store.open_logs("wallet")
        ends = {}
        for name in sorted(names, reverse=True):
            ends[name] = self._sealed[name] if name in self._sealed else await self._store.end(name)
            if name not in still_open:
                self._sealed[name] = ends[name]
            known = self._rows.positions.get(name, 0)
            if known > ends[name]:
                raise EntriesMissing(name, known=known, end=ends[name])
        return ends

    async def _behind(self) -> int | None:
        try:
            ends = await self._ends()
        except (StoreUnavailable, DayClosed, EntriesMissing):
            return None
        return sum(end - self._rows.positions.get(name, 0) for name, end in ends.items())

    async def _tell(self, state: Literal["waits", "stopped"], kind: str, why: Exception) -> None:
        """Say what is wrong: in the standing at once, as an alarm now and then."""
        self._state = state
        self._why = sentence(why)
        now = asyncio.get_running_loop().time()
        if now >= self._alarmed_at + ALARM_EVERY_S:
            self._alarmed_at = now
            await self._alarm(kind, what=self._why)


def standing_rows(index: Index) -> Rows:
    """Return where the rows of an index stand, with nothing to be written."""
    with index.snapshot() as snapshot:
        return Rows(snapshot.positions(), {head.stream: head for head in snapshot.rows(HEADS, HeadRow)})


def sentence(why: Exception) -> str:
    """Return what an error says to people; of one that nobody foresaw its kind alone, for it may hold names."""
    known = isinstance(why, EntriesMissing | LogChanged | Unreadable | SettingMissing)
    return str(why) if known else f"something that nobody foresaw ({type(why).__name__}); the log of the wallet's process says more"
