"""Ledgers: what a book answers to commands, and what it is after some."""

from typing import Any

from services.wallet.domain.ledger import LEDGER
from services.wallet.domain.state import Ledger
from shared.kernel.messages import Actor, Envelope

MANAGER = Actor("staff", "manager", "duty_manager")


def decide(command: Any, ledger: Ledger, *, id: str = "asked", by: Actor = MANAGER) -> list[Any]:
    """Return what follows from a command of somebody who works here."""
    return LEDGER.decide(command, ledger, Envelope(id, by, 0, 0))


def after(*commands: Any, ledger: Ledger = LEDGER.initial) -> Ledger:
    """Return the ledger after commands; none of them moves money that it does not have."""
    for command in commands:
        ledger = LEDGER.after(ledger, decide(command, ledger))
        assert not ledger.open or not any(map(ledger.total, ledger.accounts)), "what is moved must be conserved"
    return ledger
