"""Striking: how each blow is dealt to a real process, and how long it takes until what was hit is back.

Blows overlap, also on the same target: what has only just been started may be killed again.  Only who stops and starts a
process in peace has it for itself.
"""

import asyncio
import os
import resource
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec

from feltlog.health import health
from feltlog.machine import Machine
from feltlog.nats_server import is_well
from feltlog.trouble import Trouble
from shared.contracts.subjects import log_name
from shared.runtime.event_store import StoreUnavailable
from shared.runtime.line import Line
from tests.chaos.plan import EVERYTHING, PROCESSES, PROVISIONER, SERVER, Blow
from tests.chaos.vandal import Vandal
from tests.integration.running_house import today_in

BACK_S = 90.0
"""How long what was hit may take to be back."""
LOOK_S = 0.05
MEND_EVERY_S = 0.5
ROOM_BYTES = 3_000
"""What a log that is made too small, or a file on a disk that fills up, may still take: a few entries."""


class Hit(msgspec.Struct, kw_only=True):
    """A blow that fell: seconds are counted from the first blow, and from this one's own beginning."""

    number: int
    what: str
    target: str
    at_s: float
    lasted_s: float = 0.0
    back_after_s: float | None = None
    """None while it is not back."""
    missed: str = ""
    """Why nothing was hit, or what kept it away."""


class Striker:
    """Deals blows to the processes of a machine, and mends the server as `feltlog up` does."""

    def __init__(self, machine: Machine, line: Line, vandal: Vandal) -> None:
        self.hits: list[Hit] = []
        self._machine = machine
        self._line = line
        self._vandal = vandal
        self._clock_s = asyncio.get_running_loop().time
        self._began_s = self._clock_s()
        self._hands = {name: asyncio.Lock() for name in PROCESSES}
        self._paused: set[int] = set()

    @property
    def now_s(self) -> float:
        """Seconds since the first blow could fall."""
        return self._clock_s() - self._began_s

    async def strike(self, blow: Blow) -> Hit:
        """Deal a blow and wait until what it hit is back, or patience is at its end."""
        acts: dict[str, Callable[[Blow, Hit], Awaitable[None]]] = {
            "kill": self._kill,
            "pause": self._pause,
            "restart": self._restart,
            "full log": self._fill_log,
            "full disk": self._fill_disk,
            "deleted consumer": self._delete_consumer,
        }
        hit = Hit(number=blow.number, what=blow.what, target=blow.target, at_s=self.now_s)
        self.hits.append(hit)
        async with self._taking(blow):
            hit.at_s = self.now_s
            try:
                async with asyncio.timeout(BACK_S):
                    await acts[blow.kind](blow, hit)
                    hit.back_after_s = self.now_s - hit.at_s
            except (TimeoutError, Trouble) as trouble:
                hit.missed = str(trouble) or "not back"
        return hit

    async def keep_server(self) -> None:
        """Start the server again whenever a full disk has stopped it and nobody else is at it."""
        while True:
            await asyncio.sleep(MEND_EVERY_S)
            if not self._hands[SERVER].locked():
                async with self._hands[SERVER]:
                    await self._mend()

    def resume_all(self) -> None:
        """Let every process go on that was stopped."""
        for pid in list(self._paused):
            self._resume(pid)

    @asynccontextmanager
    async def _taking(self, blow: Blow) -> AsyncIterator[None]:
        """Take what will be stopped and started into one's own hand."""
        match blow.kind:
            case "restart" | "full disk":
                async with self._hands[blow.target]:
                    yield
            case "full log":
                async with self._hands[PROVISIONER]:
                    yield
            case _:
                yield

    async def _kill(self, blow: Blow, hit: Hit) -> None:
        names = PROCESSES if blow.target == EVERYTHING else (blow.target,)
        before = {name: await self._pid(name) if len(names) == 1 else self._machine.pid(name) for name in names}
        for name, pid in before.items():
            if pid is not None:
                # It is not held against the process: a machine gives up what falls again and again by itself.
                self._machine.kill(name)
        await asyncio.gather(*(self._until_back(name, before[name]) for name in names))

    async def _pause(self, blow: Blow, hit: Hit) -> None:
        pid = await self._pid(blow.target)
        self._paused.add(pid)
        os.kill(pid, signal.SIGSTOP)
        try:
            await asyncio.sleep(blow.lasts_s)
        finally:
            self._resume(pid)
        hit.lasted_s = self.now_s - hit.at_s
        await self._until_back(blow.target)

    def _resume(self, pid: int) -> None:
        self._paused.discard(pid)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)

    async def _restart(self, blow: Blow, hit: Hit) -> None:
        await asyncio.to_thread(self._machine.stop_process, blow.target)
        await asyncio.sleep(blow.lasts_s)
        hit.lasted_s = self.now_s - hit.at_s
        await asyncio.to_thread(self._machine.start_process, blow.target)
        await self._until_back(blow.target)

    async def _fill_log(self, blow: Blow, hit: Hit) -> None:
        """Make a log so small that it is soon full, with the provisioner away, who would enlarge it at once."""
        log = log_name(blow.target, today_in(self._machine.house))
        room = await self._answered(lambda: self._vandal.room(log))
        await asyncio.to_thread(self._machine.stop_process, PROVISIONER)
        try:
            await self._answered(lambda: self._vandal.leave_room(log, ROOM_BYTES))
            await asyncio.sleep(blow.lasts_s)
        finally:
            hit.lasted_s = self.now_s - hit.at_s
            await asyncio.to_thread(self._machine.start_process, PROVISIONER)
        await self._until(lambda: self._has_room(log, room))

    async def _has_room(self, log: str, room: int) -> bool:
        return await self._vandal.room(log) == room

    async def _fill_disk(self, blow: Blow, hit: Hit) -> None:
        """Let the file of today's rounds take a few entries more; the last is cut off in the middle, as it is on a full disk."""
        pid = await self._pid(SERVER)
        files = self._machine.house.store.rglob(f"{log_name('table', today_in(self._machine.house))}/msgs/*.blk")
        largest = max((file.stat().st_size for file in files), default=0)
        # What a process may write into a file is the same to it as what the disk has room for.
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (largest + ROOM_BYTES, largest + ROOM_BYTES))
        await asyncio.sleep(blow.lasts_s)
        hit.lasted_s = self.now_s - hit.at_s
        # A server that has noticed nothing yet will, with the next entry.
        while self._machine.pid(SERVER) == pid and not await self._mend():
            await asyncio.sleep(LOOK_S)
        await self._until_back(SERVER, pid)

    async def _delete_consumer(self, blow: Blow, hit: Hit) -> None:
        service, _, listener = blow.target.partition(" heard by ")
        log = log_name(service, today_in(self._machine.house))
        if not await self._answered(lambda: self._vandal.delete_consumer(log, listener)):
            hit.missed = "it was not there"
        await self._until(lambda: self._vandal.has_consumer(log, listener))

    async def _mend(self) -> bool:
        return await asyncio.to_thread(self._machine.mend_server)

    async def _pid(self, name: str) -> int:
        """Return a process id as soon as the process runs."""
        while (pid := self._machine.pid(name)) is None:
            await asyncio.sleep(LOOK_S)
        return pid

    async def _until_back(self, name: str, before: int | None = None) -> None:
        """Return when a process is ready; it must be another one than `before`."""

        async def back() -> bool:
            pid = self._machine.pid(name)
            if pid in (None, before):
                return False
            if name == SERVER:
                return await asyncio.to_thread(is_well, self._machine.ports)
            facts = await health(self._line, name, "pit")
            return bool(facts.get("ready")) and facts.get("pid") == pid

        await self._until(back)

    async def _until(self, condition: Callable[[], Awaitable[bool]]) -> None:
        while not await self._answered(condition):
            await asyncio.sleep(LOOK_S)

    async def _answered(self, ask: Callable[[], Awaitable[Any]]) -> Any:
        """Return what the server answers, as soon as it does."""
        while True:
            with suppress(StoreUnavailable):
                return await ask()
            await asyncio.sleep(LOOK_S)
