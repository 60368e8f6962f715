"""Stopping: a request to end is taken as Ctrl-C, also by what a shell has started in the background."""

import subprocess
import sys

import pytest

SCRIPT = """
import os, signal
from feltlog.trouble import Trouble
from tests.statuses import run
signal.signal(signal.SIGINT, signal.{ctrl_c})
signal.signal(signal.SIGHUP, signal.{closed_terminal})
def work():
    {work}
    return 0
run(work)
"""


@pytest.mark.parametrize("ctrl_c", ["default_int_handler", "SIG_IGN"])
def test_request_to_end_stops_a_command(ctrl_c: str):
    """What ignores Ctrl-C because it runs in the background is asked to end like everything else."""

    assert status("os.kill(os.getpid(), signal.SIGTERM)", ctrl_c=ctrl_c) == 130


def test_closed_terminal_stops_no_command_under_nohup():
    """Whoever says nohup wants it to go on."""

    assert status("os.kill(os.getpid(), signal.SIGHUP)", closed_terminal="SIG_IGN") == 0


def test_trouble_is_status_2():
    """What a person must put right is no finding."""

    assert status("raise Trouble('the house cannot be started')") == 2


def status(work: str, *, ctrl_c: str = "default_int_handler", closed_terminal: str = "SIG_DFL") -> int:
    """Return the exit status of a command that does this work."""
    script = SCRIPT.format(work=work, ctrl_c=ctrl_c, closed_terminal=closed_terminal)
    return subprocess.run([sys.executable, "-c", script], capture_output=True, check=False).returncode
