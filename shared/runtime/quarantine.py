"""The quarantine: which sources this service holds, kept in its own log so that a restart does not forget it.

What is held counts as worked off, so it must be certain that somebody hears it again.  Whoever lifts a quarantine has heard
what was held until then; but the lift of a process that died may be stored long after its successor has held more.  So what
another process has lifted is owed: it is heard again from its first entry on, which does nothing twice.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from shared.contracts.desk import CarryQuarantines, LiftQuarantine, QuarantineLifted, QuarantineSource, SourceQuarantined
from shared.contracts.desk_rules import DESK, DeskState, still_open
from shared.contracts.refusals import Reason, refused
from shared.contracts.requests import decode_request
from shared.contracts.subjects import desk_stream, log_day
from shared.kernel.entry import Entry
from shared.kernel.folded import Asked
from shared.kernel.identity import derived_id
from shared.kernel.messages import HOUSE, Actor, Answer
from shared.runtime.event_store import StoreRefusal
from shared.runtime.keeper import Keeper
from shared.runtime.keepers import Keepers, Noun

REASON_MAX = 500
CARRY_EVERY_S = 1.0
CLOSED_DESKS = 2
"""So many days before the open ones are asked for what is still held: it is carried on within seconds of a day's beginning."""
DESK_NOUN = Noun(DESK)

log = logging.getLogger(__name__)

Rehear = Callable[[SourceQuarantined], Awaitable[bool]]
"""Hears again what is held by a quarantine; returns whether all of it could be reacted to."""


class NotWritten(StoreRefusal):
    """The desk itself does not take what must be written on it."""

    code = "not_written"


class Desk:
    """Holds and releases sources, each for everything that follows from it or for one stream that could not take it."""

    def __init__(self, keepers: Keepers, service: str, today: Callable[[], str], alarm: Callable[..., Awaitable[None]]) -> None:
        self.on_owed: list[Callable[[str], None]] = []
        """Told the name of a log of which something is to be heard again."""
        self._keepers = keepers
        self._alarm = alarm
        self._service = service
        self._today = today
        self._held: dict[tuple[str, str], SourceQuarantined] = {}
        self._holding: set[tuple[str, str]] = set()
        self._lifting: dict[str, asyncio.Event] = {}
        self._owed: dict[str, list[QuarantineLifted]] = {}
        self._writing = asyncio.Lock()
        """Held by a lift from its first look on, so that it lifts nothing but what it has heard again."""

    def recall(self, desks: Sequence[DeskState]) -> None:
        """Remember what was open when the service last ran, as its latest desks say, the oldest first."""
        self._held = {(row.subject, row.target): row for row in still_open(desks)}
        for desk in desks:
            for row in desk.lifted:
                if (row.subject, row.target) not in self._held:
                    self._owed.setdefault(row.log, []).append(row)

    async def keep(self, open_logs: Callable[[], Awaitable[Sequence[str]]]) -> None:
        """Carry what is open onto the desk of each day as it begins, and learn what others write on any, for ever.

        The day before may be closed for ever soon: what is not carried before that would be forgotten by the next start.
        """
        while True:
            try:
                await self._stream()
            except StoreRefusal as error:
                log.warning("the quarantines of %s are not carried into this day yet: %s", self._service, error)
            for name in await open_logs():
                # What is wrong with one day's desk is said above, or was on that day.
                with contextlib.suppress(StoreRefusal):
                    await self._look(desk_stream(self._service, log_day(name)[1]))
            await asyncio.sleep(CARRY_EVERY_S)

    def holds(self, subject: str, target: str = "") -> bool:
        """Return whether entries of a subject are held: all that follows from them, or what follows in the stream `target`."""
        return any(key in self._held or key in self._holding for key in ((subject, ""), (subject, target)))

    def rows(self) -> list[SourceQuarantined]:
        """Return the open quarantines."""
        return list(self._held.values())

    async def quarantine(self, log_name: str, subject: str, sequence: int, reason: str, *, target: str = "") -> None:
        """Hold a subject from an entry on; returns when that is written down, and raises `StoreRefusal` if it cannot be."""
        if self.holds(subject, target):
            return
        command = QuarantineSource(
            service=self._service, log=log_name, subject=subject, sequence=sequence, reason=reason[:REASON_MAX], target=target
        )
        # What comes later is held from now on; it counts as worked off only together with the entry that is held first.
        self._holding.add((subject, target))
        try:
            async with self._writing:
                await self._write(command)
        finally:
            self._holding.remove((subject, target))
        await self._alarm("source_quarantined", log=log_name, subject=subject, sequence=sequence, target=target, reason=command.reason)

    async def command(self, by: Actor, data: bytes, rehear: Rehear) -> Answer:
        """Answer a person who lifts a quarantine; what was held is heard again before anything that comes later."""
        if by.role != "staff":
            raise refused(Reason.NOT_ALLOWED_FOR_ROLE)
        request = decode_request(data, LiftQuarantine)
        asked = Asked(request.id, request.command, by, self._keepers.clock.now_ms())
        async with self._writing:
            rows = [row for row in self.rows() if row.concerns(request.command.subject)]
            # Entries that arrive while the held ones are heard wait here: neither lost nor before their time.
            self._lifting = {row.subject: asyncio.Event() for row in rows}
            try:
                for row in rows:
                    for stream in (row.subject, row.target):
                        self._keepers.mend(stream)
                    if not await rehear(row):
                        raise refused(Reason.STILL_QUARANTINED)
                return await self._keepers.ask(await self._stream(), asked)
            finally:
                lifting, self._lifting = self._lifting, {}
                for settled in lifting.values():
                    settled.set()

    def owed(self, log_name: str) -> QuarantineLifted | None:
        """Return what is to be heard again of a log first, because somebody else has lifted it, if there is such a thing."""
        return next(iter(self._owed.get(log_name, ())), None)

    def settle(self, row: QuarantineLifted) -> None:
        """Note that what was owed has been heard again, or is held once more."""
        self._owed[row.log].remove(row)

    async def look_again(self) -> None:
        """Learn what other processes have written on today's desk; raise `SteppedDown` if one of them owns it now."""
        await self._look(await self._stream())

    async def _look(self, stream: str) -> None:
        # Nothing follows from it, which the keeper only says when nobody has written behind what it knows.
        await self._ask(stream, CarryQuarantines(open=()), derived_id("look", stream, self._keepers.clock.now_ms()))

    async def settled(self, subject: str) -> None:
        """Wait while a quarantine of `subject` is being lifted."""
        lifting = self._lifting.get(subject)
        if lifting is not None:
            await lifting.wait()

    def stored(self, keeper: Keeper[Any], entry: Entry[Any, Any]) -> None:
        """See what is written on the desk, whoever wrote it."""
        for decision in entry.decisions:
            for event in decision.events:
                match event:
                    case SourceQuarantined():
                        self._held[event.subject, event.target] = event
                    case QuarantineLifted():
                        held = self._held.pop((event.subject, event.target), None)
                        if held is not None and entry.writer != self._keepers.pen.writer:
                            self._owed.setdefault(event.log, []).append(event)
                            for tell in self.on_owed:
                                tell(event.log)
                    case _:
                        pass

    async def _write(self, command: QuarantineSource) -> None:
        stream = await self._stream()
        # The same source may be held again after it was let go, so the id is of this time only; once held, nothing is repeated.
        id = derived_id("quarantine", command.subject, command.target, command.sequence, self._keepers.get(stream).folded.revision)
        await self._ask(stream, command, id)

    async def _stream(self) -> str:
        """Return today's desk, with what is open on another day's carried onto it."""
        stream = desk_stream(self._service, self._today())
        desk = self._keepers.get(stream)
        known = {(row.subject, row.target) for row in desk.state.open}
        missing = tuple(row for key, row in self._held.items() if key not in known)
        if missing:
            await asyncio.shield(self._ask(stream, CarryQuarantines(open=missing), derived_id("carry", stream, desk.folded.revision)))
        return stream

    async def _ask(self, stream: str, command: QuarantineSource | CarryQuarantines, id: str) -> None:
        answer = await self._keepers.ask(stream, Asked(id, command, HOUSE, self._keepers.clock.now_ms()))
        if answer.status == "refused":
            raise NotWritten(f"{stream} does not take what is to be held: {answer.message}")
