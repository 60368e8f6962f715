"""Payouts: what each hand is, and what each wager must give back, worked out from the cards that lie on the felt."""

from msgspec import UNSET

from services.surveillance.domain.reenactment import Felt, Hand, is_ace_and_ten, points
from shared.contracts.rounds import HandResult, Result
from shared.contracts.wagers import SettlementLine, WagerPlaced
from shared.kernel.money import Ratio, coin


def result(felt: Felt, hand: Hand) -> Result:
    """Return how the hand compares with the dealer's (ON-3.1, ON-3.7, LV-2.1.1, LV-2.2, decision 1)."""
    if hand.dead:
        return "dead"
    mine, house = points(hand.cards)[0], points(felt.dealer)[0]
    if felt.is_paid_already(hand):
        return "even_money"
    if mine > 21:
        return "bust"
    if is_ace_and_ten(hand.cards) and not hand.from_split:
        return "push" if is_ace_and_ten(felt.dealer) else "blackjack"
    if is_ace_and_ten(felt.dealer):
        return "lose"
    if house > 21 or mine > house:
        return "win"
    return "push" if mine == house else "lose"


def results(felt: Felt) -> tuple[HandResult, ...]:
    """Return every hand with its outcome, by box and number."""
    return tuple(
        HandResult(
            box=box,
            hand=number,
            cards=tuple(hand.cards),
            total=points(hand.cards)[0],
            soft=points(hand.cards)[1],
            result=result(felt, hand),
        )
        for box, number, hand in felt.hands()
    )


def lines(felt: Felt) -> dict[str, SettlementLine]:
    """Return what every wager on the felt must give back, by wager.  An insurance wager lies on no hand: its `hand` is 0."""
    due = {}
    for _, number, hand in felt.hands():
        for wager in hand.wagers:
            due[wager.wager] = line(wager, number, returned(felt, hand, number, wager), surplus(felt, hand, wager))
    for number, wager in felt.given_back:
        due[wager.wager] = line(wager, number, wager.stake_minor)
    for wager in felt.aside:
        due[wager.wager] = line(wager, 1, side_bet(felt, wager))
    for wager in felt.insured:
        won = is_ace_and_ten(felt.dealer)
        won_minor, more_minor = profit(felt, wager, felt.profile.insurance.pays)
        due[wager.wager] = line(wager, 0, wager.stake_minor + won_minor, more_minor) if won else line(wager, 0, 0)
    return due


def side_bet(felt: Felt, wager: WagerPlaced) -> int:
    """Return what a side bet gives back: it looks at the first cards of its box and at nothing else (FL-SB, decision 19)."""
    cards, pays = felt.firsts.get(wager.box, []), felt.profile.side_bets
    ranks, suits = [card[0] for card in cards], [card[1] for card in cards]
    odds = 0
    if wager.kind == "perfect_pairs" and len(cards) > 1 and ranks[0] == ranks[1]:
        black = [suit in "SC" for suit in suits[:2]]
        odds = pays.perfect_pairs[0 if suits[0] == suits[1] else 1 if black[0] == black[1] else 2]
    if wager.kind == "super_sevens" and ranks[:1] == ["7"]:
        length = 1 if ranks[1:2] != ["7"] else 2 if ranks[2:3] != ["7"] else 3
        same = len(set(suits[:length])) == 1
        odds = pays.super_sevens[0 if length == 1 else 2 * length - 3 + same]
    return wager.stake_minor * (odds + 1) if odds else 0


def returned(felt: Felt, hand: Hand, number: int, wager: WagerPlaced) -> int:
    """Return what a wager on a hand gives back, its stake included (ON-3.5, LV-2.3)."""
    if wager.wager in felt.even_money:
        return 2 * wager.stake_minor
    match result(felt, hand):
        case "win":
            return 2 * wager.stake_minor
        case "blackjack":
            return wager.stake_minor + profit(felt, wager, felt.profile.blackjack_pays)[0]
        case "push":
            return wager.stake_minor
        case "lose" if is_ace_and_ten(felt.dealer) and spared(felt, number, wager):
            return wager.stake_minor
        case _:
            return 0


def surplus(felt: Felt, hand: Hand, wager: WagerPlaced) -> int:
    """Return how much of it chips had to round up: a blackjack alone is paid at odds (FL-5.9)."""
    at_odds = wager.wager not in felt.even_money and result(felt, hand) == "blackjack"
    return profit(felt, wager, felt.profile.blackjack_pays)[1] if at_odds else 0


def spared(felt: Felt, number: int, wager: WagerPlaced) -> bool:
    """Return whether a dealer blackjack leaves this wager alone (ON-8.2, ON-9.5, LV-2.6, decisions 3 and 4).

    Where only the original of a split is taken, all wagers of the other hands come back, a double among them.
    """
    if number > 1 and felt.profile.split.dealer_blackjack_takes == "original":
        return True
    return wager.kind == "double" and felt.profile.double.dealer_blackjack_takes == "original"


def profit(felt: Felt, wager: WagerPlaced, ratio: Ratio) -> tuple[int, int]:
    """Return the winnings on a wager, and how much of them chips cannot make exactly and round up (FL-5.9, decision 10)."""
    unit = coin(felt.profile.chip_unit, felt.opened.settings.currency)
    chips, rest = divmod(wager.stake_minor * ratio.won, ratio.staked * unit)
    paid = (chips + (1 if rest else 0)) * unit
    return paid, paid - wager.stake_minor * ratio.won // ratio.staked


def line(wager: WagerPlaced, number: int, returned_minor: int, rounding_minor: int = 0) -> SettlementLine:
    """Return the settlement line of a wager."""
    return SettlementLine(
        wager=wager.wager,
        player=wager.player,
        box=wager.box,
        hand=number,
        kind=wager.kind,
        stake_minor=wager.stake_minor,
        returned_minor=returned_minor,
        rounding_minor=rounding_minor or UNSET,
    )
