"""What runs on a data directory now: one machine at a time, and a note for others of where it is.

The proof is a lock on `run/lock`, held by the machine and by every process that it starts; the kernel drops it when the
last of them is gone, however they ended.  `run/machine.json` says where to find them, and means nothing without the lock.
"""

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from feltlog.nats_config import Ports
from feltlog.trouble import Trouble

LOOK_AGAIN_S = 0.1
LOCK_PATIENCE_S = 10.0
"""How long to wait for processes that are ending, or for a command that is reading."""


class Seen(msgspec.Struct, frozen=True):
    """One process of the machine."""

    state: str
    pid: int | None = None
    starts: int = 0


class Running(msgspec.Struct, frozen=True, kw_only=True):
    """What `machine.json` says.  `reads_only`: nothing but a server, for as long as a command reads."""

    pid: int
    ports: Ports
    reads_only: bool = False
    processes: dict[str, Seen] = {}

    @property
    def server_pid(self) -> int | None:
        """The process id of nats-server while it runs."""
        seen = self.processes.get("nats-server")
        return seen.pid if seen else None


class Held(Trouble):
    """The directory is somebody else's for now: of processes that end, or of a command that reads."""


class Lock:
    """The right to run processes on a data directory."""

    def __init__(self, run: Path) -> None:
        self._path = run / "lock"
        self._note = run / "machine.json"
        self.handle = -1

    def take(self, patience_s: float = LOCK_PATIENCE_S) -> None:
        """Take the lock; raise `Trouble` at once if a machine runs here, and `Held` after `patience_s` if something else does."""
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        deadline = time.monotonic() + patience_s
        while not self._taken(handle):
            running = noted(self._note)
            if running is not None and not running.reads_only and is_alive(running.pid):
                os.close(handle)
                raise Trouble(
                    f"A machine runs on {self._path.parent.parent} already (process {running.pid}). Stop it, or choose another --data."
                )
            if time.monotonic() > deadline:
                os.close(handle)
                raise Held(f"{self._path} is held by another process. Wait until it has ended, or choose another --data.")
            time.sleep(LOOK_AGAIN_S)
        self.handle = handle

    def release(self) -> None:
        """Give the directory back."""
        if self.handle >= 0:
            self._note.unlink(missing_ok=True)
            os.close(self.handle)
            self.handle = -1

    @staticmethod
    def _taken(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def running_on(run: Path) -> Running | None:
    """Return what runs on a data directory now (`run` is its folder of that name), or None if nothing does."""
    try:
        handle = os.open(run / "lock", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return noted(run / "machine.json")
    finally:
        os.close(handle)
    return None


def noted(path: Path) -> Running | None:
    """Return what `machine.json` says, or None if there is none that makes sense."""
    with suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode(path.read_bytes(), type=Running)
    return None


def is_alive(pid: int) -> bool:
    """Return whether there is a process with this id."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
