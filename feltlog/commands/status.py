"""`feltlog status`: what runs, and what each service says about itself."""

import asyncio
from typing import Any

import typer
from msgspec import Struct
from rich.table import Table
from rich.text import Text

from feltlog.client import Client, Declined, Unanswered
from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption, at_the_door
from feltlog.house import House
from feltlog.machine import PROCESSES
from feltlog.screen import plain_table, screen, write_json
from feltlog.wording import counted
from services.wallet.views import Standing


class StatusRow(Struct, frozen=True, kw_only=True):
    """One process: what the machine sees of it, and what it says itself."""

    process: str
    ready: bool
    state: str = ""
    pid: int | None = None
    starts: int = 0
    epoch: int | None = None
    open_streams: int | None = None
    rows: Standing | None = None
    """How far the rows of the ledger are, as the wallet says."""


def status(data: DataOption = DATA, server: ServerOption = None, json: JsonOption = False) -> None:
    """Show what runs on this machine, or behind --server.  Exit 1 if a service is not ready, or the ledger's rows have stopped."""
    rows = asyncio.run(look(House(data), server))
    if json:
        for row in rows:
            write_json(row)
    else:
        console = screen()
        console.print(listing(rows))
        for standing in (row.rows for row in rows if row.rows is not None):
            console.print(sentence(standing), style="bold red" if standing.why else "")
    if not all(row.ready and (row.rows is None or row.rows.state != "stopped") for row in rows):
        raise typer.Exit(1)


async def look(house: House, server: str | None) -> list[StatusRow]:
    """Return a row for every process."""
    async with at_the_door(house, server, "pit") as pit:
        names = [process.name for process in PROCESSES]
        said = await asyncio.gather(*(health(pit, name) for name in names))
        ledger = await standing(pit)
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
            rows=ledger if name == "wallet" else None,
        )
    return list(rows.values())


async def health(pit: Client, service: str) -> dict[str, Any]:
    """Return what a service says about itself, nothing if it is silent."""
    try:
        return await pit.query(service, "health", dict[str, Any])
    except Unanswered:
        return {}


async def standing(pit: Client) -> Standing | None:
    """Return how far the rows of the ledger are, None if the wallet is silent."""
    try:
        return await pit.query("wallet", "rows", Standing)
    except (Unanswered, Declined):
        return None


def sentence(standing: Standing) -> str:
    """Return how far the rows of the ledger are, in a sentence."""
    match standing.state:
        case "starting":
            return f"The ledger's rows in {standing.database} are being looked for."
        case "waits":
            return f"The ledger's rows wait, and the money does not: {standing.why}"
        case "stopped":
            return f"The ledger's rows have stopped, and the money goes on without them: {standing.why}"
        case "follows" if standing.behind == 0:
            return f"The ledger's rows in {standing.database} are up to date."
        case _:
            behind = "an unknown number of entries" if standing.behind is None else counted(standing.behind, "entry", "entries")
            return f"The ledger's rows in {standing.database} are {behind} behind."


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
