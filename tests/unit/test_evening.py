"""What a client of the demonstration asks for when it sees a felt."""

import pytest

from feltlog.client import Client
from feltlog.evening import Seat, answer
from feltlog.styles import STYLES
from services.table.views import Felt
from shared.contracts.refusals import Reason
from tests.felts import ROUND, ScriptedHouse, box, felt, turn

BETTING = felt("betting", betting_until_ms=400)


def seat(name: str, *felts: Felt) -> tuple[Seat, ScriptedHouse]:
    """Return a client at box 1 of a house that shows these felts."""
    style = next(style for style in STYLES if style.name == name)
    house = ScriptedHouse(*felts, BETTING)
    return Seat(style=style, box=1, client=Client(house, role="player", name=name)), house


def turn_of(name: str, cards: str, *legal: str) -> Felt:
    """Return a felt on which it is somebody's turn on box 1."""
    return felt("decision", boxes=(box(1, name, 200, cards, legal=legal),), dealer_cards=("6C",), turn=turn(1, name))


def ace_for(name: str, *legal: str) -> Felt:
    """Return a felt on which somebody is asked about insurance."""
    return felt("insurance", boxes=(box(1, name, 200, "KD 9C", legal=legal),), dealer_cards=("AC",), insurance_until_ms=1)


ASKED = [
    ("cautious", BETTING, {"type": "table.PlaceWager.v1", "round": ROUND, "box": 1, "stake_minor": 200}),
    ("spender", BETTING, {"type": "table.PlaceWager.v1", "round": ROUND, "box": 1, "stake_minor": 6700}),
    ("cautious", turn_of("cautious", "KD 2C", "hit", "stand"), {"type": "table.Stand.v1", "round": ROUND, "box": 1, "hand": 1}),
    ("splitter", turn_of("splitter", "KD TC", "hit", "stand", "split"), {"type": "table.Split.v1", "round": ROUND, "box": 1, "hand": 1}),
    ("insurer", ace_for("insurer", "insure", "decline"), {"type": "table.Insure.v1", "round": ROUND, "box": 1, "stake_minor": None}),
    ("insurer", ace_for("insurer", "insure", "decline", "even_money"), {"type": "table.TakeEvenMoney.v1", "round": ROUND, "box": 1}),
    ("basic", ace_for("basic", "insure", "decline"), {"type": "table.DeclineInsurance.v1", "round": ROUND, "box": 1}),
]


@pytest.mark.parametrize(
    ("name", "seen", "expected"), ASKED, ids=[f"{name} {seen.phase} {number}" for number, (name, seen, _) in enumerate(ASKED)]
)
async def test_a_client_asks_for_what_its_style_says(name, seen, expected):
    """A wager, a decision or an answer about insurance."""
    client, house = seat(name, seen)
    await answer(client, seen)

    assert house.asked == [expected]


async def test_a_client_answers_a_picture_once():
    """The same felt seen again asks for nothing new."""
    seen = turn_of("basic", "KD 9C", "hit", "stand")
    client, house = seat("basic", seen)
    await answer(client, seen)
    await answer(client, seen)

    assert len(house.asked) == 1


async def test_a_client_in_somebody_elses_turn_is_silent():
    """Nothing is asked for."""
    client, house = seat("basic", BETTING)
    await answer(client, turn_of("cautious", "KD 9C", "hit", "stand"))

    assert house.asked == []


async def test_a_client_without_money_only_watches():
    """After three refusals it places no wager."""
    client, house = seat("spender", BETTING)
    client.refusals[Reason.INSUFFICIENT_FUNDS] = 3
    await answer(client, BETTING)

    assert house.asked == []


async def test_a_client_that_leaves_places_no_wager():
    """It sees its last round to the end, no more."""
    client, house = seat("basic", BETTING)
    client.leaving = True
    await answer(client, BETTING)

    assert house.asked == []


async def test_the_dreamer_says_nothing_now_and_then():
    """The fifth decision is left to the clock, and counted."""
    client, house = seat("dreamer", BETTING)
    client.decisions = 4
    await answer(client, turn_of("dreamer", "KD 9C", "hit", "stand"))

    assert (house.asked, client.silences) == ([], 1)
