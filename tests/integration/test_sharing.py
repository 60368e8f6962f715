"""Commands that read a house at rest at one time: one server serves them all, ends with the last, and is left behind by none."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from feltlog.commands.connection import running_url
from feltlog.house import House
from tests.integration.patience import until
from tests.integration.recorded_evening import Evening

PATIENCE_S = 60
AT_ONCE = 6


class Reader:
    """A command that reads as slowly as a test wants."""

    def __init__(self, data: Path) -> None:
        command = [sys.executable, "-m", "tests.integration.processes.read_slowly", str(data)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self._told = self.process.stdout
        assert self._told.readline() == "reading\n"

    def goes_on(self) -> str:
        """Let it read to its end, and return what it tells."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self._told.readline().strip()

    def ends(self) -> tuple[int, str]:
        """Return its exit status and what it said on standard error, as soon as it has ended."""
        said = self.process.communicate(timeout=PATIENCE_S)[1]
        return self.process.returncode, said

    def kill(self) -> None:
        """End it as a crash would."""
        # Leaving closes its pipes as well.
        with self.process:
            self.process.kill()


@pytest.fixture
def readers(evening: Evening) -> Iterator[tuple[Reader, Reader]]:
    """Two commands that read: the first one started the server, the other one shares it."""
    first = Reader(evening.data)
    other = Reader(evening.data)
    yield first, other
    for reader in (first, other):
        reader.kill()


def test_server_outlives_the_command_that_started_it(evening: Evening, readers: tuple[Reader, Reader]):
    """The first tells what it read at once, and only then waits for the other one; both read the same, and nothing stays."""
    first, other = readers
    told = first.goes_on(), other.goes_on()
    ended = [reader.ends()[0] for reader in readers]

    assert (told[0] == told[1] != "", ended, House(evening.data).running) == (True, [0, 0], None)


def test_reader_whose_sharer_is_killed_does_not_wait_for_it(evening: Evening, readers: tuple[Reader, Reader]):
    """The kernel takes its lock back."""
    first, other = readers
    other.kill()
    told = first.goes_on()

    assert (told.isdigit(), first.ends(), House(evening.data).running) == (True, (0, ""), None)


async def test_reader_whose_server_is_killed_says_so(evening: Evening, readers: tuple[Reader, Reader]):
    """It tells no half of a story; and the next one that comes reads all of it."""
    first, other = readers
    first.kill()
    await until(lambda: nothing_runs(evening), "the server ends with the command that started it")
    told = other.goes_on()
    status, said = other.ends()
    again = Reader(evening.data)
    whole = again.goes_on()
    ended = again.ends()[0]
    again.kill()

    assert (told, status, "refused: " in said, whole.isdigit(), ended) == ("", 1, True, True, 0)


async def nothing_runs(evening: Evening) -> bool:
    """Return whether nothing runs on the evening's directory."""
    return House(evening.data).running is None


def test_commands_that_begin_together_all_read(evening: Evening):
    """Whoever comes while a server begins or ends waits for it, and nobody is told that there is none."""
    command = [sys.executable, "-m", "feltlog", "statement", "ann", "--json", "--data", str(evening.data)]
    with ThreadPoolExecutor(AT_ONCE) as together:
        done = list(together.map(lambda _: subprocess.run(command, capture_output=True, timeout=PATIENCE_S, check=False), range(AT_ONCE)))

    assert {(each.returncode, each.stdout) for each in done} == {(0, done[0].stdout)}
    assert House(evening.data).running is None


def test_server_of_readers_is_no_house(evening: Evening, readers: tuple[Reader, Reader]):
    """No service listens on it: whoever wants to wager or pay in is told that nothing runs."""
    assert running_url(House(evening.data)) is None
