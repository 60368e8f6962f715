"""The cage in the simulation: staff who now and then adjust an account or block a player, and others who decide about it.

Some approve their own proposals, have the wrong job or want too much: that is refused and moves nothing.
"""

from collections.abc import Callable, Sequence
from typing import Any

from feltlog.rehearsal.chooser import Chooser
from services.wallet.domain.state import Ledger
from services.wallet.views import open_adjustments
from shared.contracts.cage import ApproveAdjustment, BlockAccount, DeclineAdjustment, ProposeAdjustment, UnblockAccount
from shared.contracts.caps import CAP_MINOR
from shared.kernel.messages import Actor

STAFF = (
    Actor("staff", "pit", "pit_boss"),
    Actor("staff", "lou", "casino_supervisor"),
    Actor("staff", "kit", "support"),
    Actor("staff", "dee", "dealer"),
)

Ask = Callable[[Actor, Any], None]
"""Sends a command of staff to the ledger."""


def speak(ledger: Ledger, players: Sequence[str], choose: Chooser, ask: Ask) -> None:
    """Let somebody say something about an account: about what waits first of all, so that blocks and proposals come to an end."""
    waiting = open_adjustments(ledger)
    blocked = sorted(ledger.blocks.items())
    who = choose.pick(STAFF[:2]) if choose.once_in(2) else choose.pick(STAFF)
    if waiting and not choose.once_in(4):
        adjustment = waiting[0].adjustment
        ask(who, DeclineAdjustment(adjustment=adjustment) if choose.once_in(6) else ApproveAdjustment(adjustment=adjustment))
    elif blocked and not choose.once_in(3):
        player, reasons = blocked[0]
        ask(who, UnblockAccount(player=player, reason=reasons[0], because="cleared"))
    elif choose.once_in(2):
        ask(who, BlockAccount(player=choose.pick(players), reason="identity" if choose.once_in(2) else "debt"))
    else:
        minor = CAP_MINOR + 1 if choose.once_in(8) else 100 * choose.between(1, 30)
        signed = -minor if choose.once_in(2) else minor
        ask(who, ProposeAdjustment(player=choose.pick(players), currency="CAD", minor=signed, reason="goodwill"))
