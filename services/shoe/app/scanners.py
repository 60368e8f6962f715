"""The scanners of the tables: what each of them saw goes into the shoe that stands under it, and is acknowledged when it is stored.

A scanner's count goes on from shoe to shoe.  Behind a shoe's last card the next thing that it says may belong to the shoe that
follows, so it is kept waiting, unacknowledged, until there is a shoe that takes it.
"""

import asyncio
from collections.abc import Mapping
from typing import Any, Literal

from msgspec.structs import replace

from services.shoe.app.earlier import last_shoe
from services.shoe.app.scanned_cards import ScannedCards
from services.shoe.app.scanner import BadAddress, Scanner
from services.shoe.domain.scanned import takes
from services.shoe.domain.scanned_state import PutAway, Scanned, came_before
from services.shoe.domain.scanner_line import Count, Seen
from shared.contracts.shoe import CompositionDoubted, FaceMissing, ScanCard, ScannedBefore, ShoeShuffled
from shared.kernel.folded import Asked
from shared.kernel.identity import derived_id
from shared.kernel.messages import HOUSE, Answer
from shared.runtime.event_store import StoreRefusal
from shared.runtime.keeper import Keeper, Overrun
from shared.runtime.service import Process
from shared.runtime.settings import SettingMissing

AGAIN_S = 0.5
"""Pause after a card that could not be stored."""
HELD_S = 30.0
"""After so long a card that no shoe takes is told to somebody."""
QUIET_S = 60.0
"""How long the same trouble of a scanner is not told again."""

Saw = Literal["card", "unread", "cutting_card", "empty"]


class Scanners:
    """One scanner for each table that has one."""

    def __init__(self, addresses: Mapping[str, str], cards: ScannedCards) -> None:
        self._addresses = addresses
        self._cards = cards
        self._tables: dict[str, AtTable] = {}

    async def start(self, house: Process) -> None:
        """Hear every scanner, for ever; raise `SettingMissing` for an address that names none."""
        for table, address in self._addresses.items():
            at_table = self._tables[table] = AtTable(house, self._cards, table)
            if not scanned_shoes(house.keepers.known(), table):
                at_table.earlier = await last_shoe(house.store, table)
            try:
                at_table.scanner = Scanner(address, at_table.count(), at_table.take, at_table.trouble)
            except BadAddress as error:
                raise SettingMissing(f"the scanner of {table}: {error}.") from None
            house.spawn(at_table.scanner.listen(), f"scanner of {table}")

    def before(self, house: Process, table: str) -> ScannedBefore:
        """Return what came before the next scanned shoe of a table."""
        at_table = self._tables.get(table)
        shoes = [keeper.state for keeper in scanned_shoes(house.keepers.known(), table)]
        return came_before(shoes or ([] if at_table is None or at_table.earlier is None else [at_table.earlier]))

    def stored(self, house: Process, keeper: Keeper[Any], event: Any) -> None:
        """See what is stored in a shoe's stream: another shoe under a scanner, room for a card, or something to be told."""
        state = keeper.state
        if not isinstance(state, Scanned | PutAway):
            return
        at_table = self._tables.get(state.loaded.table)
        if at_table is not None:
            at_table.stored(event)
        elif isinstance(event, ShoeShuffled):
            why = "its cards are to be scanned, and [scanners] of tables.toml names no scanner for it"
            house.spawn(house.alarm("scanner", table=state.loaded.table, code="none", what=why), "alarm")


class AtTable:
    """The scanner of one table, and the shoes under it."""

    def __init__(self, house: Process, cards: ScannedCards, table: str) -> None:
        self._house = house
        self._cards = cards
        self._table = table
        self._changed = asyncio.Event()
        self._told: dict[str, float] = {}
        self._storing: asyncio.Task[bool] | None = None
        self.scanner: Scanner | None = None
        self.earlier: Scanned | PutAway | None = None
        """The last shoe of earlier days, if none of this one was known at the start."""

    def count(self) -> Count:
        """Return how far the scanner was heard, as the log has it."""
        shoes = scanned_shoes(self._house.keepers.known(), self._table)
        state = shoes[-1].state if shoes else self.earlier
        if state is None:
            return Count(fresh=True)
        fresh = isinstance(state, PutAway) or state.fresh
        return Count(scanner=state.scanner, last=state.n, fresh=fresh)

    async def take(self, seen: Seen) -> None:
        """Return when what was seen is stored in the shoe that it left."""
        while True:
            self._changed.clear()
            keeper = self._shoe_for(seen)
            if self._is_stored(seen):
                return
            if keeper is None:
                await self._wait()
            elif await self._store(keeper, seen):
                return
            else:
                await asyncio.sleep(AGAIN_S)

    async def trouble(self, code: str, why: str) -> None:
        """Tell what is wrong with the scanner, and not again and again."""
        now = asyncio.get_running_loop().time()
        if now - self._told.get(code, -QUIET_S) >= QUIET_S:
            self._told[code] = now
            await self._house.alarm("scanner", table=self._table, code=code, what=why)

    def stored(self, event: Any) -> None:
        """See an event of one of the table's shoes."""
        self._changed.set()
        match event:
            case ShoeShuffled() if self.scanner is not None:
                # Whatever stands over a new load may be another device.
                self.scanner.count = replace(self.scanner.count, fresh=True)
            case FaceMissing():
                facts = {"table": self._table, "shoe": event.shoe, "index": event.index}
                self._house.spawn(self._house.alarm("face_missing", **facts), "alarm")
            case CompositionDoubted():
                facts = {"table": self._table, "shoe": event.shoe, "doubt": event.doubt}
                self._house.spawn(self._house.alarm("composition", **facts), "alarm")
            case _:
                pass

    def _shoe_for(self, seen: Seen) -> Keeper[Any] | None:
        """Return the shoe that stands under the scanner, if it takes what was seen: of several the one that was loaded last."""
        shoes = [keeper for keeper in scanned_shoes(self._house.keepers.open(), self._table) if isinstance(keeper.state, Scanned)]
        return shoes[-1] if shoes and takes(shoes[-1].state, _kind(seen)) else None

    def _is_stored(self, seen: Seen) -> bool:
        """Return whether what was seen stands in a log already, although whoever stored it never heard so."""
        assert self.scanner is not None, "a scanner speaks"
        count = self.count()
        return count.scanner == self.scanner.count.scanner and seen.n <= count.last

    async def _store(self, keeper: Keeper[Any], seen: Seen) -> bool:
        """Store what was seen to the end, also when the cable ends meanwhile; return whether it stands in the log."""
        if self._storing is not None:
            await asyncio.wait({self._storing})
        self._storing = asyncio.create_task(self._stored_in(keeper, seen))
        return await asyncio.shield(self._storing)

    async def _stored_in(self, keeper: Keeper[Any], seen: Seen) -> bool:
        """Return whether what was seen stands in a shoe's log now."""
        assert self.scanner is not None, "a scanner speaks"
        name = self.scanner.count.scanner
        command = ScanCard(scanner=name, n=seen.n, saw=_kind(seen))
        asked = Asked(derived_id("scan", keeper.stream, name, seen.n), command, HOUSE, self._house.clock.now_ms())
        self._cards.tell(name, seen.n, seen.saw or "")
        try:
            answer: Answer = await self._house.keepers.ask(keeper.stream, asked)
        except (StoreRefusal, Overrun) as refusal:
            await self.trouble("cannot_store", str(refusal))
            return False
        finally:
            self._cards.forget(name, seen.n)
        return answer.status == "accepted"

    async def _wait(self) -> None:
        """Wait until something changes; a card that waits for long has left a shoe that is none here."""
        try:
            async with asyncio.timeout(HELD_S):
                await self._changed.wait()
        except TimeoutError:
            await self.trouble("held", "a card left the scanner, and no shoe of this table takes one now")


def scanned_shoes(keepers: list[Keeper[Any]], table: str) -> list[Keeper[Any]]:
    """Return the scanned shoes of a table among keepers, in their order: that in which shoes were loaded."""
    return [each for each in keepers if isinstance(each.state, Scanned | PutAway) and each.state.loaded.table == table]


def _kind(seen: Seen) -> Saw:
    match seen.saw:
        case None:
            return "unread"
        case "cutting card":
            return "cutting_card"
        case "empty":
            return "empty"
        case _:
            return "card"
