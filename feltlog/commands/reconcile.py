"""`feltlog reconcile`: the ledger held against itself and against the rounds, from the logs alone."""

import asyncio
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption, reading
from feltlog.commands.statement import day_of
from feltlog.house import House
from feltlog.progress import progress
from feltlog.reconciling.place import Difference
from feltlog.reconciling.report import Balance, Reconciliation, entries_of, reconciled
from feltlog.screen import fitting, plain_table, screen, write_json
from feltlog.wording import amount, counted

SHOWN_MAX = 50
"""How many differences are shown to a person; `--json` writes all."""


def reconcile(
    day: Annotated[str, typer.Option(metavar="YYYY-MM-DD", help="One gaming day of the house; without it all that are kept.")] = "",
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Hold the ledger against itself and against the rounds: trial balance, escrow, and each wager both ways.

    It reads logs alone, of a running house or of a copy, and shares no code with what decides about money.
    The first entry that differs is named; decisions and events are counted from 0 in their entry, as the log counts them.
    Exit 1 if something differs.
    """
    wanted = day_of(day)
    found = asyncio.run(look(House(data), server, wanted.strftime("%Y%m%d") if wanted else ""))
    if json:
        for report in found.days:
            write_json({"day": report.day, **msgspec.to_builtins(report)})
        write_json({"fine": not found.differences, "differences": len(found.differences)})
    else:
        show(screen(), found)
    if found.differences:
        raise typer.Exit(1)


async def look(house: House, server: str | None, day: str) -> Reconciliation:
    """Return what comes of it; raise `Trouble` if there is no such day."""
    async with reading(house, server) as store:
        with progress("reconciling", await entries_of(store, day)) as told:
            return await reconciled(store, day, told)


def show(console: Console, found: Reconciliation) -> None:
    """Show the days, the latest trial balance, what differs, and the verdict."""
    console.print(fitting(console, days_table(found), days_table(found, narrow=True)))
    if found.days:
        latest = found.days[-1]
        when = "at the end of" if latest.closed else "so far on"
        console.print(f"Trial balance {when} {latest.day}, as of revision {latest.revision} of {latest.stream or 'an empty ledger'}:")
        console.print(trial_table(latest.trial_balance))
        if latest.digest:
            console.print(f"The book says that its balances have the digest {latest.digest}")
    differences = found.differences
    if not differences:
        console.print("Everything adds up.", style="bold green")
        return
    shown = differences[:SHOWN_MAX]
    console.print(fitting(console, differences_table(shown), differences_table(shown, narrow=True)))
    if len(differences) > SHOWN_MAX:
        console.print(f"... and {len(differences) - SHOWN_MAX} more; --json writes them all.")
    first = differences[0]
    console.print(f"{counted(len(differences), 'difference')}. The first: {sentence(first)}", style="bold red")


def sentence(found: Difference) -> str:
    """Return where something differs, and what."""
    if not found.revision:
        return found.message
    return f"{found.stream}, revision {found.revision}, decision {found.decision}, event {found.event}: {found.message}."


def days_table(found: Reconciliation, *, narrow: bool = False) -> Table:
    """Return what was added up on each day; where it is narrow, without the counts that nobody has to look after."""
    table = plain_table()
    table.add_column("gaming day", no_wrap=True)
    table.add_column("book", no_wrap=True)
    for heading in (*(() if narrow else ("movements", "wagers", "rounds")), "not booked", "differences"):
        table.add_column(heading, justify="right", no_wrap=True)
    for day in found.days:
        numbers = (*(() if narrow else (day.movements, day.wagers, day.rounds)), day.open_rounds, len(day.differences))
        table.add_row(day.day, "closed" if day.closed else "open", *map(str, numbers), style="bold red" if day.differences else "")
    return table


def trial_table(balances: tuple[Balance, ...]) -> Table:
    """Return a trial balance, each currency with its sum."""
    table = plain_table()
    table.add_column("", no_wrap=True)
    table.add_column("accounts", no_wrap=True)
    table.add_column("balance", justify="right", no_wrap=True)
    for currency in dict.fromkeys(row.currency for row in balances):
        rows = [row for row in balances if row.currency == currency]
        for row in rows:
            table.add_row(currency, row.kind, amount(row.minor, currency))
        table.add_row(currency, "all of them", amount(sum(row.minor for row in rows), currency), style="bold")
    return table


def differences_table(differences: list[Difference], *, narrow: bool = False) -> Table:
    """Return differences with the place where a person should look; where it is narrow, the place stands in the sentence."""
    table = plain_table()
    if narrow:
        table.add_column("difference", overflow="fold")
        for found in differences:
            table.add_row(f"{found.code}: {sentence(found)}")
        return table
    for heading in ("difference", "stream"):
        table.add_column(heading, no_wrap=heading == "difference")
    for heading in ("revision", "decision", "event"):
        table.add_column(heading, justify="right")
    table.add_column("what")
    for found in differences:
        where = (str(found.revision), str(found.decision), str(found.event)) if found.revision else ("", "", "")
        table.add_row(found.code, found.stream, *where, found.message)
    return table
