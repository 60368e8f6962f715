"""Dead hands: one that got no card, or that a ruling takes out, gives every wager on it back (ON-11.6, decision 23)."""

from services.table.domain.course import Course
from services.table.domain.settlement import line, mend
from shared.contracts.decisions import HandCompleted
from shared.contracts.wagers import WagersSettled


def die(course: Course, box: int, hand: int) -> None:
    """Take a hand out of the round: its wagers, its side bets and its insurance go back at once, also if that was settled early."""
    course.add(HandCompleted(box=box, hand=hand, how="dead"))
    playing = course.playing
    back = tuple(line(wager, wager.stake_minor) for wager in playing.wagers if (wager.box, wager.hand) == (box, hand))
    if back:
        course.add(WagersSettled(currency=playing.opened.settings.currency, lines=back))
    early = [settled for settled in playing.lines if settled.kind == "insurance" and (settled.box, settled.hand) == (box, hand)]
    mend(course, early)


def bury(course: Course) -> None:
    """Let the hands die that the deal gave no card."""
    for hand in course.playing.hands:
        if not (hand.cards or hand.down):
            die(course, hand.box, hand.number)
