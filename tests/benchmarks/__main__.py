"""Run the benches: `python -m tests.benchmarks append command --json`, or `make bench B="append command"`.

Exit status: 0 if no ratio is under its line, or with `--lenient`; 1 if one is; 2 if it is used wrongly, or if the
house could not be started; 130 after Ctrl-C.
"""

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from feltlog.screen import screen, write_json
from tests.amounts import share
from tests.benchmarks.append import APPEND
from tests.benchmarks.command import COMMAND
from tests.benchmarks.crowded import CROWD
from tests.benchmarks.engine import ENGINE, ENGINE_DRAFTED, ENGINE_LOGGED
from tests.benchmarks.entries import ENTRIES
from tests.benchmarks.ledger import LEDGER_1, LEDGER_7, LEDGER_7_BATCH, LEDGER_7_POSTGRES
from tests.benchmarks.loop import LOOP
from tests.benchmarks.rebuild import REBUILD
from tests.benchmarks.report import report, sheet
from tests.benchmarks.restart import RESTART
from tests.benchmarks.rounds import ROUND
from tests.benchmarks.row import Bench, Effort, Row
from tests.benchmarks.scenario import SCENARIO
from tests.benchmarks.shoe import SHOE_BENCH
from tests.statuses import FINE, FOUND, run

BENCHES: dict[str, Bench] = {
    "engine": ENGINE,
    "engine-logged": ENGINE_LOGGED,
    "engine-drafted": ENGINE_DRAFTED,
    "scenario": SCENARIO,
    "rebuild": REBUILD,
    "shoe": SHOE_BENCH,
    "append": APPEND,
    "command": COMMAND,
    "ledger-7": LEDGER_7,
    "ledger-7-batch": LEDGER_7_BATCH,
    "ledger-1": LEDGER_1,
    "ledger-7-postgres": LEDGER_7_POSTGRES,
    "loop": LOOP,
    "crowd": CROWD,
    "entries": ENTRIES,
    "round": ROUND,
    "restart": RESTART,
}
BUILD = Path("build") / "bench.json"


def main() -> int:
    """Run what the command line names, tell what came of it, and return the exit status."""
    told = arguments()
    rows = measured(told.benches or list(BENCHES), told.scale)
    done = report(rows)
    done.write(told.out)
    if told.json:
        write_json(done)
    else:
        console = screen()
        console.print(sheet(rows))
        console.print(
            f"{done.machine['processor']}, {done.machine['cores']} cores, load {done.machine['load']}. Written to {told.out}.", style="dim"
        )
    slow = [row.bench for row in rows if not row.holds]
    if slow:
        print(f"Under its line: {', '.join(slow)}.", file=sys.stderr)
    return FOUND if slow and not told.lenient else FINE


def measured(names: list[str], scale: float) -> list[Row]:
    """Run these benches, and show what is at work: a line that moves on a terminal, one when it begins anywhere else."""
    rows: list[Row] = []
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), TextColumn("{task.fields[at]}", style="dim"))
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        for name in names:
            bench = BENCHES[name]
            if not console.is_terminal:
                print(f"{name}: {bench.about} ...", file=sys.stderr, flush=True)
            task = progress.add_task(f"{name}: {bench.about}", total=1, at="")
            effort = Effort(max(1, round(bench.amount * scale)), max(1, round(bench.times * scale)))
            rows += bench.run(effort, lambda at, task=task: progress.update(task, at=at))  # type: ignore[misc]
            progress.update(task, completed=1, at="")
    return rows


def arguments() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(prog="make bench", description="Measure the house, beside something that does the like.")
    parser.add_argument("benches", nargs="*", metavar="BENCH", type=bench_name, help=f"all, or some of: {', '.join(BENCHES)}")
    parser.add_argument("--scale", type=share, default=1.0, help="how much is done, and how often, in parts of the usual")
    parser.add_argument("--json", action="store_true", help="print the report as JSON instead of a table")
    parser.add_argument("--lenient", action="store_true", help="exit with 0 whatever the ratios are: a noisy machine proves nothing")
    parser.add_argument("--out", type=Path, default=BUILD, help="where the report is written")
    return parser.parse_args()


def bench_name(text: str) -> str:
    """Return the name of a bench."""
    if text not in BENCHES:
        raise argparse.ArgumentTypeError(f"there is no bench {text}, only {', '.join(BENCHES)}")
    return text


if __name__ == "__main__":
    run(main)
