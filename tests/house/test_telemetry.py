"""Telemetry: the page says what the source declares, and what is declared keeps to the conventions."""

import ast
import re

import pytest

from shared.runtime.telemetry import names
from tests.house import told, tree

DECLARED = [value for value in vars(names).values() if isinstance(value, names.Attribute | names.SpanName | names.Metric)]
FORBIDDEN = ("player", "wager", "card", "hand", "stake", "balance", "amount", "money", "actor.id", "secret", "seed", "box")


def test_dictionary_is_what_the_source_declares():
    """Every span, metric and attribute stands on the page with its unit and meaning (`make glossary` writes it)."""
    assert told.written() == told.dictionary()


def test_nothing_is_declared_twice_or_left_out():
    """What is declared is told somewhere, under a name of its own."""
    listed = {*names.SPANS, *names.METRICS, *names.RESOURCE}
    attributes = {each for one in (*names.SPANS, *names.METRICS) for each in one.attributes}

    assert sorted(map(repr, DECLARED)) == sorted(map(repr, listed | attributes))


@pytest.mark.parametrize("name", sorted({each.name for each in DECLARED if not isinstance(each, names.SpanName)}))
def test_name_keeps_to_the_conventions(name: str):
    """OpenTelemetry's: lower case, words in a namespace, ours under `feltlog`."""
    assert re.fullmatch(r"(feltlog|service|telemetry\.sdk)(\.[a-z]+)+", name)


@pytest.mark.parametrize("name", sorted({each.name for each in DECLARED if not isinstance(each, names.SpanName)}))
def test_name_stands_for_nothing_that_is_secret(name: str):
    """No card, no hand, no amount, no person."""
    assert [word for word in FORBIDDEN if word in name] == []


@pytest.mark.parametrize("metric", names.METRICS, ids=lambda metric: metric.name)
def test_metric_has_few_series(metric: names.Metric):
    """A table is the finest that a metric tells apart: no stream, no round, no sequence."""
    assert set(metric.attributes) & {names.STREAM, names.SEQUENCE, names.REVISION, names.COMMAND_TYPES} == set()


@pytest.mark.parametrize("source", sorted((tree.ROOT / "shared/runtime/telemetry").glob("*.py")), ids=lambda path: path.name)
def test_names_are_spelled_in_one_place(source):
    """Elsewhere they are imported, so that what is told cannot differ from what is declared."""
    literals = [node.value for node in ast.walk(ast.parse(source.read_text())) if isinstance(node, ast.Constant)]
    spelled = [text for text in literals if isinstance(text, str) and re.fullmatch(r"feltlog(\.[a-z]+)+", text)]

    assert spelled == [] or source.name == "names.py"
