"""The keeper: a stream's only door.

Commands wait while an append is under way; then they are decided together, each on the state after the one before, and
leave as one entry.  The fence of the append is the only thing that safety rests on: whoever else may run, one of two
writers finds its entry refused, folds what the other wrote, and decides again or steps down.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextvars import Context
from typing import Any, Generic, TypeVar

from shared.contracts.subjects import log_of
from shared.kernel.decider import Decider
from shared.kernel.entry import DECISIONS_MAX, Entry, Stored, Stray
from shared.kernel.folded import POISON, QUARANTINED, Asked, Draft, Folded, Pen, commit, draft, empty, fold, owned_by_another
from shared.kernel.messages import Answer
from shared.runtime import telemetry
from shared.runtime.clock import Clock
from shared.runtime.event_store import Appended, Conflict, EventStore, Outcome, StoreRefusal

S = TypeVar("S")

WAITING_MAX = 10_000
RESEND_FIRST_S, RESEND_LAST_S = 0.02, 1.0

log = logging.getLogger(__name__)


class SteppedDown(Exception):
    """Another process owns what this one wrote: it must not write any more."""


class Overrun(Exception):
    """More commands wait at one stream than it will ever answer in time."""


class OutOfTurn(StoreRefusal):
    """Something that was heard earlier in the same upstream log is not worked off: a position must not pass it."""

    code = "out_of_turn"

    def __init__(self, stream: str, log: str) -> None:
        super().__init__(f"{stream} takes nothing from {log} until what failed is heard again")


class Keeper(Generic[S]):
    """Loads one stream, decides what is asked of it, appends and answers.

    `stored` is called after each entry that is known to be in the log, whoever wrote it; `broke` when an assertion fails on
    a command, and with no id when the stream itself cannot be read.  From then on every command is answered `quarantined`.
    `rested` is called whenever nothing waits any more.
    """

    def __init__(
        self,
        store: EventStore,
        decider: Decider[S, Any, Any],
        stream: str,
        pen: Callable[[], Pen],
        clock: Clock,
        *,
        fill: Callable[[Any, S], Any] | None = None,
        stored: Callable[["Keeper[S]", Entry[Any, Any]], None] | None = None,
        broke: Callable[["Keeper[S]", str, str], None] | None = None,
        rested: Callable[["Keeper[S]"], None] | None = None,
    ) -> None:
        self.folded: Folded[S] = empty(decider, stream)
        self.decider = decider
        self.loaded = False
        self.unreadable = ""
        """Why the stream cannot be read any further; empty as long as it can."""
        self.unsure_since_ms: int | None = None
        """Since when an append waits to be confirmed that may or may not be stored; None while there is none."""
        self._store = store
        self._pen = pen
        self._clock = clock
        self._fill = fill
        self._stored = stored
        self._broke = broke
        self._rested = rested
        self._waiting: list[tuple[Asked, asyncio.Future[Answer]]] = []
        self._first: list[tuple[Asked, asyncio.Future[Answer]]] = []
        self._halted: set[str] = set()
        self._worker: asyncio.Task[None] | None = None

    @property
    def stream(self) -> str:
        """The stream that is kept."""
        return self.folded.stream

    @property
    def state(self) -> S:
        """The state after the last entry that is known to be stored."""
        return self.folded.state

    @property
    def idle(self) -> bool:
        """Whether nothing waits here."""
        return not self._waiting and not self._first and self._worker is None

    @property
    def waiting(self) -> int:
        """How many commands wait here."""
        return len(self._waiting) + len(self._first)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to keep: nothing is written, nothing waits, and nothing is held up."""
        return self.idle and not (self.folded.revision or self.unreadable or self._halted)

    def take(self, stored: Stored) -> None:
        """Fold an entry that a scan has read; what follows an entry that cannot be read is left alone."""
        if not self.unreadable:
            try:
                self._fold(stored)
            except POISON as error:
                self._spoil(error)

    def mend(self) -> None:
        """Read the stream anew when it is next asked, because a person says that the cause is mended."""
        if self.unreadable:
            self.unreadable, self.loaded = "", False
            self.folded = empty(self.decider, self.stream)

    def resume(self, log: str) -> None:
        """Take again what follows from an upstream log, which is now heard from its position on."""
        self._halted.discard(log)

    def ask(self, asked: Asked, *, first: bool = False) -> asyncio.Future[Answer]:
        """Let a command wait for its decision; commands of one caller are decided in the order in which they were asked.

        With `first` it is decided before everything that waits.  The answer comes when what it says is in the log.  The
        future raises `StoreRefusal` if the log cannot take the entry, `SteppedDown` if another process owns the stream,
        and `Overrun` if too many wait.  Once a command with a place has failed, those behind its place fail with
        `OutOfTurn` until `resume`: a position in the entries says that everything up to it is worked off.
        """
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        if self.unreadable:
            future.set_result(QUARANTINED)
        elif asked.log in self._halted:
            future.set_exception(OutOfTurn(self.stream, asked.log))
        elif len(self._waiting) >= WAITING_MAX:
            future.set_exception(Overrun(f"{len(self._waiting)} commands wait at {self.stream}"))
        else:
            (self._first if first else self._waiting).append((asked, future))
            telemetry.waits(future, asked)
            if self._worker is None:
                self._start()
        return future

    def _start(self) -> None:
        # In a context of its own: the work goes on for others than the one whose command begins it.
        self._worker = asyncio.create_task(self._work(), name=f"keeper {self.stream}", context=Context())
        self._worker.add_done_callback(self._worked)

    async def _work(self) -> None:
        # The first turn of the loop lets everything that is ready to be asked join the same entry.
        await asyncio.sleep(0)
        if not self.loaded:
            await self.load()
            self.check_ownership()
        while self._waiting or self._first:
            await self._decide()

    def _worked(self, worker: asyncio.Task[None]) -> None:
        """Pass on what ended the work, or go on with what was asked while it ended."""
        self._worker = None
        error = asyncio.CancelledError() if worker.cancelled() else worker.exception()
        if error is not None:
            self._fail_all(error)
        elif self._waiting or self._first:
            self._start()
        if self._rested is not None and self.idle:
            self._rested(self)

    def _fail_all(self, error: BaseException) -> None:
        waiting, self._waiting, self._first = [*self._first, *self._waiting], [], []
        self._halt([asked for asked, _ in waiting])
        for _, future in waiting:
            if future.done():
                continue
            if self.unreadable:
                future.set_result(QUARANTINED)
            else:
                future.set_exception(error)

    def _spoil(self, error: Exception) -> None:
        self.unreadable = str(error) or type(error).__name__
        if self._broke is not None:
            self._broke(self, "", self.unreadable)

    def _halt(self, failed: Sequence[Asked]) -> None:
        """Let nothing pass what failed: whatever waits behind it in the same upstream log fails too."""
        logs = {asked.log for asked in failed if asked.place is not None}
        if not logs:
            return
        self._halted |= logs
        behind = [(asked, future) for asked, future in self._waiting if asked.log in logs]
        self._waiting = [(asked, future) for asked, future in self._waiting if asked.log not in logs]
        for asked, future in behind:
            if not future.done():
                future.set_exception(OutOfTurn(self.stream, asked.log))

    async def _decide(self) -> None:
        self._waiting[:0], self._first = self._first, []
        batch = self._waiting[:DECISIONS_MAX]
        drafted = draft(
            self.decider,
            self.folded,
            [asked for asked, _ in batch],
            self._pen(),
            now_ms=self._clock.now_ms(),
            fill=self._fill,
        )
        error: StoreRefusal | None = None
        if drafted.entry is not None:
            try:
                with telemetry.appending(self.stream, drafted, batch) as hop:
                    sequence = await self._append(drafted, hop.brought)
            except StoreRefusal as refusal:
                error = refusal
            else:
                if sequence is None:
                    await self.read_on()
                    return
                commit(self.folded, drafted, sequence)
                if self._stored is not None:
                    self._stored(self, drafted.entry)
        elif drafted.judged and await self._is_behind():
            # No fence has confirmed the state, and it is not the newest: whatever it says no to, or calls done, may be otherwise.
            await self.read_on()
            return
        if self._broke is not None:
            for id, what in drafted.broken.items():
                self._broke(self, id, what)
        del self._waiting[: drafted.taken]
        telemetry.decided(batch, drafted.answers, error)
        for (_, future), answer in zip(batch[: drafted.taken], drafted.answers, strict=True):
            if future.done():
                continue
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(answer)
        self._halt([asked for asked, _ in batch[: drafted.taken] if error is not None or asked.id in drafted.broken])

    async def _append(self, drafted: Draft[S], brought: Callable[[Outcome], Outcome]) -> int | None:
        """Return the entry's sequence, or None if another entry stands in its place; `brought` sees what each attempt brings.

        While the outcome is unknown only the same bytes are sent again, and nobody is told anything.
        """
        assert drafted.entry is not None, "there is something to append"
        types = ",".join(sorted({event.__struct_config__.tag for d in drafted.entry.decisions for event in d.events}))
        # What is folded meanwhile moves no fence: behind another one the same bytes could be stored twice.
        fence, wait_s = self.folded.fence, RESEND_FIRST_S
        while True:
            match brought(await self._store.append(self.stream, drafted.data, fence=fence, types=types)):
                case Appended(sequence=sequence):
                    self.unsure_since_ms = None
                    return sequence
                case Conflict():
                    self.unsure_since_ms = None
                    return None
                case _:
                    self.unsure_since_ms = self.unsure_since_ms or self._clock.now_ms()
                    await asyncio.sleep(wait_s)
                    wait_s = min(wait_s * 2, RESEND_LAST_S)

    async def load(self) -> None:
        """Fold what the log holds, unless that is done; raise `StoreUnavailable`, or whatever makes the stream unreadable."""
        if not self.loaded:
            await self._fold_from(self.folded.fence)
            self.loaded = True

    async def _is_behind(self) -> bool:
        last = await self._store.last(self.stream)
        return last is not None and last.sequence > self.folded.fence

    async def read_on(self) -> None:
        """Fold what another writer has put in; raise `SteppedDown` if it is the newer owner."""
        await self._fold_from(self.folded.fence)
        self.check_ownership()

    def check_ownership(self) -> None:
        """Raise `SteppedDown` if the last writer of this stream goes before this process."""
        pen = self._pen()
        if owned_by_another(self.folded, pen):
            raise SteppedDown(
                f"{self.stream} is written by {self.folded.writer} in epoch {self.folded.epoch}; this is {pen.writer} in epoch {pen.epoch}"
            )

    async def _fold_from(self, after: int) -> None:
        async for stored in self._store.read(log_of(self.stream), pattern=self.stream, after=after):
            if stored.sequence <= self.folded.fence:
                continue
            try:
                entry = self._fold(stored)
            except POISON as error:
                self._spoil(error)
                raise
            if entry is not None and self._stored is not None:
                self._stored(self, entry)

    def _fold(self, stored: Stored) -> Entry[Any, Any] | None:
        """Fold a message and return its entry, None if it is none of this stream's: whoever hears the stream says so."""
        try:
            return fold(self.decider, self.folded, stored.data, stored.sequence, claimed=stored.claimed)
        except Stray as stray:
            log.warning("%s: message %d is passed over: %s", self.stream, stored.sequence, stray)
            return None
