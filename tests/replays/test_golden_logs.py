"""Golden logs are whole, are decided again as they were decided, and lead to the states that they led to."""

from typing import Any

import msgspec
import pytest

from services.surveillance.domain.chain import Chain, check
from services.surveillance.domain.findings import Finding
from services.surveillance.domain.referee import judge
from services.surveillance.redecide import Again
from shared.contracts.subjects import round_name
from shared.contracts.table import SEMANTICS
from tests.replays.golden import Golden, load, stories
from tests.states import encoded, folded


@pytest.fixture(params=stories())
def golden(request: pytest.FixtureRequest) -> Golden:
    """Each golden log."""
    return load(request.param)


def breaches(findings: list[Finding]) -> list[Finding]:
    """Return what must not be."""
    return [found for found in findings if found.severity == "breach"]


def test_golden_log_is_whole(golden: Golden):
    """Style page, golden logs: never edited, and their digests say so."""
    chains: dict[str, Chain] = {}
    found = [
        one for each in golden.stored() for one in check(chains.setdefault(each.stream, Chain(each.stream)), each, apart_ms=60_000).findings
    ]

    assert found == []


def test_golden_log_is_decided_again_as_it_was(golden: Golden):
    """Log page, versions: a golden log that is decided differently without a new number of the semantics fails."""
    again = Again()
    found = [one for heard in golden.heard() for one in again.hear(heard)]
    decisions = sum(len(heard.entry.decisions) for heard in golden.heard())

    assert (breaches(found), again.same + again.other_version) == ([], decisions)


def test_golden_log_leads_to_the_state_that_it_led_to(golden: Golden):
    """Style page: `evolve` only remembers, so old events lead to old states, whatever fields were added since."""
    different = [final.stream for final in golden.finals if not within(final.state, now(golden, final.stream))]

    assert different == []


def test_golden_round_is_as_its_rule_book_says(golden: Golden):
    """House page: the referee, who shares no code with the table, finds nothing."""
    stream = round_name(golden.story.round).stream
    entries = [heard.entry for heard in golden.heard() if heard.stream == stream]

    assert breaches(judge(entries)) == []


def test_there_is_a_golden_log_of_these_semantics():
    """Log page, versions: what is decided today is held against something that was decided before."""
    assert SEMANTICS in {load(name).story.semantics for name in stories()}


def now(golden: Golden, stream: str) -> Any:
    """Return a stream's state as plain data."""
    return msgspec.json.decode(encoded(folded(stream, golden.events(stream))))


def within(known: Any, told: Any) -> bool:
    """Return whether `told` says all that is known; keys that are new say nothing against it."""
    if isinstance(known, dict) and isinstance(told, dict):
        return all(key in told and within(known[key], told[key]) for key in known)
    if isinstance(known, list) and isinstance(told, list):
        return len(known) == len(told) and all(within(one, other) for one, other in zip(known, told, strict=True))
    return bool(known == told)
