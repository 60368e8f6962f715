"""`feltlog wallet`: what the cage does with players' accounts.

Everything here is a request to the ledger, under the name of somebody who works in the house; whether that person's job
allows it is the ledger's to say.
"""

import asyncio

import typer
from rich.table import Table

from feltlog.client import Client
from feltlog.commands import adjustments, blocking, promo
from feltlog.commands.cage import (
    AmountArgument,
    CurrencyOption,
    IdOption,
    PlayerArgument,
    Sum,
    cage,
    move,
    name_of,
    no_account,
    speaking,
)
from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption
from feltlog.commands.staff import AsOption
from feltlog.house import House
from feltlog.screen import plain_table, screen, write_json
from feltlog.trouble import Trouble
from feltlog.wording import amount
from services.wallet.views import Amount, Balance
from shared.contracts.cage import Deposit, Withdraw

app = typer.Typer(no_args_is_help=True, help="Move money at the cage, look at balances, adjust and block accounts.")


@app.command()
def deposit(
    player: PlayerArgument,
    amount: AmountArgument,
    currency: CurrencyOption = "",
    by: AsOption = "pit",
    id: IdOption = "",
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Bring money in for a player; what the player owes is paid from it first.

    Such as `feltlog wallet deposit ann 100.00`, or `feltlog wallet deposit ann 100.00 --id slip-4711`: with the same id
    it is brought in once, however often it is asked.  Exit status 0: it was brought in; 2: it was refused.
    """
    at = cage(House(data), server, by, id, json=json)
    asyncio.run(move(at, name_of(player), Sum(amount, currency), Deposit, "were brought in for"))


@app.command()
def withdraw(
    player: PlayerArgument,
    amount: AmountArgument,
    currency: CurrencyOption = "",
    by: AsOption = "pit",
    id: IdOption = "",
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Pay money out to a player, as far as it is there and nothing is owed.

    Such as `feltlog wallet withdraw ann 40.00 --as manager`.  Exit status 0: it was paid out; 2: it was refused.
    """
    at = cage(House(data), server, by, id, json=json)
    asyncio.run(move(at, name_of(player), Sum(amount, currency), Withdraw, "were paid out to"))


@app.command()
def balance(
    player: PlayerArgument,
    by: AsOption = "pit",
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Show what a player has, as the ledger itself has it now, and after which of its entries.

    Such as `feltlog wallet balance ann`.  `feltlog statement ann` tells how it came to that.
    """
    at = cage(House(data), server, by, "", json=json)

    async def look(staff: Client) -> Balance:
        return await staff.balance(name_of(player))

    show(asyncio.run(speaking(at, look)), json=json)


def show(found: Balance, *, json: bool) -> None:
    """Show a balance, for people or for machines; raise `Trouble` if there is none to show."""
    if not found.amounts and not found.blocks:
        raise Trouble(no_account(found.player))
    if json:
        write_json(found)
        return
    console = screen()
    console.print(f"Balance of {found.player}, as of entry {found.revision} of the ledger of {found.day}", style="bold")
    if found.amounts:
        console.print(sheet(found.amounts))
    if found.blocked:
        reasons = ", ".join(reason.replace("_", " ") for reason in found.blocks)
        console.print(f"Blocked: {found.player} places no stakes ({reasons}).", style="yellow")


def sheet(amounts: tuple[Amount, ...]) -> Table:
    """Return what somebody has as a table for people: one row for each currency."""
    table = plain_table()
    table.add_column("", no_wrap=True)
    for heading in ("available", "promo", "set aside", "owed"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("operator", overflow="fold")
    for each in amounts:
        sums = (each.available_minor, each.promo_minor, each.set_aside_minor, each.owed_minor)
        figures = (amount(minor, each.currency) for minor in sums)
        table.add_row(each.currency, *figures, each.operator)
    return table


app.add_typer(promo.app, name="promo")
for module in (adjustments, blocking):
    for word, settings in module.WORDS.items():
        app.command(context_settings=settings)(word)
