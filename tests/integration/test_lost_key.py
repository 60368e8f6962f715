"""A shoe whose key is lost stays closed, and is the same shoe when the key is there again."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from feltlog.commands.connection import reading
from feltlog.house import House
from feltlog.machine import Machine, run_apart
from feltlog.trouble import Trouble
from services.shoe.app.sealing import ENVIRONMENT
from shared.contracts.shoe import ShoeRetired
from shared.contracts.subjects import log_name, shoe_stream
from shared.contracts.table import CloseTable
from tests.integration.running_house import furnish, running, table_rows, today_in

SAID = (
    r"The order of shoe T1-S\d was sealed with the key \S+, and this house holds \S+\. "
    r"Put the other key back until the shoe is retired; the order cannot be made again\."
)


def stand(felt: object) -> str:
    """Draw no further card."""
    return "stand"


def is_gone(key: Path, patch: pytest.MonkeyPatch) -> None:
    """Lose the file: the house makes itself another key, which opens nothing that was sealed before."""
    key.unlink()


def has_other_bytes(key: Path, patch: pytest.MonkeyPatch) -> None:
    """Have the file with the right name on another key."""
    other = tomllib.loads(key.read_text()) | {"key_hex": "00" * 32}
    key.write_text("".join(f'{name} = "{value}"\n' for name, value in other.items()))


def is_another_by_the_environment(key: Path, patch: pytest.MonkeyPatch) -> None:
    """Name another key in the environment, which goes before the file."""
    patch.setenv(ENVIRONMENT, "elsewhere:" + "ab" * 32)


def orders(data: Path) -> list[tuple[str, bytes]]:
    """Return every entry of the shoes of the day, byte for byte."""

    async def read() -> list[tuple[str, bytes]]:
        house = House(data)
        async with reading(house) as store:
            return [(each.stream, each.data) async for each in store.read(log_name("shoe", today_in(house)))]

    return run_apart(read())


@pytest.mark.parametrize("lose", [is_gone, has_other_bytes, is_another_by_the_environment])
async def test_shoe_whose_key_is_lost_stays_closed(tmp_path: Path, lose: Callable[[Path, pytest.MonkeyPatch], None]):
    """ADR 0009: a missing or wrong key is a clear refusal and never a new order; with the right one play goes on."""
    furnish(tmp_path, table_rows("T1"))
    async with running(tmp_path) as (_, floor):
        await floor.open_tables()
        await floor.welcome("ann")
        before = await floor.pit.felt("T1")
    sealed = orders(tmp_path)
    key = House(tmp_path).sealing_key
    kept = key.read_text()
    with pytest.MonkeyPatch.context() as patch:
        lose(key, patch)
        machine = Machine(tmp_path)
        with pytest.raises(Trouble, match=SAID):
            machine.start()
        machine.stop()
    closed = orders(tmp_path)
    key.write_text(kept)
    async with running(tmp_path) as (_, floor):
        round = await floor.call_round("T1")
        await floor.wager("ann", round, 1)
        await floor.close_betting("T1", round)
        after = await floor.play_on("T1", stand)
        await floor.booked(round)
        await floor.pit.ask("table", "T1", CloseTable())
        retired = await floor.happened(shoe_stream(floor.today, before.shoe), ShoeRetired)
        found = await floor.findings()

    assert (closed, after.shoe, after.root, after.phase) == (sealed, before.shoe, before.root, "settled")
    assert (len(retired.seed), found) == (64, [])
