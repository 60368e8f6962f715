"""Cards in the simulation: staff who do the step that a table waits for, and now and then another one, or find a fault.

What is not next, or not theirs, is refused and changes nothing; a fault is written down, and the step comes again.
"""

from collections.abc import Callable
from typing import Any

from feltlog.rehearsal.chooser import Chooser
from services.table.views import Felt, FeltStep
from shared.contracts.procedure import InspectDecks, ReplaceCards, ShuffleCards, StepCommand, WashCards
from shared.kernel.messages import Actor

DEALER, SUPERVISOR = Actor("staff", "dee", "dealer"), Actor("staff", "lou", "casino_supervisor")
STAFF = (DEALER, SUPERVISOR, Actor("staff", "kit", "support"))

Ask = Callable[[Actor, Any], None]
"""Sends a command of staff to the table."""


def see_to(step: FeltStep, felt: Felt, choose: Chooser, ask: Ask) -> bool:
    """Do a step of the floor's book, after some that are refused; return whether a fault was found first."""
    if choose.once_in(6):
        ask(choose.pick(STAFF), choose.pick((WashCards(), ShuffleCards(), ReplaceCards())))
    faulty = step.step == "inspect_decks" and choose.once_in(3)
    if faulty:
        ask(DEALER, InspectDecks(decks=felt.decks, faults=("missing_card",), note="simulated"))
    ask(DEALER, said_of(step, felt))
    return faulty


def said_of(step: FeltStep, felt: Felt) -> StepCommand:
    """Return how the floor's two steps are said."""
    return InspectDecks(decks=felt.decks) if step.step == "inspect_decks" else ShuffleCards()
