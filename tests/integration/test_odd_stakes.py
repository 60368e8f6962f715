"""Odd stakes in currencies with two, none and three decimals, on the real server: cards from a scanner say who wins."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from feltlog.fake_scanner import FakeScanner, read_cards
from feltlog.reconciling.report import reconciled
from shared.contracts.accounts import HOUSE_ROUNDING
from shared.contracts.cage import Deposit, OpenAccount
from shared.contracts.decisions import Insure
from shared.contracts.stakes import StakesSettled
from shared.contracts.subjects import ledger_stream
from shared.contracts.wagers import WagersSettled
from tests.integration.running_house import OPERATOR, Floor, furnish, running, table_rows
from tests.integration.test_scanned_table import free_port

BURNT = "2C 3C 4C 5C 6C 7C"
NATURAL = "TH 9S AS 7D"
"""A blackjack against a nine, which pays 3:2."""
INSURED = "8D AH 7D KC"
"""Fifteen against a dealer's blackjack: the hand is lost, and insurance pays 2:1."""
PAID_IN = 100_000

PROFILE = """\
name = "{currency}"
base = "live"
minimum = "{minimum}"
maximum = "{maximum}"
chip_unit = "{chip}"

[shoe]
device = "scanned"
"""


@dataclass(frozen=True)
class Till:
    """A table in one currency, and in minor units what its two rounds must come to."""

    currency: str
    chip: str
    minimum: str
    maximum: str
    stake: int
    natural: int
    """What the blackjack gives back, stake and winnings; the house rounds up to the chip."""
    insurance: int
    """Half the stake, rounded up to the chip."""
    rounded: int
    """How much of all that is rounding; a part of a minor unit counts whole, because no account can hold it."""


TILLS = {
    "T1": Till("EUR", "0.01", "1.00", "100.00", stake=25_01, natural=62_53, insurance=12_51, rounded=1),
    "T2": Till("JPY", "1", "1", "1000", stake=5, natural=13, insurance=3, rounded=1),
    "T3": Till("KWD", "0.250", "0.250", "100.000", stake=750, natural=2_000, insurance=500, rounded=125),
}


def furnished(data: Path) -> dict[str, int]:
    """Write a house with a scanned table for each currency, and return the ports of their scanners."""
    ports = {table: free_port() for table in TILLS}
    scanners = "\n[scanners]\n" + "".join(f'{table} = "tcp://127.0.0.1:{port}"\n' for table, port in ports.items())
    tables = [
        table_rows(table, profile=till.currency, currency=till.currency, minimum=till.minimum, maximum=till.maximum, pause_ms=20)
        for table, till in TILLS.items()
    ]
    furnish(data, scanners, *tables)
    (data / "profiles").mkdir()
    for till in TILLS.values():
        profile = PROFILE.format(currency=till.currency, minimum=till.minimum, maximum=till.maximum, chip=till.chip)
        (data / "profiles" / f"{till.currency}.toml").write_text(profile)
    return ports


@asynccontextmanager
async def dealing(data: Path, saw: str) -> AsyncIterator[Floor]:
    """Yield such a house with open tables, whose scanners all see the same cards."""
    ports = furnished(data)
    cards = data / "cards.txt"
    cards.write_text(saw)
    async with AsyncExitStack() as stack:
        for port in ports.values():
            await stack.enter_async_context(FakeScanner(read_cards(cards)).serving(port=port))
        _, house = await stack.enter_async_context(running(data))
        await house.open_tables()
        yield house


async def two_rounds(house: Floor, table: str, till: Till) -> tuple[list[tuple[str, int, int]], int]:
    """Play a blackjack and an insured hand; return what each wager staked and got back, and the account in the end."""
    player = f"guest-{till.currency.lower()}"
    house.house.add_players([player])
    await house.pit.ask("wallet", "ledger", OpenAccount(player=player, operator=OPERATOR, currency=till.currency))
    await house.pit.ask("wallet", "ledger", Deposit(player=player, currency=till.currency, minor=PAID_IN))
    rounds = []
    for number in range(2):
        round = await house.call_round(table)
        rounds.append(round)
        assert (await house.wager(player, round, 1, till.stake)).status == "accepted"
        await house.close_betting(table, round)
        if number:
            await house.felt(table, lambda felt: felt.phase == "insurance")
            seat = await house.seat(player)
            insured = await seat.ask("table", table, Insure(round=round, box=1, stake_minor=till.insurance))
            assert insured.status == "accepted", insured
        await house.let_go(table)
    account = (await house.booked(*rounds)).account(player, till.currency)
    assert account is not None
    events = [event for round in rounds for event in await house.round_events(round)]
    lines = [line for event in events if isinstance(event, WagersSettled) for line in event.lines]
    return [(line.kind, line.stake_minor, line.returned_minor) for line in lines], account.minor


async def test_odd_stakes_are_paid_by_the_published_rounding(tmp_path: Path):
    """LV-2.3, LV-2.5.3, FL-5.9: 3:2 and 2:1 in minor units of each currency, rounded up to the chip, and no fraction is lost."""
    async with dealing(tmp_path, f"{BURNT} {NATURAL} {INSURED}") as house:
        found = {table: await two_rounds(house, table, till) for table, till in TILLS.items()}
        settled = [event for event in await house.events(ledger_stream(house.today)) if isinstance(event, StakesSettled)]
        differences, findings = (await reconciled(house.store, "")).differences, await house.findings()

    rounded = {event.currency: 0 for event in settled} | {
        event.currency: -posting.minor for event in settled for posting in event.postings if posting.account == HOUSE_ROUNDING
    }
    assert found == {table: expected(till) for table, till in TILLS.items()}
    assert rounded == {till.currency: till.rounded for till in TILLS.values()}
    assert (differences, findings) == ([], [])


def expected(till: Till) -> tuple[list[tuple[str, int, int]], int]:
    """Return what a table's wagers stake and get back, and what its player has in the end."""
    lines = [("main", till.stake, till.natural), ("insurance", till.insurance, 3 * till.insurance), ("main", till.stake, 0)]
    return lines, PAID_IN + sum(returned - stake for _, stake, returned in lines)
