"""Settling anew: what a round that is over gives back by the cards as they lie, where that can be said at all.

The cards are what they are and lie where they lay; nobody can be asked again.  So a hand that ended too early stands on its
cards, one that was played on beyond 21 is bust, and what the dealer had to take no more counts as burned (ON-11.4).  Where an
outcome would hang on a decision that nobody could take, or on a card that nobody drew, there is no settlement: such a round
can only be void.
"""

from collections.abc import Iterable, Sequence
from typing import NoReturn

from immutables import Map
from msgspec import Struct
from msgspec.structs import replace

from services.table.domain.dealer import is_contested, must_draw, needs_second_card
from services.table.domain.hand import HARD_POINTS, Hand, hand_of
from services.table.domain.physical import dealer_on, first_cards, hands_on
from services.table.domain.settlement import due, insured_for, insured_rounding, rounded, told
from services.table.domain.state import Laid, Over, Playing, Wager
from shared.contracts.refusals import Reason, refused
from shared.contracts.rounds import HandResult, Result
from shared.kernel.profile import Profile


class Settlement(Struct, frozen=True, gc=False):
    """The dealer's cards that count, the outcomes, and what each wager gives back, in the order of the round's lines.

    How much of it chips had to round up stands beside it.
    """

    dealer: Hand
    hands: tuple[HandResult, ...]
    returned_minor: tuple[int, ...]
    rounding_minor: tuple[int, ...]


def settlement(over: Over, laid: Sequence[Laid]) -> Settlement:
    """Return the settlement of a round whose cards lie like this; raise `Refused` where there is none."""
    profile = over.opened.profile
    hands = tuple(_ended(hand) for hand in hands_on(laid, over.hands))
    lying = dealer_on(laid)
    playing = _as_played(over, hands, _counting(lying, profile), laid)
    check_decisions(hands, profile)
    _check_offers(playing, over.even_money)
    _check_cards(playing, lying)
    results = tuple(told(hand, playing.dealer) for hand in hands)
    outcomes = {(each.box, each.hand): each.result for each in results}
    returned = tuple(_returned(wager, outcomes, playing, over.even_money) for wager in playing.wagers)
    rounding = tuple(_rounded(wager, outcomes, playing, over.even_money) for wager in playing.wagers)
    return Settlement(playing.dealer, results, returned, rounding)


def _ended(hand: Hand) -> Hand:
    """Return the hand as it has ended on its cards: what ended by itself and need not have stands."""
    if hand.end == "even_money":
        return hand
    if hand.points > 21:
        return replace(hand, end="bust")
    if hand.is_blackjack:
        return replace(hand, end="blackjack")
    return replace(hand, end="stood") if hand.end in ("bust", "blackjack") else hand


def _counting(lying: Hand, profile: Profile) -> Hand:
    """Return the dealer's hand without the cards that it had to take no more."""
    counting = hand_of(*lying.cards[:2])
    for at in range(2, len(lying.cards)):
        if not must_draw(counting, profile):
            break
        counting = hand_of(*lying.cards[: at + 1])
    return counting


def _as_played(over: Over, hands: tuple[Hand, ...], dealer: Hand, laid: Sequence[Laid]) -> Playing:
    """Return the round as it stood before anything was settled, every card open."""
    wagers = tuple(Wager(line.wager, line.player, line.box, line.hand, line.kind, line.stake_minor, 0) for line in over.lines)
    return Playing(over.opened, (), wagers, Map(), (), hands, dealer, "", (), 0, None, firsts=first_cards(laid))


def check_decisions(hands: Iterable[Hand], profile: Profile) -> None:
    """Raise `Refused` if a hand was played on, or split, on cards with which that cannot be (ON-9.1, ON-9.4, ON-10.1)."""
    firsts: dict[int, list[str]] = {}
    for hand in hands:
        if not hand.cards:
            continue
        firsts.setdefault(hand.box, []).append(hand.cards[0])
        if any(hand_of(*hand.cards[:count]).points == 21 for count in range(2, len(hand.cards))):
            _not_by_these_cards(f"box {hand.box} hand {hand.number} was played on with 21.")
        if len(hand.cards) > 2 and hand.is_split_ace and profile.split.aces_take_one_card:
            _not_by_these_cards(f"box {hand.box} hand {hand.number} is a split ace, and took more than one card.")
    for box, cards in firsts.items():
        most = profile.split.ace_hands_max if cards[0][0] == "A" else profile.split.hands_max
        if len({HARD_POINTS[card] for card in cards}) > 1 or len(cards) > max(most, 1):
            _not_by_these_cards(f"{' '.join(cards)} on box {box} cannot be split like this.")


def _check_offers(playing: Playing, even_money: tuple[str, ...]) -> None:
    """There is insurance under an ace only, and even money on a blackjack only (ON-7.1, ON-7.5)."""
    if not playing.dealer.cards[0].startswith("A") and (even_money or any(wager.kind == "insurance" for wager in playing.wagers)):
        _not_by_these_cards("insurance was offered, and the dealer shows no ace.")
    paid = {wager.box for wager in playing.wagers if wager.id in even_money}
    for hand in playing.hands:
        if hand.box in paid and not hand.is_blackjack:
            _not_by_these_cards(f"box {hand.box} had even money, and no blackjack.")


def _check_cards(playing: Playing, lying: Hand) -> None:
    """The dealer needs no card that nobody drew, and every hand was played unless the dealer's blackjack ended the round."""
    if len(lying.cards) == 1:
        missing = needs_second_card(playing)
    else:
        missing = must_draw(playing.dealer, playing.opened.profile) and is_contested(playing)
    if missing:
        _not_by_these_cards(f"the dealer had to draw to {' '.join(playing.dealer.cards)}.")
    unplayed = [hand for hand in playing.hands if hand.end is None]
    if unplayed and not playing.dealer.is_blackjack:
        _not_by_these_cards(f"nobody could play box {unplayed[0].box} hand {unplayed[0].number}.")


def _returned(wager: Wager, outcomes: dict[tuple[int, int], Result], playing: Playing, even_money: tuple[str, ...]) -> int:
    if wager.id in even_money:
        return 2 * wager.stake_minor
    if wager.kind == "insurance":
        return insured_for(wager, playing) if playing.dealer.is_blackjack else 0
    return due(wager, outcomes, playing)


def _rounded(wager: Wager, outcomes: dict[tuple[int, int], Result], playing: Playing, even_money: tuple[str, ...]) -> int:
    if wager.id in even_money:
        return 0
    if wager.kind == "insurance":
        return insured_rounding(wager, playing) if playing.dealer.is_blackjack else 0
    return rounded(wager, outcomes, playing)


def _not_by_these_cards(why: str) -> NoReturn:
    raise refused(Reason.NOT_RECOMPUTABLE, why)
