"""The desk: what a rehearsed process holds, stepped by hand, with the promises of the services' own desks.

What is held counts as worked off once that is written down; who lifts a quarantine hears first what was held; and what
somebody else has lifted is owed: it is heard again before anything that comes later.
"""

from typing import Any, Protocol

from feltlog.rehearsal.door import Door, Told
from feltlog.rehearsal.ear import Ear
from feltlog.rehearsal.world import World
from shared.contracts.desk import CarryQuarantines, LiftQuarantine, QuarantineLifted, QuarantineSource, SourceQuarantined
from shared.contracts.desk_rules import still_open
from shared.contracts.subjects import desk_stream, log_day
from shared.kernel.entry import Entry, Stored
from shared.kernel.folded import POISON, Asked, Pen
from shared.kernel.identity import derived_id
from shared.kernel.messages import Actor, Answer
from shared.runtime.quarantine import CLOSED_DESKS

KEEP_EVERY_MS = 1_000


class Writes(Protocol):
    """What a desk needs of its process."""

    name: str
    house: World
    pen: Pen
    ears: dict[str, Ear]

    def now_ms(self) -> int:
        """Return the time."""

    def door(self, stream: str) -> Door[Any]:
        """Return the door of a stream."""

    def ask_house(self, stream: str, command: Any, id: str, told: Told) -> None:
        """Ask as the house itself."""

    def ask_now(self, stream: str, asked: Asked) -> bool:
        """Ask and wait; return whether it did what was asked or had reason not to."""


class Desk:
    """The quarantines of one process."""

    def __init__(self, process: Writes) -> None:
        self.held: dict[tuple[str, str], SourceQuarantined] = {}
        self._process = process
        self._owed: dict[str, list[QuarantineLifted]] = {}
        self._holding: set[tuple[str, str]] = set()
        self._keep_from_ms = 0

    def recall(self) -> None:
        """Learn what is held from the desks of the open days and of those before."""
        process = self._process
        names, still = process.house.logs(process.name, sealed=True), process.house.logs(process.name, sealed=False)
        desks = []
        for log in names[max(0, len(names) - len(still) - CLOSED_DESKS) :]:
            door = process.door(desk_stream(process.name, log_day(log)[1]))
            if not door.loaded:
                door.load()
            desks.append(door.state)
        self.held = {(row.subject, row.target): row for row in still_open(desks)}
        self._owed = {}
        for desk in desks:
            for row in desk.lifted:
                if (row.subject, row.target) not in self.held:
                    self._owed.setdefault(row.log, []).append(row)

    def stored(self, entry: Entry[Any, Any]) -> None:
        """See an entry that is in the log."""
        for decision in entry.decisions:
            for event in decision.events:
                if isinstance(event, SourceQuarantined):
                    self.held[event.subject, event.target] = event
                elif isinstance(event, QuarantineLifted):
                    held = self.held.pop((event.subject, event.target), None)
                    if held is not None and entry.writer != self._process.pen.writer:
                        self._owed.setdefault(event.log, []).append(event)

    def holds(self, subject: str, target: str = "") -> bool:
        """Return whether a subject is held."""
        return any(key in self.held or key in self._holding for key in ((subject, ""), (subject, target)))

    def owes(self, log: str) -> bool:
        """Return whether something of a log is to be heard again first."""
        return bool(self._owed.get(log))

    def hold(self, log: str, stored: Stored, reason: str, target: str, told: Told) -> None:
        """Hold a subject from an entry on; `told` hears when that is written down."""
        if self.holds(stored.stream, target):
            told(Answer("accepted"))
            return
        process, key = self._process, (stored.stream, target)
        desk = self._stream()
        id = derived_id("quarantine", *key, stored.sequence, process.door(desk).folded.revision)
        self._holding.add(key)

        def written(said: Answer | Exception) -> None:
            self._holding.discard(key)
            told(said)

        command = QuarantineSource(
            service=process.name, log=log, subject=stored.stream, sequence=stored.sequence, reason=reason, target=target
        )
        process.ask_house(desk, command, id, written)

    def look_again(self, told: Told) -> None:
        """Learn what other processes have written on today's desk."""
        self._look(self._stream(), told)

    def lift(self, subject: str, id: str) -> bool:
        """Hear again what is held of a subject, and let it go; return whether that went well.

        It is one step: a real service lets everything of the subject wait meanwhile.
        """
        process = self._process
        if any(subject in key for key in self._holding):
            return False
        for row in [row for row in self.held.values() if row.concerns(subject)]:
            ear = process.ears.get(row.log)
            if ear is not None and not self._rehear(ear, row):
                return False
        return process.ask_now(self._stream(), Asked(id, LiftQuarantine(subject=subject), Actor("staff", "pit"), process.now_ms()))

    def is_due(self, now_ms: int) -> bool:
        """Return whether it is time to keep the desk."""
        return now_ms >= self._keep_from_ms

    def keep(self) -> None:
        """Carry what is open onto the desk of each day as it begins, and learn what others write on any."""
        process = self._process
        self._keep_from_ms = process.now_ms() + KEEP_EVERY_MS
        self._stream()
        for log in process.house.logs(process.name, sealed=False):
            self._look(desk_stream(process.name, log_day(log)[1]), nobody)

    def make_up(self, ear: Ear) -> None:
        """Hear again what somebody else has lifted, and hold it once more if that cannot be."""
        owed = self._owed[ear.log.name]
        row = owed[0]
        if self._rehear(ear, row):
            owed.remove(row)
            return
        ear.not_before_ms = self._process.now_ms() + KEEP_EVERY_MS
        stored = ear.log.at(row.sequence)
        assert stored is not None, "what was held stands in the log"

        def written(said: Answer | Exception) -> None:
            if isinstance(said, Answer) and row in owed:
                owed.remove(row)

        self.hold(ear.log.name, stored, "what was held is not understood", row.target, written)

    def _rehear(self, ear: Ear, row: SourceQuarantined | QuarantineLifted) -> bool:
        try:
            wanted = ear.rehear(row)
        except POISON:
            return False
        return all(self._process.ask_now(stream, asked) for stream, asked in wanted)

    def _stream(self) -> str:
        """Return today's desk, with what is open on another day's carried onto it."""
        process = self._process
        stream = desk_stream(process.name, process.house.today())
        desk = process.door(stream)
        known = {(row.subject, row.target) for row in desk.state.open}
        missing = tuple(row for key, row in self.held.items() if key not in known)
        if missing:
            process.ask_house(stream, CarryQuarantines(open=missing), derived_id("carry", stream, desk.folded.revision), nobody)
        return stream

    def _look(self, stream: str, told: Told) -> None:
        self._process.ask_house(stream, CarryQuarantines(open=()), derived_id("look", stream, self._process.now_ms()), told)


def nobody(said: Answer | Exception) -> None:
    """Hear an answer that nobody waits for."""
