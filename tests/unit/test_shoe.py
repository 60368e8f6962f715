"""The shoe and its vault: every command allowed, refused, repeated, and the state after it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from services.shoe.app.sealing import KeyMissing, KeyWrong, SealBroken, SealingKey, seal, sealing_key, unseal
from services.shoe.app.vault import HoleUnknown, Vault
from services.shoe.domain.shoe import SHOE, Made, Ready, Retired, Shoe, Uncut, Unprepared, committed_order, place
from services.shoe.reactions import follow
from shared.contracts.cutting import Contribution, CutCalled
from shared.contracts.dealing import CardsCalled, Face, PeekCalled, ReshuffleCalled, TurnCalled
from shared.contracts.rounds import RoundSettled
from shared.contracts.shoe import (
    CardsBurned,
    CardsDrawn,
    CardTurned,
    CutShoe,
    DrawCards,
    HolePeeked,
    Opening,
    PeekHole,
    RetireShoe,
    ShoeCommand,
    ShoeCut,
    ShoeEvent,
    ShoePrepared,
    ShoeRetired,
    ShuffleShoe,
    TurnCard,
)
from shared.contracts.table import ShoeCalled, ShoeRetirementCalled
from shared.kernel.cards import DECK, POINTS
from shared.kernel.commitment import verify
from shared.kernel.cutting import cut_and_marker
from shared.kernel.cutting import seal as seal_of
from shared.kernel.folded import Asked, Folded, Pen, commit, draft, empty, fold
from shared.kernel.messages import HOUSE, Envelope, Refused
from shared.kernel.reactions import Reaction, Source

KEY = SealingKey("K1", bytes(range(32)))
UP: Face = "up"
ROUND = "T7.20261130-000001"
LATER = "T7.20261130-000002"
SHUFFLE = ShuffleShoe(shoe="T7-S1", table="T7", decks=1, burns=2, cut=(20, 30), cutting_card=(10, 12))
CUT = CutShoe(contributions=())
RETIRE = RetireShoe(reason="day_ended")
NEXT_ROOT = "ab" * 32
REPLACED = RetireShoe(reason="replaced", next_shoe="T7-S2", next_root=NEXT_ROOT)
SECRETS = {"ann": "0a" * 32, "bob": "0b" * 32}


def given(player: str, *, told: bool = True) -> Contribution:
    """Return what a player gave towards the cut of T7-S1."""
    secret = SECRETS[player]
    return Contribution(player=player, seal=seal_of("T7-S1", player, secret), secret=secret if told else "")


class Counted:
    """Bytes that can be foreseen: 0, 1, 2 and so on."""

    def __init__(self, at: int = 0) -> None:
        self.at = at

    def token_bytes(self, count: int) -> bytes:
        """Return the next ones."""
        self.at += count
        return bytes((self.at - count + place) % 256 for place in range(count))


class House:
    """Shoes and their vault, without a log."""

    def __init__(self, key: SealingKey = KEY) -> None:
        self.shoes: dict[str, Shoe] = {}
        self.vault = Vault(key, Counted(), other_shoe=lambda shoe: self.shoes.get(shoe, Unprepared()))

    def fill(self, command: ShoeCommand, shoe: str = "T7-S1") -> ShoeCommand:
        """Return the command as the vault fills it in."""
        return self.vault.fill(command, self.shoes.get(shoe, Unprepared()))

    def decide(self, command: ShoeCommand, shoe: str = "T7-S1") -> list[ShoeEvent]:
        """Return what follows from a command that is filled in already, and remember it."""
        state = self.shoes.get(shoe, Unprepared())
        events = SHOE.decide(command, state, Envelope("id", HOUSE, 0, 0))
        for event in events:
            state = SHOE.evolve(state, event)
        self.shoes[shoe] = state
        return events

    def does(self, command: ShoeCommand, shoe: str = "T7-S1") -> list[ShoeEvent]:
        """Return what follows from a command."""
        return self.decide(self.fill(command, shoe), shoe)

    def ready(self, shoe: str = "T7-S1") -> Ready:
        """Return the state of a shoe that is ready."""
        state = self.shoes[shoe]
        assert isinstance(state, Ready)
        return state

    def order(self, shoe: str = "T7-S1") -> tuple[str, ...]:
        """Return the order in which the cards leave the shoe, as only the vault knows it."""
        made = self.ready(shoe).made
        return cut(committed_order(made, unseal(made.seed, key=KEY, shoe=made.shoe)), made)


def cut(cards: tuple[str, ...], made: Made) -> tuple[str, ...]:
    """Return cards with those in front of the cut at the back."""
    return cards[made.cut_at :] + cards[: made.cut_at]


@pytest.fixture
def house() -> House:
    """A house with one prepared shoe of one deck."""
    found = House()
    found.does(SHUFFLE)
    found.does(CUT)
    return found


@pytest.fixture
def uncut() -> House:
    """A house with one shoe that is committed and not cut."""
    found = House()
    found.does(SHUFFLE)
    return found


def draws(*faces: Face, call_no: int = 1, round: str = ROUND) -> DrawCards:
    """Return a call for cards."""
    return DrawCards(round=round, call_no=call_no, faces=faces)


def refusal(act: Callable[[], object]) -> str:
    """Return the code with which something is refused."""
    with pytest.raises(Refused) as caught:
        act()
    return caught.value.code


def breaks(act: Callable[[], object]) -> bool:
    """Return whether something is found that must not be; it is a refusal of nobody's request."""
    with pytest.raises(AssertionError):
        act()
    return True


def test_a_shoe_is_shuffled_and_committed_before_anybody_cuts_it() -> None:
    """ON-5.1, ON-5.6: the root stands before the cut, so that who knows the order has no say in it."""
    names = [type(event).__name__ for event in House().does(SHUFFLE)]

    assert names == ["ShoeShuffled", "OrderCommitted"]


def test_a_shoe_is_shuffled_cut_committed_and_burned_in_this_order(uncut: House) -> None:
    """ON-5.1, ON-6.2, FL-4.7: before the first card is dealt, and burned cards stay face down."""
    names = [type(event).__name__ for event in uncut.does(CUT)]

    assert names == ["ShoeCut", "CuttingCardPlaced", "CardsBurned", "ShoePrepared"]


def test_a_shoe_is_cut_where_root_and_contributions_say(uncut: House) -> None:
    """ON-5.4, ON-5.6: in the bounds that were called for, and by what was told alone; who told nothing is named."""
    state = uncut.shoes["T7-S1"]
    assert isinstance(state, Uncut)
    contributions = (given("ann"), given("bob", told=False))
    right = cut_and_marker("T7-S1", state.made.root, [("ann", SECRETS["ann"])], cut=(20, 30), cutting_card=(10, 12))
    first = uncut.does(CutShoe(contributions=contributions))[0]
    expected = ShoeCut(cards_in_front=right[0], contributions=contributions, by="players")

    assert (first, uncut.ready().made.cards_behind) == (expected, right[1])


@pytest.mark.parametrize("contributions", [(), (given("ann", told=False),)])
def test_a_shoe_to_which_nobody_told_anything_is_cut_by_the_dealer(uncut: House, contributions: tuple[Contribution, ...]) -> None:
    """ON-5.5, LV-3.3: where, follows from the root alone."""
    state = uncut.shoes["T7-S1"]
    assert isinstance(state, Uncut)
    cut_at, _ = cut_and_marker("T7-S1", state.made.root, (), cut=(20, 30), cutting_card=(10, 12))
    first = uncut.does(CutShoe(contributions=contributions))[0]

    assert first == ShoeCut(cards_in_front=cut_at, contributions=contributions, by="dealer")


@pytest.mark.parametrize(
    "contributions",
    [
        (given("bob"), given("ann")),
        (given("ann"), given("ann")),
        (replace(given("ann"), secret=SECRETS["bob"]),),
        (replace(given("ann"), player="bob"),),
    ],
)
def test_a_cut_believes_no_contribution_that_was_not_sealed(uncut: House, contributions: tuple[Contribution, ...]) -> None:
    """Each player once, in the order of their names, and the secret that was sealed."""
    assert breaks(lambda: uncut.decide(CutShoe(contributions=contributions)))


def test_a_shoe_is_cut_once(house: House) -> None:
    """Else whoever has seen its cards could part it anew."""
    assert refusal(lambda: house.does(CUT)) == "out_of_order"


def test_a_shoe_whose_house_died_before_its_cut_is_the_same_shoe(uncut: House) -> None:
    """Everything that it needs lies in its log: another process cuts the order that was committed."""
    later = House()
    later.shoes = dict(uncut.shoes)
    later.does(CUT)
    uncut.does(CUT)

    assert later.does(draws("up", "up")) == uncut.does(draws("up", "up"))


def test_a_prepared_shoe_knows_indices_and_no_card(house: House) -> None:
    """What is still to come is not in the state."""
    state = house.ready()

    assert (state.drawn, state.made.cards, [card for card in DECK if f'"{card}"' in msgspec.json.encode(state).decode()]) == (2, 52, [])


def test_nothing_that_is_written_shows_the_seed() -> None:
    """The seed lies sealed in the command and in the event."""
    house = House()
    filled = house.fill(SHUFFLE)
    written = msgspec.json.encode((filled, house.decide(filled)))

    assert bytes(range(32)).hex().encode() not in written


def test_a_shoe_is_shuffled_once(house: House) -> None:
    """A second shuffle under another id is refused, and the vault draws no second seed for it."""
    assert (house.fill(SHUFFLE), refusal(lambda: house.does(SHUFFLE))) == (SHUFFLE, "out_of_order")


def test_a_shoe_that_is_not_prepared_gives_nothing() -> None:
    """Whatever is asked."""
    asked: list[ShoeCommand] = [draws("up"), PeekHole(round=ROUND, index=0), TurnCard(round=ROUND, index=0), RETIRE, CUT]

    assert [refusal(lambda command=command: House().does(command)) for command in asked] == ["shoe_not_ready"] * 5  # type: ignore[misc]


def test_a_shoe_that_is_not_cut_gives_nothing(uncut: House) -> None:
    """Whatever is asked."""
    asked: list[ShoeCommand] = [draws("up"), PeekHole(round=ROUND, index=0), TurnCard(round=ROUND, index=0)]

    assert [refusal(lambda command=command: uncut.does(command)) for command in asked] == ["shoe_not_ready"] * 3  # type: ignore[misc]


@pytest.mark.parametrize(
    "bent",
    [
        {"seed": None},
        {"root": "0" * 63},
        {"cards": 51},
        {"cut": (30, 20)},
        {"cut": (20, 53)},
        {"cutting_card": (-1, 12)},
        {"burns": 53},
        {"decks": 0},
        {"without": ("AS", "AS"), "cards": 50},
        {"without": ("joker",), "cards": 51},
    ],
)
def test_a_shuffle_that_does_not_add_up_is_refused(bent: dict[str, object]) -> None:
    """The vault is believed in nothing that can be checked."""
    house = House()
    filled = replace(house.fill(SHUFFLE), **bent)

    with pytest.raises(AssertionError):
        house.decide(filled)


def test_a_draw_gives_the_next_cards_with_their_proofs(house: House) -> None:
    """FL-3.9, LV-3.4: in order, from behind the burned ones; a card face down shows its index alone."""
    order = house.order()
    (event,) = house.does(draws("up", "up", "down"))
    assert isinstance(event, CardsDrawn)
    made = house.ready().made
    proved = [
        card.opening.card
        for card in event.cards
        if card.opening and verify(made.root, 52, "T7-S1", card.opening, place=place(card.index, made))
    ]

    assert ([card.index for card in event.cards], proved, event.cards[2].opening) == ([2, 3, 4], list(order[2:4]), None)


def test_a_card_comes_from_the_place_that_the_cut_gave_it(house: House) -> None:
    """ON-5.6: the first card lies behind the cut, and behind the last place comes the first."""
    made = house.ready().made
    (event,) = house.does(draws(*[UP] * 50))
    assert isinstance(event, CardsDrawn)
    openings = [card.opening for card in event.cards if card.opening]

    assert [verify(made.root, 52, "T7-S1", each, place=(each.index + made.cut_at) % 52) for each in openings] == [True] * 50


def test_a_draw_believes_no_card_of_another_place(house: House) -> None:
    """A card that lies in the shoe, with its own proof, is still not the next one."""
    filled = house.fill(draws("up"))
    house.does(draws("up"))
    later = house.fill(draws("up", call_no=2))
    assert isinstance(filled, DrawCards)
    assert isinstance(later, DrawCards)

    opening = filled.openings[0]
    assert opening is not None

    assert breaks(lambda: house.decide(replace(later, openings=(replace(opening, index=opening.index + 1),))))


def test_a_call_is_answered_once(house: House) -> None:
    """The same call again, or an earlier one, is out of order; so is a round that is over."""
    house.does(draws("up", call_no=2))
    again = [refusal(lambda: house.does(draws("up", call_no=2))), refusal(lambda: house.does(draws("up", call_no=1)))]
    house.does(draws("up", round=LATER))

    assert [*again, refusal(lambda: house.does(draws("up", call_no=3)))] == ["out_of_order"] * 3


def test_a_draw_believes_nothing_that_is_not_proved(house: House) -> None:
    """Another card, another salt, another path, another index, a missing or an unasked opening."""
    filled = house.fill(draws("up", "down"))
    assert isinstance(filled, DrawCards)
    opening = filled.openings[0]
    assert opening is not None
    other = "AS" if opening.card != "AS" else "KS"
    bent: list[tuple[Opening | None, ...]] = [
        (replace(opening, card=other), None),
        (replace(opening, salt="0" * 32), None),
        (replace(opening, path=opening.path[::-1]), None),
        (replace(opening, index=opening.index + 1), None),
        (None, None),
        (opening, opening),
        (opening,),
        (opening, None, None),
    ]

    assert [openings for openings in bent if not breaks(lambda it=openings: house.decide(replace(filled, openings=it)))] == []  # type: ignore[misc]


def test_an_exhausted_shoe_gives_what_is_left(house: House) -> None:
    """Fewer cards than called, and then none."""
    house.does(draws(*[UP] * 45))
    (last,) = house.does(draws(*[UP] * 10, call_no=2))
    (none,) = house.does(draws("up", call_no=3))
    assert isinstance(last, CardsDrawn)
    assert isinstance(none, CardsDrawn)

    assert (len(last.cards), last.exhausted, none.cards, none.exhausted) == (5, True, (), True)


def test_a_shoe_that_gives_its_last_card_is_not_exhausted_yet(house: House) -> None:
    """The call was met; only a call that is not met finds it exhausted."""
    (event,) = house.does(draws(*[UP] * 50))
    assert isinstance(event, CardsDrawn)

    assert (len(event.cards), event.exhausted) == (50, False)


def test_the_cutting_card_is_out_when_nothing_is_left_in_front_of_it(house: House) -> None:
    """ON-5.7: it is what the dealer sees next; from then on every draw says so."""
    front = 50 - house.ready().made.cards_behind
    calls = [house.does(draws(*[UP] * count, call_no=number)) for number, count in enumerate((front - 1, 1, 1), 1)]

    assert [event.cutting_card_out for events in calls for event in events if isinstance(event, CardsDrawn)] == [False, True, True]


def test_a_look_at_the_hole_card_says_whether_it_makes_a_blackjack(house: House) -> None:
    """LV-3.8: a ten-value under the ace."""
    house.does(draws("down"))

    assert house.does(PeekHole(round=ROUND, index=2)) == [HolePeeked(round=ROUND, index=2, blackjack=POINTS[house.order()[2]] == 10)]


def test_only_a_card_face_down_can_be_looked_at_and_once(house: House) -> None:
    """Not one still in the shoe, not one face up, not one of another round, not twice."""
    house.does(draws("up", "down"))
    house.does(PeekHole(round=ROUND, index=3))
    asked = [(ROUND, 2), (LATER, 3), (ROUND, 4), (ROUND, 3)]

    assert [refusal(lambda it=it: house.does(PeekHole(round=it[0], index=it[1]))) for it in asked] == ["out_of_order"] * 4  # type: ignore[misc]


def test_the_hole_card_is_turned_once_with_its_proof(house: House) -> None:
    """A card that lies face down opens as what it is."""
    house.does(draws("up", "down"))
    (event,) = house.does(TurnCard(round=ROUND, index=3))
    assert isinstance(event, CardTurned)

    assert (event.opening.card, refusal(lambda: house.does(TurnCard(round=ROUND, index=3)))) == (house.order()[3], "out_of_order")


def test_no_card_in_the_shoe_can_be_turned(house: House) -> None:
    """The vault does not look at it, and the shoe does not give it."""
    turn = TurnCard(round=ROUND, index=40)

    assert (house.fill(turn), refusal(lambda: house.does(turn))) == (turn, "out_of_order")


def test_a_look_that_lied_is_found_when_the_card_is_turned(house: House) -> None:
    """The look must tell what the card is."""
    house.does(draws("down"))
    peeked = house.fill(PeekHole(round=ROUND, index=2))
    assert isinstance(peeked, PeekHole)
    house.decide(replace(peeked, blackjack=not peeked.blackjack))

    with pytest.raises(AssertionError, match="the look at the hole card must tell"):
        house.does(TurnCard(round=ROUND, index=2))


def test_a_retired_shoe_opens_its_order(house: House) -> None:
    """The seed gives the order that was committed, and nothing follows."""
    order, made = house.order(), house.ready().made
    house.does(draws("up"))
    (event,) = house.does(RETIRE)
    assert isinstance(event, ShoeRetired)

    assert (
        cut(committed_order(made, bytes.fromhex(event.seed)), made),
        event.drawn,
        refusal(lambda: house.does(draws("up", call_no=2))),
    ) == (
        order,
        3,
        "shoe_retired",
    )


def test_a_shoe_is_not_retired_with_another_seed(house: House) -> None:
    """The order that is opened must be the one that was committed."""
    bent = [replace(RETIRE, seed="0" * 64), replace(RETIRE, seed="zz"), RETIRE, replace(house.fill(RETIRE), hole="AS")]

    assert [command for command in bent if not breaks(lambda it=command: house.decide(it))] == []  # type: ignore[misc]


def test_a_shoe_can_be_retired_with_a_card_that_was_never_turned(house: House) -> None:
    """A round that was void leaves its hole card face down; the day must still end."""
    house.does(draws("down"))
    house.does(RETIRE)

    assert isinstance(house.shoes["T7-S1"], Retired)


def test_a_shoe_is_replaced_by_one_that_is_committed(house: House) -> None:
    """The event says by which, so that anybody can see that it was committed before."""
    (event,) = house.does(REPLACED)
    assert isinstance(event, ShoeRetired)

    assert (event.reason, event.next_shoe, event.next_root) == ("replaced", "T7-S2", NEXT_ROOT)


@pytest.mark.parametrize(
    "command",
    [
        RetireShoe(reason="replaced"),
        RetireShoe(reason="replaced", next_shoe="T7-S2"),
        RetireShoe(reason="replaced", next_shoe="T7-S2", next_root="root"),
        RetireShoe(reason="replaced", next_shoe="T7-S1", next_root=NEXT_ROOT),
        RetireShoe(reason="day_ended", next_shoe="T7-S2", next_root=NEXT_ROOT),
    ],
)
def test_a_shoe_stays_closed_until_the_next_one_is_committed(house: House, command: RetireShoe) -> None:
    """Nobody makes an order who has seen how this one went; the vault does not even unseal it."""
    assert (house.fill(command), refusal(lambda: house.does(command))) == (command, "next_not_committed")


def test_a_shoe_that_is_never_cut_opens_its_order_too(uncut: House) -> None:
    """A table that closes leaves no commitment behind that nobody can check; but nothing replaces what was not in use."""
    code = refusal(lambda: uncut.does(REPLACED))
    (event,) = uncut.does(RetireShoe(reason="table_closed"))
    assert isinstance(event, ShoeRetired)

    assert (code, event.drawn, len(event.seed)) == ("next_not_committed", 0, 64)


@pytest.fixture
def reshuffled(house: House) -> House:
    """A house whose shoe ran out with one card up and one down on the layout, and whose discards are shuffled."""
    house.does(draws(*[UP] * 49, "down"))
    called = ReshuffleCalled(shoe="T7-S1", next_shoe="T7-S1b", table="T7", decks=1, layout=house.order()[50:51], hole=51, burns=1)
    (reaction,) = follow(called, source("log.table.20261130.T7.round.000001"))
    house.does(reaction.command, "T7-S1b")
    return house


def test_shuffled_discards_leave_out_what_lies_on_the_layout(reshuffled: House) -> None:
    """ON-11.5, decision 20: neither the open card nor the hole card, which nobody is told."""
    made = reshuffled.ready("T7-S1b").made
    hole = reshuffled.order()[51]
    order = committed_order(made, unseal(made.seed, key=KEY, shoe="T7-S1b"), hole=hole)

    assert (made.cards, sorted((*order, *reshuffled.order()[50:])), hole in msgspec.json.encode(made).decode()) == (50, sorted(DECK), False)


def test_shuffled_discards_are_for_the_round_that_waits(reshuffled: House) -> None:
    """The round goes on from them, and its next call is answered."""
    (event,) = reshuffled.does(draws("up", call_no=2), "T7-S1b")
    assert isinstance(event, CardsDrawn)

    assert [card.index for card in event.cards] == [1]


def test_shuffled_discards_open_with_the_hole_card_that_they_were_made_without(reshuffled: House) -> None:
    """With it everybody can work out the order; with another card it does not come out."""
    hole = reshuffled.order()[51]
    other = DECK[DECK.index(hole) - 1]
    filled = reshuffled.fill(RETIRE, "T7-S1b")
    wrong = breaks(lambda: reshuffled.decide(replace(filled, hole=other), "T7-S1b"))
    reshuffled.does(RETIRE, "T7-S1")
    (event,) = reshuffled.does(RETIRE, "T7-S1b")
    assert isinstance(event, ShoeRetired)

    assert (wrong, event.hole) == (True, hole)


def test_a_vault_that_is_opened_later_knows_the_same_order(reshuffled: House) -> None:
    """A restart forgets nothing: everything lies sealed in the states."""
    later = House()
    later.shoes = dict(reshuffled.shoes)
    call = draws("up", "up", call_no=2)

    assert later.fill(call, "T7-S1b") == reshuffled.fill(call, "T7-S1b")


def test_shuffled_discards_open_by_themselves(reshuffled: House) -> None:
    """The hole card lies sealed behind their seed: no other shoe is asked for again."""
    del reshuffled.shoes["T7-S1"]
    reshuffled.does(RETIRE, "T7-S1b")

    assert isinstance(reshuffled.shoes["T7-S1b"], Retired)


def test_a_hole_card_that_does_not_lie_face_down_cannot_be_left_out(house: House) -> None:
    """Otherwise a shuffle would be a look into another shoe."""
    shuffle = ShuffleShoe(shoe="x", table="T7", decks=1, without_hole=("T7-S1", 30), burns=0, cut=(0, 0), cutting_card=(0, 0))

    with pytest.raises(HoleUnknown, match="card 30 of T7-S1 does not lie face down"):
        house.fill(shuffle, "x")


def test_a_wrong_key_is_named_and_opens_nothing(house: House) -> None:
    """Also one of the right name; and no order is made anew."""
    house.vault = Vault(SealingKey("K1", bytes(32)), Counted(), other_shoe=house.shoes.__getitem__)

    with pytest.raises(KeyWrong, match=r"T7-S1 was sealed with the key K1-.* and this house holds K1-"):
        house.fill(draws("up"))


def test_a_wrong_key_is_found_before_anything_is_asked(house: House) -> None:
    """At the start, for every shoe in use; a shoe that is not prepared waits for any key."""
    vault = Vault(SealingKey("K1", bytes(32)), Counted(), other_shoe=house.shoes.__getitem__)
    vault.check(Unprepared())
    house.vault.check(house.ready())

    with pytest.raises(KeyWrong):
        vault.check(house.ready())


def test_a_seal_that_was_changed_does_not_open(house: House) -> None:
    """One flipped digit; or the sealed seed of another shoe."""
    made = house.ready().made
    sealed = made.seed.sealed
    flipped = ("0" if sealed[0] != "0" else "1") + sealed[1:]
    house.shoes["T7-S1"] = replace(house.ready(), made=replace(made, seed=replace(made.seed, sealed=flipped)))

    with pytest.raises(SealBroken):
        house.fill(draws("up"))


def test_a_seed_that_is_sealed_for_another_shoe_does_not_open() -> None:
    """The shoe's name is bound to it."""
    sealed = seal(bytes(32), key=KEY, shoe="T7-S1", nonce=bytes(12))

    with pytest.raises(SealBroken):
        unseal(sealed, key=KEY, shoe="T7-S2")


def test_a_sealed_seed_that_gives_another_order_is_found(house: House) -> None:
    """The order must be the one that was committed, whatever the seal says."""
    made = house.ready().made
    other = seal(bytes(32), key=KEY, shoe="T7-S1", nonce=bytes(12))
    house.shoes["T7-S1"] = replace(house.ready(), made=replace(made, seed=other))

    with pytest.raises(SealBroken, match="not the one that was committed"):
        house.fill(draws("up"))


def test_the_sealing_key_comes_from_its_file(tmp_path: Path) -> None:
    """TOML with a name and 32 bytes in hexadecimal."""
    path = tmp_path / "sealing.key"
    path.write_text(f'id = "K7"\nkey_hex = "{KEY.key.hex()}"\n')

    assert sealing_key(path, {}) == SealingKey("K7", KEY.key)


def test_the_environments_sealing_key_goes_first(tmp_path: Path) -> None:
    """`ID:HEX`."""
    assert sealing_key(tmp_path / "none", {"FELTLOG_SEALING_SECRET": f"K8:{KEY.key.hex()}"}) == SealingKey("K8", KEY.key)


@pytest.mark.parametrize("content", ['id = "K7"', 'id = "K7"\nkey_hex = "00"', "id = ", 'key_hex = "' + "0" * 64 + '"', "\xff"])
def test_a_sealing_key_that_cannot_be_read_is_missed_in_a_sentence(tmp_path: Path, content: str) -> None:
    """What is wrong, where, what to do; the sentence does not show the key."""
    path = tmp_path / "sealing.key"
    path.write_text(content, encoding="latin-1")

    with pytest.raises(KeyMissing, match=r"sealing key .*sealing\.key") as caught:
        sealing_key(path, {})
    assert "0000" not in str(caught.value)


def test_a_sealing_key_that_is_not_there_is_missed_in_a_sentence(tmp_path: Path) -> None:
    """It says where it was looked for."""
    with pytest.raises(KeyMissing, match=r"There is no sealing key at .*sealing\.key"):
        sealing_key(tmp_path / "sealing.key", {})


def test_a_shoe_service_without_its_key_ends_with_a_sentence(tmp_path: Path) -> None:
    """Exit status 2 and one line that says what is missing and what to do, before anything is connected."""
    settings = {"FELTLOG_DATA": tmp_path, "FELTLOG_CREDENTIALS": tmp_path, "FELTLOG_NATS_URL": "none", "FELTLOG_MONITOR_URL": "none"}
    environment = {**os.environ, **{name: str(value) for name, value in settings.items()}}
    done = subprocess.run([sys.executable, "-m", "services.shoe"], env=environment, capture_output=True, text=True, timeout=60)

    assert (done.returncode, done.stderr.count("\n"), "There is no sealing key at" in done.stderr) == (2, 1, True)


def test_keys_have_no_readable_form() -> None:
    """A traceback shows what `repr` says."""
    assert KEY.key.hex() not in repr(KEY) and str(KEY.key) not in repr(KEY)


def source(stream: str) -> Source:
    """Return where an event was heard."""
    return Source(log="LOG_TABLE_20261130", stream=stream, sequence=9, revision=4, decision=0, event=1, at_ms=5, digest="d")


IN_ROUND = source("log.table.20261130.T7.round.000001")
IN_TABLE = source("log.table.20261130.T7.table")
FACES: tuple[Face, ...] = ("up", "down")


@pytest.mark.parametrize(
    ("event", "heard", "expected"),
    [
        (
            ShoeCalled(shoe="T7-S1", table="T7", decks=6, burns=1, cut=(100, 200), cutting_card=(78, 90)),
            IN_TABLE,
            ShuffleShoe(shoe="T7-S1", table="T7", decks=6, burns=1, cut=(100, 200), cutting_card=(78, 90)),
        ),
        (CardsCalled(call_no=3, shoe="T7-S1", faces=FACES), IN_ROUND, DrawCards(round=ROUND, call_no=3, faces=FACES)),
        (PeekCalled(shoe="T7-S1", index=5), IN_ROUND, PeekHole(round=ROUND, index=5)),
        (TurnCalled(shoe="T7-S1", index=5), IN_ROUND, TurnCard(round=ROUND, index=5)),
        (CutCalled(shoe="T7-S1", contributions=(given("ann"),)), IN_TABLE, CutShoe(contributions=(given("ann"),))),
        (ShoeRetirementCalled(shoe="T7-S1", reason="replaced", next_shoe="T7-S2", next_root=NEXT_ROOT), IN_TABLE, REPLACED),
    ],
)
def test_a_call_of_the_table_becomes_a_command_for_its_shoe(event: object, heard: Source, expected: ShoeCommand) -> None:
    """Each call goes to the stream of the shoe that it names, on the table's gaming day."""
    (reaction,) = follow(event, heard)

    assert (reaction.stream, reaction.command) == ("log.shoe.20261130.T7-S1", expected)


def test_a_reshuffle_shuffles_the_discards_for_its_round() -> None:
    """Without the layout and the hole card, cut at about half, and nothing behind a cutting card."""
    called = ReshuffleCalled(shoe="T7-S1", next_shoe="T7-S1b", table="T7", decks=6, layout=("AS", "KD"), hole=311, burns=1)

    assert follow(called, IN_ROUND) == [
        Reaction(
            "log.shoe.20261130.T7-S1b",
            ShuffleShoe(
                shoe="T7-S1b",
                table="T7",
                decks=6,
                without=("AS", "KD"),
                without_hole=("T7-S1", 311),
                burns=1,
                cut=(123, 185),
                cutting_card=(0, 0),
                round=ROUND,
            ),
            "shuffle",
        )
    ]


def test_the_shoe_follows_nothing_else() -> None:
    """What is the wallet's is not the shoe's."""
    settled = RoundSettled(staked_minor=1, returned_minor=1, shoes=(), cutting_card_out=False)

    assert follow(settled, IN_ROUND) == []


def test_an_evening_of_a_shoe_folds_to_what_it_was() -> None:
    """Drafted with the vault, stored, folded from the bytes: the same state; and asked again nothing is added."""
    house = House()
    live: Folded[Shoe] = empty(SHOE, "log.shoe.20261130.T7-S1")
    commands: list[ShoeCommand] = [
        SHUFFLE,
        CutShoe(contributions=(given("ann"), given("bob", told=False))),
        draws("up", "up", "down"),
        PeekHole(round=ROUND, index=4),
        TurnCard(round=ROUND, index=4),
        draws("up", round=LATER),
        REPLACED,
    ]
    asked = [Asked(f"id{number}", command, HOUSE, 1) for number, command in enumerate(commands)]
    drafted = draft(SHOE, live, asked, Pen("w", 1, "t"), now_ms=5, fill=house.vault.fill)
    commit(live, drafted, 1)
    read: Folded[Shoe] = empty(SHOE, "log.shoe.20261130.T7-S1")
    fold(SHOE, read, drafted.data, 1)
    again = draft(SHOE, read, asked, Pen("w", 1, "t"), now_ms=6, fill=house.vault.fill)

    assert (read, again.entry, {answer.status for answer in again.answers}) == (live, None, {"accepted"})


def test_cards_burned_later_are_counted(house: House) -> None:
    """LV-3.5, ON-6.2: a new dealer burns one; the next card is the one behind."""
    after = SHOE.evolve(house.ready(), CardsBurned(first_index=2, count=1, reason="new_dealer"))
    assert isinstance(after, Ready)

    assert after.drawn == 3


def test_what_cannot_happen_to_a_shoe_is_not_remembered() -> None:
    """An event in a wrong place breaks the fold instead of the state."""
    with pytest.raises(AssertionError, match="ShoePrepared cannot happen to a shoe that is unprepared"):
        SHOE.evolve(Unprepared(), ShoePrepared(shoe="s", table="t", root="", cards=1))
