"""Burns from a scanned shoe, and their disclosure: cards go unseen to the rack as soon as they were scanned (ON-6.2, LV-3.5)."""

from services.shoe.domain.scanned_course import Course, prove, require
from services.shoe.domain.scanned_state import Scanned, unread
from shared.contracts.refusals import Reason, refused
from shared.contracts.shoe import (
    CALL_CARDS_MAX,
    BurnAwaited,
    BurnCards,
    BurnedShown,
    BurnRefused,
    CardsBurned,
    ShoeEvent,
    ShowBurned,
)


def burn(command: BurnCards, shoe: Scanned) -> list[ShoeEvent]:
    """Return that the next cards are to be burned, and that they are as far as they were scanned (ON-6.2, LV-3.5)."""
    if not shoe.prepared:
        raise refused(Reason.SHOE_NOT_READY)
    require(command.number > shoe.asked and shoe.burning is None, f"call {command.number} of the table was answered")
    assert command.cards > 0, "a burn is of cards"
    course = Course(shoe)
    course.add(BurnAwaited(number=command.number, cards=command.cards, reason=command.reason))
    burn_down(course)
    return course


def burn_down(course: Course) -> None:
    """Burn what is to be burned, unseen, as soon as all of it was scanned; a shoe that is empty before has too few."""
    shoe, burning = course.shoe, course.shoe.burning
    if burning is None:
        return
    left = shoe.scanned - shoe.met
    if burning.cards <= left:
        course.add(
            CardsBurned(
                first_index=shoe.met,
                count=burning.cards,
                reason=burning.reason,
                number=burning.number,
                table=shoe.loaded.table,
                cutting_card_out=shoe.cutting_card is not None and shoe.cutting_card <= shoe.met + burning.cards,
            )
        )
    elif shoe.is_empty:
        too_few = refused(Reason.TOO_FEW_CARDS, str(left))
        course.add(BurnRefused(number=burning.number, table=shoe.loaded.table, code=too_few.code, message=too_few.message))


def show_burned(command: ShowBurned, shoe: Scanned) -> list[ShoeEvent]:
    """Return the openings of the burned cards that nobody has seen; one that could not be read stays unseen (ON-6.2, LV-3.5)."""
    require(command.number > shoe.asked, f"call {command.number} of the table was answered")
    wanted = unseen(shoe)
    assert tuple(opening.index for opening in command.openings) == wanted, f"burned cards {wanted} are shown, and no others"
    course = Course(shoe)
    for opening in command.openings:
        prove(opening, shoe)
    course.add(BurnedShown(number=command.number, table=shoe.loaded.table, openings=command.openings))
    return course


def unseen(shoe: Scanned) -> tuple[int, ...]:
    """Return the indices of the burned cards that a disclosure shows: the oldest first, as many as an entry holds."""
    return tuple(index for index in shoe.burned if not unread(shoe, index))[:CALL_CARDS_MAX]
