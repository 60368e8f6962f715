"""Walk: `python -m tests.movements --count 1000000 --seed 1`.

Exit status: 0 if ledger and till agree to the end; 1 if they differ, with what did; 130 after Ctrl-C.
"""

import argparse
import sys
import time

from rich.console import Console
from rich.progress import track

from tests.movements.walk import FIRST_DAY, LOOK_EVERY, Walk
from tests.statuses import FINE, FOUND, run


def main() -> int:
    """Walk as far as the command line says."""
    parser = argparse.ArgumentParser(description="Random movements through the ledger, beside a book of plain numbers.")
    parser.add_argument("--count", type=int, default=1_000_000, help="movements; a million by default")
    parser.add_argument("--seed", type=int, default=1, help="another seed is another walk")
    told = parser.parse_args()
    console, began, walk = Console(stderr=True), time.monotonic(), Walk(told.seed)
    steps = track(
        walk.steps(told.count),
        total=-(-told.count // LOOK_EVERY),
        description="movements",
        console=console,
        disable=not console.is_terminal,
    )
    made = 0
    try:
        for each in steps:
            made = each
    except AssertionError as error:
        print(f"Between {made} and {made + LOOK_EVERY} movements of seed {told.seed}: {error}", file=sys.stderr)
        return FOUND
    nights, seconds = walk.day - FIRST_DAY, time.monotonic() - began
    print(f"{told.count} movements, {nights} nights, in {seconds:.0f} s: every balance is the till's, and all come to nothing.")
    return FINE


run(main)
