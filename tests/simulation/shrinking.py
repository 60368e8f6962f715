"""Shrinking: from a run that fails to the smallest one that fails in the same way, and its log as a file.

A smaller plan is another run altogether, because every choice follows from the one before; so smaller plans are simply
tried, each from the same seed, and the first that ends with the same code is shrunk further.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec

from shared.contracts.table import SEMANTICS
from tests.replays.golden import Line, Story
from tests.simulation.run import Outcome, Plan, Simulation

TRIES_MAX = 60

Make = Callable[[Plan], Simulation]


def shrink(make: Make, found: Outcome) -> Outcome:
    """Return the outcome of the smallest run that still ends with the same code, as far as `TRIES_MAX` tries find one."""
    # Without any fault it may take longer, and is worth it: what remains is a fault of the house alone.
    longer = min(found.plan.rounds, 4 * found.rounds + 10)
    for plan in (replace(found.plan, rounds=longer, faults=()), replace(found.plan, rounds=max(1, min(longer, found.rounds + 1)))):
        again = make(plan).run()
        if again.code == found.code:
            found = again
            break
    tries, smaller = TRIES_MAX, True
    while smaller:
        smaller = False
        for candidate in candidates(found):
            tries -= 1
            if tries < 0:
                return found
            outcome = make(candidate).run()
            if outcome.code == found.code:
                found, smaller = outcome, True
                break
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


def write(simulation: Simulation, found: Outcome, folder: Path) -> Path:
    """Write what a run has stored, in the form of a golden log without final states; return where."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{found.code}_seed_{found.plan.seed}.jsonl"
    rounds = list(simulation.auditor.games)
    story = Story(name=path.stem, about=found.message, round=rounds[-1] if rounds else "", semantics=SEMANTICS)
    lines = [
        Line(log=log, stream=one.stream, sequence=one.sequence, stored_at_ms=one.stored_at_ms, data=one.data.decode())
        for log, one in simulation.logged
    ]
    path.write_bytes(b"".join(msgspec.json.encode(part) + b"\n" for part in (story, *lines)))
    return path
