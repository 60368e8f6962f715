"""Any well-typed command, from anybody, in any state: it is refused and nothing has changed, or what follows is an entry like any other."""

from functools import cache
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from services.table.domain.filling import GamingDay, fill_round, fill_table
from services.table.domain.round import ROUND
from services.table.domain.table import TABLE
from services.wallet.domain.ledger import LEDGER
from shared.contracts import cage, cutting, decisions, rounds, table, wagers
from shared.contracts.desk import LiftQuarantine
from shared.contracts.desk_rules import DESK
from shared.contracts.procedure import ProcedureCommand
from shared.contracts.refusals import Reason, refused
from shared.kernel.entry import ENTRY_BYTES_MAX
from shared.kernel.folded import Asked, Draft, Folded, Pen, commit, draft, fold
from shared.kernel.messages import HOUSE, Actor
from shared.kernel.profile import Profile
from shared.kernel.profile_text import BadProfile
from shared.runtime.shelf import profile
from tests.fuzz.examples import fuzz
from tests.fuzz.states import Place, known, places
from tests.fuzz.strategies import of
from tests.houses import DAY, EPOCH_MS
from tests.procedure import DEALER
from tests.states import encoded

PEN = Pen("fuzz", 9, "test")
PEOPLE: dict[str, Any] = {
    ROUND.name: rounds.PlayerCommand | wagers.CloseBetting,
    TABLE.name: table.OpenTable | table.CloseTable | table.CallRound | cutting.CutCommand | ProcedureCommand,
    LEDGER.name: cage.StaffCommand,
    DESK.name: LiftQuarantine,
}
"""What people may ask of each noun; nobody asks a shoe."""
ASKERS = (Actor("player", "ann"), Actor("player", "bob"), Actor("player", "nobody"), Actor("staff", "pit"), DEALER)
TODAY = GamingDay(DAY, EPOCH_MS + 24 * 3_600_000)

any_place = st.sampled_from(places())
peoples_place = st.sampled_from([place for place in places() if place.decider.name in PEOPLE])
moments = st.integers(0, 40_000) | st.sampled_from((-1, 10**9, 2**53))


@cache
def commands(kind: Any, stream: str) -> st.SearchStrategy[Any]:
    """Return commands of a union, about things that are there more often than not."""
    return of(kind, known(stream))


@fuzz()
@given(peoples_place, st.data())
def test_whatever_people_ask_breaks_nothing(place: Place, data: st.DataObject):
    """Style page: a player's mistake is a refusal with a stable code, and never a broken assertion."""
    folded, asked = place.folded(), []
    for number in range(data.draw(st.integers(1, 4))):
        command = data.draw(commands(PEOPLE[place.decider.name], place.stream))
        received = folded.at_ms + data.draw(moments)
        asked.append(Asked(f"ask-{number}", command, data.draw(st.sampled_from(ASKERS)), received))
    drafted = draft(place.decider, folded, asked, PEN, now_ms=folded.at_ms + data.draw(moments), fill=filled)

    assert (drafted.broken, {answer.code for answer in drafted.answers} - {"", *Reason}) == ({}, set())


@fuzz()
@given(any_place, st.data())
def test_whatever_is_asked_changes_the_state_by_an_entry_alone(place: Place, data: st.DataObject):
    """House page: `decide` and `evolve` are pure; what is refused or broken leaves state and log as they were."""
    folded = place.folded()
    before = encoded(folded.state), folded.digest, len(folded.answers)
    command = data.draw(commands(place.decider.command_type, place.stream))
    asked = Asked("ask", command, data.draw(st.sampled_from((HOUSE, *ASKERS))), folded.at_ms)
    drafted = draft(place.decider, folded, [asked], PEN, now_ms=folded.at_ms + data.draw(moments), fill=filled)
    unchanged = encoded(folded.state), folded.digest, len(folded.answers)

    assert (unchanged, after(folded, drafted)) == (before, again(place, drafted))


@fuzz()
@given(any_place, st.data())
def test_whatever_follows_fits_into_an_entry(place: Place, data: st.DataObject):
    """House page: everything is bounded, whatever a command says."""
    folded = place.folded()
    command = data.draw(commands(place.decider.command_type, place.stream))
    drafted = draft(place.decider, folded, [Asked("ask", command, HOUSE, folded.at_ms)], PEN, now_ms=folded.at_ms, fill=filled)

    assert len(drafted.data) <= ENTRY_BYTES_MAX


def filled(command: Any, state: Any) -> Any:
    """Return a command as the table service completes it; the other services' people ask for nothing that is filled in."""
    if isinstance(command, rounds.PlayerCommand | decisions.ExtendClock):
        return fill_round(command, state, day=DAY, now_ms=EPOCH_MS)
    return fill_table(command, TODAY, shelved)


def shelved(name: str) -> Profile:
    """Return a profile as the service's edge finds it."""
    try:
        return profile(name)
    except BadProfile as error:
        raise refused(Reason.BAD_SETTINGS, f"{error}.") from error


def after(folded: Folded[Any], drafted: Draft[Any]) -> tuple[bytes, str]:
    """Return where the stream stands once the draft is stored."""
    if drafted.entry is not None:
        commit(folded, drafted, folded.fence + 1)
    return encoded(folded.state), folded.digest


def again(place: Place, drafted: Draft[Any]) -> tuple[bytes, str]:
    """Return where the stream stands for somebody who reads it from its bytes."""
    folded = place.folded()
    if drafted.entry is not None:
        entry = fold(place.decider, folded, drafted.data, folded.fence + 1)
        assert msgspec.json.encode(entry) == drafted.data, "an entry decodes to itself"
    return encoded(folded.state), folded.digest
