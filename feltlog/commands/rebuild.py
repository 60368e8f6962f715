"""`feltlog rebuild`: the ledger's rows made anew from the logs, and compared with those that stand there."""

import asyncio
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from feltlog.auditing import Books
from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption, reading
from feltlog.house import House
from feltlog.progress import progress
from feltlog.rebuilding import State, build, first_difference, missing_entry, open_index, reach_of, state_of, wanted_ends
from feltlog.screen import screen, write_json
from feltlog.trouble import Trouble
from feltlog.wording import counted
from services.wallet.rows import TABLES
from shared.runtime.settings import DATABASE, ROWS_FILE
from shared.runtime.sql import EntriesMissing, Failure, Index, Overtaken, RowUnreadable, Where, where_of
from shared.runtime.sql import shown as shown_database


class Rebuilt(Struct, frozen=True, kw_only=True):
    """What came of it.  `standing` are the rows that stood there before, if there were any."""

    database: str
    anew: State | None
    standing: State | None = None
    outcome: str
    """`built`, `same`, `differs`, `replaced`, or `missing` if the rows know entries that the logs do not hold any more."""
    difference: str = ""
    behind: int = 0
    """How many further messages the logs hold than the rows that stand there."""


def rebuild(
    database: Annotated[
        str, typer.Option("--database", metavar="URL", help=f"Where the rows are; else what {DATABASE} or the house's settings say.")
    ] = "",
    data: DataOption = DATA,
    server: ServerOption = None,
    replace: Annotated[bool, typer.Option("--replace", help="Put the rows made anew in the place of those that differ.")] = False,
    json: JsonOption = False,
) -> None:
    """Make the ledger's rows anew from the logs and compare them with those that stand there; write them if there are none.

    Rows of a house that plays are compared as far as they are.  The digest is over postings and balances, and is the same in
    every database.  Exit 1 if the rows differ from the logs, or know entries that the logs do not hold any more.
    """
    house = House(data)
    found = asyncio.run(look(house, server, where_for(house, database), replace=replace))
    if json:
        write_json(found)
    else:
        show(found)
    if found.outcome in ("differs", "missing"):
        raise typer.Exit(1)


def where_for(house: House, said: str, environment: Mapping[str, str] = os.environ) -> Where:
    """Return where the rows of a house are: as it was said now, in the environment, in its settings, or beside its logs."""
    if said:
        return where_of(said, setting="--database")
    if environment.get(DATABASE):
        return where_of(environment[DATABASE], setting=DATABASE, beside=house.data)
    chosen = house.settings().wallet.database if house.tables.exists() else ""
    return where_of(chosen or ROWS_FILE, setting="[wallet] database", beside=house.data)


async def look(house: House, server: str | None, where: Where, *, replace: bool) -> Rebuilt:
    """Return what came of it; raise `Trouble` if it cannot be done."""
    async with reading(house, server) as store:
        index = open_index(where)
        try:
            return await rebuilt(store, index, replace=replace)
        except Failure as error:
            raise index.trouble(error) from None
        finally:
            index.close()


async def rebuilt(store: Books, index: Index, *, replace: bool) -> Rebuilt:
    """Write the rows of the logs into an empty index, or compare them with those that stand there."""
    database = shown_database(index.where)
    with index.snapshot() as snapshot:
        standing = reach_of(snapshot)
    none = not standing and not any(index.count(name) for name in TABLES)
    try:
        ends, _ = await wanted_ends(store, standing)
    except EntriesMissing as error:
        return Rebuilt(database=database, anew=None, standing=state_as_it_is(index), outcome="missing", difference=str(error))
    with progress("reading the ledger", sum(ends.values())) as told, tempfile.TemporaryDirectory(prefix="feltlog-") as folder:
        anew = open_index(Path(folder) / ROWS_FILE)
        try:
            await build(store, anew, ends, told)
            if not none:
                return await against(store, index, anew, replace=replace)
            with anew.snapshot() as made:
                index.replace(made, after=standing)
                return Rebuilt(database=database, anew=state_of(made), outcome="built")
        except Overtaken as error:
            raise Trouble(f"The rows are being written by a wallet that runs: {error}. Ask again.") from error
        finally:
            anew.close()


def state_as_it_is(index: Index) -> State | None:
    """Return what rows that stand there come to, None if one of them cannot be read."""
    try:
        with index.snapshot() as snapshot:
            return state_of(snapshot)
    except RowUnreadable:
        return None


async def against(store: Books, index: Index, anew: Index, *, replace: bool) -> Rebuilt:
    """Compare rows that stand there with rows made anew, after bringing the latter as far as the former are now."""
    with index.snapshot() as there:
        ends, behind = await wanted_ends(store, reach_of(there))
        await build(store, anew, ends)
        missing, standing = "", None
        with anew.snapshot() as made:
            state = state_of(made)
            try:
                standing = state_of(there)
                missing = await missing_entry(store, there, made)
                difference = missing or first_difference(there, made)
            except RowUnreadable as error:
                difference = str(error)
    database, outcome = shown_database(index.where), "missing" if missing else "differs" if difference else "same"
    if outcome == "differs" and replace:
        with anew.snapshot() as made:
            index.replace(made)
        outcome = "replaced"
    return Rebuilt(database=database, anew=state, standing=standing, outcome=outcome, difference=difference, behind=behind)


def show(found: Rebuilt) -> None:
    """Show what came of it."""
    console = screen()
    state = found.anew or found.standing
    console.print(f"Rows of the ledger in {found.database}", style="bold")
    if state is not None:
        many = ", ".join((counted(state.movements, "movement"), counted(state.postings, "posting"), counted(state.balances, "balance")))
        console.print(f"As of revision {state.revision} of {state.stream or 'an empty ledger'}: {many}.")
        console.print(f"Digest {state.digest}")
    match found.outcome:
        case "built":
            console.print("There were none; they are written.", style="green")
        case "same":
            console.print("They stand there as the logs give them.", style="bold green")
            if found.behind:
                further = counted(found.behind, "further entry", "further entries")
                console.print(f"The logs hold {further}; a wallet that runs brings them in.")
        case "replaced":
            console.print(f"They differed, and were replaced. The first difference: {found.difference}.", style="yellow")
        case "missing":
            console.print(found.difference, style="bold red")
        case _:
            console.print(f"They are not what the logs give. The first difference: {found.difference}.", style="bold red")
            console.print("--replace puts the rows made anew in their place.")
