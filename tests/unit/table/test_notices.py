"""Notices: the felt says what the engine does (LV-1.2.3, LV-1.3)."""

from contextlib import suppress

import pytest

from services.table.notices import notices
from shared.kernel.profile_text import BadProfile, changed, flat
from shared.runtime.shelf import names, profile
from tests.rounds import settings

UNTOLD = {
    *("name", "book", "decks", "pick_up", "shoe.burns_after_shuffle", "shoe.cut", "shoe.cutting_card", "shoe.device"),
    *("shoe.cut_offer", "shoe.procedure"),
}
"""Keys that change no wager and no hand: a table's notices are silent about them."""

OTHERS: tuple[object, ...] = (
    *(True, False, 1, 2, 3, 5, "0.50", "4.00", [6, 5], [3, 1]),
    *("exact", "up", "all", "original", "up_to_half", "up_to_half_rounded_up", "down"),
    *([], ["super_sevens"], [3, 50, 100, 500, 4000], [30, 10, 5]),
)
"""Values of every kind; each key takes some of them."""


def changes(name):
    """Yield each key of a book with the profiles that have another value there and still hold together."""
    before = profile(name)
    pays = set() if before.side_bets.offered else {"side_bets.super_sevens", "side_bets.perfect_pairs"}
    for key in flat(before).keys() - UNTOLD - pays:
        for value in OTHERS:
            with suppress(BadProfile):
                after = changed(before, {key: value}, "a test")
                if after != before:
                    yield key, after


@pytest.mark.parametrize("name", names())
def test_changed_key_changes_a_notice(name):
    """LV-1.3: whatever a house changes in the rules of play is told at its tables."""
    untold = {key for key, after in changes(name) if notices(after) == notices(profile(name))}

    assert untold == set()


def test_every_key_of_play_was_changed():
    """The test above is worth what it changes."""
    assert {key for name in names() for key, _ in changes(name)} == flat(profile("live")).keys() - UNTOLD


def test_notices_of_a_table_name_its_own_limits():
    """LV-1.3: limits are published for each table, in its currency."""
    assert "Wagers from 5.00 to 500.00 CAD on each box, in multiples of 0.01." in notices(
        profile("live"), settings(minimum_minor=500, maximum_minor=50_000)
    )
