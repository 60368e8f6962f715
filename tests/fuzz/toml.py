"""TOML, written down: as much of it as settings have, so that altered settings can be read as a file."""

import json
from typing import Any


def written(told: Any) -> bytes:
    """Return data as TOML, tables and rows of tables in their long form where that can be."""
    return "\n".join(_table(told, "")).encode("utf-8", "surrogatepass") if isinstance(told, dict) else _value(told).encode()


def _table(told: dict[str, Any], path: str) -> list[str]:
    """Return the lines of a table: its own values first, then the tables within it."""
    lines = [f"{_key(name)} = {_value(value)}" for name, value in told.items() if not _is_table(value)]
    for name, value in told.items():
        inner = f"{path}.{_key(name)}" if path else _key(name)
        if isinstance(value, dict) and value:
            lines += [f"[{inner}]", *_table(value, inner)]
        elif _is_table(value):
            for row in value:
                lines += [f"[[{inner}]]", *_table(row, inner)]
    return lines


def _is_table(value: Any) -> bool:
    rows = isinstance(value, list) and value and all(isinstance(row, dict) and row for row in value)
    return bool(rows or (isinstance(value, dict) and value))


def _key(name: str) -> str:
    return json.dumps(name)


def _value(value: Any) -> str:
    match value:
        case bool() | str() | int() | float():
            return json.dumps(value)
        case None:
            return '""'
        case list() | tuple():
            return f"[{', '.join(map(_value, value))}]"
        case dict():
            return f"{{{', '.join(f'{_key(name)} = {_value(inner)}' for name, inner in value.items())}}}"
        case _:
            raise NotImplementedError(f"no setting is a {type(value).__name__}")
