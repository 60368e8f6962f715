"""Approval: a ruling takes two persons, each with a job that allows it, and nothing happens before the second one agrees."""

from typing import Any

import pytest

from services.table.domain.approval import MADE_MAX, OPEN_MAX
from services.table.domain.round import ROUND
from services.table.domain.state import Playing
from shared.contracts.rulings import (
    KINDS,
    RULES,
    ApproveRuling,
    DeclineRuling,
    GameError,
    ProposeRuling,
    RulingApproved,
    RulingDeclined,
    RulingProposed,
    RulingWithdrawn,
    VoidTheRound,
    WithdrawRuling,
)
from shared.contracts.staff import JOBS, Job
from shared.kernel.messages import Actor
from tests.given import given
from tests.rounds import ROUND_ID, begun

VOID = VoidTheRound()


def staff(name: str, job: str) -> Actor:
    """Return a member of staff, as the house fills the job in."""
    return Actor("staff", name, job)


DEALER, BOSS, OTHER_BOSS = staff("dee", "dealer"), staff("pit", "pit_boss"), staff("lee", "pit_boss")


def in_play(*, proposed: bool = False, rulings: tuple[Any, ...] = (VOID,), book: str = "live") -> Any:
    """Return a round that waits for a decision, perhaps with proposals of the dealer's."""
    rehearsal = begun(book, "8S 6D 9H TC 2D")
    events = list(rehearsal.events)
    if proposed:
        events += [RulingProposed(proposal=number, ruling=ruling, by="dee", job="dealer") for number, ruling in enumerate(rulings, 1)]
    return given(ROUND, *events)


def proposing(ruling: Any = VOID, note: str = "") -> ProposeRuling:
    """Return the proposal of a ruling for the round."""
    return ProposeRuling(round=ROUND_ID, ruling=ruling, note=note)


def approving(number: int = 1) -> ApproveRuling:
    """Return the approval of a proposal."""
    return ApproveRuling(round=ROUND_ID, proposal=number)


def test_proposal_is_written_down_and_changes_nothing_else():
    """LV-3.5: who proposed it, with which job, and what was seen."""
    in_play().when(proposing(note="cards fell"), by=DEALER).then(
        RulingProposed(proposal=1, ruling=VOID, by="dee", job="dealer", note="cards fell")
    )


def test_approval_of_another_person_lets_the_ruling_take_effect():
    """Decision 23: the stakes go back, and both persons stand in the log."""
    outcome = in_play(proposed=True).when(approving(), by=BOSS)

    assert (outcome.events[0], [type(event).__name__ for event in outcome.events[1:]]) == (
        RulingApproved(proposal=1, by="pit", job="pit_boss"),
        ["WagersSettled", "CardsPickedUp", "RoundVoided"],
    )


def test_nobody_approves_their_own_proposal():
    """Two persons, whatever job the first one has."""
    round_ = given(ROUND, *in_play_events(), RulingProposed(proposal=1, ruling=VOID, by="pit", job="pit_boss"))

    round_.when(approving(), by=BOSS).refused("own_proposal")


def in_play_events() -> list[Any]:
    """Return the events of a round that waits for a decision."""
    return list(begun("live", "8S 6D 9H TC 2D").events)


@pytest.mark.parametrize(("job", "code"), [("dealer", "job_not_allowed"), ("inspector", "job_not_allowed"), ("", "job_not_allowed")])
def test_a_job_that_may_not_approve_is_refused(job: str, code: str):
    """The table of kinds says who may, and staff without a job may nothing."""
    in_play(proposed=True).when(approving(), by=staff("kim", job)).refused(code)


@pytest.mark.parametrize("job", ["support", ""])
def test_a_job_that_may_not_propose_is_refused(job: str):
    """Support sees no felt."""
    in_play().when(proposing(), by=staff("kim", job)).refused("job_not_allowed")


def test_players_propose_nothing():
    """A ruling is made by staff."""
    in_play().when(proposing(), by="ann").refused("not_allowed_for_role")


def test_the_house_itself_proposes_nothing():
    """Only people make rulings."""
    in_play().when(proposing()).refused("not_allowed_for_role")


def test_what_was_never_proposed_cannot_be_approved():
    """A number that does not exist yet is told from one that was decided."""
    in_play(proposed=True).when(approving(2), by=BOSS).refused("no_such_proposal")


@pytest.mark.parametrize("command", [approving(), DeclineRuling(round=ROUND_ID, proposal=1), WithdrawRuling(round=ROUND_ID, proposal=1)])
def test_what_was_decided_is_decided(command: Any):
    """An answer is given once."""
    declined = RulingDeclined(proposal=1, by="pit", job="pit_boss")
    proposed = RulingProposed(proposal=1, ruling=VOID, by="dee", job="dealer")

    given(ROUND, *in_play_events(), proposed, declined).when(command, by=OTHER_BOSS).refused("already_decided")


def test_a_second_person_may_decline():
    """Then nothing happens, and it is written down who said so."""
    command = DeclineRuling(round=ROUND_ID, proposal=1, note="no")

    in_play(proposed=True).when(command, by=BOSS).then(RulingDeclined(proposal=1, by="pit", job="pit_boss", note="no"))


def test_only_who_made_a_proposal_takes_it_back():
    """Whoever else is against it declines."""
    command = WithdrawRuling(round=ROUND_ID, proposal=1)

    in_play(proposed=True).when(command, by=BOSS).refused("not_your_proposal")
    in_play(proposed=True).when(command, by=DEALER).then(RulingWithdrawn(proposal=1, by="dee", job="dealer"))


def test_open_proposals_are_part_of_the_state():
    """They are shown, and each waits for its own answer."""
    state = in_play(proposed=True, rulings=(VOID, GameError())).state

    assert isinstance(state, Playing)
    assert [(proposal.number, proposal.ruling, proposal.by) for proposal in state.proposals.open] == [
        (1, VOID, "dee"),
        (2, GameError(), "dee"),
    ]


def test_an_open_proposal_holds_nothing_up():
    """The game goes on until somebody agrees."""
    outcome = in_play(proposed=True)

    assert type(outcome.state.awaiting).__name__ == "Decision"


def test_proposals_are_bounded():
    """So many may wait, and so many may be made."""
    many = tuple(VOID for _ in range(OPEN_MAX))
    withdrawn = [RulingWithdrawn(proposal=number, by="dee", job="dealer") for number in range(1, MADE_MAX + 1)]
    made = [RulingProposed(proposal=number, ruling=VOID, by="dee", job="dealer") for number in range(1, MADE_MAX + 1)]

    in_play(proposed=True, rulings=many).when(proposing(), by=DEALER).refused("too_many_proposals")
    given(ROUND, *in_play_events(), *made, *withdrawn).when(proposing(), by=DEALER).refused("too_many_proposals")


def test_nobody_uses_up_the_proposals_of_others():
    """LV-2.1.1: however often one person has spoken, another can have the round made void."""
    made = [RulingProposed(proposal=number, ruling=VOID, by="dee", job="dealer") for number in range(1, OPEN_MAX + 1)]
    proposed = RulingProposed(proposal=OPEN_MAX + 1, ruling=VOID, by="pit", job="pit_boss")

    given(ROUND, *in_play_events(), *made).when(proposing(), by=BOSS).then(proposed)


@pytest.mark.parametrize("note", ["two\nlines", "\x1b[2J", "\u202eback", "\ud83d", "tab\t"])
def test_a_note_is_one_line_that_can_be_printed(note):
    """A note lies on everybody's felt and in every replay: it cannot look like a line of the house's own."""
    in_play().when(proposing(note=note), by=DEALER).refused("bad_request")
    in_play(proposed=True).when(DeclineRuling(round=ROUND_ID, proposal=1, note=note), by=BOSS).refused("bad_request")


def test_a_note_is_short():
    """What is written down must leave room in an entry."""
    in_play().when(proposing(note="x" * 301), by=DEALER).refused("bad_request")


@pytest.mark.parametrize("job", JOBS)
def test_a_game_error_is_approved_by_a_pit_boss_alone(job: Job):
    """LV-3.5: three burns for a game error, once the pit boss approved."""
    outcome = in_play(proposed=True, rulings=(GameError(),)).when(approving(), by=staff("kim", job))

    assert (outcome.why is None) == (job == "pit_boss")


def test_every_kind_has_its_rule_and_somebody_who_may():
    """A kind that nobody may approve, or one person alone may decide, would be none."""
    wrong = [word for word, kind in KINDS.items() if not (RULES[kind].propose and RULES[kind].approve and RULES[kind].source)]

    assert (wrong, len(KINDS)) == ([], len(RULES))


def test_a_proposal_names_its_round():
    """What is said about another round is refused."""
    in_play().when(ProposeRuling(round="T7.20261130-000002", ruling=VOID), by=DEALER).refused("unknown_round")
