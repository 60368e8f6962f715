"""`feltlog demo`: a house, an evening, and everything that is proved about it afterwards."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from feltlog.account import Played, Sum, most_interesting, played, sums_of_players, sums_of_tables
from feltlog.auditing import Books, audit_all
from feltlog.commands.connection import ServerOption, at_the_door, reading
from feltlog.commands.replay import show as show_round
from feltlog.commands.statement import player_rows
from feltlog.commands.up import open_tables
from feltlog.commands.verify import show as show_report
from feltlog.evening import Evening, Seat, pay_in
from feltlog.house import House
from feltlog.machine import Machine
from feltlog.reading import Damaged, days, rounds_of_day
from feltlog.screen import called, fitting, plain_table, screen
from feltlog.sheet import sheet_of, table_of
from feltlog.stopping import STOPPED, hear_requests_to_end, undisturbed
from feltlog.styles import STYLES
from feltlog.trouble import Trouble
from feltlog.wording import amount, counted, gain
from services.surveillance.domain.report import Report
from services.table.views import TableRow
from shared.contracts.refusals import Reason

DATA = Path(".feltlog-demo")
ROUNDS = 200
STATEMENT_ROWS = 12
WINDOW_MAX_MS = 5_000
"""A table that takes wagers for longer than this is run for people, not for a demonstration."""

TABLES = """\
# The house of the demonstration: windows are as short as its clients are quick.

[house]
operator = "feltlog"
day_starts = "06:00"
zone = "America/Toronto"

[[table]]
id = "T1"
profile = "ontario"
currency = "CAD"
minimum = "1.00"
maximum = "5.00"
betting_window_ms = 400
decision_ms = 1500
reserve_ms = 1000
pause_ms = 50
reveal_ms = 1000

[[table]]
id = "T2"
profile = "live"
currency = "EUR"
minimum = "10.00"
maximum = "1000.00"
betting_window_ms = 400
decision_ms = 1500
reserve_ms = 1000
pause_ms = 50
reveal_ms = 1000

[[table]]
id = "T3"
profile = "live"
currency = "USD"
minimum = "25.00"
maximum = "1000.00"
boxes = 5
betting_window_ms = 400
decision_ms = 1500
reserve_ms = 1000
pause_ms = 50
reveal_ms = 1000
"""


def demo(
    data: Annotated[Path, typer.Option("--data", envvar="FELTLOG_DATA", help="The directory of the house; it stays.")] = DATA,
    server: ServerOption = None,
    rounds: Annotated[int, typer.Option(min=1, help="How many rounds are played, over all tables.")] = ROUNDS,
) -> None:
    """Start a house, let seven clients play an evening at three tables, then prove every round of it.

    With --server it plays on a house that runs already, with the credentials in --data.
    Exit 1 if the proof finds anything.
    """
    console = screen()
    house = House(data)
    began_s = time.monotonic()
    hear_requests_to_end()
    try:
        report = asyncio.run(on_a_running_house(console, house, server, rounds)) if server else on_a_new_house(console, house, rounds)
    except KeyboardInterrupt:
        console.print("The demonstration was stopped; what was played stays in the logs.")
        raise typer.Exit(STOPPED) from None
    console.print(f"All of this took {time.monotonic() - began_s:.0f} s.", style="dim")
    if not report.fine:
        raise typer.Exit(1)


def on_a_new_house(console: Console, house: House, rounds: int) -> Report:
    """Start the house, play, and stop it again."""
    furnish(house)
    console.print(f"Starting nats-server and five services in {house.data} ...")
    machine = Machine(house.data)
    try:
        machine.start()
        asyncio.run(open_tables(house))
        return asyncio.run(on_a_running_house(console, house, None, rounds))
    finally:
        with undisturbed():
            machine.stop()


def furnish(house: House) -> None:
    """Write the demonstration's `tables.toml`; raise `Trouble` if the directory belongs to a house for people."""
    house.furnish(TABLES)
    tables = {table.id: table for table in house.settings().table}
    for style in STYLES:
        if style.table not in tables or tables[style.table].betting_window_ms > WINDOW_MAX_MS:
            raise Trouble(
                f"{house.tables} has no table {style.table} with windows that are short enough: an evening there would take hours. "
                f"Choose another directory with --data; {DATA} is the usual one."
            )


async def on_a_running_house(console: Console, house: House, server: str | None, rounds: int) -> Report:
    """Play the evening and show what came of it."""
    since_ms = time.time_ns() // 1_000_000
    let_in(house)
    async with seated(house, server, rounds, console) as evening:
        began_s = time.monotonic()
        await evening.play()
    console.print(f"{counted(len(evening.played), 'round')} in {time.monotonic() - began_s:.0f} s.\n")
    async with reading(house, server) as store:
        damage: list[Damaged] = []
        found = [each for day in await days(store) for each in played(await rounds_of_day(store, day, damage=damage), since_ms)]
        summary(console, evening, found)
        dispute(console, house, found)
        report = await proof(console, store)
        await money_of_one(console, house, store, evening)
    last_words(console, house, server, found)
    return report


def let_in(house: House) -> None:
    """Give every client a credential; raise `Trouble` if that cannot be done from here."""
    missing = sorted({style.name for style in STYLES} - set(house.players()))
    if missing and house.running is None:
        raise Trouble(
            f"{house.secrets} has no credentials for {', '.join(missing)}. "
            "Where that house runs, `feltlog player add NAME` makes them; copy the .nk files here."
        )
    if missing:
        house.add_players(missing)


@asynccontextmanager
async def seated(house: House, server: str | None, rounds: int, console: Console) -> AsyncIterator[Evening]:
    """Yield the evening with everybody connected, paid in and seated, and a bar that shows how far it is."""
    async with AsyncExitStack() as stack:
        pit = await stack.enter_async_context(at_the_door(house, server, "pit"))
        tables = {row.table: row for row in await pit.query("table", "tables", list[TableRow])}
        seats: list[Seat] = []
        for style in STYLES:
            row = tables.get(style.table)
            if row is None or row.phase != "open":
                raise Trouble(f"Table {style.table} is not open there. `feltlog table open {style.table}` opens it.")
            await pay_in(pit, style, row.operator, row.currency)
            client = await stack.enter_async_context(at_the_door(house, server, style.name))
            box = 1 + sum(seat.style.table == style.table for seat in seats)
            seats.append(Seat(style=style, box=box, client=client))
        columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TextColumn("rounds"), TimeElapsedColumn())
        bar = stack.enter_context(Progress(*columns, console=console))
        task = bar.add_task("rounds", total=rounds)
        yield Evening(
            pit, seats, rounds=rounds, on_round=lambda count: bar.update(task, completed=min(count, rounds)), closes=server is None
        )


def summary(console: Console, evening: Evening, found: list[Played]) -> None:
    """Show what each table and each player came to."""
    tables = sum_table("table", "profile", house=True)
    profiles = {each.name.table: each.pages[0].entry.decisions[0].events[0].profile.name for each in found}
    for total in sums_of_tables(found):
        tables.add_row(total.who, profiles[total.who], *amounts(total, house=True))
    players = sum_table("player", "style", house=False)
    players.add_column("refused", justify="right")
    players.add_column("out of time", justify="right")
    seats = {seat.style.name: seat for seat in evening.seats}
    for total in sums_of_players(found):
        seat = seats.get(total.who)
        extra = ("", "", "") if seat is None else (seat.style.says, str(seat.refusals.total()), str(seat.silences))
        players.add_row(total.who, extra[0], *amounts(total, house=False), *extra[1:])
    console.print("What the tables came to", style="bold")
    console.print(tables)
    console.print("\nWhat the players came to", style="bold")
    console.print(players)
    for seat in evening.seats:
        if seat.refusals[Reason.INSUFFICIENT_FUNDS]:
            count = seat.refusals[Reason.INSUFFICIENT_FUNDS]
            console.print(f"\n{seat.style.name} ran out of money and was refused {counted(count, 'time')}.")


def sum_table(who: str, what: str, *, house: bool) -> Table:
    """Return an empty table of sums."""
    table = plain_table()
    table.add_column(who, no_wrap=True)
    table.add_column(what)
    for heading in ("rounds", "staked", "returned", "house" if house else "difference"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("")
    return table


def amounts(total: Sum, *, house: bool) -> tuple[str, str, str, str, str]:
    """Return the cells of a sum."""
    difference = total.returned_minor - total.staked_minor
    staked, returned = amount(total.staked_minor, total.currency), amount(total.returned_minor, total.currency)
    return str(total.rounds), staked, returned, gain(-difference if house else difference, total.currency), total.currency


def dispute(console: Console, house: House, found: list[Played]) -> None:
    """Replay the round that somebody is most likely to ask about."""
    disputed = most_interesting(found)
    if disputed is None:
        return
    console.rule("A round is disputed: its log, card by card")
    show_round(console, disputed.name, list(disputed.pages), ZoneInfo(house.settings().house.zone))


async def proof(console: Console, store: Books) -> Report:
    """Show the report over everything that the house has ever written."""
    console.rule("The proof: everything that was written, checked")
    began_s = time.monotonic()
    report = await audit_all(store)
    show_report(console, report)
    console.print(f"Checked in {time.monotonic() - began_s:.1f} s.", style="dim")
    return report


async def money_of_one(console: Console, house: House, store: Books, evening: Evening) -> None:
    """Show one player's statement: of whoever ran out of money, else of the first."""
    seat = max(evening.seats, key=lambda seat: seat.refusals[Reason.INSUFFICIENT_FUNDS])
    rows, end = await player_rows(store, seat.style.name)
    zone = ZoneInfo(house.settings().house.zone)
    console.rule(f"The statement of {seat.style.name}")
    found = sheet_of(seat.style.name, rows, zone, end=end, day=None, limit=STATEMENT_ROWS)
    console.print(fitting(console, table_of(found), table_of(found, narrow=True)))
    if len(rows) > STATEMENT_ROWS:
        console.print(f"The last {STATEMENT_ROWS} of {len(rows)} movements.", style="dim")


def last_words(console: Console, house: House, server: str | None, found: list[Played]) -> None:
    """Say how to look further."""
    disputed = most_interesting(found)
    where = f"--data {shown_path(house.data)}" + (f" --server {server}" if server else "")
    round_id = disputed.name.id if disputed else "ROUND"
    reading_on = "The house plays on; these read its logs:" if server else "The house stops now and its logs stay; these read them:"
    looks = (f"rounds {where}", f"replay {round_id} --step {where}", f"verify {round_id} {where}", f"statement basic {where}")
    playing = ("up", "player add NAME", "play --table T1 --player NAME")
    console.rule("Look further")
    for what, commands in ((reading_on, looks), ("To play yourself, open a house and sit down beside it, in another terminal:", playing)):
        console.print(what)
        for command in commands:
            console.print(f"  {called()} {command}", style="bold", soft_wrap=True)


def shown_path(path: Path) -> str:
    """Return a path as a person would type it from here."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
