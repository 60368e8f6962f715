"""Settings that every service process has: where the log is, who it is there, and when the gaming day begins."""

from dataclasses import dataclass
from pathlib import Path


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
    allow_volatile: bool = False
