"""The house's money: over whole evenings what the players brought is what they have, and what the house has won."""

from hypothesis import given
from hypothesis import strategies as st

from services.wallet.domain.ledger import LEDGER
from services.wallet.domain.state import Ledger
from shared.contracts.accounts import HOUSE_WIN
from shared.contracts.stakes import StakeReleased, StakeReserved, StakesSettled
from shared.contracts.subjects import ledger_stream, round_of
from shared.contracts.wagers import WagersSettled
from shared.kernel.entry import decode
from tests.houses import WholeHouse, decider_of

BROUGHT = 50_000
PLAYERS = ("ann", "bob", "cyd")


def evening(seed: int) -> WholeHouse:
    """Return a house in which three players have played a few rounds under every book."""
    house = WholeHouse(seed)
    for player in PLAYERS:
        house.welcome(player, BROUGHT)
    for table, book in (("T1", "ontario"), ("T2", "live"), ("T3", "floor")):
        house.open_table(table, book)
    for _ in range(2):
        for table in ("T1", "T2", "T3"):
            house.play(table, house.chance.sample(PLAYERS, house.chance.randint(1, 3)))
    return house


def book_of(house: WholeHouse) -> Ledger:
    """Return the ledger as it stands."""
    state: Ledger = house.streams[ledger_stream(house.day)].state
    return state


seeds = st.integers(0, 2**32)


@given(seeds)
def test_stakes_come_back_to_players_or_go_to_the_house(seed: int):
    """Log page, settlement: stakes in are stakes out and what the house has won; nothing is left between."""
    ledger = book_of(evening(seed))
    held = {name: account.minor for name, account in ledger.accounts["CAD"].items() if not name.startswith("outside/")}
    at_players = sum(minor for name, minor in held.items() if name.endswith("/cash"))

    assert (
        at_players + held.get(HOUSE_WIN, 0),
        len(ledger.stakes),
        set(held) - {HOUSE_WIN, *(f"player/{name}/cash" for name in PLAYERS)},
    ) == (
        BROUGHT * len(PLAYERS),
        0,
        set(),
    )


@given(seeds)
def test_house_has_won_what_the_tables_say(seed: int):
    """ON-3.5, LV-2.1.4: the lines of all rounds and the books of the wallet come to the same, wager by wager."""
    house = evening(seed)
    tables = [stored for stored in house.stored if round_of(stored.stream)]
    told = [event for stored in tables for each in decode(decider_of(stored.stream), stored.data).decisions for event in each.events]
    lines = [line for event in told if isinstance(event, WagersSettled) for line in event.lines]
    won = sum(line.stake_minor - line.returned_minor for line in lines)
    account = book_of(house).accounts["CAD"].get(HOUSE_WIN)

    assert (account.minor if account else 0) == won


@given(seeds)
def test_stake_that_is_set_aside_goes_one_way_once(seed: int):
    """Log page, settlement: each wager is set aside once, and then settled or given back once."""
    house = evening(seed)
    entries = [decode(LEDGER, stored.data) for stored in house.stored if stored.stream == ledger_stream(house.day)]
    told = [event for entry in entries for each in entry.decisions for event in each.events]
    aside = [(event.round, event.wager) for event in told if isinstance(event, StakeReserved)]
    back = [(event.round, event.wager) for event in told if isinstance(event, StakeReleased)]
    back += [(event.round, line.wager) for event in told if isinstance(event, StakesSettled) for line in event.lines]

    assert (len(aside), sorted(aside)) == (len(set(aside)), sorted(back))
