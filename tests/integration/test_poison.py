"""Bytes that are no entry: what comes from that round is held, everybody says so, and the other tables play on."""

import signal
import subprocess
import sys
from collections.abc import Iterator

import msgspec
import pytest

from feltlog.commands.quarantine import look
from shared.contracts.desk import LiftQuarantine, SourceQuarantined
from shared.contracts.subjects import round_name
from shared.contracts.wagers import PlaceWager
from shared.kernel.messages import PENDING
from shared.runtime.connection import Endpoint, connect
from shared.runtime.event_store import Appended
from shared.runtime.jetstream_store import JetStreamStore
from tests.integration.busy_house import BusyHouse, at_bets
from tests.integration.evidence import findings
from tests.integration.patience import until

HEARERS = ("shoe", "table", "wallet")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BusyHouse]:
    """A house of which one table will never be whole again."""
    house = BusyHouse(tmp_path_factory.mktemp("house"))
    try:
        house.start()
        yield house
    finally:
        house.stop()


async def poison(house: BusyHouse, stream: str) -> int:
    """Append what is no entry, as whoever stole the table's credentials might, and return its place in the log."""
    client = await connect(Endpoint(url=house.machine.url, credentials=house.machine.credentials("table")))
    try:
        store = JetStreamStore(client)
        last = await store.last(stream)
        assert last is not None, f"{stream} has begun"
        appended = await store.append(stream, b'{"stream":"no entry"}', fence=last.sequence)
        assert isinstance(appended, Appended)
        return appended.sequence
    finally:
        await client.close()


async def held(house: BusyHouse) -> list[tuple[str, str, str]]:
    """Return what is held, by service, subject and target."""
    rows, _ = await look(house.house, house.machine.url)
    return sorted((row.service, row.subject, row.target) for row in rows)


async def test_a_poisoned_round_is_held_and_the_other_tables_play_on(house: BusyHouse):
    """A round with a wager under way cannot be read: its own subject is held everywhere, and the ledger's only for that round."""
    pids = {name: house.machine.pid(name) for name in HEARERS}
    async with house.pit() as pit, house.seat("ann") as ann, house.voice("ann", "table", "T1") as voice:
        felt = await at_bets(ann)
        stream = round_name(felt.round).stream
        wager = PlaceWager(round=felt.round, box=1, stake_minor=200)
        house.signal("wallet", signal.SIGSTOP)
        said = await voice.say("wager", wager)
        sequence = await poison(house, stream)
        house.signal("wallet", signal.SIGCONT)

        async def everybody_holds_it() -> bool:
            rows = await held(house)
            return all((name, stream, "") in rows for name in HEARERS) and any(row[2] == stream for row in rows)

        await until(everybody_holds_it, "every service that hears the round holds it")
        rows = await held(house)
        late = await voice.say("late", wager)
        async with house.evening("T2") as play:
            await play.more_rounds()
            lifted = [await pit.ask(name, "desk", LiftQuarantine(subject=stream)) for name in HEARERS]
            still = await held(house)
            before_kills = {name: house.machine.pid(name) for name in HEARERS}
            for name in HEARERS:
                await house.restart(name)
            await play.more_rounds()
        after = await held(house)
    listed = subprocess.run(
        [sys.executable, "-m", "feltlog", "quarantine", "list", "--json", "--data", str(house.house.data)], capture_output=True, check=False
    )
    lines = [msgspec.json.decode(line, type=SourceQuarantined) for line in listed.stdout.splitlines()]
    async with house.logs() as store:
        found = await findings(store)

    assert said == PENDING
    assert (late.code, late.final, before_kills) == ("quarantined", False, pids)
    assert {(answer.status, answer.code) for answer in lifted} == {("refused", "still_quarantined")}
    assert (still, after) == (rows, rows)
    assert {row for row in rows if row[1] == stream} == {(name, stream, "") for name in HEARERS}
    assert [(row[0], row[1].split(".")[1]) for row in rows if row[2]] == [("table", "wallet")]
    assert (listed.returncode, {(row.service, row.sequence) for row in lines if row.subject == stream}) == (
        1,
        {(name, sequence) for name in HEARERS},
    )
    assert {(each.stream, each.sequence) for each in found if each.code == "unreadable"} == {(stream, sequence)}
