"""The child: it is known which of its ends were wanted."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from feltlog.child import Child

LIVES_ON = "import time; time.sleep(60)"
FALLS = "raise SystemExit(1)"
PATIENCE_S = 20.0


class Nursery:
    """Makes children and hears of their changes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._changed = threading.Condition()
        self._handle = os.open(folder, os.O_RDONLY)
        self._children: list[Child] = []

    def child(self, program: str) -> Child:
        """Return a child that is being kept alive."""
        child = Child(
            "child",
            [sys.executable, "-c", program],
            log=self._folder / "child.log",
            environment={},
            keeps_open=self._handle,
            changed=self._tell,
        )
        self._children.append(child)
        child.start()
        return child

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds of a child."""
        with self._changed:
            assert self._changed.wait_for(holds, PATIENCE_S)

    def end(self) -> None:
        """End every child."""
        for child in self._children:
            child.stop()
        os.close(self._handle)

    def _tell(self) -> None:
        with self._changed:
            self._changed.notify_all()


@pytest.fixture
def nursery(tmp_path: Path) -> Iterator[Nursery]:
    """A place where children live until the end of the test."""
    made = Nursery(tmp_path)
    yield made
    made.end()


def test_child_that_is_killed_and_stopped_has_not_ended_by_itself(nursery: Nursery):
    """Killed it is started again; stopped it stays away."""
    child = nursery.child(LIVES_ON)
    child.kill()
    nursery.until(lambda: child.starts == 2)
    child.stop()

    assert (child.state, child.ends_by_itself) == ("stopped", 0)


def test_child_that_falls_has_ended_by_itself(nursery: Nursery):
    """It is started again all the same, and the fall is counted."""
    child = nursery.child(FALLS)
    nursery.until(lambda: child.starts == 2)

    assert child.ends_by_itself >= 1


def test_child_that_is_killed_twice_is_one_that_was_killed(nursery: Nursery):
    """A blow on what has fallen already hits nothing."""
    child = nursery.child(LIVES_ON)
    child.kill()
    child.kill()
    nursery.until(lambda: child.starts == 2)
    child.stop()

    assert (child.starts, child.ends_by_itself) == (2, 0)


def test_child_that_waits_to_be_started_again_can_be_stopped(nursery: Nursery):
    """Nothing is started any more, and what fell before is still counted."""
    child = nursery.child(FALLS)
    nursery.until(lambda: child.state == "waiting")
    child.stop()

    assert (child.state, child.ends_by_itself) == ("stopped", child.starts)
