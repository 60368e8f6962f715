"""Blocking: what the ledger does when persons say that a player may place no stakes, or may again.

A block only looks forward: what is set aside plays on and is settled, and money comes in and goes out as before.
"""

from services.wallet.domain.persons import check_note, job_for
from services.wallet.domain.state import Ledger
from shared.contracts.cage import AccountBlocked, AccountUnblocked, BlockAccount, UnblockAccount
from shared.contracts.refusals import Reason, refused
from shared.contracts.wallet import LedgerEvent
from shared.kernel.messages import Envelope


def block(command: BlockAccount, ledger: Ledger, envelope: Envelope) -> list[LedgerEvent]:
    """Return that a player places no stakes any more; raise `Refused` for nobody's account, and if that is so already."""
    job = job_for(command, envelope)
    check_note(command.note)
    if not ledger.knows(command.player):
        raise refused(Reason.UNKNOWN_ACCOUNT)
    if command.reason in ledger.blocks.get(command.player, ()):
        raise refused(Reason.ALREADY_SO)
    return [AccountBlocked(player=command.player, reason=command.reason, by=envelope.actor.id, job=job, note=command.note)]


def unblock(command: UnblockAccount, ledger: Ledger, envelope: Envelope) -> list[LedgerEvent]:
    """Return that a block is over; raise `Refused` if there is no such one."""
    job = job_for(command, envelope)
    check_note(command.note)
    if command.reason not in ledger.blocks.get(command.player, ()):
        raise refused(Reason.ALREADY_SO)
    by = envelope.actor.id
    return [AccountUnblocked(player=command.player, reason=command.reason, because=command.because, by=by, job=job, note=command.note)]
