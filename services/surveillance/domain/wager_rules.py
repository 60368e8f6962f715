"""Wager rules: what must hold of a round's wagers, whatever the cards were.

Each question is a function of the round and answers with breaches: a clause, what is wrong, and the fact that shows it.
"""

from collections.abc import Iterator

from services.surveillance.domain.facts import Breach, Round
from shared.contracts.dealing import CardDealt, FaceDownCardDealt, HandExposed, HoleCardDealt, HoleCardTurned
from shared.contracts.restrictions import InForce, InForceNoted
from shared.contracts.rounds import RoundOpened, RoundSettled, RoundVoided
from shared.contracts.wagers import (
    SIDE_BETS,
    BettingClosed,
    CallersSet,
    CloseBetting,
    WagerAccepted,
    WagerLapsed,
    WagerPlaced,
    WagerRefused,
)
from shared.kernel.cards import DECK
from shared.kernel.money import BadMoney, coin, minor_units


def values_can_be(round_: Round) -> Iterator[Breach]:
    """Amounts, odds and cards are some; a round that says otherwise cannot be worked out at all (ON-2.3, LV-1.6)."""
    settings, profile = round_.opened.settings, round_.profile
    try:
        for text in (profile.minimum, profile.maximum):
            minor_units(text, settings.currency)
        if not coin(profile.chip_unit, settings.currency):
            yield round_.rule("ON-3.3", "LV-2.1.4"), "the chip unit is nothing", round_.facts[0]
    except BadMoney as error:
        yield round_.rule("ON-1.1", "LV-1.3"), f"{error}", round_.facts[0]
    for odds in (profile.blackjack_pays, profile.insurance.pays):
        if odds.staked <= 0 or odds.won < 0:
            yield round_.rule("ON-3.5", "LV-2.3"), f"{odds.won} to {odds.staked} are no odds", round_.facts[0]
    for fact in round_.of(CardDealt, HoleCardTurned):
        if fact.event.card not in DECK:
            yield round_.rule("ON-2.3", "LV-1.6"), f"{fact.event.card!r} is no card", fact
    for fact in round_.of(HandExposed):
        if not set(fact.event.cards) <= set(DECK) or len(fact.event.cards) != len(fact.event.indices):
            yield round_.rule("ON-2.3", "LV-1.6"), f"{fact.event.cards!r} are not the cards of {fact.event.indices}", fact


def opening_is_whole(round_: Round) -> Iterator[Breach]:
    """The table's limits and boxes lie inside the profile's (ON-1.1, ON-1.2, LV-1.2.1, decision 8)."""
    settings, profile = round_.opened.settings, round_.profile
    least, most = minor_units(profile.minimum, settings.currency), minor_units(profile.maximum, settings.currency)
    if settings.minimum_minor < least:
        yield round_.rule("ON-1.2", "LV-1.3"), f"the table's minimum {settings.minimum_minor} is below the book's {least}", round_.facts[0]
    if settings.maximum_minor > most:
        yield round_.rule("ON-1.1", "LV-1.3"), f"the table's maximum {settings.maximum_minor} is above the book's {most}", round_.facts[0]
    if not 1 <= settings.boxes <= profile.boxes_max:
        yield "LV-1.2.1", f"{settings.boxes} boxes; {profile.boxes_max} at most", round_.facts[0]
    for fact in round_.of(RoundOpened)[1:]:
        yield round_.rule("ON-3.1", "LV-2.1.1"), "the round was opened twice", fact


def wagers_are_accounted_for(round_: Round) -> Iterator[Breach]:
    """Every wager is placed once and becomes accepted, refused or lapsed once (ON-3.1, LV-2.1.2)."""
    placed: set[str] = set()
    answered: set[str] = set()
    for fact in round_.of(WagerPlaced, WagerAccepted, WagerRefused, WagerLapsed):
        wager = fact.event.wager
        if isinstance(fact.event, WagerPlaced):
            if wager in placed:
                yield round_.rule("ON-3.2", "LV-2.1.2"), f"wager {wager} was placed twice", fact
            if fact.id != wager or fact.actor.id != fact.event.player or fact.actor.role != "player":
                yield round_.rule("ON-3.1", "LV-2.1.1"), f"wager {wager} of {fact.event.player} was placed by {fact.actor.id}", fact
            if fact.event.currency != round_.opened.settings.currency:
                yield round_.rule("ON-3.3", "LV-2.1.2"), f"wager {wager} is in {fact.event.currency}", fact
            placed.add(wager)
            continue
        if wager not in placed:
            yield round_.rule("ON-3.1", "LV-2.1.1"), f"wager {wager} was answered and never placed", fact
        if wager in answered:
            yield round_.rule("ON-3.2", "LV-2.1.2"), f"wager {wager} was answered twice", fact
        answered.add(wager)
    for fact in round_.of(RoundSettled, RoundVoided):
        for wager in sorted(placed - answered):
            yield round_.rule("ON-3.4", "LV-2.4"), f"the round ended and wager {wager} had no answer", fact


def nobody_wagers_for_the_dealer(round_: Round) -> Iterator[Breach]:
    """No wager that is meant for the dealer is taken (ON-3.6)."""
    for fact in round_.of(WagerPlaced):
        if getattr(fact.command, "for_dealer", False) is True:
            yield "ON-3.6", f"wager {fact.event.wager} was placed on behalf of the dealer", fact


def limits_are_kept(round_: Round) -> Iterator[Breach]:
    """A main wager lies inside the limits, on a box of the table, and chips can pay it (ON-1.1, ON-1.2, LV-2.1.4, decisions 8 and 10)."""
    settings, profile = round_.opened.settings, round_.profile
    unit = coin(profile.chip_unit, settings.currency)
    for fact in round_.of(WagerPlaced):
        wager = fact.event
        if wager.stake_minor <= 0 or wager.stake_minor % unit:
            yield round_.rule("ON-3.3", "LV-2.1.4"), f"a stake of {wager.stake_minor} cannot be made of chips of {unit}", fact
        if wager.promotional != profile.promotional:
            yield round_.rule("ON-3.3", "LV-2.1.2"), f"wager {wager.wager} takes promotional money otherwise than the book", fact
        if wager.kind != "main":
            continue
        if not 1 <= wager.box <= settings.boxes:
            yield "LV-1.2.1", f"a wager on box {wager.box} of {settings.boxes}", fact
        if wager.stake_minor < settings.minimum_minor:
            yield round_.rule("ON-1.2", "LV-2.1.4"), f"a wager of {wager.stake_minor}; at least {settings.minimum_minor}", fact
        if wager.stake_minor > settings.maximum_minor:
            yield round_.rule("ON-1.1", "LV-2.1.4"), f"a wager of {wager.stake_minor}; at most {settings.maximum_minor}", fact
        halves = 2 * unit, profile.blackjack_pays.staked * unit
        if profile.rounding == "exact" and any(
            wager.stake_minor * won % step for won, step in zip((1, profile.blackjack_pays.won), halves, strict=True)
        ):
            yield "ON-3.5", f"half of {wager.stake_minor}, or a blackjack on it, cannot be paid exactly (decision 10)", fact


def boxes_are_shared_as_allowed(round_: Round) -> Iterator[Breach]:
    """As many players on a box, and boxes for a player, as the book allows; nobody twice on a box (FL-5.4, LV-4.5, decision 15)."""
    rule = round_.rule("ON-3.1", "LV-4.5")
    shared: list[str] = []
    for box, wagers in sorted(round_.boxes().items()):
        players = [wager.player for wager in wagers]
        if len(players) > round_.profile.players_per_box_max or len(set(players)) < len(players):
            yield rule, f"{' and '.join(players)} all have a wager on box {box}", None
        if sum(wager.seated for wager in wagers) > 1:
            yield "FL-5.5", f"two players are seated at box {box}", None
        shared += [wagers[0].wager] if len(wagers) > 1 else []
    for fact in round_.of(CallersSet):
        if list(fact.event.wagers) != shared:
            yield "FL-5.5", f"{shared} decide for their boxes, written down are {list(fact.event.wagers)}", fact
    if shared and len(round_.of(CallersSet)) != 1 and round_.of(CardDealt):
        yield "FL-5.6", "who decides for a shared box must be settled before the cards", None
    everybody = [wager.player for wager in round_.main()]
    for player in sorted(set(everybody)):
        if everybody.count(player) > round_.profile.boxes_per_player_max:
            yield "LV-4.5", f"{player} plays on {everybody.count(player)} boxes", None


def restrictions_are_kept(round_: Round) -> Iterator[Breach]:
    """From each restriction on the wagers that come next are within it (FL-5.4, FL-5.8, FL-5.10 to FL-5.13, decision 24)."""
    ruled = round_.opened.in_force
    lying: dict[str, WagerPlaced] = {}
    for fact in round_.facts:
        match fact.event:
            case InForceNoted():
                ruled = fact.event.in_force
            case WagerRefused() | WagerLapsed():
                lying.pop(fact.event.wager, None)
            case WagerPlaced(kind="main") as placed:
                if ruled is not None:
                    yield from ((rule, message, fact) for rule, message in against(placed, ruled, lying, round_))
                lying[placed.wager] = placed
            case _:
                pass
    # The order in which boxes were taken is what a later restriction about them rests on.
    places = tuple((wager.player, wager.box) for wager in round_.main()) if round_.profile.restrictions else ()
    for fact in round_.of(RoundSettled):
        if fact.event.places != places:
            yield "FL-5.10", f"boxes were taken as {places}, written down is {fact.event.places}", fact


def against(placed: WagerPlaced, ruled: InForce, lying: dict[str, WagerPlaced], round_: Round) -> Iterator[tuple[str, str]]:
    """Give what a restriction has against a wager, beside those that lie already."""
    player, box = placed.player, placed.box
    rules = [held.rule for held in ruled.held if held.player == player]
    if rules and placed.stake_minor > round_.opened.settings.minimum_minor:
        yield rules[0], f"{player} is held to the minimum and wagered {placed.stake_minor}"
    if "FL-5.12" in rules and any(other.player == player for other in lying.values()):
        yield "FL-5.12", f"{player} is held to one box and wagered on box {box} too"
    for kept in ruled.kept:
        if kept.first <= box <= kept.last and kept.player != player:
            yield "FL-5.13", f"box {box} is kept for {kept.player}, {player} wagered on it"
    if any((given.player, given.box) == (player, box) for given in ruled.given):
        yield "FL-5.8", f"{player} has given up box {box} and wagered on it"
    if 0 < ruled.players_per_box_max <= sum(other.box == box for other in lying.values()):
        yield "FL-5.4", f"{player} wagered on box {box} as one player more than {ruled.players_per_box_max}"


def side_bets_lie_beside_a_main_wager(round_: Round) -> Iterator[Breach]:
    """A side bet is offered, comes before the cards, and lies beside an accepted main wager of the same player (decision 19)."""
    mains: set[tuple[str, int]] = set()
    seen: set[tuple[str, int, str]] = set()
    closed = False
    for fact in round_.facts:
        match fact.event:
            case BettingClosed():
                closed = True
            case WagerAccepted() if round_.kind(fact.event.wager) == "main":
                mains.add((round_.wagers[fact.event.wager].player, round_.wagers[fact.event.wager].box))
            case WagerPlaced(kind="super_sevens" | "perfect_pairs") as placed:
                if placed.kind not in round_.profile.side_bets.offered:
                    yield "FL-SB", f"{placed.kind} is not offered", fact
                if closed or fact.received_at_ms > round_.opened.betting_until_ms:
                    yield "FL-SB", f"side bet {placed.wager} came after betting was closed", fact
                if (placed.player, placed.box) not in mains:
                    yield "FL-SB", f"side bet {placed.wager} lies beside no main wager of {placed.player}", fact
                if placed.stake_minor > round_.opened.settings.maximum_minor:
                    yield "FL-SB", f"a side bet of {placed.stake_minor}; at most {round_.opened.settings.maximum_minor}", fact
            case WagerAccepted() if round_.kind(fact.event.wager) in SIDE_BETS:
                placed = round_.wagers[fact.event.wager]
                if (placed.player, placed.box, placed.kind) in seen:
                    yield "FL-SB", f"{placed.player} has two side bets of a kind on box {placed.box}", fact
                seen.add((placed.player, placed.box, placed.kind))
            case _:
                pass


def betting_ends_before_the_cards(round_: Round) -> Iterator[Breach]:
    """No main wager after betting closed or in the wrong time, no card before, none while a wager is pending (ON-3.1, LV-2.1.3)."""
    rule = round_.rule("ON-3.1", "LV-2.1.3")
    open_, pending = True, 0
    taken = 0
    for fact in round_.facts:
        match fact.event:
            case WagerPlaced(kind="main" | "super_sevens" | "perfect_pairs"):
                pending += 1
                if not open_ or fact.received_at_ms > round_.opened.betting_until_ms:
                    yield rule, f"wager {fact.event.wager} came after betting was closed", fact
            case WagerAccepted() | WagerRefused() | WagerLapsed() if round_.kind(fact.event.wager) in ("main", *SIDE_BETS):
                pending -= 1
                taken += isinstance(fact.event, WagerAccepted) and round_.kind(fact.event.wager) == "main"
            case BettingClosed():
                by_staff = isinstance(fact.command, CloseBetting) and fact.actor.role == "staff"
                # Where every box has its wager there is nothing to wait for.
                full = (
                    not pending
                    and not round_.profile.side_bets.offered
                    and taken >= round_.opened.settings.boxes * round_.profile.players_per_box_max
                )
                if not (by_staff or full) and fact.at_ms < round_.opened.betting_until_ms:
                    yield rule, "betting was closed before its time", fact
                if not open_:
                    yield rule, "betting was closed twice", fact
                open_ = False
            case CardDealt() | HoleCardDealt() | FaceDownCardDealt() if open_ or pending:
                yield rule, "a card was dealt " + ("before betting was closed" if open_ else "while a wager was pending"), fact
                return


QUESTIONS = (
    opening_is_whole,
    wagers_are_accounted_for,
    nobody_wagers_for_the_dealer,
    limits_are_kept,
    boxes_are_shared_as_allowed,
    restrictions_are_kept,
    side_bets_lie_beside_a_main_wager,
    betting_ends_before_the_cards,
)
