"""`feltlog statement`: everything that moved a player's account."""

import asyncio
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from typing import Annotated
from zoneinfo import ZoneInfo

import typer

from feltlog.commands.cage import name_of
from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption, reading
from feltlog.house import House
from feltlog.progress import progress
from feltlog.reading import Logs, ledger_entries
from feltlog.screen import fitting, screen, write_json, write_text
from feltlog.sheet import Sheet, as_of, csv_of, objects_of, sheet_of, table_of
from feltlog.trouble import Trouble
from services.wallet.statement import Statement, StatementRow
from shared.kernel.toml import quoted

Told = Callable[[int], None]
"""Is told how many further entries were read."""


def statement(
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="Whose account.")],
    data: DataOption = DATA,
    server: ServerOption = None,
    day: Annotated[str, typer.Option(metavar="YYYY-MM-DD", help="One day of the calendar in the zone, midnight to midnight.")] = "",
    zone: Annotated[str, typer.Option(help="The time zone of the player; else the house's.")] = "",
    limit: Annotated[int, typer.Option(min=0, help="At most so many movements, the latest; 0 for all.")] = 0,
    as_csv: Annotated[bool, typer.Option("--csv", help="Write CSV (RFC 4180) instead.")] = False,
    json: JsonOption = False,
) -> None:
    """Show the movements of a player's account and the balance after each, read from the ledger's own entries.

    A stake leaves the account when it is set aside and comes back, with winnings or less, when its wager is settled.
    Times are told in the player's zone with their offset from UTC, and a day is a day of the calendar there: it need not be the
    gaming day, which begins at the house's own hour.
    """
    if as_csv and json:
        raise Trouble("Say --csv or --json, not both.")
    name_of(player)
    house = House(data)
    there, wanted = zone_of(zone, house), day_of(day)
    rows, end = asyncio.run(look(house, server, player))
    found = sheet_of(player, rows, there, end=end, day=wanted, limit=limit)
    if json:
        for line in objects_of(found):
            write_json(line)
    elif as_csv:
        write_text(csv_of(found))
    else:
        show(found, wanted)


def show(found: Sheet, day: date | None) -> None:
    """Show a statement to people."""
    console = screen(sys.stdout)
    console.print(f"Statement of {found.player}{f', {day.isoformat()}' if day else ''}, times in {found.zone}", style="bold")
    if found.opening or found.rows:
        console.print(fitting(console, table_of(found), table_of(found, narrow=True)))
    if not found.rows and day:
        console.print(f"Nothing moved on {day.isoformat()}, as far as these books tell.")
    console.print(as_of(found), style="dim")


def zone_of(name: str, house: House) -> ZoneInfo:
    """Return a time zone by its name, the house's if there is none; raise `Trouble` for one that this machine does not know."""
    name = name or house.settings().house.zone
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise Trouble(f"There is no time zone {quoted(name)} on this machine. Write one such as America/Toronto.") from None


def day_of(text: str) -> date | None:
    """Return the day that a text names, `2026-11-30` or `20261130`, None for none; raise `Trouble` for what is no day."""
    if not text:
        return None
    # Nothing shorter: 2026111 could be two days.
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8}", text):
        with suppress(ValueError):
            return date.fromisoformat(text)
    raise Trouble(f"{quoted(text)} is no day. Write one such as 2026-11-30.")


async def look(house: House, server: str | None, player: str) -> tuple[list[StatementRow], tuple[str, int]]:
    """Return all rows of a player's statement, and the last entry that was read; raise `Trouble` if there is no such account."""
    async with reading(house, server) as store:
        total = sum([await store.end(log) for log in await store.logs("wallet")])
        with progress("reading the ledger", total) as told:
            return await player_rows(store, player, told)


async def player_rows(store: Logs, player: str, told: Told = lambda count: None) -> tuple[list[StatementRow], tuple[str, int]]:
    """Return all rows of a player's statement, and the last entry that was read; raise `Trouble` if there is no such account."""
    account, end = Statement(player), ("", 0)
    rows: list[StatementRow] = []
    try:
        # Entry by entry: the books of a year are more than a machine holds at once.
        async for entry in ledger_entries(store):
            rows += account.hear(entry)
            end = (entry.stream, entry.revision)
            told(1)
    except AssertionError as error:
        raise Trouble(f"The ledger contradicts itself: {error}. `feltlog verify --all` says where.") from error
    if not rows:
        raise Trouble(f"There is no account of {player!r} in these books. `feltlog player add {player}` opens one.")
    return rows, end
