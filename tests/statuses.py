"""How `make simulate`, `make chaos` and `make bench` end: with the exit statuses of `feltlog`, each for the same reason."""

import sys
from collections.abc import Callable
from typing import NoReturn

from feltlog.stopping import STOPPED, hear_requests_to_end
from feltlog.trouble import Trouble

FINE, FOUND, MISUSED = 0, 1, 2
"""Nothing was found; something was; the command was used wrongly, or what it needs is not there."""


def run(work: Callable[[], int]) -> NoReturn:
    """Do the work and exit with the status that it returns, or with that of what kept it from its end, said in a sentence."""
    hear_requests_to_end()
    try:
        status = work()
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        status = STOPPED
    except Trouble as trouble:
        print(trouble, file=sys.stderr)
        status = MISUSED
    sys.exit(status)
