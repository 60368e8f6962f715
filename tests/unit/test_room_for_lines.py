"""Room for lines: what a round decides at once fits into an entry, at the table and in the ledger."""

from typing import Any

import msgspec
import pytest

from services.table.domain.settlement import LINES_MAX
from shared.contracts.accounts import Posting, cash_account, promo_account
from shared.contracts.stakes import SettledStake, SettleStakes, StakesSettled
from shared.contracts.wagers import SettlementLine, WagersSettled
from shared.kernel.entry import ENTRY_BYTES_MAX, ENTRY_FULL_BYTES
from shared.kernel.folded import ENTRY_HEADROOM_BYTES
from shared.kernel.money import MINOR_MAX
from shared.kernel.profile_text import BOXES_MAX, HANDS_MAX, PLAYERS_PER_BOX_MAX

MOST = BOXES_MAX * PLAYERS_PER_BOX_MAX * (2 * HANDS_MAX + 3)
"""Lines of a round by any book: each hand with its double, insurance, and two side bets."""


def sizes(lines: int, *, name: int, id: int, minor: int) -> tuple[int, int]:
    """Return the bytes that a settlement has at the table and in the ledger, with a player for each line."""
    player, wager, round = "p" * name, "w" * id, f"{'T' * 64}.20261201-000001"
    stake: dict[str, Any] = {"wager": wager, "player": player, "stake_minor": minor, "returned_minor": minor}
    told = WagersSettled(currency="EUR", lines=(SettlementLine(box=7, hand=4, kind="perfect_pairs", **stake),) * lines)
    settled = (SettledStake(rounding_minor=minor, **stake),) * lines
    postings = (Posting(account=cash_account(player), minor=minor), Posting(account=promo_account(player), minor=minor)) * lines
    asked = SettleStakes(round=round, currency="EUR", lines=settled)
    booked = StakesSettled(round=round, currency="EUR", lines=settled, postings=postings)
    return len(msgspec.json.encode(told)), len(msgspec.json.encode(asked)) + len(msgspec.json.encode(booked))


def test_what_a_book_allows_fits_with_the_longest_names():
    """ADR 0007: seven boxes with three players each never make a large entry."""
    assert max(sizes(MOST, name=64, id=80, minor=MINOR_MAX)) <= ENTRY_FULL_BYTES - ENTRY_HEADROOM_BYTES


@pytest.mark.parametrize(("lines", "name", "id", "minor"), [(LINES_MAX, 12, 36, 10**6), (LINES_MAX // 2, 64, 80, MINOR_MAX)])
def test_a_crowd_fits(lines: int, name: int, id: int, minor: int):
    """ADR 0007: ten thousand with names as people have them, and half as many with the longest of everything."""
    assert max(sizes(lines, name=name, id=id, minor=minor)) <= ENTRY_BYTES_MAX - ENTRY_HEADROOM_BYTES
