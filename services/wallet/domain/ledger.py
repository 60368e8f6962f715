"""The ledger: one book for each gaming day, in which every movement of money is decided and none is decided twice.

What may be asked for lies beside this module, by who asks: `cage`, `promo`, `adjusting` and `blocking` for staff, `stakes` for
tables, `book` for the day itself.
"""

from typing import assert_never

from services.wallet.domain.adjusting import adjust
from services.wallet.domain.blocking import block, unblock
from services.wallet.domain.book import carry_forward, close_book, note_day_closed, note_table, open_book
from services.wallet.domain.cage import deposit, open_account, withdraw
from services.wallet.domain.evolve import evolve
from services.wallet.domain.promo import check_voucher, move_promo
from services.wallet.domain.stakes import book_round, correct, release, reserve, settle
from services.wallet.domain.state import Ledger
from shared.contracts.cage import (
    ApproveAdjustment,
    BlockAccount,
    DeclineAdjustment,
    Deposit,
    OpenAccount,
    ProposeAdjustment,
    UnblockAccount,
    Withdraw,
)
from shared.contracts.promo import CancelPromo, GrantPromo
from shared.contracts.refusals import Reason, refused
from shared.contracts.stakes import BookRound, CorrectStakes, ReleaseStake, ReserveStake, SettleStakes
from shared.contracts.wallet import CarryForward, CloseBook, LedgerCommand, LedgerEvent, NoteDayClosed, NoteTable, OpenBook
from shared.kernel.decider import Decider
from shared.kernel.messages import Envelope


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
    check_voucher(command, envelope.id)
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
            return note_table(command, ledger)
        case NoteDayClosed():
            return note_day_closed(command, ledger)
        case CloseBook():
            return close_book(command, ledger)
        case ProposeAdjustment() | ApproveAdjustment() | DeclineAdjustment():
            return adjust(command, ledger, envelope)
        case BlockAccount():
            return block(command, ledger, envelope)
        case UnblockAccount():
            return unblock(command, ledger, envelope)
        case GrantPromo() | CancelPromo():
            return move_promo(command, ledger, envelope)
        case _:
            assert_never(command)


LEDGER: Decider[Ledger, LedgerCommand, LedgerEvent] = Decider("ledger", Ledger(), decide, evolve, LedgerCommand, LedgerEvent)
