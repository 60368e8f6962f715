"""An evening: seven ordinary clients at three tables, until enough rounds are played.

The clients hold players' credentials and nothing else.  They see what every player sees, ask for what every player may
ask for, and are refused like everybody.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Sequence

import msgspec
from msgspec import Struct

from feltlog.client import Client
from feltlog.cutting import Cutting
from feltlog.styles import Style, Turn
from feltlog.trouble import Trouble
from services.table.views import Felt, FeltBox, FeltTurn, TableRow
from shared.contracts.cage import Deposit, OpenAccount
from shared.contracts.decisions import DeclineInsurance, Double, ExposeHand, Hit, Insure, Split, Stand, TakeEvenMoney
from shared.contracts.refusals import Reason
from shared.contracts.table import CloseTable
from shared.contracts.wagers import PlaceWager
from shared.kernel.messages import Answer
from shared.kernel.money import minor_units
from shared.runtime.tasks import end_all, first_of

REFUSED_MAX = 3
"""After so many wagers refused for want of money a client only watches."""
ENDING_S = 60.0
"""How long the last rounds may take, and the tables to close after them."""
STILL_S = 60.0
"""How long no round may be counted before something must be wrong."""
LOOK_S = 0.2
HINT = "`feltlog status` shows what runs, and the directory logs/ of the house what it says."

DECISIONS = {"expose": ExposeHand, "hit": Hit, "stand": Stand, "double": Double, "split": Split}


class Seat(Struct):
    """A client at its table: how it plays, and what it has done so far."""

    style: Style
    box: int
    client: Client
    wagers: int = 0
    decisions: int = 0
    silences: int = 0
    leaving: bool = False
    """Whether the client places no further wager."""
    refusals: Counter[str] = msgspec.field(default_factory=Counter)
    told: set[tuple[str, str]] = set()
    """What was answered already, by round and matter."""
    cutting: Cutting | None = None

    def __post_init__(self) -> None:
        if self.style.cuts:
            self.cutting = Cutting(self.client)

    @property
    def broke(self) -> bool:
        """Whether the client gave up for want of money."""
        return self.refusals[Reason.INSUFFICIENT_FUNDS] >= REFUSED_MAX


class Evening:
    """What goes on at the tables.  `on_round` is called with the number of rounds played so far.

    `closes` says that the tables are closed afterwards; otherwise the clients leave when their last rounds are over.
    """

    def __init__(self, pit: Client, seats: Sequence[Seat], *, rounds: int, on_round: Callable[[int], None], closes: bool = True) -> None:
        self.seats = seats
        self.played: set[str] = set()
        self._pit = pit
        self._wanted = rounds
        self._on_round = on_round
        self._closes = closes
        self._news = asyncio.Event()

    @property
    def tables(self) -> list[str]:
        """The tables that are played at."""
        return sorted({seat.style.table for seat in self.seats})

    async def play(self) -> None:
        """Play until there were enough rounds, then close the tables and see the last rounds to their end."""
        watching = [asyncio.create_task(self._count(table), name=f"count {table}") for table in self.tables]
        playing = [asyncio.create_task(sit(seat), name=seat.style.name) for seat in self.seats]
        enough = asyncio.create_task(self._until_enough(), name="enough")
        try:
            await first_of([enough, *watching, *playing])
            ending = asyncio.create_task(self._end(), name="end")
            playing.append(ending)
            await first_of([ending, *watching, *playing])
        finally:
            await end_all([*watching, *playing, enough])

    async def _until_enough(self) -> None:
        """Wait until enough rounds are played; raise `Trouble` when none comes for a long time."""
        while len(self.played) < self._wanted:
            before = len(self.played)
            self._news.clear()
            try:
                async with asyncio.timeout(STILL_S):
                    while len(self.played) == before:
                        await self._news.wait()
                        self._news.clear()
            except TimeoutError:
                raise Trouble(f"The tables stand still: no further round for {STILL_S:.0f} s after {before}. {HINT}") from None

    async def _end(self) -> None:
        """See the last rounds to their end, and close the tables if that is wanted; raise `Trouble` if they do not end."""
        for seat in self.seats:
            seat.leaving = True
        try:
            async with asyncio.timeout(ENDING_S):
                if self._closes:
                    await close_tables(self._pit, self.tables)
                else:
                    await asyncio.gather(*(self._until_over(table) for table in self.tables))
        except TimeoutError:
            raise Trouble(f"The last rounds have not ended within {ENDING_S:.0f} s. {HINT}") from None

    async def _count(self, table: str) -> None:
        """Count the rounds of a table in which somebody had a wager, as they go by."""
        async for felt in self._pit.watch_felt(table):
            if felt.boxes and felt.phase not in ("betting", "closing") and felt.round not in self.played:
                self.played.add(felt.round)
                self._on_round(len(self.played))
                self._news.set()

    async def _until_over(self, table: str) -> None:
        """Wait until the round is over that is open now: no later one can hold a wager of somebody who leaves."""
        last = ""
        async for felt in self._pit.watch_felt(table):
            last = last or felt.round
            if felt.round != last or felt.phase in ("settled", "void", "idle"):
                return


async def close_tables(pit: Client, tables: Collection[str]) -> None:
    """Close tables, as staff, and return when nothing of them is unanswered; those that are closed already stay so."""
    await asyncio.gather(*(pit.ask("table", table, CloseTable()) for table in tables))
    while not all(row.phase == "closed" for row in await pit.query("table", "tables", list[TableRow]) if row.table in tables):
        await asyncio.sleep(LOOK_S)


async def pay_in(pit: Client, style: Style, operator: str, currency: str) -> None:
    """Open a client's account and bring its money in, as the cage; raise `Trouble` if the house refuses."""
    opened = await pit.ask("wallet", "ledger", OpenAccount(player=style.name, operator=operator, currency=currency))
    minor = minor_units(style.deposit, currency)
    brought = await pit.ask("wallet", "ledger", Deposit(player=style.name, currency=currency, minor=minor))
    for answer in (opened, brought):
        if answer.status == "refused":
            raise Trouble(f"{style.name} cannot pay in: {answer.message}")


async def sit(seat: Seat) -> None:
    """Play at the seat's table for as long as it is watched."""
    async for felt in seat.client.watch_felt(seat.style.table):
        await answer(seat, felt)


async def answer(seat: Seat, felt: Felt) -> None:
    """Do what the felt asks of this client, once."""
    if seat.cutting is not None:
        await seat.cutting.take_part(felt)
    mine = next((box for box in felt.boxes if box.box == seat.box and box.player == seat.client.name), None)
    if felt.phase == "betting" and mine is None and not (seat.broke or seat.leaving) and first_time(seat, felt.round, "wager"):
        await wager(seat, felt)
    elif mine is None or not mine.legal:
        return
    elif felt.turn is None and first_time(seat, felt.round, "insurance"):
        await insurance(seat, felt, mine)
    elif felt.turn is not None and first_time(seat, felt.round, str(felt.turn.number)):
        await decide(seat, felt, felt.turn, mine)


def first_time(seat: Seat, round: str, matter: str) -> bool:
    """Return whether this is asked for the first time; the same picture may be seen twice."""
    if (round, matter) in seat.told:
        return False
    seat.told.add((round, matter))
    return True


async def wager(seat: Seat, felt: Felt) -> None:
    """Place the client's stake on its box."""
    stake_minor = await stake(seat, felt)
    said = await seat.client.ask("table", felt.table, PlaceWager(round=felt.round, box=seat.box, stake_minor=stake_minor))
    seat.wagers += said.status == "accepted"
    note(seat, said)


async def stake(seat: Seat, felt: Felt) -> int:
    """Return what the client wagers now, in minor units: always the same, or a part of what is left."""
    least = minor_units(seat.style.stake, felt.currency)
    if not seat.style.percent:
        return least
    amounts = (await seat.client.balance()).amounts
    left = sum(each.available_minor for each in amounts if each.currency == felt.currency)
    whole = minor_units("1", felt.currency)
    return max(least, min(left * seat.style.percent // 100, felt.maximum_minor) // whole * whole)


async def insurance(seat: Seat, felt: Felt, mine: FeltBox) -> None:
    """Answer about insurance."""
    if seat.style.insures and "even_money" in mine.legal:
        said = await seat.client.ask("table", felt.table, TakeEvenMoney(round=felt.round, box=seat.box))
    elif seat.style.insures and "insure" in mine.legal:
        said = await seat.client.ask("table", felt.table, Insure(round=felt.round, box=seat.box))
    else:
        said = await seat.client.ask("table", felt.table, DeclineInsurance(round=felt.round, box=seat.box))
    note(seat, said)


async def decide(seat: Seat, felt: Felt, turn: FeltTurn, mine: FeltBox) -> None:
    """Say what the style says about a hand, or nothing."""
    seat.decisions += 1
    if "expose" in mine.legal:
        # These clients look at the felt alone: they turn up what lies face down.
        note(seat, await seat.client.ask("table", felt.table, ExposeHand(round=felt.round, box=turn.box, hand=turn.hand)))
        return
    hand = next(hand for hand in mine.hands if hand.hand == turn.hand)
    seen = Turn(cards=hand.cards, dealer=felt.dealer_cards[0], options=mine.legal, number=seat.decisions)
    option = seat.style.decide(seen)
    if not option:
        seat.silences += 1
        return
    command = DECISIONS[option](round=felt.round, box=turn.box, hand=turn.hand)
    note(seat, await seat.client.ask("table", felt.table, command))


def note(seat: Seat, said: Answer) -> None:
    """Count a refusal."""
    if said.status == "refused":
        seat.refusals[said.code] += 1
