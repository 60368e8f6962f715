"""The doorstep: `feltlog` while its commands are still being read from the disk.

That takes a second, and more on a busy machine.  Who presses Ctrl-C in it has stopped a command before its end like
anybody else, and is shown no traceback; nothing has been opened yet that would have to be closed.
"""

import sys
from importlib import import_module

from feltlog.stopping import STOPPED


def main() -> None:
    """Run the command that the command line names; exit with 130 if it is stopped before it could begin."""
    try:
        front = import_module("feltlog.__main__")
    except KeyboardInterrupt:
        sys.exit(STOPPED)
    front.main()
