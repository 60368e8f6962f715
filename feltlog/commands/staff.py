"""Who speaks as staff: `--as NAME`, somebody who works at the house's tables.

Whether they may is the house's to say, by the job that its settings give them.
"""

from typing import Annotated

import typer

from feltlog.house import House
from feltlog.trouble import Trouble
from shared.contracts.staff import job_in_words

TableArgument = Annotated[str, typer.Argument(metavar="TABLE", help="A table's id, such as T1.")]
AsOption = Annotated[str, typer.Option("--as", metavar="NAME", help="Who speaks: somebody who works here, as tables.toml says.")]


def member(house: House, name: str) -> str:
    """Return who speaks; raise `Trouble` unless they work here."""
    staff = house.staff()
    if name not in staff:
        named = ", ".join(f"{each} ({job_in_words(job)})" for each, job in sorted(staff.items()))
        raise Trouble(f"Nobody called {name!r} works here: [staff] in {house.tables} names {named}.")
    return name
