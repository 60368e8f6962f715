"""The scanned shoe and its vault: cards and calls in either order, nothing told too early, everything once."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from services.shoe.app.sealing import KeyWrong, SealBroken, SealingKey
from services.shoe.app.vault import Vault
from services.shoe.domain.scanned import WAITING_MAX, takes
from services.shoe.domain.scanned_state import PutAway, Scanned, came_before
from services.shoe.domain.shoe import SHOE, Shoe, Unprepared, may_look
from shared.contracts.dealing import DownHand, Face
from shared.contracts.shoe import (
    BurnCards,
    BurnedShown,
    BurnRefused,
    CallCancelled,
    CancelCall,
    CardDrawn,
    CardRead,
    CardsAwaited,
    CardsBurned,
    CardScanned,
    CardsDrawn,
    CardsExposed,
    CardsOpened,
    CardTurned,
    CompositionDoubted,
    CutShoe,
    CuttingCardDrawn,
    CuttingCardScanned,
    DrawCards,
    ExposeCards,
    FaceMissing,
    HolePeeked,
    PeekHole,
    ReadCard,
    RetireShoe,
    ScanCard,
    ScannedBefore,
    ShoeCommand,
    ShoeEmptied,
    ShoeEvent,
    ShoePrepared,
    ShoeRetired,
    ShoeShuffled,
    ShowBurned,
    ShuffleShoe,
    TurnCard,
)
from shared.kernel.cards import DECK, cards
from shared.kernel.commitment import verify
from shared.kernel.messages import HOUSE, Envelope, Refused

ROUND, LATER = "T7.20261130-000001", "T7.20261130-000002"
LOAD = ShuffleShoe(shoe="T7-S1", table="T7", decks=1, burns=1, cut=(20, 30), cutting_card=(10, 12), device="scanned")
RETIRE = RetireShoe(reason="played_out")
KINDS = {"--": "cutting_card", "??": "unread", "==": "empty"}


class Counted:
    """Bytes that can be foreseen."""

    at = 0

    def token_bytes(self, count: int) -> bytes:
        """Return the next ones."""
        self.at += count
        return bytes((self.at - count + place) % 256 for place in range(count))


class Shoes:
    """Shoes, their vault and one scanner, without a log."""

    def __init__(self, load: ShuffleShoe = LOAD, *, key: SealingKey | None = None) -> None:
        self.states: dict[str, Shoe] = {}
        self.written: list[tuple[ShoeCommand, list[ShoeEvent]]] = []
        self.n = 0
        self.at = load.shoe
        self.vault = Vault(
            key or SealingKey("K1", bytes(32)),
            Counted(),
            other_shoe=lambda shoe: self.states.get(shoe, Unprepared()),
            before=lambda table: came_before(state for state in self.states.values() if isinstance(state, Scanned | PutAway)),
        )
        self.does(load)

    def does(self, command: ShoeCommand, *, filled: bool = False) -> list[ShoeEvent]:
        """Return what follows from a command on the shoe in use."""
        if isinstance(command, ShuffleShoe):
            self.at = command.shoe
        state = self.states.get(self.at, Unprepared())
        command = command if filled else self.vault.fill(command, state)
        events = SHOE.decide(command, state, Envelope("id", HOUSE, 0, 0))
        for event in events:
            state = SHOE.evolve(state, event)
        assert SHOE.after(self.states.get(self.at, Unprepared()), events) == state
        self.states[self.at] = state
        self.written.append((command, list(events)))
        return list(events)

    def fill(self, command: ShoeCommand) -> Any:
        """Return a command as the vault fills it in."""
        return self.vault.fill(command, self.states[self.at])

    def scan(self, saw: str, *, scanner: str = "SC-7") -> list[ShoeEvent]:
        """Let the scanner see cards, `--`, `??` or `==`, and return what follows."""
        events: list[ShoeEvent] = []
        for each in saw.split():
            self.n += 1
            self.vault.scanned.tell(scanner, self.n, each)
            events += self.does(ScanCard(scanner=scanner, n=self.n, saw=KINDS.get(each, "card")))  # type: ignore[arg-type]
        return events

    @property
    def shoe(self) -> Scanned:
        """The shoe in use."""
        state = self.states[self.at]
        assert isinstance(state, Scanned)
        return state


@pytest.fixture
def shoes() -> Shoes:
    """A loaded shoe of one deck, its first card burned."""
    found = Shoes()
    found.scan("2C")
    return found


def draws(*faces: Face, call_no: int = 1, round: str = ROUND) -> DrawCards:
    """Return a call for cards."""
    return DrawCards(round=round, call_no=call_no, faces=faces)


def drawn(events: list[ShoeEvent]) -> list[tuple[int, str]]:
    """Return index and face of the cards that went on to a round."""
    return [(event.card.index, event.card.opening.card if event.card.opening else "") for event in events if isinstance(event, CardDrawn)]


def kinds(events: list[ShoeEvent]) -> list[str]:
    """Return what kinds of events these are."""
    return [type(event).__name__ for event in events]


def doubts(events: list[ShoeEvent]) -> list[tuple[str, tuple[str, ...]]]:
    """Return what is doubted."""
    return [(event.doubt, event.cards) for event in events if isinstance(event, CompositionDoubted)]


def refusal(act: Callable[[], object]) -> str:
    """Return the code with which something is refused."""
    with pytest.raises(Refused) as caught:
        act()
    return caught.value.code


def test_scanned_shoe_is_loaded_without_an_order_that_anybody_knows() -> None:
    """FL-4.1: no seed and no root, for the house never knew it."""
    (command, events), *_ = Shoes().written

    assert (kinds(events), command.seed, events[0].seed, command.root) == (["ShoeShuffled"], None, None, "")  # type: ignore[union-attr]


def test_first_cards_are_burned_unseen_as_they_are_scanned() -> None:
    """FL-4.7, ON-6.2: then the shoe can be used, and no root stands over it."""
    events = Shoes().scan("2C")

    assert events[1:] == [
        CardsBurned(first_index=0, count=1, reason="shuffle"),
        ShoePrepared(shoe="T7-S1", table="T7", root="", cards=52),
    ]


def test_shoe_without_burns_is_ready_at_once() -> None:
    """Where the book burns nothing."""
    (_, events), *_ = Shoes(replace(LOAD, burns=0)).written

    assert kinds(events) == ["ShoeShuffled", "ShoePrepared"]


def test_card_that_waits_meets_its_call(shoes: Shoes) -> None:
    """Card first: a call takes at once what was scanned before."""
    shoes.scan("8H 6D 5S")
    events = shoes.does(draws("up", "up"))

    assert (events[0], drawn(events)) == (CardsAwaited(round=ROUND, call_no=1, faces=("up", "up")), [(1, "8H"), (2, "6D")])


def test_call_that_waits_meets_its_cards(shoes: Shoes) -> None:
    """Call first: each card goes on to the round as it is scanned."""
    first = shoes.does(draws("up", "up"))

    assert (drawn(first), drawn(shoes.scan("8H")), drawn(shoes.scan("6D"))) == ([], [(1, "8H")], [(2, "6D")])


def test_cards_are_the_same_whichever_comes_first() -> None:
    """Call first, card first, or half of each: the round is given the same."""
    found = []
    for before in range(5):
        shoes = Shoes()
        shoes.scan(" ".join(["2C", *["8H", "6D", "5S", "TD"][:before]]))
        events = shoes.does(draws("up", "down", "up", "up")) + shoes.scan(" ".join(["8H", "6D", "5S", "TD"][before:]))
        found.append(drawn(events))

    assert found == [[(1, "8H"), (2, ""), (3, "5S"), (4, "TD")]] * 5


def test_nothing_that_is_written_tells_a_card_too_early(shoes: Shoes) -> None:
    """Burned, waiting and face down: in no command and in no event stands what they are."""
    shoes.scan("8H")
    shoes.does(draws("down"))
    shoes.scan("6D 5S")
    written = msgspec.json.encode(shoes.written).decode()

    assert [card for card in DECK if f'"{card}"' in written] == []


def test_card_is_opened_as_it_was_committed_to(shoes: Shoes) -> None:
    """A tree of one leaf: the recipe of docs/shuffle.md, with the card's own commitment as its root."""
    events = shoes.scan("8H") + shoes.does(draws("up"))
    scanned = next(event for event in events if isinstance(event, CardScanned))
    card = next(event for event in events if isinstance(event, CardDrawn)).card
    assert card.opening is not None

    assert (card.opening.path, verify(scanned.commitment, 1, "T7-S1", card.opening, place=0)) == ((), True)


def test_opening_of_another_card_is_not_believed(shoes: Shoes) -> None:
    """Whatever the vault says, each card is the one that was scanned at its index."""
    shoes.scan("8H 6D")
    filled = shoes.fill(draws("up"))
    other = replace(filled.openings[0], card="8D")

    with pytest.raises(AssertionError, match="nothing proves that card 1"):
        shoes.does(replace(filled, openings=(other,)), filled=True)


def test_two_cards_of_one_face_are_committed_to_differently(shoes: Shoes) -> None:
    """Their salts differ, so nobody can compare them."""
    events = shoes.scan("8H 8H")

    assert len({event.commitment for event in events if isinstance(event, CardScanned)}) == 2


def test_number_that_was_heard_is_heard_once(shoes: Shoes) -> None:
    """The scanner's count stands in the shoe's state: a repetition adds nothing."""
    shoes.scan("8H")
    shoes.vault.scanned.tell("SC-7", 2, "8H")

    assert shoes.does(ScanCard(scanner="SC-7", n=2)) == []


def test_number_is_not_left_out(shoes: Shoes) -> None:
    """What was left out is a card that somebody was dealt."""
    shoes.n += 1

    assert refusal(lambda: shoes.scan("8H")) == "out_of_order"


def test_another_scanner_is_taken_at_a_load_alone(shoes: Shoes) -> None:
    """Within a shoe it may not be exchanged; over a new load it begins where it stands."""
    other = Shoes()
    other.n = 40
    events = other.scan("2C", scanner="SC-8")

    assert (refusal(lambda: shoes.scan("8H", scanner="SC-8")), events[0].n) == ("out_of_order", 41)  # type: ignore[union-attr]


def test_next_shoe_goes_on_with_the_scanners_count(shoes: Shoes) -> None:
    """The count stands in the log from shoe to shoe, with the order of the one before as far as it is open."""
    shoes.scan("8H")
    shoes.does(draws("up"))
    shoes.does(RETIRE)
    (event,) = shoes.does(replace(LOAD, shoe="T7-S2"))
    assert isinstance(event, ShoeShuffled)

    assert event.before == ScannedBefore(scanner="SC-7", n=2, shoe="T7-S1", cards=("2C", "8H"))


def test_next_shoe_takes_no_card_of_the_one_before(shoes: Shoes) -> None:
    """A card that was stored and not acknowledged is said again, over the next load: it is known."""
    shoes.does(RETIRE)
    shoes.does(replace(LOAD, shoe="T7-S2"))
    shoes.vault.scanned.tell("SC-7", 1, "2C")

    assert shoes.does(ScanCard(scanner="SC-7", n=1)) == []


def test_cards_wait_up_to_a_limit(shoes: Shoes) -> None:
    """Beyond it they wait at the scanner, which keeps what is not acknowledged."""
    shoes.scan(" ".join(DECK[:3]))
    waiting = replace(shoes.shoe, scanned=WAITING_MAX + 1, loaded=replace(shoes.shoe.loaded, cards=416))

    assert (takes(shoes.shoe, "card"), takes(waiting, "card")) == (True, False)


def test_cutting_card_is_told_to_the_round_of_the_card_before(shoes: Shoes) -> None:
    """ON-5.7: it came out behind a card of that round, so it is the shoe's last."""
    shoes.does(draws("up", "up"))
    events = shoes.scan("8H --")

    assert events[-2:] == [CuttingCardScanned(index=2, scanner="SC-7", n=3), CuttingCardDrawn(round=ROUND)]


def test_cutting_card_behind_a_card_that_waits_is_told_to_the_round_of_that_card(shoes: Shoes) -> None:
    """Where it lies counts, not when it was seen."""
    shoes.scan("8H --")
    events = shoes.does(draws("up", "up"))

    assert kinds(events) == ["CardsAwaited", "CardDrawn", "CuttingCardDrawn"]


def test_round_that_has_begun_goes_on_behind_the_cutting_card(shoes: Shoes) -> None:
    """ON-5.7: that hand is completed."""
    shoes.does(draws("up", "up"))
    shoes.scan("8H --")

    assert drawn(shoes.scan("6D")) == [(2, "6D")]


@pytest.mark.parametrize("called_first", [True, False])
def test_cutting_card_as_the_first_card_gives_a_round_nothing(shoes: Shoes, called_first: bool) -> None:
    """FL-4.1, decision 21: it is said before any card of that round, whichever came first."""
    shoes.does(draws("up"))
    shoes.scan("8H")
    call = draws("up", "up", round=LATER)
    events = [*shoes.does(call), *shoes.scan("--")] if called_first else [*shoes.scan("--"), *shoes.does(call)]

    assert events[-1] == CardsDrawn(round=LATER, call_no=1, cards=(), exhausted=True, cutting_card_out=True)


def test_behind_the_cutting_card_nothing_is_taken_that_nobody_called(shoes: Shoes) -> None:
    """It may be the first of the same cards, shuffled again: it waits at the scanner for a call, or for the shoe that follows."""
    shoes.scan("8H --")
    uncalled = takes(shoes.shoe, "card")
    shoes.does(draws("up", "up"))

    assert (uncalled, takes(shoes.shoe, "card")) == (False, True)


def test_second_cutting_card_is_doubted(shoes: Shoes) -> None:
    """One lies in a shoe."""
    shoes.does(draws("up", "up", "up"))
    shoes.scan("8H --")

    assert doubts(shoes.scan("--")) == [("second_cutting_card", ())]


def test_shoe_that_gave_all_its_cards_is_exhausted() -> None:
    """ON-11.5: the round is told, with what it got before."""
    shoes = Shoes(replace(LOAD, without=tuple(DECK[3:])))
    shoes.scan(DECK[0])
    shoes.does(draws("up", "up", "up"))
    events = shoes.scan(" ".join(DECK[1:3]))

    assert (drawn(events), events[-1]) == (
        [(1, DECK[1]), (2, DECK[2])],
        CardsDrawn(round=ROUND, call_no=1, cards=(), exhausted=True, cutting_card_out=False),
    )


def test_empty_shoe_is_exhausted_whatever_should_be_in_it(shoes: Shoes) -> None:
    """The device says that nothing is left: the round goes on from elsewhere, and in the end the missing cards are named."""
    shoes.does(draws("up", "up"))
    events = shoes.scan("8H ==")
    missing = doubts(shoes.does(RETIRE))

    assert (kinds(events[-2:]), missing[0][0], len(missing[0][1])) == (["ShoeEmptied", "CardsDrawn"], "missing_cards", 50)


def test_shoe_that_ended_gives_no_card_any_more(shoes: Shoes) -> None:
    """Neither to a call nor to the scanner: what is scanned next belongs to the shoe that follows."""
    shoes.does(draws("up"))
    shoes.scan("8H ==")
    shoes.does(draws("up", call_no=2))

    assert (refusal(lambda: shoes.does(draws("up", call_no=3))), takes(shoes.shoe, "card")) == ("out_of_order", False)


def test_void_round_gets_no_further_card(shoes: Shoes) -> None:
    """What is scanned then waits for the next round."""
    shoes.does(draws("up", "up"))
    shoes.scan("8H")
    events = shoes.does(CancelCall(round=ROUND))
    shoes.scan("6D")

    assert (events, drawn(shoes.does(draws("up", round=LATER)))) == ([CallCancelled(round=ROUND, call_no=1)], [(2, "6D")])


def test_cancelling_is_nothing_where_nobody_waits(shoes: Shoes) -> None:
    """Of a round that has its cards, of another one, and of a shoe that is none."""
    shoes.does(draws("up"))
    shoes.scan("8H")
    of_none = SHOE.decide(CancelCall(round=ROUND), Unprepared(), Envelope("id", HOUSE, 0, 0))

    assert (shoes.does(CancelCall(round=ROUND)), of_none) == ([], [])


def test_calls_come_in_order(shoes: Shoes) -> None:
    """A call is answered once, and a round that another one followed is over."""
    shoes.scan("8H 6D")
    shoes.does(draws("up"))
    again = refusal(lambda: shoes.does(draws("up")))
    shoes.does(draws("up", round=LATER))

    assert (again, refusal(lambda: shoes.does(draws("up", call_no=2)))) == ("out_of_order", "out_of_order")


def test_shoe_gives_nothing_before_it_is_burned() -> None:
    """And nothing but cards makes it ready."""
    asked: list[ShoeCommand] = [draws("up"), CutShoe(contributions=())]

    assert [refusal(lambda command=command: Shoes().does(command)) for command in asked] == ["shoe_not_ready"] * 2  # type: ignore[misc]


def test_cards_that_lie_ready_are_burned_at_once_when_the_table_calls_for_that(shoes: Shoes) -> None:
    """ON-6.2, LV-3.5: unseen, and the next card is the one behind them."""
    shoes.scan("8H 6D 5S")
    events = shoes.does(BurnCards(number=1, cards=2, reason="house"))

    assert (events[1:], drawn(shoes.does(draws("up")))) == (
        [CardsBurned(first_index=1, count=2, reason="house", number=1, table="T7")],
        [(3, "5S")],
    )


def test_cards_are_burned_as_soon_as_all_of_them_are_scanned(shoes: Shoes) -> None:
    """ON-6.2: a new dealer's card comes when the dealer draws it."""
    waits = shoes.does(BurnCards(number=1, cards=2, reason="new_dealer"))
    first = shoes.scan("8H")
    second = shoes.scan("6D")

    assert (kinds(waits), kinds(first), kinds(second)) == (["BurnAwaited"], ["CardScanned"], ["CardScanned", "CardsBurned"])


def test_cutting_card_behind_a_burned_card_is_told_with_the_burn(shoes: Shoes) -> None:
    """ON-5.7: the table has the cards shuffled before its next round; behind the cutting card the burn itself takes cards still."""
    shoes.does(BurnCards(number=1, cards=1, reason="house"))
    shoes.scan("--")
    (_, burned) = shoes.scan("8H")
    assert isinstance(burned, CardsBurned)

    assert burned.cutting_card_out


def test_empty_shoe_has_too_few_cards_to_burn(shoes: Shoes) -> None:
    """It is written down, because the table waits for it."""
    shoes.scan("8H ==")
    (_, refused) = shoes.does(BurnCards(number=1, cards=2, reason="house"))
    assert isinstance(refused, BurnRefused)

    assert (refused.number, refused.code, shoes.shoe.burning) == (1, "too_few_cards", None)


def test_burn_that_waits_is_refused_when_its_shoe_is_put_away(shoes: Shoes) -> None:
    """Whoever asked for it is told, and the table waits no longer."""
    shoes.does(BurnCards(number=1, cards=1, reason="house"))
    refused = shoes.does(RETIRE)[0]
    assert isinstance(refused, BurnRefused)

    assert (refused.number, refused.code) == (1, "shoe_retired")


def test_burn_is_done_once(shoes: Shoes) -> None:
    """By its number, whether it is done or waits."""
    shoes.does(BurnCards(number=1, cards=1, reason="house"))
    waiting = refusal(lambda: shoes.does(BurnCards(number=1, cards=1, reason="house")))
    shoes.scan("8H")

    assert (waiting, refusal(lambda: shoes.does(BurnCards(number=1, cards=1, reason="house")))) == ("out_of_order", "out_of_order")


def test_burned_cards_of_a_scanned_shoe_are_shown_on_request(shoes: Shoes) -> None:
    """ON-6.2, LV-3.5: those that nobody has seen, each with its proof; one that could not be read stays unseen."""
    shoes.scan("??")
    shoes.does(BurnCards(number=1, cards=1, reason="house"))
    (shown,) = shoes.does(ShowBurned(number=2))
    (again,) = shoes.does(ShowBurned(number=3))
    assert isinstance(shown, BurnedShown)
    assert isinstance(again, BurnedShown)

    assert ([(opening.index, opening.card) for opening in shown.openings], again.openings) == ([(0, "2C")], ())


def test_hole_card_is_looked_at_and_turned(shoes: Shoes) -> None:
    """LV-3.8: the look says whether it makes a blackjack, the turn opens it with its proof."""
    shoes.does(draws("up", "down"))
    shoes.scan("AH TD")
    peeked = shoes.does(PeekHole(round=ROUND, index=2))
    (turned,) = shoes.does(TurnCard(round=ROUND, index=2))
    assert isinstance(turned, CardTurned)

    assert (peeked, turned.opening.card, shoes.shoe.down) == ([HolePeeked(round=ROUND, index=2, blackjack=True)], "TD", {})


def test_turned_card_must_be_what_the_look_said(shoes: Shoes) -> None:
    """A vault that says two things is stopped."""
    shoes.does(draws("up", "down"))
    shoes.scan("AH TD")
    shoes.does(replace(shoes.fill(PeekHole(round=ROUND, index=2)), blackjack=False), filled=True)

    with pytest.raises(AssertionError, match="the look at the hole card"):
        shoes.does(TurnCard(round=ROUND, index=2))


def test_cards_of_boxes_are_shown_to_their_players_and_exposed(shoes: Shoes) -> None:
    """FL-3.5: only blackjacks after the deal; the others are known to whoever sits there."""
    shoes.does(draws("down", "down", "down", "down"))
    shoes.scan("AH 9D TD 9C")
    hands = (
        DownHand(box=1, hand=1, indices=(1, 3), players=("ann",)),
        DownHand(box=2, hand=1, indices=(2, 4), players=("bob",)),
    )
    (exposed,) = shoes.does(ExposeCards(round=ROUND, hands=hands, blackjacks_only=True))
    assert isinstance(exposed, CardsExposed)
    (own,) = shoes.vault.look(may_look(shoes.shoe, "T7", "bob"), shoes.shoe)

    assert ([opening.card for opening in exposed.openings], [card.card for card in own.cards], may_look(shoes.shoe, "T7", "ann")) == (
        ["AH", "TD"],
        ["9D", "9C"],
        (),
    )


def test_unread_card_that_must_lie_open_is_asked_for(shoes: Shoes) -> None:
    """A person says what it is; until then what comes later waits behind it."""
    shoes.does(draws("up", "up"))
    asked = shoes.scan("?? 6D")
    events = shoes.does(ReadCard(index=1, card="8H"))

    assert (asked[-2], drawn(events), isinstance(events[0], CardRead)) == (
        FaceMissing(shoe="T7-S1", table="T7", round=ROUND, index=1),
        [(1, "8H"), (2, "6D")],
        True,
    )


def test_unread_card_is_told_once_and_when_it_is_asked_for(shoes: Shoes) -> None:
    """Nobody says what a card is that the scanner has read, or that nobody must see."""
    shoes.scan("8H ??")

    assert (shoes.does(ReadCard(index=1, card="8S")), shoes.does(ReadCard(index=2, card="8S"))) == ([], [])


def test_unread_hole_card_is_told_when_it_is_turned(shoes: Shoes) -> None:
    """The round waits for the word of whoever turned it, and not before."""
    shoes.does(draws("up", "down"))
    shoes.scan("9H ??")
    asked = shoes.does(TurnCard(round=ROUND, index=2))
    events = shoes.does(ReadCard(index=2, card="TD"))

    assert (kinds(asked), kinds(events), shoes.shoe.faces) == (["FaceMissing"], ["CardRead", "CardTurned"], ("", "9H", "TD"))


def test_unread_hole_card_under_an_ace_is_told_by_nobody(shoes: Shoes) -> None:
    """LV-3.8: nobody may see it before the players are done, so what waits for the look waits for a ruling."""
    shoes.does(draws("up", "down"))
    shoes.scan("AH ??")
    (asked,) = shoes.does(PeekHole(round=ROUND, index=2))
    assert isinstance(asked, FaceMissing)

    assert (asked.may_be_told, shoes.does(ReadCard(index=2, card="TD"))) == (False, [])


def test_unread_card_that_is_burned_is_asked_for_by_nobody() -> None:
    """Nobody ever sees it, and nobody can open it in the end."""
    shoes = Shoes()
    shoes.scan("??")

    assert kinds(shoes.does(RETIRE)) == ["ShoeRetired"]


def test_everything_that_was_hidden_is_opened_in_the_end(shoes: Shoes) -> None:
    """Burned cards, those that waited, and those that a void round left face down; no seed, for there was none."""
    shoes.does(draws("down"))
    shoes.scan("8H 6D")
    opened, retired = shoes.does(RETIRE)
    assert isinstance(opened, CardsOpened)

    assert ([(opening.index, opening.card) for opening in opened.openings], retired) == (
        [(0, "2C"), (1, "8H"), (2, "6D")],
        ShoeRetired(shoe="T7-S1", table="T7", reason="played_out", seed="", drawn=3),
    )


def test_shoe_is_put_away_with_every_card_that_it_hid(shoes: Shoes) -> None:
    """A vault that keeps one back is stopped."""
    filled = shoes.fill(RETIRE)

    with pytest.raises(AssertionError, match="are opened"):
        shoes.does(replace(filled, openings=()), filled=True)


def test_shoe_that_is_put_away_answers_nothing(shoes: Shoes) -> None:
    """Whatever is asked."""
    shoes.does(RETIRE)
    asked: list[ShoeCommand] = [draws("up"), RETIRE, TurnCard(round=ROUND, index=0)]

    assert [refusal(lambda command=command: shoes.does(command)) for command in asked] == ["shoe_retired"] * 3  # type: ignore[misc]


def test_discards_leave_out_what_lies_on_the_layout() -> None:
    """ON-11.5: the card face down too, which the vault names when they are put away."""
    shoes = Shoes()
    shoes.scan("2C")
    shoes.does(draws("up", "down"))
    shoes.scan("8H 9D")
    shoes.does(replace(LOAD, shoe="T7-S1b", without=("8H",), without_hole=("T7-S1", 2), round=ROUND))
    prepared = shoes.scan("3C")[-1]
    retired = shoes.does(RETIRE)[-1]

    assert (prepared, retired.hole) == (ShoePrepared(shoe="T7-S1b", table="T7", round=ROUND, root="", cards=50), "9D")  # type: ignore[union-attr]


def test_scanned_card_opens_under_its_own_key_alone(shoes: Shoes) -> None:
    """A shoe in use whose cards another key seals cannot be used."""
    other = Vault(SealingKey("K2", bytes(32)), Counted(), other_shoe=lambda _: Unprepared())

    with pytest.raises(KeyWrong):
        other.check(shoes.shoe)


def test_sealed_card_opens_at_its_own_place_alone(shoes: Shoes) -> None:
    """Index and shoe are bound to it: nobody exchanges two."""
    shoes.scan("8H 6D")
    state = shoes.shoe
    swapped = replace(state, hidden=state.hidden.set(1, replace(state.hidden[1], sealed=state.hidden[2].sealed)))

    with pytest.raises(SealBroken):
        shoes.vault.scanned.opening(1, swapped)


def test_card_too_many_is_doubted_when_it_lies_open(shoes: Shoes) -> None:
    """Face down nothing is said of it: that would tell what it is."""
    shoes.does(draws("up", "down"))
    hidden = shoes.scan("8H 8H")
    (turned, doubted) = shoes.does(TurnCard(round=ROUND, index=2))

    assert (doubts(hidden), kinds([turned]), doubts([doubted])) == ([], ["CardTurned"], [("card_too_many", ("8H",))])


def test_card_that_lies_on_the_layout_cannot_come_from_the_discards() -> None:
    """One deck, and its eight of hearts lies on the felt."""
    shoes = Shoes(replace(LOAD, without=("8H",), round=ROUND))
    shoes.scan("2C")
    shoes.does(draws("up"))

    assert doubts(shoes.scan("8H")) == [("impossible_card", ("8H",))]


def test_new_deck_order_is_doubted_once(shoes: Shoes) -> None:
    """Six cards of a suit in a row come by chance in two of a million shoes; one alarm is enough."""
    shoes.does(draws(*["up"] * 9))  # type: ignore[arg-type]

    assert doubts(shoes.scan("9S TS JS QS KS AS 2S 3S")) == [("new_deck_order", cards("9S TS JS QS KS AS"))]


def test_order_of_the_shoe_before_is_doubted_wherever_it_begins() -> None:
    """The same cards, not shuffled and only cut: eight that lay side by side lie so again."""
    order = "8H 6D 5S TD 2C 9H KC 4D QS 7H"
    shoes = Shoes()
    shoes.scan("3C")
    shoes.does(draws(*["up"] * 10))  # type: ignore[arg-type]
    shoes.scan(order)
    shoes.does(RETIRE)
    shoes.does(replace(LOAD, shoe="T7-S2"))
    shoes.scan("JD")
    shoes.does(draws(*["up"] * 12, round=LATER))  # type: ignore[arg-type]

    assert doubts(shoes.scan(f"AD {order}")) == [("former_order", cards("8H 6D 5S TD 2C 9H KC 4D"))]


def test_empty_shoe_that_gave_all_its_cards_lacks_none() -> None:
    """And those that nobody could read may be any card."""
    load = replace(LOAD, without=tuple(DECK[4:]))
    whole, unread = Shoes(load), Shoes(load)
    whole.scan(" ".join(DECK[:4]))
    unread.scan(f"{DECK[0]} ?? {DECK[2]} {DECK[3]}")

    assert (doubts(whole.does(RETIRE)), doubts(unread.does(RETIRE))) == ([], [])


def test_empty_is_said_once(shoes: Shoes) -> None:
    """What a shoe said is known; a device that says it again speaks of the shoe that follows."""
    events = shoes.scan("==")

    assert (events, takes(shoes.shoe, "empty")) == ([ShoeEmptied(scanned=1, scanner="SC-7", n=2)], False)


def test_cutting_card_among_the_burned_cards_does_not_keep_the_shoe_from_being_burned() -> None:
    """The cards behind it are burned all the same, and the first round has all cards shuffled (FL-4.1)."""
    found = Shoes()
    found.scan("--")
    taken = takes(found.shoe, "card")
    events = found.scan("2C")

    assert (taken, kinds(events), kinds(found.does(draws("up")))) == (
        True,
        ["CardScanned", "CardsBurned", "ShoePrepared"],
        ["CardsAwaited", "CardsDrawn"],
    )


@pytest.mark.parametrize("burns", [0, 1, 3])
def test_shoe_is_not_empty_before_a_card_of_it_could_be_called(burns: int) -> None:
    """A device may say so of the load before when the next is called already; what is loaded then can be dealt."""
    found = Shoes(replace(LOAD, burns=burns))
    found.scan("==" if burns < 3 else "2C ==")
    found.scan("2C 3C 4C 5C")

    assert (found.shoe.emptied, drawn(found.does(draws("up")))) == (False, [(burns, ["2C", "3C", "4C", "5C"][burns - (burns == 3)])])


def test_cards_that_the_decks_do_not_have_are_left_out_like_all_others() -> None:
    """Under a scanner a layout may hold a card too many, or one that was read wrong: the round goes on, and the doubt is told."""
    found = Shoes(replace(LOAD, without=("TH", "TH", "6D"), round=ROUND))

    assert found.shoe.loaded.cards == 49
