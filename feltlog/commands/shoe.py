"""`feltlog shoe`: a retired shoe as a file that anybody can check without the house, and how its cards came in."""

import asyncio
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo

import typer

from feltlog.card_story import StepLine, steps_before
from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption, reading
from feltlog.commands.procedure import no_steps
from feltlog.commands.replay import cards_of
from feltlog.exported import ExportedShoe, exported, text_of
from feltlog.house import House
from feltlog.reading import Logs, shoe_pages, stream_pages, told
from feltlog.screen import screen, write_json
from shared.contracts.subjects import table_stream

app = typer.Typer(no_args_is_help=True, help="Hand out retired shoes, so that anybody can check them, and tell how their cards came in.")


@app.command()
def export(
    shoe: Annotated[str, typer.Argument(metavar="SHOE", help="A shoe's id, such as T7-S1; `feltlog replay ROUND` names it.")],
    data: DataOption = DATA,
    server: ServerOption = None,
    day: Annotated[str, typer.Option(help="The gaming day, such as 20261130; otherwise the latest that has such a shoe.")] = "",
    out: Annotated[Path | None, typer.Option(help="Write the file here instead of to standard output.")] = None,
) -> None:
    """Write a retired shoe as JSON: what it was committed to, what players gave towards its cut, each card with its proof, and its seed.

    docs/verifiers has two programs that check such a file, one for Python and one for a browser.
    """
    text = text_of(asyncio.run(look(House(data), server, shoe, day)))
    if out is None:
        typer.echo(text, nl=False)
    else:
        out.write_text(text)


@app.command()
def steps(
    shoe: Annotated[str, typer.Argument(metavar="SHOE", help="A shoe's id, such as T7-S1; `feltlog replay ROUND` names it.")],
    data: DataOption = DATA,
    server: ServerOption = None,
    day: Annotated[str, typer.Option(help="The gaming day, such as 20261130; otherwise the latest that has such a shoe.")] = "",
    json: JsonOption = False,
) -> None:
    """Tell what staff did with the cards before they were in a shoe: who, when, and what was found."""
    house = House(data)
    found = asyncio.run(steps_of(house, server, shoe, day))
    if json:
        for each in found:
            write_json(each)
        return
    if found:
        screen().print(cards_of(found, ZoneInfo(house.settings().house.zone)))
    else:
        typer.echo(no_steps(shoe))


async def steps_of(house: House, server: str | None, shoe: str, day: str) -> list[StepLine]:
    """Return what was done before a shoe of a day, or of the latest day that has one of that name; raise `Trouble` if there is none."""
    async with reading(house, server) as store:
        day, pages = await shoe_pages(store, shoe, day)
        at_table = await stream_pages(store, table_stream(day, told(pages)[0].event.table))
        return steps_before(shoe, told(at_table)) or []


async def look(house: House, server: str | None, shoe: str, day: str) -> ExportedShoe:
    """Return a retired shoe; raise `Trouble` if there is none of that name, or its order is not open yet."""
    async with reading(house, server) as store:
        return await export_of(store, shoe, day)


async def export_of(store: Logs, shoe: str, day: str = "") -> ExportedShoe:
    """Return a retired shoe of a day, or of the latest that has one of that name; raise `Trouble` if there is none."""
    found, pages = await shoe_pages(store, shoe, day)
    events = [each.event for each in told(pages)]
    at_table = await stream_pages(store, table_stream(found, events[0].table))
    return exported(found, shoe, events, [each.event for each in told(at_table)])
