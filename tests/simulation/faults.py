"""The faults: everything that goes wrong around a house that works, one at a time and as often as the chooser wills."""

from collections import Counter
from collections.abc import Callable

from feltlog.rehearsal.house import RehearsedHouse
from feltlog.rehearsal.process import Process
from shared.runtime.clock import day_ends_at_ms
from tests.simulation.auditor import Auditor
from tests.simulation.poison import Poison, hangs
from tests.simulation.workload import Workload

ONCE_IN_STEPS = 30
DAY_ROLL_ONCE_IN = 5
"""Of those times at which it could: a day has some two dozen rounds then, and a process that starts has little to fold."""
OPEN_DAYS_MAX = 5
LIFT_ONCE_IN = 6


class Faults:
    """Lets things go wrong.  `counts` says how often each kind did."""

    def __init__(self, house: RehearsedHouse, workload: Workload, auditor: Auditor, kinds: tuple[str, ...]) -> None:
        self.counts: Counter[str] = Counter()
        self.poison = Poison(house, auditor)
        self._house = house
        self._choose = house.chooser
        self._away_until_ms = 0
        self._later: list[tuple[int, Callable[[], None]]] = []
        """What is still to go wrong, and when."""
        self._house.reorders = "reorder" in kinds
        workload.silence_once_in = 15 if "silent_player" in kinds else 0
        workload.lost_once_in = 25 if "lost_message" in kinds else 0
        workload.rule_once_in = 3 if "irregularity" in kinds else 0
        workload.order_once_in = 2 if "order" in kinds else 0
        self._acts = [(kind, act) for kind, act in self._all().items() if kind in kinds]

    def _all(self) -> dict[str, Callable[[], str]]:
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
            "poison": self.poison.spread,
            "stray": self.poison.stray,
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
        if self.poison.is_spread and self._choose.once_in(LIFT_ONCE_IN):
            self.poison.mend()
        _, act = self._choose.pick(self._acts)
        happened = act()
        if happened:
            self.counts[happened] += 1

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

    # Each returns what has happened, or nothing: what it only prepares is counted where it comes true.

    def _process(self) -> Process | None:
        return self._choose.pick(self._house.processes) if self._house.processes else None

    def _listening(self) -> Process | None:
        """Return a process that could hear something now."""
        process = self._process()
        deaf = process is None or not process.ears or self._house.store.is_away or hangs(process)
        return None if deaf else process

    def _duplicate(self) -> str:
        process = self._listening()
        return "duplicate" if process and self._choose.pick(list(process.ears.values())).hear_again() else ""

    def _delay(self) -> str:
        process = self._process()
        late = process.at_work(self._house.clock.now_ms()) if process else []
        if not late:
            return ""
        one = self._choose.pick(late)
        one.not_before_ms = max(one.not_before_ms, self._house.clock.now_ms() + self._choose.between(10, 4_000))
        return "delay"

    def _redeliver(self) -> str:
        process = self._listening()
        if process is None:
            return ""
        ear = self._choose.pick(list(process.ears.values()))
        before = ear.position
        ear.start_again()
        return "redeliver" if ear.position < before else ""

    def _lost_ack(self) -> str:
        self._house.acks_to_lose += 1
        return ""

    def _crash(self) -> str:
        process = self._process()
        if process is None:
            return ""
        self._house.end(process, back_after_ms=self._choose.between(200, 4_000))
        return "crash"

    def _crash_after_append(self) -> str:
        process = self._process()
        if process is not None:
            process.dies_after_append = True
        return ""

    def _lost_answer(self) -> str:
        self._house.store.lose_answer_next()
        return ""

    def _dropped(self) -> str:
        self._house.store.drop_next()
        return ""

    def _ghost(self) -> str:
        self._house.store.ghost_next()
        return ""

    def _second_owner(self) -> str:
        process = self._process()
        if process is None or self._house.store.is_away or len(self._house.of(process.name)) > 1:
            return ""
        newer = self._house.start(process.name)
        if self._choose.once_in(3):
            self._let_each_wake_as_the_other_sleeps(process, newer)
        return "second_owner"

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

    def _clock_jump(self) -> str:
        self._house.clock.advance(self._choose.pick((-400, -3_000, 700, 1_500, 6_000, 40_000)))
        return "clock_jump"

    def _hang(self) -> str:
        process = self._process()
        if process is None or hangs(process):
            return ""
        process.hung_until_ms = self._house.clock.now_ms() + self._choose.between(300, 9_000)
        return "hang"

    def _service_away(self) -> str:
        service = self._choose.pick(("wallet", "shoe"))
        there = self._house.of(service)
        for process in there:
            self._house.end(process, back_after_ms=self._choose.between(5_000, 40_000))
        return f"{service}_away" if there else ""

    def _store_away(self) -> str:
        if self._house.store.is_away:
            return ""
        self._house.store.is_away = True
        self._away_until_ms = self._house.clock.now_ms() + self._choose.between(200, 8_000)
        return "store_away"

    def _day_roll(self) -> str:
        """Let the clock jump close to the end of the day; now and then a whole day is slept through."""
        # Logs of days that are not closed yet are folded by every process that starts: no new day while many wait.
        if len(self._house.logs("table", sealed=False)) > OPEN_DAYS_MAX or not self._choose.once_in(DAY_ROLL_ONCE_IN):
            return ""
        house = self._house
        ends_ms = house.gaming_day().ends_at_ms
        if self._choose.once_in(4):
            ends_ms = day_ends_at_ms(house.today(), "06:00", "America/Toronto") + 24 * 3_600_000
        house.clock.advance(ends_ms - house.clock.now_ms() + self._choose.between(-8_000, 4_000))
        return ""
