"""A shoe whose key is lost stays closed, and is the same shoe when the key is there again."""

import tomllib
from pathlib import Path

import pytest

from feltlog.house import House
from feltlog.machine import Machine
from feltlog.trouble import Trouble
from tests.integration.running_house import furnish, running, table_rows


def stand(felt: object) -> str:
    """Draw no further card."""
    return "stand"


async def test_shoe_whose_key_is_lost_stays_closed(tmp_path: Path):
    """ADR 0009: a missing or wrong key is a clear refusal and never a new order; with the right one play goes on."""
    furnish(tmp_path, table_rows("T1"))
    async with running(tmp_path) as (_, floor):
        await floor.open_tables()
        await floor.welcome("ann")
        before = await floor.pit.felt("T1")
    key = House(tmp_path).sealing_key
    kept = key.read_text()
    other = tomllib.loads(kept) | {"key_hex": "00" * 32}
    key.write_text("".join(f'{name} = "{value}"\n' for name, value in other.items()))
    machine = Machine(tmp_path)
    with pytest.raises(Trouble):
        machine.start()
    machine.stop()
    said = (tmp_path / "logs" / "shoe.log").read_text()
    key.write_text(kept)
    async with running(tmp_path) as (_, floor):
        round = await floor.call_round("T1")
        await floor.wager("ann", round, 1)
        await floor.close_betting("T1", round)
        after = await floor.play_on("T1", stand)

    assert ("was sealed with the key" in said, (after.shoe, after.root), after.phase) == (True, (before.shoe, before.root), "settled")
