"""The cage's door: who may ask the wallet what, and what each is told."""

from pathlib import Path
from typing import Any

import pytest

from services.wallet.views import Balance, OpenAdjustment
from shared.contracts.cage import ApproveAdjustment, BlockAccount, Deposit, OpenAccount, ProposeAdjustment
from shared.contracts.caps import CAP_MINOR, all_caps
from shared.contracts.subjects import Addressed, BadSubject, ledger_stream, query_subject
from tests.fuzz.services import DAY, Edges, running

PROPOSE = ProposeAdjustment(player="ann", currency="CAD", minor=500, reason="goodwill")
APPROVE = ApproveAdjustment(adjustment=f"{DAY}-1")
BLOCK = BlockAccount(player="ann", reason="suspicion")


async def told(edges: Edges, role: str, target: str, actor: str) -> Any:
    """Return what the wallet answers to a question."""
    return await edges.processes["wallet"].question(Addressed("wallet", role, target, actor))


@pytest.mark.parametrize(
    "command", [PROPOSE, ApproveAdjustment(adjustment=f"{DAY}-1"), BLOCK, Deposit(player="ann", currency="CAD", minor=1)]
)
async def test_players_ask_nothing_of_the_cage(tmp_path: Path, command: Any):
    """Not under their own name, and the server lets nobody speak under another's."""
    async with running(tmp_path) as edges:
        answer = await edges.ask("wallet", "player", "ledger", "ann", command)

    assert answer.code == "not_allowed_for_role"


@pytest.mark.parametrize("name", ["pit", "dealer", "house"])
async def test_nobody_plays_under_the_name_of_who_works_here(tmp_path: Path, name: str):
    """ON-3.6: neither the dealer nor anybody at the tables has an account that a wager could be for."""
    async with running(tmp_path) as edges:
        answer = await edges.ask("wallet", "staff", "ledger", "pit", OpenAccount(player=name, operator="house", currency="CAD"))

    assert (answer.code, name in answer.message) == ("name_reserved", True)


async def test_a_book_says_how_much_may_be_adjusted_in_every_currency(tmp_path: Path):
    """Where the house has not said otherwise, so many of the smallest unit."""
    async with running(tmp_path) as edges:
        caps = edges.processes["wallet"].keepers.get(ledger_stream(DAY)).state.adjustments.caps

    assert caps == {cap.currency: CAP_MINOR for cap in all_caps({})}


async def test_staff_see_what_waits_and_players_do_not(tmp_path: Path):
    """A question of a player is about the player, whatever it names."""
    async with running(tmp_path) as edges:
        await edges.ask("wallet", "staff", "ledger", "pit", PROPOSE)
        waiting, other = await told(edges, "staff", "adjustments", "pit"), await told(edges, "player", "adjustments", "bob")

    assert (waiting, type(other), other.player) == (
        [OpenAdjustment(adjustment=f"{DAY}-1", player="ann", currency="CAD", minor=500, reason="goodwill", by="pit", job="pit_boss")],
        Balance,
        "bob",
    )


async def test_a_player_is_told_of_a_block_and_not_why(tmp_path: Path):
    """One of the reasons is a suspicion; the balance is the ledger's after its last entry."""
    async with running(tmp_path) as edges:
        await edges.ask("wallet", "staff", "ledger", "pit", BLOCK)
        staff, player = await told(edges, "staff", "balance_ann", "pit"), await told(edges, "player", "balance", "ann")
        revision = edges.processes["wallet"].keepers.get(ledger_stream(DAY)).folded.revision

    assert ((staff.blocked, staff.blocks), (player.blocked, player.blocks)) == ((True, ("suspicion",)), (True, ()))
    assert (staff.day, staff.revision, player.revision) == (DAY, revision, revision)


def test_the_longest_name_can_be_asked_about():
    """A name of 64 characters, with the word in front of it."""
    assert query_subject("wallet", "staff", f"balance_{'x' * 64}", "pit").count("x") == 64
    with pytest.raises(BadSubject):
        query_subject("wallet", "staff", "balance_a.b", "pit")
