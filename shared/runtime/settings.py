"""Settings that every service process has: where the log is, who it is there, and when the gaming day begins."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from zoneinfo import ZoneInfo

from shared.contracts.caps import BadCaps, caps_of
from shared.contracts.staff import PIT, BadStaff, Job, staff_of
from shared.kernel.toml import quoted

TIME_OF_DAY = r"^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?\Z"

SCANNER = r"^(tcp://[A-Za-z0-9._-]+:[0-9]{1,5}|serial:/[^\s\x00-\x1f\x7f]+)\Z"
"""Where a scanner is reached: `tcp://HOST:PORT` or `serial:/dev/NAME`."""

DATABASE = "FELTLOG_WALLET_DATABASE"
"""Where the wallet's rows are kept; it may hold a password, and is shown to nobody."""
ROWS_FILE = "books.sqlite"
"""Where they are kept if nothing is said, in the data directory."""


class SettingMissing(Exception):
    """A process was started without something that it cannot do without."""


@dataclass(frozen=True)
class ServiceSettings:
    """What a process needs before it can ask anybody anything.

    `allow_volatile` serves without `sync_interval: always`; it exists for tests and says so in every log.
    """

    nats_url: str
    monitor_url: str
    credentials: Path
    data: Path
    day_starts: str
    zone: str
    sealing_key: Path
    allow_volatile: bool = False
    staff: Mapping[str, Job] = field(default_factory=lambda: PIT)
    """Who has which job."""
    scanners: Mapping[str, str] = field(default_factory=dict)
    """Where the scanner of a table is reached, by table."""
    adjustment_caps: Mapping[str, int] = field(default_factory=dict)
    """How much one adjustment may move, in minor units by currency, where the house has said so."""
    database: str = field(default="", repr=False)
    """Where the wallet's rows are kept; empty for a file of their own in `data`."""


def demand_assertions() -> None:
    """Raise `SettingMissing` if Python leaves assertions out: whatever they stop would go on unseen."""
    if not __debug__:
        raise SettingMissing("Python leaves assertions out (-O, or PYTHONOPTIMIZE is set). Start it as it is: money rests on them.")


def from_environment(environment: Mapping[str, str] = os.environ) -> ServiceSettings:
    """Return the settings that the environment names; raise `SettingMissing` for one that is not there or cannot be meant."""

    def needed(name: str) -> str:
        try:
            return environment[name]
        except KeyError:
            raise SettingMissing(f"{name} is not set. `feltlog up` sets everything; see docs/operations for what to set by hand.") from None

    data = Path(needed("FELTLOG_DATA"))
    try:
        staff = PIT | staff_of(environment.get("FELTLOG_STAFF", ""))
    except BadStaff as error:
        raise SettingMissing(f"FELTLOG_STAFF: {error}.") from None
    try:
        caps = caps_of(environment.get("FELTLOG_ADJUSTMENT_CAPS", ""))
    except BadCaps as error:
        raise SettingMissing(f"FELTLOG_ADJUSTMENT_CAPS: {error}.") from None
    return ServiceSettings(
        nats_url=needed("FELTLOG_NATS_URL"),
        monitor_url=needed("FELTLOG_MONITOR_URL"),
        credentials=Path(needed("FELTLOG_CREDENTIALS")),
        data=data,
        day_starts=_time_of_day(environment.get("FELTLOG_DAY_STARTS", "06:00")),
        zone=_zone(environment.get("FELTLOG_ZONE", "UTC")),
        sealing_key=Path(environment.get("FELTLOG_SEALING_KEY", str(data / "secrets" / "sealing.key"))),
        allow_volatile=environment.get("FELTLOG_ALLOW_VOLATILE", "") == "1",
        staff=staff,
        scanners=scanners_of(environment.get("FELTLOG_SCANNERS", "")),
        adjustment_caps=caps,
        database=environment.get(DATABASE, ""),
    )


def scanners_line(scanners: Mapping[str, str]) -> str:
    """Return the scanners of tables as they stand in a process's environment.

    >>> scanners_line({"T1": "tcp://127.0.0.1:7001"})
    'T1=tcp://127.0.0.1:7001'
    """
    return " ".join(f"{table}={address}" for table, address in sorted(scanners.items()))


def scanners_of(line: str) -> dict[str, str]:
    """Return where the scanner of each table is reached; raise `SettingMissing` for anything that `scanners_line` does not write.

    >>> scanners_of("T1=tcp://127.0.0.1:7001 T2=serial:/dev/ttyUSB0")
    {'T1': 'tcp://127.0.0.1:7001', 'T2': 'serial:/dev/ttyUSB0'}
    """
    found: dict[str, str] = {}
    for each in line.split():
        table, _, address = each.partition("=")
        if not re.match(r"^[A-Za-z0-9_-]{1,64}\Z", table) or not re.match(SCANNER, address) or table in found:
            raise SettingMissing(f"FELTLOG_SCANNERS: {quoted(each)} is not TABLE=tcp://HOST:PORT or TABLE=serial:/dev/X, each once.")
        found[table] = address
    return found


def _time_of_day(text: str) -> str:
    if not re.match(TIME_OF_DAY, text):
        raise SettingMissing(f"FELTLOG_DAY_STARTS is {quoted(text)}, which is no time of day. Write one such as 06:00.")
    return text


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise SettingMissing(f"FELTLOG_ZONE is {quoted(name)}: there is no such time zone on this machine.") from None
    return name
