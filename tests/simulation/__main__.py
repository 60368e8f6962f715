"""Run the simulation: `python -m tests.simulation --seed 7 --rounds 1000`, or `make simulate SEED=7 ROUNDS=1000`."""

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, TimeElapsedColumn
from rich.table import Table

from tests.simulation.planted import PLANTED
from tests.simulation.run import KINDS, SEATS, Outcome, Plan, Simulation
from tests.simulation.shrinking import shrink, write

BUILD = Path("build") / "simulation"
PLANTED_ROUNDS = 300
PLANTED_SEEDS = range(1, 11)
FOUND_MIN = 9
"""Of ten seeds."""


def main() -> int:
    """Run what the command line names; return the exit status."""
    told = arguments()
    console = Console()
    if told.planted:
        return prove(console)
    plan = Plan(seed=told.seed, rounds=told.rounds, tables=told.tables, faults=told.faults)
    simulation = Simulation(plan)
    with Progress(*Progress.get_default_columns(), TimeElapsedColumn(), console=console, transient=True, disable=plan.rounds < 50) as bar:
        task = bar.add_task(f"seed {plan.seed}", total=plan.rounds)
        simulation.progress = lambda rounds: bar.update(task, completed=rounds)
        outcome = simulation.run()
    console.print(summary(outcome))
    if not outcome.code:
        console.print("Nothing was found.", style="bold green")
        return 0
    console.print(outcome.message, style="bold red", markup=False)
    console.print("Looking for a smaller run that ends so ...", style="dim")
    smallest = shrink(Simulation, outcome)
    again = Simulation(smallest.plan)
    again.run()
    path = write(again, smallest, BUILD)
    console.print(f"Again: {outcome.plan.command}")
    console.print(f"Small: {smallest.plan.command}")
    console.print(
        f"Its log: {path}. When the cause is mended, move it to tests/replays under a name that says what went wrong, "
        "with its story's name and sentence; it is decided again there on every run."
    )
    return 1


def summary(outcome: Outcome) -> Table:
    """Return what happened in a run."""
    table = Table(title=f"seed {outcome.plan.seed}", show_header=False, title_justify="left")
    table.add_column("what")
    table.add_column("how much", justify="right")
    rows = {
        "steps": outcome.steps,
        "of them without faults, until all was settled": outcome.liveness_steps,
        "rounds": outcome.rounds,
        "entries": outcome.entries,
        "gaming days": outcome.days,
        "logs": outcome.digest[:16],
    }
    for what, much in rows.items():
        table.add_row(what, str(much))
    table.add_section()
    for kind, count in sorted(outcome.faults.items()):
        table.add_row(kind.replace("_", " "), str(count))
    table.add_section()
    table.add_row("findings", "1" if outcome.code else "0", style="bold red" if outcome.code else "bold green")
    return table


def prove(console: Console) -> int:
    """Show that each planted bug is found on nearly every seed."""
    table = Table(title="planted bugs", title_justify="left")
    for heading in ("bug", "found", "after rounds", "as"):
        table.add_column(heading)
    missed = 0
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("planted bugs", total=len(PLANTED) * len(PLANTED_SEEDS))
        for planted in PLANTED:
            outcomes = []
            for seed in PLANTED_SEEDS:
                outcomes.append(Simulation(Plan(seed, PLANTED_ROUNDS), wrap=planted.wrap, make_store=planted.make_store).run())
                bar.advance(task)
            found = [outcome for outcome in outcomes if outcome.code]
            missed += len(found) < FOUND_MIN
            rounds = sorted(outcome.rounds for outcome in found)
            table.add_row(
                planted.name.replace("_", " "),
                f"{len(found)} of {len(PLANTED_SEEDS)}",
                f"{rounds[0]} to {rounds[-1]}" if rounds else "",
                ", ".join(sorted({outcome.code for outcome in found})),
                style="" if len(found) >= FOUND_MIN else "bold red",
            )
    console.print(table)
    return 1 if missed else 0


def arguments() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(prog="make simulate", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--tables", type=int, default=len(SEATS), choices=range(1, len(SEATS) + 1))
    parser.add_argument("--faults", type=kinds, default=KINDS, help=f"kinds of faults, or none: {', '.join(KINDS)}")
    parser.add_argument("--planted", action="store_true", help="show that planted bugs are found")
    return parser.parse_args()


def kinds(text: str) -> tuple[str, ...]:
    """Return the kinds of faults that a text names."""
    named = tuple(kind for kind in text.split(",") if kind and kind != "none")
    unknown = [kind for kind in named if kind not in KINDS]
    if unknown:
        raise argparse.ArgumentTypeError(f"unknown kinds of faults: {', '.join(unknown)}")
    return named


if __name__ == "__main__":
    sys.exit(main())
