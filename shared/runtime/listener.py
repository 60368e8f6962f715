"""The listener: hears one upstream log in exact order, asks for what must follow, and acknowledges when it is stored.

An entry that cannot be decoded or reacted to holds up its own subject alone: the desk writes it down, later entries of the
subject are held and count as worked off, and a person lifts the quarantine when the cause is mended.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any

from shared.contracts.language import types_of
from shared.contracts.subjects import BadSubject
from shared.kernel.entry import Place, Unreadable, decode_as
from shared.kernel.folded import Asked, BrokenChain
from shared.kernel.identity import digest
from shared.kernel.messages import HOUSE, Answer
from shared.kernel.reactions import Reaction, Source
from shared.runtime.clock import Clock
from shared.runtime.event_store import Stored, StoreRefusal
from shared.runtime.hearing import Audible, Heard, hear
from shared.runtime.keeper import Overrun, SteppedDown
from shared.runtime.keepers import Keepers
from shared.runtime.quarantine import Desk

IN_FLIGHT_MAX = 512
AGAIN_FIRST_S, AGAIN_LAST_S = 0.1, 5.0

POISON = (Unreadable, BadSubject, BrokenChain, AssertionError, ArithmeticError, LookupError, TypeError, ValueError)
"""What an entry can do to those who decode it and react to it; anything else is this process's own trouble."""

Follow = Callable[[Any, Source], list[Reaction]]

log = logging.getLogger(__name__)


class Listener:
    """Follows one log for one service.

    `positioned` services keep how far they are in their own entries; `after` is then where to go on, and every command
    carries its place.
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
    ) -> None:
        self.log_name = log_name
        self.sequence = 0
        self._store = store
        self._keepers = keepers
        self._clock = clock
        self._desk = desk
        self._durable = durable
        self._follow = follow
        self._after = after
        self._alarm = alarm
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

    async def rehear(self, subject: str, sequence: int) -> bool:
        """Hear what was held of a subject, from an entry on; return whether all of it could be reacted to."""
        async for stored in self._store.read(self.log_name, pattern=subject, after=sequence - 1, upto=self.sequence):
            try:
                answers = await asyncio.gather(*self._ask(stored, held=True))
            except POISON:
                return False
            if any(answer.code == "quarantined" for answer in answers):
                return False
        return True

    async def _listen_until_failure(self) -> None:
        self._failed.clear()
        self._room = asyncio.Semaphore(IN_FLIGHT_MAX)
        listening = asyncio.create_task(self._listen(), name=f"hear {self.log_name}")
        failing = asyncio.create_task(self._failed.wait(), name=f"failure of {self.log_name}")
        try:
            # A quiet log must not keep what failed waiting, so the failure itself ends the hearing.
            await asyncio.wait({listening, failing}, return_when=asyncio.FIRST_COMPLETED)
            if not listening.done():
                listening.cancel()
                # What is under way is let to its end, so that it is not asked twice for nothing.
                await asyncio.gather(listening, *self._tasks, return_exceptions=True)
        finally:
            for task in (listening, failing, *self._tasks):
                task.cancel()
        if not listening.cancelled():
            listening.result()

    async def _listen(self) -> None:
        async with aclosing(hear(self._store, self.log_name, self._durable, after=self._start())) as hearing:
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
        if self._desk.holds(stored.stream):
            heard.done()
            self._room.release()
            return
        try:
            asked = self._ask(stored, held=False)
        except POISON as error:
            await self._hold(stored, str(error) or type(error).__name__)
            heard.done()
            self._room.release()
            return
        if not asked:
            heard.done()
            self._room.release()
            return
        task = asyncio.create_task(self._finish(heard, asked))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _ask(self, stored: Stored, *, held: bool) -> list[asyncio.Future[Answer]]:
        entry = decode_as(*types_of(stored.stream), stored.data)
        mark = digest(stored.data)
        planned = []
        for d, decision in enumerate(entry.decisions):
            for e, event in enumerate(decision.events):
                source = Source(
                    log=self.log_name,
                    stream=stored.stream,
                    sequence=stored.sequence,
                    revision=entry.revision,
                    decision=d,
                    event=e,
                    at_ms=entry.at_ms,
                    digest=mark,
                )
                reactions = self._follow(event, source)
                assert self._after is None or len(reactions) <= 1, "a place is worked off by one reaction"
                planned += [(reaction, source) for reaction in reactions]
        return [self._keepers.ask(reaction.stream, self._asked(reaction, source, held=held)) for reaction, source in planned]

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

    async def _finish(self, heard: Heard, asked: list[asyncio.Future[Answer]]) -> None:
        """Acknowledge an entry once everything that follows from it is stored."""
        stored = heard.stored
        outcomes = await asyncio.gather(*asked, return_exceptions=True)
        self._room.release()
        # Without room in the own log, or with another process owning it, nothing is worked off: it is heard again.
        if any(isinstance(outcome, StoreRefusal | Overrun | SteppedDown | asyncio.CancelledError) for outcome in outcomes):
            self._failed.set()
            why = [str(outcome) for outcome in outcomes if isinstance(outcome, BaseException)]
            await self._alarm("cannot_store", log=self.log_name, sequence=stored.sequence, what=why[0])
            return
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                await self._hold(stored, str(outcome) or type(outcome).__name__)
            elif outcome.code == "quarantined":
                await self._hold(stored, "a reaction to it failed")
            elif outcome.status == "refused":
                log.info("%s: a reaction to entry %d was refused: %s", self.log_name, stored.sequence, outcome.code)
        heard.done()

    async def _hold(self, stored: Stored, reason: str) -> None:
        await self._desk.quarantine(self.log_name, stored.stream, stored.sequence, reason)
