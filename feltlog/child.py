"""A child: one process of the machine, kept alive.

A thread of its own starts it, waits for its end and starts it again after a growing pause.  A process that steps down
(another one owns its work) is left alone, and one that falls over again and again is given up, because a machine that
restarts for ever hides that it is broken.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from feltlog import leash

STEPPED_DOWN = 3
"""The exit status of a service that found a newer one doing its work."""

MISUSED = 2
"""The exit status of a process that was started wrongly: starting it again the same way is no use."""

FIRST_PAUSE_S = 0.2
PAUSE_MAX_S = 5.0
STEADY_S = 10.0
"""A process that lived this long counts as sound: its next fall starts the count again."""
FALLS_MAX = 10
PATIENCE_S = 10.0
"""How long a process may take to end by itself after it has been asked."""

State = Literal["not started", "running", "waiting", "stopped", "stepped down", "given up"]


class Child:
    """A process that is started again when it dies.  `changed` is called from its thread whenever its state has changed."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        log: Path,
        environment: Mapping[str, str],
        keeps_open: int,
        changed: Callable[[], None],
        orphan_signal: signal.Signals = signal.SIGKILL,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self.name = name
        self.state: State = "not started"
        self.starts = 0
        self.ends_by_itself = 0
        """How often the process ended although neither `stop` nor `kill` ended it."""
        self._falls = 0
        self._command = list(command)
        self._log = log
        self._environment = dict(environment)
        self._keeps_open = keeps_open
        self._changed = changed
        self._orphan_signal = orphan_signal
        self._patience_s = patience_s
        self._wanted = threading.Event()
        self._unwanted = threading.Event()
        self._first_start = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._struck: subprocess.Popen[bytes] | None = None
        """The process that `stop` or `kill` ended last."""
        self._hand = threading.Lock()
        """Held while a process is started or ended: what is ended is the one that runs, and it is known which that was."""
        self._keeper: threading.Thread | None = None

    @property
    def pid(self) -> int | None:
        """The process id while it runs."""
        process = self._process
        return process.pid if process is not None and process.returncode is None else None

    @property
    def ended(self) -> bool:
        """Whether it has ended for good."""
        return self.state in ("stopped", "stepped down", "given up")

    def start(self) -> None:
        """Start the process and keep it alive; return once it has been started."""
        assert self._keeper is None or not self._keeper.is_alive(), "a child has one keeper"
        self._unwanted.clear()
        self._first_start.clear()
        self._keeper = threading.Thread(target=self._keep, name=f"keeper of {self.name}", daemon=True)
        self._keeper.start()
        self._first_start.wait()

    def stop(self) -> None:
        """Ask the process to end, insist when patience runs out, and return when it is gone."""
        with self._hand:
            self._unwanted.set()
            self._send(signal.SIGTERM)
        if self._keeper is None:
            return
        self._keeper.join(self._patience_s)
        if self._keeper.is_alive():
            with self._hand:
                self._send(signal.SIGKILL)
            self._keeper.join()

    def kill(self) -> None:
        """End the process without a word, as a crash would; it is started again, and this fall is not held against it."""
        with self._hand:
            self._falls = 0
            self._send(signal.SIGKILL)

    def _send(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.returncode is None:
            self._struck = self._process
            self._process.send_signal(number)

    def _keep(self) -> None:
        self._falls = 0
        while True:
            began = time.monotonic()
            status = self._run()
            if status is None:
                return self._enter("stopped")
            self._falls = 1 if time.monotonic() - began > STEADY_S else self._falls + 1
            if self._unwanted.is_set():
                return self._enter("stopped")
            if status == STEPPED_DOWN:
                return self._enter("stepped down")
            if status == MISUSED or self._falls >= FALLS_MAX:
                return self._enter("given up")
            self._enter("waiting")
            if self._unwanted.wait(min(FIRST_PAUSE_S * 2 ** (self._falls - 1), PAUSE_MAX_S)):
                return self._enter("stopped")

    def _run(self) -> int | None:
        """Run the process once; return its exit status, or None if it is not wanted any more."""
        with self._hand:
            if self._unwanted.is_set():
                self._first_start.set()
                return None
            process = self._process = self._started()
        self.starts += 1
        self._enter("running")
        self._first_start.set()
        status = process.wait()
        with self._hand:
            self.ends_by_itself += process is not self._struck
        return status

    def _started(self) -> subprocess.Popen[bytes]:
        on_a_leash = [sys.executable, "-I", leash.__file__, str(int(self._orphan_signal)), str(os.getpid()), *self._command]
        with self._log.open("ab") as log:
            # A session of its own: Ctrl-C in the terminal must reach the machine alone, which then ends things in order.
            return subprocess.Popen(
                on_a_leash,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self._environment,
                start_new_session=True,
                pass_fds=(self._keeps_open,),
            )

    def _enter(self, state: State) -> None:
        self.state = state
        self._changed()
