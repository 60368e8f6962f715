"""What a book remembers of each event; the postings of a movement are held once more against what must hold."""

from collections.abc import Iterable
from typing import assert_never

from immutables import Map
from msgspec.structs import replace

from services.wallet.domain import adjustments, blocks
from services.wallet.domain.adjustments import Adjustments
from services.wallet.domain.posting import ends_with_nothing, may_be_overdrawn
from services.wallet.domain.state import NO_ACCOUNTS, NO_WAGERS, Account, Ledger, Stake
from shared.contracts.accounts import Posting, accounts_of, cash_account, escrow_account
from shared.contracts.cage import (
    AccountBlocked,
    AccountOpened,
    AccountUnblocked,
    AdjustmentDeclined,
    AdjustmentMade,
    AdjustmentProposed,
    Deposited,
    MovementRefused,
    Withdrawn,
)
from shared.contracts.promo import PromoCancelled, PromoGranted
from shared.contracts.stakes import RoundBooked, StakeForgone, StakeRefused, StakeReleased, StakeReserved, StakesCorrected, StakesSettled
from shared.contracts.wallet import BookClosed, BookOpened, CarriedForward, DayClosedNoted, LedgerEvent, TableNoted


def evolve(ledger: Ledger, event: LedgerEvent) -> Ledger:
    """Return the ledger after `event`."""
    match event:
        case StakeReserved():
            ledger = _heard_of(_posted(ledger, event.currency, event.postings), event.round, event.wager)
            stake = Stake(event.round, event.player, event.currency, event.minor, event.promo_minor or 0)
            ledger = replace(ledger, stakes=ledger.stakes.set((event.round, event.wager), stake))
            return _with_promo(ledger, event.wager, stake)
        case StakeRefused() | StakeForgone():
            return _heard_of(ledger, event.round, event.wager)
        case StakeReleased():
            return _without_stakes(_posted(ledger, event.currency, event.postings), event.round, (event.wager,))
        case StakesSettled():
            return _without_stakes(_posted(ledger, event.currency, event.postings), event.round, (line.wager for line in event.lines))
        case StakesCorrected():
            ledger = _posted(ledger, event.currency, event.postings)
            return replace(ledger, corrected=ledger.corrected.set(event.round, event.number), borne=_borne(ledger, event))
        case RoundBooked():
            rounds = ledger.rounds.delete(event.round) if event.round in ledger.rounds else ledger.rounds
            return replace(ledger, rounds=rounds, booked=ledger.booked.set(event.round, True))
        case Deposited() | Withdrawn() | PromoGranted() | PromoCancelled():
            return _posted(ledger, event.currency, event.postings)
        case AdjustmentProposed():
            return replace(ledger, adjustments=adjustments.proposed(ledger.adjustments, event))
        case AdjustmentMade():
            ledger = _posted(ledger, event.currency, event.postings)
            return replace(ledger, adjustments=adjustments.decided(ledger.adjustments, event.adjustment))
        case AdjustmentDeclined():
            return replace(ledger, adjustments=adjustments.decided(ledger.adjustments, event.adjustment))
        case AccountBlocked():
            return replace(ledger, blocks=blocks.blocked(ledger.blocks, event.player, event.reason))
        case AccountUnblocked():
            return replace(ledger, blocks=blocks.unblocked(ledger.blocks, event.player, event.reason))
        case MovementRefused():
            return ledger
        case AccountOpened():
            accounts = ledger.accounts.get(event.currency, NO_ACCOUNTS).set(cash_account(event.player), Account(event.operator, 0))
            return replace(ledger, accounts={**ledger.accounts, event.currency: accounts})
        case TableNoted():
            return replace(ledger, tables=ledger.tables.set(event.table, True))
        case DayClosedNoted():
            return replace(ledger, tables=ledger.tables.set(event.table, False))
        case CarriedForward():
            return _carried(ledger, event)
        case BookOpened():
            caps = {cap.currency: cap.minor for cap in event.caps or ()}
            opened = replace(ledger, phase="open", day=event.day, shard=event.shard, shards=event.shards)
            return replace(opened, adjustments=Adjustments(caps=caps)) if caps else opened
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
    return replace(ledger, accounts={**ledger.accounts, currency: accounts}, movements=ledger.movements + bool(postings))


def _borne(ledger: Ledger, event: StakesCorrected) -> Map[tuple[str, str], int]:
    """Return what the house bears in each player's place: what came to a player beyond the differences that the lines name."""
    borne = ledger.borne
    for player in {line.player for line in event.lines}:
        named = sum(line.returned_minor - line.settled_minor for line in event.lines if line.player == player)
        came = sum(posting.minor for posting in event.postings if posting.account in accounts_of(player))
        if came != named:
            borne = borne.set((event.round, player), borne.get((event.round, player), 0) + came - named)
    return borne


def _with_promo(ledger: Ledger, wager: str, stake: Stake) -> Ledger:
    return replace(ledger, promo_stakes=ledger.promo_stakes.set((stake.round, wager), stake)) if stake.promo_minor else ledger


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
    carried = {(row.round, row.wager): Stake(row.round, row.player, row.currency, row.minor, row.promo_minor or 0) for row in event.stakes}
    promo = ledger.promo_stakes.update({key: stake for key, stake in carried.items() if stake.promo_minor})
    older = ledger.older.update({row.id: True for row in event.ids})
    blocked = ledger.blocks
    for block in event.blocked or ():
        blocked = blocks.blocked(blocked, block.player, block.reason)
    stakes = ledger.stakes.update(carried)
    return replace(ledger, accounts=by_currency, stakes=stakes, promo_stakes=promo, older=older, blocks=blocked)
