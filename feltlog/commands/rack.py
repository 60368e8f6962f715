"""`feltlog rack`: the discard rack of a shoe, and whose cards lie where in it."""

import asyncio
from typing import Annotated
from zoneinfo import ZoneInfo

import typer
from rich.console import Console

from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption, reading
from feltlog.commands.replay import wanted
from feltlog.discard_rack import DiscardRack, rack_of
from feltlog.house import House
from feltlog.rack_picture import NARROW, rack_as_json, round_in_rack, whole_rack
from feltlog.reading import Damaged, Page, chain_break
from feltlog.screen import has_suits, screen, write_json


def rack(
    shoe: Annotated[str, typer.Argument(metavar="SHOE", help="A shoe's id, such as T7-S1; `feltlog replay ROUND` names it.")],
    round: Annotated[str, typer.Option("--round", metavar="ROUND", help="Back up this round: which cards belonged to which hand.")] = "",
    data: DataOption = DATA,
    server: ServerOption = None,
    day: Annotated[
        str, typer.Option(help="The gaming day, such as 20261130; otherwise the round's, or the latest that has such a shoe.")
    ] = "",
    json: JsonOption = False,
) -> None:
    """Show the discard rack of a shoe, the top card first: rounds in pick-up order, and where burned cards lie.

    With --round it says how many cards to lift off first, and lays each hand out again.
    Exit status 1: an entry that this was read from is damaged, or does not follow the one before.
    """
    house = House(data)
    zone = ZoneInfo(house.settings().house.zone)
    name = wanted(round) if round else None
    try:
        found, streams = asyncio.run(fetch(house, server, shoe, day or (name.day if name else "")))
    except Damaged as damaged:
        typer.echo(str(damaged), err=True)
        raise typer.Exit(1) from damaged
    show(screen(), found, zone, round=name.id if name else "", json=json)
    broken = [where for pages in streams if (where := chain_break(pages))]
    for where in broken:
        typer.echo(where, err=True)
    if broken:
        raise typer.Exit(1)


async def fetch(house: House, server: str | None, shoe: str, day: str) -> tuple[DiscardRack, list[list[Page]]]:
    """Return a shoe's rack, and all entries that it was read from; raise `Trouble` if there is no such shoe."""
    async with reading(house, server) as store:
        return await rack_of(store, shoe, day)


def show(console: Console, found: DiscardRack, zone: ZoneInfo, *, round: str = "", json: bool = False) -> None:
    """Show a rack, or where the cards of one round lie in it; raise `Trouble` if they do not."""
    piles = (found.pile(round),) if round else found.piles
    if json:
        for row in rack_as_json(piles):
            write_json(row)
        return
    letters = not has_suits(console)
    if round:
        console.print(round_in_rack(found, piles[0], letters=letters, narrow=console.width < NARROW))
    else:
        console.print(whole_rack(found, zone, letters=letters))
