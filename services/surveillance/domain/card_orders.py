"""Card orders: whether a new dealer, a burn, a disclosure or a reshuffle was that person's to order, and was then carried out.

Whose each is says the book: ON-5.8, ON-6.2, LV-3.2, LV-3.5; FL-4.1 and FL-4.7 know none of them but a new dealer.
"""

from dataclasses import dataclass, field
from typing import Any

from services.surveillance.domain.facts import Amiss, Fact
from services.surveillance.domain.findings import Finding
from services.surveillance.domain.heard import Heard
from shared.contracts.burns import BurnCalled, BurnNoted, DealerChanged, DisclosureCalled, ReshuffleOrdered
from shared.contracts.table import RoundCalled, RoundRecorded, ShoeMounted, ShoeRetirementCalled, ShoeSetAside, TableOpened

IN_CHARGE = {"game_supervisor", "casino_supervisor", "duty_manager", "pit_boss", "designated_representative"}
AT_THE_TABLE = {*IN_CHARGE, "dealer", "inspector"}
REPRESENTATIVE = {"designated_representative"}
DEALERS = {*IN_CHARGE, "dealer"}
THEIRS: dict[tuple[type[Any], str, str], tuple[str, set[str]]] = {
    **{(DealerChanged, book, ""): ("ON-6.2", DEALERS) for book in ("ON", "FL", "LV")},
    (BurnCalled, "ON", "new_dealer"): ("ON-6.2", DEALERS),
    (BurnCalled, "LV", "new_dealer"): ("LV-3.5", DEALERS),
    (BurnCalled, "LV", "game_error"): ("LV-3.5", {"pit_boss"}),
    (BurnCalled, "LV", "house"): ("LV-3.5", IN_CHARGE),
    (DisclosureCalled, "ON", ""): ("ON-6.2", AT_THE_TABLE),
    (DisclosureCalled, "LV", ""): ("LV-3.5", IN_CHARGE),
    (ReshuffleOrdered, "ON", ""): ("ON-5.8", REPRESENTATIVE),
    (ReshuffleOrdered, "LV", ""): ("LV-3.2", IN_CHARGE),
}
"""Whose each order is, by kind, book and reason; what does not stand here the book does not know."""
CARDS = {"new_dealer": 1, "game_error": 3}
"""How many cards are burned for what (ON-6.2, LV-3.5)."""


@dataclass
class TableOrders:
    """What is ordered at a table on a day."""

    book: str = ""
    shoe: str = ""
    running: bool = False
    dealer_called: bool = False
    """Whether a dealer has changed since the latest round was called."""
    burning: set[int] = field(default_factory=set)
    spent: set[str] = field(default_factory=set)
    """Shoes that were to be shuffled, or burned up to their cutting card: no further round may be called from them."""


@dataclass
class CardOrders:
    """The orders at every table, day by day."""

    tables: dict[str, TableOrders] = field(default_factory=dict)

    def hear(self, heard: Heard) -> list[Finding]:
        """Take in an entry of a table's stream; return what does not fit."""
        table = self.tables.setdefault(heard.stream, TableOrders())
        facts = heard.facts()
        found = [amiss for fact in facts for amiss in (*whose(table, fact), *take(table, fact.event))]
        found += [amiss for fact in facts for amiss in burned_by(table, fact, facts)]
        return [heard.where.broken(clause, said) for clause, said in found]

    def forget(self, day: str) -> None:
        """Let go of a gaming day."""
        self.tables = {stream: table for stream, table in self.tables.items() if f".{day}." not in stream}


def whose(table: TableOrders, fact: Fact) -> Amiss:
    """Return what is wrong with who ordered it, if it is an order."""
    event = fact.event
    if not isinstance(event, DealerChanged | BurnCalled | DisclosureCalled | ReshuffleOrdered) or not table.book:
        return []
    reason = event.reason if isinstance(event, BurnCalled) else ""
    rule, jobs = THEIRS.get((type(event), table.book, reason), ("FL-4.7" if table.book == "FL" else "LV-3.5", set()))
    found: Amiss = []
    if not fact.asker_is_named:
        found.append((rule, f"{event.by} as {event.job} is written down, {fact.actor.id} as {fact.actor.job or 'nothing'} ordered"))
    if event.job not in jobs:
        found.append((rule, f"{event.by} is {event.job}: {type(event).__name__} is for {' or '.join(sorted(jobs)) or 'nobody'}"))
    return found


def take(table: TableOrders, event: Any) -> Amiss:
    """Let an event change what is known; return what is wrong with it."""
    match event:
        case TableOpened():
            table.book = event.profile.book
        case ShoeMounted():
            table.shoe = event.shoe
        case ShoeSetAside() | ShoeRetirementCalled() if event.shoe == table.shoe:
            table.shoe = ""
        case DealerChanged():
            table.dealer_called = True
            return [("ON-6.2", "the dealer was changed in the middle of a round")] if table.running else []
        case BurnCalled():
            table.burning.add(event.number)
            return burn(table, event)
        case BurnNoted():
            table.burning.discard(event.number)
            if event.cutting_card_out:
                table.spent.add(table.shoe)
        case ReshuffleOrdered():
            table.spent.add(table.shoe)
        case RoundCalled():
            return call(table, event)
        case RoundRecorded():
            table.running = False
        case _:
            pass
    return []


def burn(table: TableOrders, event: BurnCalled) -> Amiss:
    """Cards are burned between rounds, from the shoe in use, as many as the reason wants (ON-6.2, LV-3.5)."""
    rule = "ON-6.2" if table.book == "ON" else "LV-3.5"
    found: Amiss = []
    if table.running:
        found.append((rule, f"{event.cards} cards were to be burned in the middle of a round"))
    if event.shoe != table.shoe:
        found.append((rule, f"cards of {event.shoe} were to be burned, and {table.shoe or 'no shoe'} is in use"))
    due = CARDS.get(event.reason, event.cards) if table.book == "ON" or event.reason == "game_error" else event.cards
    if event.cards != due:
        found.append((rule, f"{event.cards} cards were to be burned for {event.reason}, and {due} are"))
    if event.reason == "new_dealer" and not table.dealer_called:
        found.append((rule, "cards were to be burned by a new dealer, and no dealer is new"))
    return found


def burned_by(table: TableOrders, fact: Fact, facts: list[Fact]) -> Amiss:
    """Return whether a new dealer burned no card where the book wants one (ON-6.2)."""
    if not isinstance(fact.event, DealerChanged) or table.book != "ON" or not table.shoe:
        return []
    with_it = [each.event for each in facts if each.place[0] == fact.place[0] and each.revision == fact.revision]
    if any(isinstance(event, BurnCalled) and event.reason == "new_dealer" for event in with_it):
        return []
    return [("ON-6.2", f"{fact.event.dealer} deals, and no card was burned")]


def call(table: TableOrders, event: RoundCalled) -> Amiss:
    """No round is called while cards are to be burned, nor from a shoe that was to be shuffled (ON-5.8, LV-3.2)."""
    found: Amiss = []
    if table.burning:
        found.append(("ON-6.2" if table.book == "ON" else "LV-3.5", f"{event.round} was called while cards were to be burned"))
    if event.shoe in table.spent:
        rule = "ON-5.8" if table.book == "ON" else "LV-3.2"
        found.append((rule, f"{event.round} was called from {event.shoe}, which was to be shuffled"))
    table.running, table.dealer_called = True, False
    return found
