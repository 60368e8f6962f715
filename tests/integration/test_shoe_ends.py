"""A shoe that runs out inside a round: the round goes on from its shuffled discards, and everything is proved afterwards."""

from collections.abc import AsyncIterator

import pytest

from feltlog.auditing import audit_all
from feltlog.commands.connection import reading
from feltlog.house import House
from feltlog.reading import round_pages, stream_pages, told
from services.shoe.domain.shuffle import order
from shared.contracts.dealing import CardDealt, HoleCardTurned, ReshuffleCalled, ShoeChanged
from shared.contracts.rounds import RoundSettled
from shared.contracts.shoe import ShoeRetired, ShoeShuffled
from shared.contracts.subjects import round_name, shoe_stream
from shared.kernel.cards import DECK
from shared.runtime.jetstream_store import JetStreamStore
from tests.integration.recorded_evening import Evening


@pytest.fixture
async def logs(evening: Evening) -> AsyncIterator[JetStreamStore]:
    """The logs of the evening."""
    async with reading(House(evening.data)) as store:
        yield store


async def test_round_goes_on_from_the_discards(evening: Evening, logs: JetStreamStore):
    """ON-11.5, decision 20: what lies on the layout is not shuffled again, and with one deck no card can come twice."""
    events = [each.event for each in told(await round_pages(logs, round_name(evening.round)))]
    called = next(event for event in events if isinstance(event, ReshuffleCalled))
    changed = next(event for event in events if isinstance(event, ShoeChanged))
    dealt = [(event.shoe, event.card) for event in events if isinstance(event, CardDealt)]
    hole = [event.card for event in events if isinstance(event, HoleCardTurned)]
    before = [card for shoe, card in dealt if shoe == called.shoe]
    after = [card for shoe, card in dealt if shoe == changed.shoe]

    assert sorted(before) == sorted(called.layout)
    assert after
    assert len({*before, *after, *hole}) == len([*before, *after, *hole])
    assert changed.cards == len(DECK) - len(called.layout) - 1
    assert isinstance(events[-1], RoundSettled)
    assert events[-1].shoes == (called.shoe, changed.shoe)


async def test_discards_are_proved_after_their_retirement(evening: Evening, logs: JetStreamStore):
    """Log page, secrets: the seed gives an order without the layout and without the card that lay face down."""
    events = [each.event for each in told(await round_pages(logs, round_name(evening.round)))]
    called = next(event for event in events if isinstance(event, ReshuffleCalled))
    shoe = [each.event for each in told(await stream_pages(logs, shoe_stream(evening.day, called.next_shoe)))]
    shuffled = next(event for event in shoe if isinstance(event, ShoeShuffled))
    retired = next(event for event in shoe if isinstance(event, ShoeRetired))
    cards = order(bytes.fromhex(retired.seed), shuffled.shoe, shuffled.decks, (*shuffled.without, retired.hole))

    assert sorted((*cards, *called.layout, retired.hole)) == sorted(DECK)


async def test_everything_of_the_evening_is_proved(logs: JetStreamStore):
    """House page: every round, every card, every order and all money, with no shoe left closed."""
    report = await audit_all(logs)

    assert ([found for found in report.findings if found.severity == "breach"], report.counts.shoes_opened >= 3) == ([], True)
