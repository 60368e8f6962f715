"""What the cage asks for: accounts, and money that comes in and goes out.

A refusal of money is written down, because a dispute could turn on it; what an account holds is never made less than nothing.
"""

from services.wallet.domain.posting import TOO_MUCH, given_back, movement, transfer
from services.wallet.domain.state import Ledger
from shared.contracts.accounts import cash_account, outside_account
from shared.contracts.cage import RESERVED_NAMES, AccountOpened, Deposit, Deposited, MovementRefused, OpenAccount, Withdraw, Withdrawn
from shared.contracts.refusals import Reason, refused, sentence
from shared.contracts.subjects import BadSubject, token
from shared.contracts.wallet import LedgerEvent
from shared.kernel.money import MINOR_MAX, BadMoney, exponent


def open_account(command: OpenAccount, ledger: Ledger) -> list[LedgerEvent]:
    """Return a new account, or nothing if it exists with the same operator; nobody's is the dealer's or the house's (ON-3.6)."""
    if command.player in RESERVED_NAMES:
        raise refused(Reason.NAME_RESERVED, command.player)
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
    """Return the movement from outside to a player, or its refusal; what the player owes is paid from it first."""
    account = ledger.account(command.player, command.currency)
    if account is None:
        return [_movement_refused(Reason.UNKNOWN_ACCOUNT)]
    if command.minor <= 0:
        return [_movement_refused(Reason.NOT_POSITIVE)]
    if account.minor + command.minor > MINOR_MAX:
        return [_movement_refused(Reason.BAD_REQUEST, TOO_MUCH)]
    mine = given_back(command.player, command.minor, held_minor=account.minor, owed_minor=ledger.owed(command.player, command.currency))
    postings = movement({outside_account(account.operator): -command.minor, **mine})
    return [Deposited(player=command.player, currency=command.currency, minor=command.minor, postings=postings)]


def withdraw(command: Withdraw, ledger: Ledger) -> list[LedgerEvent]:
    """Return the movement from a player to the outside, or its refusal; as much as the player owes stays there."""
    account = ledger.account(command.player, command.currency)
    if account is None:
        return [_movement_refused(Reason.UNKNOWN_ACCOUNT)]
    if command.minor <= 0:
        return [_movement_refused(Reason.NOT_POSITIVE)]
    if account.minor - ledger.owed(command.player, command.currency) < command.minor:
        return [_movement_refused(Reason.INSUFFICIENT_FUNDS)]
    postings = transfer(command.minor, source=cash_account(command.player), target=outside_account(account.operator))
    return [Withdrawn(player=command.player, currency=command.currency, minor=command.minor, postings=postings)]


def _movement_refused(reason: Reason, detail: str = "") -> MovementRefused:
    return MovementRefused(code=reason.value, message=sentence(reason, detail))
