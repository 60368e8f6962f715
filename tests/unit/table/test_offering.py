"""The offer of the cut: whom the book asks first, how a refusal passes on, and whose cut it is in the end."""

from typing import Any

import pytest
from msgspec.structs import replace

from services.table.domain.filling import fill_reveal, table_extension
from services.table.domain.offering import Occasion, clockwise, offer
from services.table.domain.table import TABLE
from services.table.reactions import timer
from shared.contracts.asking import (
    AskedToCut,
    CameOut,
    CutAwaited,
    CutOffered,
    CutRefused,
    ExtendReveal,
    RefuseCut,
    RevealExtended,
    Said,
)
from shared.contracts.cutting import CallCut, Contribution, CutCalled, CutSealed, NoteOrder, SealCut, SealingClosed
from shared.contracts.table import BookNoted, RecordRound, ShoeSetAside, TableOpened
from shared.kernel.cutting import seal
from tests.given import given
from tests.unit.table.test_coming import NEXT, ROOT, asked, gave, mark, playing, revealing, sealed, seals, tells, told
from tests.unit.table.test_table import FIRST, PIT, noted, offered, opened, recorded, retired, round_called, shoe_called


def chosen_at(table: TableOpened, **chosen: Any) -> TableOpened:
    """Return a table's opening with other settings."""
    return replace(table, settings=replace(table.settings, **chosen))


SEATS = ((1, "ann"), (3, "bob"), (3, "cyd"), (6, "dan"))
"""Bob decides for box 3, on which Cyd has a wager as well."""


@pytest.mark.parametrize(
    ("why", "order"),
    [
        (Occasion("box", 3, SEATS), ("bob", "cyd", "dan", "ann")),
        (Occasion("box", 4, SEATS), ("dan", "ann", "bob", "cyd")),
        (Occasion("box", 7, SEATS), ("ann", "bob", "cyd", "dan")),
        (Occasion("dealers_hand", seats=SEATS), ("dan", "ann", "bob", "cyd")),
        (Occasion("no_hand", seats=SEATS), ("dan", "ann", "bob", "cyd")),
        (Occasion("ordered", seats=SEATS), ("dan", "ann", "bob", "cyd")),
        (Occasion("replaced", seats=SEATS), ("dan", "ann", "bob", "cyd")),
        (Occasion("box", 2, ((2, "ann"), (4, "bob"), (5, "ann"))), ("ann", "bob")),
        (Occasion("start"), ()),
    ],
)
def test_whom_the_book_asks(why: Occasion, order: tuple[str, ...]):
    """ON-5.3, ON-5.5, FL-4.2, FL-4.3, decision 20: from the box, or the next one that is not empty; else from the dealer's far right."""
    assert clockwise(why) == order


def test_everybody_s_answer_stands_in_the_offer():
    """ON-5.2, ON-5.5: who sealed has said yes, who refused no, and silence counts as a refusal; who stands by comes last."""
    told = offer(NEXT, Occasion("box", 3, SEATS), sealed=("eve", "dan"), answered=("eve", "bob", "dan"))
    answers: list[tuple[str, Said]] = [("bob", "refused"), ("cyd", "silent"), ("dan", "sealed"), ("ann", "silent"), ("eve", "sealed")]

    assert told == CutOffered(shoe=NEXT, first="box", box=3, asked=tuple(AskedToCut(*each) for each in answers))


def refuses(player: str) -> CutRefused:
    """Return that a player does not want to cut."""
    return CutRefused(shoe=NEXT, player=player)


REFUSES = RefuseCut(shoe=NEXT, root=ROOT)


def test_player_refuses_the_cut():
    """ON-5.5, FL-4.3."""
    playing(sealed("bob")).when(REFUSES, by="ann").then(refuses("ann"))


@pytest.mark.parametrize(
    ("events", "command", "by", "code"),
    [
        ((sealed("ann"),), REFUSES, "ann", "already_sealed"),
        ((refuses("ann"),), REFUSES, "ann", "cut_refused"),
        ((refuses("ann"),), seals("ann"), "ann", "cut_refused"),
        ((), RefuseCut(shoe=NEXT, root="root 1"), "ann", "cut_not_open"),
        ((), REFUSES, PIT, "not_allowed_for_role"),
    ],
)
def test_second_answer_is_refused(events: Any, command: Any, by: Any, code: str):
    """One answer each, of the shoe that is meant, and by nobody else."""
    playing(*events).when(command, by=by).refused(code)


def test_nobody_is_asked_where_the_dealer_cuts():
    """LV-3.3: the dealer cuts."""
    live = opened("live")

    given(TABLE, live, *FIRST, noted(2)).when(REFUSES, by="ann").refused("not_in_this_book")


def ended(**told: Any) -> RecordRound:
    """Return the end of a round in which the cutting card came out."""
    return RecordRound(
        round="T7.20261130-000001",
        outcome="settled",
        revision=9,
        digest="d",
        shoes=("T7-S1",),
        cutting_card_out=True,
        seats=((1, "ann"), (2, "bob"), (5, "cyd")),
        **told,
    )


@pytest.mark.parametrize(
    ("came_out", "first", "order"),
    [
        (CameOut(on="box", box=2), {"first": "box", "box": 2}, ("bob", "cyd", "ann")),
        (CameOut(on="dealers_hand"), {"first": "dealers_hand"}, ("cyd", "ann", "bob")),
        (CameOut(on="no_hand"), {"first": "no_hand"}, ("cyd", "ann", "bob")),
        (None, {"first": "replaced"}, ("cyd", "ann", "bob")),
    ],
)
def test_table_offers_the_next_shoe_when_one_is_played_out(came_out: Any, first: Any, order: tuple[str, ...]):
    """ON-5.2, ON-5.3, FL-4.2: from where the cutting card came out, or from the dealer's far right."""
    events = playing(sealed("ann"), refuses("bob")).when(ended(came_out=came_out)).events
    said: dict[str, Said] = {"ann": "sealed", "bob": "refused", "cyd": "silent"}

    assert events[2:] == [asked(*((each, said[each]) for each in order), **first), SealingClosed(shoe=NEXT, reveal_until_ms=4_000)]


def test_cut_is_whose_secret_comes_and_who_was_asked_first():
    """ON-5.5: Bob was asked before Ann, and keeps his secret back."""
    late = (gave("ann"), gave("bob", secret=False))

    revealing(told("ann")).when(CallCut(shoe=NEXT), at_ms=4_000).then(CutCalled(shoe=NEXT, contributions=late, cutter="ann"))


def test_staff_cut_when_nobody_told_a_secret():
    """ON-5.5: all have refused, or kept their secrets back: the dealer cuts."""
    late = tuple(Contribution(player=player, seal=mark(player)) for player in ("ann", "bob"))

    revealing().when(CallCut(shoe=NEXT), at_ms=4_000).then(CutCalled(shoe=NEXT, contributions=late, staff="dealer"))


@pytest.mark.parametrize(("chosen", "staff"), [({}, "game_supervisor"), ({"supervisor": "casino_supervisor"}, "casino_supervisor")])
def test_supervisor_cuts_on_the_floor_when_all_refuse(chosen: Any, staff: Any):
    """FL-4.3: the game supervisor, or the casino supervisor where there is none."""
    floor = chosen_at(opened("floor"), **chosen)
    called = CutCalled(shoe="T7-S1", contributions=(), staff=staff)

    given(TABLE, floor, shoe_called()).when(NoteOrder(shoe="T7-S1", root="root 1")).then(noted(), offered(first="start"), called)


def test_dealer_cuts_the_live_game_by_what_players_gave():
    """LV-3.3: the dealer's cut, at the place that root and secrets say."""
    live = opened("live")
    events = (live, *FIRST, noted(2), BookNoted(), round_called(), sealed("ann"), recorded(), retired(reason="replaced"))
    closed = SealingClosed(shoe=NEXT, reveal_until_ms=4_000)
    called = CutCalled(shoe=NEXT, contributions=(gave("ann"),), staff="dealer")

    given(TABLE, *events, closed).when(tells("ann"), by="ann").then(told("ann"), called)


WAITS = CutAwaited(shoe="T7-S1", until_ms=20_000)
SECRET = "0d" * 32
SEAL = seal("T7-S1", "ann", SECRET)


def waiting(*events: Any) -> Any:
    """Return a table whose first shoe waits for somebody to cut it until 20,000 ms."""
    return given(TABLE, chosen_at(opened(), offer_ms=19_000), shoe_called(), noted(), WAITS, *events)


def test_first_shoe_waits_for_the_first_player():
    """ON-5.3, FL-4.2: as long as the house has said."""
    state = given(TABLE, chosen_at(opened(), offer_ms=19_000), shoe_called())

    state.when(NoteOrder(shoe="T7-S1", root="root 1"), at_ms=1_000).then(noted(), WAITS)


def test_first_player_to_the_table_cuts_the_first_shoe():
    """ON-5.3, FL-4.2: who came before and refused is named as well."""
    sealed_now = CutSealed(shoe="T7-S1", player="ann", seal=SEAL)
    offered_now = offered(first="start", asked=(AskedToCut("bob", "refused"), AskedToCut("ann", "sealed")))
    closed = SealingClosed(shoe="T7-S1", reveal_until_ms=4_000)

    (
        waiting(CutRefused(shoe="T7-S1", player="bob"))
        .when(SealCut(shoe="T7-S1", root="root 1", seal=SEAL), by="ann")
        .then(sealed_now, offered_now, closed)
    )


def test_first_shoe_is_cut_when_nobody_has_come():
    """ON-5.5: then the dealer cuts."""
    called = CutCalled(shoe="T7-S1", contributions=(), staff="dealer")

    waiting().when(CallCut(shoe="T7-S1"), at_ms=20_000).then(offered(first="start"), called)


def test_first_shoe_is_waited_for_as_long_as_was_said():
    """Log page, time: one timer, and an early one is refused."""
    due = timer(waiting().state)
    assert due is not None
    waiting().when(due.command, at_ms=19_999).refused("too_early")

    assert (due.at_ms, due.command, due.patient) == (20_000, CallCut(shoe="T7-S1"), True)


BEHIND = (recorded(), ShoeSetAside(shoe="T7-S1"), noted(2), CutAwaited(shoe=NEXT, until_ms=20_000))
"""A shoe that its table waits for, after a round of which nobody's seat is known."""


def between_shoes(*events: Any) -> Any:
    """Return a table that waits for its next shoe, ann and bob at its boxes, until they have answered."""
    seats = replace(recorded(), seats=((1, "ann"), (2, "bob")))
    table = chosen_at(opened(), offer_ms=19_000)
    return given(TABLE, table, *FIRST, BookNoted(), round_called(), seats, *BEHIND[1:], *events)


def test_shoe_that_its_table_waits_for_is_offered():
    """ON-5.2: for as long as the house has said."""
    table = chosen_at(opened(), offer_ms=19_000)
    state = given(TABLE, table, *FIRST, BookNoted(), round_called(), *BEHIND[:2])

    state.when(NoteOrder(shoe=NEXT, root="root 2")).then(noted(2), replace(BEHIND[3], until_ms=20_000))


def test_nobody_is_called_silent_who_had_no_time():
    """ON-5.5: where the house offers no time, a shoe that its table waits for is cut as soon as it is committed."""
    seats = replace(recorded(), seats=((1, "ann"), (2, "bob")))
    table = given(TABLE, opened(), *FIRST, BookNoted(), round_called(), seats, ShoeSetAside(shoe="T7-S1"))
    called = CutCalled(shoe=NEXT, contributions=(), staff="dealer")

    table.when(NoteOrder(shoe=NEXT, root="root 2")).then(
        noted(2), retired(reason="replaced"), asked(("bob", "no_time"), ("ann", "no_time")), called
    )


def test_offer_ends_when_everybody_has_answered():
    """ON-5.5: Bob sits farthest to the dealer's right and refuses, then it is Ann's turn; nobody waits for more."""
    between_shoes().when(REFUSES, by="bob").then(refuses("bob"))
    events = between_shoes(refuses("bob")).when(seals("ann"), by="ann").events
    offered_now = asked(("bob", "refused"), ("ann", "sealed"))

    assert events == [sealed("ann"), retired(reason="replaced"), offered_now, SealingClosed(shoe=NEXT, reveal_until_ms=4_000)]


@pytest.mark.parametrize(("state", "until_ms"), [(revealing().state, 63_000), (waiting().state, 79_000)])
def test_outage_of_the_house_uses_up_nobody_s_time(state: Any, until_ms: int):
    """Log page, time: who may cut or tell a secret has the whole time again, counted from when it is decided."""
    command = table_extension(state, 50_000)
    assert command is not None

    assert fill_reveal(command, state, 60_000) == ExtendReveal(until_ms=until_ms)


def test_time_for_secrets_is_extended():
    """Log page, time: and the timer falls due later."""
    late = revealing(RevealExtended(shoe=NEXT, until_ms=63_000))
    revealing().when(ExtendReveal(until_ms=63_000)).then(RevealExtended(shoe=NEXT, until_ms=63_000))
    due = timer(late.state)
    assert due is not None

    assert due.at_ms == 63_000


@pytest.mark.parametrize("state", [revealing(), playing()])
def test_extension_that_gives_nothing_is_followed_by_nothing(state: Any):
    """Log page, ids."""
    state.when(ExtendReveal(until_ms=4_000)).then()


def test_nobody_is_waited_for_while_a_shoe_is_in_play():
    """Log page, time: no clock, no extension."""
    assert table_extension(playing().state, 60_000) is None
