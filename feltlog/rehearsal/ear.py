"""The ear: one service's hearing of one log, stepped by hand.

It hears each subject in its order, and unless the service keeps a position in its own entries the subjects in any order
between them, asks for what must follow, and acknowledges what is worked off without a gap.
"""

from collections.abc import Callable
from typing import Any, Protocol

from feltlog.rehearsal.door import Told
from shared.contracts.desk import QuarantineLifted, SourceQuarantined
from shared.contracts.following import Planned, planned
from shared.contracts.subjects import log_day
from shared.kernel.entry import Place, Stored, Stray
from shared.kernel.folded import POISON, QUARANTINED, Asked
from shared.kernel.messages import HOUSE, Answer
from shared.kernel.reactions import Reaction, Source
from shared.runtime.keeper import OutOfTurn
from shared.runtime.memory_log import MemoryLog

WINDOW = 6
"""How many entries ahead of the first one that was not heard another subject may be."""
ACK_WAIT_MS = 30_000
AGAIN_MS = 100
"""After a failure hearing rests for so long."""


class Listens(Protocol):
    """What an ear needs of its process."""

    def see(self, stored: Stored) -> None:
        """Take over what stands in a stream of the process's own, if another process has written it."""

    def follow(self, event: Any, source: Source) -> list[Reaction]:
        """Return what must follow from an event."""

    def ask(self, stream: str, asked: Asked, told: Told, *, first: bool = False) -> None:
        """Ask one of the own streams."""

    def holds(self, subject: str, target: str = "") -> bool:
        """Return whether a subject is quarantined."""

    def hold(self, log: str, stored: Stored, reason: str, target: str, told: Told) -> None:
        """Quarantine a subject."""

    def look_again(self, told: Told) -> None:
        """Learn what other processes have written on today's desk."""

    def resume(self, log: str) -> None:
        """Let all doors take again what follows from a log."""

    def now_ms(self) -> int:
        """Return the time."""

    def place(self, log: str) -> Place | None:
        """Return how far the service's own entries say that a log is worked off."""

    def choose(self, among: int) -> int:
        """Return a whole number below `among`."""

    def ack_is_lost(self) -> bool:
        """Return whether the next acknowledgement does not arrive."""


class Ear:
    """Hears one log.  `positioned` says that the service keeps its place in its own entries."""

    def __init__(self, listener: Listens, log: MemoryLog, durable: str, *, positioned: bool) -> None:
        self.log = log
        self.durable = durable
        self.not_before_ms = 0
        self._is_ours = log_day(log.name)[0] == durable
        self._listener = listener
        self._consumer = log.consumer(durable)
        self._positioned = positioned
        self._generation = 0
        self._acked_ms = 0
        self.start_again()

    def start_again(self) -> None:
        """Hear again everything that is not known to be worked off."""
        self._generation += 1
        place = self._listener.place(self.log.name) if self._positioned else None
        acked = self._consumer.standing().acked
        # The entry at the position may be half worked off.
        self.position = (place[0] - 1 if place else 0) if self._positioned else acked
        self._floor = self.position
        self._heard: set[int] = set()
        """What was heard ahead of `position`."""
        self._done: set[int] = set()
        self._listener.resume(self.log.name)

    def can_hear(self, now_ms: int) -> bool:
        """Return whether there is something to hear."""
        return self.not_before_ms <= now_ms and (len(self.log.entries) > self.position or self._must_repeat(now_ms))

    @property
    def caught_up(self) -> bool:
        """Whether everything in the log is heard, worked off and acknowledged."""
        return self._consumer.standing().acked >= len(self.log.entries)

    def hear(self) -> None:
        """Hear one entry."""
        if self._must_repeat(self._listener.now_ms()):
            self._acknowledge_again()
            return
        stored = self._next()
        if stored is not None:
            self._take(stored, self._generation)

    def hear_again(self) -> bool:
        """Hear an entry a second time that was heard just before; return whether there was one."""
        low = max(1, self.position - WINDOW)
        if self.position < low:
            return False
        stored = self.log.at(low + self._listener.choose(self.position - low + 1))
        if stored is None:
            return False
        # What comes of it is nobody's business: the first hearing says when the entry is worked off.
        self._take(stored, -1)
        return True

    def rehear(self, row: SourceQuarantined | QuarantineLifted) -> list[tuple[str, Asked]]:
        """Return what must be asked again of what a quarantine holds; raise one of `POISON` if it still cannot be worked out."""
        asked: list[tuple[str, Asked]] = []
        # What was held before this process began counts as worked off, and hearing began behind it.
        upto = max(self.position, self._consumer.standing().acked)
        for stored in self.log.entries[row.sequence - 1 : upto]:
            if stored is not None and stored.stream == row.subject:
                asked += [
                    (reaction.stream, self._asked(reaction, source, held=True))
                    for reaction, source in self._planned(stored)
                    if row.target in ("", reaction.stream)
                ]
        return asked

    def _next(self) -> Stored | None:
        """Return the entry to hear now: the next one, or the first of another subject a little ahead."""
        ahead: list[Stored] = []
        subjects: set[str] = set()
        for stored in self.log.entries[self.position : self.position + (1 if self._positioned else WINDOW)]:
            if stored is not None and stored.sequence not in self._heard and stored.stream not in subjects:
                ahead.append(stored)
                subjects.add(stored.stream)
        if not ahead:
            return None
        place = self._listener.choose(len(ahead)) if len(ahead) > 1 else 0
        stored = ahead[place]
        self._heard.add(stored.sequence)
        while self.position + 1 in self._heard:
            self.position += 1
            self._heard.discard(self.position)
        while self._consumer.delivered < stored.sequence:
            self.log.delivered(self.durable)
        return stored

    def _take(self, stored: Stored, generation: int, *, looked_again: bool = False) -> None:
        if self._is_ours:
            self._listener.see(stored)
        try:
            wanted, some_are_held = self._free(stored)
        except POISON as error:
            if generation >= 0:
                self._listener.hold(
                    self.log.name, stored, str(error) or type(error).__name__, "", lambda said: self._held(stored, generation, said)
                )
            return
        if some_are_held and not looked_again:
            if generation >= 0:
                self._listener.look_again(lambda said: self._looked(stored, generation, said))
            return
        if not wanted:
            self._worked_off(stored, generation)
            return
        work = _Work(len(wanted), lambda outcomes: self.conclude(stored, generation, outcomes))
        for reaction, source in wanted:
            self._listener.ask(reaction.stream, self._asked(reaction, source, held=False), work.told(reaction.stream))

    def _looked(self, stored: Stored, generation: int, said: Answer | Exception) -> None:
        if isinstance(said, Exception):
            self.fail(generation)
        elif generation == self._generation:
            self._take(stored, generation, looked_again=True)

    def _free(self, stored: Stored) -> tuple[list[Planned], bool]:
        """Return what follows from an entry as far as it is not held, and whether some of it is."""
        if self._listener.holds(stored.stream):
            return [], True
        found = self._planned(stored)
        free = [each for each in found if not self._listener.holds(stored.stream, each[0].stream)]
        return free, len(free) < len(found)

    def _planned(self, stored: Stored) -> list[Planned]:
        try:
            return planned(self.log.name, stored.stream, stored.sequence, stored.data, self._listener.follow, claimed=stored.claimed)
        except Stray:
            return []

    def _asked(self, reaction: Reaction, source: Source, *, held: bool) -> Asked:
        positioned = self._positioned and not held
        return Asked(
            reaction.id_after(source),
            reaction.command,
            HOUSE,
            self._listener.now_ms(),
            cause=source.cause,
            log=self.log.name if positioned else "",
            place=(source.sequence, source.decision, source.event) if positioned else None,
        )

    def _held(self, stored: Stored, generation: int, said: Answer | Exception) -> None:
        if isinstance(said, Exception):
            self.fail(generation)
        else:
            self._worked_off(stored, generation)

    def conclude(self, stored: Stored, generation: int, outcomes: "Outcomes") -> None:
        """Learn what became of everything that follows from an entry."""
        if generation != self._generation:
            return
        failed = any(isinstance(said, Exception) for _, said in outcomes)
        broken = [target for target, said in outcomes if isinstance(said, Answer) and said.code == QUARANTINED.code]
        if not broken:
            self._held(stored, generation, OutOfTurn("", self.log.name) if failed else outcomes[0][1])
            return
        work = _Work(len(broken), lambda said: self._held(stored, generation, OutOfTurn("", self.log.name) if failed else _worst(said)))
        for target in broken:
            self._listener.hold(self.log.name, stored, f"{target} could not take it", target, work.told(target))

    def fail(self, generation: int) -> None:
        """Start again, because something could not be stored."""
        if generation == self._generation:
            self.start_again()
            self.not_before_ms = self._listener.now_ms() + AGAIN_MS

    def _worked_off(self, stored: Stored, generation: int) -> None:
        if generation != self._generation:
            return
        self._done.add(stored.sequence)
        pending = self._consumer.pending
        while self._floor + 1 in self._done:
            self._floor += 1
            self._done.discard(self._floor)
            if not self._listener.ack_is_lost():
                pending.discard(self._floor)
        self._acked_ms = self._listener.now_ms()

    def _must_repeat(self, now_ms: int) -> bool:
        pending = self._consumer.pending
        return bool(pending) and now_ms - self._acked_ms >= ACK_WAIT_MS and min(pending) <= self._floor

    def _acknowledge_again(self) -> None:
        """Acknowledge what is delivered again although it is worked off."""
        pending = self._consumer.pending
        for sequence in [sequence for sequence in pending if sequence <= self._floor]:
            pending.discard(sequence)


Outcomes = list[tuple[str, Answer | Exception]]


def _worst(outcomes: Outcomes) -> Answer | Exception:
    return next((said for _, said in outcomes if isinstance(said, Exception)), outcomes[0][1])


class _Work:
    """So many answers that are waited for together."""

    def __init__(self, count: int, done: Callable[[Outcomes], None]) -> None:
        self._left = count
        self._done = done
        self._outcomes: Outcomes = []

    def told(self, target: str) -> Told:
        """Return who hears one of the answers."""

        def told(said: Answer | Exception) -> None:
            self._outcomes.append((target, said))
            self._left -= 1
            if self._left == 0:
                self._done(self._outcomes)

        return told
