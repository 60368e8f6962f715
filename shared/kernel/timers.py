"""Timers: what falls due in the streams of one service, and whether a silence means that the house was away.

Pure, because a service and its simulation must not tell time differently: both say what time it is, and are told what is due.
"""

import heapq

from shared.kernel.reactions import Timer

SILENCE_MS = 1_000
"""After so long without a sign of life of the log the house was away: it could not hear what people said."""
TOO_EARLY_AGAIN_MS = 50
BREATH_MS = 1_000
QUARANTINED_AGAIN_MS = 30_000


class Timers:
    """At most one timer for each stream, the next one first."""

    def __init__(self) -> None:
        self._armed: dict[str, Timer] = {}
        self._due: list[tuple[int, str, str]] = []

    def arm(self, stream: str, timer: Timer | None) -> bool:
        """Let `timer` be what falls due in a stream, or nothing; return whether something new may be the next."""
        if timer is None:
            self._armed.pop(stream, None)
            return False
        if self._armed.get(stream) == timer:
            return False
        self._armed[stream] = timer
        heapq.heappush(self._due, (timer.at_ms, stream, timer.name))
        return True

    def again(self, stream: str, timer: Timer, at_ms: int) -> bool:
        """Let a timer that was taken fall due once more, if it is still the stream's; return whether it is."""
        if self._armed.get(stream) != timer:
            return False
        heapq.heappush(self._due, (at_ms, stream, timer.name))
        return True

    def take(self, now_ms: int) -> tuple[str, Timer] | None:
        """Take the first timer that is due, None if none is."""
        while self._due and self._due[0][0] <= now_ms:
            _, stream, name = heapq.heappop(self._due)
            timer = self._armed.get(stream)
            if timer is not None and timer.name == name and timer.at_ms <= now_ms:
                return stream, timer
        return None

    def next_ms(self) -> int | None:
        """Return when to look again, None if nothing falls due."""
        return self._due[0][0] if self._due else None

    def of(self, stream: str) -> Timer | None:
        """Return what falls due in a stream."""
        return self._armed.get(stream)

    def streams(self) -> list[str]:
        """Return the streams in which something falls due."""
        return list(self._armed)


class Presence:
    """Whether the house is there: a silence that ends was time in which nobody could be heard."""

    def __init__(self) -> None:
        self.is_away = True
        self.there_ms = 0
        """When the log last gave a sign of life."""

    def away(self) -> None:
        """Learn that the log is out of reach."""
        self.is_away = True

    def there(self, now_ms: int) -> bool:
        """Learn that the log is within reach now; return whether that ends a silence."""
        silent = self.is_away or now_ms - self.there_ms > SILENCE_MS
        self.is_away, self.there_ms = False, now_ms
        return silent


def again_ms(code: str) -> int:
    """Return how long to wait before a timer that changed nothing is fired again, by the code of its answer."""
    match code:
        case "too_early":
            return TOO_EARLY_AGAIN_MS
        case "quarantined":
            return QUARANTINED_AGAIN_MS
        case _:
            return BREATH_MS
