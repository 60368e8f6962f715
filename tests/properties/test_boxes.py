"""Boxes: who sits where changes nothing.  The same cards, stakes and choices on other boxes give the same money."""

from collections import defaultdict
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from feltlog.rehearsal.round import Choice, Moment, Rehearsal
from shared.contracts.dealing import CardDealt, HoleCardTurned
from shared.contracts.wagers import SIDE_BETS
from tests.properties.strategies import BOOKS, stacks
from tests.rounds import lines, opening

BOXES_MAX = 7
Share = dict[str, list[tuple[str, int, int, int]]]
"""What came of each player's wagers: kind, hand, stake and what came back."""


class Party(Struct, frozen=True):
    """Players, each with a stake and perhaps a side bet, who always say the same about the same cards."""

    book: str
    stakes: tuple[int, ...]
    aside: tuple[int, ...]
    temper: int

    def play(self, boxes: tuple[int, ...], shoe: tuple[str, ...]) -> Rehearsal:
        """Return the round that these players play on these boxes."""
        rehearsal = Rehearsal(opening(self.book), shoe)
        for seat, box in enumerate(boxes):
            rehearsal.bet(f"p{seat}", box, self.stakes[seat])
            rehearsal.serve()
            rehearsal.bet_aside(f"p{seat}", box, SIDE_BETS[seat % 2], self.aside[seat])
            rehearsal.serve()
        rehearsal.run(self.choose)
        return rehearsal

    def choose(self, moment: Moment) -> Choice:
        """Say what these cards make this party say."""
        cards = " ".join((*moment.hand.cards, "against", *moment.dealer.cards))
        return Choice(Random(f"{self.temper} {cards}").choice(moment.legal))


def moved(rehearsal: Rehearsal, before: tuple[int, ...], after: tuple[int, ...]) -> tuple[str, ...]:
    """Return the shoe that gives the players on boxes `after` the cards that they had on `before`."""
    whose = {box: seat for seat, box in enumerate(before)}
    dealt: dict[int | None, list[str]] = defaultdict(list)
    for event in rehearsal.events:
        if isinstance(event, CardDealt):
            dealt[whose.get(event.box)].append(event.card)
        elif isinstance(event, HoleCardTurned):
            dealt[None].append(event.card)
    seats: list[int | None] = [seat for _, seat in sorted((box, seat) for seat, box in enumerate(after))]
    first_deal: list[int | None] = (
        [*seats, None, *seats, None] if rehearsal.asked[0].command.profile.dealer.hole_card else [*seats, None, *seats]
    )
    shoe = [dealt[seat].pop(0) for seat in first_deal]
    for seat in (*seats, None):
        shoe += dealt[seat]
    return tuple(shoe)


def shares(rehearsal: Rehearsal) -> Share:
    """Return what came of everybody's wagers."""
    found: Share = defaultdict(list)
    for line in lines(rehearsal):
        found[line.player].append((line.kind, line.hand, line.stake_minor, line.returned_minor))
    return {player: sorted(told) for player, told in found.items()}


@st.composite
def parties(draw: st.DrawFn) -> tuple[Party, tuple[int, ...], tuple[int, ...]]:
    """Return players, the boxes that they take, and others that they might as well have taken."""
    count = draw(st.integers(1, BOXES_MAX))
    stakes = draw(st.lists(st.sampled_from((100, 200, 400, 500)), min_size=count, max_size=count))
    aside = draw(st.lists(st.integers(1, 500), min_size=count, max_size=count))
    order = st.permutations(range(1, BOXES_MAX + 1)).map(lambda boxes: tuple(boxes[:count]))
    return Party(draw(st.sampled_from(BOOKS)), tuple(stakes), tuple(aside), draw(st.integers(0, 99))), draw(order), draw(order)


@given(parties(), stacks(150, 150))
def test_settlement_does_not_depend_on_the_order_of_boxes(party: tuple[Party, tuple[int, ...], tuple[int, ...]], shoe: tuple[str, ...]):
    """LV-3.4, FL-5.4: a box is a place at the table and nothing more, whoever is served first."""
    players, here, there = party
    first = players.play(here, shoe)
    second = players.play(there, moved(first, here, there))

    assert shares(first) == shares(second)
