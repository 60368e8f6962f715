"""A shoe that players cut, played from until it was replaced, in a house in one process."""

import asyncio
from functools import cache
from typing import Any

from msgspec.structs import replace

from feltlog.commands.shoe import export_of
from feltlog.exported import ExportedShoe
from services.table.domain.coming import Sealing
from services.table.domain.table_state import Table
from shared.contracts.cutting import CallCut, RevealCut, SealCut
from shared.contracts.subjects import table_stream
from shared.kernel.cutting import seal
from shared.kernel.messages import Actor
from shared.kernel.money import Ratio
from shared.runtime.shelf import profile
from tests.books import Books
from tests.houses import DAY, WholeHouse

TABLE = table_stream(DAY, "T1")
SECRETS = {"ann": "0a" * 32, "bob": "0b" * 32, "cyd": "0c" * 32}
ROUNDS_MAX = 40


def small_live() -> Any:
    """Return the book `live` over one deck, which ends after some rounds."""
    book = profile("live")
    shoe = replace(book.shoe, burns_after_shuffle=2, cutting_card=(Ratio(1, 8), Ratio(1, 4)))
    return replace(book, decks=1, shoe=shoe)


@cache
def house_with_a_cut() -> WholeHouse:
    """Return a house in which ann and bob told their secrets for the second shoe, cyd did not, and a third shoe replaced it."""
    house = WholeHouse(seed=11)
    house.welcome("ann")
    house.open_table("T1", "live", rules=small_live())
    state = coming(house)
    for player, secret in SECRETS.items():
        sealed = SealCut(shoe=state.shoe, root=state.root, seal=seal(state.shoe, player, secret))
        assert house.ask(TABLE, sealed, Actor("player", player)).status == "accepted"
    play_until(house, "T1-S2", told=state)
    play_until(house, "T1-S3")
    return house


def coming(house: WholeHouse) -> Sealing:
    """Return the shoe that comes next, for which seals are taken."""
    table: Table = house.streams[TABLE].state
    assert isinstance(table.coming, Sealing)
    return table.coming


def play_until(house: WholeHouse, shoe: str, told: Sealing | None = None) -> None:
    """Play until a shoe is mounted; ann and bob tell their secrets when they are asked for them, and cyd stays silent."""
    for _ in range(ROUNDS_MAX):
        table: Table = house.streams[TABLE].state
        if table.mounted is None and told is not None:
            for player in ("ann", "bob"):
                said = RevealCut(shoe=told.shoe, root=told.root, secret=SECRETS[player])
                assert house.ask(TABLE, said, Actor("player", player)).status == "accepted"
            house.now_ms += 3_000
            house.ask(TABLE, CallCut(shoe=told.shoe))
            table = house.streams[TABLE].state
        if table.mounted is not None and table.mounted.shoe == shoe:
            return
        house.play("T1", ["ann"])
    raise AssertionError(f"no shoe of one deck ended within {ROUNDS_MAX} rounds")


def exported(shoe: str, house: WholeHouse | None = None) -> ExportedShoe:
    """Return a shoe of that house as a stranger gets it."""
    return asyncio.run(export_of(Books((house or house_with_a_cut()).stored), shoe))
