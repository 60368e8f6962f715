"""`feltlog scenario`: rounds written down, played through the table's own decider."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import track
from rich.table import Table
from rich.text import Text

from feltlog.commands.connection import JsonOption
from feltlog.scenario.enactment import RefusedStep
from feltlog.scenario.result import NotPlayed, Played
from feltlog.scenario.run import Job, Ran, run, unreadable
from feltlog.scenario.text import read_json, read_toml, texts_of
from feltlog.screen import plain_table, screen, write_json

app = typer.Typer(no_args_is_help=True, help="Play rounds that were written down as data: to explain a rule, or to settle a dispute.")

STDIN = Path("-")
BYTES_MAX = 64 * 1024 * 1024
AT_LENGTH_MAX = 3
"""So many scenarios are shown card by card; of more, only those that did not come out as expected."""


@app.callback()
def room() -> None:
    """Play rounds that were written down as data: to explain a rule, or to settle a dispute."""


@app.command("run")
def run_files(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Scenarios: .json, .toml, .jsonl with one a line, or - .")],
    json: JsonOption = False,
) -> None:
    """Play each scenario and hold it against what it expects.

    Exit 0 if all ran and came out as expected, 1 if one did not, 2 if one is not a valid scenario; the others still run.
    """
    work = [each for path in files for each in of_file(path)]
    at_length = len(work) <= AT_LENGTH_MAX
    bar = track(work, "Playing", console=screen(sys.stderr), transient=True, disable=json or at_length or not sys.stderr.isatty())
    wrong = invalid = 0
    for ran in (each if isinstance(each, Ran) else run(*each) for each in bar):
        wrong, invalid = wrong + bool(ran.differences), invalid + (not ran.is_valid)
        if json:
            write_json(ran.result)
        elif at_length or ran.differences or not ran.is_valid:
            show(ran)
        for sentence in ran.differences:
            typer.echo(f"{ran.result.name}: {sentence}", err=True)
    if not json:
        screen().print(f"{len(work)} played, {wrong} not as expected, {invalid} not valid.")
    if wrong or invalid:
        raise typer.Exit(2 if invalid else 1)


def of_file(path: Path) -> Iterator[Ran | Job]:
    """Yield what there is to play in a file, or that it cannot be read."""
    try:
        data = sys.stdin.buffer.read(BYTES_MAX) if path == STDIN else bounded(path)
    except (OSError, ValueError) as error:
        yield unreadable(str(path), error)
        return
    read = read_toml if path.suffix == ".toml" else read_json
    for name, text in texts_of(path, data):
        yield name, text, read, path.parent


def bounded(path: Path) -> bytes:
    """Return what a file holds, as far as anybody writes scenarios: a device may have no end."""
    with path.open("rb") as file:
        return file.read(BYTES_MAX)


def show(ran: Ran) -> None:
    """Show a result for people."""
    console = screen()
    console.print(Text(ran.result.name, style="bold"))
    if isinstance(ran.result, NotPlayed):
        error = ran.result.error
        console.print(f"  not valid: {error.message} ({error.code} at {error.path})", markup=False)
        return
    result = ran.result
    if result.dealer is not None:
        console.print(f"  Dealer: {result.dealer.cards} ({result.dealer.total}), {result.outcome}.")
    for table in (hands(result), wagers(result), players(result)):
        if table.row_count:
            console.print(table)
    for row in result.refused:
        where = f"step {row.step}" if isinstance(row, RefusedStep) else f"box {row.box}, wager {row.wager}"
        console.print(f"  refused, {where}: {row.message} ({row.code})", markup=False)
    if result.awaiting is not None:
        for asked in result.awaiting.who:
            console.print(f"  {asked.player} is asked on box {asked.box}, hand {asked.hand}: {', '.join(asked.legal)}.", markup=False)


def hands(result: Played) -> Table:
    """Return the hands as a table for people."""
    table = plain_table()
    for heading in ("box", "hand", "cards", "total", "result"):
        table.add_column(heading)
    for row in result.hands:
        total = f"{'soft ' if row.soft else ''}{row.total}"
        table.add_row(str(row.box), str(row.hand), row.cards, total, row.result or "open")
    return table


def wagers(result: Played) -> Table:
    """Return the wagers as a table for people."""
    table = plain_table()
    for heading in ("player", "box", "hand", "wager"):
        table.add_column(heading)
    for heading in ("stake", "returned"):
        table.add_column(heading, justify="right")
    for row in result.wagers:
        table.add_row(Text(row.player), str(row.box), str(row.hand or ""), row.kind, row.stake, row.returned or "open")
    return table


def players(result: Played) -> Table:
    """Return what each player put at risk and got back as a table for people."""
    table = plain_table()
    table.add_column("player")
    for heading in ("staked", "returned", "net"):
        table.add_column(heading, justify="right")
    for name, row in result.players.items():
        table.add_row(Text(name), row.staked, row.returned or "open", row.net or "open")
    return table
