"""A real nats-server from the wheel, on free loopback ports, that a test may restart or kill."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

READY_S = 10.0

CONFIG = """
listen: "127.0.0.1:{port}"
http: "127.0.0.1:{monitor_port}"
max_payload: 8MB
jetstream {{
  store_dir: "{store}"
  {sync}
}}
{more}
"""


class NatsServer:
    """One server process; `start` after `stop` or `kill` brings it back on the same ports with the same data."""

    def __init__(self, directory: Path, *, sync_always: bool = True, more: str = "") -> None:
        directory.mkdir(exist_ok=True)
        self.port, self.monitor_port = _free_ports()
        self.url = f"nats://127.0.0.1:{self.port}"
        self.monitor_url = f"http://127.0.0.1:{self.monitor_port}"
        self._directory = directory
        self._process: subprocess.Popen[bytes] | None = None
        sync = "sync_interval: always" if sync_always else ""
        text = CONFIG.format(port=self.port, monitor_port=self.monitor_port, store=directory / "store", sync=sync, more=more)
        (directory / "server.conf").write_text(text)

    @property
    def name(self) -> str:
        """The server's name in a cluster."""
        return self._directory.name

    def start(self) -> None:
        """Start the server and return when it takes connections."""
        binary = Path(sys.executable).parent / "nats-server"
        with (self._directory / "server.log").open("ab") as log:
            self._process = subprocess.Popen([binary, "-c", self._directory / "server.conf"], stdout=log, stderr=log)
        deadline = time.monotonic() + READY_S
        while not _answers(self.port):
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise AssertionError((self._directory / "server.log").read_text())
            time.sleep(0.02)

    def stop(self) -> None:
        """End the server as an operator would."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End the server as a crash would."""
        self._end(signal.SIGKILL)

    def pause(self) -> None:
        """Let the server hang: it keeps its connections and answers nothing."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)
        # The signal only asks; the server hangs when the kernel says so.
        os.waitpid(self._process.pid, os.WUNTRACED)

    def resume(self) -> None:
        """Let a hanging server go on."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGCONT)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)
            self._process.send_signal(how)
            self._process.wait()
            self._process = None


def cluster(directory: Path) -> list[NatsServer]:
    """Return three servers, not yet started, that keep each log three times."""
    ports = [*_free_ports(), *_free_ports()][:3]
    routes = ", ".join(f'"nats://127.0.0.1:{port}"' for port in ports)
    return [
        NatsServer(
            directory / f"n{number}",
            more=f'server_name: "n{number}"\ncluster {{ name: "house", listen: "127.0.0.1:{port}", routes: [{routes}] }}',
        )
        for number, port in enumerate(ports)
    ]


def _free_ports() -> tuple[int, int]:
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        return one.getsockname()[1], other.getsockname()[1]


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            return connection.recv(4) == b"INFO"
    except OSError:
        return False
