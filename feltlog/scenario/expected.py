"""What a scenario expects, held against how it came out: every key that stands there must be equal, recursively.

Money is compared as numbers, so `"5"` and `"5.00"` are the same amount.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

AMOUNT = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def differences(expected: Any, found: Any, path: str = "expect") -> Iterator[str]:
    """Yield a sentence for each place where `found` is not what was expected."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key, value in expected.items():
            if key not in found:
                yield f"{path}.{key}: expected {value!r}, and there is nothing."
            else:
                yield from differences(value, found[key], f"{path}.{key}")
    elif isinstance(expected, list) and isinstance(found, list | tuple):
        if len(expected) != len(found):
            yield f"{path}: expected {len(expected)} of them, found {len(found)}."
        for at, (want, have) in enumerate(zip(expected, found, strict=False)):
            yield from differences(want, have, f"{path}[{at}]")
    elif not _same(expected, found):
        yield f"{path}: expected {expected!r}, found {found!r}."


def _same(expected: Any, found: Any) -> bool:
    if isinstance(expected, bool) or isinstance(found, bool):
        return expected is found
    if isinstance(expected, str) and isinstance(found, str) and AMOUNT.fullmatch(expected) and AMOUNT.fullmatch(found):
        return Decimal(expected) == Decimal(found)
    return bool(expected == found)
