"""The house of a bench: nats-server, provisioner and all services as processes of their own, and clients at its tables.

Clients are those of `feltlog demo`: they watch the felt and say what basic strategy says, each on a connection of its own.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from feltlog.client import Client
from feltlog.commands.connection import at_the_door
from feltlog.commands.up import open_tables
from feltlog.evening import Evening, Seat, pay_in
from feltlog.house import House
from feltlog.machine import Machine
from feltlog.styles import Style, basic
from shared.contracts.decisions import Hit, Stand
from shared.kernel.messages import Answer
from tests.benchmarks.row import Tell
from tests.integration.running_house import OPERATOR, furnish, quick_rows

BOXES = 7
CURRENCY = "EUR"


@contextmanager
def running_house(tables: int, **chosen: Any) -> Iterator[Machine]:
    """Yield a house that runs, its tables not yet open."""
    with TemporaryDirectory(prefix="feltlog-bench-") as directory:
        data = Path(directory) / "house"
        rows = (quick_rows(f"T{number}", **{"boxes": BOXES, "pause_ms": 1, **chosen}) for number in range(1, tables + 1))
        furnish(data, *rows)
        with Machine(data) as machine:
            yield machine


class Timing:
    """A client whose words at the table are timed: from what is said to the answer, which says that it is stored."""

    def __init__(self, client: Client, took_s: list[float]) -> None:
        self._took_s = took_s
        self._ask = client.ask

    async def ask(self, service: str, target: str, command: Any, *, id: str | None = None) -> Answer:
        """Ask, and note how long a hit or a stand took; a double and a split wait for the wallet as well."""
        began_s = perf_counter()
        answer = await self._ask(service, target, command, id=id)
        if isinstance(command, Hit | Stand) and answer.status == "accepted":
            self._took_s.append(perf_counter() - began_s)
        return answer


class Played:
    """What was played: how many rounds, how long they took, and how long each decision waited for its answer."""

    def __init__(self) -> None:
        self.rounds = 0
        self.seconds = 0.0
        self.took_s: list[float] = []


@asynccontextmanager
async def seated(house: House, played: Played, tables: int) -> AsyncIterator[tuple[Client, Sequence[Seat]]]:
    """Yield the pit's client and a seat for each box of each table."""
    styles = [
        Style(name=f"p{table}-{box}", says="plays basic strategy", table=f"T{table}", deposit="100000.00", stake="10.00", decide=basic)
        for table in range(1, tables + 1)
        for box in range(1, BOXES + 1)
    ]
    house.add_players([style.name for style in styles])
    async with AsyncExitStack() as stack:
        pit = await stack.enter_async_context(at_the_door(house, None, "pit"))
        seats = []
        for number, style in enumerate(styles):
            await pay_in(pit, style, OPERATOR, CURRENCY)
            client = await stack.enter_async_context(at_the_door(house, None, style.name))
            client.ask = Timing(client, played.took_s).ask  # type: ignore[method-assign]
            seats.append(Seat(style, number % BOXES + 1, client))
        yield pit, seats


async def evening(house: House, *, tables: int, rounds: int, tell: Tell) -> Played:
    """Play so many rounds over all tables, every box taken."""
    played = Played()
    began_s = 0.0

    def on_round(number: int) -> None:
        nonlocal began_s
        if number == 1:
            began_s = perf_counter()
            played.took_s.clear()
        played.rounds, played.seconds = number - 1, perf_counter() - began_s
        tell(f"round {number} of {rounds}")

    async with seated(house, played, tables) as (pit, seats):
        await open_tables(house)
        await Evening(pit, seats, rounds=rounds, on_round=on_round, closes=False).play()
    return played
