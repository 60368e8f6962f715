"""The world: what a rehearsed process sees of the house around it and of the rooms within it.

It stands apart so that the process needs neither of them, and each of the three can be read alone.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any, Protocol

from feltlog.rehearsal.chooser import Chooser
from feltlog.rehearsal.door import Door
from services.shoe.app.sealing import SealingKey
from services.table.domain.filling import GamingDay
from shared.kernel.entry import Entry, Place
from shared.kernel.folded import Asked, Recorded
from shared.kernel.messages import Answer
from shared.kernel.profile import Profile
from shared.kernel.reactions import Reaction, Source
from shared.runtime.clock import ManualClock
from shared.runtime.entropy import SeededEntropy
from shared.runtime.keepers import Noun
from shared.runtime.memory_store import MemoryStore

Step = Callable[[], None]


class ClosedBooks:
    """What closed books have answered, in an index that outlives a process as the wallet's own does."""

    def __init__(self) -> None:
        self.streams: set[str] = set()
        self.answers: dict[str, Recorded] = {}


class World(Protocol):
    """The house around a process."""

    chooser: Chooser
    entropy: SeededEntropy
    sealing_key: SealingKey
    clock: ManualClock
    store: MemoryStore
    closed_books: ClosedBooks
    changes: int
    """How often a log was made or closed."""
    happened: Counter[str]
    """How often something went otherwise than it mostly does."""
    reorders: bool
    """Whether subjects are heard in any order between them."""

    def profile(self, name: str) -> Profile:
        """Return a rule book by its name."""

    def today(self) -> str:
        """Return the gaming day that it is."""

    def gaming_day(self) -> GamingDay:
        """Return the gaming day that it is, and when it ends."""

    def logs(self, service: str, *, sealed: bool) -> list[str]:
        """Return the names of a service's logs, oldest first: all of them, or those that are not `sealed`."""

    def ack_is_lost(self) -> bool:
        """Return whether an acknowledgement gets lost now."""


class Rooms(Protocol):
    """A service, as its process sees it.  What most services do not need stands here as they do without it."""

    service: str
    hears: tuple[str, ...]
    positioned: bool = False
    """Whether the service keeps its place in what it hears in its own entries; else the durable keeps it."""

    def noun_of(self, stream: str) -> Noun:
        """Return what is known about a stream that this service owns."""

    def follow(self, event: Any, source: Source) -> list[Reaction]:
        """Return what must follow from an upstream event."""

    def place(self, log: str) -> Place | None:
        """Return how far the service's own entries say that a log is worked off."""
        return None

    def ready_for(self, log: str) -> bool:
        """Return whether this upstream log can be heard yet."""
        return True

    def standing(self) -> str:
        """Return what `ready_for` depends on."""
        return ""

    def answered(self, asked: Asked) -> Answer | None:
        """Return the answer that a request had in a day that is closed."""
        return None

    def start(self) -> None:
        """Do what must be done after all open streams are folded."""
        return

    def stored(self, door: Door[Any], entry: Entry[Any, Any]) -> None:
        """See an entry of an own stream that is in the log."""
        return

    def work(self, now_ms: int) -> list[Step]:
        """Return what else could be done now."""
        return []
