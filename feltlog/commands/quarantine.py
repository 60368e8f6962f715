"""`feltlog quarantine`: what a service could not read and therefore holds, and how a person lets it go on."""

import asyncio
from typing import Annotated

import typer
from rich.table import Table

from feltlog.client import Client, Unanswered
from feltlog.commands.answers import tell_answer
from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption, at_the_door
from feltlog.house import House
from feltlog.screen import plain_table, screen, write_json
from feltlog.trouble import Trouble
from shared.contracts.desk import LiftQuarantine, SourceQuarantined
from shared.contracts.subjects import SERVICES

app = typer.Typer(no_args_is_help=True, help="See and lift what services hold because they could not read it.")


@app.command("list")
def list_(data: DataOption = DATA, server: ServerOption = None, json: JsonOption = False) -> None:
    """List what each service holds: the subject, its first held entry and why.  Exit 1 if there is anything."""
    held, silent = asyncio.run(look(House(data), server))
    if json:
        for row in held:
            write_json(row)
    elif held:
        screen().print(listing(held))
    elif not silent:
        screen().print("Nothing is quarantined.")
    if silent:
        raise Trouble(f"What {' and '.join(silent)} may hold is not known: no answer. `feltlog status` shows what runs.")
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


async def look(house: House, server: str | None) -> tuple[list[SourceQuarantined], list[str]]:
    """Return what all services hold, and which of them do not answer."""
    async with at_the_door(house, server, "pit") as pit:
        answers = await asyncio.gather(*(held_by(pit, service) for service in SERVICES))
    held = [row for rows in answers for row in rows or ()]
    return held, [service for service, rows in zip(SERVICES, answers, strict=True) if rows is None]


async def held_by(pit: Client, service: str) -> list[SourceQuarantined] | None:
    """Return what one service holds, None if it does not answer."""
    try:
        return await pit.query(service, "quarantine", list[SourceQuarantined])
    except Unanswered:
        return None


def listing(held: list[SourceQuarantined]) -> Table:
    """Return what is held as a table for people."""
    table = plain_table()
    for heading in ("service", "subject", "from sequence", "held from", "reason"):
        table.add_column(heading, overflow="fold")
    for row in held:
        table.add_row(row.service, row.subject, str(row.sequence), row.target or "everything", row.reason)
    return table
