"""`feltlog rounds`: which rounds there were."""

import asyncio
import time
from typing import Annotated
from zoneinfo import ZoneInfo

import msgspec
import typer
from rich.table import Table

from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption, reading
from feltlog.house import House
from feltlog.reading import Damaged, Logs, days, rounds_of_day
from feltlog.rows import Choice, ListedRound, listed, since_ms
from feltlog.screen import WIDE, plain_table, screen, write_json
from feltlog.wording import amount, stamp, wall


def rounds(
    data: DataOption = DATA,
    server: ServerOption = None,
    table: Annotated[str, typer.Option(help="Only this table's rounds, such as T1.")] = "",
    player: Annotated[str, typer.Option(help="Only rounds in which this player had a wager.")] = "",
    since: Annotated[
        str, typer.Option(help="Only rounds opened since: a gaming day (20261130), a house time (2026-11-30T21:15), or 90m, 2h, 3d ago.")
    ] = "",
    limit: Annotated[int, typer.Option(min=1, help="At most so many, the latest.")] = 20,
    empty: Annotated[bool, typer.Option("--empty", help="Also list rounds in which nobody had a wager.")] = False,
    json: JsonOption = False,
) -> None:
    """List rounds, the latest last: who played, what was staked and returned, and how it ended.

    `feltlog replay ROUND` then tells one of them card by card.  Exit 1 if an entry cannot be read.
    """
    house = House(data)
    rules = house.settings().house
    zone = ZoneInfo(rules.zone)
    start_ms = since_ms(since, zone, day_starts=rules.day_starts, now_ms=time.time_ns() // 1_000_000)
    choice = Choice(table=table, player=player, since_ms=start_ms, empty=empty)
    damage: list[Damaged] = []
    found, unplayed = asyncio.run(look(house, server, choice, limit, damage))
    show(found, unplayed, zone, json=json)
    for damaged in damage:
        typer.echo(str(damaged), err=True)
    if damage:
        raise typer.Exit(1)


def show(found: list[ListedRound], unplayed: int, zone: ZoneInfo, *, json: bool) -> None:
    """Show the rows, for people or for machines."""
    if json:
        for row in found:
            write_json(as_json(row, zone))
        return
    console = screen()
    if found:
        console.print(f"Rounds, times in {zone.key}", style="bold")
    console.print(listing(found, zone, narrow=console.width < WIDE) if found else "There are no such rounds in these logs.")
    if unplayed:
        console.print(f"Rounds without a wager are left out ({unplayed} of them); --empty lists them too.", style="dim")


async def look(house: House, server: str | None, choice: Choice, limit: int, damage: list[Damaged]) -> tuple[list[ListedRound], int]:
    """Return the rows of the chosen rounds and how many rounds were left out because nobody had a wager."""
    async with reading(house, server) as store:
        return await chosen_rows(store, choice, limit, damage)


async def chosen_rows(store: Logs, choice: Choice, limit: int, damage: list[Damaged]) -> tuple[list[ListedRound], int]:
    """Return at most `limit` rows, the latest, the oldest of them first; days are read backwards until there are enough.

    What cannot be read is added to `damage`.
    """
    rows: list[ListedRound] = []
    unplayed = 0
    for day in reversed(await days(store)):
        rounds = await rounds_of_day(store, day, choice.table, damage=damage)
        read = [listed(name, pages) for name, pages in rounds.items()]
        taken = [row for row in read if choice.takes(row)]
        played = [row for row in taken if row.players or choice.empty]
        unplayed += len(taken) - len(played)
        rows = played + rows
        if len(rows) >= limit or (read and read[0].opened_at_ms < choice.since_ms):
            break
    return sorted(rows, key=lambda row: (row.opened_at_ms, row.round))[-limit:], unplayed


def listing(rows: list[ListedRound], zone: ZoneInfo, *, narrow: bool = False) -> Table:
    """Return the rows as a table for people, times on the house's clock; where it is narrow, without currency, profile and entries."""
    table = plain_table()
    shown = [cells_of(row, zone) for row in rows]
    # A round whose id is cut cannot be replayed, and an amount that is cut is another amount.
    whole = {heading: max((len(cells[heading]) for cells in shown), default=0) for heading in ("round", "staked", "returned")}
    table.add_column("round", no_wrap=True, min_width=max(18, whole["round"]))
    table.add_column("opened", overflow="fold")
    if not narrow:
        table.add_column("profile", no_wrap=True)
    table.add_column("players", overflow="fold", min_width=0 if narrow else 8)
    for heading in ("staked", "returned"):
        table.add_column(heading, justify="right", no_wrap=True, min_width=whole[heading])
    if not narrow:
        table.add_column("", no_wrap=True)
    table.add_column("outcome", overflow="fold")
    if not narrow:
        table.add_column("entries", justify="right", no_wrap=True)
    for cells in shown:
        table.add_row(*(cells[str(column.header)] for column in table.columns))
    return table


def cells_of(row: ListedRound, zone: ZoneInfo) -> dict[str, str]:
    """Return what a row says to people, by the heading of its column."""
    settled = row.outcome != "awaiting"
    return {
        "round": row.round,
        "opened": wall(row.opened_at_ms, zone)[11:19],
        "profile": row.profile,
        "players": ", ".join(row.players) or "nobody",
        "staked": amount(row.staked_minor, row.currency) if row.currency else "",
        "returned": amount(row.returned_minor, row.currency) if settled else "",
        "": row.currency,
        "outcome": row.outcome,
        "entries": str(row.entries),
    }


def as_json(row: ListedRound, zone: ZoneInfo) -> dict[str, object]:
    """Return a row for machines: `round`, `opened_at` on the house's clock, and everything else that the row says."""
    fields: dict[str, object] = msgspec.to_builtins(row)
    return {"round": row.round, "opened_at": stamp(row.opened_at_ms, zone), **fields}
