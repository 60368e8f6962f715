"""`feltlog play`: sit down at a table and play in the terminal."""

import asyncio
from contextlib import suppress
from typing import Annotated

import typer

from feltlog.client import Client, Declined, Unanswered
from feltlog.commands.connection import DATA, DataOption, ServerOption, at_the_door
from feltlog.house import House
from feltlog.keys import keys
from feltlog.screen import screen
from feltlog.session import Session, play_by_lines, play_on_screen
from feltlog.trouble import Trouble
from shared.runtime.tasks import end_all, first_of


def play(
    table: Annotated[str, typer.Option(help="The table to sit down at; `feltlog table list` lists them.")],
    player: Annotated[str, typer.Option(help="Who plays; `feltlog player add NAME` lets somebody play.")],
    box: Annotated[int | None, typer.Option(min=1, help="The box to wager on; otherwise the first that is free.")] = None,
    cut: Annotated[bool, typer.Option("--cut/--no-cut", help="Take part in the cut of each shoe, or say no to it.")] = True,
    data: DataOption = DATA,
    server: ServerOption = None,
) -> None:
    """Sit down at a running table: see the felt, wager, decide while your clock runs, see your balance.

    Type an amount and Enter to wager.
    While it is your turn: h hit, s stand, d double, p split; t turns up what lies face down.
    While insurance is open: i insure, n no insurance, e even money.
    q or Ctrl-C leaves; a hand that is left is stood when its clock runs out.
    Without a terminal each line of input is one of these and waits until it can be done.
    """
    house = House(data)
    if player not in house.players():
        raise Trouble(f"Nobody called {player!r} plays in the house {house.data}. `feltlog player add {player}` lets them in.")
    with suppress(KeyboardInterrupt):
        asyncio.run(sit_down(house, server, table, player, box, cuts=cut))
    typer.echo(f"{player} has left table {table}.")


async def sit_down(house: House, server: str | None, table: str, player: str, box: int | None, *, cuts: bool = True) -> None:
    """Play until the person leaves."""
    async with at_the_door(house, server, player) as client:
        await see_table(client, table, box)
        session = Session(client, table, box=box, cuts=cuts)
        watching = asyncio.create_task(session.watch(), name="watch")
        async with keys() as (typed, single):
            playing = asyncio.create_task(
                play_on_screen(session, typed, screen()) if single else play_by_lines(session, typed, player), name="play"
            )
            try:
                await first_of([watching, playing])
            except (Unanswered, Declined) as error:
                raise Trouble(str(error)) from error
            finally:
                await end_all([watching, playing])


async def see_table(client: Client, table: str, box: int | None) -> None:
    """Make sure that the table can be seen and has the box; raise `Trouble` if not."""
    try:
        felt = await client.felt(table)
    except Declined as error:
        raise Trouble(f"{error} `feltlog table list` lists those that are open.") from error
    except Unanswered as error:
        raise Trouble(f"{error} Is `feltlog up` running?") from error
    if box is not None and box > felt.box_count:
        raise Trouble(f"Table {table} has no box {box}: its boxes are 1 to {felt.box_count}.")
