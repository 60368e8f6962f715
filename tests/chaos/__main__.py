"""Run the real house under blows: `make chaos KILLS=30 SEED=7`, or `python -m tests.chaos --kills 30 --seed 7`.

Exit status: 0 if nothing was found, 1 if something was, 2 if it is used wrongly or the house could not be started, 130 after Ctrl-C.
"""

import argparse
import logging
import shutil
import signal
import sys
import time
from pathlib import Path

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from feltlog.screen import plain_table, screen, write_json
from feltlog.stopping import STOPPED
from feltlog.trouble import Trouble
from tests.amounts import whole_number
from tests.chaos.plan import Plan
from tests.chaos.run import Outcome, Run
from tests.chaos.striking import Hit
from tests.statuses import FINE, FOUND, MISUSED, run

BUILD = Path("build") / "chaos"
SHOWN_MAX = 12
FINDINGS_MAX = 20


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


class Picture:
    """What is shown while a run goes on: a bar, and the latest blows; on paper a line for each blow that is over."""

    def __init__(self, console: Console, plan: Plan) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("blows"), TimeElapsedColumn())
        self._console = console
        self._bar = Progress(*columns, console=console)
        self._task = self._bar.add_task("starting the house", total=len(plan.blows()))
        self._live = Live(self._bar, console=console, refresh_per_second=4, transient=True)
        self._told: set[int] = set()
        self._stage = ""

    def __enter__(self) -> "Picture":
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def show(self, run: Run) -> None:
        """Show how far a run is."""
        self._bar.update(self._task, completed=run.fallen, description=f"{run.rounds} rounds, {run.stage}")
        if self._console.is_terminal:
            self._live.update(Group(blow_table(run.hits[-SHOWN_MAX:]), self._bar))
            return
        if run.stage != self._stage:
            self._stage = run.stage
            self._console.print(f"{time.strftime('%H:%M:%S')} {run.stage}")
        for hit in run.hits:
            if hit.back_after_s is not None and hit.number not in self._told:
                self._told.add(hit.number)
                self._console.print(
                    f"{hit.at_s:7.1f} s  {hit.what}: {hit.target}, back after {hit.back_after_s:.1f} s; {run.rounds} rounds"
                )


def report(console: Console, outcome: Outcome) -> None:
    """Show what was hit, how long it took to be back, and what came of it all."""
    console.print(blow_table(outcome.blows))
    console.print(back_table(outcome))
    console.print(summary(outcome))
    if not outcome.findings:
        console.print("Nothing was lost, nothing was done twice, and every account is what its owner's own book says.", style="bold green")
        return
    for found in outcome.findings[:FINDINGS_MAX]:
        console.print(f"{found.what}: {found.which}", style="bold red", markup=False, soft_wrap=True)
    if len(outcome.findings) > FINDINGS_MAX:
        console.print(f"... and {len(outcome.findings) - FINDINGS_MAX} more; --json writes them all.")
    console.print(
        f"The house stays in {outcome.data}: logs/ says what its processes said, `feltlog verify --all --data` looks again.", soft_wrap=True
    )
    console.print(f"Again: {outcome.command}", soft_wrap=True)


def blow_table(hits: list[Hit]) -> Table:
    """Return what was hit, when, for how long, and when it was back."""
    table = plain_table()
    for heading, justify in (
        ("", "right"),
        ("blow", "left"),
        ("what", "left"),
        ("at s", "right"),
        ("for s", "right"),
        ("back after s", "right"),
    ):
        table.add_column(heading, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for hit in hits:
        back = "" if hit.back_after_s is None else f"{hit.back_after_s:.1f}"
        lasted = f"{hit.lasted_s:.1f}" if hit.lasted_s else ""
        table.add_row(str(hit.number), hit.what, hit.target, f"{hit.at_s:.1f}", lasted, hit.missed or back)
    return table


def back_table(outcome: Outcome) -> Table:
    """Return how long each kind of blow took."""
    table = plain_table()
    table.add_column("blow")
    for heading in ("times", "back after s, p50", "max"):
        table.add_column(heading, justify="right")
    for each in outcome.back:
        table.add_row(each.what, str(each.count), f"{each.p50_s:.1f}", f"{each.max_s:.1f}")
    return table


def summary(outcome: Outcome) -> Table:
    """Return the figures of a run."""
    table = plain_table()
    table.add_column(f"seed {outcome.seed}")
    table.add_column("how much", justify="right")
    reckoning = outcome.reckoning
    rows = {
        "kill -9": sum(hit.what == "kill -9" for hit in outcome.blows),
        "other blows": sum(hit.what != "kill -9" for hit in outcome.blows),
        "minutes": f"{outcome.seconds / 60:.1f}",
        "rounds": outcome.rounds,
        "gaming days": outcome.days,
        "entries": outcome.entries,
        "requests": outcome.requests,
        "of them acknowledged, and found once": reckoning.acknowledged - reckoning.lost,
        "refused": ", ".join(f"{count} {code}" for code, count in sorted(outcome.refusals.items())) or 0,
        "never answered": reckoning.unknown,
        "payouts seen by their players": reckoning.payouts_seen,
        "payouts that fell while their players could not look": reckoning.payouts_unseen,
        "longest between two rounds of a table, s": f"{outcome.longest_still_s:.1f}",
        "the day's logs were sealed after its end, s": "" if outcome.sealed_after_s is None else f"{outcome.sealed_after_s:.1f}",
        "lost": reckoning.lost,
        "doubled": reckoning.doubled,
        "findings": len(outcome.findings),
    }
    for what, much in rows.items():
        table.add_row(what, str(much))
    return table


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
