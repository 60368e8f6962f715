"""Run the simulation: `python -m tests.simulation --seed 7 --rounds 1000`, or `make simulate SEED=7 ROUNDS=1000`.

Exit status: 0 if nothing was found, 1 if something was, 2 if it is used wrongly, 130 after Ctrl-C.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, TimeElapsedColumn
from rich.table import Table

from feltlog.screen import plain_table, screen
from tests.amounts import whole_number
from tests.simulation.plan import KINDS, TABLES_MAX, Plan
from tests.simulation.planted import PLANTED, simulation_of
from tests.simulation.proof import prove
from tests.simulation.run import Outcome, Simulation
from tests.simulation.shrinking import shrink, write
from tests.statuses import FINE, FOUND, run

BUILD = Path("build") / "simulation"
SAY_EVERY_ROUNDS = 25
ALL = "1"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line names; return the exit status."""
    told = parser().parse_args(arguments)
    console = screen()
    if told.planted == ALL:
        return prove(console)
    simulation, outcome = watched(plan_of(told), console)
    console.print(summary(outcome))
    if not outcome.code:
        console.print("Nothing was found.", style="bold green")
        if told.keep:
            console.print(f"Its log: {write(simulation, BUILD, name=told.keep, about='')}", soft_wrap=True, highlight=False)
        return FINE
    console.print(outcome.message, style="bold red", markup=False, soft_wrap=True)
    console.print("Looking for a smaller run that ends so, for a minute or two at most ...", style="dim")
    smallest = shrink(simulation_of, outcome)
    again = simulation_of(smallest.plan)
    again.run()
    path = write(again, BUILD, name=f"{smallest.code}_seed_{smallest.plan.seed}", about=smallest.message)
    # A command is one line, however narrow the terminal is.
    console.print(f"Again: {outcome.plan.command}", soft_wrap=True, highlight=False)
    console.print(f"Small: {smallest.plan.command}", soft_wrap=True, highlight=False)
    console.print(f"Its log: {path}", soft_wrap=True, highlight=False)
    console.print(
        "Copied to tests/replays it is decided again there and shows what is wrong with its decisions, if that is where the fault lies. "
        "What stays there is the log of how it goes once the cause is mended: the small command writes it with KEEP=what_went_wrong."
    )
    return FOUND


def plan_of(told: argparse.Namespace) -> Plan:
    """Return the plan that a command line stands for."""
    return Plan(seed=told.seed, rounds=told.rounds, tables=told.tables, faults=told.faults, planted=told.planted)


def watched(plan: Plan, console: Console) -> tuple[Simulation, Outcome]:
    """Run a plan and show how far it is: a bar on a terminal, now and then a line anywhere else."""
    simulation = simulation_of(plan)
    columns = (*Progress.get_default_columns(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"seed {plan.seed}", total=plan.rounds)

        def progress(rounds: int) -> None:
            bar.update(task, completed=rounds)
            if not console.is_terminal and rounds % SAY_EVERY_ROUNDS == 0:
                console.print(f"{rounds} rounds, {simulation.steps} steps, {simulation.auditor.days} gaming days")

        simulation.progress = progress
        return simulation, simulation.run()


def summary(outcome: Outcome) -> Table:
    """Return what happened in a run."""
    table = plain_table()
    table.add_column(f"seed {outcome.plan.seed}")
    table.add_column("how much", justify="right")
    rows = {
        "steps": outcome.steps,
        "of them at the end without faults, until all was settled": outcome.liveness_steps,
        "rounds": outcome.rounds,
        "entries": outcome.entries,
        "gaming days closed": outcome.days,
        "digest of all logs": outcome.digest[:16],
    }
    for what, much in rows.items():
        table.add_row(what, str(much))
    table.add_section()
    for kind, count in outcome.happened.items():
        table.add_row(kind.replace("_", " "), str(count))
    table.add_section()
    table.add_row("findings", "1" if outcome.code else "0", style="bold red" if outcome.code else "bold green")
    return table


def parser() -> argparse.ArgumentParser:
    """Return what the command line may say."""
    parser = argparse.ArgumentParser(prog="make simulate", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=whole_number, default=300)
    parser.add_argument("--tables", type=int, default=TABLES_MAX, choices=range(1, TABLES_MAX + 1))
    parser.add_argument("--faults", type=kinds, default=KINDS, help=f"kinds of faults, or none: {', '.join(KINDS)}")
    names = [planted.name for planted in PLANTED]
    parser.add_argument("--planted", default="", choices=[ALL, *names], help="a bug to plant, or 1: show that each of them is found")
    parser.add_argument("--keep", default="", help="write the log of a run that finds nothing under this name, for tests/replays")
    return parser


def kinds(text: str) -> tuple[str, ...]:
    """Return the kinds of faults that a text names."""
    named = tuple(kind for kind in text.split(",") if kind and kind != "none")
    unknown = [kind for kind in named if kind not in KINDS]
    if unknown:
        raise argparse.ArgumentTypeError(f"unknown kinds of faults: {', '.join(unknown)}")
    return named


if __name__ == "__main__":
    run(main)
