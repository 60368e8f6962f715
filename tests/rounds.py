"""Rounds for tests: a house's usual settings, and whole rounds from a line of cards and a line of choices."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeVar

from feltlog.rehearsal.round import Choice, Moment, Player, Rehearsal, Wallet, rich
from services.table.domain.state import Betting, Playing
from services.table.domain.table import TABLE
from services.table.domain.table_state import Table
from shared.contracts.dealing import CardDealt
from shared.contracts.decisions import HandCompleted
from shared.contracts.restrictions import InForce
from shared.contracts.rounds import HandsDecided, OpenRound, RoundSettled, RoundVoided
from shared.contracts.table import OpenTable, TableSettings
from shared.contracts.wagers import SettlementLine, WagersSettled
from shared.kernel.cards import cards
from shared.kernel.messages import Actor, Envelope
from shared.kernel.profile_text import changed
from shared.runtime.shelf import profile

Found = TypeVar("Found")

DAY_ENDS_AT_MS = 86_400_000
ROUND_ID = "T7.20261130-000001"


def settings(
    *,
    boxes: int = 7,
    minimum_minor: int = 100,
    maximum_minor: int = 500,
    dealer: Literal["automatic", "staff"] = "automatic",
    currency: str = "CAD",
) -> TableSettings:
    """Return what the house chooses for a table: limits that every book allows."""
    return TableSettings(
        operator="house",
        currency=currency,
        boxes=boxes,
        minimum_minor=minimum_minor,
        maximum_minor=maximum_minor,
        dealer=dealer,
        betting_window_ms=10_000,
        decision_ms=15_000,
        reserve_ms=2_000,
        pause_ms=3_000,
    )


def opening(book: str, *, options: Mapping[str, object] | None = None, root: str = "root", **chosen: Any) -> OpenRound:
    """Return the command that opens a round of table T7 under a built-in profile, with other values under some of its keys.

    Without a root its cards carry no proof.
    """
    return OpenRound(
        round=ROUND_ID,
        number=1,
        table="T7",
        day="20261130",
        profile=changed(profile(book), options or {}, "a test"),
        settings=settings(**chosen),
        shoe="T7-S1",
        root=root,
        in_force=InForce(face_down_by="inspector"),
    )


def open_table(book: str, **chosen: Any) -> OpenTable:
    """Return the command that opens table T7, as the service fills it in."""
    return OpenTable(
        table="T7", profile_name=book, settings=settings(**chosen), day="20261130", day_ends_at_ms=DAY_ENDS_AT_MS, profile=profile(book)
    )


def opened_table(book: str, **chosen: Any) -> Table:
    """Return table T7, just opened."""
    state = TABLE.initial
    for event in TABLE.decide(open_table(book, **chosen), state, Envelope("open", Actor("staff", "pit"), 0, 0)):
        state = TABLE.evolve(state, event)
    return state


def scripted(*words: str) -> Player:
    """Return a player who says these words one after the other, `-` for silence, `double 50` for a stake; then stands or declines."""
    left = list(words)

    def choose(moment: Moment) -> Choice | None:
        if not left:
            return Choice("stand" if "stand" in moment.legal else "decline")
        what, _, stake = left.pop(0).partition(" ")
        return None if what == "-" else Choice(what, int(stake) if stake else None)

    return choose


def begun(
    book: str,
    shoe: str,
    *,
    bets: Iterable[tuple[str, int, int]] = (("ann", 1, 400),),
    wallet: Wallet = rich,
    discards: str = "",
    **chosen: Any,
) -> Rehearsal:
    """Return a round that is dealt, up to where a person is asked: at 11,000 ms unless every box holds a wager."""
    rehearsal = Rehearsal(opening(book, **chosen), cards(shoe), discards=cards(discards), wallet=wallet)
    for player, box, stake_minor in bets:
        rehearsal.bet(player, box, stake_minor)
        rehearsal.serve()
    if isinstance(rehearsal.round, Betting):
        rehearsal.let_time_pass()
    rehearsal.serve()
    return rehearsal


def play(book: str, shoe: str, *words: str, **chosen: Any) -> Rehearsal:
    """Return a whole round: cards in the order in which they leave the shoe, and what players say."""
    rehearsal = begun(book, shoe, **chosen)
    rehearsal.run(scripted(*words))
    return rehearsal


def in_play(rehearsal: Rehearsal) -> Playing:
    """Return a round of which cards are out."""
    assert isinstance(rehearsal.round, Playing), "cards are out"
    return rehearsal.round


def then_say(rehearsal: Rehearsal, *words: str) -> Rehearsal:
    """Let players say these words, serving the round after each; nobody says more."""
    for word in words:
        rehearsal.ask(scripted(word))
        rehearsal.serve()
    return rehearsal


def lines(rehearsal: Rehearsal) -> list[SettlementLine]:
    """Return a round's settlement lines."""
    return [line for event in rehearsal.events if isinstance(event, WagersSettled) for line in event.lines]


def returned(rehearsal: Rehearsal) -> list[tuple[str, int, int]]:
    """Return kind, stake and what came back, of each line in order."""
    return [(line.kind, line.stake_minor, line.returned_minor) for line in lines(rehearsal)]


def dealt(rehearsal: Rehearsal) -> list[tuple[int, int, str]]:
    """Return box, hand and card of each open card in order."""
    return [(event.box, event.hand, event.card) for event in rehearsal.events if isinstance(event, CardDealt)]


def names(rehearsal: Rehearsal) -> list[str]:
    """Return the events' names in order."""
    return [type(event).__name__ for event in rehearsal.events]


def ends(rehearsal: Rehearsal) -> list[tuple[int, int, str]]:
    """Return box, hand and how it was completed, in order."""
    return [(event.box, event.hand, event.how) for event in rehearsal.events if isinstance(event, HandCompleted)]


def results(rehearsal: Rehearsal) -> list[tuple[int, int, str]]:
    """Return box, hand and outcome of each hand."""
    decided = next(event for event in rehearsal.events if isinstance(event, HandsDecided))
    return [(each.box, each.hand, each.result) for each in decided.hands]


def dealer_cards(rehearsal: Rehearsal) -> tuple[str, ...]:
    """Return the dealer's cards at the end."""
    return next(event for event in rehearsal.events if isinstance(event, HandsDecided)).dealer_cards


def only(rehearsal: Rehearsal, kind: type[Found]) -> list[Found]:
    """Return the events of one kind, in order."""
    return [event for event in rehearsal.events if isinstance(event, kind)]


def settled(rehearsal: Rehearsal) -> RoundSettled:
    """Return the event that ended a round which was played out."""
    last = rehearsal.events[-1]
    assert isinstance(last, RoundSettled), f"the round ended with {last}"
    return last


def voided(rehearsal: Rehearsal) -> RoundVoided:
    """Return the event that cancelled a round."""
    last = rehearsal.events[-1]
    assert isinstance(last, RoundVoided), f"the round ended with {last}"
    return last
