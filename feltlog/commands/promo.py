"""`feltlog wallet promo`: promotional money, tokens and vouchers, as the cage gives it and takes it back.

It can be staked where the book takes tokens as wagers (FL-5.1), and it is never paid out before two persons make cash of it:
`feltlog wallet adjust ann +5.00 --reason promo_redeemed`.
"""

import asyncio
from functools import partial
from typing import Annotated

import typer

from feltlog.commands.cage import AmountArgument, CurrencyOption, IdOption, PlayerArgument, Sum, cage, move, name_of
from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption
from feltlog.commands.staff import AsOption
from feltlog.house import House
from feltlog.trouble import Trouble
from shared.contracts.promo import VOUCHER, CancelPromo, GrantPromo

app = typer.Typer(no_args_is_help=True, help="Give promotional money and take it back.")


@app.command()
def grant(
    player: PlayerArgument,
    amount: AmountArgument,
    voucher: Annotated[str, typer.Option(help="What stands on the voucher: it is taken once, whoever brings it in.")] = "",
    currency: CurrencyOption = "",
    by: AsOption = "pit",
    id: IdOption = "",
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Give a player promotional money: it is staked before any other where tokens are wagers, and cannot be paid out.

    Such as `feltlog wallet promo grant ann 20.00 --voucher SPRING-0042`.  Exit status 0: it was given; 2: it was refused.
    """
    if voucher and id:
        raise Trouble("A voucher is its own id: leave --id away.")
    at = cage(House(data), server, by, f"{VOUCHER}{voucher}" if voucher else id, json=json)
    command = partial(GrantPromo, voucher=voucher)
    asyncio.run(move(at, name_of(player), Sum(amount, currency), command, "were given to"))


@app.command()
def cancel(
    player: PlayerArgument,
    amount: AmountArgument,
    currency: CurrencyOption = "",
    by: AsOption = "pit",
    id: IdOption = "",
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Take promotional money back that a player has not staked.

    Such as `feltlog wallet promo cancel ann 20.00`.  Exit status 0: it was taken back; 2: it was refused.
    """
    at = cage(House(data), server, by, id, json=json)
    asyncio.run(move(at, name_of(player), Sum(amount, currency), CancelPromo, "of promotional money were taken back from"))
