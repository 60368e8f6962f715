"""The listener: hears one upstream log in exact order, asks for what must follow, and acknowledges when it is stored.

A message that has no place in its stream is passed over.  An entry that cannot be decoded holds up its own subject alone,
and one that a stream of ours cannot take holds up its subject for that stream alone: the desk writes it down, what comes
later is held and counts as worked off, and a person lifts the quarantine when the cause is mended.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing

from shared.contracts.desk import QuarantineLifted, SourceQuarantined
from shared.contracts.following import Follow, Planned, planned
from shared.contracts.subjects import log_day
from shared.kernel.entry import Place, Stored, Stray
from shared.kernel.folded import POISON, QUARANTINED, Asked
from shared.kernel.messages import HOUSE, Answer
from shared.kernel.reactions import Reaction, Source
from shared.runtime import telemetry
from shared.runtime.clock import Clock
from shared.runtime.event_store import StoreRefusal
from shared.runtime.hearing import Audible, ConsumerMissing, Heard, hear
from shared.runtime.keeper import OutOfTurn, Overrun, SteppedDown
from shared.runtime.keepers import Keepers
from shared.runtime.quarantine import Desk
from shared.runtime.tasks import end_all

IN_FLIGHT_MAX = 512
AGAIN_FIRST_S, AGAIN_LAST_S = 0.1, 5.0

log = logging.getLogger(__name__)


class Listener:
    """Follows one log for one service.

    `positioned` services keep how far they are in their own entries; `after` is then where to go on, and every command
    carries its place.  `missing` is told while the durable is gone; without it hearing fails.
    """

    def __init__(
        self,
        store: Audible,
        keepers: Keepers,
        clock: Clock,
        desk: Desk,
        *,
        log_name: str,
        durable: str,
        follow: Follow,
        alarm: Callable[..., Awaitable[None]],
        after: Callable[[], Place | None] | None = None,
        missing: Callable[[ConsumerMissing], Awaitable[None]] | None = None,
    ) -> None:
        self.log_name = log_name
        self.sequence = 0
        self._store = store
        self._keepers = keepers
        self._clock = clock
        self._desk = desk
        self._durable = durable
        self._is_ours = log_day(log_name)[0] == durable
        self._follow = follow
        self._after = after
        self._alarm = alarm
        self._missing = missing
        self._room = asyncio.Semaphore(IN_FLIGHT_MAX)
        self._failed: asyncio.Event = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    async def listen(self) -> None:
        """Hear the log for ever; start again from what is done whenever the own log cannot take an entry."""
        again_s = AGAIN_FIRST_S
        while True:
            before = self.sequence
            await self._listen_until_failure()
            again_s = AGAIN_FIRST_S if self.sequence > before else min(again_s * 2, AGAIN_LAST_S)
            await asyncio.sleep(again_s)

    def again(self) -> None:
        """Start hearing again from what is done, because something else is to be heard first."""
        self._failed.set()

    async def rehear(self, row: SourceQuarantined | QuarantineLifted) -> bool:
        """Hear what is held by a quarantine; return whether all of it could be reacted to."""
        async with self._store.durable(self.log_name, self._durable) as line:
            # What was held before this process began counts as worked off, and hearing began behind it.
            upto = max(self.sequence, (await line.standing()).acked)
        async for stored in self._store.read(self.log_name, pattern=row.subject, after=row.sequence - 1, upto=upto):
            try:
                planned = self._planned(stored)
            except Stray:
                continue
            except POISON:
                return False
            wanted = [(reaction, source) for reaction, source in planned if row.target in ("", reaction.stream)]
            answers = await asyncio.gather(*self._ask(wanted, held=True))
            if any(answer.code == QUARANTINED.code for answer in answers):
                return False
        return True

    async def _listen_until_failure(self) -> None:
        self._failed.clear()
        self._room = asyncio.Semaphore(IN_FLIGHT_MAX)
        self._keepers.resume(self.log_name)
        try:
            await self._make_up()
        except (StoreRefusal, Overrun, SteppedDown) as failure:
            log.warning("%s is not heard again yet: %s", self.log_name, failure)
            return
        listening = asyncio.create_task(self._listen(), name=f"hear {self.log_name}")
        failing = asyncio.create_task(self._failed.wait(), name=f"failure of {self.log_name}")
        try:
            # A quiet log must not keep what failed waiting, so the failure itself ends the hearing.
            await asyncio.wait({listening, failing}, return_when=asyncio.FIRST_COMPLETED)
            if not listening.done():
                # What is under way is let to its end, so that it is not asked twice for nothing.
                await asyncio.gather(end_all([listening]), *self._tasks, return_exceptions=True)
        finally:
            for task in (listening, failing, *self._tasks):
                task.cancel()
        if not listening.cancelled():
            listening.result()

    async def _make_up(self) -> None:
        """Hear again what another process has lifted, before anything that comes later; hold it once more if that cannot be."""
        while (row := self._desk.owed(self.log_name)) is not None:
            if not await self.rehear(row):
                why = "what was held could not be heard again"
                await self._desk.quarantine(row.log, row.subject, row.sequence, why, target=row.target)
            self._desk.settle(row)

    async def _listen(self) -> None:
        async with aclosing(hear(self._store, self.log_name, self._durable, self._start(), missing=self._missing)) as hearing:
            async for heard in hearing:
                await self._room.acquire()
                await self._desk.settled(heard.stored.stream)
                self.sequence = heard.stored.sequence
                await self._take(heard)

    def _start(self) -> int | None:
        """Return the sequence after which to hear; None leaves it to the durable's ack floor."""
        if self._after is None:
            return None
        place = self._after()
        # The entry at the position may be half worked off: it is heard again, and what is done is skipped by its place.
        return place[0] - 1 if place else 0

    async def _take(self, heard: Heard) -> None:
        stored = heard.stored
        asked: list[Planned] = []
        try:
            if self._is_ours:
                await self._keepers.see(stored)
            asked = await self._wanted(stored)
        except Stray as stray:
            await self._alarm("stray", log=self.log_name, stream=stored.stream, sequence=stored.sequence, what=str(stray))
        except POISON as error:
            if not await self._hold(stored, str(error) or type(error).__name__):
                return
        except (StoreRefusal, Overrun, SteppedDown) as failure:
            await self._fail(stored, failure)
            return
        if not asked:
            heard.done()
            self._room.release()
            return
        hop = telemetry.following(heard)
        task = asyncio.create_task(self._finish(heard, [each[0].stream for each in asked], self._ask(asked, held=False, hop=hop)))
        task.add_done_callback(hop.over)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _wanted(self, stored: Stored) -> list[Planned]:
        """Return what must follow from an entry and is not held; raise one of `POISON` if that cannot be worked out."""
        wanted, some_are_held = self._free(stored)
        if some_are_held:
            # What is held counts as worked off.  That must not rest on what a process remembers that another has replaced.
            await self._desk.look_again()
            wanted, _ = self._free(stored)
        return wanted

    def _free(self, stored: Stored) -> tuple[list[Planned], bool]:
        """Return what follows from an entry as far as it is not held, and whether some of it is."""
        if self._desk.holds(stored.stream):
            return [], True
        found = self._planned(stored)
        free = [each for each in found if not self._desk.holds(stored.stream, each[0].stream)]
        return free, len(free) < len(found)

    def _planned(self, stored: Stored) -> list[Planned]:
        """Return what must follow from an entry; raise one of `POISON` if that cannot be worked out."""
        found = planned(self.log_name, stored.stream, stored.sequence, stored.data, self._follow, claimed=stored.claimed)
        places = {(source.decision, source.event) for _, source in found}
        assert self._after is None or len(places) == len(found), "a place is worked off by one reaction"
        return found

    def _ask(self, planned: list[Planned], *, held: bool, hop: telemetry.Hop = telemetry.SILENCE) -> list[asyncio.Future[Answer]]:
        asked = []
        for reaction, source in planned:
            with hop.at(source.decision):
                asked.append(self._keepers.ask(reaction.stream, self._asked(reaction, source, held=held)))
        return asked

    def _asked(self, reaction: Reaction, source: Source, *, held: bool) -> Asked:
        positioned = self._after is not None and not held
        return Asked(
            reaction.id_after(source),
            reaction.command,
            HOUSE,
            self._clock.now_ms(),
            cause=source.cause,
            log=self.log_name if positioned else "",
            place=(source.sequence, source.decision, source.event) if positioned else None,
        )

    async def _finish(self, heard: Heard, targets: list[str], asked: list[asyncio.Future[Answer]]) -> None:
        """Acknowledge an entry once everything that follows from it is stored."""
        stored = heard.stored
        outcomes = await asyncio.gather(*asked, return_exceptions=True)
        self._room.release()
        failures: list[BaseException] = []
        for target, outcome in zip(targets, outcomes, strict=True):
            if isinstance(outcome, StoreRefusal | Overrun | SteppedDown | asyncio.CancelledError):
                failures.append(outcome)
            elif isinstance(outcome, BaseException) or outcome.code == QUARANTINED.code:
                why = f"{target} could not take it" if isinstance(outcome, Answer) else str(outcome) or type(outcome).__name__
                if not await self._hold(stored, why, target=target):
                    return
            elif outcome.status == "refused":
                log.info("%s: a reaction to entry %d was refused: %s", self.log_name, stored.sequence, outcome.code)
        # Without room in the own log, or with another process owning it, nothing is worked off: it is heard again.
        if failures:
            await self._fail(stored, failures[0])
        else:
            heard.done()

    async def _hold(self, stored: Stored, reason: str, *, target: str = "") -> bool:
        """Have the entry's subject held; return whether that is written down, without which nothing is worked off."""
        try:
            await self._desk.quarantine(self.log_name, stored.stream, stored.sequence, reason, target=target)
        except (StoreRefusal, Overrun) as failure:
            await self._fail(stored, failure)
            return False
        return True

    async def _fail(self, stored: Stored, failure: BaseException) -> None:
        self._failed.set()
        if not isinstance(failure, OutOfTurn):
            await self._alarm("cannot_store", log=self.log_name, sequence=stored.sequence, what=str(failure))
