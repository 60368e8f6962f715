"""What comes from tables: a wager's stake is set aside, and then given back or settled; each wager goes that way once.

Whoever asks how often: what a round has asked for is remembered until the round is booked, and of a booked round its name
alone.  Nothing that comes from a table can be refused but a stake, for what is decided at a table has happened there; what
cannot be is a broken assertion, and stops the table's money until somebody has looked.
"""

from msgspec import UNSET

from services.wallet.domain.posting import given_back, movement
from services.wallet.domain.promo import promo_part
from services.wallet.domain.state import NO_WAGERS, Ledger, Stake
from shared.contracts.accounts import HOUSE_PROMO, HOUSE_ROUNDING, HOUSE_WIN, cash_account, escrow_account, promo_account
from shared.contracts.refusals import Reason, sentence
from shared.contracts.stakes import (
    BookRound,
    CorrectStakes,
    ReleaseStake,
    ReserveStake,
    RoundBooked,
    SettleStakes,
    StakeForgone,
    StakeRefused,
    StakeReleased,
    StakeReserved,
    StakesCorrected,
    StakesSettled,
)
from shared.contracts.wallet import LedgerEvent


def reserve(command: ReserveStake, ledger: Ledger) -> list[LedgerEvent]:
    """Return the stake set aside or refused, once for each wager."""
    if command.round in ledger.booked or command.wager in ledger.rounds.get(command.round, NO_WAGERS):
        return []
    account = ledger.account(command.player, command.currency)
    if account is None:
        return [_stake_refused(command, Reason.UNKNOWN_ACCOUNT)]
    if command.player in ledger.blocks:
        return [_stake_refused(command, Reason.ACCOUNT_BLOCKED)]
    if command.minor <= 0:
        return [_stake_refused(command, Reason.NOT_POSITIVE)]
    promo = min(ledger.promo(command.player, command.currency), command.minor) if command.promotional else 0
    if account.minor + promo < command.minor:
        return [_stake_refused(command, Reason.INSUFFICIENT_FUNDS)]
    legs = {promo_account(command.player): -promo, cash_account(command.player): promo - command.minor}
    return [
        StakeReserved(
            wager=command.wager,
            round=command.round,
            player=command.player,
            currency=command.currency,
            minor=command.minor,
            promo_minor=promo or UNSET,
            postings=movement({**legs, escrow_account(command.round): command.minor}),
        )
    ]


def release(command: ReleaseStake, ledger: Ledger) -> list[LedgerEvent]:
    """Return the stake given back, if it is set aside; one that was never asked for is remembered as over."""
    stake = ledger.stakes.get((command.round, command.wager))
    if stake is None:
        known = command.round in ledger.booked or command.wager in ledger.rounds.get(command.round, NO_WAGERS)
        return [] if known else [StakeForgone(wager=command.wager, round=command.round)]
    return [
        StakeReleased(
            wager=command.wager,
            round=stake.round,
            player=stake.player,
            currency=stake.currency,
            minor=stake.minor,
            postings=movement({escrow_account(stake.round): -stake.minor, **_parted(stake, stake.minor)}),
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
    staked = rounded = 0
    returned: dict[str, int] = {}
    for line in command.lines:
        stake = ledger.stakes.get((command.round, line.wager))
        assert stake is not None, "the stake must be set aside as it is settled"
        assert (stake.player, stake.currency, stake.minor) == (line.player, command.currency, line.stake_minor), (
            "the stake must be set aside as it is settled"
        )
        rounding = line.rounding_minor or 0
        assert 0 <= rounding <= line.returned_minor, "a wager must not take more than its stake, nor round up more than it gives back"
        staked += line.stake_minor
        rounded += rounding
        for account, minor in _parted(stake, line.returned_minor).items():
            returned[account] = returned.get(account, 0) + minor
    house = staked - sum(returned.values()) + rounded
    postings = movement({escrow_account(command.round): -staked, **returned, HOUSE_ROUNDING: -rounded, HOUSE_WIN: house})
    return [StakesSettled(round=command.round, currency=command.currency, lines=command.lines, postings=postings)]


def correct(command: CorrectStakes, ledger: Ledger) -> list[LedgerEvent]:
    """Return the differences of a correction moved, once, whatever the accounts hold; what a player lacks is owed."""
    done = ledger.corrected.get(command.round, 0)
    if command.number <= done:
        return []
    assert command.number == done + 1, f"correction {done + 1} of {command.round} comes before correction {command.number}"
    cash: dict[str, int] = {}
    promo: dict[str, int] = {}
    rounded = 0
    for line in command.lines:
        assert (command.round, line.wager) not in ledger.stakes, "a wager must be settled before it is settled anew"
        stake = ledger.promo_stakes.get((command.round, line.wager))
        part = promo_part(stake, line.returned_minor) - promo_part(stake, line.settled_minor) if stake else 0
        promo[line.player] = promo.get(line.player, 0) + part
        cash[line.player] = cash.get(line.player, 0) + line.returned_minor - line.settled_minor - part
        rounded += (line.rounding_minor or 0) - (line.settled_rounding_minor or 0)
    legs = {HOUSE_WIN: rounded - sum(cash.values()) - sum(promo.values()), HOUSE_ROUNDING: -rounded, HOUSE_PROMO: 0}
    for player, minor in cash.items():
        account = ledger.account(player, command.currency)
        assert account is not None, "who had a wager has an account"
        legs |= given_back(player, minor, held_minor=account.minor, owed_minor=ledger.owed(player, command.currency))
        # Promotional money that is gone is nobody's debt: the house gave it away.
        moved = max(promo[player], -ledger.promo(player, command.currency))
        legs |= {promo_account(player): moved, HOUSE_PROMO: legs[HOUSE_PROMO] + promo[player] - moved}
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


def _parted(stake: Stake, returned_minor: int) -> dict[str, int]:
    """Return what a wager gives back, parted as its stake was."""
    promo = promo_part(stake, returned_minor) if stake.promo_minor else 0
    cash = {cash_account(stake.player): returned_minor - promo}
    return {promo_account(stake.player): promo, **cash} if promo else cash


def _stake_refused(command: ReserveStake, reason: Reason) -> StakeRefused:
    return StakeRefused(wager=command.wager, round=command.round, code=reason.value, message=sentence(reason))
