"""A table under a scanner, with shoe and wallet: whole rounds, the end of a shoe, and what surveillance says about it."""

import asyncio
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from feltlog.commands.cards import sentences
from feltlog.commands.table import waiting
from feltlog.discard_rack import rack_of
from feltlog.exported import exported
from feltlog.reading import page, told
from feltlog.story import plain, story
from feltlog.trouble import Trouble
from services.surveillance.domain.findings import Code
from services.table.domain.table_state import Table
from services.table.views import felt, row
from shared.contracts.burns import ChangeDealer, OrderDisclosure, OrderReshuffle
from shared.contracts.dealing import CardDealt, CuttingCardReached, ReshuffleCalled
from shared.contracts.decisions import Stand
from shared.contracts.rounds import RoundSettled, RoundVoided
from shared.contracts.rulings import ApproveRuling, FaceUpCard, ProposeRuling, VoidTheRound
from shared.contracts.shoe import (
    CardDrawn,
    CardRead,
    CardScanned,
    CardsExposed,
    CardsOpened,
    CardTurned,
    CompositionDoubted,
    Opening,
    ShoeRetired,
    ShoeShuffled,
)
from shared.contracts.subjects import round_name, shoe_stream, table_stream
from shared.contracts.table import (
    CallRound,
    CardTold,
    CloseTable,
    EndDay,
    FaceAwaited,
    ShoeCalled,
    ShoeMounted,
    ShoeRetirementCalled,
    TableClosed,
    TellCard,
)
from shared.contracts.wagers import CloseBetting, PlaceWager, WagerLapsed
from shared.kernel.messages import Actor
from tests.books import Books
from tests.forgery import forged, found, read
from tests.houses import DAY, NEXT_DAY
from tests.procedure import see_to_the_cards
from tests.rulings import STAFF
from tests.scanned import CUTTING_CARD, EMPTY, UNREAD, ScannedHouse, scanned

TABLE = table_stream(DAY, "T1")
FACE = re.compile(rb'"([A2-9TJQK][SHDC])"')
DEALER = Actor("staff", "dee", "dealer")
ANN = Actor("player", "ann")
ORDER = ["2C", "8H", "6D", "9S", "8C", "7D", "TH", "5C", "KC", "3H", "9D", "4D", "JS", "2H", "QC", "6S", "7C", "AH", "5D", "TC"]


def events(house: ScannedHouse, *kinds: type[Any], stream: str = "") -> list[Any]:
    """Return the events of some kinds, in the order in which they were stored."""
    told = (event for one in house.stored if stream in one.stream for each in read(one).decisions for event in each.events)
    return [event for event in told if isinstance(event, kinds)]


def table(house: ScannedHouse) -> Table:
    """Return the table's state."""
    state = house.streams[TABLE].state
    assert isinstance(state, Table)
    return state


def begun(house: ScannedHouse) -> str:
    """Call a round in which ann wagers on box 1, close its betting and return its stream."""
    house.now_ms += 5_000
    assert house.ask(TABLE, CallRound(), Actor("staff", "pit", "pit_boss")).status == "accepted"
    name = round_name(table(house).round)
    house.ask(name.stream, PlaceWager(round=name.id, box=1, stake_minor=200), ANN)
    house.ask(name.stream, CloseBetting(round=name.id), Actor("staff", "pit", "pit_boss"))
    return name.stream


def by_hand(*cards: str, **chosen: Any) -> ScannedHouse:
    """Return a house whose cards are scanned as they are named here, and not before somebody does."""
    house = ScannedHouse(rules=scanned("ontario", decks=1), dealt=False, **chosen)
    house.scan(*cards)
    return house


@cache
def evening(book: str, seed: int, marker: int | None) -> ScannedHouse:
    """Return an evening of fourteen rounds with one deck, its cutting card behind so many cards."""
    house = ScannedHouse(seed, rules=scanned(book, decks=1), marker=marker)
    for _ in range(14):
        house.play("T1", ["ann", "bob", "cyd"], rulings=0.05 if seed % 2 else 0.0)
    return house


EVENINGS = [(book, seed, marker) for book in ("ontario", "floor", "live") for seed, marker in ((1, None), (2, 20), (3, 45))]


@pytest.mark.parametrize(("book", "seed", "marker"), EVENINGS)
def test_evening_under_a_scanner_is_proved(book: str, seed: int, marker: int | None):
    """FL-4.1, ON-5.7, ON-11.5: re-decision, the referee and every comparison between the logs find nothing."""
    assert found(evening(book, seed, marker).stored) == []


@pytest.mark.parametrize("book", ["ontario", "floor", "live"])
def test_evening_under_a_scanner_has_whole_rounds(book: str):
    """Every round is settled, from several shoes, and none of them has a root."""
    house = evening(book, 2, 20)
    shoes = events(house, ShoeMounted)

    assert (len(events(house, RoundSettled)), {shoe.root for shoe in shoes}, len(shoes) > 3) == (14, {""}, True)


@pytest.mark.parametrize("book", ["ontario", "live"])
def test_card_stands_in_no_log_before_it_lies_open(book: str):
    """With one deck each face comes once: whatever is stored is held against what the shoe has opened by then."""
    opened: set[bytes] = set()
    early = []
    for one in evening(book, 1, None).stored:
        for event in (event for each in read(one).decisions for event in each.events):
            opened |= {opening.card.encode() for opening in openings_of(event)}
        early += [] if opened.issuperset(FACE.findall(one.data)) else [one.data]
        if any(isinstance(event, ShoeRetired) for each in read(one).decisions for event in each.events):
            break

    assert (early, len(opened) > 40) == ([], True)


def openings_of(event: Any) -> tuple[Opening, ...]:
    """Return the cards that an event of a shoe opens."""
    match event:
        case CardDrawn(card=card):
            return (card.opening,) if card.opening else ()
        case CardTurned():
            return (event.opening,)
        case CardsExposed() | CardsOpened():
            return event.openings
        case _:
            return ()


def test_next_shoe_is_called_when_the_one_before_is_put_away():
    """FL-4.1: the same cards make it."""
    house = evening("ontario", 2, 20)
    order = [(type(event).__name__, event.shoe) for event in events(house, ShoeCalled, ShoeRetired, ShoeRetirementCalled)]

    assert order[:5] == [
        ("ShoeCalled", "T1-S1"),
        ("ShoeRetirementCalled", "T1-S1"),
        ("ShoeRetired", "T1-S1"),
        ("ShoeCalled", "T1-S2"),
        ("ShoeRetirementCalled", "T1-S2"),
    ]


def test_cutting_card_as_the_first_card_leaves_the_wagers_and_shuffles_all_cards():
    """FL-4.1, decision 21: the round is dealt from a whole new shoe."""
    house = by_hand("2C")
    stream = begun(house)
    house.scan(CUTTING_CARD)
    (called,) = events(house, ReshuffleCalled)
    house.scan("3C", "8H", "6D", "9S")
    dealt = [(event.shoe, event.card) for event in events(house, CardDealt, stream=stream)]

    assert ((called.whole, called.layout, called.hole), dealt, events(house, WagerLapsed)) == (
        (True, (), None),
        [("T1-S1b", "8H"), ("T1-S1b", "6D"), ("T1-S1b", "9S")],
        [],
    )


def test_shoe_that_was_shuffled_before_the_first_card_stays_in_use():
    """FL-4.1: all cards are in it, so the next round goes on from there."""
    house = by_hand("2C")
    stream = begun(house)
    house.scan(CUTTING_CARD, "3C", "TH", "6D", "TS")
    house.ask(stream, Stand(round=table(house).round, box=1, hand=1), ANN)
    house.scan("TC", "2D")
    (settled,) = events(house, RoundSettled)

    assert (settled.shoes, settled.cutting_card_out, table(house).mounted, events(house, ShoeRetired)[0].shoe) == (
        ("T1-S1b",),
        False,
        ShoeMounted(shoe="T1-S1b", root="", cards=52),
        "T1-S1",
    )


def test_round_behind_the_cutting_card_is_the_last():
    """ON-5.7: the hand is completed, then the shoe is put away."""
    house = by_hand("2C")
    stream = begun(house)
    house.scan("TH", "6D", CUTTING_CARD, "TS")
    house.ask(stream, Stand(round=table(house).round, box=1, hand=1), ANN)
    house.scan("TC", "2D")

    assert ([event.shoe for event in events(house, CuttingCardReached)], table(house).mounted, events(house, ShoeRetired)[0].reason) == (
        ["T1-S1"],
        None,
        "played_out",
    )


def test_void_round_takes_no_card_of_the_next():
    """Two persons void it while a card is on its way: the next card belongs to the next round."""
    house = by_hand("2C")
    stream = begun(house)
    house.scan("TH", "6D")
    voided = table(house).round
    house.ask(stream, ProposeRuling(round=voided, ruling=VoidTheRound()), STAFF[0])
    house.ask(stream, ApproveRuling(round=voided, proposal=1), STAFF[1])
    later = begun(house)
    house.scan("TS")

    assert ([event.card for event in events(house, CardDealt, stream=later)], len(events(house, RoundVoided))) == (["TS"], 1)


def test_card_that_the_scanner_cannot_read_is_told_by_staff():
    """The round waits for it, the table's log has who said it, and surveillance finds nothing amiss."""
    house = by_hand("2C")
    stream = begun(house)
    house.scan("TH", UNREAD, "TS")
    awaited = events(house, FaceAwaited)
    answer = house.ask(TABLE, TellCard(shoe="T1-S1", index=2, card="6D"), DEALER)
    told = CardTold(shoe="T1-S1", index=2, round=table(house).round, card="6D", by="dee", job="dealer")

    assert (len(awaited), answer.status, events(house, CardTold), [event.card for event in events(house, CardDealt, stream=stream)]) == (
        1,
        "accepted",
        [told],
        ["TH", "6D", "TS"],
    )
    assert found(house.stored) == []


def test_card_that_somebody_is_to_say_is_named_to_whoever_looks():
    """A round that stands still says why: in the list of tables, and among the cards of the table."""
    house = by_hand("2C")
    begun(house)
    house.scan("TH", UNREAD, "TS")

    assert (waiting(row(table(house))), sentences(felt(table(house), None))[2]) == (
        "card 2 of T1-S1 (tell-card)",
        "Card 2 of T1-S1 could not be read: `feltlog table tell-card T1 T1-S1 2 CARD --as NAME` says what it is.",
    )


@pytest.mark.parametrize(
    ("command", "by", "code"),
    [
        (TellCard(shoe="T1-S1", index=1, card="6D"), DEALER, "card_not_awaited"),
        (TellCard(shoe="T1-S2", index=2, card="6D"), DEALER, "card_not_awaited"),
        (TellCard(shoe="T1-S1", index=2, card="joker"), DEALER, "impossible_card"),
        (TellCard(shoe="T1-S1", index=2, card="6D"), Actor("staff", "sue", "support"), "not_allowed_for_role"),
        (TellCard(shoe="T1-S1", index=2, card="6D"), ANN, "not_allowed_for_role"),
    ],
)
def test_card_is_told_when_it_is_asked_for_by_who_sees_the_felt(command: TellCard, by: Actor, code: str):
    """Nobody says what the scanner has read, and nobody who is not at the table."""
    house = by_hand("2C")
    begun(house)
    house.scan("TH", UNREAD)

    assert house.ask(TABLE, command, by).code == code


def test_ten_that_is_written_with_two_digits_is_told_how_it_is_written():
    """Whoever types 10H learns that a ten is T."""
    house = by_hand("2C")
    begun(house)
    house.scan("TH", UNREAD)

    assert house.ask(TABLE, TellCard(shoe="T1-S1", index=2, card="10H"), DEALER).message == (
        "That card cannot lie there: '10H' is no card: write one such as 8H or TH: a ten is T."
    )


def test_card_is_told_once():
    """What somebody has said is said."""
    house = by_hand("2C")
    begun(house)
    house.scan("TH", UNREAD)
    house.ask(TABLE, TellCard(shoe="T1-S1", index=2, card="6D"), DEALER)

    assert house.ask(TABLE, TellCard(shoe="T1-S1", index=2, card="6S"), DEALER).code == "card_not_awaited"


def test_table_that_waits_for_its_first_card_can_be_closed():
    """Nobody loads a shoe for a table that plays no more."""
    house = by_hand()
    house.ask(TABLE, CloseTable(), Actor("staff", "pit", "pit_boss"))

    assert ([event.drawn for event in events(house, ShoeRetired)], len(events(house, TableClosed))) == ([0], 1)


def test_scanned_table_plays_on_into_the_next_day():
    """Its shoe is put away with the day, and the scanner's count goes on."""
    house = evening("ontario", 2, 20)
    house.now_ms += 1
    house.ask(TABLE, EndDay(next_day=NEXT_DAY, next_day_ends_at_ms=house.now_ms + 10**9))

    assert table(house).retiring == ()


def test_order_of_a_scanned_shoe_is_no_file():
    """Nobody knew it: there is nothing to check but each card by itself."""
    house = evening("ontario", 2, 20)
    own = events(house, object, stream=shoe_stream(DAY, "T1-S1"))

    with pytest.raises(Trouble, match="T1-S1 stood under a scanner"):
        exported(DAY, "T1-S1", own, [])


def but(**fields: Any) -> Callable[[Any], list[Any]]:
    """Return the edit that changes fields of an event."""
    return lambda event: [replace(event, **fields)]


def next_one(event: CardDrawn) -> list[Any]:
    """Return a card that was drawn as if it had been the next one."""
    return [replace(event, card=replace(event.card, index=event.card.index + 1))]


FORGERIES: dict[str, tuple[type[Any], Callable[[Any], list[Any]], Code]] = {
    "another commitment": (CardScanned, but(commitment="ab" * 32), Code.CARD_MISMATCH),
    "another card dealt": (
        CardDrawn,
        next_one,
        Code.CARD_MISMATCH,
    ),
    "a number left out": (CardScanned, lambda event: [replace(event, n=event.n + 9)], Code.CARD_MISMATCH),
    "cards never opened": (CardsOpened, lambda event: [], Code.WRONG_CARDS),
    "a card less": (ShoeRetired, lambda event: [replace(event, drawn=event.drawn - 1)], Code.WRONG_CARDS),
    "a card said that was read": (
        CardScanned,
        lambda event: [event, CardRead(index=event.index, commitment=event.commitment, sealed=event.sealed)],
        Code.CARD_MISMATCH,
    ),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_scans_are_found_though_the_chain_holds(forgery: str):
    """By surveillance's own look at them, beside the decisions that come out otherwise."""
    kind, edit, code = FORGERIES[forgery]
    codes = {one.code for one in found(forged(evening("ontario", 2, 20).stored, kind, edit, stream="T1-S1"))}

    assert code in codes


def test_order_before_that_is_another_shoes_is_found():
    """What a shoe says of the one before it stands in that one's log."""

    def other(event: ShoeShuffled) -> list[Any]:
        assert event.before is not None
        return [replace(event, before=replace(event.before, cards=("AS", *event.before.cards[1:])))]

    logs = forged(evening("ontario", 2, 20).stored, ShoeShuffled, other, stream="T1-S2")

    assert Code.WRONG_CARDS in {one.code for one in found(logs)}


def test_card_too_many_is_told_by_the_shoe_and_by_surveillance():
    """Each counts by itself."""
    house = by_hand("2C")
    stream = begun(house)
    house.scan("TH", "6D", "TH")
    house.ask(stream, Stand(round=table(house).round, box=1, hand=1), ANN)
    house.scan("TC", "2D")
    house.ask(TABLE, CloseTable(), Actor("staff", "pit", "pit_boss"))

    assert ([event.doubt for event in events(house, CompositionDoubted)], [one.code for one in found(house.stored)]) == (
        ["card_too_many"],
        [Code.WRONG_CARDS],
    )


def test_rack_of_a_scanned_shoe_holds_each_of_its_cards_once():
    """Decision 26: the burned ones, and those of each round, from the shoe's log and the rounds'."""
    house = evening("ontario", 2, 20)
    found = asyncio.run(rack_of(Books(house.stored), "T1-S1"))[0]
    indices = [card.index for pile in found.piles for card in pile.cards]
    (retired,) = (event for event in events(house, ShoeRetired) if event.shoe == "T1-S1")

    assert (sorted(indices), found.left, found.retired) == (list(range(retired.drawn)), 52 - retired.drawn, True)


def test_replay_tells_that_all_cards_were_shuffled_before_the_first():
    """In plain words, with the wagers that stay."""
    house = by_hand("2C")
    stream = begun(house)
    house.scan(CUTTING_CARD, "3C")
    told_by_story = [plain(line) for line in story(told([page(one) for one in house.of(stream)]))[0]]

    assert "The cutting card of shoe T1-S1 is the first card: all cards are shuffled, and the wagers stay" in told_by_story


def test_staff_see_to_the_cards_of_a_scanned_shoe_before_it_is_called():
    """ON-4.3, ON-5.1: the same cards are washed and shuffled by people, and the shoe is called with their last step."""
    rules = scanned("ontario", decks=1)
    house = ScannedHouse(2, rules=replace(rules, shoe=replace(rules.shoe, procedure="staff")), marker=20)
    called = []
    for _ in range(8):
        if table(house).mounted is None:
            called.append(len(events(house, ShoeCalled)))
            see_to_the_cards(house, "T1")
        house.play("T1", ["ann", "bob"])

    assert (called[:3], found(house.stored)) == ([0, 1, 2], [])


@pytest.mark.parametrize("book", ["ontario", "live"])
def test_cards_of_a_scanned_shoe_are_burned_shown_and_shuffled_as_staff_order(book: str):
    """ON-5.8, ON-6.2, LV-3.2, LV-3.5: between two rounds, and everything is proved."""
    house = ScannedHouse(2, rules=scanned(book, decks=1))
    supervisor, boss = Actor("staff", "rita", "designated_representative"), Actor("staff", "pit", "pit_boss")
    house.play("T1", ["ann", "bob"])
    said = [
        house.ask(TABLE, ChangeDealer(dealer="dan"), boss).status,
        house.ask(TABLE, OrderDisclosure(), boss).status,
        house.ask(TABLE, OrderReshuffle(), supervisor if book == "ontario" else boss).status,
    ]
    house.play("T1", ["ann", "bob"])

    assert ("refused" in said, table(house).mounted, found(house.stored)) == (False, ShoeMounted(shoe="T1-S2", root="", cards=52), [])


def test_card_is_nobodys_only_where_the_rest_of_the_deal_lies_as_it_was_asked_for():
    """Under a scanner the deal comes card by card: behind one that is left out, the hole card would lie open or a player's face down."""
    house = ScannedHouse(rules=scanned("live", decks=1), dealt=False)
    house.scan("2C", "2D", "2H", "2S", "3C", "3D")
    stream = begun(house)
    house.scan("TH")
    proposed = ProposeRuling(round=table(house).round, ruling=FaceUpCard())
    early = house.ask(stream, proposed, STAFF[0])
    house.scan("6D", "TS", "5C")

    assert (early.code, house.ask(stream, proposed, STAFF[0]).status) == ("not_possible_now", "accepted")


def test_shoe_that_ends_before_it_gave_a_card_is_followed_by_all_cards_again():
    """FL-4.1, decision 21: however often, for nothing lies on the layout."""
    house = by_hand("2C")
    begun(house)
    house.scan(CUTTING_CARD, "3C", EMPTY)

    assert ([called.whole for called in events(house, ReshuffleCalled)], found(house.stored)) == ([True, True], [])


def test_device_that_tells_that_its_shoe_is_empty_tells_it_of_no_other():
    """ON-11.5: the shoe is exhausted by its count, the device says so a moment later, and the discards are dealt from all the same."""
    house = by_hand("2C")
    begun(house)
    house.scan("TH", EMPTY, EMPTY, "3C", "6D", "TS")

    assert [event.card for event in events(house, CardDealt)] == ["TH", "6D", "TS"]
