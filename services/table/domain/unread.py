"""Unread cards: what a person says that a card is which a scanner could not read and which must lie open.

One is awaited at a time, and only who sees the felt may say what lies there.
"""

from services.table.domain.table_state import Table
from shared.contracts.refusals import Reason, refused
from shared.contracts.rulings import AT_THE_TABLE
from shared.contracts.table import CardTold, FaceAwaited, NoteMissingFace, TableEvent, TellCard
from shared.kernel.cards import POINTS
from shared.kernel.messages import Envelope


def note_missing_face(command: NoteMissingFace, table: Table) -> list[TableEvent]:
    """Take note that the round waits for somebody to say what a card is."""
    if not table.running or command.round != table.round:
        return []
    return [FaceAwaited(shoe=command.shoe, index=command.index, round=command.round)]


def tell_card(command: TellCard, table: Table, envelope: Envelope) -> list[TableEvent]:
    """Return what a member of staff says that a card is; raise `Refused` if nobody waits for it."""
    awaited = table.nameless
    if awaited is None or (awaited.shoe, awaited.index) != (command.shoe, command.index):
        raise refused(Reason.CARD_NOT_AWAITED)
    if command.card not in POINTS:
        raise refused(Reason.IMPOSSIBLE_CARD, f"{command.card!r} is no card: write one such as 8H or TH: a ten is T.")
    actor = envelope.actor
    if actor.job not in AT_THE_TABLE:
        raise refused(Reason.NOT_ALLOWED_FOR_ROLE)
    return [CardTold(shoe=awaited.shoe, index=awaited.index, round=awaited.round, card=command.card, by=actor.id, job=actor.job)]
