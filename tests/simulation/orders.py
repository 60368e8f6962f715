"""Orders in the simulation: staff who now and then change the dealer, have cards burned and shown, or shuffled early.

Some of it is not in the table's book, comes at a wrong moment or from somebody with another job: that is refused and changes
nothing.
"""

from collections.abc import Callable
from typing import Any

from feltlog.rehearsal.chooser import Chooser
from shared.contracts.burns import BURN_CARDS_MAX, ChangeDealer, OrderBurn, OrderDisclosure, OrderReshuffle
from shared.kernel.messages import Actor

STAFF = (
    Actor("staff", "pit", "pit_boss"),
    Actor("staff", "rae", "designated_representative"),
    Actor("staff", "dee", "dealer"),
)
DEALERS = ("dee", "eli", "flo")

Ask = Callable[[Actor, Any], None]
"""Sends a command of staff about a table's cards."""


def order(choose: Chooser, ask: Ask) -> None:
    """Let somebody order something about the cards of a table."""
    who = choose.pick(STAFF)
    match choose.below(6):
        case 0 | 1:
            ask(who, ChangeDealer(dealer=choose.pick(DEALERS)))
        case 2:
            ask(who, OrderBurn(reason="house", cards=1 + choose.below(BURN_CARDS_MAX)))
        case 3:
            ask(who, OrderBurn(reason="game_error", cards=3))
        case 4:
            ask(who, OrderDisclosure())
        case _:
            ask(who, OrderReshuffle())
