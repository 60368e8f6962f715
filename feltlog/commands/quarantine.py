"""`feltlog quarantine`: what a service could not read and therefore holds, and how a person lets it go on."""

import asyncio
from typing import Annotated

import typer
from msgspec import Struct
from rich.table import Table

from feltlog.client import Client
from feltlog.commands.answers import tell_answer
from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption, at_the_door
from feltlog.house import House
from feltlog.screen import screen, write_json
from feltlog.trouble import Trouble
from shared.contracts.desk import LiftQuarantine
from shared.contracts.subjects import SERVICES

app = typer.Typer(no_args_is_help=True, help="See and lift what services hold because they could not read it.")


class Held(Struct, frozen=True, kw_only=True):
    """A subject that a service does not hear, from an entry on."""

    service: str = ""
    log: str
    subject: str
    sequence: int
    reason: str


@app.command("list")
def list_(data: DataOption = DATA, server: ServerOption = None, json: JsonOption = False) -> None:
    """List what each service holds: the subject, its first held entry and why.  Exit 1 if there is anything."""
    held = asyncio.run(look(House(data), server))
    if json:
        for row in held:
            write_json(row)
    else:
        screen().print(listing(held) if held else "Nothing is quarantined.")
    if held:
        raise typer.Exit(1)


@app.command()
def lift(
    service: Annotated[str, typer.Argument(metavar="SERVICE", help=f"Who holds it: {', '.join(SERVICES)}.")],
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="What is held, as `feltlog quarantine list` names it.")],
    data: DataOption = DATA,
    server: ServerOption = None,
) -> None:
    """Let a service hear a subject again, from the first entry that it held.  Do it when the cause is mended."""
    if service not in SERVICES:
        raise Trouble(f"{service!r} is no service: it is one of {', '.join(SERVICES)}.")

    async def run() -> None:
        async with at_the_door(House(data), server, "pit") as pit:
            answer = await pit.ask(service, "desk", LiftQuarantine(subject=subject))
            tell_answer(answer, done=f"The {service} service hears {subject} again.")

    asyncio.run(run())


async def look(house: House, server: str | None) -> list[Held]:
    """Return what all services hold."""
    async with at_the_door(house, server, "pit") as pit:
        return [row for service in SERVICES for row in await held_by(pit, service)]


async def held_by(pit: Client, service: str) -> list[Held]:
    """Return what one service holds."""
    rows = await pit.query(service, "quarantine", list[Held])
    return [Held(service=service, log=row.log, subject=row.subject, sequence=row.sequence, reason=row.reason) for row in rows]


def listing(held: list[Held]) -> Table:
    """Return what is held as a table for people."""
    table = Table()
    for heading in ("service", "subject", "from sequence", "reason"):
        table.add_column(heading, overflow="fold")
    for row in held:
        table.add_row(row.service, row.subject, str(row.sequence), row.reason)
    return table
