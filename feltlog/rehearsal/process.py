"""The process: one service as it would run, without a loop: its doors, ears, timers and quarantines, and a death at any step."""

from collections.abc import Callable
from typing import Any

from feltlog.rehearsal.door import Door, Owner, Told
from feltlog.rehearsal.ear import Ear
from feltlog.rehearsal.world import Rooms, Step, World
from shared.contracts.desk import CarryQuarantines, LiftQuarantine, QuarantineLifted, QuarantineSource, SourceQuarantined
from shared.contracts.subjects import desk_stream, log_day
from shared.kernel.entry import Entry, Place, Stored
from shared.kernel.folded import Asked, Pen, raised
from shared.kernel.identity import derived_id
from shared.kernel.messages import HOUSE, Actor, Answer
from shared.kernel.reactions import Reaction, Source
from shared.kernel.timers import BREATH_MS, SILENCE_MS, Presence, Timers, again_ms
from shared.runtime.event_store import Appended, Conflict, Unknown
from shared.runtime.keepers import PULSE_MS
from shared.runtime.quarantine import DESK_NOUN

OVER_KEPT_MAX = 200
LIFTING_STEPS_MAX = 500
CARRY_EVERY_MS = 1_000


class Crashed(Exception):
    """The process died at this very point."""


class Process(Owner):
    """One incarnation of a service."""

    def __init__(self, house: World, build: Callable[["Process"], Rooms], writer: str) -> None:
        super().__init__(house.store, house.clock.now_ms, Pen(writer, 1, "rehearsal"))
        self.house = house
        self.alive = True
        self.hung_until_ms = 0
        self.dies_after_append = False
        self.doors: dict[str, Door[Any]] = {}
        self.over: dict[str, Door[Any]] = {}
        self.ears: dict[str, Ear] = {}
        self.timers = Timers()
        self.presence = Presence()
        self.held: dict[tuple[str, str], SourceQuarantined] = {}
        self._holding: set[tuple[str, str]] = set()
        self._busy: dict[str, Door[Any]] = {}
        self._carry_from_ms = 0
        self._seen: tuple[int, str] = (-1, "")
        self.rooms = build(self)
        self.name = self.rooms.service

    def start(self) -> None:
        """Fold everything that is open, take an epoch above every one seen, and begin."""
        for log in self.house.logs(self.name, sealed=False):
            for stored in self.store.log(log).entries:
                if stored is not None:
                    self.door(stored.stream).take(stored)
        for door in [*self.doors.values(), *self.over.values()]:
            door.loaded = True
            self.pen = Pen(self.pen.writer, max(self.pen.epoch, door.folded.epoch + 1), self.pen.software)
        self._recall()
        self.rooms.start()
        self.there()

    # What the doors tell.

    def appended(self, door: Door[Any], said: Appended | Conflict | Unknown) -> None:
        """Die here if that is to happen."""
        self.house.happened["conflict"] += isinstance(said, Conflict)
        if self.dies_after_append:
            self.house.happened["crash_after_append"] += isinstance(said, Appended)
            raise Crashed(door.stream)

    def stored(self, door: Door[Any], entry: Entry[Any, Any]) -> None:
        """Arm the timer that the state asks for, and let go of a stream that is over."""
        noun = door.noun
        self.pen = raised(self.pen, entry)
        self.timers.arm(door.stream, noun.timer(door.state))
        if noun.over(door.state) and self.doors.pop(door.stream, None) is not None:
            self.over[door.stream] = door
            while len(self.over) > OVER_KEPT_MAX:
                del self.over[next(iter(self.over))]
        if self.now_ms() - entry.at_ms > SILENCE_MS:
            self._extend(door.stream)
        for decision in entry.decisions:
            for event in decision.events:
                if isinstance(event, SourceQuarantined):
                    self.held[event.subject, event.target] = event
                elif isinstance(event, QuarantineLifted):
                    self.held.pop((event.subject, event.target), None)
        self.rooms.stored(door, entry)

    def busy(self, door: Door[Any]) -> None:
        """Take a door into the work."""
        self._busy[door.stream] = door

    # What the ears ask.

    def follow(self, event: Any, source: Source) -> list[Reaction]:
        """Return what must follow from an event."""
        return self.rooms.follow(event, source)

    def place(self, log: str) -> Place | None:
        """Return how far the service's own entries say that a log is worked off."""
        return self.rooms.place(log)

    def choose(self, among: int) -> int:
        """Return a whole number below `among`: which of several subjects is heard first."""
        place = self.house.chooser.below(among) if self.house.reorders else 0
        self.house.happened["reorder"] += place > 0
        return place

    def ack_is_lost(self) -> bool:
        """Return whether the next acknowledgement does not arrive."""
        return self.house.ack_is_lost()

    def holds(self, subject: str, target: str = "") -> bool:
        """Return whether a subject is quarantined."""
        return any(key in self.held or key in self._holding for key in ((subject, ""), (subject, target)))

    def hold(self, log: str, stored: Stored, reason: str, target: str, told: Told) -> None:
        """Quarantine a subject from an entry on; `told` hears when that is written down."""
        if self.holds(stored.stream, target):
            told(Answer("accepted"))
            return
        key = (stored.stream, target)
        desk = self._desk()
        id = derived_id("quarantine", *key, stored.sequence, self.door(desk).folded.revision)
        command = QuarantineSource(
            service=self.name, log=log, subject=stored.stream, sequence=stored.sequence, reason=reason, target=target
        )
        self._holding.add(key)

        def written(said: Answer | Exception) -> None:
            self._holding.discard(key)
            told(said)

        self.ask(desk, Asked(id, command, HOUSE, self.now_ms()), written)

    def look_again(self, told: Told) -> None:
        """Learn what other processes have written on today's desk."""
        desk = self._desk()
        self.ask_house(desk, CarryQuarantines(open=()), derived_id("look", desk, self.now_ms()), told)

    def resume(self, log: str) -> None:
        """Let all doors take again what follows from a log."""
        for door in [*self.doors.values(), *self.over.values()]:
            door.resume(log)

    def lift(self, subject: str, id: str) -> bool:
        """Hear again what is held of a subject, and let it go; return whether that went well.

        It is one step: a real service lets everything of the subject wait meanwhile.
        """
        if any(subject in key for key in self._holding):
            return False
        for row in [row for row in self.held.values() if row.concerns(subject)]:
            ear = self.ears.get(row.log)
            if ear is not None and not all(self._ask_now(stream, asked) for stream, asked in ear.rehear(row)):
                return False
        return self._ask_now(self._desk(), Asked(id, LiftQuarantine(subject=subject), Actor("staff", "pit"), self.now_ms()))

    # Asking.

    def door(self, stream: str) -> Door[Any]:
        """Return the door of a stream."""
        door = self.doors.get(stream) or self.over.get(stream)
        if door is None:
            noun = DESK_NOUN if stream.endswith(".desk") else self.rooms.noun_of(stream)
            door = self.doors[stream] = Door(self, noun, stream)
        return door

    def ask(self, stream: str, asked: Asked, told: Told, *, first: bool = False) -> None:
        """Ask one of the own streams."""
        self.door(stream).ask(asked, told, first=first)

    def ask_house(self, stream: str, command: Any, id: str, told: Told) -> None:
        """Ask as the house itself."""
        self.ask(stream, Asked(id, command, HOUSE, self.now_ms()), told)

    # Steps.

    def work(self, now_ms: int) -> list[Step]:
        """Return the steps that could be taken now."""
        if self.hung_until_ms > now_ms:
            return []
        self._attend()
        steps: list[Step] = []
        for stream, door in list(self._busy.items()):
            if door.idle:
                del self._busy[stream]
            elif door.not_before_ms <= now_ms:
                steps.append(door.step)
        if self.store.is_away:
            return steps
        steps += [ear.hear for ear in self.ears.values() if ear.can_hear(now_ms)]
        next_ms = self.timers.next_ms()
        if next_ms is not None and next_ms <= now_ms:
            steps.append(self.fire)
        if self.held and now_ms >= self._carry_from_ms:
            steps.append(self._carry)
        return steps + self.rooms.work(now_ms)

    def next_ms(self, now_ms: int) -> list[int]:
        """Return the times after now at which something may become possible."""
        times = [door.not_before_ms for door in self._busy.values()]
        times += [ear.not_before_ms for ear in self.ears.values()]
        times.append(self.hung_until_ms)
        next_ms = self.timers.next_ms()
        if next_ms is not None:
            times.append(next_ms)
        return [time for time in times if time > now_ms]

    def beat(self) -> None:
        """Live through a while in which nothing happened: the log was asked for a sign of life again and again."""
        if self.hung_until_ms > self.now_ms():
            return
        if self.store.is_away:
            self.presence.away()
        elif not self.presence.is_away:
            self.presence.there_ms = self.now_ms()

    def there(self) -> None:
        """Learn that the log is within reach: people's clocks that ran in a silence are extended."""
        if self.presence.there(self.now_ms()):
            for stream in self.timers.streams():
                self._extend(stream)

    def fire(self) -> None:
        """Let the first timer that is due ask."""
        if self.presence.is_away or self.now_ms() - self.presence.there_ms >= PULSE_MS:
            self._is_there()
        taken = self.timers.take(self.now_ms())
        if taken is None:
            return
        stream, timer = taken
        if timer.patient and not self._is_there():
            self.timers.again(stream, timer, self.now_ms() + BREATH_MS)
            return
        due = timer.due(self.now_ms())

        def fired(said: Answer | Exception) -> None:
            code = said.code if isinstance(said, Answer) else ""
            self.timers.again(stream, timer, self.now_ms() + again_ms(code))

        self.ask_house(stream, due.command, due.id_for(stream), fired)

    def at_work(self, now_ms: int) -> list[Door[Any] | Ear]:
        """Return whatever could be late: the doors at which something waits, and the ears that have something to hear."""
        doors = [door for door in self._busy.values() if not door.idle]
        return [*doors, *(ear for ear in self.ears.values() if ear.can_hear(now_ms))]

    @property
    def idle(self) -> bool:
        """Whether nothing waits anywhere, and everything is heard and worked off."""
        return all(door.idle for door in self._busy.values()) and all(ear.caught_up for ear in self.ears.values())

    def _is_there(self) -> bool:
        if self.store.is_away:
            self.presence.away()
        else:
            self.there()
        return not self.presence.is_away

    def _extend(self, stream: str) -> None:
        timer = self.timers.of(stream)
        door = self.doors.get(stream)
        if timer is None or door is None or not timer.patient or door.noun.extension is None:
            return
        command = door.noun.extension(door.state, self.now_ms())
        if command is not None:
            id = derived_id("extension", stream, timer.name, self.pen.writer, self.now_ms())
            self.ask(stream, Asked(id, command, HOUSE, self.now_ms()), _nobody, first=True)

    def _attend(self) -> None:
        """Open an ear for each log that can be heard, and close those of logs that are closed for ever."""
        seen = (self.house.changes, self.rooms.standing())
        if seen == self._seen or self.store.is_away:
            return
        self._seen = seen
        still_open = [log for service in self.rooms.hears for log in self.house.logs(service, sealed=False)]
        for log in [log for log in self.ears if log not in still_open]:
            del self.ears[log]
        for log in still_open:
            if log not in self.ears and self.rooms.ready_for(log):
                self.ears[log] = Ear(self, self.store.log(log), self.name, positioned=self.rooms.positioned)

    def _recall(self) -> None:
        """Learn what is quarantined from the latest desk."""
        still_open = self.house.logs(self.name, sealed=False)
        for log in reversed(self.house.logs(self.name, sealed=True)):
            door = self.door(desk_stream(self.name, log_day(log)[1]))
            if not door.loaded:
                door.load()
            if door.folded.revision or log not in still_open:
                self.held = {(row.subject, row.target): row for row in door.state.open}
                return

    def _carry(self) -> None:
        """Carry what is open onto the desk of each day as it begins."""
        self._carry_from_ms = self.now_ms() + CARRY_EVERY_MS
        self._desk()

    def _desk(self) -> str:
        """Return today's desk, with what was open the day before carried onto it."""
        stream = desk_stream(self.name, self.house.today())
        before = tuple(self.held.values())
        if self.door(stream).folded.revision == 0 and before:
            self.ask_house(stream, CarryQuarantines(open=before), derived_id("carry", stream), _nobody)
        return stream

    def _ask_now(self, stream: str, asked: Asked) -> bool:
        """Ask, step the door until the answer is there, and return whether it did what was asked or had reason not to."""
        said: list[Answer | Exception] = []
        self.ask(stream, asked, said.append)
        door = self.door(stream)
        for _ in range(LIFTING_STEPS_MAX):
            if said:
                break
            door.step()
        return bool(said) and isinstance(said[0], Answer) and said[0].code != "quarantined"


def _nobody(said: Answer | Exception) -> None:
    """Hear an answer that nobody waits for."""
