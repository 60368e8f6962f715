"""The leash: ties a child process to the life of the process that started it.

`python leash.py SIGNAL PARENT PROGRAM ARGUMENT...` asks the kernel to send SIGNAL when the parent dies, then becomes
PROGRAM.  It is a step of its own because the request must be made inside the child, and code that runs between fork
and exec in a process with threads can hang for ever.  Elsewhere than on Linux it only becomes PROGRAM.

The kernel watches the *thread* that started the child, so that thread has to live as long as the child is wanted.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Become the program named on the command line, on a leash."""
    signal_number, parent = int(sys.argv[1]), int(sys.argv[2])
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal_number)
        # The parent may have died before the kernel was asked.
        if os.getppid() != parent:
            sys.exit(1)
    os.execv(sys.argv[3], sys.argv[3:])


if __name__ == "__main__":
    main()
