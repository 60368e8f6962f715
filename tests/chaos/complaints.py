"""What stands out in a process's log: its errors with the lines around them, and its end.

A process that fell is started again and goes on writing: the end of its log says nothing about the fall.
"""

from pathlib import Path

BEFORE, BEHIND = 3, 30
"""So many lines before and behind each error are shown."""
END = 20
LINES_MAX = 400
MARKS = (" ERROR ", " CRITICAL ", "Traceback (most recent call last)", "Fatal Python error", "panic: ")


def standing_out(log: Path) -> str:
    """Return the lines of a log around every error and traceback, and its last ones; what lies between is left out."""
    try:
        lines = log.read_text(errors="replace").splitlines()
    except OSError:
        return "(there is no such file)"
    around = {at for place, line in enumerate(lines) if any(mark in line for mark in MARKS) for at in range(place - BEFORE, place + BEHIND)}
    shown = sorted(at for at in around | set(range(len(lines) - END, len(lines))) if 0 <= at < len(lines))
    text: list[str] = []
    before = -1
    for at in shown[-LINES_MAX:]:
        if at != before + 1:
            text.append("...")
        text.append(lines[at])
        before = at
    return "\n".join(text)
