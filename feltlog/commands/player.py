"""`feltlog player`: who may play here, and with what."""

import asyncio
from typing import Annotated

import typer

from feltlog.client import Client
from feltlog.commands.answers import tell_answer
from feltlog.commands.connection import DATA, DataOption, ServerOption, at_the_door
from feltlog.house import House
from feltlog.trouble import Trouble
from feltlog.wording import money
from shared.contracts.cage import Deposit, OpenAccount
from shared.kernel.money import BadMoney, typed_units

app = typer.Typer(no_args_is_help=True, help="Let people play, as the cage.")


@app.command()
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Letters, digits, '_' and '-'.")],
    data: DataOption = DATA,
    server: ServerOption = None,
    deposit: Annotated[str, typer.Option(help="What to bring in, such as 100.00; 0 for nothing.")] = "100.00",
    currency: Annotated[str, typer.Option(help="The currency of the account: that of the table to play at.")] = "CAD",
) -> None:
    """Give a player a credential and an account, and bring money in.  For a player who has both, only bring money in.

    `feltlog play --table T1 --player NAME` then sits down.
    """
    house = House(data)
    try:
        minor = typed_units(deposit, currency)
    except BadMoney as error:
        raise Trouble(f"{error}.") from error
    operator = house.settings().house.operator
    house.add_players([name])

    async def run() -> None:
        async with at_the_door(house, server, "pit") as pit:
            await open_account(pit, name, operator, currency)
            if minor:
                await bring_in(pit, name, currency, minor)
        typer.echo(f"{name} can play at tables in {currency}: feltlog play --table TABLE --player {name}")

    asyncio.run(run())


async def open_account(pit: Client, player: str, operator: str, currency: str) -> None:
    """Open a player's account; one that is open already with this operator is fine."""
    answer = await pit.ask("wallet", "ledger", OpenAccount(player=player, operator=operator, currency=currency))
    tell_answer(answer, done=f"{player} has an account in {currency}.")


async def bring_in(pit: Client, player: str, currency: str, minor: int) -> None:
    """Bring money in for a player."""
    answer = await pit.ask("wallet", "ledger", Deposit(player=player, currency=currency, minor=minor))
    tell_answer(answer, done=f"{money(minor, currency)} were brought in for {player}.")
