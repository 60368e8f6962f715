"""`make oracle`: the engine beside the numbers of others, every digit that is printed.

Exit 0 if all agree, 1 if one does not.
"""

import sys
from collections.abc import Callable, Iterable
from functools import partial
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from feltlog.screen import plain_table, screen, write_json
from tests.oracle.checks import Check, dealer_checks, game_checks, odds_checks
from tests.oracle.published import FINALS, HOUSE_EDGE
from tests.oracle.simulation import ROUNDS, edge

SECTIONS: dict[str, Callable[[], Iterable[Check]]] = {
    **{f"dealer, {name}": partial(dealer_checks, name) for name in FINALS},
    "odds": odds_checks,
    "whole game": game_checks,
}


def main(json: Annotated[bool, typer.Option("--json", help="Write one JSON object a line instead.")] = False) -> None:
    """Work out what others have published, with the engine's own dealer, hands and settlement."""
    console, aside = screen(), Console(stderr=True)
    failed = 0
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=aside, transient=True, disable=json or not aside.is_terminal) as progress:
        for name, checks in SECTIONS.items():
            task = progress.add_task(name, total=None)
            done = list(checks())
            progress.remove_task(task)
            failed += sum(not check.holds for check in done)
            if json:
                for check in done:
                    write_json(check)
            else:
                tell(console, name, done)
        for name, published in HOUSE_EDGE.items():
            failed += not simulate(name, published, progress, console, json=json)
    raise typer.Exit(1 if failed else 0)


def simulate(name: str, published: str, progress: Progress, console: Console, *, json: bool) -> bool:
    """Play many rounds and tell how that compares with the published edge of the house; return whether they agree."""
    task = progress.add_task(f"{name}: {ROUNDS:,} rounds", total=ROUNDS)
    found = edge(name, tell=lambda rounds: progress.advance(task, rounds))
    progress.remove_task(task)
    holds = found.holds(published)
    if json:
        write_json({"what": f"house edge, {name}", "published": published, "holds": holds, "found": found})
    else:
        kept = f"{found.percent:.3f} % +- {found.half_width:.3f} in 99 of 100, {found.rounds:,} rounds, seed {found.seed}"
        console.print(f"house edge, {name}: {kept}; others: {published} %{'' if holds else ', which it cannot be'}")
    return holds


def tell(console: Console, name: str, done: list[Check]) -> None:
    """Tell how many numbers of a section agree, and show each of few and each that does not."""
    held = sum(check.holds for check in done)
    console.print(f"{name}: {held} of {len(done)} agree")
    shown = done if len(done) < 20 else [check for check in done if not check.holds]
    if shown:
        table = plain_table()
        table.add_column("of")
        for heading in ("the engine", "others", ""):
            table.add_column(heading, justify="right")
        for check in shown:
            table.add_row(check.what, check.ours, check.published, "" if check.holds else "differs")
        console.print(table)


if __name__ == "__main__":
    try:
        typer.run(main)
    except KeyboardInterrupt:
        sys.exit(130)
