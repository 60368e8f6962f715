"""The doorstep: Ctrl-C before a command has begun."""

import subprocess
import sys

STOPPED_WHILE_READING = """
import sys
from importlib.abc import MetaPathFinder

class Stopping(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "feltlog.commands":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Stopping())
from feltlog.doorstep import main
main()
"""


def test_ctrl_c_while_the_commands_are_read_shows_no_traceback():
    """It is a stop before the end, with the exit status of one."""
    ended = subprocess.run([sys.executable, "-c", STOPPED_WHILE_READING], capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")
