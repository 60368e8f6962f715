"""Folded: what an id stands for, whoever uses it."""

import pytest

from feltlog.rehearsal.round import PEN, Rehearsal
from services.table.domain.round import ROUND
from services.table.reactions import timer
from shared.contracts.wagers import AcceptWager, BettingClosed, CloseBetting, PlaceWager
from shared.kernel.folded import ID_REUSED, Asked, draft, empty, fold
from shared.kernel.messages import ACCEPTED, HOUSE, Actor
from tests.rounds import ROUND_ID, opening

ANN = Actor("player", "ann")


def closing_id(rehearsal: Rehearsal) -> str:
    """Return the id under which the house closes betting; anybody can work it out."""
    due = timer(rehearsal.round)
    assert due is not None
    return due.id_for(rehearsal.folded.stream)


@pytest.mark.parametrize("stake_minor", [500, 1])
def test_no_player_uses_up_an_id_of_the_house(stake_minor: int):
    """Log page, ids: betting closes in its time, whatever a player asked for under the id that the clock will use."""
    rehearsal = Rehearsal(opening("ontario"), [])
    taken = closing_id(rehearsal)
    rehearsal.tell(PlaceWager(round=ROUND_ID, box=1, stake_minor=stake_minor), ANN, id=taken)
    rehearsal.at_ms += 10_000
    said = rehearsal.tell(CloseBetting(), id=taken)

    assert (said, BettingClosed() in rehearsal.events) == (ACCEPTED, True)


def test_no_player_is_answered_by_the_house():
    """Log page, ids: an id that the house used is still free for a player."""
    rehearsal = Rehearsal(opening("ontario"), [])
    said = rehearsal.tell(PlaceWager(round=ROUND_ID, box=1, stake_minor=500), ANN, id="open")

    assert said.status == "pending"


def test_house_asks_once():
    """Log page, ids: what the house asked of itself before is accepted again, and nothing new follows."""
    rehearsal = Rehearsal(opening("ontario"), [])
    again = rehearsal.tell(opening("ontario"), id="open")

    assert (again, len(rehearsal.entries)) == (ACCEPTED, 1)


def test_two_players_cannot_share_an_id():
    """Log page, ids: the same id with another content is `id_reused`."""
    rehearsal = Rehearsal(opening("ontario"), [])
    wager = PlaceWager(round=ROUND_ID, box=1, stake_minor=500)
    rehearsal.tell(wager, ANN, id="mine")

    assert rehearsal.tell(wager, Actor("player", "bob"), id="mine") == ID_REUSED


def test_ids_are_read_back_as_they_were_written_down():
    """Log page, ids: whoever folds the entries knows the ids that the writer knew."""
    rehearsal = Rehearsal(opening("ontario"), [])
    rehearsal.tell(PlaceWager(round=ROUND_ID, box=1, stake_minor=500), ANN, id="mine")
    read = empty(ROUND, rehearsal.folded.stream)
    for sequence, data in enumerate(rehearsal.entries, 1):
        fold(ROUND, read, data, sequence)

    assert read == rehearsal.folded


def test_one_entry_takes_an_id_of_the_house_and_the_same_id_of_a_player():
    """Log page, ids: also when both are decided together."""
    rehearsal = Rehearsal(opening("ontario"), [])
    taken = closing_id(rehearsal)
    asked = [
        Asked(taken, PlaceWager(round=ROUND_ID, box=1, stake_minor=1), ANN, 1),
        Asked(taken, CloseBetting(), HOUSE, 1),
    ]
    drafted = draft(ROUND, rehearsal.folded, asked, PEN, now_ms=11_000)

    assert [answer.code for answer in drafted.answers] == ["below_minimum", ""]


def test_wager_under_an_id_of_the_house_gets_its_answer():
    """Log page, ids: the wallet's answer is the wager's, also where the house accepts it under the very same id."""
    rehearsal = Rehearsal(opening("ontario"), [])
    wager = PlaceWager(round=ROUND_ID, box=1, stake_minor=500)
    rehearsal.tell(wager, ANN, id="same")
    rehearsal.tell(AcceptWager(wager="same"), id="same")

    assert rehearsal.tell(wager, ANN, id="same") == ACCEPTED
