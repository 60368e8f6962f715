"""Run the real house under blows: `make chaos KILLS=30 SEED=7`, or `python -m tests.chaos --kills 30 --seed 7`.

Exit status: 0 if nothing was found, 1 if something was, 2 if it is used wrongly or the house could not be started, 130 after Ctrl-C.
"""

import argparse
import logging
import shutil
import signal
import sys
from pathlib import Path

from feltlog.screen import screen, write_json
from feltlog.stopping import STOPPED
from feltlog.trouble import Trouble
from tests.amounts import whole_number
from tests.chaos.picture import Picture
from tests.chaos.plan import Plan
from tests.chaos.report import report
from tests.chaos.run import Run
from tests.statuses import FINE, FOUND, MISUSED, run

BUILD = Path("build") / "chaos"


def main() -> int:
    """Run what the command line names; return the exit status."""
    told = parser().parse_args()
    console = screen(sys.stderr if told.json else None)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # What the runner's own connections see of an outage is no news.
    logging.getLogger().addHandler(logging.NullHandler())
    plan = Plan(seed=told.seed, kills=told.kills)
    data = told.data or BUILD / f"seed-{plan.seed}-kills-{plan.kills}"
    if data.exists():
        if told.data:
            console.print(f"{data} is there already. Choose another --data.", soft_wrap=True)
            return MISUSED
        shutil.rmtree(data)
    console.print(f"{plan.command}: {len(plan.blows())} blows, {plan.kills} of them kill -9, for about {minutes(plan.expected_s)}.")
    try:
        with Picture(console, plan) as picture:
            outcome = Run(plan, data, picture.show).go()
    except KeyboardInterrupt:
        console.print(f"Stopped; everything has ended. What was played stays in {data}.", soft_wrap=True)
        return STOPPED
    except Trouble:
        raise
    except Exception:
        console.print(f"The run itself failed. The house stays in {data}. Again: {plan.command}", style="bold red", soft_wrap=True)
        raise
    if told.json:
        write_json(outcome)
    report(console, outcome)
    if outcome.findings:
        return FOUND
    if not told.keep:
        shutil.rmtree(data)
    return FINE


def minutes(seconds: float) -> str:
    """Return a stretch of time as people say it.

    >>> minutes(25), minutes(60), minutes(1_116)
    ('half a minute', '1 minute', '19 minutes')
    """
    whole = round(seconds / 60)
    return "half a minute" if not whole else "1 minute" if whole == 1 else f"{whole} minutes"


def parser() -> argparse.ArgumentParser:
    """Return what the command line may say."""
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--kills", type=whole_number, default=30, help="how many times something is killed with SIGKILL; other blows come on top"
    )
    parser.add_argument("--data", type=Path, help=f"the directory of the house; usually one in {BUILD} that goes when nothing was found")
    parser.add_argument("--keep", action="store_true", help="keep the house even if nothing was found")
    parser.add_argument("--json", action="store_true", help="write what came of it as one JSON object; people read along on standard error")
    return parser


if __name__ == "__main__":
    run(main)
