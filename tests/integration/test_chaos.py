"""A kill run that is stopped: whatever was hit just then, nothing is left running."""

import signal
import subprocess
import sys
from pathlib import Path

from feltlog.house import House
from feltlog.running import is_alive
from tests.house.tree import ROOT


def test_stopped_run_leaves_nothing_running(tmp_path: Path):
    """Ctrl-C in the middle of the blows: status 130, every process has ended, the data stays."""
    data = tmp_path / "house"
    command = [sys.executable, "-m", "tests.chaos", "--kills", "9", "--data", str(data)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        next(line for line in run.stdout if "back after" in line)
        running = House(data).running
        run.send_signal(signal.SIGINT)
        said = run.stdout.read()
    assert running is not None
    left = [name for name, seen in running.processes.items() if seen.pid is not None and is_alive(seen.pid)]

    assert (run.returncode, left, House(data).running, str(data) in said) == (130, [], None, True)
