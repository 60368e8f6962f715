"""The rulings page says what the code does."""

from tests.house.rulings import PAGE, written


def test_table_of_kinds_is_the_contracts():
    """Who may propose and who may approve stands in one table, which `make rules` writes."""
    assert PAGE.read_text() == written()
