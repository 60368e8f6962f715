"""What an evening came to."""

from feltlog.account import interest, most_interesting, played, sums_of_players, sums_of_tables
from feltlog.reading import page
from shared.contracts.subjects import round_name
from tests.house_log import BEGAN_MS, SPLIT_ROUND, HandMadeLogs, split_round


def evening(since_ms: int = 0):
    """Return the rounds of an evening of one round."""
    logs = HandMadeLogs()
    split_round(logs)
    return played({round_name(SPLIT_ROUND): [page(stored) for stored in logs.stored]}, since_ms)


def test_the_sums_of_tables_are_those_of_their_rounds():
    """Staked and returned, in the table's currency."""
    total = sums_of_tables(evening())[0]

    assert (total.who, total.rounds, total.staked_minor, total.returned_minor, total.currency) == ("T1", 1, 5000, 4000, "CAD")


def test_the_sums_of_players_are_those_of_their_wagers():
    """By name."""

    assert [(total.who, total.staked_minor, total.returned_minor) for total in sums_of_players(evening())] == [
        ("ann", 3000, 4000),
        ("bob", 2000, 0),
    ]


def test_rounds_before_the_evening_do_not_count():
    """A directory may hold older ones."""

    assert evening(BEGAN_MS + 1) == []


def test_a_split_and_a_double_are_worth_a_second_look():
    """Three kinds of wagers, one split, three results."""

    assert [interest(each) for each in evening()] == [10 * 3 + 5 + 3]


def test_an_evening_without_rounds_has_nothing_to_dispute():
    """Nothing is chosen."""

    assert most_interesting([]) is None
