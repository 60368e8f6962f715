"""The service: one process around one set of decisions.

Everything a service needs from the world is here and the same for all four: connect, check the settings that money rests
on, fold what is open, hear the logs of each gaming day, answer commands and questions, keep time, step down.  What an app
room adds is names, not mechanics.
"""

import asyncio
import contextlib
import json
import logging
import os
import secrets
from collections.abc import Awaitable, Callable, Sequence
from importlib.metadata import version
from typing import Any, Protocol

import msgspec
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError

from shared.contracts.desk import SourceQuarantined
from shared.contracts.refusals import Reason, refused, sentence
from shared.contracts.subjects import Addressed, alarm, desk_stream, log_day, log_name
from shared.kernel.entry import Entry, Place
from shared.kernel.messages import Actor, Answer
from shared.kernel.reactions import Reaction, Source
from shared.runtime import telemetry
from shared.runtime.answering import Answering
from shared.runtime.clock import Clock, gaming_day
from shared.runtime.days import Check, Days, unchecked
from shared.runtime.hearing import ConsumerMissing
from shared.runtime.keeper import Keeper, SteppedDown
from shared.runtime.keepers import Keepers, Noun
from shared.runtime.listener import Listener
from shared.runtime.quarantine import CLOSED_DESKS, DESK_NOUN, Desk
from shared.runtime.settings import ServiceSettings
from shared.runtime.tasks import end_all
from shared.runtime.witness import Witness

STEPPED_DOWN = 3
"""Exit status of a process that found another one owning its streams."""
UNSURE_MS = 5_000
"""An append that is not confirmed for so long is not a slow disk: somebody must look."""
MISSING_S = 2.0
"""How long the provisioner may take to make a consumer again before the alarm is raised once more."""

log = logging.getLogger(__name__)


class App(Protocol):
    """What a service's app room adds to the common process."""

    @property
    def name(self) -> str:
        """The service's name."""

    @property
    def hears(self) -> tuple[str, ...]:
        """The services whose logs it follows by reactions."""

    def noun_of(self, stream: str) -> Noun:
        """Return what is known about a stream that this service owns."""

    def follow(self, event: Any, source: Source) -> list[Reaction]:
        """Return what must follow from an upstream event."""

    def place(self, log_name: str) -> Callable[[], Place | None] | None:
        """Return how to learn where an upstream log is worked off to, if this service keeps that in its own entries."""

    def ready_for(self, log_name: str) -> bool:
        """Return whether this upstream log can be heard yet."""

    async def start(self, house: "Process") -> None:
        """Do what must be done after all open streams are folded and before anything is answered."""

    async def command(self, to: Addressed, data: bytes) -> Answer:
        """Answer a command; raise `Refused`, `BadSubject` or `BadRequest` for one that cannot be asked here."""

    async def question(self, to: Addressed) -> Any:
        """Answer a question with something that can be written as JSON."""

    def stored(self, keeper: Keeper[Any], entry: Entry[Any, Any]) -> None:
        """See an entry of an own stream that is in the log."""


class Process:
    """The common process, as an app room sees it."""

    def __init__(self, app: App, settings: ServiceSettings, client: Client, store: Any, clock: Clock, check: Check = unchecked) -> None:
        self.app = app
        self.check = check
        self.settings = settings
        self.client = client
        self.store = store
        self.clock = clock
        self.writer = f"{app.name}-{secrets.token_hex(4)}"
        self.keepers = Keepers(store, clock, self.writer, f"feltlog {version('feltlog')}", self._noun_of)
        self.desk = Desk(self.keepers, app.name, self.today, self.alarm)
        self.listeners: dict[str, Listener] = {}
        self.witness = Witness(store, clock, self._log_of_today, self.alarm)
        self.days = Days(store, check, app.name, self.spawn)
        self.answering = Answering(self._decide, self.alarm, self.spawn)
        self.ready = False
        self._tasks: set[asyncio.Task[Any]] = set()

    def today(self) -> str:
        """Return the gaming day that it is now."""
        return gaming_day(self.clock.now_ms(), self.settings.day_starts, self.settings.zone)

    def actor(self, to: Addressed) -> Actor:
        """Return who sent a request; the job of staff is the house's to say, whatever the request holds."""
        match to.role:
            case "player":
                return Actor("player", to.actor)
            case "staff":
                return Actor("staff", to.actor, self.settings.staff.get(to.actor, ""))
            case _:
                raise refused(Reason.NOT_ALLOWED_FOR_ROLE)

    def _log_of_today(self) -> str:
        return log_name(self.app.name, self.today())

    def spawn(self, work: Awaitable[Any], name: str) -> asyncio.Future[Any]:
        """Run something beside the rest and return it; if it fails, the process ends."""
        task = asyncio.ensure_future(work)
        task.set_name(name)
        self._tasks.add(task)
        task.add_done_callback(self._spawned_done)
        return task

    def say(self, subject: str, what: Any) -> None:
        """Show something to whoever watches now; eyes only, nothing rests on it."""
        self.spawn(self._say(subject, msgspec.json.encode(what)), "say")

    async def _say(self, subject: str, data: bytes) -> None:
        with contextlib.suppress(NatsError, OSError):
            await self.client.publish(subject, data)

    async def alarm(self, kind: str, **facts: Any) -> None:
        """Raise an alarm.  Never carries a card or a balance."""
        log.warning("alarm %s: %s", kind, facts)
        telemetry.alarmed(kind)
        try:
            await self.client.publish(alarm(self.app.name, kind), json.dumps({"service": self.app.name, "kind": kind, **facts}).encode())
        except (NatsError, OSError):
            log.warning("the alarm %s could not be sent", kind)

    async def consumer_missing(self, missing: ConsumerMissing) -> None:
        """Raise the alarm that a durable of ours is gone, and give the provisioner time to make it again."""
        await self.alarm("consumer_missing", log=missing.log, durable=missing.durable)
        await asyncio.sleep(MISSING_S)

    async def run(self, open_door: Callable[[], Awaitable[None]]) -> None:
        """Fold, start, hear and answer until `keepers.stepped_down` says otherwise or the task is cancelled.

        `open_door` lets questions in; before this process knows everything it would answer them wrongly.
        """
        self.keepers.on_broken.append(self._broken)
        self.keepers.on_stored.append(self.app.stored)
        self.keepers.on_stored.append(self.desk.stored)
        await self.days.wait_for(self.app.name, self._log_of_today)
        for name in await self.days.open_logs(self.app.name):
            await self.check(name, None)
            await self.keepers.scan(name)
        await self._recall()
        await self.app.start(self)
        self.desk.on_owed.append(self._hear_again)
        self.spawn(self.desk.keep(lambda: self.days.open_logs(self.app.name)), "desk")
        self.spawn(self.witness.watch(), "witness")
        self.follow_days(self.app.hears, self._listen, self.app.ready_for)
        await self.client.subscribe(f"cmd.{self.app.name}.>", cb=self.hear)
        self.keepers.there()
        self.spawn(self.keepers.keep_time(), "timers")
        self.spawn(self._doubt(), "doubt")
        self.spawn(telemetry.watch(self), "telemetry")
        self.spawn(self.keepers.succeed(), "succession")
        self.ready = True
        await open_door()
        log.info("%s is ready as %s in epoch %d", self.app.name, self.writer, self.keepers.pen.epoch)
        why = await self.keepers.stepped_down
        raise SteppedDown(why)

    async def _doubt(self) -> None:
        """Alarm again and again while appends are not confirmed: those who asked are told nothing, so nobody else would say it."""
        while True:
            await asyncio.sleep(UNSURE_MS / 1000)
            unsure = self.keepers.unsure(UNSURE_MS)
            if unsure:
                await self.alarm(
                    "cannot_store", stream=unsure[0], streams=len(unsure), what="the log does not say whether it took an entry"
                )

    def _broken(self, stream: str, id: str, what: str) -> None:
        self.spawn(self.alarm("broken", stream=stream, id=id, what=what), "alarm")

    async def stop(self) -> None:
        """Stop hearing and answering; what is under way is finished or found again after the next start."""
        await end_all(self._tasks)

    async def _recall(self) -> None:
        """Learn what is quarantined from the desks of the open days and of those before, from which it may not be carried yet."""
        names = sorted(await self.store.logs(self.app.name))
        still_open = await self.days.open_logs(self.app.name)
        first = names.index(min(still_open)) if still_open else len(names)
        desks = []
        for name in names[max(0, first - CLOSED_DESKS) :]:
            keeper = self.keepers.get(desk_stream(self.app.name, log_day(name)[1]))
            await keeper.load()
            desks.append(keeper.state)
        self.desk.recall(desks)

    def _noun_of(self, stream: str) -> Noun:
        return DESK_NOUN if stream.endswith(".desk") else self.app.noun_of(stream)

    def follow_days(
        self, services: Sequence[str], listen: Callable[[str], Awaitable[None]], ready_for: Callable[[str], bool] = lambda name: True
    ) -> None:
        """Listen to each log of these services from when its day is made and `ready_for` it until it is closed for ever."""
        self.spawn(self.days.follow(services, listen, ready_for), "days")

    def _hear_again(self, log_name: str) -> None:
        if log_name in self.listeners:
            self.listeners[log_name].again()

    async def _listen(self, name: str) -> None:
        listener = self.listeners[name] = Listener(
            self.store,
            self.keepers,
            self.clock,
            self.desk,
            log_name=name,
            durable=self.app.name,
            follow=self.app.follow,
            after=self.app.place(name),
            alarm=self.alarm,
            missing=self.consumer_missing,
        )
        try:
            await listener.listen()
        finally:
            del self.listeners[name]

    async def hear(self, message: Msg) -> None:
        """Take a command; it is answered as soon as what follows from it is stored."""
        self.keepers.there()
        await self.answering.take(message)

    async def _decide(self, to: Addressed, data: bytes) -> Answer:
        if to.target == "desk":
            return await self.desk.command(self.actor(to), data, self.rehear)
        return await self.app.command(to, data)

    async def rehear(self, row: SourceQuarantined) -> bool:
        """Hear what is held by a quarantine; return whether all of it could be reacted to.

        Of a day that is closed for ever nothing can follow any more: what was held there is for people to put right.
        """
        if row.log not in await self.days.open_logs(log_day(row.log)[0]):
            return True
        listener = self.listeners.get(row.log)
        return listener is not None and await listener.rehear(row)

    async def question(self, to: Addressed) -> Any:
        """Answer what may be asked of every service, and leave the rest to its app room."""
        match to.target:
            case "health" | "quarantine" if to.role != "staff":
                return {"error": sentence(Reason.NOT_ALLOWED_FOR_ROLE)}
            case "health":
                return self._health()
            case "quarantine":
                return self.desk.rows()
            case _:
                return await self.app.question(to)

    def _health(self) -> dict[str, Any]:
        return {
            "service": self.app.name,
            "ready": self.ready,
            "pid": os.getpid(),
            "epoch": self.keepers.pen.epoch,
            "writer": self.writer,
            "clocks_apart_ms": self.witness.apart_ms,
            "open_streams": len(self.keepers.open()),
            "heard": {name: listener.sequence for name, listener in self.listeners.items()},
        }

    def _spawned_done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if error is not None and not self.keepers.stepped_down.done():
            log.error("%s failed", task.get_name(), exc_info=error)
            self.keepers.stepped_down.set_exception(error)
