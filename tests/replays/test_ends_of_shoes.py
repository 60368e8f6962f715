"""How a shoe ends, in rounds of real houses: behind its cutting card, inside a round, and for good."""

from itertools import takewhile
from typing import Any

import pytest

from services.table.domain.pick_up import rack
from shared.contracts.dealing import CardDealt, CuttingCardReached, ReshuffleCalled, ShoeChanged
from shared.contracts.rounds import RoundSettled, RoundVoided
from shared.contracts.shoe import CardsBurned, CardsDrawn, ShoePrepared, ShoeRetired
from shared.contracts.subjects import round_name, shoe_stream, table_stream
from shared.contracts.table import RoundCalled, RoundRecorded, ShoeRetirementCalled, ShoeSetAside
from shared.contracts.wagers import WagersSettled
from tests.replays.golden import Golden, load

MARKED = "cutting_card_in_the_middle_of_a_round"
TWICE = "shoe_that_ran_out_twice_inside_a_round"


def of_round(golden: Golden) -> list[Any]:
    """Return the events of the round that a golden log is about."""
    return golden.events(round_name(golden.story.round).stream)


def of_shoe(golden: Golden, shoe: str) -> list[Any]:
    """Return the events of a shoe."""
    return golden.events(shoe_stream(round_name(golden.story.round).day, shoe))


def at_table(golden: Golden) -> list[Any]:
    """Return the events of the round's table."""
    name = round_name(golden.story.round)
    return golden.events(table_stream(name.day, name.table))


def only(events: list[Any], kind: type) -> list[Any]:
    """Return the events of a kind."""
    return [event for event in events if isinstance(event, kind)]


def test_round_goes_on_from_the_shoe_whose_cutting_card_is_out():
    """ON-5.7, LV-3.2: whoever sits there plays to the end, with the cards behind the marker."""
    events = of_round(load(MARKED))
    marked = next(place for place, event in enumerate(events) if isinstance(event, CuttingCardReached))
    shoes = {event.shoe for event in only(events[marked:], CardDealt)}

    assert (shoes, only(events, ReshuffleCalled), isinstance(events[-1], RoundSettled)) == ({events[marked].shoe}, [], True)


def test_cutting_card_comes_out_once():
    """ON-5.7: it is seen when nothing is left in front of it, and the shoe says so at every draw from then on."""
    golden = load(MARKED)
    [reached] = only(of_round(golden), CuttingCardReached)
    told = [event.cutting_card_out for event in only(of_shoe(golden, reached.shoe), CardsDrawn)]

    assert told == [False] * told.count(False) + [True] * told.count(True)


def test_shoe_whose_cutting_card_came_out_deals_no_further_round():
    """ON-5.7, LV-3.2: it is replaced as soon as the round is over, by one that was committed before it was opened."""
    golden = load(MARKED)
    events = at_table(golden)
    recorded = next(place for place, event in enumerate(events) if isinstance(event, RoundRecorded) and event.round == golden.story.round)
    after = list(takewhile(lambda event: not isinstance(event, RoundCalled), events[recorded + 1 :]))
    [retired] = only(after, ShoeRetirementCalled)

    assert (retired.reason, bool(retired.next_root), [type(event) for event in after if isinstance(event, ShoeSetAside)]) == (
        "replaced",
        True,
        [],
    )


def test_round_whose_discards_run_out_as_well_is_void():
    """ON-11.5, decision 20: there is no card left anywhere, so every stake goes back."""
    events = of_round(load(TWICE))
    [given_back] = only(events, WagersSettled)

    assert (len(only(events, ReshuffleCalled)), len(only(events, ShoeChanged)), events[-1].reason) == (1, 1, "no_cards_left")
    assert isinstance(events[-1], RoundVoided)
    assert [line.returned_minor for line in given_back.lines] == [line.stake_minor for line in given_back.lines]


def test_discards_that_are_all_burned_give_no_card():
    """ON-6.2, ON-11.5: the shoe says that it is exhausted, and gives nothing."""
    golden = load(TWICE)
    [changed] = only(of_round(golden), ShoeChanged)
    events = of_shoe(golden, changed.shoe)
    [burned], [drawn] = only(events, CardsBurned), only(events, CardsDrawn)

    assert (burned.count, drawn.cards, drawn.exhausted) == (changed.cards, (), True)


def test_cards_of_a_round_that_became_void_are_picked_up():
    """ON-6.6: also a round that came to nothing can be backed up."""
    events = of_round(load(TWICE))

    assert len(rack(events)) == 52 - 25


@pytest.mark.parametrize("story", [MARKED, TWICE, "shoe_that_ended_inside_a_round"])
def test_every_shoe_of_the_round_is_opened_afterwards(story: str):
    """Log page, secrets: whatever ended a shoe, its seed shows in the end what lay in it."""
    golden = load(story)
    shoes = of_round(golden)[-1].shoes

    assert [len(only(of_shoe(golden, shoe), ShoePrepared)) + len(only(of_shoe(golden, shoe), ShoeRetired)) for shoe in shoes] == [2] * len(
        shoes
    )
