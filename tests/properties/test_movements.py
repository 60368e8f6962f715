"""Movements without end: the ledger beside a till of plain numbers; `make movements` walks a million."""

import pytest

from tests.movements.walk import Walk


@pytest.mark.parametrize("seed", [1, 2])
def test_every_balance_is_the_tills(seed: int):
    """Whatever happens in whichever order: allowed alike, every account to the unit, and each currency comes to nothing."""
    assert list(Walk(seed).steps(22_000))[-1] == 22_000
