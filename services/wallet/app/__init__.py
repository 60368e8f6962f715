"""How messages get in and out of the wallet; what may happen to money is decided in the ledger.

The ledger keeps its position in the tables' log in its own entries, so that an effect and the progress that it means are
one append.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from services.wallet import reactions, views
from services.wallet.app.closed_books import ClosedBooks
from services.wallet.app.read_side import ReadSide
from services.wallet.domain.carrying import beginning
from services.wallet.domain.ledger import LEDGER
from shared.contracts.cage import OpenAccount, StaffCommand
from shared.contracts.caps import all_caps
from shared.contracts.refusals import Reason, refused, sentence
from shared.contracts.requests import decode_request
from shared.contracts.subjects import Addressed, ledger_stream, log_day, stream_day
from shared.contracts.wallet import BookClosed, CarryForward, CloseBook, OpenBook
from shared.kernel.entry import Entry, Place
from shared.kernel.folded import ID_REUSED, Asked
from shared.kernel.identity import derived_id
from shared.kernel.messages import HOUSE, Answer
from shared.kernel.reactions import Reaction, Source
from shared.runtime.event_store import StoreRefusal
from shared.runtime.keeper import Keeper, Overrun
from shared.runtime.keepers import Noun
from shared.runtime.service import Process
from shared.runtime.settings import DATABASE, ROWS_FILE, ServiceSettings
from shared.runtime.sql import where_of

CLOSE_EVERY_S = 0.5

log = logging.getLogger(__name__)


class WalletApp:
    """The wallet's edge."""

    name = "wallet"
    hears = ("table",)

    def __init__(self, settings: ServiceSettings) -> None:
        self._house: Process | None = None
        self._book = ""
        """The stream of the ledger that is open; empty between two books."""
        self._ledger = Noun(LEDGER)
        self._closed_books = ClosedBooks(settings.data / "wallet.sqlite")
        self._caps = all_caps(settings.adjustment_caps)
        self._staff = settings.staff
        self._database = where_of(settings.database or ROWS_FILE, setting=DATABASE, beside=settings.data)
        self._read_side: ReadSide | None = None

    @property
    def house(self) -> Process:
        """The process around this room, once it has started."""
        assert self._house is not None, "the service has started"
        return self._house

    def noun_of(self, stream: str) -> Noun:
        """Return what is known about a ledger's stream."""
        return self._ledger

    def follow(self, event: Any, source: Source) -> list[Reaction]:
        """Return the movement that must follow from an event of a table."""
        return reactions.follow(event, source)

    def place(self, log_name: str) -> Callable[[], Place | None] | None:
        """Return how far the ledger of that day has worked off the log."""
        stream = ledger_stream(log_day(log_name)[1])
        return lambda: self.house.keepers.get(stream).folded.position.get(log_name)

    def ready_for(self, log_name: str) -> bool:
        """Hear the tables of a day once its book is open.

        What is left of a day whose book is closed is heard too: nothing follows from it, and only then can its log be closed.
        """
        return bool(self._book) and log_day(log_name)[1] <= stream_day(self._book)

    async def start(self, house: Process) -> None:
        """Open the first book of all, or go on with the latest."""
        self._house = house
        self._read_side = ReadSide(self._database, house.store, house.alarm)
        house.spawn(self._read_side.follow(), "rows")
        books = await self._latest_books()
        if not books:
            await self._open_first(ledger_stream(house.today()))
        elif books[0].state.open:
            self._book = books[0].stream
        elif books[-1].state.closed:
            await self._open_next(books[-1])
        else:
            await self._open_first(books[0].stream)
        await self._closed_books.learn(house.store, before=stream_day(self._book))
        house.spawn(self._close_books(), "books")

    async def command(self, to: Addressed, data: bytes) -> Answer:
        """Answer the cage."""
        if to.role != "staff" or to.target != "ledger":
            raise refused(Reason.NOT_ALLOWED_FOR_ROLE)
        # The book that is open now: another may be by the time that the closed ones have been looked through.
        book = self._book
        if not book:
            raise refused(Reason.BUSY)
        request = decode_request(data, StaffCommand)
        if isinstance(request.command, OpenAccount) and request.command.player in self._staff:
            # Who works here may be struck off tomorrow: that is the house's settings' to say, and no fact of the book (ON-3.6).
            raise refused(Reason.NAME_RESERVED, request.command.player)
        asked = Asked(request.id, request.command, self.house.actor(to), self.house.clock.now_ms())
        # The cage is answered at once and for good, so an answer that is written down was given before.
        before = await self._closed_books.recorded(request.id) or self.house.keepers.get(book).folded.answers.get(request.id)
        if before is not None:
            answer = before.answer_to(asked.command, asked.actor)
            return answer if answer is ID_REUSED else replace(answer, again=True)
        answer = await self.house.keepers.ask(book, asked)
        if answer.code == Reason.BOOK_CLOSED:
            # It was closed while the request waited: asked again, the request comes into the next one.
            raise refused(Reason.BUSY)
        return answer

    async def question(self, to: Addressed) -> Any:
        """Tell a player, or staff, what an account holds as of the open book's last entry; staff also what waits, and how far rows are."""
        if to.role == "staff" and to.target == "rows":
            return await self._read_side.standing() if self._read_side else {"error": sentence(Reason.BUSY)}
        if not self._book:
            return {"error": sentence(Reason.BUSY)}
        book = self.house.keepers.get(self._book).folded
        if to.role == "staff" and to.target == "adjustments":
            return views.open_adjustments(book.state)
        player = to.actor if to.role == "player" else to.target.removeprefix("balance_")
        return views.balance(book.state, player, revision=book.revision, reasons=to.role == "staff")

    def stored(self, keeper: Keeper[Any], entry: Entry[Any, Any]) -> None:
        """Open the next book once the open one is closed; older ones are closed as well when they are read."""
        if self._read_side is not None:
            self._read_side.news()
        if keeper.stream == self._book and any(isinstance(event, BookClosed) for decision in entry.decisions for event in decision.events):
            self._book = ""
            self.house.spawn(self._open_next(keeper), "next book")

    async def _close_books(self) -> None:
        """Close the book when the day is over and every table has closed its own."""
        while True:
            await asyncio.sleep(CLOSE_EVERY_S)
            book, next_day = self._book, self.house.today()
            if book and next_day > stream_day(book):
                try:
                    await self._ask_house(book, CloseBook(next_day=next_day), f"close {next_day}")
                except (StoreRefusal, Overrun) as error:
                    log.warning("%s cannot be closed yet: %s", book, error)

    async def _open_next(self, closed: Keeper[Any]) -> None:
        """Carry a closed book forward and open the next one; each part has an id of its own, so that a crash repeats nothing."""
        next_day = closed.state.next_day
        stream = ledger_stream(next_day)
        for name, command in beginning(closed.state, closed.folded.answers, closed.folded.digest, self._caps):
            await self._begin(stream, command, name)
        await self._closed_books.learn(self.house.store, before=next_day)
        self._book = stream

    async def _open_first(self, stream: str) -> None:
        """Open a book that carries nothing forward."""
        await self._begin(stream, OpenBook(day=stream_day(stream), caps=self._caps), "open")
        self._book = stream

    async def _begin(self, stream: str, command: CarryForward | OpenBook, name: str) -> None:
        """Write something at the beginning of a book; without it there is no book."""
        answer = await self._ask_house(stream, command, name)
        assert answer.status == "accepted", f"{stream} does not begin as it must: {answer.message}"

    async def _latest_books(self) -> list[Keeper[Any]]:
        """Return the latest book, followed by the one before it if it is still being opened.

        The days that are closed for ever count: a book must never be begun empty because the one before it is out of use.
        """
        found: list[Keeper[Any]] = []
        for name in reversed(await self.house.store.logs(self.name)):
            keeper = self.house.keepers.get(ledger_stream(log_day(name)[1]))
            await keeper.load()
            if keeper.folded.revision:
                found.append(keeper)
            if len(found) > 1 or keeper.state.phase != "carrying":
                break
        return found

    async def _ask_house(self, stream: str, command: Any, name: str) -> Answer:
        asked = Asked(derived_id("book", stream, name), command, HOUSE, self.house.clock.now_ms())
        return await self.house.keepers.ask(stream, asked)
