"""Whole houses in which staff rule about what went wrong: every card that left a shoe is accounted for, and all logs agree."""

from hypothesis import given, settings
from hypothesis import strategies as st

from services.surveillance.domain.findings import Code
from services.surveillance.domain.watch import Watch, verify
from services.surveillance.redecide import Again
from tests.houses import WholeHouse


@settings(max_examples=10)
@given(st.integers(0, 10_000))
def test_a_house_with_rulings_proves_itself(seed: int):
    """ON-11.1 to ON-11.6, LV-3.5: burns and error cards stand in the shoe's log and in the round's; what becomes void is booked."""
    house = WholeHouse(seed)
    played: list[str] = []
    for player in ("ann", "bob", "cyd"):
        house.welcome(player)
    for table, book in (("T1", "ontario"), ("T2", "live"), ("T3", "floor")):
        house.open_table(table, book)
        for _ in range(3):
            round_id = house.play(table, ["ann", "bob", "cyd"][: house.chance.randint(1, 3)], rulings=0.25)
            played.append(round_id)
            if house.chance.random() < 0.3:
                house.make_void(house.chance.choice(played))
    house.end_day()
    found = verify(house.stored, Watch(Again()), house.ends()).findings

    assert [finding for finding in found if finding.code != Code.UNJUDGED] == []
