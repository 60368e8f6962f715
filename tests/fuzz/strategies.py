"""What the fuzz draws: values of every type of the language, bytes a little beside those that were meant, and what people mistype."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec import inspect

INT_MAX = 2**63 - 1
EDGES = (0, 1, -1, 2, 7, 100, 255, 256, 10**6, 10**15, 2**53, INT_MAX, -INT_MAX - 1)
ODD = (
    "",
    " ",
    "\0",
    "\n",
    "\x1b[31m",
    "[red]",
    "%s",
    "..",
    "*",
    ">",
    "é",
    "\u202e",
    "🂡",
    "a" * 65,
    "A" * 5_000,
    "T7",
    "-1",
    "nan",
    "1e999",
)
"""Texts that have broken something somewhere: nothing, control characters, mark-up, wildcards, too much."""

texts = st.sampled_from(ODD) | st.text(max_size=30)
KINDS: dict[type, type[inspect.Type]] = {str: inspect.StrType, int: inspect.IntType}
whole_numbers = st.sampled_from(EDGES) | st.integers(-10, 1_000) | st.integers(-INT_MAX - 1, INT_MAX)
plain_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | whole_numbers | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
"""What JSON and TOML can say."""


Known = Mapping[str, tuple[Any, ...]]
"""What was seen in fields of a name."""


def of(kind: Any, known: Known | None = None) -> st.SearchStrategy[Any]:
    """Return values of a type of the language; texts and numbers are what was seen in such a field more often than not."""
    return _of(inspect.type_info(kind), "", known or {})


def _of(info: inspect.Type, name: str, known: Known) -> st.SearchStrategy[Any]:
    drawn = _any(info, name, known)
    seen = [value for value in known.get(name, ()) if isinstance(info, KINDS.get(type(value), ()))]
    return st.one_of(*(3 * [st.sampled_from(seen)]), drawn) if seen else drawn


def _any(info: inspect.Type, name: str, known: Known) -> st.SearchStrategy[Any]:
    match info:
        case inspect.StructType(cls=cls, fields=fields):
            return st.fixed_dictionaries({field.name: _of(field.type, field.name, known) for field in fields}).map(
                lambda given: cls(**given)
            )
        case inspect.UnionType(types=types):
            return st.one_of([_of(each, name, known) for each in types])
        case inspect.LiteralType(values=values):
            return st.sampled_from(values)
        case inspect.IntType(ge=low, le=high):
            return st.integers(low, high) if low is not None or high is not None else whole_numbers
        case inspect.StrType(pattern=str(pattern)):
            return st.from_regex(pattern)
        case inspect.StrType():
            return texts
        case inspect.BoolType():
            return st.booleans()
        case inspect.NoneType():
            return st.none()
        case inspect.VarTupleType(item_type=item):
            return st.lists(_of(item, name, known), max_size=4).map(tuple)
        case inspect.TupleType(item_types=items):
            return st.tuples(*(_of(item, name, known) for item in items))
        case inspect.DictType(key_type=key, value_type=value):
            return st.dictionaries(_of(key, name, known), _of(value, name, known), max_size=3)
        case _:
            raise NotImplementedError(f"the language has a type that is not drawn yet: {info}")


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """Return bytes in which something is wrong: turned, cut, doubled, put in, or nested beyond measure."""
    place = draw(st.integers(0, len(data)))
    upto = draw(st.integers(place, min(len(data), place + 40)))
    match draw(st.sampled_from(("flip", "cut", "end", "double", "insert", "number", "nest"))):
        case "flip":
            turned = bytearray(data)
            turned[place % len(data)] ^= 1 << draw(st.integers(0, 7))
            return bytes(turned)
        case "cut":
            return data[:place] + data[upto:]
        case "end":
            return data[:place]
        case "double":
            return data[:upto] + data[place:]
        case "insert":
            return data[:place] + draw(st.binary(max_size=20)) + data[place:]
        case "number":
            return data[:place] + b"9" * draw(st.sampled_from((1, 20, 400, 5_000))) + data[place:]
        case _:
            return data[:place] + b"[" * draw(st.sampled_from((1, 500, 3_000))) + data[place:]


@st.composite
def altered(draw: st.DrawFn, told: Any, values: st.SearchStrategy[Any] = plain_values) -> Any:
    """Return data of JSON or TOML with one part of it replaced, left out or added somewhere."""
    if isinstance(told, dict) and told:
        key = draw(st.sampled_from(sorted(told)))
        match draw(st.sampled_from(("inside", "inside", "inside", "without", "beside"))):
            case "inside":
                return {**told, key: draw(altered(told[key], values))}
            case "without":
                return {name: value for name, value in told.items() if name != key}
            case _:
                return {**told, draw(texts): draw(values)}
    if isinstance(told, list) and told:
        place = draw(st.integers(0, len(told) - 1))
        match draw(st.sampled_from(("inside", "inside", "inside", "without", "again"))):
            case "inside":
                return [*told[:place], draw(altered(told[place], values)), *told[place + 1 :]]
            case "without":
                return [*told[:place], *told[place + 1 :]]
            case _:
                return [*told, told[place]]
    return draw(st.sampled_from(EDGES) if isinstance(told, int) and draw(st.booleans()) else values)


def altered_json(data: bytes) -> st.SearchStrategy[bytes]:
    """Return JSON that says something else in one place."""
    return altered(msgspec.json.decode(data)).map(msgspec.json.encode)


Near = Callable[[bytes], st.SearchStrategy[bytes]]


def near(data: bytes) -> st.SearchStrategy[bytes]:
    """Return bytes near to `data`: damaged ones, or the same text saying something else; sometimes any bytes at all."""
    return damaged(data) | altered_json(data) | st.binary(max_size=200)
