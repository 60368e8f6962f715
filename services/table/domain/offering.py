"""The offer of the cut: in which order the players at a table are asked, and who cuts in the end.

Nobody can choose where the cut lies, so the order of asking decides nothing about the cards.  It says whose cut it is, as
the book wants it, and it stands in the log with everybody's answer.
"""

from collections.abc import Sequence

from msgspec import Struct

from services.table.domain.state import Playing
from shared.contracts.asking import AskedToCut, CameOut, CutOffered, CutStaff, First, Said
from shared.contracts.dealing import CardDealt, HandExposed, HoleCardTurned
from shared.contracts.table import TableOpened
from shared.kernel.profile import Profile

Seats = tuple[tuple[int, str], ...]
"""Boxes from the dealer's left with the players on them; on a shared box whoever decides for it comes first (decision 20)."""


class Occasion(Struct, frozen=True):
    """Why the cards are cut, and who sat where."""

    first: First
    box: int = 0
    seats: Seats = ()


def asks(opened: TableOpened) -> bool:
    """Return whether players are asked to cut at this table (ON-5.2, FL-4.2)."""
    return opened.profile.shoe.cut_offer == "players" and _is_cut(opened.profile)


def _is_cut(profile: Profile) -> bool:
    """Return whether the house cuts the cards of a table: not those of a device, nor those that lie under a scanner."""
    return profile.shoe.device == "manual"


def staff_who_cuts(opened: TableOpened) -> CutStaff | None:
    """Return who cuts where no player does: the dealer, or under FL-4.3 the supervisor of the floor; None where it is not written down."""
    if opened.profile.shoe.cut_offer == "unrecorded":
        return None
    return opened.settings.supervisor if opened.profile.book == "FL" and asks(opened) else "dealer"


def occasion(came_out: CameOut | None, seats: Seats, *, ordered: bool) -> Occasion:
    """Return why the cards of a shoe that is played out are cut.  Where the cutting card came out counts before an order to shuffle."""
    if came_out is not None:
        return Occasion(came_out.on, came_out.box, seats)
    return Occasion("ordered" if ordered else "replaced", seats=seats)


def offer(shoe: str, why: Occasion, sealed: Sequence[str], answered: Sequence[str], *, in_time: bool = True) -> CutOffered:
    """Return in which order players are asked and what each has said; `answered` names who sealed or refused, in that order.

    Without `in_time` nobody could say anything.
    """
    silent: Said = "silent" if in_time else "no_time"
    order = dict.fromkeys((*clockwise(why), *answered))
    asked = tuple(AskedToCut(player, "sealed" if player in sealed else "refused" if player in answered else silent) for player in order)
    return CutOffered(shoe=shoe, first=why.first, box=why.box, asked=asked)


def clockwise(why: Occasion) -> tuple[str, ...]:
    """Return the players at the boxes in the order in which they are asked (ON-5.3, ON-5.5, FL-4.2, FL-4.3, decision 20).

    From the box on which the cutting card came out, or the next one that is not empty; else from the last box, which lies
    farthest to the dealer's right.
    """
    boxes = sorted({box for box, _ in why.seats})
    start = why.box if why.first == "box" else max(boxes, default=0)
    turn = [box for box in boxes if box >= start] + [box for box in boxes if box < start]
    return tuple(dict.fromkeys(player for at in turn for box, player in why.seats if box == at))


def seats_of(playing: Playing) -> Seats:
    """Return who sat where in a round, if its table asks players to cut."""
    if playing.opened.profile.shoe.cut_offer != "players" or not _is_cut(playing.opened.profile):
        return ()
    callers = {hand.box: hand.player for hand in playing.hands}
    found = dict.fromkeys((box, player) for box, player in callers.items())
    found |= dict.fromkeys((box, player) for player, box in playing.places)
    return tuple(sorted(found, key=lambda seat: seat[0]))


def came_out(playing: Playing) -> CameOut | None:
    """Return where the cutting card came out in a round, if it did and is written down: the card behind it says so."""
    profile = playing.opened.profile
    if not playing.cutting_card_out or profile.shoe.cut_offer == "unrecorded" or not _is_cut(profile):
        return None
    at = _boxes_by_index(playing)
    box = at.get(playing.marker)
    if box is None or playing.marker == min(at):
        return CameOut(on="no_hand")
    return CameOut(on="box", box=box) if box else CameOut(on="dealers_hand")


def _boxes_by_index(playing: Playing) -> dict[int, int]:
    """Return where the cards of the round's first shoe went, by index; box 0 is the dealer's."""
    shoe = playing.shoes[0]
    at = {index: hand.box for hand in playing.hands for index in hand.down}
    for laid in playing.laid:
        match laid:
            case CardDealt() if laid.shoe == shoe:
                at[laid.index] = laid.box
            case HandExposed() if laid.shoe == shoe:
                at.update(dict.fromkeys(laid.indices, laid.box))
            case HoleCardTurned() if laid.shoe == shoe:
                at[laid.index] = 0
            case _:
                pass
    if playing.hole is not None and playing.hole.shoe == shoe:
        at[playing.hole.index] = 0
    return at
