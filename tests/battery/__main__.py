"""`make shuffle-tests`: the house's shuffle under a battery of tests at 99 %, and three wrong ones that it must reject.

Writes `build/shuffle-tests.json` and `build/shuffle-tests.png`.  Exit 0 if the house's shuffle passes and every wrong one is
rejected, 1 otherwise.
"""

from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from feltlog.screen import plain_table, screen, write_json
from tests.battery.examination import LEVEL, Examination, Report, deck_count
from tests.battery.picture import draw
from tests.battery.shuffles import GOOD, WRONG

OUR_DECKS = (8, 6, 1)
SHUFFLES = 100_000
WRONG_SHUFFLES = 10_000
BUILD = Path("build")
OURS = "the house's shuffle"


def main(
    shuffles: Annotated[int, typer.Option(min=1_000, help="How often the house's shuffle is examined, for each size of shoe.")] = SHUFFLES,
    run: Annotated[str, typer.Option(help="Part of every seed: the same run gives the same figures.")] = "1",
    json: Annotated[bool, typer.Option("--json", help="Write one JSON object a line instead.")] = False,
) -> None:
    """Shuffle very often with fixed seeds, and compare with what must be so if every order is equally likely."""
    console, aside = screen(), Console(stderr=True)
    wanted = [(Examination(OURS, GOOD, decks, run=run), shuffles) for decks in OUR_DECKS]
    wanted += [(Examination(name, shuffle, 1, run=run), WRONG_SHUFFLES) for name, shuffle in WRONG.items()]
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    examined: list[tuple[Examination, Report]] = []
    with Progress(*columns, console=aside, transient=True, disable=json or not aside.is_terminal) as progress:
        task = progress.add_task("shuffling", total=sum(each.decks * count for each, count in wanted))
        for examination, count in wanted:
            progress.update(task, description=f"{examination.name}, {deck_count(examination.decks)}")
            decks = examination.decks
            report = examination.examine(count, lambda done, decks=decks: progress.advance(task, done * decks))  # type: ignore[misc]
            examined.append((examination, report))
            if json:
                write_json(report)
            else:
                tell(console, report)
    reports = [report for _, report in examined]
    BUILD.mkdir(exist_ok=True)
    (BUILD / "shuffle-tests.json").write_bytes(msgspec.json.format(msgspec.json.encode({"level": LEVEL, "reports": reports})))
    draw(examined, BUILD / "shuffle-tests.png")
    right = all(report.passed == (report.shuffle == OURS) for report in reports)
    if not json:
        console.print("The picture is build/shuffle-tests.png.")
    raise typer.Exit(0 if right else 1)


def tell(console: Console, report: Report) -> None:
    """Print a table of verdicts."""
    table = plain_table()
    table.add_column(f"{report.shuffle}, {deck_count(report.decks)}, {report.shuffles:,} shuffles")
    for heading in ("statistic", "degrees of freedom", "probability"):
        table.add_column(heading, justify="right")
    for verdict in report.verdicts:
        freedom = "" if verdict.freedom is None else f"{verdict.freedom:,}"
        table.add_row(verdict.measure, f"{verdict.statistic:,.2f}", freedom, f"{verdict.p:.3g}" if verdict.p else "below 1e-300")
    console.print(table)
    console.print(f"{'Passed' if report.passed else 'Rejected'} at {1 - LEVEL:.0%}.\n", style="green" if report.passed else "red")


if __name__ == "__main__":
    try:
        typer.run(main)
    except KeyboardInterrupt:
        raise SystemExit(130) from None
