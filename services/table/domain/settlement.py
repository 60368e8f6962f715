"""Settlement: what each wager gives back, and the end of the round.

Outcomes are told first, then the money, each wager in one line of the round and never in a second one.
"""

from collections.abc import Iterable

from msgspec import UNSET

from services.table.domain import side_bets
from services.table.domain.course import Course
from services.table.domain.hand import Hand
from services.table.domain.offering import came_out, seats_of
from services.table.domain.pick_up import pick_up
from services.table.domain.stakes import unit_minor
from services.table.domain.state import Betting, Playing, Running, Wager
from shared.contracts.dealing import CardDiscarded
from shared.contracts.rounds import HandResult, HandsDecided, Result, RoundSettled, RoundVoided
from shared.contracts.wagers import SIDE_BETS, CorrectedLine, SettlementLine, WagerLapsed, WagersCorrected, WagersSettled
from shared.kernel.money import Ratio, rounding, winnings

EVEN = Ratio(1, 1)
LINES_MAX = 10_000
"""Lines of one `WagersSettled`; no book makes more than 231, and an entry may hold fewer if names are long."""


def result(hand: Hand, dealer: Hand) -> Result:
    """Return how a hand compares with the dealer's (ON-3.1, LV-2.1.1, LV-2.2, decision 1)."""
    end = hand.end
    if end == "dead" or end == "bust" or end == "even_money":
        return end
    if hand.is_blackjack:
        return "push" if dealer.is_blackjack else "blackjack"
    if dealer.is_blackjack:
        # LV-2.2: a dealer blackjack beats a 21 of more cards, and one after a split.
        return "lose"
    points, to_beat = hand.points, dealer.points
    if to_beat > 21 or points > to_beat:
        return "win"
    return "push" if points == to_beat else "lose"


def settle_insurance(course: Course, *, blackjack: bool) -> None:
    """Settle the insurance wagers as soon as it is known whether the dealer has a blackjack (ON-7.3, ON-7.4, LV-2.5.3)."""
    playing = course.playing
    settled: tuple[SettlementLine, ...] = ()
    for wager in playing.wagers:
        if wager.kind == "insurance":
            won = line(wager, insured_for(wager, playing), insured_rounding(wager, playing)) if blackjack else line(wager, 0)
            settled += (won,)
    if settled:
        course.add(WagersSettled(currency=playing.opened.settings.currency, lines=settled))


def insured_for(wager: Wager, playing: Playing) -> int:
    """Return what an insurance gives back that has won, stake included (ON-7.3, LV-2.5.3)."""
    return wager.stake_minor + winnings(wager.stake_minor, playing.opened.profile.insurance.pays, unit_minor=_unit(playing))


def insured_rounding(wager: Wager, playing: Playing) -> int:
    """Return how much of what a won insurance gives back chips had to round up (FL-5.9)."""
    return rounding(wager.stake_minor, playing.opened.profile.insurance.pays, unit_minor=_unit(playing))


def pay_even_money(course: Course, wager: Wager) -> None:
    """Pay a blackjack one to one at once (ON-7.5)."""
    currency = course.playing.opened.settings.currency
    course.add(WagersSettled(currency=currency, lines=(line(wager, 2 * wager.stake_minor),)))


def finish(course: Course) -> None:
    """Tell the outcomes, settle what is not settled yet, and end the round (ON-3.5, LV-2.1.4)."""
    if course.playing.exposed:
        put_away(course)
    playing = course.playing
    assert not playing.pending, "nothing may wait for its wallet when a round is settled"
    dealer = playing.dealer
    outcomes: list[HandResult] = []
    results: dict[tuple[int, int], Result] = {}
    for hand in playing.hands:
        outcome = told(hand, dealer)
        outcomes.append(outcome)
        results[hand.box, hand.number] = outcome.result
    course.add(HandsDecided(dealer_cards=dealer.cards, dealer_total=dealer.points, hands=tuple(outcomes)))
    settled: list[SettlementLine] = []
    for wager in playing.wagers:
        settled.append(line(wager, due(wager, results, playing), rounded(wager, results, playing)))
    if settled:
        assert len(settled) <= LINES_MAX, "an entry must stay small"
        course.add(WagersSettled(currency=playing.opened.settings.currency, lines=tuple(settled)))
    pick_up(course)
    playing = course.playing
    assert not playing.wagers, "every accepted wager must have its line"
    staked_minor = returned_minor = 0
    for line_ in playing.lines:
        staked_minor += line_.stake_minor
        returned_minor += line_.returned_minor
    course.add(
        RoundSettled(
            staked_minor=staked_minor,
            returned_minor=returned_minor,
            shoes=playing.shoes,
            cutting_card_out=playing.cutting_card_out,
            places=_places(playing),
            came_out=came_out(playing),
            seats=seats_of(playing),
        )
    )


def told(hand: Hand, dealer: Hand) -> HandResult:
    """Return a hand with its outcome."""
    points = hand.points
    return HandResult(box=hand.box, hand=hand.number, cards=hand.cards, total=points, soft=points != hand.hard, result=result(hand, dealer))


def due(wager: Wager, results: dict[tuple[int, int], Result], playing: Playing) -> int:
    """Return what a wager gives back that is settled at the end."""
    if wager.kind in SIDE_BETS:
        return side_bets.returned(wager, playing)
    return returned(wager, results[wager.box, wager.hand], playing)


def rounded(wager: Wager, results: dict[tuple[int, int], Result], playing: Playing) -> int:
    """Return how much of that chips had to round up (FL-5.9): odds other than one to one are paid on a blackjack alone.

    Side bets are paid so many to one, which chips can make whenever they can make the stake.
    """
    if wager.kind in SIDE_BETS or results[wager.box, wager.hand] != "blackjack":
        return 0
    return rounding(wager.stake_minor, playing.opened.profile.blackjack_pays, unit_minor=_unit(playing))


def put_away(course: Course) -> None:
    """Put the cards that were exposed and that nobody could use into the discard rack (ON-11.3)."""
    for card in course.playing.exposed:
        course.add(CardDiscarded(astray="unused", shoe=card.shoe, index=card.index, card=card.card))


def give_back(course: Course, reason: str, *, shoe_failed: bool = False) -> None:
    """Cancel the round: what is pending lapses, every accepted stake goes back, of what was settled early too (decision 23)."""
    round_ = course.state
    assert isinstance(round_, Betting | Playing), "only a running round can be cancelled"
    if isinstance(round_, Playing):
        put_away(course)
    for wager in round_.pending:
        course.add(WagerLapsed(wager=wager.id))
    back = tuple(line(wager, wager.stake_minor) for wager in round_.wagers)
    if back:
        assert len(back) <= LINES_MAX, "an entry must stay small"
        course.add(WagersSettled(currency=round_.opened.settings.currency, lines=back))
    if isinstance(round_, Playing):
        mend(course, round_.lines)
        pick_up(course)
        course.add(
            RoundVoided(
                reason=reason,
                shoes=round_.shoes,
                cutting_card_out=round_.cutting_card_out,
                shoe_failed=shoe_failed,
                places=_places(round_),
                came_out=came_out(round_),
                seats=seats_of(round_),
            )
        )
    else:
        course.add(RoundVoided(reason=reason, shoes=(), cutting_card_out=False, shoe_failed=shoe_failed))


def _places(playing: Playing) -> tuple[tuple[str, int], ...]:
    """Return who was on which box, where that may have consequences (FL-5.8, FL-5.10)."""
    return playing.places if playing.opened.profile.restrictions else ()


def mend(course: Course, settled: Iterable[SettlementLine]) -> None:
    """Give back the stakes of wagers that were settled early, and no more, where that is not what they gave back."""
    playing = course.playing
    early = tuple(line_ for line_ in map(unsettled, settled) if line_ is not None)
    if early:
        course.add(WagersCorrected(number=playing.corrections + 1, currency=playing.opened.settings.currency, lines=early))


def unsettled(settled: SettlementLine) -> CorrectedLine | None:
    """Return the line with which a settled wager gives back its stake and no more; None if it did so already."""
    return anew(settled, settled.stake_minor)


def anew(settled: SettlementLine, returned_minor: int, rounding_minor: int = 0) -> CorrectedLine | None:
    """Return the line with which a settled wager gives back something else; None if it is the same."""
    assert returned_minor >= 0, "a wager can lose its stake and no more"
    if returned_minor == settled.returned_minor:
        return None
    return CorrectedLine(
        wager=settled.wager,
        player=settled.player,
        box=settled.box,
        hand=settled.hand,
        kind=settled.kind,
        stake_minor=settled.stake_minor,
        settled_minor=settled.returned_minor,
        returned_minor=returned_minor,
        settled_rounding_minor=settled.rounding_minor,
        rounding_minor=rounding_minor or UNSET,
    )


def line(wager: Wager, returned_minor: int, rounding_minor: int = 0) -> SettlementLine:
    """Return the one line in which a wager is settled."""
    assert returned_minor >= 0, "a wager can lose its stake and no more"
    return SettlementLine(
        wager=wager.id,
        player=wager.player,
        box=wager.box,
        hand=wager.hand,
        kind=wager.kind,
        stake_minor=wager.stake_minor,
        returned_minor=returned_minor,
        rounding_minor=rounding_minor or UNSET,
    )


def returned(wager: Wager, outcome: Result, playing: Playing) -> int:
    """Return what a wager on a hand gives back, stake included."""
    match outcome:
        case "blackjack":
            return wager.stake_minor + winnings(wager.stake_minor, playing.opened.profile.blackjack_pays, unit_minor=_unit(playing))
        case "win":
            return wager.stake_minor + winnings(wager.stake_minor, EVEN, unit_minor=_unit(playing))
        case "push":
            return wager.stake_minor
        case "lose" if playing.dealer.is_blackjack and _is_spared(wager, playing):
            return wager.stake_minor
        case _:
            return 0


def _is_spared(wager: Wager, playing: Playing) -> bool:
    """Whether a dealer blackjack leaves this wager alone (ON-8.2, ON-9.5, LV-2.6, decisions 3 and 4)."""
    profile = playing.opened.profile
    doubled = wager.kind == "double" and profile.double.dealer_blackjack_takes == "original"
    return doubled or (wager.hand > 1 and profile.split.dealer_blackjack_takes == "original")


def _unit(round_: Running) -> int:
    return unit_minor(round_.opened.profile, round_.opened.settings.currency)
