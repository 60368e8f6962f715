"""The watcher: surveillance over a rehearsed house, hearing every log in its order and the logs in any order between them."""

from services.surveillance.domain.findings import Finding
from services.surveillance.domain.watch import Watch
from services.surveillance.redecide import Again
from shared.runtime.memory_log import MemoryLog

YEAR_MS = 366 * 24 * 3_600_000


class Watcher:
    """Hears what is stored.  A rehearsal's clock jumps, so how far it is from the store's is not asked."""

    def __init__(self) -> None:
        self.watch = Watch(Again(), apart_ms=YEAR_MS)
        self.findings: list[Finding] = []
        self._heard: dict[str, int] = {}

    def has_heard(self, log: MemoryLog) -> bool:
        """Return whether everything in a log was heard."""
        return len(log.entries) == self._heard.get(log.name, 0)

    def hear(self, log: MemoryLog) -> None:
        """Hear the next entry of a log, and acknowledge it."""
        sequence = self._heard[log.name] = self._heard.get(log.name, 0) + 1
        stored = log.at(sequence)
        assert stored is not None, "nothing is gone from a log in memory"
        self.findings += self.watch.hear(stored)
        consumer = log.consumers.get("surveillance")
        if consumer is not None:
            consumer.delivered = sequence

    def finish(self, logs: list[MemoryLog]) -> list[Finding]:
        """Hear everything that is left, and return all that was found and all that is missing."""
        for log in logs:
            while not self.has_heard(log):
                self.hear(log)
        return [*self.findings, *self.watch.left({log.name: len(log.entries) for log in logs})]
