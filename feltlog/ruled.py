"""Rulings in words: what somebody proposed, who agreed, and where the cards went that were nobody's."""

from collections.abc import Mapping

from shared.contracts import dealing, decisions, rulings
from shared.contracts.staff import job_in_words

ASTRAY: dict[dealing.Astray, str] = {
    "face_up": "it lay face up in the shoe",
    "exposed": "it was drawn in error",
    "overdraw": "the dealer had to stand",
    "game_error": "a game error",
    "unused": "nobody could use it",
}
"""Why a card was nobody's."""

Ruled = (
    rulings.RulingEvent | dealing.CardsForfeited | dealing.CardDiscarded | dealing.CardExposed | dealing.BoxMissed | decisions.ClockResumed
)


def ruling_in_words(ruling: rulings.AnyRuling) -> str:
    """Return what a ruling is about, as a person would say it.

    >>> ruling_in_words(rulings.DeadHand(box=3)), ruling_in_words(rulings.VoidTheRound())
    ('box 3, hand 1 is dead', 'the round is void')
    """
    match ruling:
        case rulings.VoidTheRound():
            return "the round is void"
        case rulings.Misdeal():
            return "a misdeal"
        case rulings.DeviceMalfunction():
            return "the shoe or its device failed"
        case rulings.FaceUpCard():
            return "the next card lies face up in the shoe"
        case rulings.UnexposedCard():
            return "a card drawn in error, seen by nobody, stays the next one"
        case rulings.ExposedCard():
            return "a card drawn in error and seen is the next one"
        case rulings.DealerOverdraw():
            return "the dealer draws a card too many"
        case rulings.MissedBox():
            return f"box {ruling.box} is passed over, card {ruling.card}"
        case rulings.DeadHand():
            return f"box {ruling.box}, hand {ruling.hand} is dead"
        case rulings.Misread():
            return "read wrong: " + ", ".join(f"card {card.index} of {card.shoe or 'the shoe'} is {card.card}" for card in ruling.cards)
        case rulings.WrongPosition():
            owner = "the dealer" if ruling.box == 0 else f"box {ruling.box}, hand {ruling.hand}"
            return f"{ruling.card} lay at box {ruling.found} and belongs to {owner}"
        case rulings.GameError():
            return "a game error: three cards are burned"


def told(event: Ruled, proposed: Mapping[int, rulings.RulingProposed]) -> str:
    """Return what an event of a ruling says; `proposed` holds the proposals so far, by number."""
    match event:
        case rulings.RulingProposed():
            note = f" ({event.note})" if event.note else ""
            return f"Proposal {event.proposal} by {event.by}, {job_in_words(event.job)}: {ruling_in_words(event.ruling)}{note}"
        case rulings.RulingApproved() | rulings.RulingDeclined() | rulings.RulingWithdrawn():
            verb = {rulings.RulingApproved: "approved", rulings.RulingDeclined: "declined", rulings.RulingWithdrawn: "withdrawn"}[
                type(event)
            ]
            about = proposed.get(event.proposal)
            what = f": {ruling_in_words(about.ruling)}" if about is not None else ""
            return f"Proposal {event.proposal} {verb} by {event.by}, {job_in_words(event.job)}{what}"
        case dealing.CardsForfeited(astray="overdraw"):
            return "When the dealer must stand, one card more leaves the shoe"
        case dealing.CardsForfeited():
            return f"The next {'card is' if event.count == 1 else f'{event.count} cards are'} nobody's: {ASTRAY[event.astray]}"
        case dealing.CardDiscarded():
            return f"{event.card or 'A card that nobody saw'} goes to the discard rack: {ASTRAY[event.astray]}"
        case dealing.CardExposed():
            return f"{event.card} lies open: it is the next card, whoever draws"
        case dealing.BoxMissed():
            return f"Box {event.box} does not get its {'first' if event.card == 1 else 'second'} card in turn"
        case decisions.ClockResumed():
            return "The clock runs on"
