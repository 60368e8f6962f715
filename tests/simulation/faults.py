"""The faults: everything that goes wrong around a house that works, one at a time and as often as the chooser wills."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from feltlog.rehearsal.door import Door
from feltlog.rehearsal.ear import Ear
from feltlog.rehearsal.process import Process
from shared.contracts.subjects import SERVICES, table_stream
from shared.kernel.reactions import Reaction, Source
from shared.runtime.clock import day_ends_at_ms
from shared.runtime.keepers import Noun

if TYPE_CHECKING:
    from tests.simulation.run import Simulation

ONCE_IN_STEPS = 30
DAY_ROLL_ONCE_IN = 20
POISONED_BYTES = b"these bytes are no entry"


class CannotReact(ValueError):
    """What a version of the software says that does not understand an event."""


class Faults:
    """Lets things go wrong.  `counts` says how often each kind did."""

    def __init__(self, simulation: "Simulation", kinds: tuple[str, ...]) -> None:
        self.kinds = kinds
        self.counts: Counter[str] = Counter()
        self.poisoned: set[tuple[str, str]] = set()
        """Services, each with a subject of which it understands nothing."""
        self.broken: set[str] = set()
        """Streams on which every decision breaks an assertion."""
        self.ever_broken: set[str] = set()
        self._simulation = simulation
        self._house = simulation.house
        self._choose = simulation.house.chooser
        self._back_ms = 0
        self._lifts = 0
        self._garbage = 0
        self._away_until_ms = 0
        self._later: list[tuple[int, Callable[[], None]]] = []
        """What is still to go wrong, and when."""
        self._house.reorders = "reorder" in kinds
        workload = simulation.workload
        workload.silence_once_in = 15 if "silent_player" in kinds else 0
        workload.lost_once_in = 25 if "lost_message" in kinds else 0
        self._acts = [(kind, act) for kind, act in self._all().items() if kind in kinds]

    def _all(self) -> dict[str, Callable[[], bool]]:
        return {
            "duplicate": self._duplicate,
            "delay": self._delay,
            "redeliver": self._redeliver,
            "lost_ack": self._lost_ack,
            "crash": self._crash,
            "crash_after_append": self._crash_after_append,
            "lost_answer": self._lost_answer,
            "dropped": self._dropped,
            "ghost": self._ghost,
            "second_owner": self._second_owner,
            "clock_jump": self._clock_jump,
            "hang": self._hang,
            "service_away": self._service_away,
            "store_away": self._store_away,
            "day_roll": self._day_roll,
            "poison": self._poison,
        }

    def maybe(self) -> None:
        """Let something go wrong, or come right again, now and then."""
        now_ms = self._house.clock.now_ms()
        due, self._later = [act for at_ms, act in self._later if at_ms <= now_ms], [each for each in self._later if each[0] > now_ms]
        for happen in due:
            happen()
        if self._house.store.is_away and now_ms >= self._away_until_ms:
            self._house.store.is_away = False
        if not self._acts or not self._choose.once_in(ONCE_IN_STEPS):
            return
        if self._choose.once_in(4):
            self._house.store.deliver_ghosts()
        if (self.poisoned or self.broken) and self._choose.once_in(6):
            self._lift()
        kind, act = self._choose.pick(self._acts)
        if act():
            self.counts[kind] += 1

    def stop(self) -> None:
        """Let everything come right: from now on nothing goes wrong."""
        self._acts = []
        self._later.clear()
        self._house.acks_to_lose = 0
        self._house.reorders = False
        self._house.store.is_away = False
        self._house.store.clear()
        self._house.store.deliver_ghosts()
        for process in self._house.processes:
            process.hung_until_ms = 0
            process.dies_after_append = False
            for ear in process.ears.values():
                ear.not_before_ms = 0

    def mend(self) -> None:
        """Lift what is quarantined, as a person would who has mended the cause."""
        self._lift()

    def cannot_follow(self, process: Process, follow: Callable[..., list[Reaction]]) -> Callable[..., list[Reaction]]:
        """Return `follow` as a software follows that does not understand what is poisoned."""

        def following(event: object, source: Source) -> list[Reaction]:
            if (process.name, source.stream) in self.poisoned:
                raise CannotReact(f"{type(event).__name__} is not understood")
            return follow(event, source)

        return following

    def breaks(self, noun_of: Callable[[str], Noun]) -> Callable[[str], Noun]:
        """Return `noun_of` as in a software that breaks on the streams that are broken."""

        def breaking(stream: str) -> Noun:
            noun = noun_of(stream)

            def fill(command: Any, state: Any) -> Any:
                assert stream not in self.broken, "something that must hold does not"
                return command if noun.fill is None else noun.fill(command, state)

            return replace(noun, fill=fill)

        return breaking

    # Each returns whether it could happen.

    def _process(self) -> Process | None:
        return self._choose.pick(self._house.processes) if self._house.processes else None

    def _duplicate(self) -> bool:
        process = self._process()
        if process is None or not process.ears or self._house.store.is_away or self._hangs(process):
            return False
        return self._choose.pick(list(process.ears.values())).hear_again()

    def _delay(self) -> bool:
        process = self._process()
        if process is None:
            return False
        until_ms = self._house.clock.now_ms() + self._choose.between(10, 4_000)
        late: list[Ear | Door[Any]] = [*process.ears.values(), *process.doors.values()]
        if not late:
            return False
        one = self._choose.pick(late)
        one.not_before_ms = max(one.not_before_ms, until_ms)
        return True

    def _redeliver(self) -> bool:
        process = self._process()
        if process is None or not process.ears or self._house.store.is_away or self._hangs(process):
            return False
        self._choose.pick(list(process.ears.values())).start_again()
        return True

    def _lost_ack(self) -> bool:
        self._house.acks_to_lose += 1
        return True

    def _crash(self) -> bool:
        process = self._process()
        if process is None:
            return False
        self._house.end(process, back_after_ms=self._choose.between(200, 4_000))
        return True

    def _crash_after_append(self) -> bool:
        process = self._process()
        if process is None or process.dies_after_append:
            return False
        process.dies_after_append = True
        return True

    def _lost_answer(self) -> bool:
        self._house.store.lose_answer_next()
        return True

    def _dropped(self) -> bool:
        self._house.store.drop_next()
        return True

    def _ghost(self) -> bool:
        self._house.store.ghost_next()
        return True

    def _second_owner(self) -> bool:
        process = self._process()
        if process is None or self._house.store.is_away or len(self._house.of(process.name)) > 1:
            return False
        newer = self._house.start(process.name)
        if self._choose.once_in(3):
            self._let_each_wake_as_the_other_sleeps(process, newer)
        return True

    def _let_each_wake_as_the_other_sleeps(self, older: Process, newer: Process) -> None:
        """Let the older one sleep while it is replaced, then wake and run ahead while the newer one sleeps, which then dies."""
        now_ms = self._house.clock.now_ms()
        turn_ms = now_ms + self._choose.between(1_000, 6_000)
        end_ms = turn_ms + self._choose.between(500, 4_000)
        older.hung_until_ms = turn_ms
        self._later.append((turn_ms, lambda: self._hang_until(newer, end_ms)))
        self._later.append((end_ms, lambda: self._kill(newer)))

    def _hang_until(self, process: Process, until_ms: int) -> None:
        process.hung_until_ms = max(process.hung_until_ms, until_ms)

    def _kill(self, process: Process) -> None:
        if process.alive:
            self._house.end(process, back_after_ms=self._choose.between(200, 2_000))

    def _clock_jump(self) -> bool:
        self._house.clock.advance(self._choose.pick((-400, -3_000, 700, 1_500, 6_000, 40_000)))
        return True

    def _hang(self) -> bool:
        process = self._process()
        if process is None or self._hangs(process):
            return False
        process.hung_until_ms = self._house.clock.now_ms() + self._choose.between(300, 9_000)
        return True

    def _service_away(self) -> bool:
        service = self._choose.pick(("wallet", "shoe"))
        there = self._house.of(service)
        for process in there:
            self._house.end(process, back_after_ms=self._choose.between(5_000, 40_000))
        return bool(there)

    def _store_away(self) -> bool:
        if self._house.store.is_away:
            return False
        self._house.store.is_away = True
        self._away_until_ms = self._house.clock.now_ms() + self._choose.between(200, 8_000)
        return True

    def _day_roll(self) -> bool:
        """Let the clock jump close to the end of the day; now and then a whole day is slept through."""
        if not self._choose.once_in(DAY_ROLL_ONCE_IN):
            return False
        house = self._house
        ends_ms = house.gaming_day().ends_at_ms
        if self._choose.once_in(4):
            ends_ms = day_ends_at_ms(house.today(), "06:00", "America/Toronto") + 24 * 3_600_000
        house.clock.advance(ends_ms - house.clock.now_ms() + self._choose.between(-8_000, 4_000))
        return True

    def _poison(self) -> bool:
        """Let a service understand nothing of a subject from now on, or a stranger write what nobody understands."""
        if self.poisoned or self.broken or self._choose.once_in(2) or self._house.store.is_away:
            return False
        if self._choose.once_in(3):
            return self._write_garbage()
        subjects = self._simulation.recent
        if not subjects:
            return False
        subject = self._choose.pick(subjects)
        if self._choose.once_in(3) and not subject.endswith(".desk"):
            self.broken.add(subject)
            self.ever_broken.add(subject)
            return True
        hears = {"table": ("table", "shoe", "wallet"), "shoe": ("table",), "wallet": ("table",)}
        services = [service for service, heard in hears.items() if subject.split(".")[1] in heard]
        self.poisoned.add((self._choose.pick(services), subject))
        return True

    def _write_garbage(self) -> bool:
        self._garbage += 1
        subject = table_stream(self._house.today(), f"X{self._garbage}")
        self._simulation.auditor.poison.add(subject)
        log = self._house.store.log(f"LOG_TABLE_{self._house.today()}")
        log.append(subject, POISONED_BYTES, fence=0, now_ms=self._house.clock.now_ms())
        return True

    def _lift(self) -> None:
        """A person mends what is poisoned, and lifts what is held."""
        if self._house.store.is_away:
            return
        self.poisoned.clear()
        self.broken.clear()
        for service in SERVICES[:3]:
            there = [process for process in self._house.of(service) if not self._hangs(process)]
            for subject, _ in list(there[-1].held) if there else []:
                if there[-1].alive and subject not in self._simulation.auditor.poison:
                    self._house.take(there[-1], self._lifting(there[-1], subject))

    def _lifting(self, process: Process, subject: str) -> Callable[[], None]:
        self._lifts += 1
        id = f"lift-{self._lifts}"

        def lift() -> None:
            process.lift(subject, id)

        return lift

    def _hangs(self, process: Process) -> bool:
        return process.hung_until_ms > self._house.clock.now_ms()
