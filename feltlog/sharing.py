"""Sharing: commands that read a house at rest read through one server, and it runs until the last of them is through.

The first one starts it, and the others find it by its note.  Each of those holds a shared lock on `run/readers` before it looks
for the note and until it has read, so whoever started the server knows when nobody needs it: it takes that lock for itself, and
only then stops the server.  However a command ends, the kernel takes its locks back, and the server ends with whoever started it.
"""

import atexit
import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from feltlog.house import House
from feltlog.machine import Machine, store_only
from feltlog.nats_server import is_well
from feltlog.running import LOOK_AGAIN_S, Held, Running, is_alive

PATIENCE_S = 60.0
"""How long to wait for a server that begins or ends; one with many logs reads all of them first."""


@contextmanager
def shared_server(house: House) -> Iterator[str]:
    """Yield where a server listens that runs on a house's directory: the house's own, that of another reader, or a new one.

    Raises `Trouble` if there is no house, or no server comes about.
    """
    deadline = time.monotonic() + PATIENCE_S
    while True:
        with _among_readers(house.run):
            running = house.running
            if running is not None and _can_be_read(running):
                yield running.ports.url
                return
        machine = store_only(house.data)
        try:
            machine.start(lock_patience_s=0)
        except Held:
            # Another reader's server begins or ends, or the processes of a house that was stopped end.
            if time.monotonic() > deadline:
                raise
            time.sleep(LOOK_AGAIN_S)
        else:
            break
    try:
        yield machine.url
    finally:
        if not _stopped(machine):
            # What was read is told first: others may read for minutes.
            atexit.register(_see_out, machine)


def _can_be_read(running: Running) -> bool:
    """Return whether a server is there and will stay: one whose starter is gone is about to end."""
    return running.server_pid is not None and (not running.reads_only or (is_alive(running.pid) and is_well(running.ports)))


@contextmanager
def _among_readers(run: Path) -> Iterator[None]:
    """Be one of those for whom a server stays; wait while one is being stopped."""
    try:
        handle = os.open(run / "readers", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except FileNotFoundError:
        # Where nothing has ever run nobody reads.
        yield
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_SH)
        yield
    finally:
        os.close(handle)


def _stopped(machine: Machine) -> bool:
    """Stop a server unless others read through it; return whether it was stopped."""
    handle = os.open(machine.house.run / "readers", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        machine.stop()
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True


def _see_out(machine: Machine) -> None:
    """Wait for the others who read through our server, then stop it; at once if a person insists."""
    print("Another command still reads through the server that this one started: this one ends with it, or with Ctrl-C.", file=sys.stderr)
    with suppress(KeyboardInterrupt):
        while not _stopped(machine):
            time.sleep(LOOK_AGAIN_S)
        return
    machine.stop()
