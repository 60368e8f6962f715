"""How entries get into surveillance, and findings out of it.  It follows every log of every open day from the first entry on.

What it finds is alarmed once and kept in the index, with the rounds.  Rows are gathered for a moment before they are
written, so that an evening at machine speed does not wait for a file.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Any

from msgspec import Struct

from services.surveillance.domain.findings import Code, Finding, finding
from services.surveillance.domain.watch import Watch
from services.surveillance.redecide import Again
from services.surveillance.views import INDEX, FindingRow, finding_row, round_row
from shared.contracts.refusals import Reason, refused, sentence
from shared.contracts.subjects import Addressed, log_day
from shared.kernel.entry import Entry, Place, Stored
from shared.kernel.messages import Answer
from shared.kernel.reactions import Reaction, Source
from shared.runtime import telemetry
from shared.runtime.event_store import StoreUnavailable
from shared.runtime.hearing import LogGap, hear, persistently
from shared.runtime.keeper import Keeper
from shared.runtime.keepers import Noun
from shared.runtime.log_settings import LISTENERS
from shared.runtime.quarantine import DESK_NOUN
from shared.runtime.service import Process
from shared.runtime.settings import ServiceSettings
from shared.runtime.sql import EntriesMissing, Index

HEARD = tuple(service for service, hearers in LISTENERS.items() if "surveillance" in hearers)
FINDINGS_KEPT_MAX = 1_000
WRITE_EVERY_S = 0.25
MISSED_EVERY_S = 5.0
READ_EVERY_S = 0.5


class SurveillanceApp:
    """Surveillance's edge."""

    name = "surveillance"
    hears = ()

    def __init__(self, settings: ServiceSettings) -> None:
        self._watch = Watch(Again())
        self._index = Index(settings.data / "surveillance.sqlite", INDEX)
        self._findings: list[Finding] = []
        self._unwritten: list[Finding] = []
        self._heard: dict[str, int] = {}
        """How far each log was heard since the index was last written."""
        self._alarmed = set(self._index.rows("findings", FindingRow))
        self._told: set[Finding] = set()
        """What was said to be missing."""
        self._house: Process | None = None

    @property
    def house(self) -> Process:
        """The process around this room, once it has started."""
        assert self._house is not None, "the service has started"
        return self._house

    def noun_of(self, stream: str) -> Noun:
        """Surveillance writes nothing but its desk."""
        return DESK_NOUN

    def follow(self, event: Any, source: Source) -> list[Reaction]:
        """Nothing follows from what is watched."""
        return []

    def place(self, log_name: str) -> Callable[[], Place | None] | None:
        """Keep no position: the watch begins at the first entry of each open day."""
        return None

    def ready_for(self, log_name: str) -> bool:
        """Follow no log by reactions."""
        return False

    async def start(self, house: Process) -> None:
        """Follow every log of every open day."""
        self._house = house
        house.follow_days(HEARD, self._follow)
        house.spawn(self._write_index(), "index")
        house.spawn(self._look_for_what_is_missing(), "missing")

    async def command(self, to: Addressed, data: bytes) -> Answer:
        """Refuse: surveillance decides nothing."""
        raise refused(Reason.NOT_ALLOWED_FOR_ROLE)

    async def question(self, to: Addressed) -> Any:
        """Tell staff what was found."""
        if to.role == "staff" and to.target == "findings":
            return self._findings
        return {"error": sentence(Reason.NOT_ALLOWED_FOR_ROLE)}

    def stored(self, keeper: Keeper[Any], entry: Entry[Any, Any]) -> None:
        """Nothing is shown."""

    async def _follow(self, log_name: str) -> None:
        """Hear a log; raise `EntriesMissing` if it holds less than the index has seen of it."""
        try:
            self._index.check(log_name, await self._end(log_name))
        except EntriesMissing as missing:
            await self._tell([finding(Code.TAIL_MISSING, str(missing), log=log_name, sequence=missing.known)])
            raise
        async with aclosing(self._entries(log_name)) as entries:
            async for stored in entries:
                found = self._watch.hear(stored)
                self._heard[log_name] = stored.sequence
                await self._tell(found)

    async def _entries(self, log_name: str) -> AsyncGenerator[Stored, None]:
        """Yield the entries of a log, strictly in order as long as that can be; a log with a gap is read on behind it."""
        position = 0
        try:
            async with aclosing(hear(self.house.store, log_name, self.name, 0, missing=self.house.consumer_missing)) as hearing:
                async for heard in hearing:
                    position = heard.stored.sequence
                    with telemetry.checking(heard):
                        yield heard.stored
                    heard.done()
        except LogGap as gap:
            lost = finding(Code.SEQUENCE_GAP, str(gap), log=log_name, sequence=gap.sequence)
            await self._tell([lost])
        while True:
            try:
                async for stored in self.house.store.read(log_name, after=position):
                    position = stored.sequence
                    yield stored
            except StoreUnavailable:
                pass
            await asyncio.sleep(READ_EVERY_S)

    async def _tell(self, found: list[Finding]) -> None:
        """Keep what was found, and alarm what is not in the index: that was alarmed when it was written there."""
        self._findings += found
        self._unwritten += found
        del self._findings[:-FINDINGS_KEPT_MAX]
        for one in found:
            if finding_row(one) not in self._alarmed:
                await self.house.alarm("finding", code=one.code.value, log=one.log, stream=one.stream, revision=one.revision)

    async def _write_index(self) -> None:
        """Write what changed, with how far the logs were heard, again and again."""
        while True:
            await asyncio.sleep(WRITE_EVERY_S)
            heard, self._heard = self._heard, {}
            found, self._unwritten = self._unwritten, []
            rounds = [round_row(seen) for seen in self._watch.changed()]
            rows: dict[str, Sequence[Struct]] = {"rounds": rounds, "findings": [finding_row(one) for one in found]}
            if heard or found:
                await asyncio.to_thread(self._index.write, rows, heard)

    async def _look_for_what_is_missing(self) -> None:
        """Tell what is missing twice in a row, once everything that was stored at the first look has been heard.

        An effect that was heard at the first look has its cause stored before it; if that is not heard by then, it is not
        there.  A day of which nothing is missing any more and whose logs are closed is let go.
        """
        while True:
            suspected = set(self._watch.left()) - self._told
            ends = {log: await self._end(log) for log in self._watch.logs()} if suspected else {}
            if not suspected:
                await self._forget_closed_days()
            await asyncio.sleep(MISSED_EVERY_S)
            if suspected and all(self._watch.reached(log) >= end for log, end in ends.items()):
                missing = suspected & set(self._watch.left())
                self._told |= missing
                await self._tell(sorted(missing, key=lambda one: (one.stream, one.revision, one.code)))

    async def _forget_closed_days(self) -> None:
        open_logs: list[str] = await persistently(self.house.store.open_logs)
        open_days = {log_day(name)[1] for name in open_logs}
        for day in self._watch.days()[:-1]:
            if day not in open_days:
                self._watch.forget_day(day)

    async def _end(self, log_name: str) -> int:
        return await persistently(lambda: self.house.store.end(log_name))
