"""Whatever is typed: help, a sentence on standard error, or the work itself; never a traceback, and no exit status without a meaning."""

import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.main import get_command

from feltlog.__main__ import app, main
from tests.fuzz.examples import fuzz
from tests.fuzz.houses import IMPOSSIBLE, NAMES, furnish
from tests.fuzz.strategies import texts

STATUSES = {0, 1, 2, 130}
"""What `feltlog --help` and the front door's own docstring say."""
SAID_MAX = 40_000
HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

STARTS = frozenset({"up", "demo"})
"""These start a house when they are typed rightly."""


class Command(msgspec.Struct, frozen=True):
    """A command, the options that take a value, and those that take none."""

    path: tuple[str, ...]
    options: tuple[str, ...]
    flags: tuple[str, ...]


def every(command: Any, path: tuple[str, ...] = ()) -> list[Command]:
    """Return all commands that there are."""
    if getattr(command, "commands", None):
        return [found for name, each in command.commands.items() for found in every(each, (*path, name))]
    named = [(param.opts[0], param.is_flag) for param in command.params if param.opts[0].startswith("-")]
    return [Command(path, tuple(name for name, flag in named if not flag), tuple(name for name, flag in named if flag))]


COMMANDS = [Command((), (), ("--version",)), *every(get_command(app))]
MEANT = (
    "T1",
    "ann",
    "T1.20261130-000001",
    "log.table.20261130.T1.table",
    "20261130",
    "90m",
    "99999d",
    "2026-11-30T21:15",
    "100.00",
    "CAD",
    "4222,8222",
    "0",
    "-1",
    "9" * 30,
    "1e5",
    "nats://",
    "nats://[",
    "nats://127.0.0.1:99999",
    "nats://127.0.0.1:port",
    "://",
    "/dev/null",
    "/",
    "-",
    "--",
    "-h",
    "\udcff",
    "٣",
)
"""What could be meant, and what is near to it.  No address here is one that anything could be asked at."""

words = st.sampled_from(MEANT) | texts


class Typed(msgspec.Struct, frozen=True):
    """A command line, and the house that it names."""

    path: tuple[str, ...]
    words: tuple[str, ...]
    house: str | None


class Said(msgspec.Struct):
    """What came of it."""

    status: object
    out: str
    err: str


@st.composite
def command_lines(draw: st.DrawFn) -> Typed:
    """Return a command with options and arguments, most of them where they belong."""
    command = draw(st.sampled_from(COMMANDS))
    typed: list[str] = []
    for option in draw(st.lists(st.sampled_from((*command.options, *command.flags, "--nonsense")), max_size=3)):
        typed += [option] if option in command.flags else [option, server(draw(words)) if option == "--server" else draw(words)]
    typed += draw(st.lists(words, max_size=2))
    starts = bool(STARTS & {*command.path})
    # Nothing may name another house than one where nothing can be started, nor end the options before it is named.
    typed = [word for word in typed if not (starts and word in ("--data", "--"))]
    house = draw(st.sampled_from(IMPOSSIBLE if starts else NAMES)) if "--data" in command.options else None
    return Typed(command.path, tuple(typed), house)


def server(text: str) -> str:
    """Return a text as an address at which nobody is asked: a name that could be looked up is none of ours."""
    return text if "://" in text else f"nats://{text}\0"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The directories that may be named."""
    folder = tmp_path_factory.mktemp("houses")
    furnish(folder)
    os.environ.pop("FELTLOG_DATA", None)
    before, handlers = Path.cwd(), {number: signal.getsignal(number) for number in HANDLED}
    os.chdir(folder)
    yield folder
    os.chdir(before)
    (folder / "closed").chmod(0o700)
    for number, handler in handlers.items():
        signal.signal(number, handler)


@fuzz(share=2)
@given(command_lines())
def test_whatever_is_typed_ends_in_words(root: Path, typed: Typed):
    """House page: a traceback is a bug of ours, never a user's mistake."""
    said = run(root, typed)

    assert (said.status in STATUSES, "Traceback" in said.err, len(said.err) < SAID_MAX) == (True, False, True), said


@fuzz(share=2)
@given(command_lines())
def test_trouble_is_told_on_standard_error_alone(root: Path, typed: Typed):
    """Who reads the output gets nothing but output."""
    said = run(root, typed)

    assert said.status != 2 or said.err != "" or "Usage:" in said.out or typed.path[:1] == ("scenario",), said


@pytest.mark.parametrize(
    "typed",
    [
        (b"replay", b"\xff\xfe"),
        (b"statement", "é\u202e🂡".encode(), b"--json"),
        (b"rounds", b"--since", b"9" * 5_000 + b"d"),
        (b"player", b"add", b"[red]", b"--deposit", b"1e999"),
        (b"table", b"open", b"\x1b[31mT1"),
    ],
    ids=lambda typed: typed[0].decode(),
)
def test_bytes_from_a_shell_end_in_words(typed: tuple[bytes, ...], tmp_path: Path):
    """A real process: what a terminal hands over need not be text."""
    done = subprocess.run(
        [sys.executable.encode(), b"-m", b"feltlog", *typed, b"--data", bytes(tmp_path)],
        capture_output=True,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )

    assert (done.returncode, b"Traceback" in done.stderr, done.stderr != b"") == (2, False, True), done.stderr


def run(root: Path, typed: Typed) -> Said:
    """Run the front door in this process, on streams as strict as a terminal's."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace")
    named = () if typed.house is None else ("--data", str(root / typed.house))
    argv = ["feltlog", *typed.path, *typed.words, *named]
    stdin = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with patch.object(sys, "argv", argv), patch.object(sys, "stdin", stdin), redirect_stdout(out), redirect_stderr(err):
        try:
            main()
            status: object = 0
        except SystemExit as left:
            status = left.code or 0
    return Said(status, shown(out), shown(err))


def shown(stream: io.TextIOWrapper) -> str:
    """Return what was written to a stream."""
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO), "it is the one made above"
    return buffer.getvalue().decode("utf-8", "surrogateescape")


def test_every_command_is_typed():
    """The tests above are worth what they type."""
    assert {path[0] for path in (each.path for each in COMMANDS) if path} == set(get_command(app).commands)  # type: ignore[attr-defined]
