"""Views: rounds and findings as rows."""

from functools import cache

import msgspec

from services.surveillance.domain.findings import Code, finding
from services.surveillance.domain.watch import Seen, Watch
from services.surveillance.redecide import Again
from services.surveillance.views import finding_row, round_row, verdict
from shared.contracts.rounds import RoundOpened, RoundSettled
from tests.forgery import forged
from tests.houses import little_house


@cache
def seen() -> list[Seen]:
    """The rounds of a house, as they were when each of them changed last."""
    watch = Watch(Again())
    heard: dict[str, Seen] = {}
    for stored in little_house(3, rounds=1).stored:
        watch.hear(stored)
        heard.update({one.round: one for one in watch.changed()})
    return list(heard.values())


def test_a_round_s_row_says_who_played_for_how_much_and_how_it_ended():
    """A row is read off the round's log alone."""
    row = round_row(seen()[0])

    assert (row.round, row.table, row.day, row.players, row.outcome, row.verdict, row.findings) == (
        "T1.20261130-000001",
        "T1",
        "20261130",
        ("ann", "bob"),
        "settled",
        "same",
        0,
    )


def test_a_round_s_row_counts_its_money_as_the_round_does():
    """What was staked and returned is what the round's last event says."""
    row = round_row(seen()[0])
    ending = seen()[0].entries[-1].decisions[-1].events[-1]
    assert isinstance(ending, RoundSettled), "the round is over"

    assert (row.staked_minor, row.returned_minor) == (ending.staked_minor, ending.returned_minor)


def test_a_round_that_is_played_is_awaiting():
    """A row is there from the round's opening on."""
    whole = seen()[0]
    row = round_row(msgspec.structs.replace(whole, entries=whole.entries[:2]))

    assert (row.outcome, row.closed_at_ms, row.entries) == ("awaiting", 0, 2)


def test_a_verdict_says_what_deciding_again_said():
    """The worst that is known of a round comes first."""
    differs, other = finding(Code.DIFFERS, ""), finding(Code.OTHER_VERSION, "")
    rounds = [Seen("r", findings=[differs, other]), Seen("r", broken=True), Seen("r", findings=[other]), Seen("r")]

    assert [verdict(one) for one in rounds] == ["differs", "unknown", "other version", "same"]


def test_a_finding_s_row_carries_all_of_it():
    """The index holds what was alarmed."""
    found = finding(Code.RULES, "ON-3.5: too much", log="L", stream="s", revision=3, sequence=4, clause="ON-3.5")

    assert msgspec.to_builtins(finding_row(found)) == msgspec.to_builtins(found)


def test_a_round_of_another_version_is_said_to_be_one():
    """A round that this software cannot decide again says so in its row."""
    watch = Watch(Again())
    stored = forged(
        little_house(3, rounds=1).stored, RoundOpened, lambda event: [msgspec.structs.replace(event, semantics=2)], stream="T1.round"
    )
    for one in stored:
        watch.hear(one)
    row = next(round_row(one) for one in watch.changed() if one.round.startswith("T1."))

    assert row.verdict == "other version"


def test_a_number_that_no_index_can_hold_is_shown_as_the_largest():
    """A log may say anything; the index goes on."""
    found = finding(Code.MISSING_ENTRY, "", revision=10**40)

    assert finding_row(found).revision == 2**63 - 1
