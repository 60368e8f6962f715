"""The keepers: all streams that a service owns, their timers, and what happens to a person's time when the house is away.

A service names its nouns once; the rest is the same everywhere: find the keeper of a stream, make it when it is asked
for, let go of what is over, fire what falls due.
"""

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shared.kernel.decider import Decider
from shared.kernel.entry import Entry, Stored
from shared.kernel.folded import POISON, Asked, Pen, raised
from shared.kernel.identity import derived_id
from shared.kernel.messages import HOUSE, Answer
from shared.kernel.reactions import Timer
from shared.kernel.timers import BREATH_MS, SILENCE_MS, Presence, Timers, again_ms
from shared.runtime.clock import Clock
from shared.runtime.event_store import EventStore, LogFull, LogMisconfigured, StoreRefusal, StoreUnavailable
from shared.runtime.keeper import Keeper, Overrun, SteppedDown

OVER_KEPT_MAX = 2_000
"""How many finished streams stay in memory, so that a repeated request is answered without reading."""
SUCCESSION_MS = 15_000
"""How long after its start a process looks for what the one before it may still have written."""
PULSE_MS = 250
"""How often the log is asked for a sign of life."""

log = logging.getLogger(__name__)


def no_timer(state: Any) -> Timer | None:
    """Nothing falls due."""
    return None


def never_over(state: Any) -> bool:
    """The stream is never finished."""
    return False


@dataclass(frozen=True)
class Noun:
    """What a service knows about one kind of stream."""

    decider: Decider[Any, Any, Any]
    over: Callable[[Any], bool] = never_over
    timer: Callable[[Any], Timer | None] = no_timer
    fill: Callable[[Any, Any], Any] | None = None
    extension: Callable[[Any, int], Any | None] | None = None
    """The command that gives a person's clock back what an outage took, as of a time in milliseconds."""


class Keepers:
    """The streams of one service."""

    def __init__(self, store: EventStore, clock: Clock, writer: str, software: str, noun_of: Callable[[str], Noun]) -> None:
        self.pen = Pen(writer, 1, software)
        self.clock = clock
        self.stepped_down: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.on_stored: list[Callable[[Keeper[Any], Entry[Any, Any]], None]] = []
        self.on_broken: list[Callable[[str, str, str], None]] = []
        self._store = store
        self._noun_of = noun_of
        self._open: dict[str, Keeper[Any]] = {}
        self._over: OrderedDict[str, Keeper[Any]] = OrderedDict()
        self._timers = Timers()
        self._presence = Presence()
        self._wake = asyncio.Event()
        self._scanned: dict[str, int] = {}
        """The last sequence that was read of each own log."""

    def open(self) -> list[Keeper[Any]]:
        """Return the keepers of all streams that are not over."""
        return list(self._open.values())

    def known(self) -> list[Keeper[Any]]:
        """Return the keepers of all streams in memory: those that are over, then those that are not."""
        return [*self._over.values(), *self._open.values()]

    def unsure(self, for_ms: int) -> list[str]:
        """Return the streams whose append has not been confirmed for so long: whoever asked there is told nothing meanwhile."""
        before_ms = self.clock.now_ms() - for_ms
        return sorted(
            keeper.stream for keeper in self._open.values() if keeper.unsure_since_ms is not None and keeper.unsure_since_ms <= before_ms
        )

    def get(self, stream: str) -> Keeper[Any]:
        """Return the keeper of a stream; it loads itself when it is first asked."""
        keeper = self._open.get(stream) or self._over.get(stream)
        if keeper is None:
            keeper = self._open[stream] = self._make(stream)
        return keeper

    async def scan(self, log_name: str) -> None:
        """Fold all open streams of a log in one pass, and take an epoch above every one seen."""
        self._scanned[log_name] = 0
        async for stored in self._store.read(log_name):
            self.get(stored.stream).take(stored)
            self._scanned[log_name] = stored.sequence
        for keeper in [*self._open.values(), *self._over.values()]:
            keeper.loaded = True
            self.pen = Pen(self.pen.writer, max(self.pen.epoch, keeper.folded.epoch + 1), self.pen.software)
            self._settle(keeper)

    async def succeed(self) -> None:
        """Take over for a while what another process still writes, until it finds out that it has a successor.

        Such a stream may hear nothing here for long, and its felt would be shown as it was.
        """
        until_ms = self.clock.now_ms() + SUCCESSION_MS
        while self.clock.now_ms() < until_ms:
            with contextlib.suppress(StoreRefusal):
                await self._read_on()
            await asyncio.sleep(PULSE_MS / 1000)

    async def _read_on(self) -> None:
        for log_name, scanned in self._scanned.items():
            async for stored in self._store.read(log_name, after=scanned):
                await self.see(stored)
                self._scanned[log_name] = stored.sequence

    async def see(self, stored: Stored) -> None:
        """Take over what stands in a stream of ours, if another process has written it; raise `StoreRefusal` if it cannot be read.

        Who was replaced may write until it finds that out, however late: a clock that it set must run here.
        """
        if self.get(stored.stream).folded.fence < stored.sequence:
            await self.catch_up(stored.stream)

    async def catch_up(self, stream: str) -> bool:
        """Read a stream of ours as far as it can be read; raise `StoreRefusal` if the store does not answer.

        Return False for a keeper that is at work: it finds out by itself, by its fence.
        """
        keeper = self.get(stream)
        if not keeper.idle:
            return False
        if not keeper.unreadable:
            try:
                await keeper.load()
                await keeper.read_on()
            except SteppedDown as why:
                self._step_down(why)
            except POISON:
                # The keeper has told what it met, and answers accordingly from now on.
                pass
        self._on_rested(keeper)
        return True

    def ask(self, stream: str, asked: Asked, *, first: bool = False) -> asyncio.Future[Answer]:
        """Ask a stream's keeper, with `first` before everything that waits there."""
        future = self.get(stream).ask(asked, first=first)
        future.add_done_callback(lambda done: self._watch(stream, done))
        return future

    def mend(self, stream: str) -> None:
        """Let a stream that could not be read be read anew, if there is such a one."""
        keeper = self._open.get(stream) or self._over.get(stream)
        if keeper is not None:
            keeper.mend()

    def resume(self, log_name: str) -> None:
        """Take again what follows from an upstream log, which is now heard from its position on."""
        for keeper in [*self._open.values(), *self._over.values()]:
            keeper.resume(log_name)

    def away(self) -> None:
        """Learn that the log is out of reach."""
        self._presence.away()
        self._wake.set()

    def there(self) -> None:
        """Learn that the log is within reach now.  People's clocks that ran in a silence before this are extended, not fired.

        Said before anything that was heard is acted on: who spoke while this process, the server or the line between them
        hung is judged by the longer clock.
        """
        if self._presence.there(self.clock.now_ms()):
            for stream in self._timers.streams():
                self._extend(stream)
            self._wake.set()

    async def keep_time(self) -> None:
        """Fire what falls due, for ever."""
        while True:
            await self._sleep_until_due()
            # A server that hangs for a while and goes on, or a process that does, is an outage of which no connection ever tells.
            if self._presence.is_away or self.clock.now_ms() - self._presence.there_ms >= PULSE_MS:
                await self._is_there()
            now_ms = self.clock.now_ms()
            while (due := self._timers.take(now_ms)) is not None:
                await self._fire(*due)

    async def _is_there(self) -> bool:
        """Ask the log for a sign of life, and take note of it."""
        if await self._store.alive():
            self.there()
        else:
            self._presence.away()
        return not self._presence.is_away

    async def _fire(self, stream: str, timer: Timer) -> None:
        if timer.patient and not await self._is_there():
            # Whether the person or the house was away cannot be told apart now; `there` gives the time back.
            self._timers.again(stream, timer, self.clock.now_ms() + BREATH_MS)
            return
        due = timer.due(self.clock.now_ms())
        asked = Asked(due.id_for(stream), due.command, HOUSE, self.clock.now_ms())
        self.ask(stream, asked).add_done_callback(lambda future: self._after_firing(stream, timer, future))

    def _after_firing(self, stream: str, timer: Timer, future: asyncio.Future[Answer]) -> None:
        if future.cancelled():
            return
        code = future.result().code if future.exception() is None else ""
        if self._timers.again(stream, timer, self.clock.now_ms() + again_ms(code)):
            self._wake.set()

    async def _sleep_until_due(self) -> None:
        self._wake.clear()
        now_ms = self.clock.now_ms()
        next_ms = self._timers.next_ms()
        due_ms = now_ms + PULSE_MS if next_ms is None else min(now_ms + PULSE_MS, next_ms)
        # Not `wait_for`: in Python 3.11 it swallows a cancellation that comes together with a waking, and the process never stops.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0, due_ms - now_ms) / 1000):
                await self._wake.wait()

    def _extend(self, stream: str) -> None:
        timer = self._timers.of(stream)
        extension = self._noun_of(stream).extension
        if timer is None or not timer.patient or extension is None:
            return
        command = extension(self.get(stream).state, self.clock.now_ms())
        if command is not None:
            id = derived_id("extension", stream, timer.name, self.pen.writer, self.clock.now_ms())
            # Before whatever waits: the time-out that fell due meanwhile, and the player who spoke meanwhile.
            self.ask(stream, Asked(id, command, HOUSE, self.clock.now_ms()), first=True)

    def _make(self, stream: str) -> Keeper[Any]:
        noun = self._noun_of(stream)
        return Keeper(
            self._store,
            noun.decider,
            stream,
            lambda: self.pen,
            self.clock,
            fill=noun.fill,
            stored=self._on_stored,
            broke=self._on_broken,
            rested=self._on_rested,
        )

    def _on_stored(self, keeper: Keeper[Any], entry: Entry[Any, Any]) -> None:
        self.pen = raised(self.pen, entry)
        self._settle(keeper)
        # A clock that was set while the log hung had begun to run before anybody could see it.
        if self.clock.now_ms() - entry.at_ms > SILENCE_MS:
            self._extend(keeper.stream)
        for tell in self.on_stored:
            tell(keeper, entry)

    def _on_broken(self, keeper: Keeper[Any], id: str, what: str) -> None:
        if keeper.unreadable:
            self._timers.arm(keeper.stream, None)
        for tell in self.on_broken:
            tell(keeper.stream, id, what)

    def _on_rested(self, keeper: Keeper[Any]) -> None:
        """Let go of a stream of which nothing is written: anybody may ask for streams that never were, and for any number of them."""
        if keeper.empty and self._open.get(keeper.stream) is keeper:
            del self._open[keeper.stream]

    def _settle(self, keeper: Keeper[Any]) -> None:
        """Arm the timer that the state now asks for, and let go of a stream that is over."""
        stream, noun = keeper.stream, self._noun_of(keeper.stream)
        if self._timers.arm(stream, None if keeper.unreadable else noun.timer(keeper.state)):
            self._wake.set()
        if noun.over(keeper.state) and self._open.pop(stream, None) is not None:
            self._over[stream] = keeper
            while len(self._over) > OVER_KEPT_MAX:
                self._over.popitem(last=False)

    def _watch(self, stream: str, future: asyncio.Future[Answer]) -> None:
        error = None if future.cancelled() else future.exception()
        if error is None:
            return
        if isinstance(error, SteppedDown):
            self._step_down(error)
        elif isinstance(error, LogFull | StoreUnavailable | LogMisconfigured):
            # Whoever cannot write down what people say does not hear them either.
            self._presence.away()
        elif not isinstance(error, StoreRefusal | Overrun | asyncio.CancelledError):
            # A timer has nobody who would ask what became of it.
            log.error("a command failed in %s", stream, exc_info=error)

    def _step_down(self, why: SteppedDown) -> None:
        if not self.stepped_down.done():
            self.stepped_down.set_result(str(why))
