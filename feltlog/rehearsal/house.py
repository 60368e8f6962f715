"""A house rehearsed: all services in one process over one store in memory, taken step by step under a clock that is told the time.

Whoever drives it chooses which step is next; between any two of them a process may die, hang or meet a second one.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from feltlog.rehearsal.chooser import Chooser
from feltlog.rehearsal.door import Told
from feltlog.rehearsal.process import Crashed, Process
from feltlog.rehearsal.rooms import ShoeRooms, TableRooms, WalletRooms
from feltlog.rehearsal.world import ClosedBooks, Rooms, Step
from services.shoe.app.sealing import SealingKey
from services.table.domain.filling import GamingDay
from shared.contracts.subjects import SERVICES, ledger_stream, log_day, log_name, log_of
from shared.kernel.folded import Asked
from shared.kernel.messages import Actor
from shared.kernel.profile import Profile
from shared.runtime.clock import ManualClock, day_ends_at_ms, days_to_keep, gaming_day
from shared.runtime.entropy import SeededEntropy
from shared.runtime.keeper import SteppedDown
from shared.runtime.log_settings import LISTENERS
from shared.runtime.memory_store import MemoryStore

DAY_STARTS, ZONE = "06:00", "America/Toronto"
BEGINS_MS = 1_796_090_400_000
"""2026-12-01 02:00 in UTC: the evening of 30 November in Toronto."""
RESTART_MS = 2_000
PROVISION_EVERY_MS = 2_000

Build = Callable[[Process], Rooms]
BUILDS: Mapping[str, Build] = {"table": TableRooms, "shoe": ShoeRooms, "wallet": WalletRooms}


class RehearsedHouse:
    """The server, the clock, the provisioner and whatever processes are alive."""

    def __init__(
        self,
        seed: int,
        profiles: Mapping[str, Profile],
        *,
        builds: Mapping[str, Build] = BUILDS,
        make_store: Callable[[Callable[[], int]], MemoryStore] = MemoryStore,
    ) -> None:
        self.chooser = Chooser(seed)
        self.entropy = SeededEntropy(seed)
        self.sealing_key = SealingKey("rehearsal", bytes(32))
        self.clock = ManualClock(BEGINS_MS)
        self.store = make_store(self.clock.now_ms)
        self.closed_books = ClosedBooks()
        self.processes: list[Process] = []
        self.changes = 0
        """How often a log was made or closed."""
        self.happened: Counter[str] = Counter()
        """How often something went otherwise than it mostly does."""
        self.acks_to_lose = 0
        self.reorders = False
        """Whether subjects are heard in any order between them."""
        self._profiles = profiles
        self.builds = builds
        self._incarnations = 0
        self._down_until_ms: dict[str, int] = dict.fromkeys(builds, 0)
        self._provision_from_ms = 0
        self._logs: dict[str, bool] = {}
        self._found: dict[tuple[str, bool], list[str]] = {}
        self._day, self._day_began_ms = GamingDay("", 0), 0
        self.provision()

    # The world.

    def profile(self, name: str) -> Profile:
        """Return a rule book by its name."""
        return self._profiles[name]

    def today(self) -> str:
        """Return the gaming day that it is."""
        return self.gaming_day().day

    def gaming_day(self) -> GamingDay:
        """Return the gaming day that it is, and when it ends."""
        now_ms = self.clock.now_ms()
        if not self._day_began_ms <= now_ms < self._day.ends_at_ms:
            day = gaming_day(now_ms, DAY_STARTS, ZONE)
            self._day = GamingDay(day, day_ends_at_ms(day, DAY_STARTS, ZONE))
            # It began at this time at the latest; before that it is worked out anew.
            self._day_began_ms = now_ms
        return self._day

    def logs(self, service: str, *, sealed: bool) -> list[str]:
        """Return the names of a service's logs, oldest first: all of them, or those that are not `sealed`."""
        key = (service, sealed)
        if key not in self._found:
            of = [(log, is_sealed) for log, is_sealed in sorted(self._logs.items()) if log_day(log)[0] == service]
            self._found[key] = [log for log, is_sealed in of if sealed or not is_sealed]
        return self._found[key]

    def ack_is_lost(self) -> bool:
        """Return whether an acknowledgement gets lost now."""
        if self.acks_to_lose:
            self.acks_to_lose -= 1
            self.happened["lost_ack"] += 1
            return True
        return False

    def provision(self) -> None:
        """Close what is over, and make the logs that are due."""
        self._provision_from_ms = self.clock.now_ms() + PROVISION_EVERY_MS
        if self.store.is_away:
            return
        self._close_past_days()
        for day in days_to_keep({log_day(log)[1] for log in self._logs}, self.today()):
            for service in SERVICES:
                log = log_name(service, day)
                if log not in self._logs:
                    self.store.make_log(log)
                    self._changed(log, is_sealed=False)
                    for durable in LISTENERS[service]:
                        self.store.make_consumer(log, durable)

    def _close_past_days(self) -> None:
        still_open = [log for log, is_sealed in self._logs.items() if not is_sealed]
        for day in sorted({log_day(log)[1] for log in still_open}):
            if day >= self.today() or not self._is_over(day):
                return
            for log in still_open:
                if log_day(log)[1] == day:
                    self.store.seal(log)
                    self._changed(log, is_sealed=True)

    def _changed(self, log: str, *, is_sealed: bool) -> None:
        self._logs[log] = is_sealed
        self._found.clear()
        self.changes += 1

    def _is_over(self, day: str) -> bool:
        stream = ledger_stream(day)
        held = self.store.log(log_of(stream)).entries
        # A stray may stand behind the last entry.
        last = next((stored for stored in reversed(held) if stored is not None and stored.stream == stream and stored.claimed), None)
        if last is None:
            wallet_logs = [log for log in self.logs("wallet", sealed=True) if log_day(log)[1] > day]
            if not any(self.store.log(log).entries for log in wallet_logs):
                return False
        elif b'"wallet.BookClosed.v1"' not in last.data:
            return False
        logs = [self.store.log(log) for log in self._logs if log_day(log)[1] == day]
        worked_off = all(consumer.standing().acked >= len(log.entries) for log in logs for consumer in log.consumers.values())
        return worked_off and self._tables_are_closed(day)

    def _tables_are_closed(self, day: str) -> bool:
        closed: dict[str, bool] = {}
        for stored in self.store.log(log_name("table", day)).entries:
            if stored is not None and stored.claimed and stored.data.startswith(b"{") and stored.stream.endswith(".table"):
                closed[stored.stream] = b'"table.DayClosed.v1"' in stored.data or closed.get(stored.stream, False)
        return all(closed.values())

    # Processes.

    def start(self, service: str) -> Process:
        """Start a process of a service, whether or not another one is alive."""
        self._incarnations += 1
        process = Process(self, self.builds[service], f"{service}-{self._incarnations}")
        process.start()
        self.processes.append(process)
        return process

    def end(self, process: Process, *, back_after_ms: int = RESTART_MS) -> None:
        """Let a process die; if it was the only one of its service, a new one comes after a while."""
        process.alive = False
        self.processes.remove(process)
        self._down_until_ms[process.name] = self.clock.now_ms() + back_after_ms

    def of(self, service: str) -> list[Process]:
        """Return the living processes of a service, the oldest first."""
        return [process for process in self.processes if process.name == service]

    def ask(self, service: str, stream: str, id: str, command: Any, actor: Actor, told: Told) -> bool:
        """Let somebody ask a service; return False if nobody was there to hear it."""
        there = [process for process in self.of(service) if process.hung_until_ms <= self.clock.now_ms()]
        if not there or self.store.is_away:
            return False
        process = self.chooser.pick(there) if len(there) > 1 else there[0]
        process.there()
        asked = Asked(id, command, actor, self.clock.now_ms())
        before = process.rooms.answered(asked)
        if before is None:
            process.ask(stream, asked, told)
        else:
            told(before)
        return True

    # Steps.

    def work(self) -> list[tuple[Process | None, Step]]:
        """Return every step that could be the next one."""
        now_ms = self.clock.now_ms()
        steps: list[tuple[Process | None, Step]] = [(process, step) for process in self.processes for step in process.work(now_ms)]
        if now_ms >= self._provision_from_ms:
            steps.append((None, self.provision))
        if not self.store.is_away:
            for service, until_ms in self._down_until_ms.items():
                if until_ms <= now_ms and not any(process.name == service for process in self.processes):
                    steps.append((None, lambda service=service: self._start(service)))  # type: ignore[misc]
        return steps

    def take(self, process: Process | None, step: Step) -> None:
        """Take one step; whoever dies of it is gone."""
        try:
            step()
        except Crashed:
            assert process is not None, "only a process can die"
            self.end(process)
        except SteppedDown:
            assert process is not None, "only a process can step down"
            self.happened["stepped_down"] += 1
            self.end(process)

    def next_ms(self) -> int:
        """Return the next time at which something may become possible that is not possible now."""
        now_ms = self.clock.now_ms()
        times = [time for process in self.processes for time in process.next_ms(now_ms)]
        times += [until_ms for until_ms in self._down_until_ms.values() if until_ms > now_ms]
        return min([*times, self._provision_from_ms], default=now_ms + 1)

    def let_pass(self, by_ms: int) -> None:
        """Let time pass as it does: every process that is well notices each moment of it."""
        self.clock.advance(by_ms)
        for process in self.processes:
            process.beat()

    def _start(self, service: str) -> None:
        self.start(service)
