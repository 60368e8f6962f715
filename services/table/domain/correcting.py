"""Correcting: a round that went wrong is put right by a further event, and nothing that was written down is taken back.

Two persons have ruled by the time that this is asked.  A round that is over is settled anew, by the cards as they lie or void,
and only what differs from its last settlement is named: so a correction may follow a correction.  A round that is still
played goes on with the right card.
"""

from msgspec import Struct
from msgspec.structs import replace

from services.table.domain.course import Course
from services.table.domain.hand import Hand, hand_of
from services.table.domain.physical import dealer_on, hands_on, located, read_anew
from services.table.domain.playing import completion, next_hand
from services.table.domain.settlement import anew, told, unsettled
from services.table.domain.settling_anew import check_decisions, settlement
from services.table.domain.state import Decision, Over, Playing
from shared.contracts.dealing import CardsCorrected, CorrectedCard
from shared.contracts.refusals import Reason, refused
from shared.contracts.rounds import CorrectionRefused, CorrectRound, HandResult, RoundCorrected, RoundEvent
from shared.contracts.rulings import WHEN_OVER, Agreed, AnyRuling, Misread, ReadAnew
from shared.contracts.wagers import CorrectedLine, WagersCorrected
from shared.kernel.messages import Envelope, Refused

CORRECTIONS_MAX = 16
"""Corrections of one round; whoever needs more has another trouble."""
NOBODY = Agreed(by="", job="", approved_by="", approved_job="", reason="")
BY_ITSELF = ("bust", "blackjack", "twenty_one")
"""How a hand ends that nobody wanted to end."""


class Anew(Struct, frozen=True, gc=False, kw_only=True):
    """What a correction comes to."""

    void: bool = False
    cards: tuple[CorrectedCard, ...] = ()
    dealer: Hand
    hands: tuple[HandResult, ...]
    lines: tuple[CorrectedLine, ...]


def correct(command: CorrectRound, over: Over, _: Envelope) -> list[RoundEvent]:
    """Return the correction of a round that is over, or in writing why it cannot be: its table waits for either."""
    try:
        return corrected(command.correction, command.cards, command.agreed, over)
    except Refused as why:
        return [CorrectionRefused(correction=command.correction, code=why.code, message=why.message)]


def corrected(correction: str, cards: tuple[ReadAnew, ...], agreed: Agreed, over: Over) -> list[RoundEvent]:
    """Return the correction of a round that is over: by its cards, or void if none is named; raise `Refused` if it cannot be."""
    if over.corrections >= CORRECTIONS_MAX:
        raise refused(Reason.TOO_MANY_CORRECTIONS)
    became = _by_cards(cards, over) if cards else _void(over)
    back = {line.wager: line.returned_minor for line in became.lines}
    number = over.corrections + 1
    return [
        RoundCorrected(
            correction=correction,
            number=number,
            outcome="void" if became.void else "settled",
            cards=became.cards,
            dealer_cards=became.dealer.cards,
            dealer_total=became.dealer.points,
            hands=became.hands,
            staked_minor=sum(line.stake_minor for line in over.lines),
            returned_minor=sum(back.get(line.wager, line.returned_minor) for line in over.lines),
            agreed=agreed,
        ),
        WagersCorrected(number=number, currency=over.opened.settings.currency, lines=became.lines),
    ]


def _by_cards(cards: tuple[ReadAnew, ...], over: Over) -> Anew:
    """Return what the round comes to by its cards; a void round pays nothing by them, whatever they are."""
    _check_proof(over)
    if over.void:
        raise refused(Reason.NOTHING_TO_CORRECT)
    if any(hand.end == "dead" for hand in over.hands):
        raise refused(Reason.NOT_RECOMPUTABLE, "a hand is dead.")
    right = located(over.laid, cards, shoe=over.opened.shoe, decks=over.opened.profile.decks)
    became = settlement(over, read_anew(over.laid, right))
    lines = (anew(*each) for each in zip(over.lines, became.returned_minor, became.rounding_minor, strict=True))
    return Anew(cards=right, dealer=became.dealer, hands=became.hands, lines=tuple(line for line in lines if line))


def _void(over: Over) -> Anew:
    """Return that every wager gives back its stake and no more, of what was settled early too (decision 23)."""
    lines = tuple(line for line in map(unsettled, over.lines) if line)
    if over.void and not lines:
        raise refused(Reason.NOTHING_TO_CORRECT)
    dealer = over.dealer or hand_of()
    hands = tuple(replace(told(hand, dealer), result="void") for hand in over.hands)
    return Anew(void=True, dealer=dealer, hands=hands, lines=lines)


def correct_cards(cards: tuple[ReadAnew, ...], course: Course) -> None:
    """Let cards on the layout be what they are, and the round go on as it must by the right ones.

    A hand that ended by itself on a wrong card is played on, one that the right card ends is over.  It is ruled while a
    decision is awaited, so that nothing is on its way that the right card would not have called for.
    """
    playing = course.playing
    _check_proof(playing)
    if not isinstance(playing.awaiting, Decision):
        raise refused(
            Reason.NOT_POSSIBLE_NOW, "something is on its way; correct the card once a decision is awaited, or the round is over."
        )
    profile = playing.opened.profile
    right = located(playing.laid, cards, shoe=playing.opened.shoe, decks=profile.decks)
    if any(hand.down and (hand.box, hand.number) in {(card.box, card.hand) for card in right} for hand in playing.hands):
        raise refused(Reason.NOT_POSSIBLE_NOW, "a card of that hand lies face down.")
    laid = read_anew(playing.laid, right)
    hands = hands_on(laid, playing.hands)
    check_decisions(hands, profile)
    if dealer_on(laid).ace != playing.dealer.ace or any(hand.end == "even_money" and not hand.is_blackjack for hand in hands):
        raise refused(Reason.NOT_RECOMPUTABLE, "insurance would have been another matter.")
    after = replace(playing, hands=hands)
    reopened = tuple((hand.box, hand.number) for hand in hands if hand.end is not None and not _ends_like_this(hand, after))
    course.add(CardsCorrected(cards=right, reopened=reopened))
    next_hand(course)


def _ends_like_this(hand: Hand, playing: Playing) -> bool:
    """Whether a hand that is over is so by its cards, or by its player's word."""
    by_cards = completion(hand, playing)
    return hand.end in ("even_money", "dead") or (by_cards == hand.end if by_cards else hand.end not in BY_ITSELF)


def check_ruling(ruling: AnyRuling, over: Over) -> None:
    """Raise `Refused` if a round that is over cannot be corrected like this, as it stands now."""
    if isinstance(ruling, WHEN_OVER):
        corrected("", cards_of(ruling), NOBODY, over)


def cards_of(ruling: AnyRuling) -> tuple[ReadAnew, ...]:
    """Return the cards that a ruling reads anew, none of one that makes a round void; raise `Refused` for a misread without any."""
    if not isinstance(ruling, Misread):
        return ()
    if not ruling.cards:
        raise refused(Reason.NOTHING_TO_CORRECT)
    return ruling.cards


def _check_proof(round_: Playing | Over) -> None:
    """A card that came with a proof against the shoe's root is what it was read as."""
    if round_.opened.root:
        raise refused(Reason.CARD_PROVED)
