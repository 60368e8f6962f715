"""The rooms: what each service brings into the common process.  They name the services' own pure functions and add nothing."""

from typing import Any

from feltlog.rehearsal.door import Door
from feltlog.rehearsal.process import Crashed, Process
from feltlog.rehearsal.world import Rooms, Step
from services.shoe import reactions as shoe_reactions
from services.shoe.app.vault import HoleUnknown, Vault
from services.shoe.domain.shoe import SHOE, Retired, Shoe, Unprepared
from services.table import reactions as table_reactions
from services.table import views
from services.table.domain.filling import extension, fill_reveal, fill_round, fill_table, table_extension
from services.table.domain.roster import enrolled
from services.table.domain.round import ROUND
from services.table.domain.table import TABLE
from services.table.domain.table_state import Table
from services.wallet import reactions as wallet_reactions
from services.wallet.domain.carrying import beginning
from services.wallet.domain.ledger import LEDGER
from shared.contracts.caps import all_caps
from shared.contracts.subjects import ledger_stream, log_day, round_name, round_of, shoe_stream, stream_day, table_stream
from shared.contracts.wallet import BookClosed, CloseBook, OpenBook
from shared.kernel.entry import Entry, Place
from shared.kernel.folded import ID_REUSED, Asked, Folded, fingerprint
from shared.kernel.identity import derived_id
from shared.kernel.messages import Answer
from shared.kernel.reactions import Reaction, Source
from shared.runtime.keepers import Noun

CLOSE_EVERY_MS = 500
CAPS = all_caps({})


class TableRooms(Rooms):
    """The tables and their rounds."""

    service = "table"
    hears: tuple[str, ...] = ("table", "shoe", "wallet")

    def __init__(self, process: Process) -> None:
        self.process = process
        self.round = Noun(
            ROUND, over=table_reactions.round_is_over, timer=table_reactions.timer, fill=self._fill_round, extension=extension
        )
        self.table = Noun(
            TABLE,
            over=table_reactions.table_is_over,
            timer=table_reactions.timer,
            fill=self._fill_table,
            extension=table_extension,
        )
        self.tables: dict[str, str] = {}
        """The latest stream of each table."""
        self.changes = 0
        """How many entries were seen."""

    def noun_of(self, stream: str) -> Noun:
        """Return what is known about a table's or a round's stream."""
        return self.round if round_of(stream) else self.table

    def follow(self, event: Any, source: Source) -> list[Reaction]:
        """Return what must follow from an event of a table, a shoe or the ledger."""
        return table_reactions.follow(event, source)

    def start(self) -> None:
        """Know the tables of the open days."""
        for door in [*self.process.over.values(), *self.process.doors.values()]:
            self._know(door)

    def stored(self, door: Door[Any], entry: Entry[Any, Any]) -> None:
        """Know a table by its latest day."""
        self.changes += 1
        self._know(door)

    def stream_for(self, table: str) -> str:
        """Return where staff speak to a table."""
        return self.tables.get(table) or table_stream(self.process.house.today(), table)

    def felt(self, table: str) -> views.Felt | None:
        """Return the felt as everybody around it sees it."""
        stream = self.tables.get(table)
        if stream is None:
            return None
        door = self.process.door(stream)
        round_ = self.process.door(round_name(door.state.round).stream) if door.state.round else None
        return views.felt(door.state, round_.state if round_ else None)

    def _know(self, door: Door[Any]) -> None:
        if isinstance(door.state, Table):
            self.tables = enrolled(self.tables, door.stream, door.state)

    def _fill_round(self, command: Any, round_: Any) -> Any:
        return fill_round(command, round_, day=self.process.house.today(), now_ms=self.process.now_ms())

    def _fill_table(self, command: Any, table: Any) -> Any:
        house = self.process.house
        return fill_table(fill_reveal(command, table, self.process.now_ms()), house.gaming_day(), house.profile)


class ShoeRooms(Rooms):
    """The shoes and their vault."""

    service = "shoe"
    hears: tuple[str, ...] = ("table",)

    def __init__(self, process: Process) -> None:
        self.process = process
        self.vault = Vault(process.house.sealing_key, process.house.entropy, other_shoe=self._state_of)
        self.shoe = Noun(SHOE, over=lambda state: isinstance(state, Retired), fill=self._fill)

    def noun_of(self, stream: str) -> Noun:
        """Return what is known about a shoe's stream."""
        return self.shoe

    def follow(self, event: Any, source: Source) -> list[Reaction]:
        """Return what must follow from an event of a table."""
        return shoe_reactions.follow(event, source)

    def _fill(self, command: Any, shoe: Any) -> Any:
        try:
            return self.vault.fill(command, shoe)
        except HoleUnknown:
            other = self.process.door(shoe_stream(round_name(command.round).day, command.without_hole[0]))
            if not other.idle:
                raise
            other.read_on()
        try:
            return self.vault.fill(command, shoe)
        except HoleUnknown as unknown:
            raise AssertionError(str(unknown)) from unknown

    def _state_of(self, shoe: str) -> Shoe:
        found = [door.state for door in self.process.doors.values() if door.stream.endswith(f".{shoe}")]
        return found[-1] if found else Unprepared()


class WalletRooms(Rooms):
    """The ledger, a book for each day."""

    service = "wallet"
    hears: tuple[str, ...] = ("table",)
    positioned = True

    def __init__(self, process: Process) -> None:
        self.process = process
        self.ledger = Noun(LEDGER)
        self.book = ""
        """The stream of the ledger that is open; empty between two books."""
        self._close_from_ms = 0

    def noun_of(self, stream: str) -> Noun:
        """Return what is known about a ledger's stream."""
        return self.ledger

    def follow(self, event: Any, source: Source) -> list[Reaction]:
        """Return the movement that must follow from an event of a table."""
        return wallet_reactions.follow(event, source)

    def place(self, log: str) -> Place | None:
        """Return how far the ledger of that day has worked off the log."""
        return self.process.door(ledger_stream(log_day(log)[1])).folded.position.get(log)

    def ready_for(self, log: str) -> bool:
        """Hear the tables of a day once its book is open."""
        return bool(self.book) and log_day(log)[1] <= stream_day(self.book)

    def standing(self) -> str:
        """Depend on the book that is open."""
        return self.book

    def answered(self, asked: Asked) -> Answer | None:
        """Return the answer that a request had in a closed book."""
        before = self.process.house.closed_books.answers.get(asked.id)
        if before is None:
            return None
        return before.answer if before.fingerprint == fingerprint(asked.command, asked.actor) else ID_REUSED

    def start(self) -> None:
        """Open the first book of all, or go on with the latest."""
        for log in self.process.house.logs("wallet", sealed=True):
            self._learn(ledger_stream(log_day(log)[1]))
        books = self._latest_books()
        if not books:
            self._open_first(ledger_stream(self.process.house.today()))
        elif books[0].state.open:
            self.book = books[0].stream
        elif books[-1].state.closed:
            self._open_next(books[-1].folded)
        else:
            self._open_first(books[0].stream)

    def stored(self, door: Door[Any], entry: Entry[Any, Any]) -> None:
        """Open the next book once one is closed."""
        if any(isinstance(event, BookClosed) for decision in entry.decisions for event in decision.events) and door.stream == self.book:
            self.book = ""
            self._open_next(door.folded)

    def work(self, now_ms: int) -> list[Step]:
        """Close the book when the day is over and every table has closed its own."""
        over = self.book and now_ms >= self._close_from_ms and self.process.house.today() > stream_day(self.book)
        return [self._close] if over else []

    def _close(self) -> None:
        self._close_from_ms = self.process.now_ms() + CLOSE_EVERY_MS
        next_day = self.process.house.today()
        self._ask(self.book, CloseBook(next_day=next_day), f"close {next_day}")

    def _open_first(self, stream: str) -> None:
        self._ask(stream, OpenBook(day=stream_day(stream), caps=CAPS), "open", opens=True, needed=True)

    def _open_next(self, closed: Folded[Any]) -> None:
        stream = ledger_stream(closed.state.next_day)
        for name, command in beginning(closed.state, closed.answers, closed.digest, CAPS):
            self._ask(stream, command, name, opens=name == "open", needed=True)

    def _ask(self, stream: str, command: Any, name: str, *, opens: bool = False, needed: bool = False) -> None:
        def told(said: Answer | Exception) -> None:
            if needed and isinstance(said, Exception):
                # Without a book there is no wallet: the process ends, and the next one tries again.
                raise Crashed(stream)
            if opens and isinstance(said, Answer):
                self.book = stream
                for log in self.process.house.logs("wallet", sealed=True):
                    self._learn(ledger_stream(log_day(log)[1]))

        self.process.ask_house(stream, command, derived_id("book", stream, name), told)

    def _learn(self, stream: str) -> None:
        """Take in what a closed book has answered."""
        closed = self.process.house.closed_books
        if stream in closed.streams:
            return
        door = self.process.door(stream)
        if not door.loaded:
            door.load()
        if door.state.closed:
            closed.streams.add(stream)
            closed.answers.update({id: recorded for id, recorded in door.folded.answers.items() if recorded.fingerprint})

    def _latest_books(self) -> list[Door[Any]]:
        found: list[Door[Any]] = []
        for log in reversed(self.process.house.logs("wallet", sealed=True)):
            door = self.process.door(ledger_stream(log_day(log)[1]))
            if not door.loaded:
                door.load()
            if door.folded.revision:
                found.append(door)
            if len(found) > 1 or door.state.phase != "carrying":
                break
        return found
