"""The quarantine: which sources this service holds, kept in its own log so that a restart does not forget it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from shared.contracts.desk import CarryQuarantines, LiftQuarantine, QuarantineSource, SourceQuarantined
from shared.contracts.desk_rules import DESK, DeskState
from shared.contracts.requests import Request
from shared.contracts.subjects import Addressed, desk_stream
from shared.kernel.entry import Entry
from shared.kernel.folded import Asked
from shared.kernel.identity import derived_id
from shared.kernel.messages import HOUSE, Actor, Answer
from shared.runtime.event_store import StoreRefusal
from shared.runtime.keeper import Keeper
from shared.runtime.keepers import Keepers, Noun

REASON_MAX = 500
CARRY_EVERY_S = 1.0
DESK_NOUN = Noun(DESK)

log = logging.getLogger(__name__)

Rehear = Callable[[str, str, int], Awaitable[bool]]
"""Hears a subject of a log again from a sequence on; returns whether all of it could be reacted to."""

STILL_BROKEN = Answer("refused", "quarantined", "What was held still cannot be reacted to: the quarantine stays.", final=False)


class Desk:
    """Holds and releases sources."""

    def __init__(self, keepers: Keepers, service: str, today: Callable[[], str], alarm: Callable[..., Awaitable[None]]) -> None:
        self._keepers = keepers
        self._alarm = alarm
        self._service = service
        self._today = today
        self._held: dict[str, SourceQuarantined] = {}
        self._lifting: dict[str, asyncio.Event] = {}

    def recall(self, desk: DeskState) -> None:
        """Remember what was open when the service last ran, as its latest desk says."""
        self._held = {row.subject: row for row in desk.open}

    async def keep(self) -> None:
        """Carry what is open onto the desk of each day as it begins, for ever.

        The day before may be closed for ever soon: what is not carried before that would be forgotten by the next start.
        """
        while True:
            try:
                await self._stream()
            except StoreRefusal as error:
                log.warning("the quarantines of %s are not carried into this day yet: %s", self._service, error)
            await asyncio.sleep(CARRY_EVERY_S)

    def holds(self, subject: str) -> bool:
        """Return whether entries of a subject are held."""
        return subject in self._held

    def rows(self) -> list[SourceQuarantined]:
        """Return the open quarantines."""
        return list(self._held.values())

    async def quarantine(self, log_name: str, subject: str, sequence: int, reason: str) -> None:
        """Hold a subject from an entry on; returns when that is written down."""
        if self.holds(subject):
            return
        command = QuarantineSource(service=self._service, log=log_name, subject=subject, sequence=sequence, reason=reason[:REASON_MAX])
        self._held[subject] = SourceQuarantined(**msgspec.structs.asdict(command))
        await self._alarm("source_quarantined", log=log_name, subject=subject, sequence=sequence, reason=command.reason)
        stream = await self._stream(but=subject)
        asked = Asked(derived_id("quarantine", subject, sequence), command, HOUSE, self._keepers.clock.now_ms())
        await self._keepers.ask(stream, asked)

    async def command(self, to: Addressed, data: bytes, rehear: Rehear) -> Answer:
        """Answer a person who lifts a quarantine; what was held is heard again before anything that comes later."""
        if to.role != "staff":
            return Answer("refused", "not_allowed_for_role", "This may not be asked in this role.", final=False)
        request = msgspec.json.decode(data, type=Request[LiftQuarantine])
        row = self._held.get(request.command.subject)
        asked = Asked(request.id, request.command, Actor("staff", to.actor), self._keepers.clock.now_ms())
        if row is None:
            return await self._keepers.ask(await self._stream(), asked)
        # Entries that arrive while the held ones are heard wait here: neither lost nor before their time.
        lifted = self._lifting[row.subject] = asyncio.Event()
        try:
            if not await rehear(row.log, row.subject, row.sequence):
                return STILL_BROKEN
            answer = await self._keepers.ask(await self._stream(), asked)
            if answer.status == "accepted":
                self._held.pop(row.subject, None)
            return answer
        finally:
            del self._lifting[row.subject]
            lifted.set()

    async def settled(self, subject: str) -> None:
        """Wait while a quarantine of `subject` is being lifted."""
        lifting = self._lifting.get(subject)
        if lifting is not None:
            await lifting.wait()

    def stored(self, keeper: Keeper[Any], entry: Entry[Any, Any]) -> None:
        """See what is written on the desk, whoever wrote it."""
        for decision in entry.decisions:
            for event in decision.events:
                if isinstance(event, SourceQuarantined):
                    self._held[event.subject] = event

    async def _stream(self, *, but: str = "") -> str:
        """Return today's desk, with what was open the day before carried onto it, `but` the subject that is about to be held."""
        stream = desk_stream(self._service, self._today())
        before = tuple(row for subject, row in self._held.items() if subject != but)
        if self._keepers.get(stream).folded.revision == 0 and before:
            carried = Asked(derived_id("carry", stream), CarryQuarantines(open=before), HOUSE, self._keepers.clock.now_ms())
            await asyncio.shield(self._keepers.ask(stream, carried))
        return stream
