"""Rulings in the simulation: staff who now and then report that something went wrong, and others who decide about it.

Most of what they report is possible, some of it is not, some approve their own proposals or have the wrong job: all of
that is refused and changes nothing.
"""

from collections.abc import Callable
from typing import Any

from feltlog.rehearsal.chooser import Chooser
from services.table.views import Felt, FeltProposal
from shared.contracts.rulings import (
    AnyRuling,
    ApproveRuling,
    DeadHand,
    DealerOverdraw,
    DeclineRuling,
    ExposedCard,
    FaceUpCard,
    GameError,
    MissedBox,
    ProposeRuling,
    UnexposedCard,
    VoidTheRound,
    WithdrawRuling,
)
from shared.kernel.messages import Actor
from tests.rulings import VOIDS

STAFF = (
    Actor("staff", "pit", "pit_boss"),
    Actor("staff", "lou", "casino_supervisor"),
    Actor("staff", "dee", "dealer"),
    Actor("staff", "kit", "support"),
)
VOID_ONCE_IN = 12
"""Rulings that end a round are rare, so that something comes after the others."""

Step = Callable[[], None]
Ask = Callable[[Actor, str, Any], None]
"""Sends a command of staff about a round."""


def report(felt: Felt, choose: Chooser, ask: Ask) -> None:
    """Let somebody propose a ruling about the round in play."""
    ask(choose.pick(STAFF), felt.round, ProposeRuling(round=felt.round, ruling=ruling(felt, choose), note="simulated"))


def regret(felt: Felt, choose: Chooser, ask: Ask) -> None:
    """Let somebody propose that a round which is over is void."""
    ask(choose.pick(STAFF), felt.round, ProposeRuling(round=felt.round, ruling=VoidTheRound(), note="simulated"))


def answer(proposal: FeltProposal, choose: Chooser, ask: Ask) -> None:
    """Let somebody decide about a proposal; now and then it is who made it, or nobody who may."""
    about: dict[str, Any] = {"round": proposal.round, "proposal": proposal.proposal}
    others = [each for each in STAFF[:2] if each.id != proposal.by]
    who = choose.pick(STAFF) if choose.once_in(5) else choose.pick(others)
    if choose.once_in(8):
        ask(who, proposal.round, WithdrawRuling(**about) if who.id == proposal.by else DeclineRuling(**about))
    else:
        ask(who, proposal.round, ApproveRuling(**about))


def ruling(felt: Felt, choose: Chooser) -> AnyRuling:
    """Return something that went wrong, about boxes that are mostly there."""
    if choose.once_in(VOID_ONCE_IN):
        return choose.pick(VOIDS)
    box = choose.pick(felt.boxes).box if felt.boxes else 1
    before: tuple[AnyRuling, ...] = (MissedBox(box=box, card=1), MissedBox(box=box, card=2), FaceUpCard(), GameError())
    in_play: tuple[AnyRuling, ...] = (
        FaceUpCard(),
        UnexposedCard(),
        ExposedCard(),
        DealerOverdraw(),
        DeadHand(box=box),
        DeadHand(box=box),
        GameError(),
    )
    return choose.pick(before if felt.phase == "betting" else in_play)
