"""The benches on a real server: they run from the command line, and their report has its form.  No figure is looked at."""

import json
import subprocess
import sys
from pathlib import Path

KEYS = ["bench", "value", "unit", "peer", "peer_value", "ratio", "at_least"]


def test_append_and_command_are_reported_with_both_settings_of_the_server(tmp_path: Path):
    """What money rests on has a line; what others measure with stands beside it and has none."""
    out = tmp_path / "bench.json"
    command = [sys.executable, "-m", "tests.benchmarks", "append", "command", "--scale", "0.02", "--json", "--out", str(out)]
    said = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    rows = json.loads(said.stdout)["rows"]

    assert (
        [(row["bench"], row["peer"], row["at_least"]) for row in rows],
        [list(row) for row in rows],
        json.loads(out.read_text())["rows"] == rows,
        said.returncode in (0, 1),
    ) == (
        [
            ("append", "nats-py", 0.8),
            ("append (default sync)", "nats-py", None),
            ("command", "nats-py", 0.6),
            ("command (default sync)", "nats-py", None),
        ],
        [KEYS] * 4,
        True,
        True,
    )
