"""Everything on one machine: nats-server, the provisioner and the services as child processes that are kept alive.

They start from the ground up (server, provisioner, services), each when the one below is ready, and end in the reverse
order.  If the machine itself is killed the kernel ends its children, so that nothing goes on dealing unattended.
"""

import asyncio
import os
import shutil
import signal
import sys
import threading
from collections.abc import Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from feltlog.child import PATIENCE_S, Child
from feltlog.files import replace_file
from feltlog.health import unready
from feltlog.house import House
from feltlog.nats_config import Ports
from feltlog.nats_server import SERVER, await_ready, claim, free_ports, server_program, tail, write_error
from feltlog.running import LOCK_PATIENCE_S, Lock, Running, Seen
from feltlog.settings import adjustment_caps
from feltlog.trouble import Trouble
from shared.contracts.caps import caps_line
from shared.contracts.staff import PIT, staff_line
from shared.runtime.settings import DATABASE, scanners_line

READY_S = 60.0
PORTS_TRIES = 3
STARTS_MAX = 3
"""When the house starts, a process that falls this often will not do better, and its last words are wanted soon."""
OWNERS = {"FELTLOG_SEALING_": "shoe", "FELTLOG_WALLET_": "wallet"}
"""What one process alone is told: the key that seals the shoes, and a database's password."""
ROOM_BYTES = 64 * 1024 * 1024
"""With less room on its disk a server is not started again in the hope that it can write."""

T = TypeVar("T")


class Process(msgspec.Struct, frozen=True):
    """A process of the house: its name, which is its user's as well, and the module that it runs.

    `first`: whoever comes after it is started when it is ready, and no earlier.
    """

    name: str
    module: str
    first: bool = False


PROCESSES = (
    Process("provisioner", "feltlog.provisioner", first=True),
    Process("shoe", "services.shoe"),
    Process("wallet", "services.wallet"),
    Process("table", "services.table"),
    Process("surveillance", "services.surveillance"),
)


class Machine:
    """The house on this machine: `with Machine(data) as machine:` starts it, waits until it is ready, and ends it.

    `ports` are chosen freely unless given.  Raises `Trouble` for a taken port, a missing program, a directory in use, or a
    process that is not ready within `patience_s`; whatever had been started is ended before that.  A process that does not
    end within `stop_patience_s` of being asked is made to.
    """

    def __init__(
        self,
        data: Path | str,
        ports: Ports | None = None,
        *,
        processes: Sequence[Process] = PROCESSES,
        patience_s: float = READY_S,
        stop_patience_s: float = PATIENCE_S,
    ) -> None:
        self.house = House(data)
        self.ports = ports or free_ports()
        self._tries = PORTS_TRIES if ports is None else 1
        self._processes = tuple(processes)
        self._patience_s = patience_s
        self._stop_patience_s = stop_patience_s
        self._lock = Lock(self.house.run)
        self._noting = threading.Lock()
        self._children: dict[str, Child] = {}

    def __enter__(self) -> "Machine":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """Where clients connect."""
        return self.ports.url

    @property
    def monitor_url(self) -> str:
        """Where nats-server tells how it is."""
        return self.ports.monitor_url

    @property
    def lost(self) -> list[str]:
        """The processes that fell over again and again and have been given up."""
        return [name for name, child in self._children.items() if child.state == "given up"]

    def start(self, *, lock_patience_s: float = LOCK_PATIENCE_S) -> None:
        """Start everything and return when it is ready; raise `Held` if somebody else holds the directory for longer than that."""
        self.house.prepare(plays=bool(self._processes))
        if self._processes:
            self.house.settings()
        self._lock.take(lock_patience_s)
        try:
            self._start_server()
            for process in self._processes:
                self._children[process.name] = self._child(process.name, [sys.executable, "-m", process.module])
                self._children[process.name].start()
                if process.first:
                    self._await_services([process.name], starts_max=STARTS_MAX)
            self._await_services([process.name for process in self._processes], starts_max=STARTS_MAX)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End everything, the last started first, and give the directory back."""
        for child in reversed(self._children.values()):
            child.stop()
        self._children.clear()
        self._lock.release()

    def credentials(self, user: str) -> Path:
        """Return the path of a user's credential."""
        return self.house.credentials(user)

    def add_players(self, names: Iterable[str]) -> None:
        """Let everybody in `names` connect as a player from now on."""
        self.house.add_players(names)

    def pid(self, name: str) -> int | None:
        """Return the process id of a service, or of `nats-server`; None while it does not run."""
        return self._children[name].pid

    def state(self, name: str) -> str:
        """Return what a process is at: running, waiting to be started again, stopped, stepped down or given up."""
        return self._children[name].state

    def ends_by_itself(self, name: str) -> int:
        """Return how often a process has ended that was neither killed nor stopped through this machine."""
        return self._children[name].ends_by_itself

    def kill(self, name: str) -> None:
        """End a process as a crash would (SIGKILL).  It is started again."""
        self._children[name].kill()

    def stop_process(self, name: str) -> None:
        """End one process in peace and leave it away until `start_process`."""
        self._children[name].stop()

    def start_process(self, name: str) -> None:
        """Start a process that was stopped, and return when it is ready."""
        self._children[name].start()
        self.await_ready(name)

    def await_ready(self, *names: str) -> None:
        """Return when the processes named, or all of them, are ready; raise `Trouble` if that takes too long."""
        chosen = names or tuple(self._children)
        if SERVER in chosen:
            self._await_server()
        self._await_services([name for name in chosen if name != SERVER])

    def restart_server(self) -> None:
        """Stop nats-server in peace and start it again on the same ports; return when it is ready."""
        self.stop_process(SERVER)
        self.start_process(SERVER)

    def mend_server(self) -> bool:
        """Start nats-server again if a full disk has stopped it from writing and there is room now; return whether it did."""
        if not write_error(self.ports) or shutil.disk_usage(self.house.store).free < ROOM_BYTES:
            return False
        self.restart_server()
        return True

    def environment(self, user: str) -> dict[str, str]:
        """Return the environment in which a process of this machine speaks as `user`."""
        facts = {
            "FELTLOG_NATS_URL": self.url,
            "FELTLOG_MONITOR_URL": self.monitor_url,
            "FELTLOG_CREDENTIALS": str(self.credentials(user)),
            "FELTLOG_DATA": str(self.house.data),
            "PYTHONUNBUFFERED": "1",
            # Telemetry is handed through; but one name for all processes would make one service of them.
            "OTEL_SERVICE_NAME": f"{os.environ.get('OTEL_SERVICE_NAME') or 'feltlog'}-{user}",
        }
        if self._processes:
            settings = self.house.settings()
            house = settings.house
            facts |= {"FELTLOG_DAY_STARTS": house.day_starts, "FELTLOG_ZONE": house.zone, "FELTLOG_STAFF": staff_line(self.house.staff())}
            facts["FELTLOG_SCANNERS"] = scanners_line(settings.scanners)
            facts["FELTLOG_ADJUSTMENT_CAPS"] = caps_line(adjustment_caps(settings.wallet))
            if user == "wallet" and settings.wallet.database and not os.environ.get(DATABASE):
                facts[DATABASE] = settings.wallet.database
        return inherited(user) | facts

    def _start_server(self) -> None:
        program = server_program()
        for left in reversed(range(self._tries)):
            try:
                claim(self.ports)
                self.house.write_server_conf(self.ports, self.house.staff() if self._processes else PIT)
                self._children[SERVER] = self._child(SERVER, [program, "-c", str(self.house.server_conf)])
                self._children[SERVER].start()
                return self._await_server(starts_max=1)
            except Trouble:
                # Somebody may have taken a port between our choice and the server's start.
                if not left:
                    raise
                if SERVER in self._children:
                    self._children.pop(SERVER).stop()
                self.ports = free_ports()

    def _child(self, name: str, command: list[str]) -> Child:
        server = name == SERVER
        return Child(
            name,
            command,
            log=self.house.log(name),
            environment=inherited(name) if server else self.environment(name),
            keeps_open=self._lock.handle,
            changed=self._note,
            # Orphaned services end at once, whatever they are at: they are made to crash. The server may close its files.
            orphan_signal=signal.SIGTERM if server else signal.SIGKILL,
            patience_s=self._stop_patience_s,
        )

    def _await_server(self, starts_max: int = sys.maxsize) -> None:
        server = self._children[SERVER]
        await_ready(self.ports, lambda: server.ended or server.starts > starts_max, self.house.log(SERVER), self._patience_s)

    def _await_services(self, names: Sequence[str], starts_max: int = sys.maxsize) -> None:
        if not names:
            return

        def lost(name: str) -> bool:
            child = self._children[name]
            return child.ended or child.starts > starts_max

        late = run_apart(unready(self.url, self.credentials("pit"), names, patience_s=self._patience_s, lost=lost))
        if late:
            name = next(filter(lost, late), late[0])
            log = self.house.log(name)
            raise Trouble(f"The {name} process is not ready ({self._children[name].state}). The end of {log}:\n{tail(log)}")

    def _note(self) -> None:
        with self._noting:
            processes = {name: Seen(child.state, child.pid, child.starts) for name, child in self._children.items()}
            running = Running(pid=os.getpid(), ports=self.ports, reads_only=not self._processes, processes=processes)
            # A full disk takes the note; whoever keeps a process alive must not die of it.
            with suppress(OSError):
                replace_file(self.house.machine_json, msgspec.json.format(msgspec.json.encode(running)).decode())


def inherited(user: str) -> dict[str, str]:
    """Return what a process takes over from our own environment: everything but what another one alone is told."""
    others = tuple(prefix for prefix, owner in OWNERS.items() if owner != user)
    return {name: value for name, value in os.environ.items() if not name.startswith(others)}


def store_only(data: Path | str) -> Machine:
    """Return nats-server alone on an existing house, for whoever reads it; raise `Trouble` if there is no house."""
    house = House(data)
    if not house.exists:
        raise Trouble(f"There is no house in {house.data}. `feltlog up` or `feltlog demo` makes one there; --data names another place.")
    return Machine(data, processes=())


def run_apart(work: Coroutine[Any, Any, T]) -> T:
    """Return what `work` returns, from a thread and an event loop of its own, so that a caller may have one running."""
    with ThreadPoolExecutor(1) as apart:
        return apart.submit(asyncio.run, work).result()
