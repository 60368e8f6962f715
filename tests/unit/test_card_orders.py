"""What staff order about the cards and whom the book asks to cut, in a whole house, and what is proved of it."""

import asyncio
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace

from feltlog.commands.cards import sentences
from feltlog.discard_rack import rack_of
from feltlog.shoe_story import cutters
from services.surveillance.domain.watch import Watch, verify
from services.surveillance.redecide import Again
from services.table.domain.coming import Sealing
from services.table.domain.table_state import Table
from services.table.views import felt
from shared.contracts.asking import AskedToCut, CameOut, CutOffered, RefuseCut
from shared.contracts.burns import (
    BurnCalled,
    BurnNoted,
    ChangeDealer,
    DealerChanged,
    DisclosureCalled,
    DisclosureNoted,
    OrderBurn,
    OrderDisclosure,
    OrderReshuffle,
    ReshuffleOrdered,
)
from shared.contracts.cutting import CallCut, Contribution, CutCalled, RevealCut, SealCut
from shared.contracts.rounds import RoundSettled
from shared.contracts.shoe import BurnedShown, CardsBurned, CardsDrawn, ShoeCut
from shared.contracts.subjects import shoe_stream, table_stream
from shared.contracts.table import CallRound, RoundCalled, RoundRecorded
from shared.kernel.cutting import seal
from shared.kernel.messages import Actor, Answer
from shared.kernel.money import Ratio
from shared.kernel.profile import Profile
from shared.runtime.shelf import profile
from tests.books import Books
from tests.forgery import forged, read
from tests.houses import DAY, WholeHouse

TABLE = table_stream(DAY, "T1")
PIT = Actor("staff", "pit", "pit_boss")
DEE = Actor("staff", "dee", "dealer")
REP = Actor("staff", "rae", "designated_representative")
INSPECTOR = Actor("staff", "ivy", "inspector")
SECRETS = {"ann": "0a" * 32, "bob": "0b" * 32}


def gave(player: str) -> Contribution:
    """Return what a player gave towards a cut, and told."""
    return Contribution(player=player, seal=seal("T1-S2", player, SECRETS[player]), secret=SECRETS[player])


QUARTER = (Ratio(1, 4), Ratio(1, 4))


def small(book: str, behind: tuple[Ratio, Ratio] = QUARTER) -> Profile:
    """Return a book over two decks, which end after some rounds."""
    rules = profile(book)
    shoe, sides = replace(rules.shoe, cutting_card=behind), replace(rules.side_bets, offered=())
    return replace(rules, decks=3 if book == "floor" else 2, shoe=shoe, side_bets=sides)


def house_of(book: str, seed: int = 3, *, behind: tuple[Ratio, Ratio] = QUARTER) -> WholeHouse:
    """Return a house with one table under a book over two decks."""
    house = WholeHouse(seed=seed)
    for player in ("ann", "bob", "cyd"):
        house.welcome(player)
    house.open_table("T1", book, rules=small(book, behind))
    return house


def order(house: WholeHouse, command: Any, by: Actor = PIT, *, id: str = "") -> Answer:
    """Ask the table as a member of staff."""
    return house.ask(TABLE, command, by, id=id)


def state_of(house: WholeHouse) -> Table:
    """Return what the table knows."""
    state: Table = house.streams[TABLE].state
    return state


def answer_the_cut(house: WholeHouse) -> None:
    """Let ann and bob seal a secret towards the next shoe and cyd refuse, where nobody has."""
    coming = state_of(house).coming
    if isinstance(coming, Sealing) and not coming.answered:
        for player, secret in SECRETS.items():
            command = SealCut(shoe=coming.shoe, root=coming.root, seal=seal(coming.shoe, player, secret))
            assert house.ask(TABLE, command, Actor("player", player)).status == "accepted"
        house.ask(TABLE, RefuseCut(shoe=coming.shoe, root=coming.root), Actor("player", "cyd"))


def finish_the_cut(house: WholeHouse, *tell: str) -> None:
    """Let some players tell their secrets, and time run out for the others, if secrets are waited for."""
    coming = state_of(house).coming
    if state_of(house).mounted is None and coming is not None:
        for player in tell:
            house.ask(TABLE, RevealCut(shoe=coming.shoe, root=getattr(coming, "root", ""), secret=SECRETS[player]), Actor("player", player))
        house.now_ms += 3_000
        house.ask(TABLE, CallCut(shoe=coming.shoe))


def events(house: WholeHouse, *kinds: type[Any]) -> list[Any]:
    """Return the events of some kinds of the whole house, in the order in which they were stored."""
    decided = [decision for one in house.stored for decision in read(one).decisions]
    return [event for decision in decided for event in decision.events if isinstance(event, kinds)]


def found_in(house: WholeHouse, stored: Any = None) -> set[str]:
    """Return the clauses, or else the codes, of what is found in a house's logs."""
    report = verify(house.stored if stored is None else stored, Watch(Again()), house.ends())
    return {found.clause or found.code.value for found in report.findings}


@cache
def ontario() -> WholeHouse:
    """Return an evening under Ontario's book: dealers change, shoes are cut by players and once ordered to be shuffled."""
    house = house_of("ontario")
    order(house, ChangeDealer(dealer="dee"), PIT)
    for number in range(16):
        answer_the_cut(house)
        house.play("T1", ["ann", "bob", "cyd"])
        finish_the_cut(house, "bob") if number % 2 else finish_the_cut(house, "ann", "bob")
        if number == 4:
            order(house, ChangeDealer(dealer="eli"), DEE)
            order(house, OrderDisclosure(), INSPECTOR)
        if number == 8:
            answer_the_cut(house)
            order(house, OrderReshuffle(), REP)
            finish_the_cut(house)
    return house


@cache
def live() -> WholeHouse:
    """Return an evening of the live game: burns for every reason, shown at the casino's discretion."""
    house = house_of("live")
    order(house, ChangeDealer(dealer="dee"))
    order(house, OrderBurn(reason="new_dealer", cards=2), DEE)
    house.play("T1", ["ann", "bob"])
    order(house, OrderBurn(reason="game_error", cards=3))
    order(house, OrderDisclosure())
    house.play("T1", ["ann"])
    order(house, OrderBurn(reason="house", cards=4))
    order(house, OrderDisclosure())
    house.play("T1", ["ann"])
    order(house, OrderReshuffle())
    house.play("T1", ["ann", "bob"])
    return house


@pytest.mark.parametrize("house", [ontario, live])
def test_evening_of_orders_is_proved(house: Callable[[], WholeHouse]):
    """House page: table, rounds, shoes and wallet tell the same, and every decision is decided again."""
    assert found_in(house()) == set()


def test_each_new_dealer_burns_one_card():
    """ON-6.2: beside the burn after each shuffle, once each, and from the shoe in use."""
    house = ontario()
    burned = [(event.reason, event.count) for event in events(house, CardsBurned) if event.number]

    assert burned == [("new_dealer", 1), ("new_dealer", 1)]


def test_dealers_stand_in_the_log_by_name():
    """LV-0.6: who deals from when on, and who said so in which job."""
    changes = [(event.dealer, event.by, event.job) for event in events(ontario(), DealerChanged)]

    assert changes == [("dee", PIT.id, PIT.job), ("eli", DEE.id, DEE.job)]


def test_burned_cards_are_shown_once_and_proved():
    """LV-3.5: six of the shuffle, two of the new dealer and three for the game error at first, then the four of the house."""
    house = live()
    shown = [len(event.openings) for event in events(house, BurnedShown)]

    assert (shown, [len(event.cards) for event in events(house, DisclosureNoted)]) == ([11, 4], [11, 4])


def test_burned_cards_stay_hidden_until_somebody_asks():
    """ON-6.2, FL-4.7: nothing of them stands in any log before."""
    house = house_of("ontario")
    order(house, ChangeDealer(dealer="dee"))
    house.play("T1", ["ann"])

    assert (len(events(house, CardsBurned)), events(house, BurnedShown)) == (2, [])


def test_rack_shows_the_burned_cards_that_were_shown():
    """LV-3.5: whoever backs up the rack sees what everybody has seen, and no other burned card."""
    house = live()
    rack = asyncio.run(rack_of(Books(house.stored), "T1-S1"))[0]
    own = [one for one in house.stored if one.stream == shoe_stream(DAY, "T1-S1")]
    decided = [event for one in own for decision in read(one).decisions for event in decision.events]
    shown = {opening.index: opening.card for event in decided if isinstance(event, BurnedShown) for opening in event.openings}
    faces = {card.index: card.card for pile in rack.piles if pile.burned for card in pile.cards if card.card}

    assert (faces, bool(shown)) == (shown, True)


@pytest.mark.parametrize(
    ("cut", "by"),
    [
        (ShoeCut(cards_in_front=9, by="players", cutter="ann", contributions=(gave("ann"), gave("bob"))), "ann, with what bob told"),
        (ShoeCut(cards_in_front=9, by="players", cutter="ann", contributions=(gave("ann"),)), "ann"),
        (ShoeCut(cards_in_front=9, by="players", staff="dealer", contributions=(gave("bob"),)), "the dealer, with what bob told"),
        (ShoeCut(cards_in_front=9, by="game_supervisor", staff="game_supervisor"), "the game supervisor"),
    ],
)
def test_story_of_a_shoe_names_whose_cut_it_was(cut: ShoeCut, by: str):
    """ON-5.3, ON-5.5, FL-4.3: one of the players or of staff, and whose secrets had a part in where it lies."""
    assert cutters(cut) == by


def test_round_goes_on_behind_the_burned_cards():
    """LV-3.5: a burned card is dealt to nobody."""
    house = house_of("live")
    order(house, OrderBurn(reason="house", cards=3))
    house.play("T1", ["ann"])

    assert events(house, CardsDrawn)[0].cards[0].index == 9


def test_shoe_with_too_few_cards_refuses():
    """LV-3.5: the asker waits for the shoe, is told then, and the table goes on."""
    house = house_of("live", behind=(Ratio(0, 1), Ratio(0, 1)))
    answers = [order(house, OrderBurn(reason="house", cards=10)).status for _ in range(10)]
    noted = [event.code for event in events(house, BurnNoted)]

    assert (set(answers), noted, state_of(house).orders.burning) == ({"pending"}, [*[""] * 9, "too_few_cards"], None)


def test_burn_up_to_the_cutting_card_ends_the_shoe():
    """Decision 21, FL-4.1: what would come out as a round's first card; the cards are shuffled before it, and nothing is found."""
    house = house_of("live")
    while state_of(house).shoes == 2:
        order(house, OrderBurn(reason="house", cards=10))
    house.play("T1", ["ann"])
    told = [event.cutting_card_out for event in events(house, BurnNoted)]

    assert (told, events(house, RoundCalled)[0].shoe, found_in(house)) == ([*[False] * 7, True], "T1-S2", set())


def test_order_to_shuffle_takes_effect_after_the_round():
    """ON-5.8, LV-3.2: the round under way is played to its end, and the next one is dealt from another shoe."""
    house = ontario()
    told = events(house, ReshuffleOrdered, RoundCalled, CutOffered)
    ordered = next(at for at, event in enumerate(told) if isinstance(event, ReshuffleOrdered))
    before = next(event for event in reversed(told[:ordered]) if isinstance(event, RoundCalled))
    after = next(event for event in told[ordered:] if isinstance(event, RoundCalled))
    offered = next(event for event in told[ordered:] if isinstance(event, CutOffered))

    assert (before.shoe != after.shoe, offered.first, offered.asked[0].player) == (True, "ordered", "cyd")


def test_order_within_a_round_waits_for_its_end():
    """LV-3.2: at the end of the round under way."""
    house = house_of("live")
    order(house, OrderDisclosure())
    house.now_ms += 5_000
    order(house, CallRound())
    order(house, OrderReshuffle())
    state = state_of(house)

    assert (state.running, state.mounted is not None and state.mounted.shoe, state.orders.reshuffle) == (True, "T1-S1", True)


def test_cutting_card_says_who_is_asked_first():
    """ON-5.3: each offer begins where the round before it says that the cutting card came out."""
    told = events(ontario(), RoundRecorded, CutOffered)
    pairs = [(before, after) for before, after in pairwise(told) if isinstance(after, CutOffered) and isinstance(before, RoundRecorded)]
    wrong = [
        (before, after)
        for before, after in pairs
        if before.came_out and (after.first, after.box) != (before.came_out.on, before.came_out.box)
    ]

    assert (len(pairs) > 1, wrong) == (True, [])


def test_shoe_s_log_says_whose_cut_it_was():
    """ON-5.3, ON-5.5: the shoe is cut by whom the table named."""
    house = ontario()
    called = [(event.cutter, event.staff) for event in events(house, CutCalled)]
    cut = [(event.cutter, event.staff) for event in events(house, ShoeCut)]

    assert (cut, any(cutter in SECRETS for cutter, _ in called)) == (called, True)


@pytest.mark.parametrize(
    ("book", "command", "by", "code"),
    [
        ("floor", OrderBurn(reason="house", cards=1), PIT, "not_in_this_book"),
        ("ontario", OrderBurn(reason="house", cards=1), PIT, "not_in_this_book"),
        ("floor", OrderDisclosure(), PIT, "not_in_this_book"),
        ("floor", OrderReshuffle(), PIT, "not_in_this_book"),
        ("ontario", OrderReshuffle(), PIT, "job_not_allowed"),
        ("live", OrderReshuffle(), DEE, "job_not_allowed"),
        ("live", OrderDisclosure(), DEE, "job_not_allowed"),
        ("live", OrderBurn(reason="game_error", cards=3), DEE, "job_not_allowed"),
        ("live", OrderBurn(reason="house", cards=1), DEE, "job_not_allowed"),
        ("live", OrderBurn(reason="game_error", cards=2), PIT, "bad_request"),
        ("live", OrderBurn(reason="house", cards=0), PIT, "bad_request"),
        ("live", OrderBurn(reason="house", cards=11), PIT, "bad_request"),
        ("live", OrderBurn(reason="new_dealer", cards=1), DEE, "not_possible_now"),
        ("live", ChangeDealer(dealer="a b"), PIT, "bad_request"),
        ("live", ChangeDealer(dealer="dee"), INSPECTOR, "job_not_allowed"),
        ("live", ChangeDealer(dealer="dee"), Actor("player", "ann"), "not_allowed_for_role"),
    ],
)
def test_order_is_refused(book: str, command: Any, by: Actor, code: str):
    """ON-5.8, ON-6.2, FL-4.1, FL-4.7, LV-3.2, LV-3.5: what the book does not know, and what is others' to order."""
    assert order(house_of(book), command, by).code == code


@pytest.mark.parametrize("command", [ChangeDealer(dealer="eli"), OrderBurn(reason="house", cards=1)])
def test_nothing_is_burned_in_the_middle_of_a_round(command: Any):
    """ON-6.2, LV-3.5: between two rounds."""
    house = house_of("live")
    house.now_ms += 5_000
    order(house, CallRound())

    assert order(house, command).code == "round_running"


def test_same_dealer_is_not_new():
    """ON-6.2: nothing changes, nothing is burned."""
    house = house_of("ontario")
    order(house, ChangeDealer(dealer="dee"))

    assert order(house, ChangeDealer(dealer="dee")).code == "already_so"


def test_floor_changes_its_dealer_without_a_burn():
    """FL-4.7: the book burns after a shuffle alone."""
    house = house_of("floor")
    order(house, ChangeDealer(dealer="dee"))

    assert ([event.dealer for event in events(house, DealerChanged)], events(house, BurnCalled)) == (["dee"], [])


def test_felt_shows_dealer_and_burned_cards():
    """ON-6.2: what was shown is there for everybody."""
    house = house_of("live")
    order(house, ChangeDealer(dealer="dee"))
    order(house, OrderDisclosure())
    shown = felt(state_of(house), None)
    said = sentences(shown)

    assert (said[:2], len(shown.burned_shown), said[2].startswith("Burned and shown: ")) == (
        ["dee deals.", "Shoe T1-S1 is in use."],
        6,
        True,
    )


FORGED: list[Any] = [
    (ontario, CutOffered, lambda event: [replace(event, asked=event.asked[::-1])], 1, "ON-5.3"),
    (ontario, CutOffered, lambda event: [replace(event, first="dealers_hand", box=0)], 2, "ON-5.3"),
    (ontario, CutOffered, lambda event: [replace(event, asked=(AskedToCut("cyd", "sealed"), *event.asked[1:]))], 1, "ON-5.3"),
    (ontario, CutOffered, lambda event: [], 1, "ON-5.2"),
    (ontario, CutCalled, lambda event: [replace(event, cutter="cyd", staff=None)], 1, "ON-5.5"),
    (live, CutCalled, lambda event: [replace(event, staff="game_supervisor")], 0, "LV-3.3"),
    (ontario, RoundSettled, lambda event: [replace(event, seats=event.seats[::-1])], 0, "ON-5.3"),
    (ontario, RoundSettled, lambda event: [replace(event, came_out=CameOut(on="box", box=2))], 0, "ON-5.3"),
    (ontario, DealerChanged, lambda event: [replace(event, job="inspector")], 0, "ON-6.2"),
    (ontario, BurnCalled, lambda event: [], 0, "ON-6.2"),
    (ontario, BurnCalled, lambda event: [replace(event, cards=2)], 0, "ON-6.2"),
    (live, BurnCalled, lambda event: [replace(event, cards=2)], 1, "LV-3.5"),
    (live, BurnCalled, lambda event: [replace(event, job="dealer", by="dee")], 1, "LV-3.5"),
    (live, BurnNoted, lambda event: [], 1, "LV-3.5"),
    (live, DisclosureCalled, lambda event: [replace(event, job="dealer", by="dee")], 0, "LV-3.5"),
    (ontario, ReshuffleOrdered, lambda event: [replace(event, job="pit_boss", by="pit")], 0, "ON-5.8"),
    (live, RoundCalled, lambda event: [replace(event, shoe="T1-S1")], 3, "LV-3.2"),
    (live, CardsBurned, lambda event: [replace(event, count=1)], 1, "card_mismatch"),
    (live, CardsBurned, lambda event: [], 1, "card_mismatch"),
    (
        live,
        BurnedShown,
        lambda event: [replace(event, openings=tuple(replace(each, card="AS") for each in event.openings))],
        0,
        "card_mismatch",
    ),
    (ontario, CardsDrawn, lambda event: [replace(event, cutting_card_out=True, marker=4)], 0, "wrong_cut"),
]


@pytest.mark.parametrize(("house", "kind", "edit", "which", "expected"), FORGED)
def test_forged_order_is_found(house: Callable[[], WholeHouse], kind: type[Any], edit: Any, which: int, expected: str):
    """ON-5.2 to ON-5.5, ON-5.8, ON-6.2, LV-3.2, LV-3.3, LV-3.5: another order, another cutter, another person, another card."""
    logs = forged(house().stored, kind, edit, which=which)

    assert expected in found_in(house(), logs)
