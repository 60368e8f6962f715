"""A table under a scanner, on the real server: whole rounds from a file of cards, and a shoe service that dies between scan and log.

Whatever happens in between, the logs hold every card that left the shoe once, in the order in which the scanner saw them.
"""

import asyncio
import random
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from feltlog.fake_scanner import FakeScanner, read_cards
from shared.contracts.dealing import CardDealt
from shared.contracts.rounds import RoundSettled
from shared.contracts.shoe import CardDrawn, CardScanned, CardsExposed, CardsOpened, CardTurned, CompositionDoubted, CuttingCardScanned
from shared.contracts.subjects import shoe_stream
from shared.contracts.table import CloseTable, FaceAwaited, RoundCalled, ShoeCalled, ShoeMounted, TableClosed, TellCard
from shared.kernel.cards import DECK
from tests.integration.patience import until
from tests.integration.running_house import Floor, furnish, running, table_rows

PROFILE = 'name = "scanned"\nbase = "ontario"\ndecks = 8\n\n[shoe]\ndevice = "scanned"\n'
ROUNDS = 10
CARDS_TO_MARKER = 40
"""So few that several shoes are played, and that no eight decks lack any of these cards."""
KILLS = 6


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def stack(seed: int) -> list[str]:
    """Return what a scanner sees in an evening: decks, each shuffled, with a cutting card now and then."""
    chance = random.Random(seed)
    cards = [card for _ in range(14) for card in chance.sample(DECK, len(DECK))]
    return [word for at, card in enumerate(cards, start=1) for word in ((card, "--") if at % CARDS_TO_MARKER == 0 else (card,))]


@pytest.fixture
def port(tmp_path: Path) -> int:
    """A house with one table under a scanner at this port."""
    found = free_port()
    rows = table_rows("T1", profile="scanned", currency="EUR", minimum="1.00", maximum="5.00", pause_ms=20)
    furnish(tmp_path, f'\n[scanners]\nT1 = "tcp://127.0.0.1:{found}"\n', rows)
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "scanned.toml").write_text(PROFILE)
    return found


@asynccontextmanager
async def fake_scanner(file: Path, port: int) -> AsyncIterator[None]:
    """Run `feltlog scanner fake FILE` while the block runs."""
    words = ["-m", "feltlog", "scanner", "fake", str(file), "--port", str(port), "--every", "0"]
    process = await asyncio.create_subprocess_exec(sys.executable, *words, stderr=asyncio.subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        await process.wait()


async def shoes(floor: Floor) -> dict[str, list[Any]]:
    """Return the events of each shoe of the table, in the order in which they were called."""
    called = [event.shoe for event in await floor.table_events("T1", floor.today) if isinstance(event, ShoeCalled)]
    names = [name for shoe in called for name in (shoe, f"{shoe}b", f"{shoe}bb")]
    return {name: found for name in names if (found := await floor.events(shoe_stream(floor.today, name)))}


async def seen(floor: Floor) -> list[tuple[int, str]]:
    """Return number and face of everything that the logs hold of the scanner, in the order in which it was stored."""
    told: list[tuple[int, str]] = []
    for events in (await shoes(floor)).values():
        faces: dict[int, str] = {}
        for event in events:
            match event:
                case CardDrawn(card=card) if card.opening:
                    faces[card.index] = card.opening.card
                case CardTurned(opening=opening):
                    faces[opening.index] = opening.card
                case CardsExposed() | CardsOpened():
                    faces |= {opening.index: opening.card for opening in event.openings}
                case _:
                    pass
        scanned = [event for event in events if isinstance(event, CardScanned | CuttingCardScanned)]
        told += [(event.n, faces.get(event.index, "??") if isinstance(event, CardScanned) else "--") for event in scanned]
    return told


async def acknowledged(device: FakeScanner, number: int) -> bool:
    """Return whether so much of what the scanner saw is acknowledged."""
    return device.acknowledged >= number


async def front_door(data: Path, *words: str) -> tuple[int, str]:
    """Return exit status and output of a command of the front door."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "feltlog", *words, "--data", str(data), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, " ".join(output.decode().split())


async def close(floor: Floor) -> None:
    """Close the table, so that its last shoe is opened."""
    await floor.pit.ask("table", "T1", CloseTable())
    await until(lambda: floor.has(f"log.table.{floor.today}.T1.table", TableClosed))


async def play(floor: Floor, rounds: int) -> None:
    """Play rounds with one player, who hits to twelve."""
    for _ in range(rounds):
        round = await floor.call_round("T1")
        assert (await floor.wager("ann", round, 1, 200)).status == "accepted"
        await floor.close_betting("T1", round)
        await floor.play_on("T1", lambda felt: "stand" if felt.boxes[0].hands[0].total > 12 else "hit")


async def test_whole_rounds_are_played_from_a_file_of_cards(tmp_path: Path, port: int):
    """`feltlog scanner fake FILE`: round after round over several shoes, every card as it stands in the file, and all of it proved."""
    cards = stack(1)
    file = tmp_path / "cards.txt"
    file.write_text(" ".join(cards))
    async with fake_scanner(file, port), running(tmp_path) as (_, floor):
        await floor.open_tables()
        await floor.welcome("ann")
        await play(floor, ROUNDS)
        await close(floor)
        told, found = await seen(floor), await floor.findings()
        of_table = await floor.table_events("T1", floor.today)
        doubts = [event for events in (await shoes(floor)).values() for event in events if isinstance(event, CompositionDoubted)]

    round = next(event.round for event in of_table if isinstance(event, RoundCalled))
    words = {"replay": [round], "verify": ["--all"], "rack": ["T1-S1"], "shoe": ["export", "T1-S1"]}
    said = {word: await front_door(tmp_path, word, *more) for word, more in words.items()}

    assert told == list(enumerate(cards, start=1))[: len(told)]
    assert {word: status for word, (status, _) in said.items()} == {"replay": 0, "verify": 0, "rack": 0, "shoe": 2}
    assert "A scanner read each card" in said["replay"][1]
    assert "T1-S1 stood under a scanner" in said["shoe"][1]
    assert (found, doubts) == ([], [])
    assert len([event for event in of_table if isinstance(event, ShoeMounted)]) >= 2


async def test_shoe_service_that_dies_between_scan_and_log_loses_no_card_and_doubles_none(tmp_path: Path, port: int):
    """`kill -9`, again and again while cards are scanned: each stands in the logs once, as the scanner saw it."""
    chance, cards = random.Random(7), stack(2)
    file = tmp_path / "cards.txt"
    file.write_text(" ".join(cards))
    device = FakeScanner(read_cards(file), every_s=0.01)
    async with device.serving(port=port), running(tmp_path) as (machine, floor):
        await floor.open_tables()
        await floor.welcome("ann")
        playing = asyncio.create_task(play(floor, ROUNDS))
        for _ in range(KILLS):
            # Not before the one that was started since has stored something.
            further = device.acknowledged + chance.randint(2, 6)
            await until(partial(acknowledged, device, further))
            await asyncio.sleep(chance.uniform(0, 0.03))
            await asyncio.to_thread(machine.kill, "shoe")
        await playing
        await close(floor)
        told, found = await seen(floor), await floor.findings()
        pages = [page for shoe in await shoes(floor) for page in await floor.pages(shoe_stream(floor.today, shoe))]
        writers = len({page.entry.writer for page in pages})

    assert told == list(enumerate(cards, start=1))[: len(told)]
    assert (found, writers > KILLS // 2) == ([], True)


async def test_card_that_the_scanner_cannot_read_is_told_at_the_table(tmp_path: Path, port: int):
    """The round waits for a member of staff, and goes on with their word."""
    file = tmp_path / "cards.txt"
    file.write_text("2C TH ?? 9S 8D 7D 6D 5D 4D")
    async with FakeScanner(read_cards(file)).serving(port=port), running(tmp_path) as (_, floor):
        await floor.open_tables()
        await floor.welcome("ann")
        round = await floor.call_round("T1")
        await floor.wager("ann", round, 1, 200)
        await floor.close_betting("T1", round)
        awaited = await floor.happened(f"log.table.{floor.today}.T1.table", FaceAwaited)
        await floor.pit.ask("table", "T1", TellCard(shoe=awaited.shoe, index=awaited.index, card="TD"))
        await floor.let_go("T1")
        await close(floor)
        events, found = await floor.round_events(round), await floor.findings()

    assert [event.card for event in events if isinstance(event, CardDealt)][:3] == ["TH", "TD", "9S"]
    assert (isinstance(events[-1], RoundSettled), found) == (True, [])
