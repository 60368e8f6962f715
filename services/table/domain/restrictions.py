"""Restrictions: what staff rule about a table's felt, and what of it holds for the wagers that come next.

A restriction is for somebody with the job that the book names.  The table counts in how many rounds of its shoe each player had
a wager, because a player may be held who joined late or sat one out (FL-5.10), and in which order boxes were taken, because
the last one is given up first (FL-5.8, decision 24).
"""

from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from shared.contracts.refusals import Reason, refused
from shared.contracts.restrictions import (
    ApproveFaceDown,
    BoxesReleased,
    BoxesReserved,
    BoxGivenUp,
    FaceDownApproved,
    GivenBox,
    GiveUpBox,
    Held,
    HoldPlayer,
    InForce,
    KeptBoxes,
    LimitPlayers,
    NoticeTaken,
    PlayerHeld,
    PlayerReleased,
    PlayersLimited,
    ReleaseBoxes,
    ReleasePlayer,
    ReserveBoxes,
    Restricted,
    Restriction,
    Rule,
    TakeNotice,
)
from shared.contracts.staff import Job, job_in_words
from shared.contracts.subjects import BadSubject, token
from shared.kernel.messages import Actor
from shared.kernel.profile import Profile

RESTRICTIONS_MAX = 100
"""Players held, notices, reservations and boxes given up at one table; more are not surveyed by anybody."""

HOLDS: dict[Rule, Job] = {"FL-5.10": "casino_supervisor", "FL-5.11": "duty_manager", "FL-5.12": "duty_manager"}
"""Who may hold a player, by clause."""
NOTIFIED_FIRST: tuple[Rule, ...] = ("FL-5.11", "FL-5.12")
FLOOR_STAFF: tuple[Job, ...] = ("dealer", "game_supervisor", "casino_supervisor", "pit_boss")
"""Who may ask a player to give up a box: the book names nobody (FL-5.8)."""

Taken = tuple[str, int]
"""A player, and a box that the player took."""


class Restrictions(Struct, frozen=True, gc=False):
    """What was ruled at a table, and what it takes to rule on."""

    held: tuple[Held, ...] = ()
    notices: tuple[NoticeTaken, ...] = ()
    """That no restriction has followed yet."""
    kept: tuple[KeptBoxes, ...] = ()
    given: tuple[GivenBox, ...] = ()
    players_per_box_max: int = 0
    face_down_by: str = ""
    rounds: int = 0
    """Rounds with a wager that this shoe was used for."""
    played: dict[str, int] = {}
    """In how many of them each player had one; never changed in place."""
    places: tuple[Taken, ...] = ()
    """Players and boxes of the latest round, in the order in which the boxes were taken."""

    def sat_out(self, player: str) -> bool:
        """Return whether a player has joined this shoe late or sat out one of its rounds (FL-5.10)."""
        return self.played.get(player, 0) < self.rounds


def in_force(ruled: Restrictions) -> InForce:
    """Return what holds for a round that is called now."""
    # FL-5.11 brings FL-5.10 back in each shoe in which the player joins late or sits a round out.
    held = tuple(each for each in ruled.held if each.rule != "FL-5.11" or ruled.sat_out(each.player))
    return InForce(
        held=held, kept=ruled.kept, given=ruled.given, players_per_box_max=ruled.players_per_box_max, face_down_by=ruled.face_down_by
    )


def carried(ruled: Restrictions) -> tuple[Held, ...]:
    """Return what goes on in the next gaming day: what has no end in the book but a release (FL-5.11, FL-5.12)."""
    return tuple(each for each in ruled.held if each.rule != "FL-5.10")


def after_round(ruled: Restrictions, places: tuple[Taken, ...]) -> Restrictions:
    """Return what is known after a round of the shoe; one without a wager is none that anybody sat out."""
    if not places:
        return ruled
    players = {player for player, _ in places}
    played = {**ruled.played, **{player: ruled.played.get(player, 0) + 1 for player in players}}
    return replace(ruled, rounds=ruled.rounds + 1, played=played, places=places)


def after_shoe(ruled: Restrictions) -> Restrictions:
    """Return what is known once the shoe is completed: whoever was held until the reshuffle is free (FL-5.10)."""
    return replace(ruled, held=carried(ruled), rounds=0, played={})


def rule(command: Restriction, ruled: Restrictions, *, profile: Profile, boxes: int, has_shoe: bool, actor: Actor) -> Restricted:
    """Return what is ruled; raise `Refused` for a job, a book or a state of the table that does not allow it."""
    by, job = actor.id, actor.job
    if isinstance(command, ApproveFaceDown):
        _for(actor, "inspector")
        if profile.players_cards == "up":
            raise refused(Reason.NOT_IN_THIS_BOOK, "cards are dealt face up here.")
        _unless(bool(ruled.face_down_by))
        return FaceDownApproved(by=by, job=job)
    if not profile.restrictions:
        raise refused(Reason.NOT_IN_THIS_BOOK, "it gives nobody that power.")
    match command:
        case TakeNotice():
            _for(actor, "inspector")
            _named(command.player)
            if command.rule not in NOTIFIED_FIRST:
                raise refused(Reason.NOT_IN_THIS_BOOK, f"{command.rule} wants no notice.")
            _unless(_noticed(ruled, command.player, command.rule) is not None)
            _bounded(ruled.notices)
            return NoticeTaken(player=command.player, rule=command.rule, by=by, job=job)
        case HoldPlayer():
            return _hold(command, ruled, has_shoe=has_shoe, actor=actor)
        case ReleasePlayer():
            _for(actor, HOLDS[command.rule])
            _unless(not _is_held(ruled, command.player, command.rule))
            return PlayerReleased(player=command.player, rule=command.rule, by=by, job=job)
        case ReserveBoxes():
            _for(actor, "casino_supervisor")
            return _reserve(command, ruled, boxes=boxes, actor=actor)
        case ReleaseBoxes():
            _for(actor, "casino_supervisor")
            concerned = [kept.player for kept in ruled.kept] + [given.player for given in ruled.given]
            _unless(command.player not in concerned)
            return BoxesReleased(player=command.player, by=by, job=job)
        case LimitPlayers():
            _for(actor, "casino_supervisor")
            if not 1 <= command.players_per_box_max <= profile.players_per_box_max:
                raise refused(Reason.BAD_RESTRICTION, f"1 to {profile.players_per_box_max} players may share a box.")
            _unless(command.players_per_box_max == (ruled.players_per_box_max or profile.players_per_box_max))
            return PlayersLimited(players_per_box_max=command.players_per_box_max, by=by, job=job)
        case GiveUpBox():
            _for(actor, *FLOOR_STAFF)
            return BoxGivenUp(player=command.player, box=_last_taken(command.player, ruled), by=by, job=job)
        case _:
            assert_never(command)


def _hold(command: HoldPlayer, ruled: Restrictions, *, has_shoe: bool, actor: Actor) -> PlayerHeld:
    """FL-5.10 to FL-5.12: who may hold a player, when, and whether an inspector was notified first."""
    _for(actor, HOLDS[command.rule])
    _named(command.player)
    _unless(_is_held(ruled, command.player, command.rule))
    _bounded(ruled.held)
    if command.rule == "FL-5.10":
        if not has_shoe:
            raise refused(Reason.NO_SHOE)
        if not ruled.sat_out(command.player):
            raise refused(Reason.PLAYED_EVERY_ROUND)
    notice = _noticed(ruled, command.player, command.rule)
    if command.rule in NOTIFIED_FIRST and notice is None:
        raise refused(Reason.INSPECTOR_NOT_NOTIFIED, command.rule)
    notified = "" if notice is None else notice.by
    return PlayerHeld(player=command.player, rule=command.rule, by=actor.id, job=actor.job, notified=notified)


def _reserve(command: ReserveBoxes, ruled: Restrictions, *, boxes: int, actor: Actor) -> BoxesReserved:
    """FL-5.13: a run of boxes of this table, none of which is kept for somebody already."""
    _named(command.player)
    if not 1 <= command.first <= command.last <= boxes:
        raise refused(Reason.BAD_RESTRICTION, f"boxes from 1 to {boxes}, the lower one first.")
    overlapping = [each.player for each in ruled.kept if each.first <= command.last and command.first <= each.last]
    if overlapping:
        raise refused(Reason.ALREADY_SO if command.player in overlapping else Reason.BOX_RESERVED)
    return BoxesReserved(player=command.player, first=command.first, last=command.last, by=actor.id, job=actor.job)


def _last_taken(player: str, ruled: Restrictions) -> int:
    """Return the box that a player with several gives up: the one taken last that is not kept for them (FL-5.8, FL-5.13)."""
    given = {each.box for each in ruled.given if each.player == player}
    taken = [box for name, box in ruled.places if name == player and box not in given]
    free = [box for box in taken if not any(kept.player == player and kept.first <= box <= kept.last for kept in ruled.kept)]
    if len(taken) < 2 or not free:
        raise refused(Reason.NO_BOX_TO_GIVE)
    return free[-1]


def _for(actor: Actor, *jobs: Job) -> None:
    if actor.job not in jobs:
        raise refused(Reason.JOB_NOT_ALLOWED, f"{' or '.join(job_in_words(job) for job in jobs)}.")


def _named(player: str) -> None:
    try:
        token(player)
    except BadSubject as error:
        raise refused(Reason.BAD_RESTRICTION, f"{error}.") from error


def _unless(already: bool) -> None:
    if already:
        raise refused(Reason.ALREADY_SO)


def _bounded(ruled: tuple[Held, ...] | tuple[NoticeTaken, ...]) -> None:
    if len(ruled) >= RESTRICTIONS_MAX:
        raise refused(Reason.BAD_RESTRICTION, f"{RESTRICTIONS_MAX} of them hold already.")


def _is_held(ruled: Restrictions, player: str, rule: Rule) -> bool:
    return Held(player=player, rule=rule) in ruled.held


def _noticed(ruled: Restrictions, player: str, rule: Rule) -> NoticeTaken | None:
    return next((notice for notice in ruled.notices if (notice.player, notice.rule) == (player, rule)), None)


def remember(ruled: Restrictions, event: Restricted) -> Restrictions:
    """Return what was ruled after `event`."""
    match event:
        case NoticeTaken():
            return replace(ruled, notices=(*ruled.notices, event))
        case PlayerHeld():
            notices = tuple(each for each in ruled.notices if (each.player, each.rule) != (event.player, event.rule))
            return replace(ruled, held=(*ruled.held, Held(player=event.player, rule=event.rule)), notices=notices)
        case PlayerReleased():
            return replace(ruled, held=tuple(each for each in ruled.held if (each.player, each.rule) != (event.player, event.rule)))
        case BoxesReserved():
            return replace(ruled, kept=(*ruled.kept, KeptBoxes(player=event.player, first=event.first, last=event.last)))
        case BoxesReleased():
            kept = tuple(each for each in ruled.kept if each.player != event.player)
            return replace(ruled, kept=kept, given=tuple(each for each in ruled.given if each.player != event.player))
        case PlayersLimited():
            return replace(ruled, players_per_box_max=event.players_per_box_max)
        case BoxGivenUp():
            return replace(ruled, given=(*ruled.given, GivenBox(player=event.player, box=event.box)))
        case FaceDownApproved():
            return replace(ruled, face_down_by=event.by)
        case _:
            assert_never(event)
