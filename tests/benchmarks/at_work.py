"""At work: services of the house as processes of their own, and rounds that are open without a table that would call more."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from services.table.domain.round import ROUND
from shared.contracts.rounds import OpenRound
from shared.contracts.subjects import RoundName
from shared.contracts.table import TableSettings
from shared.kernel.folded import Asked, draft, empty
from shared.kernel.messages import HOUSE
from shared.kernel.profile import Profile
from shared.runtime.clock import SystemClock
from shared.runtime.event_store import Appended
from shared.runtime.jetstream_store import JetStreamStore
from tests.benchmarks.command_service import READY
from tests.benchmarks.seat import LIVE, PEN


@contextmanager
def serving(service: str, url: str) -> Iterator[None]:
    """Run one of the services until the bench is done."""
    command = [sys.executable, "-m", "tests.benchmarks.command_service", service, url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().strip() == READY, f"the {service} service does not start"
            yield
        finally:
            process.terminate()


async def open_round(store: JetStreamStore, name: RoundName, settings: TableSettings, profile: Profile = LIVE) -> None:
    """Open a round as the table service would write it."""
    command = OpenRound(
        round=name.id,
        number=name.number,
        table=name.table,
        day=name.day,
        profile=profile,
        settings=settings,
        shoe=f"{name.table}-S1",
        root="0" * 64,
    )
    now_ms = SystemClock().now_ms()
    drafted = draft(ROUND, empty(ROUND, name.stream), [Asked("open", command, HOUSE, now_ms)], PEN, now_ms=now_ms)
    appended = await store.append(name.stream, drafted.data, fence=0)
    assert isinstance(appended, Appended), appended
