"""The shoe that comes next: what players give towards its cut, sealed and told, and how long a table waits for it."""

from typing import Any

import pytest

from services.table.domain.coming import SEALS_MAX, Called, Cut, Revealing, Sealing, evolve
from services.table.domain.table import TABLE
from services.table.reactions import timer
from services.table.views import FeltCut, felt
from shared.contracts.asking import AskedToCut, CutOffered, Said
from shared.contracts.cutting import CallCut, Contribution, CutCalled, CutRevealed, CutSealed, RevealCut, SealCut, SealingClosed
from shared.contracts.table import BookNoted, CloseTable, DayEnded, EndDay, RecordRound, TableClosing, TableEvent
from shared.kernel.cutting import seal
from tests.given import Given, given
from tests.rounds import DAY_ENDS_AT_MS
from tests.unit.table.test_table import FIRST, PIT, noted, opened, recorded, retired, round_called

SECRETS = {"ann": "0a" * 32, "bob": "0b" * 32}
NEXT, ROOT = "T7-S2", "root 2"
LAST = RecordRound(round="T7.20261130-000001", outcome="settled", revision=9, digest="d", shoes=("T7-S1",), cutting_card_out=True)
"""The end of a round in which the cutting card came out, at 1,000 ms."""
END = EndDay(next_day="20261201", next_day_ends_at_ms=2 * DAY_ENDS_AT_MS)
ENDED = DayEnded(next_day="20261201", next_day_ends_at_ms=2 * DAY_ENDS_AT_MS)


def mark(player: str) -> str:
    """Return a player's seal."""
    return seal(NEXT, player, SECRETS[player])


def sealed(player: str) -> CutSealed:
    """Return that a player has sealed something."""
    return CutSealed(shoe=NEXT, player=player, seal=mark(player))


def told(player: str) -> CutRevealed:
    """Return that a player has told their secret."""
    return CutRevealed(shoe=NEXT, player=player, secret=SECRETS[player])


def seals(player: str, **changes: Any) -> SealCut:
    """Return what a player says who seals something."""
    return SealCut(**{"shoe": NEXT, "root": ROOT, "seal": mark(player), **changes})


def tells(player: str, **changes: Any) -> RevealCut:
    """Return what a player says who tells their secret."""
    return RevealCut(**{"shoe": NEXT, "root": ROOT, "secret": SECRETS[player], **changes})


def gave(player: str, *, secret: bool = True) -> Contribution:
    """Return what stands of a player in the cut."""
    return Contribution(player=player, seal=mark(player), secret=SECRETS[player] if secret else "")


def playing(*events: TableEvent) -> Given:
    """Return a table in a round of its first shoe, the next one committed, after some events."""
    return given(TABLE, opened(), *FIRST, noted(2), BookNoted(), round_called(), *events)


CLOSED = SealingClosed(shoe=NEXT, reveal_until_ms=4_000)


def asked(*answers: tuple[str, Said], **told: Any) -> CutOffered:
    """Return that these players were asked to cut, in this order, and what they had said."""
    return CutOffered(**{"shoe": NEXT, "first": "replaced", "asked": tuple(AskedToCut(*answer) for answer in answers), **told})


def revealing(*events: TableEvent) -> Given:
    """Return a table that waits for the secrets of ann and bob until 4,000 ms, after some events."""
    return playing(
        sealed("bob"), sealed("ann"), recorded(), retired(reason="replaced"), asked(("bob", "sealed"), ("ann", "sealed")), CLOSED, *events
    )


def test_player_seals_while_the_shoe_before_is_in_play():
    """ON-5.2: whoever is there may have a say in the cut."""
    playing(sealed("bob")).when(seals("ann"), by="ann").then(sealed("ann"))


@pytest.mark.parametrize(
    ("command", "by", "code"),
    [
        (seals("ann"), "bob", "already_sealed"),
        (seals("ann", shoe="T7-S1"), "ann", "cut_not_open"),
        (seals("ann", root="root 1"), "ann", "cut_not_open"),
        (seals("ann", seal="0A" * 32), "ann", "bad_seal"),
        (seals("ann", seal=""), "ann", "bad_seal"),
        (tells("bob"), "bob", "cut_not_open"),
    ],
)
def test_seal_is_refused(command, by, code):
    """Twice, of another shoe, of another day's shoe of that name, or no seal; and no secret is taken while seals are."""
    playing(sealed("bob")).when(command, by=by).refused(code)


def test_seal_after_the_sealing_is_refused():
    """Else it could be chosen after a secret was heard."""
    revealing(told("ann")).when(SealCut(shoe=NEXT, root=ROOT, seal="0" * 64), by="cyd").refused("cut_not_open")


def test_no_more_seals_are_taken_than_an_entry_holds():
    """House page: everything is bounded."""
    many = [CutSealed(shoe=NEXT, player=f"p{number}", seal="0" * 64) for number in range(SEALS_MAX)]

    playing(*many).when(seals("ann"), by="ann").refused("too_many_seals")


@pytest.mark.parametrize("by", [PIT, None])
def test_nobody_but_a_player_gives_towards_the_cut(by):
    """The house knows the order, and staff are the house's."""
    asked = playing().when(seals("ann")) if by is None else playing().when(seals("ann"), by=by)

    asked.refused("not_allowed_for_role")


def test_sealing_is_closed_when_the_shoe_is_played_out():
    """The one before is opened: its successor is committed.  From here on secrets are told, for as long as the settings say."""
    expected = (recorded(), retired(reason="replaced"), asked(("ann", "sealed")), CLOSED)

    playing(sealed("ann")).when(LAST).then(*expected)


def test_secret_is_told():
    """While another one is waited for."""
    revealing().when(tells("ann"), by="ann").then(told("ann"))


def test_cut_is_called_with_the_last_secret():
    """Nobody waits longer than for that; contributions stand in the order of the players' names."""
    revealing(told("bob")).when(tells("ann"), by="ann").then(
        told("ann"), CutCalled(shoe=NEXT, contributions=(gave("ann"), gave("bob")), cutter="bob")
    )


@pytest.mark.parametrize(
    ("command", "by", "code"),
    [
        (tells("bob"), "bob", "already_revealed"),
        (tells("bob"), "ann", "seal_mismatch"),
        (tells("ann", secret="0c" * 32), "ann", "seal_mismatch"),
        (tells("ann"), "cyd", "nothing_sealed"),
        (tells("ann", secret="0A" * 32), "ann", "bad_seal"),
        (tells("ann", shoe="T7-S1"), "ann", "cut_not_open"),
        (tells("ann", root="root 1"), "ann", "cut_not_open"),
    ],
)
def test_secret_is_refused(command, by, code):
    """Twice, somebody else's, another than was sealed, of nobody who sealed, misspelt, or of another shoe."""
    revealing(told("bob")).when(command, by=by).refused(code)


def test_secret_that_comes_too_late_is_refused():
    """The shoe is cut without it."""
    late = CutCalled(shoe=NEXT, contributions=(gave("ann", secret=False), gave("bob")))

    revealing(told("bob"), late).when(tells("ann"), by="ann").refused("cut_not_open")


def test_secret_that_nobody_tells_is_missing_by_name():
    """Who keeps it back chooses between two cuts; so it must be seen."""
    revealing(told("bob")).when(CallCut(shoe=NEXT), at_ms=4_000).then(
        CutCalled(shoe=NEXT, contributions=(gave("ann", secret=False), gave("bob")), cutter="bob")
    )


def test_secrets_are_waited_for_as_long_as_was_said():
    """Log page, time: an early timer is refused."""
    revealing().when(CallCut(shoe=NEXT), at_ms=3_999).refused("too_early")


@pytest.mark.parametrize("shoe", ["T7-S1", "T7-S3"])
def test_cut_of_another_shoe_is_not_called(shoe):
    """Log page, ids: what is done is followed by nothing."""
    revealing().when(CallCut(shoe=shoe), at_ms=4_000).then()


def test_wait_for_secrets_falls_due():
    """Log page, time: one timer, before any further round."""
    due = timer(revealing().state)
    assert due is not None

    assert (due.at_ms, due.command) == (4_000, CallCut(shoe=NEXT))


def test_table_that_closes_opens_the_shoe_that_comes():
    """Log page, secrets: what was committed and is never used keeps no secret; the sealed secrets stay with their players."""
    playing(sealed("ann")).when(CloseTable(), by=PIT).then(TableClosing(), retired(NEXT))


def test_day_that_ends_opens_the_shoe_that_was_to_be_cut():
    """Log page, streams: a table closes its day with every shoe's order open."""
    revealing().when(END, at_ms=DAY_ENDS_AT_MS).then(ENDED, retired(NEXT, "day_ended"))


SEALING, TOLD = (
    Sealing(NEXT, ROOT, {"ann": mark("ann")}),
    Revealing(NEXT, ROOT, {"ann": mark("ann")}, 4_000, {"ann": SECRETS["ann"]}, ("bob", "ann")),
)


@pytest.mark.parametrize(
    ("coming", "shown"),
    [
        (None, None),
        (Called(NEXT), FeltCut(shoe=NEXT, root="", phase="shuffling", sealed=(), told=(), until_ms=None, asked=True)),
        (SEALING, FeltCut(shoe=NEXT, root=ROOT, phase="sealing", sealed=("ann",), told=(), until_ms=None, asked=True)),
        (TOLD, FeltCut(shoe=NEXT, root=ROOT, phase="revealing", sealed=("ann",), told=("ann",), until_ms=4_000, turn=("ann",), asked=True)),
        (Cut(NEXT, ROOT), FeltCut(shoe=NEXT, root=ROOT, phase="cutting", sealed=(), told=(), until_ms=None, asked=True)),
    ],
)
def test_felt_shows_how_far_the_cut_is(coming, shown):
    """Everybody sees what the shoe is committed to, and who has given something."""
    state = playing().state

    assert felt(type(state)(**{name: getattr(state, name) for name in state.__struct_fields__} | {"coming": coming}), None).cut == shown


def test_felt_shows_what_the_shoe_in_play_is_committed_to():
    """So that whoever notes it down can compare."""
    shown = felt(playing().state, None)

    assert (shown.shoe, shown.root) == ("T7-S1", "root")


def test_what_cannot_happen_to_the_shoe_that_comes_is_not_remembered():
    """An event in a wrong place breaks the fold instead of the state."""
    with pytest.raises(AssertionError, match="CutRevealed cannot happen to sealing"):
        evolve(SEALING, told("ann"))
