"""The desk's decider: the only decisions that all services share, and pure like all the others."""

from collections.abc import Sequence
from typing import assert_never

import msgspec

from shared.contracts.desk import (
    CarryQuarantines,
    DeskCommand,
    DeskEvent,
    LiftQuarantine,
    QuarantineLifted,
    QuarantineSource,
    SourceQuarantined,
)
from shared.contracts.refusals import Reason, refused
from shared.kernel.decider import Decider
from shared.kernel.messages import Envelope


class DeskState(msgspec.Struct, frozen=True):
    """The quarantines that are open, and those of this desk that were lifted."""

    open: tuple[SourceQuarantined, ...] = ()
    lifted: tuple[QuarantineLifted, ...] = ()


def evolve(state: DeskState, event: DeskEvent) -> DeskState:
    """Return the open quarantines after an event."""
    match event:
        case SourceQuarantined():
            return msgspec.structs.replace(state, open=(*state.open, event))
        case QuarantineLifted():
            still_open = tuple(row for row in state.open if (row.subject, row.target) != (event.subject, event.target))
            return DeskState(still_open, (*state.lifted, event))
        case _:
            assert_never(event)


def still_open(desks: Sequence[DeskState]) -> tuple[SourceQuarantined, ...]:
    """Return what is held as the desks of several days say, the oldest first: what was opened on one of them and lifted on none.

    The next day's desk does not always know of it: whoever was replaced may have written on the one before after it was carried on.
    """
    held: dict[tuple[str, str], SourceQuarantined] = {}
    for desk in desks:
        for row in desk.lifted:
            key = row.subject, row.target
            if key in held and held[key].sequence == row.sequence:
                del held[key]
        # What was held again after that stands among what is open.
        held.update({(row.subject, row.target): row for row in desk.open})
    return tuple(held.values())


def decide(command: DeskCommand, state: DeskState, envelope: Envelope) -> list[DeskEvent]:
    """Return what is written down; a subject is quarantined once, for everything or for one stream, as long as it is."""
    held = {(row.subject, row.target) for row in state.open}
    match command:
        case QuarantineSource():
            if (command.subject, command.target) in held:
                return []
            return [SourceQuarantined(**msgspec.structs.asdict(command))]
        case LiftQuarantine():
            lifted = [row for row in state.open if row.concerns(command.subject)]
            if not lifted:
                raise refused(Reason.NOT_QUARANTINED)
            return [QuarantineLifted(log=row.log, subject=row.subject, sequence=row.sequence, target=row.target) for row in lifted]
        case CarryQuarantines():
            return [row for row in command.open if (row.subject, row.target) not in held]
        case _:
            assert_never(command)


DESK: Decider[DeskState, DeskCommand, DeskEvent] = Decider("desk", DeskState(), decide, evolve, DeskCommand, DeskEvent)
