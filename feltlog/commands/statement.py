"""`feltlog statement`: everything that moved a player's account."""

import asyncio
from typing import Annotated
from zoneinfo import ZoneInfo

import msgspec
import typer
from rich.table import Table

from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption, reading
from feltlog.house import House
from feltlog.reading import Logs, ledger_entries
from feltlog.screen import plain_table, screen, write_json
from feltlog.trouble import Trouble
from feltlog.wording import amount, gain, stamp, wall
from services.wallet.views import StatementRow
from services.wallet.views import statement as rows_of


def statement(
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="Whose account.")],
    data: DataOption = DATA,
    server: ServerOption = None,
    limit: Annotated[int, typer.Option(min=0, help="At most so many movements, the latest; 0 for all.")] = 0,
    json: JsonOption = False,
) -> None:
    """Show the movements of a player's account and the balance after each, read from the ledger's own entries.

    A stake leaves the account when it is set aside and comes back, with winnings or less, when its wager is settled.
    """
    house = House(data)
    zone = ZoneInfo(house.settings().house.zone)
    rows = asyncio.run(look(house, server, player))[-limit:]
    if json:
        for row in rows:
            write_json({"player": player, "at": stamp(row.at_ms, zone), **msgspec.to_builtins(row)})
        return
    console = screen()
    console.print(f"Statement of {player}, times in {zone.key}", style="bold")
    console.print(sheet(rows, zone))


async def look(house: House, server: str | None, player: str) -> list[StatementRow]:
    """Return all rows of a player's statement; raise `Trouble` if there is no such account."""
    async with reading(house, server) as store:
        return await player_rows(store, player)


async def player_rows(store: Logs, player: str) -> list[StatementRow]:
    """Return all rows of a player's statement; raise `Trouble` if there is no such account."""
    entries = [entry async for entry in ledger_entries(store)]
    try:
        rows = list(rows_of(entries, player))
    except AssertionError as error:
        raise Trouble(f"The ledger contradicts itself: {error}. `feltlog verify --all` says where.") from error
    if not rows:
        raise Trouble(f"There is no account of {player!r} in these books. `feltlog player add {player}` opens one.")
    return rows


def sheet(rows: list[StatementRow], zone: ZoneInfo) -> Table:
    """Return the movements as a table for people."""
    table = plain_table()
    table.add_column("time", no_wrap=True)
    table.add_column("what", no_wrap=True)
    table.add_column("round", no_wrap=True)
    table.add_column("moved", justify="right", no_wrap=True)
    table.add_column("balance", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for row in rows:
        amounts = (gain(row.minor, row.currency), amount(row.balance_minor, row.currency))
        table.add_row(wall(row.at_ms, zone)[:19], row.what, row.round, *amounts, row.currency)
    return table
