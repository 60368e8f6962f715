"""`feltlog table`: what a pit boss does with tables: open, close, list, and deal where a dealer runs the rounds.

What staff rule there is in `restrictions`, and in `rulings` what takes two of them; what they do with the cards is in `procedure`.
"""

import asyncio
from typing import Annotated, Any

import typer
from rich.table import Table

from feltlog.client import Declined
from feltlog.commands import cards, procedure, restrictions, rulings
from feltlog.commands.answers import tell_answer
from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption, at_the_door
from feltlog.commands.staff import AsOption, TableArgument
from feltlog.house import House
from feltlog.screen import WIDE, plain_table, screen, write_json
from feltlog.settings import open_table
from feltlog.trouble import Trouble
from feltlog.wording import amount, money
from services.table.views import TableRow
from shared.contracts.procedure import IN_WORDS
from shared.contracts.refusals import Reason
from shared.contracts.table import CallRound, CloseTable, TellCard
from shared.contracts.wagers import CloseBetting

app = typer.Typer(no_args_is_help=True, help="Open, close, list and run tables, and rule about what went wrong, as staff.")


@app.command("open")
def open_(table: TableArgument, data: DataOption = DATA, server: ServerOption = None) -> None:
    """Open a table by what `tables.toml` says about it."""
    house = House(data)
    wanted = {row.id: row for row in house.settings().table}
    if table not in wanted:
        raise Trouble(f"{house.tables} has no table {table!r}: it has {', '.join(wanted) or 'none'}. Add a [[table]] for it.")
    command = open_table(house.settings().house, wanted[table])
    answer(house, server, table, command, done=f"Table {table} is open.")


@app.command()
def close(table: TableArgument, data: DataOption = DATA, server: ServerOption = None) -> None:
    """Close a table after the round that is being played."""
    answer(House(data), server, table, CloseTable(), done=f"Table {table} closes after the round that is being played.")


@app.command()
def deal(
    table: TableArgument,
    data: DataOption = DATA,
    server: ServerOption = None,
    no_more_bets: Annotated[bool, typer.Option("--no-more-bets", help="Close the betting of the round that is open, and deal.")] = False,
) -> None:
    """Run a table whose dealer is `staff`: open its next round, or with --no-more-bets close the betting and deal."""
    if no_more_bets:
        asyncio.run(close_betting(House(data), server, table))
    else:
        answer(House(data), server, table, CallRound(), done=f"Table {table} takes wagers for its next round.")


@app.command("tell-card")
def tell_card(
    table: TableArgument,
    shoe: Annotated[str, typer.Argument(metavar="SHOE", help="The shoe that the card left, as the alarm names it.")],
    index: Annotated[int, typer.Argument(metavar="INDEX", min=0, help="Its place in the shoe, as the alarm names it.")],
    card: Annotated[str, typer.Argument(metavar="CARD", help="What it is, such as 8H.")],
    by: AsOption,
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Say what a card is that the scanner could not read and that a round waits for."""
    command = TellCard(shoe=shoe, index=index, card=card)
    restrictions.tell(House(data), server, by, table, command, json=json, done=f"Card {index} of {shoe} is the {card}.")


@app.command("list")
def list_(data: DataOption = DATA, server: ServerOption = None, json: JsonOption = False) -> None:
    """List the tables that the house knows today, and what each of them is at."""
    rows = asyncio.run(look(House(data), server))
    if json:
        for row in rows:
            write_json(row)
        return
    console = screen()
    console.print(
        listing(rows, narrow=console.width < WIDE) if rows else "No table is open. `feltlog table open TABLE` opens one of tables.toml."
    )


async def close_betting(house: House, server: str | None, table: str) -> None:
    """Close the betting of the round that is open; raise `Trouble` if none is."""
    async with at_the_door(house, server, "pit") as pit:
        try:
            felt = await pit.felt(table)
        except Declined as error:
            raise Trouble(str(error)) from error
        if felt.phase != "betting":
            raise Trouble(f"Table {table} takes no wagers now. `feltlog table deal {table}` opens its next round.")
        tell_answer(await pit.ask("table", table, CloseBetting(round=felt.round)), done="No more bets.")


async def look(house: House, server: str | None) -> list[TableRow]:
    """Return all tables of the day."""
    async with at_the_door(house, server, "pit") as pit:
        return await pit.query("table", "tables", list[TableRow])


def listing(rows: list[TableRow], *, narrow: bool = False) -> Table:
    """Return the tables as a table for people; where it is narrow, without wagers, dealer and number of rounds."""
    table = plain_table()
    table.add_column("table", no_wrap=True, min_width=max(map(len, ("table", *(row.table for row in rows)))))
    table.add_column("phase", no_wrap=True, min_width=len("closing"))
    table.add_column("waits for", overflow="fold")
    table.add_column("profile", no_wrap=True)
    table.add_column("latest round", no_wrap=True, min_width=max((len(row.round) for row in rows), default=0))
    for heading in () if narrow else ("wagers", "dealer"):
        table.add_column(heading, no_wrap=True)
    if not narrow:
        table.add_column("rounds", justify="right")
    for row in rows:
        limits = f"{amount(row.minimum_minor, row.currency)} to {money(row.maximum_minor, row.currency)}"
        cells = (row.table, row.phase, waiting(row), row.profile, row.round, limits, row.dealer, str(row.rounds))
        table.add_row(*cells[: len(table.columns)])
    return table


def waiting(row: TableRow) -> str:
    """Return what holds up the next round; while one is played nothing, but for a card that somebody is to say."""
    if row.unread is not None:
        return f"card {row.unread.index} of {row.unread.shoe} (tell-card)"
    if row.next_step is not None and row.waits_for == Reason.STEP_MISSING:
        return IN_WORDS[row.next_step]
    return "" if row.waits_for == Reason.ROUND_RUNNING else row.waits_for.replace("_", " ")


def answer(house: House, server: str | None, table: str, command: Any, *, done: str) -> None:
    """Ask the table and tell the person what came of it; exit 2 if it was refused."""

    async def run() -> None:
        async with at_the_door(house, server, "pit") as pit:
            tell_answer(await pit.ask("table", table, command), done=done)

    asyncio.run(run())


# What is ruled stands behind the daily work in the help.
for word in (*procedure.WORDS, *rulings.WORDS, *restrictions.WORDS, *cards.WORDS):
    app.command()(word)
