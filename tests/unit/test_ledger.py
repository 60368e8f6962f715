"""The ledger: every command allowed, refused, repeated, and the state after it."""

from collections.abc import Callable
from hashlib import sha256
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from services.wallet.domain.carrying import ROWS_MAX, carried
from services.wallet.domain.ledger import LEDGER
from services.wallet.domain.state import Account, Ledger, Stake
from services.wallet.reactions import follow
from services.wallet.statement import statement
from services.wallet.views import Amount, Balance, balance
from shared.contracts.accounts import Posting
from shared.contracts.cage import AccountOpened, Deposit, MovementRefused, OpenAccount, Withdraw
from shared.contracts.rounds import RoundSettled, RoundVoided
from shared.contracts.stakes import (
    BookRound,
    ReleaseStake,
    ReserveStake,
    RoundBooked,
    SettledStake,
    SettleStakes,
    StakeRefused,
    StakeReleased,
    StakeReserved,
    StakesSettled,
)
from shared.contracts.table import DayClosed, TableOpened
from shared.contracts.wagers import SettlementLine, WagerAccepted, WagerLapsed, WagerPlaced, WagersSettled
from shared.contracts.wallet import (
    BookClosed,
    BookOpened,
    CarriedAccount,
    CarriedForward,
    CarriedId,
    CarriedStake,
    CarryForward,
    CloseBook,
    DayClosedNoted,
    LedgerCommand,
    LedgerEvent,
    NoteDayClosed,
    NoteTable,
    OpenBook,
    TableNoted,
    TrialRow,
)
from shared.kernel.entry import decode
from shared.kernel.folded import Asked, Folded, Pen, Recorded, commit, draft, empty, fold
from shared.kernel.messages import HOUSE, Actor, Answer, Envelope, Refused
from shared.kernel.reactions import Source
from shared.runtime.shelf import profile
from tests.rounds import settings

DAY = "20261130"
ROUND = "T7.20261130-000001"
STREAM = "log.wallet.20261130.ledger.0"
OPEN = (
    OpenBook(day=DAY),
    OpenAccount(player="ann", operator="north", currency="CAD"),
    Deposit(player="ann", currency="CAD", minor=1000),
)
RESERVE = ReserveStake(wager="w1", round=ROUND, player="ann", currency="CAD", minor=300)
RELEASE = ReleaseStake(round=ROUND, wager="w1")
PEN = Pen("w", 1, "t")


def after(*commands: LedgerCommand, ledger: Ledger = LEDGER.initial) -> Ledger:
    """Return the ledger after commands."""
    for command in commands:
        for event in decide(ledger, command):
            ledger = LEDGER.evolve(ledger, event)
    return ledger


def decide(ledger: Ledger, command: LedgerCommand) -> list[LedgerEvent]:
    """Return what follows from a command."""
    return LEDGER.decide(command, ledger, Envelope("id", HOUSE, 0, 0))


def settle(returned_minor: int, wager: str = "w1", stake_minor: int = 300) -> SettleStakes:
    """Return the settlement of one wager."""
    line = SettledStake(wager=wager, player="ann", stake_minor=stake_minor, returned_minor=returned_minor)
    return SettleStakes(round=ROUND, currency="CAD", lines=(line,))


def balances(ledger: Ledger) -> dict[str, int]:
    """Return all balances in Canadian dollars."""
    return {name: account.minor for name, account in ledger.accounts["CAD"].items()}


def refusal(act: Callable[[], object]) -> str:
    """Return the code with which something is refused."""
    with pytest.raises(Refused) as caught:
        act()
    return caught.value.code


@pytest.mark.parametrize("command", [*OPEN[1:], RESERVE, RELEASE, NoteTable(table="T7"), CloseBook(next_day="20261201")])
def test_nothing_is_booked_before_the_book_is_open(command: LedgerCommand) -> None:
    """Only what is carried forward comes first."""
    assert refusal(lambda: decide(LEDGER.initial, command)) == "book_not_open"


def test_a_book_is_opened_once() -> None:
    """Asked again for the same day nothing happens; for another day it is refused."""
    opened = decide(LEDGER.initial, OPEN[0])
    ledger = after(OPEN[0])

    assert (opened, decide(ledger, OPEN[0]), refusal(lambda: decide(ledger, OpenBook(day="20261201")))) == (
        [BookOpened(day=DAY, semantics=1, shard=0, shards=1)],
        [],
        "bad_request",
    )


def test_an_account_is_opened_once_with_one_operator() -> None:
    """The same again adds nothing; another operator is refused; another currency is another account."""
    ledger = after(*OPEN)
    again = decide(ledger, OPEN[1])
    other = refusal(lambda: decide(ledger, OpenAccount(player="ann", operator="south", currency="CAD")))
    euros = decide(ledger, OpenAccount(player="ann", operator="south", currency="EUR"))

    assert (again, other, euros) == ([], "account_exists", [AccountOpened(player="ann", operator="south", currency="EUR")])


@pytest.mark.parametrize(("player", "operator", "currency"), [("a b", "north", "CAD"), ("ann", "", "CAD"), ("ann", "north", "XXX")])
def test_an_account_needs_names_and_a_currency_that_can_be_written(player: str, operator: str, currency: str) -> None:
    """Names stand in subjects and in the names of accounts."""
    command = OpenAccount(player=player, operator=operator, currency=currency)

    assert refusal(lambda: decide(after(OPEN[0]), command)) == "bad_request"


def test_a_deposit_comes_from_the_world() -> None:
    """What players bring is a debt to the outside."""
    assert balances(after(*OPEN)) == {"player/ann/cash": 1000, "outside/north": -1000}


def test_a_withdrawal_goes_to_the_world() -> None:
    """And no further than the account holds."""
    assert balances(after(*OPEN, Withdraw(player="ann", currency="CAD", minor=400))) == {"player/ann/cash": 600, "outside/north": -600}


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (Withdraw(player="ann", currency="CAD", minor=1001), "insufficient_funds"),
        (Withdraw(player="ann", currency="CAD", minor=0), "not_positive"),
        (Withdraw(player="ann", currency="EUR", minor=1), "unknown_account"),
        (Deposit(player="ann", currency="CAD", minor=-1), "not_positive"),
        (Deposit(player="bob", currency="CAD", minor=1), "unknown_account"),
        (Deposit(player="ann", currency="CAD", minor=10**15), "bad_request"),
    ],
)
def test_a_refused_movement_is_written_down(command: LedgerCommand, code: str) -> None:
    """A dispute could turn on it; nothing moves."""
    ledger = after(*OPEN)
    (event,) = decide(ledger, command)
    assert isinstance(event, MovementRefused)

    assert (event.code, event.answer(), LEDGER.evolve(ledger, event)) == (code, ("", Answer("refused", code, event.message)), ledger)


def test_a_stake_is_set_aside() -> None:
    """From the player to the round's escrow."""
    ledger = after(*OPEN, RESERVE)

    assert (balances(ledger), ledger.stakes[ROUND, "w1"]) == (
        {"player/ann/cash": 700, "outside/north": -1000, f"round/{ROUND}/escrow": 300},
        Stake(ROUND, "ann", "CAD", 300),
    )


@pytest.mark.parametrize(
    ("player", "minor", "code"), [("ann", 1001, "insufficient_funds"), ("bob", 1, "unknown_account"), ("ann", 0, "not_positive")]
)
def test_a_stake_that_cannot_be_set_aside_is_refused_in_a_sentence(player: str, minor: int, code: str) -> None:
    """The table hears it and tells the player."""
    (event,) = decide(after(*OPEN), ReserveStake(wager="w1", round=ROUND, player=player, currency="CAD", minor=minor))
    assert isinstance(event, StakeRefused)

    assert (event.wager, event.round, event.code, event.message != "") == ("w1", ROUND, code, True)


@pytest.mark.parametrize(
    "history",
    [
        (RESERVE,),
        (RESERVE, RELEASE),
        (RESERVE, settle(0)),
        (RESERVE, settle(0), BookRound(round=ROUND, outcome="settled")),
        (ReserveStake(wager="w1", round=ROUND, player="ann", currency="CAD", minor=2000),),
    ],
)
def test_a_wager_is_asked_for_once(history: tuple[LedgerCommand, ...]) -> None:
    """Set aside, given back, settled, booked or refused: a second request adds nothing."""
    assert decide(after(*OPEN, *history), RESERVE) == []


def test_a_stake_is_given_back_once() -> None:
    """And only if it is set aside."""
    ledger = after(*OPEN, RESERVE, RELEASE)

    assert (balances(ledger), decide(ledger, RELEASE)) == ({"player/ann/cash": 1000, "outside/north": -1000}, [])


def test_wagers_of_two_rounds_may_carry_the_same_name() -> None:
    """A player names a wager, and sees how others name theirs: within its round alone the name is its own."""
    other = "T9.20261130-000004"
    ledger = after(*OPEN, RESERVE, replace(RESERVE, round=other, minor=200), ReleaseStake(round=other, wager="w1"), settle(300))

    assert (balances(ledger)["player/ann/cash"], decide(ledger, BookRound(round=ROUND, outcome="settled"))) == (
        1000,
        [RoundBooked(round=ROUND, outcome="settled")],
    )


@pytest.mark.parametrize(("returned", "ann", "house"), [(0, 700, 300), (300, 1000, 0), (750, 1450, -450)])
def test_a_settlement_moves_the_stake_by_its_outcome(returned: int, ann: int, house: int) -> None:
    """Lost to the house, pushed back, or back with winnings from the house."""
    found = balances(after(*OPEN, RESERVE, settle(returned)))

    assert (found["player/ann/cash"], found.get("house/win", 0), found.get(f"round/{ROUND}/escrow", 0)) == (ann, house, 0)


def test_a_settlement_has_one_posting_for_each_account() -> None:
    """Two wagers of one player come back in one leg; the lines tell them apart."""
    second = ReserveStake(wager="w2", round=ROUND, player="ann", currency="CAD", minor=100)
    lines = (*settle(600).lines, *settle(0, "w2", 100).lines)
    (event,) = decide(after(*OPEN, RESERVE, second), SettleStakes(round=ROUND, currency="CAD", lines=lines))
    assert isinstance(event, StakesSettled)

    assert event.postings == (
        Posting(account=f"round/{ROUND}/escrow", minor=-400),
        Posting(account="player/ann/cash", minor=600),
        Posting(account="house/win", minor=-200),
    )


def test_a_settlement_happens_once() -> None:
    """Heard again it adds nothing, also when the round is booked."""
    ledger = after(*OPEN, RESERVE, settle(600))
    booked = after(BookRound(round=ROUND, outcome="settled"), ledger=ledger)

    assert (decide(ledger, settle(600)), decide(booked, settle(600))) == ([], [])


@pytest.mark.parametrize("command", [settle(0, stake_minor=200), settle(0, wager="w9"), settle(-1), replace(settle(0), currency="EUR")])
def test_what_is_not_set_aside_as_it_is_settled_breaks_loudly(command: SettleStakes) -> None:
    """Another amount, an unknown wager, less than nothing, another currency."""
    with pytest.raises(AssertionError):
        decide(after(*OPEN, RESERVE), command)


def test_a_wager_cannot_stand_twice_in_a_settlement() -> None:
    """Each wager has one line."""
    with pytest.raises(AssertionError, match="settled once"):
        decide(after(*OPEN, RESERVE), SettleStakes(round=ROUND, currency="CAD", lines=settle(0).lines * 2))


def test_a_round_is_booked_once_and_forgets_its_wagers() -> None:
    """Of a booked round its name alone is kept."""
    book = BookRound(round=ROUND, outcome="settled")
    before = after(*OPEN, RESERVE, settle(0))
    ledger = after(book, ledger=before)

    assert (decide(before, book), decide(ledger, book), len(ledger.rounds), ROUND in ledger.booked) == (
        [RoundBooked(round=ROUND, outcome="settled")],
        [],
        0,
        True,
    )


def test_a_round_without_wagers_is_booked_too() -> None:
    """The table waits for the answer of every round."""
    assert decide(after(*OPEN), BookRound(round=ROUND, outcome="void")) == [RoundBooked(round=ROUND, outcome="void")]


def test_a_round_that_leaves_something_in_escrow_breaks_loudly() -> None:
    """A round that is over has settled or given back every stake."""
    with pytest.raises(AssertionError, match="left in escrow"):
        decide(after(*OPEN, RESERVE), BookRound(round=ROUND, outcome="settled"))


def test_a_table_is_noted_once() -> None:
    """When it opens, and when it has closed its day."""
    note, end = NoteTable(table="T7"), NoteDayClosed(table="T7", next_day="20261201")
    opened = after(*OPEN, note)
    closed = after(end, ledger=opened)

    assert (decide(after(*OPEN), note), decide(opened, note), decide(opened, end), decide(closed, end), decide(closed, note)) == (
        [TableNoted(table="T7")],
        [],
        [DayClosedNoted(table="T7", next_day="20261201")],
        [],
        [],
    )


def test_a_book_is_closed_after_its_tables() -> None:
    """Too early before the last of them; afterwards nothing follows."""
    close = CloseBook(next_day="20261201")
    two = after(*OPEN, NoteTable(table="T7"), NoteTable(table="T8"), NoteDayClosed(table="T7", next_day="20261201"))
    done = after(NoteDayClosed(table="T8", next_day="20261201"), ledger=two)
    closed = after(close, ledger=done)

    assert (refusal(lambda: decide(two, close)), decide(done, close), two.tables_open) == (
        "too_early",
        [
            BookClosed(
                day=DAY,
                next_day="20261201",
                accounts=2,
                stakes=0,
                movements=1,
                trial=(
                    TrialRow(currency="CAD", kind="outside", minor=-1_000),
                    TrialRow(currency="CAD", kind="player/cash", minor=1_000),
                ),
                balances=sha256(b"CAD outside/north -1000\nCAD player/ann/cash 1000\n").hexdigest(),
            )
        ],
        ("T8",),
    )
    assert [refusal(lambda it=it: decide(closed, it)) for it in (*OPEN, RESERVE, close)] == ["book_closed"] * 5  # type: ignore[misc]


@pytest.mark.parametrize("next_day", ["", "2026-12-01", DAY, "20261129"])
def test_a_book_is_closed_for_a_day_that_follows(next_day: str) -> None:
    """The service fills the day in."""
    assert refusal(lambda: decide(after(*OPEN), CloseBook(next_day=next_day))) == "bad_request"


def test_a_closed_book_is_carried_into_the_next() -> None:
    """All balances, what is still set aside, and the ids that were first used in it: nothing else, and in bounded parts."""
    many = [OpenAccount(player=f"p{number:04}", operator="north", currency="CAD") for number in range(ROWS_MAX)]
    ledger = after(*OPEN, RESERVE, *many, CloseBook(next_day="20261201"))
    ledger = LEDGER.evolve(
        ledger, CarriedForward(from_day="20261129", ids=(CarriedId(id="old", fingerprint="f", answer=Answer("accepted")),))
    )
    answers = {
        "old": Recorded("f", Answer("accepted")),
        "new": Recorded("g", Answer("refused", "c", "m")),
        "inner": Recorded("", Answer("accepted")),
    }
    parts = carried(ledger, answers, "d" * 64)
    following = after(*parts, OpenBook(day="20261201"))

    assert ([(len(part.accounts), len(part.stakes), len(part.ids)) for part in parts], parts[-1].ids[0].id) == (
        [(ROWS_MAX, 0, 0), (2, 0, 0), (0, 1, 0), (0, 0, 1)],
        "new",
    )
    assert (following.accounts, following.stakes, following.rounds) == (ledger.accounts, ledger.stakes, ledger.rounds)


def test_a_book_that_does_not_balance_is_not_opened() -> None:
    """A part that is missing is found before anything else happens."""
    part = CarryForward(
        from_day="20261129", follows="", accounts=(CarriedAccount(account="player/ann/cash", operator="n", currency="CAD", minor=5),)
    )

    with pytest.raises(AssertionError, match="must balance"):
        decide(after(part), OpenBook(day=DAY))


@pytest.mark.parametrize(
    "part",
    [
        CarryForward(
            from_day="20261129", follows="", accounts=(CarriedAccount(account="outside/n", operator="", currency="CAD", minor=-5),)
        ),
        CarryForward(from_day="20261129", follows="", stakes=(CarriedStake(wager="w", round="r", player="p", currency="CAD", minor=5),)),
    ],
)
def test_nothing_is_carried_forward_twice(part: CarryForward) -> None:
    """A part that comes again under another id breaks loudly."""
    with pytest.raises(AssertionError, match="carried forward once"):
        decide(after(part), part)


def test_nothing_is_carried_into_an_open_book() -> None:
    """What comes too late would change a day that has begun."""
    assert refusal(lambda: decide(after(OPEN[0]), CarryForward(from_day="20261129", follows=""))) == "bad_request"


def ask(folded: Folded[Ledger], **commands: LedgerCommand) -> tuple[list[Answer], bytes]:
    """Append commands under the ids that name them, as the cage."""
    cage = Actor("staff", "cage")
    drafted = draft(LEDGER, folded, [Asked(id, command, cage, 1) for id, command in commands.items()], PEN, now_ms=7)
    if drafted.entry is not None:
        commit(folded, drafted, folded.fence + 1)
    return drafted.answers, drafted.data


def test_an_id_of_yesterday_gets_yesterdays_answer() -> None:
    """Asked again in the next day's book; and the day after that it is at hand no more."""
    today: Folded[Ledger] = empty(LEDGER, STREAM)
    lost = Withdraw(player="ann", currency="CAD", minor=5000)
    before, _ = ask(today, a=OPEN[0], b=OPEN[1], c=OPEN[2], d=lost)
    ask(today, e=CloseBook(next_day="20261201"))
    tomorrow: Folded[Ledger] = empty(LEDGER, "log.wallet.20261201.ledger.0")
    parts = carried(today.state, today.answers, today.digest)
    _, data = ask(tomorrow, **{f"part{number}": part for number, part in enumerate(parts)}, open=OpenBook(day="20261201"))
    again, nothing = ask(tomorrow, c=OPEN[2], d=lost)
    other, _ = ask(tomorrow, c=lost)
    read: Folded[Ledger] = empty(LEDGER, "log.wallet.20261201.ledger.0")
    fold(LEDGER, read, data, 1)
    later = carried(after(CloseBook(next_day="20261202"), ledger=tomorrow.state), tomorrow.answers, "")
    ids = {row.id for part in later for row in part.ids}

    assert (again, nothing, other[0].code, read.answers == tomorrow.answers, "c" in ids) == (before[2:], b"", "id_reused", True, False)
    assert decode(LEDGER, data).prev == today.digest


def test_a_balance_says_what_a_player_has() -> None:
    """What can be used and what is set aside, in each currency."""
    ledger = after(*OPEN, OpenAccount(player="ann", operator="south", currency="EUR"), RESERVE)

    assert balance(ledger, "ann", revision=7) == Balance(
        player="ann",
        day=DAY,
        revision=7,
        amounts=(
            Amount(currency="CAD", operator="north", available_minor=700, set_aside_minor=300),
            Amount(currency="EUR", operator="south", available_minor=0, set_aside_minor=0),
        ),
    )


def test_a_statement_names_everything_that_moved_an_account() -> None:
    """Two days: the second begins where the first ended, and the last balance is the account's."""
    today: Folded[Ledger] = empty(LEDGER, STREAM)
    second = ReserveStake(wager="w2", round=ROUND, player="ann", currency="CAD", minor=100)
    book = BookRound(round=ROUND, outcome="settled")
    _, first = ask(today, a=OPEN[0], b=OPEN[1], c=OPEN[2], d=RESERVE, e=second, f=settle(600), g=replace(RELEASE, wager="w2"), h=book)
    _, last = ask(today, i=CloseBook(next_day="20261201"))
    tomorrow: Folded[Ledger] = empty(LEDGER, "log.wallet.20261201.ledger.0")
    parts = carried(today.state, today.answers, today.digest)
    withdraw = Withdraw(player="ann", currency="CAD", minor=300)
    _, third = ask(tomorrow, **{f"p{number}": part for number, part in enumerate(parts)}, open=OpenBook(day="20261201"), z=withdraw)
    rows = list(statement([decode(LEDGER, data) for data in (first, last, third)], "ann"))
    alone = list(statement([decode(LEDGER, third)], "ann"))

    assert [(row.day, row.what, row.wager, row.minor, row.balance_minor) for row in rows] == [
        (DAY, "account opened", "", 0, 0),
        (DAY, "deposit", "", 1000, 1000),
        (DAY, "stake set aside", "w1", -300, 700),
        (DAY, "stake set aside", "w2", -100, 600),
        (DAY, "settled", "w1", 600, 1200),
        (DAY, "stake released", "w2", 100, 1300),
        ("20261201", "withdrawal", "", -300, 1000),
    ]
    assert [(row.day, row.what, row.minor, row.balance_minor) for row in alone] == [
        ("20261201", "brought forward", 1300, 1300),
        ("20261201", "withdrawal", -300, 1000),
    ]


def source(stream: str, **places: int) -> Source:
    """Return where an event was heard."""
    return Source(
        log="LOG_TABLE_20261130",
        stream=stream,
        **{"sequence": 9, "revision": 4, "decision": 0, "event": 1, "at_ms": 5, **places},
        digest="d",
    )


IN_ROUND = source("log.table.20261130.T7.round.000001")
LINE = SettlementLine(wager="w1", player="ann", box=1, hand=1, kind="main", stake_minor=300, returned_minor=600)


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (WagerPlaced(wager="w1", player="ann", box=1, hand=1, kind="main", stake_minor=300, currency="CAD", reserve_by_ms=9), RESERVE),
        (WagerLapsed(wager="w1"), RELEASE),
        (WagersSettled(currency="CAD", lines=(LINE,)), settle(600)),
        (
            RoundSettled(staked_minor=300, returned_minor=600, shoes=("T7-S1",), cutting_card_out=False),
            BookRound(round=ROUND, outcome="settled"),
        ),
        (RoundVoided(reason="r", shoes=(), cutting_card_out=False), BookRound(round=ROUND, outcome="void")),
    ],
)
def test_what_happens_in_a_round_moves_money(event: Any, expected: LedgerCommand) -> None:
    """In the ledger of the round's gaming day."""
    (reaction,) = follow(event, IN_ROUND)

    assert (reaction.stream, reaction.command) == (STREAM, expected)


def test_a_table_is_noted_when_it_opens_and_when_it_has_closed_its_day() -> None:
    """The book stays open as long as a table plays."""
    heard = source("log.table.20261130.T7.table")
    opened = TableOpened(table="T7", day=DAY, day_ends_at_ms=9, semantics=1, profile=profile("live"), settings=settings())
    closed = DayClosed(
        table="T7",
        day=DAY,
        next_day="20261201",
        next_day_ends_at_ms=99,
        rounds=4,
        reopens=True,
        profile=profile("live"),
        settings=settings(),
    )
    reactions = [*follow(opened, heard), *follow(closed, heard)]

    assert [(reaction.stream, reaction.command) for reaction in reactions] == [
        (STREAM, NoteTable(table="T7")),
        (STREAM, NoteDayClosed(table="T7", next_day="20261201")),
    ]


def test_a_movement_has_the_same_id_however_often_it_is_heard() -> None:
    """It is named after the wager; another wager of the same moment has another id."""
    events = [
        WagerPlaced(wager=wager, player="ann", box=1, hand=1, kind="main", stake_minor=300, currency="CAD", reserve_by_ms=9)
        for wager in ("w1", "w1", "w2")
    ]
    first, again, other = (reaction.id_after(IN_ROUND) for event in events for reaction in follow(event, IN_ROUND))

    assert (first == again, first == other) == (True, False)


def test_the_wallet_follows_nothing_else() -> None:
    """What the table says about its own moves no money."""
    assert follow(WagerAccepted(wager="w1"), IN_ROUND) == []


def test_states_of_a_ledger_can_be_thrown_away() -> None:
    """A draft is decided on states that may be discarded: what comes after leaves no trace in what was before."""
    ledger = after(*OPEN)
    mark = msgspec.json.Encoder(enc_hook=dict, order="deterministic").encode
    before = mark(ledger)
    after(RESERVE, settle(0), BookRound(round=ROUND, outcome="settled"), ledger=ledger)

    assert (mark(ledger), ledger.account("ann", "CAD")) == (before, Account("north", 1000))


def test_events_of_the_ledger_are_what_they_were_when_they_are_read_again() -> None:
    """Every event decodes to itself."""
    release: list[LedgerEvent] = decide(after(*OPEN, RESERVE), RELEASE)
    reserve = decide(after(*OPEN), RESERVE)
    read = msgspec.json.decode(msgspec.json.encode([*release, *reserve]), type=list[LedgerEvent])

    assert ([type(event) for event in read], read) == ([StakeReleased, StakeReserved], [*release, *reserve])
