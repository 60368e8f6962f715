"""The roll: which rounds there were, as far as the tables' own streams were heard."""

import pytest

from services.surveillance.domain.roll import Roll, TableDay


@pytest.mark.parametrize(
    ("round_id", "known"),
    [
        ("T7.20261130-000002", True),
        ("T7.20261130-000003", False),
        ("T9.20261130-000001", False),
        ("T9.20261129-000001", True),
        ("no round", False),
    ],
)
def test_round_is_known_if_its_table_called_it(round_id: str, known: bool):
    """Of a day of which nothing is kept any more, every round may have been."""
    assert Roll(tables={("T7", "20261130"): TableDay(calls=2)}).knows(round_id) == known
