"""The same everywhere: whoever replays a log gets the same bytes, whatever the clock, the language and the hashing of the machine."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from feltlog.machine import store_only
from tests.integration.recorded_evening import Evening

HOME = {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0"}
ABROAD = [
    {"TZ": "Pacific/Kiritimati", "LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "1"},
    {"TZ": "America/St_Johns", "LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONHASHSEED": "4294967295"},
]
COMMANDS = {
    "replay": ["feltlog", "replay", "{round}", "--json"],
    "verify": ["feltlog", "verify", "--all", "--json"],
    "statement": ["feltlog", "statement", "ann", "--json"],
    "statement for people": ["feltlog", "statement", "ann"],
    "states": ["tests.integration.processes.fold_states"],
}


@pytest.fixture(scope="module")
def served(evening: Evening) -> Iterator[Evening]:
    """The evening's logs, on a server that runs."""
    with store_only(evening.data):
        yield evening


@pytest.mark.parametrize("what", COMMANDS)
def test_output_is_the_same_everywhere(what: str, served: Evening):
    """House page: replaying under another time zone, locale and hash seed gives identical bytes."""
    there = [said(served, what, settings) for settings in ABROAD]

    assert there == [said(served, what, HOME)] * len(ABROAD)


def said(evening: Evening, what: str, settings: dict[str, str]) -> tuple[int, bytes]:
    """Return the exit status and the output of a command on another machine."""
    words = [word.format(round=evening.round) for word in COMMANDS[what]]
    data = [str(evening.data)] if words[0].startswith("tests.") else ["--data", str(evening.data)]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    finished = subprocess.run([sys.executable, "-m", *words, *data], env=inherited | settings, capture_output=True, check=False)
    assert finished.stdout, finished.stderr.decode()
    return finished.returncode, finished.stdout
