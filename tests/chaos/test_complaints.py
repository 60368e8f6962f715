"""Complaints: what a finding shows of a process's log."""

from pathlib import Path

from tests.chaos.complaints import BEHIND, END, standing_out


def test_fall_is_shown_however_much_was_written_after_it(tmp_path: Path):
    """The lines around it, what is left out, and the end."""
    log = tmp_path / "shoe.log"
    lines = [f"line {number}" for number in range(1_000)]
    lines[500] = "2026-11-30 18:00:00 ERROR listen failed"
    log.write_text("\n".join(lines))

    assert standing_out(log).splitlines() == ["...", *lines[497 : 500 + BEHIND], "...", *lines[-END:]]


def test_log_that_is_not_there_is_said_to_be_missing(tmp_path: Path):
    """A finding is told whatever else is wrong."""
    assert standing_out(tmp_path / "none.log") == "(there is no such file)"
