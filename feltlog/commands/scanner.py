"""`feltlog scanner`: a card scanner that is none, for trying a house and for rehearsing what a cut cable does."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from feltlog.fake_scanner import FakeScanner, read_cards
from feltlog.trouble import Trouble

app = typer.Typer(no_args_is_help=True, help="Try a house with a card scanner that plays a file.")


@app.command()
def fake(
    file: Annotated[
        Path,
        typer.Argument(help="What it sees: cards such as 8H TD, -- the cutting card, ?? one that it cannot read, == an empty shoe."),
    ],
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="Where it waits for the house, on this machine alone; 0 takes a free port.")
    ] = 0,
    every: Annotated[float, typer.Option(min=0, help="Seconds between two cards.")] = 0.5,
    name: Annotated[str, typer.Option(help="What it calls itself.")] = "fake",
) -> None:
    """Be a scanner: say what stands in FILE to whoever connects, and end when all of it is acknowledged.

    docs/scanner.md is the protocol. Ctrl-C ends it earlier.
    """
    asyncio.run(serve(FakeScanner(read_cards(file), name=name, every_s=every), port))


async def serve(scanner: FakeScanner, port: int) -> None:
    """Serve until everything is acknowledged."""
    console = Console(stderr=True)
    try:
        async with scanner.serving(port=port) as bound:
            console.print(f"A scanner waits on tcp://127.0.0.1:{bound}.", highlight=False)
            await scanner.all_taken()
    except OSError as error:
        raise Trouble(f"Port {port} cannot be had: {error.strerror}. Choose another with --port.") from error
    console.print("Everything that it saw is acknowledged.")
