"""`feltlog status`: what runs, and what each service says about itself."""

import asyncio
from typing import Any

import typer
from msgspec import Struct
from rich.table import Table
from rich.text import Text

from feltlog.client import Client, Unanswered
from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption, at_the_door
from feltlog.house import House
from feltlog.machine import PROCESSES
from feltlog.screen import plain_table, screen, write_json


class StatusRow(Struct, frozen=True, kw_only=True):
    """One process: what the machine sees of it, and what it says itself."""

    process: str
    ready: bool
    state: str = ""
    pid: int | None = None
    starts: int = 0
    epoch: int | None = None
    open_streams: int | None = None


def status(data: DataOption = DATA, server: ServerOption = None, json: JsonOption = False) -> None:
    """Show what runs on this machine, or behind --server.  Exit 1 if a service is not ready."""
    rows = asyncio.run(look(House(data), server))
    if json:
        for row in rows:
            write_json(row)
    else:
        screen().print(listing(rows))
    if not all(row.ready for row in rows):
        raise typer.Exit(1)


async def look(house: House, server: str | None) -> list[StatusRow]:
    """Return a row for every process."""
    async with at_the_door(house, server, "pit") as pit:
        names = [process.name for process in PROCESSES]
        said = await asyncio.gather(*(health(pit, name) for name in names))
    seen = house.running.processes if server is None and house.running else {}
    own = [
        StatusRow(process=name, ready=one.state == "running", state=one.state, pid=one.pid, starts=one.starts) for name, one in seen.items()
    ]
    rows = {row.process: row for row in own}
    for name, facts in zip(names, said, strict=True):
        known = rows.get(name)
        rows[name] = StatusRow(
            process=name,
            ready=bool(facts.get("ready")),
            state=known.state if known else ("answers" if facts else "silent"),
            pid=facts.get("pid", known.pid if known else None),
            starts=known.starts if known else 0,
            epoch=facts.get("epoch"),
            open_streams=facts.get("open_streams"),
        )
    return list(rows.values())


async def health(pit: Client, service: str) -> dict[str, Any]:
    """Return what a service says about itself, nothing if it is silent."""
    try:
        return await pit.query(service, "health", dict[str, Any])
    except Unanswered:
        return {}


def listing(rows: list[StatusRow]) -> Table:
    """Return the processes as a table for people."""
    table = plain_table()
    for heading in ("process", "ready", "state"):
        table.add_column(heading, no_wrap=True)
    for heading in ("pid", "starts", "epoch", "open streams"):
        table.add_column(heading, justify="right")
    for row in rows:
        numbers = (row.pid, row.starts or None, row.epoch, row.open_streams)
        table.add_row(
            row.process,
            Text("yes", style="green") if row.ready else Text("no", style="red"),
            row.state,
            *("" if n is None else str(n) for n in numbers),
        )
    return table
