"""Betting: who may put how much on which box, and how the window ends.

A wager counts once the ledger has set its stake aside; no card is called before every pending wager has its answer.
"""

from functools import lru_cache

from services.table.domain.course import Course
from services.table.domain.order import DEALER, deal_order
from services.table.domain.stakes import check_grid, in_words, unit_minor
from services.table.domain.state import SEEN, Betting, Wager
from shared.contracts.dealing import CardsCalled, Face
from shared.contracts.refusals import Reason, refused
from shared.contracts.rounds import RoundEvent, RoundVoided
from shared.contracts.wagers import (
    BettingClosed,
    CallersSet,
    CloseBetting,
    LapseWagers,
    PlaceWager,
    WagerAccepted,
    WagerLapsed,
    WagerPlaced,
    WagerRefused,
)
from shared.kernel.messages import Envelope


def place(command: PlaceWager, betting: Betting, envelope: Envelope) -> list[RoundEvent]:
    """Return the pending wager; raise `Refused` if the table does not take it (ON-3.1, ON-3.6, LV-2.1.3, LV-2.1.4)."""
    opened = betting.opened
    if command.round != opened.round:
        raise refused(Reason.UNKNOWN_ROUND)
    if betting.closed or envelope.received_at_ms > opened.betting_until_ms:
        raise refused(Reason.BETTING_CLOSED)
    if command.for_dealer:
        raise refused(Reason.WAGER_FOR_DEALER)
    player = envelope.actor.id
    _check_box(command, player, betting)
    _check_stake(command.stake_minor, betting)
    _check_restrictions(command, player, betting)
    return [
        WagerPlaced(
            wager=envelope.id,
            player=player,
            box=command.box,
            hand=1,
            kind="main",
            stake_minor=command.stake_minor,
            currency=opened.settings.currency,
            reserve_by_ms=envelope.at_ms + opened.settings.reserve_ms,
            seated=command.seated,
            promotional=opened.profile.promotional,
        )
    ]


def _check_box(command: PlaceWager, player: str, betting: Betting) -> None:
    """LV-1.2.1, LV-4.5, FL-5.4, FL-5.8: a box of this table with room on it, and not more boxes than an account may have."""
    if not 1 <= command.box <= betting.opened.settings.boxes:
        raise refused(Reason.NO_SUCH_BOX)
    wagers = [wager for wager in betting.wagers + betting.pending if wager.kind == "main"]
    if not wagers:
        # Whoever comes first finds room everywhere.
        return
    there = [wager for wager in wagers if wager.box == command.box]
    if len(there) >= _players_per_box_max(betting):
        raise refused(Reason.BOX_FULL)
    if any(wager.player == player for wager in there):
        # Decision 15: one player has one voice on a box.
        raise refused(Reason.ALREADY_ON_BOX)
    if command.seated and any(wager.seated for wager in there):
        raise refused(Reason.SEAT_TAKEN)
    if sum([wager.player == player for wager in wagers]) >= betting.opened.profile.boxes_per_player_max:
        raise refused(Reason.ONE_BOX_PER_ACCOUNT)


def _players_per_box_max(betting: Betting) -> int:
    """FL-5.4: as the profile has it, or fewer if a supervisor said so."""
    ruled = betting.in_force
    most = betting.opened.profile.players_per_box_max
    return min(most, ruled.players_per_box_max) if ruled is not None and ruled.players_per_box_max else most


def _check_restrictions(command: PlaceWager, player: str, betting: Betting) -> None:
    """FL-5.8, FL-5.10 to FL-5.13: what staff have ruled about a player and a box."""
    ruled, settings = betting.in_force, betting.opened.settings
    if ruled is None:
        return
    if any(kept.first <= command.box <= kept.last and kept.player != player for kept in ruled.kept):
        raise refused(Reason.BOX_RESERVED)
    if any((given.player, given.box) == (player, command.box) for given in ruled.given):
        raise refused(Reason.BOX_GIVEN_UP)
    rules = [held.rule for held in ruled.held if held.player == player]
    if rules and command.stake_minor > settings.minimum_minor:
        raise refused(Reason.HELD_TO_MINIMUM, f"{in_words(settings.minimum_minor, settings.currency)} ({rules[-1]})")
    if "FL-5.12" in rules and any(wager.player == player and wager.kind == "main" for wager in (*betting.wagers, *betting.pending)):
        raise refused(Reason.HELD_TO_ONE_BOX)


def _check_stake(stake_minor: int, betting: Betting) -> None:
    """ON-1.1, ON-1.2, decisions 8 and 10: within the table's limits, and such that chips can pay it."""
    settings, profile = betting.opened.settings, betting.opened.profile
    if stake_minor < settings.minimum_minor:
        raise refused(Reason.BELOW_MINIMUM, in_words(settings.minimum_minor, settings.currency))
    if stake_minor > settings.maximum_minor:
        raise refused(Reason.ABOVE_MAXIMUM, in_words(settings.maximum_minor, settings.currency))
    unit = unit_minor(profile, settings.currency)
    check_grid(stake_minor, unit, settings.currency)
    if profile.rounding == "exact":
        # Decision 10: the winnings of a blackjack and an insurance of half must both be whole chips.
        pays = profile.blackjack_pays
        if stake_minor * pays.won % (pays.staked * unit):
            raise refused(Reason.NOT_EXACT, f"a blackjack pays {pays.won} to {pays.staked}.")
        if stake_minor % (2 * unit):
            raise refused(Reason.NOT_EXACT, "insurance is half of it.")


def accept(wager: Wager, betting: Betting, envelope: Envelope) -> list[RoundEvent]:
    """Return that a main wager is in the round, and what follows from it."""
    course = Course(betting, envelope.at_ms)
    course.add(WagerAccepted(wager=wager.id))
    return _go_on(course)


def refuse(wager: Wager, code: str, message: str, betting: Betting, envelope: Envelope) -> list[RoundEvent]:
    """Return that a main wager is not in the round, and what follows from it."""
    course = Course(betting, envelope.at_ms)
    course.add(WagerRefused(wager=wager.id, code=code, message=message))
    return _go_on(course)


def close(command: CloseBetting, betting: Betting, envelope: Envelope) -> list[RoundEvent]:
    """Return that there are no more bets: by the clock once it has run out, by the dealer at any time (LV-2.1.3)."""
    by_clock = envelope.actor.role == "house"
    if command.round not in ("", betting.opened.round):
        raise refused(Reason.UNKNOWN_ROUND)
    if betting.closed:
        if by_clock:
            return []
        raise refused(Reason.BETTING_CLOSED)
    if by_clock and envelope.at_ms < betting.opened.betting_until_ms:
        raise refused(Reason.TOO_EARLY)
    course = Course(betting, envelope.at_ms)
    course.add(BettingClosed())
    return _go_on(course)


def lapse(_: LapseWagers, betting: Betting, envelope: Envelope) -> list[RoundEvent]:
    """Return that the wagers without an answer are not in the round (decision 23), once the last of them had its time."""
    if not betting.closed or not betting.pending:
        return []
    if envelope.at_ms < lapse_at_ms(betting):
        raise refused(Reason.TOO_EARLY)
    course = Course(betting, envelope.at_ms)
    for wager in betting.pending:
        course.add(WagerLapsed(wager=wager.id))
    return _go_on(course)


def lapse_at_ms(betting: Betting) -> int:
    """Return when the last pending wager has had its time."""
    return max(wager.reserve_by_ms for wager in betting.pending)


def _go_on(course: Course) -> list[RoundEvent]:
    """Close a full table, and call the first cards once betting is closed and nothing is pending."""
    betting = course.state
    assert isinstance(betting, Betting), "no card is out"
    if betting.pending:
        return course
    if not betting.closed and _is_full(betting):
        course.add(BettingClosed())
    elif not betting.closed:
        return course
    if betting.wagers:
        wagered = [wager.box for wager in betting.wagers if wager.kind == "main"]
        boxes = tuple(sorted(set(wagered)))
        if len(boxes) < len(wagered):
            course.add(CallersSet(wagers=_callers(betting)))
        course.add(CardsCalled(call_no=1, shoe=betting.opened.shoe, faces=_deal_faces(boxes, betting)))
    else:
        course.add(RoundVoided(reason="no_wagers", shoes=(), cutting_card_out=False))
    return course


def _is_full(betting: Betting) -> bool:
    """Whether nobody can wager any more: every box is full, and no side bet may be added to what lies there."""
    profile = betting.opened.profile
    return not profile.side_bets.offered and len(betting.wagers) == betting.opened.settings.boxes * profile.players_per_box_max


def _callers(betting: Betting) -> tuple[str, ...]:
    """Return the wagers that decide for the boxes with several: seated, else the highest, else the nearest to the dealer (FL-5.5)."""
    on: dict[int, list[Wager]] = {}
    for wager in betting.wagers:
        if wager.kind == "main":
            on.setdefault(wager.box, []).append(wager)
    shared = (on[box] for box in sorted(on) if len(on[box]) > 1)
    return tuple(max(wagers, key=lambda wager: (wager.seated, wager.stake_minor)).id for wagers in shared)


def _deal_faces(boxes: tuple[int, ...], betting: Betting) -> tuple[Face, ...]:
    """Return the faces of the whole deal; what leaves the shoe before it and is nobody's comes first."""
    profile = betting.opened.profile
    faces = _faces(boxes, betting.missed, profile.players_cards, hole_card=profile.dealer.hole_card)
    return (*(SEEN[astray] for astray in betting.astray), *faces) if betting.astray else faces


@lru_cache(maxsize=1024)
def _faces(boxes: tuple[int, ...], missed: tuple[tuple[int, int], ...], players: Face, *, hole_card: bool) -> tuple[Face, ...]:
    """Return the faces of a deal: those of the boxes as the profile says (FL-3.5), the dealer's first card open.

    The dealer's second card is part of the deal where there is a hole card, and lies face down (ON-6.3, LV-0.1).
    """
    places = deal_order(boxes, missed, hole_card=hole_card)
    first, hole = places.index(DEALER), len(places) - 1 if hole_card else -1
    return tuple([players if at not in (first, hole) else "up" if at == first else "down" for at in range(len(places))])
