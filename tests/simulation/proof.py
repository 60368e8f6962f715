"""The proof that the simulation finds something: each planted bug on nearly every seed, and nothing on any where none is planted."""

from rich.console import Console
from rich.progress import Progress, TimeElapsedColumn

from feltlog.screen import plain_table
from tests.simulation.plan import Plan
from tests.simulation.planted import PLANTED, simulation_of
from tests.simulation.run import Outcome

ROUNDS = 300
SEEDS = range(1, 11)
FOUND_MIN = 9
"""Of ten seeds."""


def prove(console: Console) -> int:
    """Show what is found with each bug and with none; return the exit status."""
    table = plain_table(title=f"planted bugs, within {ROUNDS} rounds", title_justify="left")
    for heading in ("bug", "found", "after rounds", "as"):
        table.add_column(heading)
    names = ["", *(planted.name for planted in PLANTED)]
    missed = 0
    columns = (*Progress.get_default_columns(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("planted bugs", total=len(names) * len(SEEDS))
        for name in names:
            outcomes = []
            for seed in SEEDS:
                outcomes.append(simulation_of(Plan(seed, ROUNDS, planted=name)).run())
                bar.advance(task)
            holds = as_it_must_be(name, outcomes)
            missed += not holds
            table.add_row(*row(name, outcomes), style="" if holds else "bold red")
            if not console.is_terminal:
                console.print(f"{name or 'nothing planted'}: {row(name, outcomes)[1]}")
    console.print(table)
    return 1 if missed else 0


def as_it_must_be(name: str, outcomes: list[Outcome]) -> bool:
    """Return whether a bug was found often enough, or nothing where none is planted."""
    found = sum(bool(outcome.code) for outcome in outcomes)
    return found >= FOUND_MIN if name else found == 0


def row(name: str, outcomes: list[Outcome]) -> tuple[str, str, str, str]:
    """Return what is told of the runs with one bug."""
    found = [outcome for outcome in outcomes if outcome.code]
    rounds = sorted(outcome.rounds for outcome in found)
    return (
        name.replace("_", " ") or "nothing planted",
        f"{len(found)} of {len(outcomes)}" if found else "none",
        f"{rounds[0]} to {rounds[-1]}" if rounds else "",
        ", ".join(sorted({outcome.code for outcome in found})),
    )
