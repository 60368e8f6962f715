"""The picture: what is shown while a kill run goes on."""

import time

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tests.chaos.plan import Plan
from tests.chaos.report import blow_table
from tests.chaos.run import Run

SHOWN_MAX = 12
"""So many of the latest blows are shown."""


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
