"""Notices: what a table tells everybody about its rules before they wager (LV-1.2.3, LV-1.3).

Every sentence is worked out from the profile and the settings by which the round is decided, so what stands on the felt and
what the engine does cannot differ.
"""

from functools import lru_cache

from services.table.domain.stakes import unit_minor
from shared.contracts.restrictions import InForce, KeptBoxes
from shared.contracts.table import TableSettings
from shared.kernel.money import Ratio, decimal
from shared.kernel.profile import Profile

COUNT = ("no", "one", "two", "three", "four", "five", "six", "seven")


@lru_cache(maxsize=256)
def notices(profile: Profile, settings: TableSettings | None = None, in_force: InForce | None = None) -> tuple[str, ...]:
    """Return the sentences, the most important first.

    With `settings` the limits are the table's own in its currency; `in_force` is what staff have ruled there.
    """
    return (
        f"Blackjack pays {_ratio(profile.blackjack_pays)}.",
        _soft_17(profile),
        f"Insurance pays {_ratio(profile.insurance.pays)}: {_insurance(profile)}.",
        *_even_money(profile),
        _limits(profile, settings),
        *_promotional(profile),
        _boxes(profile, settings),
        *_restrictions(profile, settings, in_force or InForce()),
        _double(profile),
        _dealer_blackjack(profile),
        *_split(profile),
        _hole_card(profile),
        *_face_down(profile),
        *_side_bets(profile),
        _rounding(profile),
    )


def _ratio(ratio: Ratio) -> str:
    return f"{ratio.won} to {ratio.staked}"


def _count(number: int) -> str:
    return COUNT[number] if number < len(COUNT) else str(number)


def _soft_17(profile: Profile) -> str:
    """ON-10.2, LV-4.4."""
    return f"The dealer {'hits soft 17' if profile.dealer.hits_soft_17 else 'stands on all 17'}."


def _insurance(profile: Profile) -> str:
    """ON-7.2, LV-2.5.1, decision 12."""
    match profile.insurance.amount:
        case "exactly_half":
            return "exactly half of the wager"
        case "up_to_half":
            return "up to half of the wager"
        case "up_to_half_rounded_up":
            return "up to half of the wager, or up to the next amount that chips can make"


def _even_money(profile: Profile) -> tuple[str, ...]:
    """ON-7.5, decision 13."""
    return ("A blackjack may take even money while insurance is offered.",) if profile.insurance.even_money else ()


def _limits(profile: Profile, settings: TableSettings | None) -> str:
    """ON-1.1, ON-1.2, LV-1.3, decision 8."""
    if settings is None:
        return f"Wagers from {profile.minimum} to {profile.maximum} on each box, in multiples of {profile.chip_unit}."
    unit = decimal(unit_minor(profile, settings.currency), settings.currency)
    least, most = decimal(settings.minimum_minor, settings.currency), decimal(settings.maximum_minor, settings.currency)
    return f"Wagers from {least} to {most} {settings.currency} on each box, in multiples of {unit}."


def _promotional(profile: Profile) -> tuple[str, ...]:
    """FL-5.1, ON-3.3."""
    return ("Promotional tokens and vouchers are wagers too, and are staked before chips.",) if profile.promotional else ()


def _boxes(profile: Profile, settings: TableSettings | None) -> str:
    """LV-1.2.1, LV-4.5, FL-5.4, FL-5.8."""
    boxes = profile.boxes_max if settings is None else settings.boxes
    most = min(boxes, profile.boxes_per_player_max)
    shared = f" Up to {_count(profile.players_per_box_max)} players share a box." if profile.players_per_box_max > 1 else ""
    return f"{_count(boxes).capitalize()} box{'' if boxes == 1 else 'es'}, {_count(most)} for each player.{shared}"


def _restrictions(profile: Profile, settings: TableSettings | None, in_force: InForce) -> tuple[str, ...]:
    """FL-5.4, FL-5.8, FL-5.10 to FL-5.13."""
    told = []
    if 0 < in_force.players_per_box_max < profile.players_per_box_max:
        fewer = in_force.players_per_box_max
        told.append(f"At this table {_count(fewer)} player{'' if fewer == 1 else 's'} at most may wager on a box.")
    told += [f"{boxes_are(kept)} kept for {kept.player}." for kept in in_force.kept]
    told += [f"{given.player} has given up box {given.box}." for given in in_force.given]
    least = profile.minimum if settings is None else f"{decimal(settings.minimum_minor, settings.currency)} {settings.currency}"
    for player in dict.fromkeys(held.player for held in in_force.held):
        rules = [held.rule for held in in_force.held if held.player == player]
        where = " on one box" if "FL-5.12" in rules else ""
        told.append(f"{player} may wager the minimum of {least} and no more{where} ({', '.join(rules)}).")
    if profile.restrictions:
        told.append("Who joins a shoe late or sits a round out may be held to the minimum.")
    return tuple(told)


def boxes_are(kept: KeptBoxes) -> str:
    """Return `Box 3 is`, or `Boxes 2 to 4 are`."""
    return f"Box {kept.first} is" if kept.first == kept.last else f"Boxes {kept.first} to {kept.last} are"


def _double(profile: Profile) -> str:
    """ON-8.1, LV-2.6."""
    when = "on the first two cards, also after a split" if profile.double.after_split else "on the first two cards, not after a split"
    much = "up to the wager" if profile.double.for_less else "exactly the wager"
    return f"Double {when}, by {much}; one more card."


def _dealer_blackjack(profile: Profile) -> str:
    """ON-8.2, ON-9.5, LV-2.6, decisions 3 and 4."""
    double, split = profile.double.dealer_blackjack_takes == "all", profile.split.dealer_blackjack_takes == "all"
    if double and split:
        return "A dealer blackjack takes doubles and splits too."
    if split:
        return "A dealer blackjack takes the wagers of splits, and gives doubles back."
    if double:
        return "A dealer blackjack takes doubles, and gives the wagers of splits back."
    return "A dealer blackjack takes the original wager only: doubles and splits go back, unless their hand is bust."


def _split(profile: Profile) -> tuple[str, ...]:
    """ON-9, ON-10.1, LV-2.7."""
    split = profile.split
    if split.hands_max == 1:
        return ("Pairs are not split.",)
    aces = "" if split.ace_hands_max == split.hands_max else f", aces into {_count(split.ace_hands_max)} at most"
    if split.ace_hands_max == 1:
        aces = ", aces not at all"
    pairs = f"Pairs of equal value are split into {_count(split.hands_max)} hands at most{aces}."
    if split.ace_hands_max == 1:
        return (pairs,)
    cards = "Split aces take one card each." if split.aces_take_one_card else "Split aces may draw like other hands."
    return (pairs, cards)


def _hole_card(profile: Profile) -> str:
    """ON-6.3, LV-0.1, LV-3.8."""
    if not profile.dealer.hole_card:
        return "The dealer takes the second card after the players."
    if profile.dealer.peeks_under_ace:
        return "The dealer's second card lies face down, and is checked for blackjack under an ace only."
    return "The dealer's second card lies face down and is not checked before the players are done."


def _face_down(profile: Profile) -> tuple[str, ...]:
    """FL-3.5, decision 25."""
    if profile.players_cards == "up":
        return ()
    return ("The first two cards of each box lie face down: a blackjack is turned up at once, others before a third card or a split.",)


def _side_bets(profile: Profile) -> tuple[str, ...]:
    """FL-SB, decision 19."""
    rules = profile.side_bets
    one, two, two_suited, three, three_suited = rules.super_sevens
    perfect, coloured, mixed = rules.perfect_pairs
    said = {
        "super_sevens": f"Super Sevens pays {one} to 1 for a first seven, {two} for two, {two_suited} for two of a suit, "
        f"{three} for three, {three_suited} for three of a suit.",
        "perfect_pairs": f"Perfect Pairs pays {perfect} to 1 for a pair of a suit, {coloured} of a colour, {mixed} of two colours.",
    }
    return tuple(said[name] for name in rules.offered)


def _rounding(profile: Profile) -> str:
    """FL-5.9, decision 10."""
    if profile.rounding == "exact":
        return "A wager whose winnings or half chips cannot make is refused."
    return f"Winnings are rounded up to the next {profile.chip_unit}."
