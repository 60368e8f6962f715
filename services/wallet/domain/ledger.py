"""The ledger: one book for each gaming day, in which every movement of money is decided and none is decided twice.

A wager's stake is set aside, and then given back or settled; each wager goes that way once, whoever asks how often.
What a round has asked for is remembered until the round is booked, and of a booked round its name alone.

A state is drafted on and thrown away again (another writer may have been first), so it must never change in place, and
a copy of a hundred thousand balances for each movement would be too slow.  The balances therefore lie in persistent maps
(`immutables.Map`, the hash tree behind Python's own context variables): a changed map shares all but a few nodes with the
one before.  Plain dicts remain where a handful of keys is all there is.
"""

from collections.abc import Iterable
from typing import Literal, assert_never

from immutables import Map
from msgspec import Struct
from msgspec.structs import replace

from services.wallet.domain.names import Names
from services.wallet.domain.posting import (
    HOUSE_BANK,
    ends_with_nothing,
    escrow_account,
    given_back,
    may_be_overdrawn,
    movement,
    owed_account,
    player_account,
    transfer,
    world_account,
)
from shared.contracts.refusals import Reason, refused, sentence
from shared.contracts.subjects import BadSubject, day_token, token
from shared.contracts.table import SEMANTICS
from shared.contracts.wallet import (
    AccountOpened,
    BookClosed,
    BookOpened,
    BookRound,
    CarriedForward,
    CarryForward,
    CloseBook,
    CorrectStakes,
    DayClosedNoted,
    Deposit,
    Deposited,
    LedgerCommand,
    LedgerEvent,
    MovementRefused,
    NoteDayClosed,
    NoteTable,
    OpenAccount,
    OpenBook,
    Posting,
    ReleaseStake,
    ReserveStake,
    RoundBooked,
    SettleStakes,
    StakeRefused,
    StakeReleased,
    StakeReserved,
    StakesCorrected,
    StakesSettled,
    TableNoted,
    Withdraw,
    Withdrawn,
)
from shared.kernel.decider import Decider
from shared.kernel.messages import Envelope
from shared.kernel.money import MINOR_MAX, BadMoney, exponent


class Account(Struct, frozen=True):
    """What lies in an account, in minor units, and the operator it belongs to, where it belongs to one."""

    operator: str
    minor: int


class Stake(Struct, frozen=True):
    """A stake that is set aside."""

    round: str
    player: str
    currency: str
    minor: int


Accounts = Map[str, Account]
NO_ACCOUNTS: Accounts = Map()
NO_WAGERS = Names()


class Ledger(Struct, frozen=True, kw_only=True):
    """The book of one day.

    `accounts` are kept by currency: each currency is a book of its own, whose balances sum to zero.  `stakes` are set
    aside, by round and wager: a wager is named by its player, and only within its round is the name its own.  `rounds`
    names, for each round that is not booked, all wagers that were ever heard of; `booked` the rounds that are; `corrected` says
    how many corrections of a round are booked.  `tables`
    says of each table of the day whether it is still open.  `older` names the ids that were carried into this book: they
    are carried no further.
    """

    phase: Literal["carrying", "open", "closed"] = "carrying"
    day: str = ""
    shard: int = 0
    shards: int = 1
    next_day: str = ""
    accounts: dict[str, Accounts] = {}
    stakes: Map[tuple[str, str], Stake] = Map()
    rounds: Map[str, Names] = Map()
    booked: Map[str, bool] = Map()
    corrected: Map[str, int] = Map()
    tables: Map[str, bool] = Map()
    older: Map[str, bool] = Map()

    def account(self, player: str, currency: str) -> Account | None:
        """Return a player's account in a currency, if there is one."""
        return self.accounts.get(currency, NO_ACCOUNTS).get(player_account(player))

    def owed(self, player: str, currency: str) -> int:
        """Return what a player owes in a currency."""
        debt = self.accounts.get(currency, NO_ACCOUNTS).get(owed_account(player))
        return -debt.minor if debt else 0

    def total(self, currency: str) -> int:
        """Return the sum of all balances of a currency, which is zero as soon as everything is carried forward."""
        return sum(account.minor for account in self.accounts.get(currency, NO_ACCOUNTS).values())

    @property
    def open(self) -> bool:
        """Whether the book takes movements."""
        return self.phase == "open"

    @property
    def closed(self) -> bool:
        """Whether nothing follows any more."""
        return self.phase == "closed"

    @property
    def tables_open(self) -> tuple[str, ...]:
        """The tables that have not closed their day."""
        return tuple(sorted(table for table, open in self.tables.items() if open))


def decide(command: LedgerCommand, ledger: Ledger, envelope: Envelope) -> list[LedgerEvent]:
    """Return what follows from `command`; raise Refused if the book is not the one for it."""
    if ledger.phase == "closed":
        raise refused(Reason.BOOK_CLOSED)
    if isinstance(command, CarryForward):
        return carry_forward(command, ledger)
    if isinstance(command, OpenBook):
        return open_book(command, ledger)
    if ledger.phase != "open":
        raise refused(Reason.BOOK_NOT_OPEN)
    match command:
        case OpenAccount():
            return open_account(command, ledger)
        case Deposit():
            return deposit(command, ledger)
        case Withdraw():
            return withdraw(command, ledger)
        case ReserveStake():
            return reserve(command, ledger)
        case ReleaseStake():
            return release(command, ledger)
        case SettleStakes():
            return settle(command, ledger)
        case CorrectStakes():
            return correct(command, ledger)
        case BookRound():
            return book_round(command, ledger)
        case NoteTable():
            return [] if command.table in ledger.tables else [TableNoted(table=command.table)]
        case NoteDayClosed():
            known = ledger.tables.get(command.table) is False
            return [] if known else [DayClosedNoted(table=command.table, next_day=command.next_day)]
        case CloseBook():
            return close_book(command, ledger)
        case _:
            assert_never(command)


def carry_forward(command: CarryForward, ledger: Ledger) -> list[LedgerEvent]:
    """Return a part of the book before, each row of which is carried once."""
    if ledger.phase != "carrying":
        raise refused(Reason.BAD_REQUEST, "the book of this day is open, so nothing can be carried into it any more")
    for row in command.accounts:
        assert row.account not in ledger.accounts.get(row.currency, NO_ACCOUNTS), "an account must be carried forward once"
        assert row.minor >= 0 or may_be_overdrawn(row.account), "a player must not owe anything"
    for stake in command.stakes:
        assert (stake.round, stake.wager) not in ledger.stakes, "a stake must be carried forward once"
    return [CarriedForward(from_day=command.from_day, accounts=command.accounts, stakes=command.stakes, ids=command.ids)]


def open_book(command: OpenBook, ledger: Ledger) -> list[LedgerEvent]:
    """Return the opening, or nothing if this day's book is open."""
    if ledger.phase == "open":
        if command.day == ledger.day:
            return []
        raise refused(Reason.BAD_REQUEST, f"this is the book of {ledger.day}")
    _check_day(command.day)
    for currency in ledger.accounts:
        assert ledger.total(currency) == 0, f"what is carried forward in {currency} must balance"
    return [BookOpened(day=command.day, semantics=SEMANTICS, shard=command.shard, shards=command.shards, follows=command.follows)]


def open_account(command: OpenAccount, ledger: Ledger) -> list[LedgerEvent]:
    """Return a new account, or nothing if it exists with the same operator."""
    try:
        token(command.player)
        token(command.operator)
        exponent(command.currency)
    except (BadSubject, BadMoney) as error:
        raise refused(Reason.BAD_REQUEST, str(error)) from error
    known = ledger.account(command.player, command.currency)
    if known is None:
        return [AccountOpened(player=command.player, operator=command.operator, currency=command.currency)]
    if known.operator != command.operator:
        raise refused(Reason.ACCOUNT_EXISTS)
    return []


def deposit(command: Deposit, ledger: Ledger) -> list[LedgerEvent]:
    """Return the movement from the world to a player, or its refusal; what the player owes is paid from it first."""
    account = ledger.account(command.player, command.currency)
    if account is None:
        return [_movement_refused(Reason.UNKNOWN_ACCOUNT)]
    if command.minor <= 0:
        return [_movement_refused(Reason.NOT_POSITIVE)]
    if account.minor + command.minor > MINOR_MAX:
        return [_movement_refused(Reason.BAD_REQUEST, "the account would hold more than this house can write down")]
    mine = given_back(command.player, command.minor, held_minor=account.minor, owed_minor=ledger.owed(command.player, command.currency))
    postings = movement({world_account(account.operator): -command.minor, **mine})
    return [Deposited(player=command.player, currency=command.currency, minor=command.minor, postings=postings)]


def withdraw(command: Withdraw, ledger: Ledger) -> list[LedgerEvent]:
    """Return the movement from a player to the world, or its refusal; as much as the player owes stays there."""
    account = ledger.account(command.player, command.currency)
    if account is None:
        return [_movement_refused(Reason.UNKNOWN_ACCOUNT)]
    if command.minor <= 0:
        return [_movement_refused(Reason.NOT_POSITIVE)]
    if account.minor - ledger.owed(command.player, command.currency) < command.minor:
        return [_movement_refused(Reason.INSUFFICIENT_FUNDS)]
    postings = transfer(command.minor, source=player_account(command.player), target=world_account(account.operator))
    return [Withdrawn(player=command.player, currency=command.currency, minor=command.minor, postings=postings)]


def reserve(command: ReserveStake, ledger: Ledger) -> list[LedgerEvent]:
    """Return the stake set aside or refused, once for each wager."""
    if command.round in ledger.booked or command.wager in ledger.rounds.get(command.round, NO_WAGERS):
        return []
    account = ledger.account(command.player, command.currency)
    if account is None:
        return [_stake_refused(command, Reason.UNKNOWN_ACCOUNT)]
    if command.minor <= 0:
        return [_stake_refused(command, Reason.NOT_POSITIVE)]
    if account.minor < command.minor:
        return [_stake_refused(command, Reason.INSUFFICIENT_FUNDS)]
    return [
        StakeReserved(
            wager=command.wager,
            round=command.round,
            player=command.player,
            currency=command.currency,
            minor=command.minor,
            postings=transfer(command.minor, source=player_account(command.player), target=escrow_account(command.round)),
        )
    ]


def release(command: ReleaseStake, ledger: Ledger) -> list[LedgerEvent]:
    """Return the stake given back, if it is set aside."""
    stake = ledger.stakes.get((command.round, command.wager))
    if stake is None:
        return []
    return [
        StakeReleased(
            wager=command.wager,
            round=stake.round,
            player=stake.player,
            currency=stake.currency,
            minor=stake.minor,
            postings=transfer(stake.minor, source=escrow_account(stake.round), target=player_account(stake.player)),
        )
    ]


def settle(command: SettleStakes, ledger: Ledger) -> list[LedgerEvent]:
    """Return the stakes moved by their outcome: to their players what they return, to or from the house the rest."""
    wagers = {line.wager for line in command.lines}
    assert len(wagers) == len(command.lines), "a wager must be settled once"
    if not any((command.round, wager) in ledger.stakes for wager in wagers):
        heard_of = ledger.rounds.get(command.round, NO_WAGERS)
        assert command.round in ledger.booked or wagers <= heard_of, "a wager must be set aside before it is settled"
        return []
    staked = 0
    returned: dict[str, int] = {}
    for line in command.lines:
        stake = ledger.stakes.get((command.round, line.wager))
        assert stake == Stake(command.round, line.player, command.currency, line.stake_minor), (
            "the stake must be set aside as it is settled"
        )
        assert line.returned_minor >= 0, "a wager must not take more than its stake"
        staked += line.stake_minor
        account = player_account(line.player)
        returned[account] = returned.get(account, 0) + line.returned_minor
    house = staked - sum(returned.values())
    postings = movement({escrow_account(command.round): -staked, **returned, HOUSE_BANK: house})
    return [StakesSettled(round=command.round, currency=command.currency, lines=command.lines, postings=postings)]


def correct(command: CorrectStakes, ledger: Ledger) -> list[LedgerEvent]:
    """Return the differences of a correction moved, once, whatever the accounts hold; what a player lacks is owed."""
    done = ledger.corrected.get(command.round, 0)
    if command.number <= done:
        return []
    assert command.number == done + 1, f"correction {done + 1} of {command.round} comes before correction {command.number}"
    net: dict[str, int] = {}
    for line in command.lines:
        assert (command.round, line.wager) not in ledger.stakes, "a wager must be settled before it is settled anew"
        net[line.player] = net.get(line.player, 0) + line.returned_minor - line.settled_minor
    legs = {HOUSE_BANK: -sum(net.values())}
    for player, minor in net.items():
        account = ledger.account(player, command.currency)
        assert account is not None, "who had a wager has an account"
        legs |= given_back(player, minor, held_minor=account.minor, owed_minor=ledger.owed(player, command.currency))
    return [
        StakesCorrected(round=command.round, number=command.number, currency=command.currency, lines=command.lines, postings=movement(legs))
    ]


def book_round(command: BookRound, ledger: Ledger) -> list[LedgerEvent]:
    """Return the end of a round's booking, once."""
    if command.round in ledger.booked:
        return []
    left = [wager for wager in ledger.rounds.get(command.round, NO_WAGERS) if (command.round, wager) in ledger.stakes]
    assert not left, "nothing of a round that is over must be left in escrow"
    return [RoundBooked(round=command.round, outcome=command.outcome)]


def close_book(command: CloseBook, ledger: Ledger) -> list[LedgerEvent]:
    """Return the closing, once every table of the day has closed."""
    if ledger.tables_open:
        raise refused(Reason.TOO_EARLY)
    _check_day(command.next_day)
    if command.next_day <= ledger.day:
        raise refused(Reason.BAD_REQUEST, f"{command.next_day} does not follow {ledger.day}")
    accounts = sum(len(accounts) for accounts in ledger.accounts.values())
    return [BookClosed(day=ledger.day, next_day=command.next_day, accounts=accounts, stakes=len(ledger.stakes))]


def evolve(ledger: Ledger, event: LedgerEvent) -> Ledger:
    """Return the ledger after `event`."""
    match event:
        case StakeReserved():
            ledger = _heard_of(_posted(ledger, event.currency, event.postings), event.round, event.wager)
            stake = Stake(event.round, event.player, event.currency, event.minor)
            return replace(ledger, stakes=ledger.stakes.set((event.round, event.wager), stake))
        case StakeRefused():
            return _heard_of(ledger, event.round, event.wager)
        case StakeReleased():
            return _without_stakes(_posted(ledger, event.currency, event.postings), event.round, (event.wager,))
        case StakesSettled():
            return _without_stakes(_posted(ledger, event.currency, event.postings), event.round, (line.wager for line in event.lines))
        case StakesCorrected():
            ledger = _posted(ledger, event.currency, event.postings)
            return replace(ledger, corrected=ledger.corrected.set(event.round, event.number))
        case RoundBooked():
            rounds = ledger.rounds.delete(event.round) if event.round in ledger.rounds else ledger.rounds
            return replace(ledger, rounds=rounds, booked=ledger.booked.set(event.round, True))
        case Deposited() | Withdrawn():
            return _posted(ledger, event.currency, event.postings)
        case MovementRefused():
            return ledger
        case AccountOpened():
            accounts = ledger.accounts.get(event.currency, NO_ACCOUNTS).set(player_account(event.player), Account(event.operator, 0))
            return replace(ledger, accounts={**ledger.accounts, event.currency: accounts})
        case TableNoted():
            return replace(ledger, tables=ledger.tables.set(event.table, True))
        case DayClosedNoted():
            return replace(ledger, tables=ledger.tables.set(event.table, False))
        case CarriedForward():
            return _carried(ledger, event)
        case BookOpened():
            return replace(ledger, phase="open", day=event.day, shard=event.shard, shards=event.shards)
        case BookClosed():
            return replace(ledger, phase="closed", next_day=event.next_day)
        case _:
            assert_never(event)


def _posted(ledger: Ledger, currency: str, postings: tuple[Posting, ...]) -> Ledger:
    """Return the ledger after the postings of one movement.

    These assertions hold again what `decide` has made sure of, because the postings may come from a disk.
    """
    accounts = ledger.accounts.get(currency, NO_ACCOUNTS)
    moved = 0
    for posting in postings:
        account = accounts.get(posting.account)
        minor = posting.minor + (account.minor if account else 0)
        assert minor >= 0 or may_be_overdrawn(posting.account), f"{posting.account} must not be overdrawn"
        moved += posting.minor
        if minor == 0 and account is not None and ends_with_nothing(posting.account):
            accounts = accounts.delete(posting.account)
        else:
            accounts = accounts.set(posting.account, Account(account.operator if account else "", minor))
    assert moved == 0, "a movement must conserve money"
    return replace(ledger, accounts={**ledger.accounts, currency: accounts})


def _heard_of(ledger: Ledger, round: str, wager: str) -> Ledger:
    return replace(ledger, rounds=ledger.rounds.set(round, ledger.rounds.get(round, NO_WAGERS).and_(wager)))


def _without_stakes(ledger: Ledger, round: str, wagers: Iterable[str]) -> Ledger:
    stakes = ledger.stakes
    for wager in wagers:
        stakes = stakes.delete((round, wager))
    return replace(ledger, stakes=stakes)


def _carried(ledger: Ledger, event: CarriedForward) -> Ledger:
    """Return the ledger with a part of the book before: stakes are carried with the escrow that holds them."""
    by_currency = dict(ledger.accounts)
    for row in event.accounts:
        accounts = by_currency.get(row.currency, NO_ACCOUNTS)
        by_currency[row.currency] = accounts.set(row.account, Account(row.operator, row.minor))
    for stake in event.stakes:
        accounts = by_currency.get(stake.currency, NO_ACCOUNTS)
        escrow = escrow_account(stake.round)
        before = accounts.get(escrow)
        by_currency[stake.currency] = accounts.set(escrow, Account("", stake.minor + (before.minor if before else 0)))
        ledger = _heard_of(ledger, stake.round, stake.wager)
    stakes = ledger.stakes.update({(row.round, row.wager): Stake(row.round, row.player, row.currency, row.minor) for row in event.stakes})
    older = ledger.older.update({row.id: True for row in event.ids})
    return replace(ledger, accounts=by_currency, stakes=stakes, older=older)


def _movement_refused(reason: Reason, detail: str = "") -> MovementRefused:
    return MovementRefused(code=reason.value, message=sentence(reason, detail))


def _stake_refused(command: ReserveStake, reason: Reason) -> StakeRefused:
    return StakeRefused(wager=command.wager, round=command.round, code=reason.value, message=sentence(reason))


def _check_day(day: str) -> None:
    try:
        day_token(day)
    except BadSubject as error:
        raise refused(Reason.BAD_REQUEST, str(error)) from error


LEDGER: Decider[Ledger, LedgerCommand, LedgerEvent] = Decider("ledger", Ledger(), decide, evolve, LedgerCommand, LedgerEvent)
