"""Blocks: a blocked player places no stakes, and everything else goes on."""

from typing import Any

import pytest
from msgspec.structs import replace

from services.wallet.domain.carrying import carried
from services.wallet.domain.ledger import LEDGER
from services.wallet.domain.state import Ledger
from services.wallet.views import balance
from shared.contracts.accounts import Posting
from shared.contracts.cage import (
    AccountBlocked,
    AccountOpened,
    AccountUnblocked,
    BlockAccount,
    CarriedBlock,
    Deposit,
    Deposited,
    OpenAccount,
    UnblockAccount,
    Withdraw,
)
from shared.contracts.stakes import ReleaseStake, ReserveStake, SettledStake, SettleStakes, StakeReserved
from shared.contracts.wallet import BookOpened, CloseBook, OpenBook
from shared.kernel.messages import HOUSE, Actor, Envelope
from tests.given import Given, given

DAY = "20261130"
ROUND = "T7.20261130-000001"
PIT = Actor("staff", "pit", "pit_boss")
LENA = Actor("staff", "lena", "support")
DEE = Actor("staff", "dee", "dealer")
BLOCK = BlockAccount(player="ann", reason="self_exclusion", note="asked for it")
BLOCKED = AccountBlocked(player="ann", reason="self_exclusion", by="pit", job="pit_boss", note="asked for it")
UNBLOCK = UnblockAccount(player="ann", reason="self_exclusion", because="term_over")
UNBLOCKED = AccountUnblocked(player="ann", reason="self_exclusion", because="term_over", by="pit", job="pit_boss")
RESERVE = ReserveStake(wager="w2", round=ROUND, player="ann", currency="CAD", minor=100)
OPENED = (
    BookOpened(day=DAY, semantics=1, shard=0, shards=1),
    AccountOpened(player="ann", operator="north", currency="CAD"),
    Deposited(
        player="ann",
        currency="CAD",
        minor=1000,
        postings=(Posting(account="outside/north", minor=-1000), Posting(account="player/ann/cash", minor=1000)),
    ),
    StakeReserved(
        wager="w1",
        round=ROUND,
        player="ann",
        currency="CAD",
        minor=300,
        postings=(Posting(account="player/ann/cash", minor=-300), Posting(account=f"round/{ROUND}/escrow", minor=300)),
    ),
)


def book(*events: Any) -> Given:
    """Return an open book in which a stake of ann's is set aside, after some events."""
    return given(LEDGER, *OPENED, *events)


def following(*commands: Any) -> Ledger:
    """Return the book that follows from commands of the house."""
    state = LEDGER.initial
    for command in commands:
        state = LEDGER.after(state, LEDGER.decide(command, state, Envelope("id", HOUSE, 0, 0)))
    return state


def kinds(outcome: Any) -> list[str]:
    """Return the names of the events that followed."""
    assert outcome.why is None
    return [type(event).__name__ for event in outcome.events]


def test_a_player_is_blocked_by_name_and_job():
    """Support hears first of whoever wants to play no more."""
    book().when(BLOCK, by=PIT).then(BLOCKED)
    book().when(BLOCK, by=LENA).then(replace(BLOCKED, by="lena", job="support"))


@pytest.mark.parametrize(
    ("command", "by", "code"),
    [
        (BLOCK, DEE, "job_not_allowed"),
        (BLOCK, HOUSE, "job_not_allowed"),
        (replace(BLOCK, player="bob"), PIT, "unknown_account"),
        (replace(BLOCK, note="two\nlines"), PIT, "bad_request"),
        (UNBLOCK, PIT, "already_so"),
    ],
)
def test_a_block_that_may_not_be_is_refused(command: Any, by: Actor, code: str):
    """By others, of nobody, with more than a line, or of what is not there."""
    book().when(command, by=by).refused(code)


def test_a_player_is_blocked_once_for_each_reason():
    """The same again changes nothing; another reason is another block."""
    book(BLOCKED).when(BLOCK, by=PIT).refused("already_so")
    book(BLOCKED).when(replace(BLOCK, reason="debt"), by=PIT).then(replace(BLOCKED, reason="debt"))


def test_a_blocked_player_sets_no_stake_aside():
    """Whatever kind of wager it is for: the ledger does not know kinds."""
    book(BLOCKED).when(RESERVE).refused_in_writing("account_blocked")


def test_a_block_holds_in_every_currency():
    """It is the player's, also in an account that is opened later."""
    euros = (BLOCKED, AccountOpened(player="ann", operator="north", currency="EUR"))

    book(*euros).when(replace(RESERVE, currency="EUR")).refused_in_writing("account_blocked")


def test_what_a_blocked_player_has_set_aside_plays_on():
    """Running rounds are settled, and stakes are given back."""
    lines = (SettledStake(wager="w1", player="ann", stake_minor=300, returned_minor=600),)
    blocked = book(BLOCKED)
    settled = blocked.when(SettleStakes(round=ROUND, currency="CAD", lines=lines))

    assert (kinds(settled), kinds(blocked.when(ReleaseStake(round=ROUND, wager="w1")))) == (["StakesSettled"], ["StakeReleased"])


def test_a_blocked_player_brings_and_takes_money():
    """A block keeps nobody's money."""
    blocked = book(BLOCKED)
    moved = [blocked.when(kind(player="ann", currency="CAD", minor=100), by=PIT) for kind in (Deposit, Withdraw)]

    assert [kinds(each) for each in moved] == [["Deposited"], ["Withdrawn"]]


def test_each_block_ends_on_its_own():
    """Whoever stays away by their own wish is not let in because it became clear who they are."""
    twice = (BLOCKED, replace(BLOCKED, reason="identity"))
    identified = AccountUnblocked(player="ann", reason="identity", because="cleared", by="pit", job="pit_boss")

    book(*twice, identified).when(RESERVE).refused_in_writing("account_blocked")
    book(*twice, identified).when(UNBLOCK, by=PIT).then(UNBLOCKED)
    assert kinds(book(*twice, identified, UNBLOCKED).when(RESERVE)) == ["StakeReserved"]


def test_who_may_block_may_not_always_unblock():
    """Support lets nobody in again."""
    book(BLOCKED).when(UNBLOCK, by=LENA).refused("job_not_allowed")


def test_blocks_are_carried_into_the_next_book():
    """A night changes nothing about them."""
    today = book(BLOCKED, replace(BLOCKED, reason="debt"))
    closed = LEDGER.after(today.state, today.when(CloseBook(next_day="20261201")).events)
    parts = carried(closed, {}, "digest")
    tomorrow = following(*parts, OpenBook(day="20261201"))
    rows = [row for part in parts for row in part.blocked or ()]

    assert (rows, tomorrow.blocks) == (
        [CarriedBlock(player="ann", reason="self_exclusion"), CarriedBlock(player="ann", reason="debt")],
        today.state.blocks,
    )


def test_a_balance_says_that_somebody_is_blocked():
    """To staff with the reasons, which the player is not told: one of them may be a suspicion."""
    state = book(BLOCKED, replace(BLOCKED, reason="suspicion")).state
    staff, player = balance(state, "ann", reasons=True), balance(state, "ann")

    assert ((staff.blocked, staff.blocks), (player.blocked, player.blocks)) == ((True, ("self_exclusion", "suspicion")), (True, ()))


@pytest.mark.parametrize("name", ["dealer", "house"])
def test_nobody_plays_under_a_name_of_the_house(name: str):
    """ON-3.6: an account of that name would hold wagers for the dealer."""
    book().when(OpenAccount(player=name, operator="north", currency="CAD"), by=PIT).refused("name_reserved")
