"""Stopping: how a command ends before its end.

A request to end and a closed terminal are taken as Ctrl-C, and while processes are being stopped nothing interrupts that.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

STOPPED = 130
"""The exit status after Ctrl-C, as of every other program: nothing was proved, and nothing found."""


def hear_requests_to_end() -> None:
    """Take SIGTERM and SIGHUP as Ctrl-C from now on; what is ignored, as SIGHUP is under nohup, stays so."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _as_ctrl_c)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Hear nobody until the block is done: a second Ctrl-C must not leave half of a house running."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _as_ctrl_c(number: int, frame: object) -> None:
    # Whatever a shell starts in the background ignores Ctrl-C, but is asked to end like everything else.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        raise KeyboardInterrupt
    # asyncio knows how to pass it on.
    signal.raise_signal(signal.SIGINT)
