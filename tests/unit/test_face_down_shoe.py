"""Cards that lie face down on boxes: what the shoe opens of them, who may look, and that nobody else ever could (FL-3.5, decision 25)."""

import re
from functools import cache

import pytest
from msgspec.structs import replace

from services.shoe.domain.shoe import may_look
from services.surveillance.domain.watch import Watch, verify
from services.surveillance.redecide import Again
from shared.contracts.dealing import DownHand, Face
from shared.contracts.shoe import CardsExposed, ExposeCards
from shared.kernel.cards import POINTS
from shared.runtime.shelf import profile
from tests.houses import WholeHouse
from tests.unit.test_shoe import LATER, ROUND, House, draws, house, refusal

__all__ = ["house"]


def down(box: int, *indices: int, players: tuple[str, ...] = ("ann",)) -> DownHand:
    """Cards of a box that lie face down."""
    return DownHand(box=box, hand=1, indices=indices, players=players)


def is_blackjack(order: tuple[str, ...], hand: DownHand) -> bool:
    """Whether the cards of a hand make a blackjack."""
    return sorted(POINTS[order[index]] for index in hand.indices) == [10, 11]


DOWN: Face = "down"
FACE_DOWN = re.compile(r'"table.FaceDownCardDealt.v1","box":[0-9]+,"hand":1,"shoe":"([^"]+)","index":([0-9]+)')
OPENING = re.compile(r'{"index":([0-9]+),"card":"..","salt"')
HANDS = tuple(down(box, 2 * box, 2 * box + 1, players=(f"p{box}",)) for box in range(1, 8))


def looked(house: House) -> CardsExposed:
    """What the shoe says of seven boxes after the deal."""
    house.does(draws(*[DOWN] * 14))
    (event,) = house.does(ExposeCards(round=ROUND, hands=HANDS, blackjacks_only=True))
    assert isinstance(event, CardsExposed)
    return event


def test_after_the_deal_blackjacks_are_opened_and_nothing_else(house: House) -> None:
    """Decision 25: a blackjack exposes both."""
    event = looked(house)
    closed = tuple(hand for hand in HANDS if not is_blackjack(house.order(), hand))
    opened = [index for hand in HANDS if hand not in closed for index in hand.indices]

    assert (event.closed, [opening.index for opening in event.openings]) == (closed, opened)


def test_hand_is_opened_whole_with_its_proofs(house: House) -> None:
    """FL-3.5: before a third card."""
    hand = looked(house).closed[2]
    (event,) = house.does(ExposeCards(round=ROUND, hands=(hand,), blackjacks_only=False))
    assert isinstance(event, CardsExposed)

    assert [opening.card for opening in event.openings] == [house.order()[index] for index in hand.indices]


def test_only_what_lies_face_down_in_the_round_is_opened_and_once(house: House) -> None:
    """Not a card still in the shoe, not one of another round, not twice."""
    _, _, hand, other, *_ = looked(house).closed
    house.does(ExposeCards(round=ROUND, hands=(hand,), blackjacks_only=False))
    asked = [(ROUND, hand), (ROUND, down(1, 30, 31)), (LATER, other)]

    assert [
        refusal(lambda each=each: house.does(ExposeCards(round=each[0], hands=(each[1],), blackjacks_only=False)))  # type: ignore[misc]
        for each in asked
    ] == ["out_of_order"] * 3


def test_vault_looks_no_further_than_what_lies_face_down(house: House) -> None:
    """No command makes it look into the shoe."""
    house.does(draws("down", "down"))
    command = ExposeCards(round=ROUND, hands=(down(1, 2, 30),), blackjacks_only=False)

    assert house.fill(command) == command


def test_shoe_that_would_open_more_than_the_blackjacks_breaks_loudly(house: House) -> None:
    """Decision 25: nothing else is known after the deal."""
    house.does(draws(*[DOWN] * 14))
    everything = house.fill(ExposeCards(round=ROUND, hands=HANDS, blackjacks_only=False))
    assert isinstance(everything, ExposeCards)

    with pytest.raises(AssertionError, match="nothing is opened after the deal"):
        house.decide(replace(everything, blackjacks_only=True))


def test_players_of_a_box_may_look_and_nobody_else(house: House) -> None:
    """Decision 25: the two cards are shown to that box's players only, as long as they lie face down."""
    event = looked(house)
    shoe = house.ready()
    box = event.closed[0]

    assert (may_look(shoe, "T7", box.players[0]), may_look(shoe, "T8", box.players[0]), may_look(shoe, "T7", "eve")) == ((box,), (), ())


def test_own_cards_are_shown_with_their_proofs(house: House) -> None:
    """Decision 25: the vault shows what lies there, and the root proves it."""
    box = looked(house).closed[0]
    (shown,) = house.vault.look((box,), house.ready())

    assert (shown.box, [opening.card for opening in shown.cards]) == (box.box, [house.order()[index] for index in box.indices])


def test_what_is_exposed_is_nobodys_secret_any_more(house: House) -> None:
    """Decision 25: who looks after the exposure looks at the felt."""
    box = looked(house).closed[0]
    house.does(ExposeCards(round=ROUND, hands=(box,), blackjacks_only=False))

    assert may_look(house.ready(), "T7", box.players[0]) == ()


@cache
def evening(seed: int) -> WholeHouse:
    """A floor table that deals face down, and some rounds on it."""
    played = WholeHouse(seed)
    for player in ("ann", "bob", "cyd"):
        played.welcome(player)
    played.open_table("T1", "floor", rules=replace(profile("floor"), players_cards="down", decks=3))
    for _ in range(12):
        played.play("T1", ["ann", "bob", "cyd"])
    return played


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_log_carries_a_face_before_it_is_exposed(seed: int) -> None:
    """Decision 25, log page, secrets: the first entry with the face of a card that was dealt face down is the one that opens it."""
    first: dict[tuple[str, int], bool] = {}
    lay_down: set[tuple[str, int]] = set()
    for stored in evening(seed).stored:
        text = stored.data.decode()
        lay_down |= {(shoe, int(index)) for shoe, index in FACE_DOWN.findall(text)}
        for index in OPENING.findall(text):
            first.setdefault((stored.stream.rsplit(".", 1)[-1], int(index)), "shoe.CardsExposed.v1" in text)

    assert (len(lay_down) > 60, {first[card] for card in lay_down}) == (True, {True})


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_evening_of_face_down_rounds_is_proved(seed: int) -> None:
    """FL-3.5: chain, re-decision, referee, cards and money of table, shoe and wallet."""
    report = verify(evening(seed).stored, Watch(Again()), evening(seed).ends())

    assert (report.findings, report.counts.rounds_judged) == ((), 12)


def test_shoe_keeps_no_hand_of_a_round_that_is_over(house: House) -> None:
    """Bound everything: the next round's look lets go of what a void round left."""
    looked(house)
    house.does(draws("down", "down", round=LATER))
    later = down(1, 16, 17)
    (event,) = house.does(ExposeCards(round=LATER, hands=(later,), blackjacks_only=True))
    assert isinstance(event, CardsExposed)

    assert house.ready().closed == event.closed
