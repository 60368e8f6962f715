"""`feltlog reconcile`: each kind of difference, put into logs whose chains are whole, is found where it stands."""

import io
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from feltlog.commands.reconcile import show
from feltlog.reconciling.report import Reconciliation, reconciled
from feltlog.screen import screen
from feltlog.trouble import Trouble
from shared.contracts.accounts import Posting
from shared.contracts.cage import AdjustmentMade, Deposited
from shared.contracts.promo import PromoCancelled, PromoGranted
from shared.contracts.rounds import RoundSettled
from shared.contracts.stakes import RoundBooked, StakeReleased, StakeReserved, StakesCorrected, StakesSettled
from shared.contracts.wagers import WagerAccepted, WagerLapsed, WagerPlaced, WagerRefused, WagersCorrected, WagersSettled
from shared.contracts.wallet import BookClosed, BookOpened, CarriedForward
from shared.kernel.entry import Stored
from tests.books import Books
from tests.forgery import forged, read
from tests.houses import WholeHouse, little_house

LEDGER = "log.wallet.20261130.ledger.0"
TOMORROW = "log.wallet.20261201.ledger.0"


@pytest.fixture(scope="module")
def house() -> WholeHouse:
    """Two tables, three rounds on each, one of them made void afterwards, and the day's end."""
    house = little_house(7)
    house.make_void("T1.20261130-000002")
    house.end_day()
    return house


async def found_in(stored: Sequence[Stored], day: str = "") -> Reconciliation:
    """Return what comes of reconciling logs."""
    return await reconciled(Books(stored), day)


def first(stored: Sequence[Stored], kind: type[Any], stream: str) -> tuple[str, int, int, int]:
    """Return where the first event of a kind stands in a stream."""
    for one in stored:
        if stream in one.stream:
            entry = read(one)
            for nth, decision in enumerate(entry.decisions):
                for number, event in enumerate(decision.events):
                    if isinstance(event, kind):
                        return entry.stream, entry.revision, nth, number
    raise AssertionError(f"there is no {kind.__name__}")


def places(found: Reconciliation) -> set[tuple[str, tuple[str, int, int, int]]]:
    """Return the codes of what differs, and where."""
    return {(each.code, (each.stream, each.revision, each.decision, each.event)) for each in found.differences}


async def test_a_house_adds_up(house):
    """Every movement, wager, round and correction of a day, and what the next day takes over."""
    found = await found_in(house.stored)

    assert ([(day.day, day.closed, day.rounds, day.open_rounds) for day in found.days], found.differences) == (
        [("20261130", True, 6, 0), ("20261201", False, 0, 0)],
        [],
    )


async def test_a_house_adds_up_at_any_moment(house):
    """What the ledger or a round has not heard yet is no difference."""
    cuts = [await found_in(house.stored[:end]) for end in range(1, len(house.stored), 5)]

    assert [found.differences for found in cuts if found.differences] == []


async def test_a_trial_balance_is_by_currency_and_kind_of_account(house):
    """And comes to nothing."""
    day = (await found_in(house.stored, "20261130")).days[0]
    balances = {row.kind: row.minor for row in day.trial_balance}

    assert (sorted(balances), sum(balances.values()), balances["outside"]) == (["house/win", "outside", "player/cash"], 0, -3_000_000)


def dropped(event: Any) -> Sequence[Any]:
    """Leave an event out."""
    return []


def twice(event: Any) -> Sequence[Any]:
    """Let an event stand there twice."""
    return [event, event]


def moved(by: int) -> Callable[[Any], Sequence[Any]]:
    """Let more move, in all of its legs, while the event says what it said."""

    def edit(event: Any) -> Sequence[Any]:
        grown = [Posting(account=each.account, minor=each.minor + (by if each.minor > 0 else -by)) for each in event.postings]
        return [replace(event, postings=tuple(grown))]

    return edit


def unbalanced(event: Any) -> Sequence[Any]:
    """Let one leg come to a unit more."""
    head, *rest = event.postings
    return [replace(event, postings=(Posting(account=head.account, minor=head.minor + 1), *rest))]


def rounded(event: StakesSettled) -> Sequence[Any]:
    """Book a part as rounded up that no line says."""
    legs = (Posting(account="house/rounding", minor=-5), Posting(account="house/win", minor=5))
    return [replace(event, postings=(*event.postings, *legs))]


def larger(event: StakeReserved) -> Sequence[Any]:
    """Set more aside than the player has, and say so."""
    legs = (Posting(account=f"player/{event.player}/cash", minor=-(10**9)), Posting(account=f"round/{event.round}/escrow", minor=10**9))
    return [replace(event, minor=10**9, postings=legs)]


def better(event: Any) -> Sequence[Any]:
    """Let a line of a round give back more."""
    head, *rest = event.lines
    return [replace(event, lines=(replace(head, returned_minor=head.returned_minor + 1), *rest))]


def given_back(event: StakeReserved) -> Sequence[Any]:
    """Give a stake back at once."""
    legs = tuple(Posting(account=each.account, minor=-each.minor) for each in event.postings)
    names = {name: getattr(event, name) for name in ("wager", "round", "player", "currency", "minor")}
    return [event, StakeReleased(**names, postings=legs)]


def booked_at_once(event: StakeReserved) -> Sequence[Any]:
    """Book the round while the stake lies there."""
    return [event, RoundBooked(round=event.round, outcome="settled")]


def lapsed(event: WagerAccepted) -> Sequence[Any]:
    """Let a wager lapse that came into the round."""
    return [WagerLapsed(wager=event.wager)]


def refused(event: WagerAccepted) -> Sequence[Any]:
    """Let a wager be refused that came into the round."""
    return [WagerRefused(wager=event.wager, code="insufficient_funds", message="")]


def void(event: RoundBooked) -> Sequence[Any]:
    """Book a round that was settled as void."""
    return [replace(event, outcome="void")]


def closed_with(**said: Any) -> Callable[[Any], Sequence[Any]]:
    """Close a book with something else than it comes to."""
    return lambda event: [replace(event, **said)]


def posted_to(there: str, instead: str) -> Callable[[Any], Sequence[Any]]:
    """Let what moved come to another account, so that every sum is as it was."""

    def edit(event: Any) -> Sequence[Any]:
        legs = tuple(Posting(account=leg.account.replace(there, instead), minor=leg.minor) for leg in event.postings)
        assert legs != event.postings, f"nothing comes to {there}"
        return [replace(event, postings=legs)]

    return edit


def carried(by: tuple[int, int]) -> Callable[[Any], Sequence[Any]]:
    """Carry other balances of the first two accounts forward."""

    def edit(event: CarriedForward) -> Sequence[Any]:
        one, two, *rest = event.accounts
        return [replace(event, accounts=(replace(one, minor=one.minor + by[0]), replace(two, minor=two.minor + by[1]), *rest))]

    return edit


FORGERIES = [
    (Deposited, LEDGER, unbalanced, "unbalanced", Deposited, LEDGER),
    (Deposited, LEDGER, moved(7), "says_other", Deposited, LEDGER),
    (StakeReserved, LEDGER, moved(7), "says_other", StakeReserved, LEDGER),
    (StakesSettled, LEDGER, better, "says_other", StakesSettled, LEDGER),
    (StakesSettled, LEDGER, rounded, "says_other", StakesSettled, LEDGER),
    (StakesCorrected, LEDGER, moved(7), "says_other", StakesCorrected, LEDGER),
    (StakeReserved, LEDGER, larger, "overdrawn", StakeReserved, LEDGER),
    (StakeReserved, LEDGER, larger, "stake_differs", StakeReserved, LEDGER),
    (StakeReserved, LEDGER, given_back, "released_wrongly", StakeReleased, LEDGER),
    (StakeReserved, LEDGER, booked_at_once, "escrow_left", RoundBooked, LEDGER),
    (RoundBooked, LEDGER, void, "booked_differs", RoundBooked, LEDGER),
    (StakeReserved, LEDGER, dropped, "not_set_aside", WagerAccepted, "T1.round.000001"),
    (StakesSettled, LEDGER, dropped, "not_settled", WagersSettled, "T1.round.000001"),
    (StakesCorrected, LEDGER, dropped, "not_corrected", WagersCorrected, "T1.round.000002"),
    (RoundBooked, LEDGER, dropped, "not_booked", RoundSettled, "T1.round.000001"),
    (WagerPlaced, "T1.round.000001", dropped, "not_placed", StakeReserved, LEDGER),
    (WagerAccepted, "T1.round.000001", refused, "refused_differs", StakeReserved, LEDGER),
    (WagersSettled, "T1.round.000001", better, "settled_differs", StakesSettled, LEDGER),
    (WagersSettled, "T1.round.000001", dropped, "settled_differs", StakesSettled, LEDGER),
    (WagersCorrected, "T1.round.000002", better, "corrected_differs", StakesCorrected, LEDGER),
    (WagersCorrected, "T1.round.000002", dropped, "corrected_differs", StakesCorrected, LEDGER),
    (RoundSettled, "T1.round.000001", dropped, "booked_early", RoundBooked, LEDGER),
    (BookClosed, LEDGER, closed_with(movements=3), "closed_otherwise", BookClosed, LEDGER),
    (BookClosed, LEDGER, closed_with(balances="0" * 64), "closed_otherwise", BookClosed, LEDGER),
    (BookClosed, LEDGER, closed_with(trial=()), "closed_otherwise", BookClosed, LEDGER),
    (BookClosed, LEDGER, closed_with(day="20261129"), "closed_otherwise", BookClosed, LEDGER),
    (BookOpened, TOMORROW, closed_with(balances="0" * 64), "carried_differs", BookOpened, TOMORROW),
    (Deposited, LEDGER, posted_to("/cash", "/promo"), "says_other", Deposited, LEDGER),
    (Deposited, LEDGER, posted_to("/cash", "/owed"), "says_other", Deposited, LEDGER),
    (Deposited, LEDGER, posted_to("outside/house", "outside/south"), "says_other", Deposited, LEDGER),
    (StakesSettled, LEDGER, posted_to("house/win", "house/promo"), "says_other", StakesSettled, LEDGER),
    (StakesCorrected, LEDGER, posted_to("house/win", "house/promo"), "says_other", StakesCorrected, LEDGER),
    (CarriedForward, TOMORROW, carried((5, -5)), "carried_differs", BookOpened, TOMORROW),
    (CarriedForward, TOMORROW, carried((5, 0)), "total", BookOpened, TOMORROW),
]


@pytest.mark.parametrize(("kind", "stream", "edit", "code", "at", "there"), FORGERIES)
async def test_a_forgery_is_found_where_it_shows(house, kind, stream, edit, code, at, there):
    """Somebody who knows how logs are made has changed one event, and linked everything behind it anew."""
    stored = forged(house.stored, kind, edit, stream=stream)

    assert (code, first(stored, at, there)) in places(await found_in(stored))


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (StakeReserved, "set_aside_twice"),
        (StakesSettled, "settled_twice"),
        (StakesCorrected, "corrected_twice"),
        (RoundBooked, "booked_twice"),
    ],
)
async def test_what_stands_there_twice_is_found_where_it_is_repeated(house, kind, code):
    """The second of the two is the one that must not be."""
    stored = forged(house.stored, kind, twice, stream=LEDGER)
    stream, revision, decision, event = first(stored, kind, LEDGER)

    assert (code, (stream, revision, decision, event + 1)) in places(await found_in(stored))


redeemed = partial(AdjustmentMade, adjustment="20261130-1", reason="promo_redeemed", round="", proposed_by="pit")
PROMO = [
    (PromoGranted, {"player/ann/promo": 500, "house/promo": -500}, set()),
    (PromoGranted, {"player/ann/promo": 600, "house/promo": -600}, {"says_other"}),
    (PromoGranted, {"player/ann/promo": 500, "house/win": -500}, {"says_other"}),
    (PromoGranted, {"player/ann/cash": 500, "house/promo": -500}, {"says_other"}),
    (redeemed, {"player/ann/promo": -500, "player/ann/cash": 500}, {"overdrawn"}),
    (redeemed, {"player/ann/promo": -501, "player/ann/cash": 501}, {"overdrawn", "says_other"}),
    (redeemed, {"player/ann/promo": -500, "player/bob/cash": 500}, {"overdrawn", "says_other"}),
    (redeemed, {"player/ann/cash": 500, "house/promo": -500}, {"says_other"}),
    (PromoCancelled, {"player/ann/promo": -500, "house/win": 500}, {"overdrawn", "says_other"}),
    (PromoCancelled, {"player/ann/cash": -500, "house/promo": 500}, {"says_other"}),
]


@pytest.mark.parametrize(("kind", "legs", "codes"), PROMO)
async def test_promotional_money_moves_as_its_event_says(house, kind, legs, codes):
    """Between the player and the house's gifts, or from gift to cash."""
    postings = tuple(Posting(account=account, minor=minor) for account, minor in legs.items())
    moved = kind(player="ann", currency="CAD", minor=500, by="dan", job="duty_manager", postings=postings)
    stored = forged(house.of(LEDGER)[:6], Deposited, lambda event: [event, moved])

    assert {each.code for each in (await found_in(stored, "20261130")).differences} == codes


@pytest.mark.parametrize("out", [(3,), (3, 4), (1,)])
async def test_entries_that_were_taken_out_are_found_where_the_next_one_stands(house, out):
    """Money that came in and went out again leaves no sum behind, but the chain has a gap."""
    ledger = house.of(LEDGER)[:8]
    found = await found_in([one for place, one in enumerate(ledger, 1) if place not in out], "20261130")
    there = out[-1] + 1

    assert [(each.code, each.revision, each.message) for each in found.differences if each.code == "not_following"] == [
        ("not_following", there, f"revision {out[0]} is not there")
    ]


async def test_entries_that_changed_places_or_came_twice_are_found(house):
    """In another order, or a second time, an entry does not follow the one before it."""
    ledger = house.of(LEDGER)[:8]
    swapped = await found_in([*ledger[:3], ledger[4], ledger[3], *ledger[5:]], "20261130")
    doubled = await found_in([*ledger[:4], ledger[3], *ledger[4:]], "20261130")

    assert [[each.message for each in found.differences if each.code == "not_following"] for found in (swapped, doubled)] == [
        ["revision 4 stands behind revision 5", "revision 4 is not there"],
        ["revision 4 stands behind revision 4"],
    ]


async def test_bytes_that_were_changed_are_found_in_the_entry_behind_them(house):
    """Two players' deposits may change places without any sum changing, and not without the bytes."""
    ledger = house.of(LEDGER)[:8]
    changed = forged(ledger, Deposited, lambda event: [replace(event, minor=event.minor + 1)])
    at = next(place for place, one in enumerate(ledger) if changed[place].data != one.data)
    found = await found_in([*ledger[:at], changed[at], *ledger[at + 1 :]], "20261130")

    assert [each.revision for each in found.differences if each.code == "not_following"] == [at + 2]


async def test_a_book_follows_the_last_entry_of_the_book_before(house):
    """Another day before it could have the same balances."""
    other = forged(house.of(LEDGER), BookClosed, lambda event: [replace(event, accounts=event.accounts + 1)])
    found = await found_in([*other, *house.of(TOMORROW)])

    assert "the book does not follow the last entry of the book before" in [each.message for each in found.differences]


async def test_logs_without_entries_are_trouble(house):
    """Nothing was added up, so nothing adds up."""
    with pytest.raises(Trouble, match="nothing can be added up"):
        await found_in([])


async def test_a_book_that_was_never_closed_is_found_where_the_next_one_opens(house):
    """Its balances may have gone on moving."""
    stored = forged(house.stored, BookClosed, dropped, stream=LEDGER)

    assert ("not_closed", first(stored, BookOpened, TOMORROW)) in places(await found_in(stored))


@pytest.mark.parametrize(("legs", "codes"), [((500, -500), set()), ((499, -499), {"says_other"}), ((500, -499), {"unbalanced"})])
async def test_an_adjustment_moves_what_it_says(house, legs, codes):
    """Between the house and the player, with no other side in the rounds."""
    postings = (Posting(account="player/ann/cash", minor=legs[0]), Posting(account="house/win", minor=legs[1]))
    made = AdjustmentMade(
        adjustment="a1",
        player="ann",
        currency="CAD",
        minor=500,
        reason="goodwill",
        round="",
        proposed_by="cyd",
        by="dan",
        job="duty_manager",
        postings=postings,
    )
    stored = forged(house.of(LEDGER)[:6], Deposited, lambda event: [event, made])

    assert {each.code for each in (await found_in(stored, "20261130")).differences} == codes


def half_promo(event: StakeReserved) -> Sequence[Any]:
    """Take half of a stake from promotional money."""
    half = event.minor // 2
    promo, cash = Posting(account="player/ann/promo", minor=-half), Posting(account="player/ann/cash", minor=half - event.minor)
    return [replace(event, postings=(promo, cash, Posting(account=f"round/{event.round}/escrow", minor=event.minor)))]


def doubled(promo: int) -> Callable[[Any], Sequence[Any]]:
    """Let the first line give its stake back twice, so much of it as promotional money."""

    def edit(event: StakesSettled) -> Sequence[Any]:
        head, *rest = event.lines
        back = 2 * head.stake_minor
        legs = {f"player/{head.player}/promo": promo, f"player/{head.player}/cash": back - promo, "house/win": -back}
        postings = (*event.postings, *(Posting(account=account, minor=minor) for account, minor in legs.items()))
        return [replace(event, lines=(replace(head, returned_minor=back), *rest), postings=postings)]

    return edit


@pytest.mark.parametrize(("off", "expected"), [(0, set()), (1, {"promo_differs"}), (-168, {"promo_differs"})])
async def test_what_was_staked_as_promotional_money_comes_back_as_such(house, off, expected):
    """FL-5.1: in the proportion of its stake, rounded down; else it could be played into cash."""
    stored = forged(house.of(LEDGER), StakeReserved, half_promo)
    stored = forged(stored, StakesSettled, doubled(168 + off))
    found = await found_in(stored)

    assert {each.code for each in found.differences if each.code.startswith("promo")} == expected


async def test_a_wager_that_lapsed_and_was_not_given_back_is_found(house):
    """The round says so, and the stake still lies there."""
    stored = forged(house.stored, WagerAccepted, lapsed, stream="T1.round.000001")
    stored = forged(stored, WagersSettled, dropped, stream="T1.round.000001")
    stored = forged(stored, StakesSettled, dropped, stream=LEDGER)

    assert ("not_released", first(stored, WagerLapsed, "T1.round.000001")) in places(await found_in(stored))


async def test_a_wager_that_nobody_settled_is_found(house):
    """Neither in the round nor in the ledger, although both say that the round is over."""
    stored = forged(house.stored, WagersSettled, dropped, stream="T1.round.000001")
    stored = forged(stored, StakesSettled, dropped, stream=LEDGER)

    assert ("never_settled", first(stored, RoundSettled, "T1.round.000001")) in places(await found_in(stored))


async def test_the_escrow_of_an_open_round_must_be_what_its_log_says(house):
    """The round is being played; more lies in its escrow than was wagered."""
    end = next(place for place, one in enumerate(house.stored) if b"StakesSettled" in one.data)
    stored = forged(house.stored[:end], StakeReserved, moved(7), stream=LEDGER)
    found = await found_in(stored)

    assert {each.code for each in found.differences} == {"says_other", "escrow_differs"}


async def test_an_entry_that_cannot_be_read_is_told_and_the_rest_is_read(house):
    """One broken entry of a round hides nothing else."""
    victim = next(one for one in house.stored if one.stream.endswith("T1.round.000001"))
    stored = [replace(one, data=one.data[:-2]) if one is victim else one for one in house.stored]
    found = await found_in(stored)

    assert [(each.code, each.stream) for each in found.differences if each.code == "unreadable"] == [("unreadable", victim.stream)]


async def test_the_first_entry_that_differs_is_named(house):
    """Of two forgeries the earlier one."""
    stored = forged(house.stored, StakesSettled, unbalanced, stream=LEDGER, which=3)
    stored = forged(stored, Deposited, unbalanced, stream=LEDGER, which=1)
    console = screen(io.StringIO())
    show(console, await found_in(stored))
    assert isinstance(console.file, io.StringIO)
    last = " ".join(console.file.getvalue().split("The first:")[1].split())

    assert last.startswith("log.wallet.20261130.ledger.0, revision 5, decision 0, event 0: the postings come to 1 and not to nothing.")


@pytest.mark.parametrize("columns", [120, 80, 50])
async def test_what_differs_is_whole_on_any_screen(house, columns: int):
    """A number that is cut is another number, and a place that is cut is found by nobody."""
    console = screen(io.StringIO())
    console.width = columns
    show(console, await found_in(forged(house.stored, Deposited, unbalanced, stream=LEDGER)))
    assert isinstance(console.file, io.StringIO)
    told = console.file.getvalue()
    whole = ("gaming day", "not booked", "differences", "log.wallet.20261130.ledger.0")

    assert ([words in told for words in whole], "…" in told) == ([True] * len(whole), False)


async def test_a_closed_book_tells_its_digest(house):
    """So that anybody can hold it against the balances: lines of currency, account and minor units, sorted."""
    days = (await found_in(house.stored)).days
    console = screen(io.StringIO())
    show(console, await found_in(house.stored, "20261130"))
    assert isinstance(console.file, io.StringIO)

    assert ([len(day.digest) for day in days], days[0].digest in console.file.getvalue()) == ([64, 0], True)


async def test_a_day_that_is_not_kept_is_trouble(house):
    """The sentence says which ones are."""
    with pytest.raises(Trouble, match="There is no gaming day 20261202 in these logs, which hold 20261130 to 20261201"):
        await found_in(house.stored, "20261202")


async def test_differences_are_written_for_machines(house):
    """Each with its place, code and sentence."""
    stored = forged(house.stored, Deposited, unbalanced, stream=LEDGER)
    difference = msgspec.to_builtins((await found_in(stored)).differences[0])

    assert {"code", "message", "stream", "revision", "decision", "event", "round", "wager", "at_ms"} == set(difference)
