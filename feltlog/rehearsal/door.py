"""The door: a stream's keeper, stepped by hand.

It drafts, appends and commits with the same functions as the services' keepers and keeps the same promises: commands that
wait together leave as one entry, after an unknown outcome only the same bytes are sent again, and after a conflict all is
decided anew.  It has no event loop: what a keeper awaits is a step here, and between two steps anything may happen.
"""

from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

from shared.contracts.subjects import log_of
from shared.kernel.entry import DECISIONS_MAX, Entry, Stored, Stray
from shared.kernel.folded import POISON, QUARANTINED, Asked, Draft, Folded, Pen, commit, draft, empty, fold, owned_by_another
from shared.kernel.messages import Answer
from shared.runtime.event_store import Appended, Conflict, StoreRefusal, Unknown
from shared.runtime.keeper import OutOfTurn, SteppedDown
from shared.runtime.keepers import Noun
from shared.runtime.memory_store import MemoryStore

S = TypeVar("S")
T = TypeVar("T")

Told = Callable[[Answer | Exception], None]
"""Hears what became of a command: its answer once that is in the log, or why there will be none."""

RESEND_FIRST_MS, RESEND_LAST_MS = 20, 1_000


class Owner:
    """What a door needs of the process that it belongs to."""

    def __init__(self, store: MemoryStore, now_ms: Callable[[], int], pen: Pen) -> None:
        self.store = store
        self.now_ms = now_ms
        self.pen = pen

    def appended(self, door: "Door[Any]", said: Appended | Conflict | Unknown) -> None:
        """Learn what an append has returned, before anything is done about it."""

    def stored(self, door: "Door[Any]", entry: Entry[Any, Any]) -> None:
        """Learn of an entry that is in the log, whoever wrote it."""

    def busy(self, door: "Door[Any]") -> None:
        """Learn that something waits at a door."""


class Door(Generic[S]):
    """One stream of one process."""

    def __init__(self, owner: Owner, noun: Noun, stream: str) -> None:
        self.folded: Folded[S] = empty(noun.decider, stream)
        self.noun = noun
        self.loaded = False
        self.unreadable = ""
        self.not_before_ms = 0
        self._owner = owner
        self._waiting: list[tuple[Asked, Told]] = []
        self._first: list[tuple[Asked, Told]] = []
        self._halted: set[str] = set()
        self._sent: tuple[Draft[S], list[tuple[Asked, Told]]] | None = None
        self._resend_ms = RESEND_FIRST_MS

    @property
    def stream(self) -> str:
        """The stream that is kept."""
        return self.folded.stream

    @property
    def state(self) -> S:
        """The state after the last entry that is known to be stored."""
        return self.folded.state

    @property
    def idle(self) -> bool:
        """Whether nothing waits here."""
        return not self._waiting and not self._first and self._sent is None

    def ask(self, asked: Asked, told: Told, *, first: bool = False) -> None:
        """Let a command wait; with `first` before everything that waits and is not sent yet."""
        if self.unreadable:
            told(QUARANTINED)
        elif asked.place is not None and asked.log in self._halted:
            told(OutOfTurn(self.stream, asked.log))
        else:
            (self._first if first else self._waiting).append((asked, told))
            self._owner.busy(self)

    def resume(self, log: str) -> None:
        """Take again what follows from an upstream log, which is now heard from its position on."""
        self._halted.discard(log)

    def mend(self) -> None:
        """Read the stream anew when it is next asked."""
        if self.unreadable:
            self.unreadable, self.loaded = "", False
            self.folded = empty(self.noun.decider, self.stream)

    def step(self) -> None:
        """Load, or decide what waits, or send what is not confirmed: whatever comes next.  Raise `SteppedDown` if another owns it."""
        try:
            if not self.loaded:
                self._load()
            elif self._sent is None:
                self._decide()
            else:
                self._send(*self._sent)
        except StoreRefusal as error:
            self._let_go(error)
        except POISON as error:
            # Only reading gets here: what a decision breaks is told in its draft.
            self.unreadable = str(error) or type(error).__name__
            self._let_go(QUARANTINED)

    def load(self) -> None:
        """Fold what the log holds now."""
        store = self._owner.store
        for stored in store.log(log_of(self.stream)).entries[self.folded.fence :]:
            if stored is not None and stored.stream == self.stream:
                self._fold(stored)
        self.loaded = True

    def take(self, stored: Stored) -> None:
        """Fold an entry that a scan has read; what follows one that cannot be read is left alone."""
        if not self.unreadable:
            try:
                self._fold(stored)
            except POISON as error:
                self.unreadable = str(error) or type(error).__name__

    def _fold(self, stored: Stored) -> None:
        try:
            entry = fold(self.noun.decider, self.folded, stored.data, stored.sequence, claimed=stored.claimed)
        except Stray:
            return
        self._owner.stored(self, entry)

    def read_on(self) -> None:
        """Fold what another has written, if it can be read; raise `SteppedDown` if another owns the stream."""
        try:
            self._load()
        except POISON as error:
            self.unreadable = str(error) or type(error).__name__

    def _load(self) -> None:
        self.load()
        if owned_by_another(self.folded, self._owner.pen):
            raise SteppedDown(self.stream)

    def _decide(self) -> None:
        self._waiting[:0], self._first = self._first, []
        batch = self._waiting[:DECISIONS_MAX]
        owner = self._owner
        drafted = draft(
            self.noun.decider, self.folded, [asked for asked, _ in batch], owner.pen, now_ms=owner.now_ms(), fill=self.noun.fill
        )
        if drafted.entry is None:
            if drafted.judged and not self._is_current():
                self._load()
            else:
                self._conclude(drafted, batch, None)
        else:
            self._send(drafted, batch)

    def _is_current(self) -> bool:
        last = stepped(self._owner.store.last(self.stream))
        return last is None or last.sequence <= self.folded.fence

    def _send(self, drafted: Draft[S], batch: list[tuple[Asked, Told]]) -> None:
        owner = self._owner
        self._sent = drafted, batch
        try:
            said = stepped(owner.store.append(self.stream, drafted.data, fence=self.folded.fence))
        except StoreRefusal as refusal:
            self._sent = None
            self._conclude(drafted, batch, refusal)
            return
        owner.appended(self, said)
        match said:
            case Appended(sequence=sequence):
                assert drafted.entry is not None, "only an entry is sent"
                self._sent, self._resend_ms = None, RESEND_FIRST_MS
                commit(self.folded, drafted, sequence)
                owner.stored(self, drafted.entry)
                self._conclude(drafted, batch, None)
            case Conflict():
                self._sent, self._resend_ms = None, RESEND_FIRST_MS
                self._load()
            case _:
                self.not_before_ms = owner.now_ms() + self._resend_ms
                self._resend_ms = min(self._resend_ms * 2, RESEND_LAST_MS)

    def _let_go(self, what: Answer | Exception) -> None:
        """Tell everybody who waits the same."""
        waiting, self._waiting, self._first = [*self._first, *self._waiting], [], []
        self._halted |= {asked.log for asked, _ in waiting if asked.place is not None}
        for _, told in waiting:
            told(what)

    def _conclude(self, drafted: Draft[S], batch: list[tuple[Asked, Told]], error: StoreRefusal | None) -> None:
        """Tell everybody whom the draft covers; let nothing pass what failed."""
        covered = batch[: drafted.taken]
        del self._waiting[: drafted.taken]
        failed = {asked.log for asked, _ in covered if asked.place is not None and (error is not None or asked.id in drafted.broken)}
        self._halted |= failed
        behind = [(asked, told) for asked, told in self._waiting if asked.place is not None and asked.log in failed]
        self._waiting = [each for each in self._waiting if each not in behind]
        for (_, told), answer in zip(covered, drafted.answers, strict=True):
            told(answer if error is None else error)
        for asked, told in behind:
            told(OutOfTurn(self.stream, asked.log))


def stepped(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine returns that never waits, as those of the memory store."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        value: T = done.value
        return value
    raise AssertionError("the memory store must not wait")
