"""`feltlog up` from outside: what an operator sees, from the first start to Ctrl-C."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from feltlog.commands.status import StatusRow
from feltlog.house import House
from feltlog.nats_server import free_ports
from feltlog.running import is_alive

PATIENCE_S = 120


def feltlog(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Return what a command says when it has ended."""
    command = [sys.executable, "-m", "feltlog", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False, env=plain_environment())


def plain_environment() -> dict[str, str]:
    """Return our environment without what names another house."""
    return {name: value for name, value in os.environ.items() if not name.startswith("FELTLOG_")}


@contextmanager
def up(data: Path) -> Iterator[subprocess.Popen[str]]:
    """Run `feltlog up` until it says how to stop it, and be sure that it is gone in the end."""
    command = [sys.executable, "-m", "feltlog", "up", "--data", str(data)]
    environment = {**plain_environment(), "PYTHONUNBUFFERED": "1"}

    def hear_hang_ups() -> None:
        # Whoever runs the tests behind `nohup` hands it on that hang-ups are not heard.
        signal.signal(signal.SIGHUP, signal.SIG_DFL)

    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, preexec_fn=hear_hang_ups) as process:
        assert process.stdout is not None
        try:
            assert any("Ctrl-C stops everything" in line for line in process.stdout), f"feltlog up ended with {process.wait()}"
            yield process
        finally:
            process.kill()


def test_up_stops_cleanly_on_ctrl_c(tmp_path: Path):
    """Every process that it had started is gone, the directory is free, and the status is 0."""
    with up(tmp_path) as process:
        running = House(tmp_path).running
        process.send_signal(signal.SIGINT)
        status = process.wait(PATIENCE_S)
    assert running is not None
    left = [seen.pid for seen in running.processes.values() if seen.pid is not None and is_alive(seen.pid)]

    assert (status, len(running.processes), left, House(tmp_path).running) == (0, 6, [], None)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_up_stops_cleanly_when_it_is_told_to(tmp_path: Path, number: signal.Signals):
    """A service manager and a closed terminal end the house like Ctrl-C."""
    with up(tmp_path) as process:
        process.send_signal(number)
        status = process.wait(PATIENCE_S)

    assert (status, House(tmp_path).running) == (0, None)


def test_status_names_every_process(tmp_path: Path):
    """One object a line for machines: nats-server, the provisioner and the four services, all ready."""
    with up(tmp_path):
        answer = feltlog("status", "--data", str(tmp_path), "--json")
    rows = [msgspec.json.decode(line, type=StatusRow) for line in answer.stdout.splitlines()]

    assert (answer.returncode, {row.process: row.ready for row in rows}) == (
        0,
        dict.fromkeys(["nats-server", "provisioner", "shoe", "wallet", "table", "surveillance"], True),
    )


def test_second_up_on_the_same_data_is_told(tmp_path: Path):
    """Two houses in one directory are refused in a sentence, and the first one plays on."""
    with up(tmp_path):
        answer = feltlog("up", "--data", str(tmp_path))
        running = House(tmp_path).running

    assert running is not None
    assert (answer.returncode, answer.stderr) == (
        2,
        f"feltlog: A machine runs on {tmp_path} already (process {running.pid}). Stop it, or choose another --data.\n",
    )


def test_up_on_a_taken_port_is_told(tmp_path: Path):
    """The port is named, with what to do about it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        answer = feltlog("up", "--data", str(tmp_path), "--ports", f"{port},{free_ports().monitor}")

    assert (answer.returncode, answer.stderr) == (
        2,
        f"feltlog: Port {port} on 127.0.0.1 cannot be used: Address already in use. "
        "Choose others with --ports, or leave it out for free ones.\n",
    )


def test_up_with_a_misspelt_setting_is_told(tmp_path: Path):
    """The sentence names the file and the key, before anything is started."""
    House(tmp_path).prepare()
    tables = House(tmp_path).tables
    tables.write_text(tables.read_text().replace("day_starts", "day_start"))
    answer = feltlog("up", "--data", str(tmp_path))

    assert (answer.returncode, answer.stderr) == (2, f"feltlog: {tables} cannot be used: in [house]: unknown key `day_start`.\n")
