"""The keepers: all streams that a service owns, their timers, and what happens to a person's time when the house is away.

A service names its nouns once; the rest is the same everywhere: find the keeper of a stream, make it when it is asked
for, let go of what is over, fire what falls due.
"""

import asyncio
import heapq
import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shared.kernel.decider import Decider
from shared.kernel.entry import Entry, Unreadable
from shared.kernel.folded import Asked, BrokenChain, Pen
from shared.kernel.identity import derived_id
from shared.kernel.messages import HOUSE, Answer
from shared.kernel.reactions import Timer
from shared.runtime.clock import Clock
from shared.runtime.event_store import EventStore, Stored
from shared.runtime.keeper import Keeper, SteppedDown

OVER_KEPT_MAX = 2_000
"""How many finished streams stay in memory, so that a repeated request is answered without reading."""
TOO_EARLY_AGAIN_MS = 50
BREATH_S = 1.0

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
        self._timers: dict[str, Timer] = {}
        self._due: list[tuple[int, str, str]] = []
        self._wake = asyncio.Event()
        self._away = True

    def open(self) -> list[Keeper[Any]]:
        """Return the keepers of all streams that are not over."""
        return list(self._open.values())

    def get(self, stream: str) -> Keeper[Any]:
        """Return the keeper of a stream; it loads itself when it is first asked."""
        keeper = self._open.get(stream) or self._over.get(stream)
        if keeper is None:
            keeper = self._open[stream] = self._make(stream)
        return keeper

    async def scan(self, log_name: str) -> None:
        """Fold all open streams of a log in one pass, and take an epoch above every one seen."""
        spoiled: set[str] = set()
        async for stored in self._store.read(log_name):
            self._take(stored, spoiled)
        for keeper in [*self._open.values(), *self._over.values()]:
            keeper.loaded = True
            self.pen = Pen(self.pen.writer, max(self.pen.epoch, keeper.folded.epoch + 1), self.pen.software)
            self._settle(keeper)
        for stream in spoiled:
            self._open.pop(stream, None)

    def ask(self, stream: str, asked: Asked) -> asyncio.Future[Answer]:
        """Ask a stream's keeper."""
        future = self.get(stream).ask(asked)
        future.add_done_callback(self._watch)
        return future

    def away(self, away: bool) -> None:
        """Learn that the log is out of reach, or back.  People's clocks that ran meanwhile are extended, not fired."""
        was, self._away = self._away, away
        if was and not away:
            for stream in list(self._timers):
                self._extend(stream)
        self._wake.set()

    async def keep_time(self) -> None:
        """Fire what falls due, for ever."""
        while True:
            await self._sleep_until_due()
            # A server that hangs for a while and goes on is an outage of which no connection ever tells.
            if self._away and await self._store.alive():
                self.away(False)
            now_ms = self.clock.now_ms()
            while self._due and self._due[0][0] <= now_ms:
                _, stream, name = heapq.heappop(self._due)
                timer = self._timers.get(stream)
                if timer is not None and timer.name == name and timer.at_ms <= now_ms:
                    await self._fire(stream, timer)

    async def _fire(self, stream: str, timer: Timer) -> None:
        if timer.patient and (self._away or not await self._store.alive()):
            # Whether the person or the house was away cannot be told apart now; `away(False)` gives the time back.
            self._away = True
            heapq.heappush(self._due, (self.clock.now_ms() + int(BREATH_S * 1000), stream, timer.name))
            return
        due = timer.due(self.clock.now_ms())
        asked = Asked(due.id_for(stream), due.command, HOUSE, self.clock.now_ms())
        self.ask(stream, asked).add_done_callback(lambda future: self._after_firing(stream, timer, future))

    def _after_firing(self, stream: str, timer: Timer, future: asyncio.Future[Answer]) -> None:
        if self._timers.get(stream) == timer:
            again_ms = self.clock.now_ms() + (TOO_EARLY_AGAIN_MS if future.exception() is None else int(BREATH_S * 1000))
            heapq.heappush(self._due, (again_ms, stream, timer.name))
            self._wake.set()

    async def _sleep_until_due(self) -> None:
        self._wake.clear()
        wait_s = BREATH_S if not self._due else min(BREATH_S, max(0.0, (self._due[0][0] - self.clock.now_ms()) / 1000))
        try:
            await asyncio.wait_for(self._wake.wait(), wait_s)
        except TimeoutError:
            return

    def _extend(self, stream: str) -> None:
        timer = self._timers[stream]
        extension = self._noun_of(stream).extension
        if not timer.patient or extension is None:
            return
        command = extension(self.get(stream).state, self.clock.now_ms())
        if command is not None:
            id = derived_id("extension", stream, timer.name, self.pen.writer, self.clock.now_ms())
            self.ask(stream, Asked(id, command, HOUSE, self.clock.now_ms()))

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
        )

    def _take(self, stored: Stored, spoiled: set[str]) -> None:
        if stored.stream in spoiled:
            return
        try:
            self.get(stored.stream).take(stored.data, stored.sequence)
        except (Unreadable, BrokenChain) as error:
            spoiled.add(stored.stream)
            for tell in self.on_broken:
                tell(stored.stream, "", str(error))

    def _on_stored(self, keeper: Keeper[Any], entry: Entry[Any, Any], sequence: int) -> None:
        self._settle(keeper)
        for tell in self.on_stored:
            tell(keeper, entry)

    def _on_broken(self, keeper: Keeper[Any], id: str, what: str) -> None:
        for tell in self.on_broken:
            tell(keeper.stream, id, what)

    def _settle(self, keeper: Keeper[Any]) -> None:
        """Arm the timer that the state now asks for, and let go of a stream that is over."""
        stream, noun = keeper.stream, self._noun_of(keeper.stream)
        timer = noun.timer(keeper.state)
        if timer is None:
            self._timers.pop(stream, None)
        elif self._timers.get(stream) != timer:
            self._timers[stream] = timer
            heapq.heappush(self._due, (timer.at_ms, stream, timer.name))
            self._wake.set()
        if noun.over(keeper.state) and self._open.pop(stream, None) is not None:
            self._over[stream] = keeper
            while len(self._over) > OVER_KEPT_MAX:
                self._over.popitem(last=False)

    def _watch(self, future: asyncio.Future[Answer]) -> None:
        error = None if future.cancelled() else future.exception()
        if isinstance(error, SteppedDown) and not self.stepped_down.done():
            self.stepped_down.set_result(str(error))
        elif isinstance(error, BrokenChain | Unreadable):
            log.error("a stream cannot be folded: %s", error)
