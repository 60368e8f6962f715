"""What comes from tables: a wager's stake is set aside, and then given back or settled; each wager goes that way once.

Whoever asks how often: what a round has asked for is remembered until the round is booked, and of a booked round its name
alone.  Nothing that comes from a table can be refused but a stake, for what is decided at a table has happened there; what
cannot be is a broken assertion, and stops the table's money until somebody has looked.
"""

from services.wallet.domain.posting import HOUSE_WIN, cash_account, escrow_account, given_back, movement, transfer
from services.wallet.domain.state import NO_WAGERS, Ledger, Stake
from shared.contracts.refusals import Reason, sentence
from shared.contracts.wallet import (
    BookRound,
    CorrectStakes,
    LedgerEvent,
    ReleaseStake,
    ReserveStake,
    RoundBooked,
    SettleStakes,
    StakeRefused,
    StakeReleased,
    StakeReserved,
    StakesCorrected,
    StakesSettled,
)


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
    if account.minor < command.minor:
        return [_stake_refused(command, Reason.INSUFFICIENT_FUNDS)]
    return [
        StakeReserved(
            wager=command.wager,
            round=command.round,
            player=command.player,
            currency=command.currency,
            minor=command.minor,
            postings=transfer(command.minor, source=cash_account(command.player), target=escrow_account(command.round)),
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
            postings=transfer(stake.minor, source=escrow_account(stake.round), target=cash_account(stake.player)),
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
        account = cash_account(line.player)
        returned[account] = returned.get(account, 0) + line.returned_minor
    house = staked - sum(returned.values())
    postings = movement({escrow_account(command.round): -staked, **returned, HOUSE_WIN: house})
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
    legs = {HOUSE_WIN: -sum(net.values())}
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


def _stake_refused(command: ReserveStake, reason: Reason) -> StakeRefused:
    return StakeRefused(wager=command.wager, round=command.round, code=reason.value, message=sentence(reason))
