"""Garbage is looked for seldom in a service, and still looked for."""

import subprocess
import sys

from shared.runtime.garbage import NEW_OBJECTS


def test_service_looks_for_garbage_seldom_and_does_not_stop_looking():
    """Only the number of new objects changes, and only in the process that asks for it."""
    program = (
        "import gc; before = gc.get_threshold(); from shared.runtime.garbage import look_seldom; look_seldom(); "
        "print(gc.isenabled(), gc.get_threshold()[0], gc.get_threshold()[1:] == before[1:])"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout

    assert said.split() == ["True", str(NEW_OBJECTS), "True"]
