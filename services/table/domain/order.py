"""The order of the deal: where each card comes to rest until everybody has two.

One to each box, one to the dealer, the second to each box, and where there is a hole card the dealer's second (ON-6.3,
LV-0.1, LV-3.4, decision 9).  A box that was passed over once is backed up before the dealer's second card; one that got
no card at all is dead and gets none (ON-11.6).
"""

from functools import lru_cache

Place = tuple[int, int]
"""A box and a hand; box 0 is the dealer's, whose hand is 1."""

DEALER: Place = (0, 1)


@lru_cache(maxsize=1024)
def deal_order(boxes: tuple[int, ...], missed: tuple[tuple[int, int], ...], *, hole_card: bool) -> tuple[Place, ...]:
    """Return whose card is whose; `missed` names the boxes that are passed over, each with which of its first two cards.

    >>> deal_order((1, 3), ((1, 1),), hole_card=False)
    ((3, 1), (0, 1), (1, 1), (3, 1), (1, 1))
    """
    first = tuple((box, 1) for box in boxes if (box, 1) not in missed)
    second = tuple((box, 1) for box in boxes if (box, 2) not in missed)
    backed_up = tuple((box, 1) for box in boxes if ((box, 1) in missed) != ((box, 2) in missed))
    return (*first, DEALER, *second, *backed_up, *((DEALER,) if hole_card else ()))
