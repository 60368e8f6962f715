"""The progress of a command that reads for a while, on standard error and only if somebody looks at it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from feltlog.screen import screen


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yield what is to be told how many further things are done, of `total`."""
    if not sys.stderr.isatty():
        yield lambda count: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=screen(sys.stderr), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda count: bar.advance(task, count)
