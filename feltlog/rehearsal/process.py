"""The process: one service as it would run, without a loop: its doors, ears, timers and quarantines, and a death at any step."""

from collections.abc import Callable
from functools import partial
from typing import Any

from feltlog.rehearsal.desk import Desk, nobody
from feltlog.rehearsal.door import Door, Owner, Told
from feltlog.rehearsal.ear import Ear
from feltlog.rehearsal.world import Rooms, Step, World
from shared.kernel.entry import Entry, Place, Stored
from shared.kernel.folded import Asked, Pen, raised
from shared.kernel.identity import derived_id
from shared.kernel.messages import HOUSE, Answer
from shared.kernel.reactions import Reaction, Source
from shared.kernel.timers import BREATH_MS, SILENCE_MS, Presence, Timers, again_ms
from shared.runtime.event_store import Appended, Conflict, Unknown
from shared.runtime.keepers import PULSE_MS, SUCCESSION_MS
from shared.runtime.quarantine import DESK_NOUN

OVER_KEPT_MAX = 200
LIFTING_STEPS_MAX = 500


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
        self.desk = Desk(self)
        self._busy: dict[str, Door[Any]] = {}
        self._read_from_ms = self._read_until_ms = 0
        self._scanned: dict[str, int] = {}
        """The last sequence that was read of each own log."""
        self._seen: tuple[int, str] = (-1, "")
        self.rooms = build(self)
        self.name = self.rooms.service

    def start(self) -> None:
        """Fold everything that is open, take an epoch above every one seen, and begin."""
        for log in self.house.logs(self.name, sealed=False):
            for stored in self.store.log(log).entries:
                if stored is not None:
                    self.door(stored.stream).take(stored)
            self._scanned[log] = len(self.store.log(log).entries)
        self._read_until_ms = self.now_ms() + SUCCESSION_MS
        for door in [*self.doors.values(), *self.over.values()]:
            door.loaded = True
            self.pen = Pen(self.pen.writer, max(self.pen.epoch, door.folded.epoch + 1), self.pen.software)
        self.desk.recall()
        self.rooms.start()
        self.there()

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
        self.desk.stored(entry)
        self.rooms.stored(door, entry)

    def busy(self, door: Door[Any]) -> None:
        """Take a door into the work."""
        self._busy[door.stream] = door

    def follow(self, event: Any, source: Source) -> list[Reaction]:
        """Return what must follow from an event."""
        return self.rooms.follow(event, source)

    def see(self, stored: Stored) -> None:
        """Take over what stands in a stream of ours, if another process has written it."""
        door = self.door(stored.stream)
        if door.idle and not door.unreadable and door.folded.fence < stored.sequence:
            door.read_on()

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
        return self.desk.holds(subject, target)

    def hold(self, log: str, stored: Stored, reason: str, target: str, told: Told) -> None:
        """Quarantine a subject from an entry on; `told` hears when that is written down."""
        self.desk.hold(log, stored, reason, target, told)

    def look_again(self, told: Told) -> None:
        """Learn what other processes have written on today's desk."""
        self.desk.look_again(told)

    def resume(self, log: str) -> None:
        """Let all doors take again what follows from a log."""
        for door in [*self.doors.values(), *self.over.values()]:
            door.resume(log)

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

    def ask_now(self, stream: str, asked: Asked) -> bool:
        """Ask, step the door until the answer is there, and return whether it did what was asked or had reason not to."""
        said: list[Answer | Exception] = []
        self.ask(stream, asked, said.append)
        door = self.door(stream)
        for _ in range(LIFTING_STEPS_MAX):
            if said:
                break
            door.step()
        return bool(said) and isinstance(said[0], Answer) and said[0].code != "quarantined"

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
        for log, ear in self.ears.items():
            if self.desk.owes(log) and ear.not_before_ms <= now_ms:
                steps.append(partial(self.desk.make_up, ear))
            elif ear.can_hear(now_ms):
                steps.append(ear.hear)
        next_ms = self.timers.next_ms()
        if next_ms is not None and next_ms <= now_ms:
            steps.append(self.fire)
        if self.desk.is_due(now_ms):
            steps.append(self.desk.keep)
        if self._read_from_ms <= now_ms < self._read_until_ms:
            steps.append(self._succeed)
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
        return (
            not any(map(self.desk.owes, self.ears))
            and all(door.idle for door in self._busy.values())
            and all(ear.caught_up for ear in self.ears.values())
        )

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
            self.ask(stream, Asked(id, command, HOUSE, self.now_ms()), nobody, first=True)

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

    def _succeed(self) -> None:
        """Take over for a while what another process still writes."""
        self._read_from_ms = self.now_ms() + PULSE_MS
        for log, scanned in self._scanned.items():
            entries = self.store.log(log).entries
            for stored in entries[scanned:]:
                assert stored is not None, "nothing is gone from a log in memory"
                self.see(stored)
            self._scanned[log] = len(entries)
