"""A shuffling device in a whole house: each round plays from an order of its own that was committed before its betting opened."""

import subprocess
import sys
from collections import Counter
from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from feltlog.exported import text_of
from services.surveillance.domain.watch import Watch, verify
from services.surveillance.redecide import Again
from services.table.domain.table_state import Table
from shared.contracts.cutting import SealCut
from shared.contracts.dealing import CardDealt
from shared.contracts.refusals import Reason
from shared.contracts.shoe import CardsBurned, CuttingCardPlaced, OrderCommitted, ShoeCut, ShoePrepared, ShoeRetired
from shared.contracts.subjects import round_name, table_stream
from shared.contracts.table import CloseTable, RoundCalled
from shared.kernel.messages import Actor
from shared.kernel.profile import Profile
from shared.runtime.shelf import profile
from tests.forgery import forged, read
from tests.house.tree import ROOT
from tests.houses import DAY, WholeHouse
from tests.shoes import exported

ROUNDS = 12
TABLE = table_stream(DAY, "T1")


def with_device(book: str) -> Profile:
    """Return a book whose cards lie in a shuffling device."""
    rules = profile(book)
    return replace(rules, shoe=replace(rules.shoe, device="shuffling_device"))


def house_after(rounds: int, book: str = "floor", *, rulings: float = 0.0, seed: int = 5) -> WholeHouse:
    """Return a house with a device at its table."""
    house = WholeHouse(seed=seed)
    players = ["ann", "bob"]
    for player in players:
        house.welcome(player)
    house.open_table("T1", book, rules=with_device(book))
    for _ in range(rounds):
        house.play("T1", players, rulings=rulings)
    return house


@cache
def evening() -> WholeHouse:
    """Return a house in which a device shuffled for twelve rounds and the table was then closed."""
    house = house_after(ROUNDS)
    house.ask(TABLE, CloseTable(), Actor("staff", "pit", "pit_boss"))
    return house


def events(house: WholeHouse, *kinds: type[Any]) -> list[Any]:
    """Return the events of some kinds of the whole house, in the order in which they were stored."""
    decided = [decision for one in house.stored for decision in read(one).decisions]
    return [event for decision in decided for event in decision.events if isinstance(event, kinds)]


def test_each_round_plays_from_an_order_of_its_own():
    """FL-4.6, decision 21: the cards return after the round, and the device has shuffled all of them again."""
    called = [event.shoe for event in events(evening(), RoundCalled)]

    assert called == [f"T1-S{number}" for number in range(1, ROUNDS + 1)]


def test_order_is_committed_before_its_round_is_called():
    """ADR 0018: nothing is chosen once a wager may lie."""
    told = [(type(event), event.shoe, event.root) for event in events(evening(), OrderCommitted, RoundCalled)]
    late = [each for at, each in enumerate(told) if each[0] is RoundCalled and (OrderCommitted, *each[1:]) not in told[:at]]

    assert late == []


def test_nobody_cuts_and_cards_are_burned_once():
    """FL-4.6, decision 21: no cut, no cutting card, one burn when the device is loaded."""
    house = evening()
    burns = [(event.first_index, event.count, event.reason) for event in events(house, CardsBurned)]

    assert (events(house, ShoeCut, CuttingCardPlaced), burns) == ([], [(0, 1, "shuffle")])


def test_every_order_is_opened_in_the_end():
    """ADR 0018: each names the one that replaced it, the last one and what was never used that the table was closed."""
    reasons = Counter(event.reason for event in events(evening(), ShoeRetired))

    assert (reasons, len(events(evening(), ShoePrepared))) == ({"replaced": ROUNDS, "table_closed": 2}, ROUNDS + 2)


@pytest.mark.parametrize(("book", "rulings"), [("floor", 0.0), ("ontario", 0.0), ("live", 0.0), ("live", 0.3)])
def test_rounds_of_a_device_are_proved(book: str, rulings: float):
    """House page: table, rounds, shoes and wallet tell the same, and every decision is decided again."""
    house = house_after(ROUNDS, book, rulings=rulings, seed=9)
    report = verify(house.stored, Watch(Again()), house.ends())

    assert (report.findings, report.counts.rounds_judged) == ((), ROUNDS)


def test_card_of_the_order_before_is_found():
    """FL-3.9: a card that the device did not give."""
    house = evening()
    logs = forged(house.stored, CardDealt, lambda event: [replace(event, index=event.index + 60)])

    assert "card_mismatch" in {found.code.value for found in verify(logs, Watch(Again()), house.ends()).findings}


def test_stranger_verifies_a_shoe_of_a_device(tmp_path: Any):
    """docs/shuffle.md: cut at none, and everything else as for other shoes."""
    file = tmp_path / "shoe.json"
    file.write_text(text_of(exported("T1-S1", evening())))
    run = [sys.executable, "-I", "-S", str(ROOT / "docs" / "verifiers" / "verify_shoe.py"), str(file)]
    said = subprocess.run(run, capture_output=True, text=True, timeout=60, check=False).stdout

    assert said.startswith("T1-S1 holds: 416 cards committed, cut by nobody, for a device shuffled it, ")


def test_round_takes_four_entries_more_than_with_cards_that_are_shuffled_by_hand():
    """House page: two of the table, that the next order is committed and that this one is open, and the two that say so of a shoe."""
    house = evening()
    decided = Counter(type(decision.command).__name__ for one in house.stored for decision in read(one).decisions)

    assert (decided["NoteOrder"], decided["NoteRetirement"], decided["ShuffleShoe"], decided["RetireShoe"]) == (ROUNDS + 2,) * 4
    assert (decided["MountShoe"], decided["CallCut"], decided["CutShoe"]) == (0, 0, 0)


def test_nobody_seals_towards_a_cut_that_nobody_makes():
    """FL-4.6: there is no cut."""
    house = house_after(1)
    state: Table = house.streams[TABLE].state
    assert state.coming is not None
    answer = house.ask(TABLE, SealCut(shoe=state.coming.shoe, root="00", seal="0a" * 32), Actor("player", "ann"))

    assert answer.code == Reason.CUT_NOT_OPEN


def test_round_without_a_card_keeps_its_order():
    """FL-4.6: what did not leave the device need not return to it."""
    house = house_after(1)
    house.play("T1", [])
    house.play("T1", ["ann"])
    calls = [(round_name(event.round).number, event.shoe) for event in events(house, RoundCalled)]

    assert calls == [(1, "T1-S1"), (2, "T1-S2"), (3, "T1-S2")]
