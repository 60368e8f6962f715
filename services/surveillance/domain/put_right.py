"""Put right: whether what a correction makes of a round that was over is what its cards make of it, or what a void round gives.

The felt as the re-enactment left it is laid out once more with the right cards.  What a person could not have done with them,
and what nobody drew, cannot be worked out by anybody: a correction that does so is a breach.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import msgspec

from services.surveillance.domain.facts import Breach, Fact, Round
from services.surveillance.domain.payouts import lines, results
from services.surveillance.domain.reenactment import Felt, is_ace_and_ten, must_draw, points
from shared.contracts.dealing import CardDealt, CardsCorrected, CorrectedCard, HandExposed, HoleCardTurned
from shared.contracts.decisions import HandCompleted, HandSplit
from shared.contracts.rounds import RoundCorrected, RoundVoided
from shared.contracts.wagers import SettlementLine, WagersCorrected, WagersSettled

Key = tuple[str, int]
"""A shoe, and a place in it."""
Spot = tuple[int, int, int]
"""Box, hand, and place within the hand from 1."""


@dataclass
class Standing:
    """How a round stands after its last correction."""

    felt: Felt | None
    """With every card that lies there; None if the round is void."""
    lines: dict[str, SettlementLine]
    due: dict[str, int]
    """What each wager must give back."""
    surplus: dict[str, int]
    """How much of it chips round up (FL-5.9)."""
    read: dict[Key, str]
    spots: dict[Key, Spot]
    number: int = 0


def corrections_are_right(round_: Round, felt: Felt | None) -> Iterator[Breach]:
    """Each correction says what the cards say, and its money is the difference to the last settlement (decision 23).

    `felt` is the round as it was played, None if it was void.
    """
    settled = {line.wager: line for fact in round_.of(WagersSettled) for line in fact.event.lines}
    # What was settled early is mended before a void round ends, and when a hand dies whose insurance was lost already.
    void = bool(round_.of(RoundVoided))
    due = {line.wager: line.stake_minor if void or _is_mended(round_, line.wager) else line.returned_minor for line in settled.values()}
    surplus = {wager: line.rounding_minor or 0 for wager, line in settled.items() if due[wager] == line.returned_minor}
    standing = Standing(felt, settled, due, surplus, _readings(round_), _spots(round_))
    for fact in round_.of(RoundCorrected, WagersCorrected):
        if isinstance(fact.event, RoundCorrected):
            yield from _ruled(standing, round_, fact)
        else:
            yield from _paid(standing, round_, fact)


def _is_mended(round_: Round, wager: str) -> bool:
    """Whether a wager was an insurance of a hand that died."""
    placed = round_.accepted.get(wager)
    dead = {fact.event.box for fact in round_.of(HandCompleted) if fact.event.how == "dead" and fact.event.hand == 1}
    return placed is not None and placed.kind == "insurance" and placed.box in dead


def _ruled(standing: Standing, round_: Round, fact: Fact) -> Iterator[Breach]:
    """Two persons have ruled, and the outcome is that of the right cards, or void."""
    event, rule = fact.event, round_.rule("ON-3.1", "LV-2.1.1")
    if not event.agreed.by or event.agreed.approved_by in ("", event.agreed.by):
        yield rule, "one person alone has ruled", fact
    for card in event.cards:
        yield from _named_rightly(standing, card, round_, fact)
        standing.read[card.shoe, card.index] = card.card
    yield from _fits_the_decks(standing, round_, fact)
    if event.outcome == "void":
        standing.felt = None
        standing.due, standing.surplus = {line.wager: line.stake_minor for line in standing.lines.values()}, {}
        if any(hand.result != "void" for hand in event.hands):
            yield rule, "a hand of a void round has an outcome", fact
    elif standing.felt is None:
        yield rule, "a void round was settled by its cards", fact
    else:
        standing.felt = _laid_out(standing.felt, standing)
        counting = replace(standing.felt, dealer=_counting(standing.felt))
        right = lines(counting)
        standing.due = {wager: line.returned_minor for wager, line in right.items()}
        standing.surplus = {wager: line.rounding_minor or 0 for wager, line in right.items()}
        yield from _can_be(counting, round_, fact)
        shown = (event.dealer_cards, event.dealer_total, event.hands)
        if shown != (tuple(counting.dealer), points(counting.dealer)[0], results(counting)):
            yield rule, "the outcomes are not those of the cards as they lie", fact
    sums = (sum(line.stake_minor for line in standing.lines.values()), sum(standing.due.values()))
    if (event.number, event.staked_minor, event.returned_minor) != (standing.number + 1, *sums):
        yield rule, f"correction {standing.number + 1} returns {sums[1]} of {sums[0]}, written down is {event.returned_minor}", fact


def _paid(standing: Standing, round_: Round, fact: Fact) -> Iterator[Breach]:
    """The money of a correction names each wager that gives back something else than until now, and no other."""
    event, rule = fact.event, round_.rule("ON-3.5", "LV-2.3")
    standing.number += 1
    if event.number != standing.number or event.currency != round_.opened.settings.currency:
        yield rule, f"correction {standing.number} of the money is number {event.number} in {event.currency}", fact
    told = {line.wager: line for line in event.lines}
    if len(told) != len(event.lines):
        yield rule, "a wager stands twice in a correction", fact
    for wager in sorted(standing.lines.keys() | told.keys()):
        line, said = standing.lines.get(wager), told.get(wager)
        if line is None:
            yield rule, f"wager {wager} was settled anew and never before", fact
            continue
        due = standing.due.get(wager, line.returned_minor)
        if said is None:
            if due != line.returned_minor:
                yield rule, f"wager {wager} must give back {due} and not {line.returned_minor}, and was not settled anew", fact
            continue
        told_of = (said.player, said.box, said.hand, said.kind, said.stake_minor, said.settled_minor)
        if told_of != (line.player, line.box, line.hand, line.kind, line.stake_minor, line.returned_minor):
            yield rule, f"wager {wager} is not settled anew from how it was settled last", fact
        if said.returned_minor != due or due == line.returned_minor:
            yield rule, f"wager {wager} must give back {due}, written down is {said.returned_minor} after {line.returned_minor}", fact
        rounded = (said.settled_rounding_minor or 0, said.rounding_minor or 0)
        if rounded != (line.rounding_minor or 0, standing.surplus.get(wager, 0)):
            yield "FL-5.9", f"wager {wager} is settled anew with another rounding than chips need", fact
        standing.lines[wager] = msgspec.structs.replace(line, returned_minor=said.returned_minor, rounding_minor=said.rounding_minor)


def _named_rightly(standing: Standing, card: CorrectedCard, round_: Round, fact: Fact) -> Iterator[Breach]:
    """A correction names a card that lies there, as it was read; one with a proof was never read wrong (LV-4.1)."""
    key, rule = (card.shoe, card.index), round_.rule("ON-6.4", "LV-4.1")
    if round_.opened.root:
        yield rule, f"card {card.index} of {card.shoe} has a proof and was corrected", fact
    if standing.read.get(key) != card.read or standing.spots.get(key) != (card.box, card.hand, card.place) or card.card == card.read:
        yield rule, f"card {card.index} of {card.shoe} lies elsewhere, or was not read as {card.read}", fact


def _fits_the_decks(standing: Standing, round_: Round, fact: Fact) -> Iterator[Breach]:
    for card, times in Counter(standing.read.values()).items():
        if times > round_.profile.decks:
            yield round_.rule("ON-2.1", "LV-1.6"), f"{card} lies there {times} times", fact


def _opened(event: CardDealt | HandExposed | HoleCardTurned) -> list[tuple[Key, str]]:
    """Return the cards that an event opens, each with its place in its shoe."""
    if isinstance(event, HandExposed):
        return [((event.shoe, index), card) for index, card in zip(event.indices, event.cards, strict=True)]
    return [((event.shoe, event.index), event.card)]


def _readings(round_: Round) -> dict[Key, str]:
    """Return as what each open card was read when the round was over, in the order in which they were opened."""
    read: dict[Key, str] = {}
    for fact in round_.of(CardDealt, HandExposed, HoleCardTurned, CardsCorrected):
        event = fact.event
        if isinstance(event, CardsCorrected):
            read |= {(card.shoe, card.index): card.card for card in event.cards}
        else:
            read |= dict(_opened(event))
    return read


def _spots(round_: Round) -> dict[Key, Spot]:
    """Return where each open card lies."""
    hands: dict[tuple[int, int], list[Key]] = {}
    for fact in round_.of(CardDealt, HandExposed, HoleCardTurned, HandSplit):
        event = fact.event
        if isinstance(event, HandSplit):
            of_box = sorted((hand for box, hand in hands if box == event.box and hand > event.hand), reverse=True)
            for hand in of_box:
                hands[event.box, hand + 1] = hands.pop((event.box, hand))
            old = hands.get((event.box, event.hand), [])
            hands[event.box, event.hand + 1] = [old.pop()] if len(old) > 1 else []
        else:
            place = (0, 1) if isinstance(event, HoleCardTurned) else (event.box, event.hand)
            hands.setdefault(place, []).extend(key for key, _ in _opened(event))
    return {key: (box, hand, at) for (box, hand), keys in hands.items() for at, key in enumerate(keys, 1)}


def _laid_out(felt: Felt, standing: Standing) -> Felt:
    """Return the felt with every card as it was read last."""
    face = {spot: standing.read[key] for key, spot in standing.spots.items()}
    firsts: dict[int, list[str]] = {}
    for key in standing.read:
        firsts.setdefault(standing.spots[key][0], []).append(standing.read[key])
    return replace(
        felt,
        dealer=[face.get((0, 1, at), card) for at, card in enumerate(felt.dealer, 1)],
        boxes={
            box: [
                replace(hand, cards=[face.get((box, number, at), card) for at, card in enumerate(hand.cards, 1)])
                for number, hand in enumerate(hands, 1)
            ]
            for box, hands in felt.boxes.items()
        },
        firsts={box: cards[:3] for box, cards in firsts.items()},
    )


def _counting(felt: Felt) -> list[str]:
    """Return the dealer's cards without those that the dealer had to take no more (ON-11.4)."""
    counting = replace(felt, dealer=felt.dealer[:2])
    while len(counting.dealer) < len(felt.dealer) and must_draw(counting):
        counting.dealer.append(felt.dealer[len(counting.dealer)])
    return counting.dealer


def _can_be(felt: Felt, round_: Round, fact: Fact) -> Iterator[Breach]:
    """What was done could be done with the right cards, and no card is missing that an outcome hangs on."""
    for box, number, hand in felt.hands():
        reached = [points(hand.cards[:count])[0] for count in range(2, len(hand.cards))]
        ace = hand.from_split and hand.cards[0][0] == "A"
        if 21 in reached or (ace and len(hand.cards) > 2 and felt.profile.split.aces_take_one_card):
            yield round_.rule("ON-10.1", "LV-4.4"), f"box {box} hand {number} was played on, which these cards do not allow", fact
        if not hand.ends and not is_ace_and_ten(hand.cards) and not is_ace_and_ten(felt.dealer):
            yield round_.rule("ON-6.4", "LV-0.7"), f"nobody played box {box} hand {number}", fact
    for box, hands in felt.boxes.items():
        if len({points(hand.cards[:1])[0] for hand in hands}) > 1:
            yield round_.rule("ON-9.1", "LV-2.7"), f"box {box} was split and holds no pair", fact
    if felt.dealer[0][0] != "A" and (felt.insured or felt.even_money):
        yield round_.rule("ON-7.1", "LV-2.5.2"), "insurance was offered, and the dealer shows no ace", fact
    paid = [hands[0] for hands in felt.boxes.values() if any(wager.wager in felt.even_money for wager in hands[0].wagers)]
    if any(not is_ace_and_ten(hand.cards) for hand in paid):
        yield "ON-7.5", "even money was given on what is no blackjack", fact
    if _card_is_missing(felt):
        yield round_.rule("ON-10.2", "LV-4.4"), f"the dealer stopped at {' '.join(felt.dealer)}", fact


def _card_is_missing(felt: Felt) -> bool:
    """Whether the dealer had to draw further for some hand (decisions 5 and 6)."""
    standing = [hand for _, _, hand in felt.hands() if points(hand.cards)[0] <= 21 and not felt.is_paid_already(hand)]
    blackjacks = [hand for hand in standing if is_ace_and_ten(hand.cards) and not hand.from_split]
    if len(felt.dealer) > 1:
        return must_draw(felt) and len(standing) > len(blackjacks)
    can_match = points(felt.dealer)[0] >= 10
    return bool(felt.insured) or len(standing) > len(blackjacks) or (can_match and bool(blackjacks))
