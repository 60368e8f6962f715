"""The machine: what it starts is kept alive, ends with it, and never survives it."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from feltlog import leash
from feltlog.house import House
from feltlog.machine import Machine, Process, inherited, store_only
from feltlog.nats_config import Ports
from feltlog.nats_server import free_ports
from feltlog.running import is_alive
from feltlog.trouble import Trouble

STAND_IN = "tests.integration.processes.stand_in"
PROCESSES = (Process("provisioner", STAND_IN, first=True), Process("shoe", STAND_IN), Process("table", STAND_IN))
NAMES = ["nats-server", "provisioner", "shoe", "table"]
PATIENCE_S = 30.0


def until(holds: Callable[[], bool]) -> bool:
    """Return whether something comes to hold within the patience of a busy machine."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.02)
    return holds()


def pids(machine: Machine) -> list[int]:
    """Return the process ids of everything that runs."""
    return [pid for name in NAMES if (pid := machine.pid(name)) is not None]


def starting(data: Path) -> str:
    """Return a program that starts a machine."""
    return f"from tests.integration.test_machine import *; Machine({str(data)!r}, processes=PROCESSES).start()"


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine whose services are stand-ins."""
    with Machine(tmp_path, processes=PROCESSES) as running:
        yield running


def test_machine_is_noted_where_others_can_find_it(machine: Machine):
    """Ports and process ids of what runs stand in one file, and only mean something while it runs."""
    running = machine.house.running

    assert running is not None
    assert (running.ports, [seen.pid for seen in running.processes.values()]) == (machine.ports, pids(machine))


def test_machine_leaves_nothing_behind(tmp_path: Path):
    """When the machine has stopped no process of it runs, and its directory is free."""
    with Machine(tmp_path, processes=PROCESSES) as machine:
        started = pids(machine)

    assert (len(started), [pid for pid in started if is_alive(pid)], House(tmp_path).running) == (4, [], None)


def test_machine_starts_a_fallen_service_again(machine: Machine):
    """A crash costs a pause, not the evening."""
    before = machine.pid("table")
    machine.kill("table")
    until(lambda: machine.pid("table") not in (before, None))
    machine.await_ready("table")

    assert machine.house.running is not None
    assert machine.house.running.processes["table"].starts == 2


def test_machine_starts_a_fallen_server_again_where_it_was(machine: Machine):
    """Everybody finds nats-server under the address that they know."""
    before = machine.pid("nats-server")
    machine.kill("nats-server")
    until(lambda: machine.pid("nats-server") not in (before, None))
    machine.await_ready()

    assert len(pids(machine)) == 4


def test_machine_that_cannot_note_itself_down_keeps_its_processes_alive(machine: Machine):
    """A full disk takes the note of where everything is, and no process."""
    note = machine.house.machine_json
    note.with_name(f".{note.name}.{os.getpid()}").mkdir()
    before = machine.pid("table")
    machine.kill("table")

    assert until(lambda: machine.pid("table") not in (before, None))


def test_machine_restarts_the_server_on_the_same_ports(machine: Machine):
    """A planned restart is only an outage."""
    url = machine.url
    machine.restart_server()
    machine.await_ready()

    assert machine.url == url


def test_machine_leaves_a_stopped_service_away_until_it_is_wanted(machine: Machine):
    """An operator may take a service away and bring it back."""
    machine.stop_process("shoe")
    away = machine.pid("shoe")
    machine.start_process("shoe")

    assert (away, machine.pid("shoe") is None) == (None, False)


def test_machine_leaves_a_service_alone_that_stepped_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A service that found a newer one doing its work is not set against it again."""
    monkeypatch.setenv("STAND_IN_TABLE", "steps_down")

    with pytest.raises(Trouble, match=r"The table process is not ready \(stepped down\)"):
        Machine(tmp_path, processes=PROCESSES).start()


def test_machine_gives_up_a_service_that_always_falls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A service that cannot start is named with its last words, and everything else is stopped."""
    monkeypatch.setenv("STAND_IN_TABLE", "falls")

    with pytest.raises(Trouble, match="the stand-in falls, as it was told"):
        Machine(tmp_path, processes=PROCESSES).start()

    assert House(tmp_path).running is None


def test_machine_insists_when_a_service_is_deaf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A service that does not end when asked is ended."""
    monkeypatch.setenv("STAND_IN_TABLE", "deaf")
    with Machine(tmp_path, processes=PROCESSES, stop_patience_s=0.2) as machine:
        started = pids(machine)

    assert [pid for pid in started if is_alive(pid)] == []


def test_machine_refuses_a_taken_port(tmp_path: Path):
    """A taken port is named in a sentence, and nothing is left running."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        with pytest.raises(Trouble, match=f"Port {port} on 127.0.0.1 cannot be used: Address already in use"):
            Machine(tmp_path, Ports(port, free_ports().monitor), processes=()).start()

    assert House(tmp_path).running is None


def test_second_machine_on_the_same_data_is_refused(machine: Machine):
    """Two servers on one store would destroy it."""
    with pytest.raises(Trouble, match=f"A machine runs on {machine.house.data} already"):
        Machine(machine.house.data, processes=()).start()

    assert len(pids(machine)) == 4


def test_killed_machine_takes_its_processes_along(tmp_path: Path):
    """SIGKILL leaves no time to tidy up: the kernel ends what the machine had started, and the directory is free again."""
    source = f"{starting(tmp_path)}; print('up', flush=True); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        said = parent.stdout.readline()
        running = House(tmp_path).running
        parent.kill()
    assert running is not None
    started = [seen.pid for seen in running.processes.values() if seen.pid is not None]
    until(lambda: not any(is_alive(pid) for pid in started))

    assert (said, len(started), [pid for pid in started if is_alive(pid)], House(tmp_path).running) == (b"up\n", 4, [], None)


def test_a_machine_starts_again_on_the_data_of_a_killed_one(tmp_path: Path):
    """After a crash of everything the next start needs no tidying by hand."""
    source = f"{starting(tmp_path)}; os.kill(os.getpid(), signal.SIGKILL)"
    subprocess.run([sys.executable, "-c", source], check=False)
    with Machine(tmp_path, processes=PROCESSES) as machine:
        found = len(pids(machine))

    assert found == 4


async def test_machine_can_be_started_inside_an_event_loop(tmp_path: Path):
    """A demonstration or a test that is running already can start a house."""
    machine = Machine(tmp_path, processes=PROCESSES)
    await asyncio.to_thread(machine.start)
    found = len(pids(machine))
    await asyncio.to_thread(machine.stop)

    assert found == 4


def test_reading_commands_bring_a_server_of_their_own(machine: Machine):
    """With nothing but the data a server runs for as long as somebody reads."""
    data = machine.house.data
    machine.stop()
    with store_only(data) as reading:
        running = reading.house.running

    assert running is not None
    assert (running.reads_only, list(running.processes), House(data).running) == (True, ["nats-server"], None)


def test_reading_where_no_house_is_makes_none(tmp_path: Path):
    """A misspelt directory is told, not filled."""
    with pytest.raises(Trouble, match="There is no house in"), store_only(tmp_path / "elsewhere"):
        pass

    assert list(tmp_path.iterdir()) == []


def test_database_from_the_environment_reaches_the_wallet_alone(machine: Machine, monkeypatch: pytest.MonkeyPatch):
    """It may hold a password, and is no business of the other processes."""
    monkeypatch.setenv("FELTLOG_WALLET_DATABASE", "postgresql://felt:word@db/books")

    told = [name for name in (*NAMES[1:], "wallet") if "FELTLOG_WALLET_DATABASE" in machine.environment(name)]

    assert (told, "FELTLOG_WALLET_DATABASE" in inherited("nats-server")) == (["wallet"], False)


def test_sealing_key_from_the_environment_reaches_the_shoe_alone(machine: Machine, monkeypatch: pytest.MonkeyPatch):
    """Who does not open shoes does not hold the key."""
    monkeypatch.setenv("FELTLOG_SEALING_KEY", "K1:00")

    assert [name for name in NAMES[1:] if "FELTLOG_SEALING_KEY" in machine.environment(name)] == ["shoe"]


def test_no_child_is_left_on_the_leash_of_a_dead_parent():
    """A child whose parent died before the kernel was asked ends at once."""
    done = subprocess.run(
        [sys.executable, leash.__file__, str(int(signal.SIGKILL)), str(os.getpid() + 1), sys.executable, "-c", "print(1)"],
        stdout=subprocess.PIPE,
        check=False,
    )

    assert (done.returncode, done.stdout) == (1, b"")
