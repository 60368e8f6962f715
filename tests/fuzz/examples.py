"""How much is drawn: a little in `make test`, the same each time; as much as is asked for in `make fuzz EXAMPLES=`, anew each time."""

import os
from collections.abc import Callable
from typing import TypeVar

from hypothesis import HealthCheck, settings

Test = TypeVar("Test", bound=Callable[..., object])

EXAMPLES = os.environ.get("FUZZ_EXAMPLES", "")
FEW = 40


def fuzz(*, share: int = 1) -> Callable[[Test], Test]:
    """Return a decorator that draws the examples of a test; one that takes long for each has a smaller share: so many times fewer."""
    drawn = int(EXAMPLES) if EXAMPLES else FEW

    def decorate(test: Test) -> Test:
        return settings(
            max_examples=max(1, drawn // share),
            derandomize=not EXAMPLES,
            database=None,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        )(test)

    return decorate
