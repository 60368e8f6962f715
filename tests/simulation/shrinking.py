"""Shrinking: from a run that fails to the smallest one that fails in the same way, and the log of a run as a golden one.

A smaller plan is another run altogether, because every choice follows from the one before; so smaller plans are simply
tried, each from the same seed, and the first that ends with the same code is shrunk further.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from shared.contracts.table import SEMANTICS
from tests.replays.export import golden
from tests.replays.golden import Story, save
from tests.simulation.plan import Plan
from tests.simulation.run import Outcome, Simulation

TRIES_MAX = 60
STEPS_MAX = 400_000
"""So many steps are taken in all: a minute or two."""

Make = Callable[[Plan], Simulation]


def shrink(make: Make, found: Outcome) -> Outcome:
    """Return the outcome of the smallest run that still ends with the same code, as far as `TRIES_MAX` and `STEPS_MAX` allow."""
    # Without any fault it may take longer, and is worth it: what remains is a fault of the house alone.
    longer = min(found.plan.rounds, 4 * found.rounds + 10)
    fewest = [replace(found.plan, rounds=longer, faults=()), replace(found.plan, rounds=max(1, min(longer, found.rounds + 1)))]
    waiting = deque([*(plan for plan in fewest if plan != found.plan), *candidates(found)])
    steps = 0
    for _ in range(TRIES_MAX):
        if not waiting or steps >= STEPS_MAX:
            break
        outcome = make(waiting.popleft()).run()
        steps += outcome.steps
        if outcome.code == found.code:
            found, waiting = outcome, deque(candidates(outcome))
    return found


def candidates(found: Outcome) -> list[Plan]:
    """Return plans a little smaller than one that fails: fewer rounds, fewer tables, fewer kinds of faults."""
    plan = found.plan
    plans = [replace(plan, rounds=rounds) for rounds in (1, found.rounds // 2, found.rounds + 1) if 0 < rounds < plan.rounds]
    if plan.tables > 1:
        plans.append(replace(plan, tables=plan.tables - 1))
    half = len(plan.faults) // 2
    if half > 1:
        plans += [replace(plan, faults=plan.faults[:half]), replace(plan, faults=plan.faults[half:])]
    return plans + [replace(plan, faults=tuple(kind for kind in plan.faults if kind != left_out)) for left_out in plan.faults]


def write(simulation: Simulation, folder: Path, *, name: str, about: str) -> Path:
    """Write what a run has stored as a golden log, without what is no entry; return where."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.joinpath(f"{name}.jsonl").unlink(missing_ok=True)
    story = Story(name=name, about=about, round=list(simulation.auditor.games)[-1], semantics=SEMANTICS)
    entries = [stored for stored in simulation.logged if stored.claimed and stored.stream not in simulation.auditor.poison]
    return save(golden(story, entries), folder)
