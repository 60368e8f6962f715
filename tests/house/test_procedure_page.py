"""The procedure page says what the code does."""

from typing import get_args

from shared.contracts.procedure import CardFault, ShoeFault
from tests.house.procedure import PAGE, written


def test_table_of_steps_is_the_contracts():
    """Who may do which step stands in one table, which `make rules` writes."""
    assert PAGE.read_text() == written()


def test_every_fault_is_named():
    """What `--fault` takes is told."""
    page = PAGE.read_text()

    assert [fault for fault in (*get_args(CardFault), *get_args(ShoeFault)) if f"`{fault}`" not in page] == []
