"""An evening on the real server of which everything was recorded: what each user of the server could ever have heard.

One table plays from a single deck without a marker, so that the shoe runs out inside a round; the other deals by itself.
In the end both are closed and every order is open.  The house stays on disk for whoever reads it afterwards.
"""

import asyncio
from collections.abc import Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from nats.aio.msg import Msg

from feltlog.client import Client
from feltlog.cutting import Cutting
from feltlog.evening import Seat, sit
from feltlog.machine import Machine
from feltlog.permissions import HOUSE, Rights
from feltlog.styles import STYLES, Style
from services.table.views import Felt, TableRow
from shared.contracts.dealing import ReshuffleCalled
from shared.contracts.shoe import CardsBurned, CardsDrawn, ShoePrepared
from shared.contracts.subjects import SERVICES, shoe_stream
from shared.contracts.table import CloseTable
from shared.runtime.connection import Endpoint, connect
from shared.runtime.shelf import ROOM
from shared.runtime.tasks import end_all
from tests.integration.patience import until
from tests.integration.running_house import Floor, floor, furnish, quick_rows, table_rows

PLAYERS = ("ann", "bob", "cyd")
SPY = "spy"
ROUNDS_MAX = 60
SINGLE = (
    ROOM.joinpath("live.toml")
    .read_text()
    .replace('name = "live"', 'name = "single"')
    .replace("decks = 8", "decks = 1")
    .replace("burns_after_shuffle = 6", "burns_after_shuffle = 1")
    .replace("cutting_card = [[1, 2], [1, 2]]", "cutting_card = [[0, 1], [0, 1]]")
)
"""A house's own book: one deck, played to its last card."""


@dataclass
class Evening:
    """What is left of the evening: the house's directory, all that was heard on the server, and the round that outlived its shoe."""

    data: Path
    heard: list[tuple[str, bytes]] = field(default_factory=list)
    """Subject and bytes of each message, in the order in which the server passed them on."""
    told: list[bytes] = field(default_factory=list)
    """What services answered to everybody who may ask them something."""
    day: str = ""
    round: str = ""


@contextmanager
def somebody_who_hears_everything() -> Iterator[None]:
    """Let the server know a user to whom it shows every message there is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(HOUSE, SPY, Rights(listens=(">",)))
        yield


def play(data: Path) -> Evening:
    """Play the evening; the house is stopped when this returns."""
    evening = Evening(data)
    furnish(data, table_rows("T1", profile="single"), quick_rows("T2"))
    (data / "profiles").mkdir()
    (data / "profiles" / "single.toml").write_text(SINGLE)
    with somebody_who_hears_everything(), Machine(data) as machine:
        asyncio.run(everything(machine, evening))
    return evening


async def everything(machine: Machine, evening: Evening) -> None:
    """Play until a shoe ran out inside a round with a card face down, and the other table has had some rounds; then close."""
    async with recording(machine, evening), floor(machine) as house:
        evening.day = house.today
        await house.open_tables()
        for player in (*PLAYERS, "dee"):
            await house.welcome(player)
        style = next(style for style in STYLES if style.name == "basic")
        dee = Seat(style=at_table(style, "dee", "T2"), box=2, client=await house.seat("dee"))
        playing = [asyncio.create_task(sit(dee))]
        playing += [asyncio.create_task(cut_along(await house.seat(player), "T1")) for player in PLAYERS[:2]]
        evening.round = await round_that_outlives_its_shoe(house)
        await until(lambda: has_decided(dee))
        for table in ("T1", "T2"):
            await house.pit.ask("table", table, CloseTable())
        await until(lambda: are_closed(house))
        await end_all(playing)
        for service in (*SERVICES, "provisioner"):
            for question in ("health", "quarantine", "findings", "tables", "T1", "balance_ann"):
                evening.told.append(await answer(machine, service, question))


async def cut_along(client: Client, table: str) -> None:
    """Give something towards each cut at a table, as a player's own client does."""
    cutting = Cutting(client)
    async for felt in client.watch_felt(table):
        await cutting.take_part(felt)


async def round_that_outlives_its_shoe(house: Floor) -> str:
    """Return the first round of T1 whose shoe ran out while a card lay face down.

    As many players join in as leave the shoe with just enough cards for the deal.
    """
    for _ in range(ROUNDS_MAX):
        round = await house.call_round("T1")
        left = await cards_left(house, round)
        players = next((n for n in (3, 2, 1) if deal_of(n) <= left <= deal_of(n) + 1), 3 if left > 20 else 1)
        for box, player in enumerate(PLAYERS[:players], start=1):
            await house.wager(player, round, box)
        if players < len(PLAYERS):
            await house.close_betting("T1", round)
        await house.play_on("T1", below_seventeen)
        called = [event for event in await house.round_events(round) if isinstance(event, ReshuffleCalled)]
        if any(event.hole is not None for event in called):
            return round
    raise AssertionError(f"no shoe of one deck ran out inside one of {ROUNDS_MAX} rounds")


def deal_of(players: int) -> int:
    """Return how many cards are dealt before anybody decides."""
    return 2 * players + 2


async def cards_left(house: Floor, round: str) -> int:
    """Return how many cards the shoe of a round still holds."""
    opened = (await house.round_events(round))[0]
    events = await house.events(shoe_stream(house.today, opened.shoe))
    prepared = next(event for event in events if isinstance(event, ShoePrepared))
    burned = sum(event.count for event in events if isinstance(event, CardsBurned))
    drawn = sum(len(event.cards) for event in events if isinstance(event, CardsDrawn))
    return prepared.cards - burned - drawn


def below_seventeen(felt: Felt) -> str:
    """Draw to seventeen, as a dealer does."""
    assert felt.turn is not None
    hands = [hand for box in felt.boxes if box.box == felt.turn.box for hand in box.hands if hand.hand == felt.turn.hand]
    return "hit" if hands[0].total < 17 and "hit" in felt.legal else "stand"


@asynccontextmanager
async def recording(machine: Machine, evening: Evening):
    """Write down every message on the server for as long as this lasts."""
    client = await connect(Endpoint(url=machine.url, credentials=machine.credentials(SPY), name=SPY))

    async def hear(message: Msg) -> None:
        evening.heard.append((message.subject, bytes(message.data)))

    subscription = await client.subscribe(">", cb=hear)
    await client.flush()
    try:
        yield
    finally:
        await client.flush()
        await subscription.drain()
        await client.close()


async def answer(machine: Machine, service: str, question: str) -> bytes:
    """Return a service's answer to staff, as bytes."""
    client = await connect(Endpoint(url=machine.url, credentials=machine.credentials("pit"), name="a curious pit boss"))
    try:
        return (await client.request(f"query.{service}.staff.{question}.pit", b"", timeout=10)).data
    finally:
        await client.close()


def at_table(style: Style, name: str, table: str) -> Style:
    """Return a style with another name and table."""
    return Style(name=name, says=style.says, table=table, deposit="0.00", stake="10.00", decide=style.decide)


async def has_decided(seat: Seat) -> bool:
    """Return whether somebody has played a few rounds."""
    return seat.wagers >= 5


async def are_closed(house: Floor) -> bool:
    """Return whether all tables are closed, and every round is booked."""
    rows = await house.pit.query("table", "tables", list[TableRow])
    return all(row.phase == "closed" for row in rows)
