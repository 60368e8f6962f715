"""The scenario format: what makes a file invalid, what is a refusal, and how a result is written."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from feltlog.scenario.run import run
from feltlog.scenario.text import CODES, read_json, read_toml

EIGHTS: dict[str, Any] = {
    "format": "feltlog-scenario/1",
    "name": "split eights, second hand busts",
    "profile": "ontario",
    "options": {"dealer.hits_soft_17": False},
    "currency": "CAD",
    "cards": "8H 6D 8S 3C TD 5H KS 9C 4D",
    "boxes": [{"box": 1, "wagers": [{"player": "ann", "stake": "5.00", "seated": True}]}],
    "steps": [
        {"box": 1, "player": "ann", "do": "split"},
        {"box": 1, "player": "ann", "do": "double", "stake": "5.00"},
        {"box": 1, "player": "ann", "do": "hit"},
    ],
}
HERE = Path("here")


def written(data, read) -> Any:
    """Return a result as machines read it."""
    return json.loads(msgspec.json.encode(run("a file", data, read, HERE).result))


def result(changes=None, *, without=()):
    """Return the result of the scenario above with changes, as it is written."""
    said = {key: value for key, value in (EIGHTS | (changes or {})).items() if key not in without}
    return written(json.dumps(said).encode(), read_json)


def test_result_is_written_as_promised():
    """Scenario page: the example of the format, whole."""
    assert result() == {
        "name": "split eights, second hand busts",
        "outcome": "settled",
        "dealer": {"cards": "6D 9C 4D", "total": 19, "soft": False, "blackjack": False},
        "hands": [
            {"box": 1, "hand": 1, "cards": "8H 3C TD", "total": 21, "soft": False, "result": "win"},
            {"box": 1, "hand": 2, "cards": "8S 5H KS", "total": 23, "soft": False, "result": "bust"},
        ],
        "wagers": [
            {"player": "ann", "box": 1, "hand": 1, "kind": "main", "stake": "5.00", "returned": "10.00"},
            {"player": "ann", "box": 1, "hand": 1, "kind": "double", "stake": "5.00", "returned": "10.00"},
            {"player": "ann", "box": 1, "hand": 2, "kind": "split", "stake": "5.00", "returned": "0.00"},
        ],
        "players": {"ann": {"staked": "15.00", "returned": "20.00", "net": "5.00"}},
        "refused": [],
        "awaiting": None,
        "cards_used": 9,
    }


def test_awaiting_round_says_who_may_do_what():
    """Scenario page: undecided figures are null, the dealer shows open cards only."""
    found = result({"steps": []})

    assert (found["outcome"], found["awaiting"], found["dealer"]["blackjack"], found["players"]["ann"]) == (
        "awaiting",
        {"what": "decision", "who": [{"box": 1, "hand": 1, "player": "ann", "legal": ["hit", "stand", "double", "split"]}]},
        False,
        {"staked": "5.00", "returned": None, "net": None},
    )


def test_bust_hand_is_decided_while_others_play():
    """Decision 1: a player who busts loses at once."""
    boxes = [{"box": box, "wagers": [{"player": name, "stake": "4.00"}]} for box, name in ((1, "ann"), (2, "bob"))]
    found = result({"boxes": boxes, "cards": "TH 9S 6D 6H 8S TC", "steps": [{"box": 1, "player": "ann", "do": "hit"}]})

    assert [(hand["result"]) for hand in found["hands"]] + [player["net"] for player in found["players"].values()] == [
        "bust",
        None,
        "-4.00",
        None,
    ]


@pytest.mark.parametrize(
    ("changes", "code", "path"),
    [
        ({"format": "feltlog-scenario/2"}, "bad_value", "$.format"),
        ({"mood": 1}, "unknown_field", "$"),
        ({"cards": 5}, "bad_value", "$.cards"),
        ({"cards": "8H 6X"}, "bad_card", "$.cards"),
        ({"cards": "8H " * 7}, "too_many_of_a_card", "$.cards"),
        ({"cards": "8H 6D"}, "cards_exhausted", "$.cards[2]"),
        ({"currency": "XYZ"}, "bad_value", "$.currency"),
        ({"profile": "vegas"}, "unknown_profile", "$.profile"),
        ({"profile": "../\u0000"}, "unknown_profile", "$.profile"),
        ({"options": {"dealer.mood": True}}, "bad_option", "$.options"),
        ({"options": {"decks": "six"}}, "bad_option", "$.options"),
        ({"options": {"decks": 99}}, "bad_option", "$.options"),
        ({"boxes": EIGHTS["boxes"] * 2}, "box_twice", "$.boxes[1].box"),
        ({"boxes": [{"box": 1, "wagers": EIGHTS["boxes"][0]["wagers"] * 2}]}, "seated_twice", "$.boxes[0].wagers"),
        ({"boxes": [{"box": 1, "wagers": [{"player": "ann", "stake": "-1"}]}]}, "bad_value", "$.boxes[0].wagers[0].stake"),
        ({"boxes": [{"box": 1, "wagers": [{"player": "ann", "stake": "1e3"}]}]}, "bad_value", "$.boxes[0].wagers[0].stake"),
        ({"boxes": [{"box": 1, "wagers": [{"player": "ann", "stake": 5}]}]}, "bad_value", "$.boxes[0].wagers[0].stake"),
        ({"steps": [{"box": 1, "player": "ann", "do": "fly"}]}, "bad_value", "$.steps[0].do"),
        ({"steps": [{"box": 1, "player": "ann"}]}, "missing_field", "$.steps[0]"),
        ({"steps": [{"box": 1, "do": "hit"}]}, "missing_field", "$.steps[0]"),
        ({"steps": [{"box": 1, "player": "ann", "do": "hit", "stake": "1"}]}, "unknown_field", "$.steps[0]"),
    ],
)
def test_what_is_no_scenario_is_invalid(changes, code, path):
    """Scenario page: a stable code, the path and a sentence."""
    found = result(changes)

    assert (found["outcome"], found["error"]["code"], found["error"]["path"], found["name"]) == ("invalid", code, path, EIGHTS["name"])


@pytest.mark.parametrize("key", ["format", "profile", "cards", "boxes", "currency"])
def test_what_is_missing_is_invalid(key):
    """Scenario page: these five must be there."""
    assert result(without=[key])["error"]["code"] == "missing_field"


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"format": "feltlog-scenario/1"'])
def test_bytes_that_are_no_text_are_invalid(data):
    """Bad input gets a stable code, never a traceback."""
    found = [written(data, read) for read in (read_json, read_toml)]

    assert [(each["outcome"], each["error"]["code"] in CODES) for each in found] == [("invalid", True)] * 2


@pytest.mark.parametrize(
    ("stake", "code"),
    [("0", "below_minimum"), ("0.99", "below_minimum"), ("5.01", "above_maximum"), ("9" * 60, "above_maximum"), ("2.001", "not_exact")],
)
def test_stake_that_the_table_does_not_take_is_a_refusal(stake, code):
    """Scenario page: zero, too precise or outside the limits is refused; with no wager accepted the round is void."""
    found = result({"boxes": [{"box": 1, "wagers": [{"player": "ann", "stake": stake}]}], "steps": []})

    assert (found["outcome"], found["refused"][0]["code"], found["dealer"], found["hands"], found["cards_used"]) == (
        "void",
        code,
        None,
        [],
        0,
    )


@pytest.mark.parametrize(
    ("step", "code"),
    [
        ({"box": 2, "player": "ann", "do": "hit"}, "no_such_box"),
        ({"box": 1, "player": "bob", "do": "hit"}, "not_decision_caller"),
        ({"box": 1, "player": "ann", "do": "insure"}, "insurance_closed"),
        ({"do": "close_insurance"}, "insurance_closed"),
        ({"box": 1, "player": "ann", "do": "double", "stake": "6.00"}, "above_maximum"),
    ],
)
def test_refused_step_changes_nothing_and_the_run_goes_on(step, code):
    """Scenario page: a step that the rules refuse is listed, and changes nothing else."""
    found = result({"steps": [step, *EIGHTS["steps"]]})

    assert ([(row["step"], row["code"]) for row in found["refused"]], found["players"]["ann"]["net"]) == ([(0, code)], "5.00")


def test_step_after_the_end_is_refused():
    """Scenario page: steps after the end are refused with `round_over`, whoever takes them."""
    steps = [*EIGHTS["steps"], {"box": 9, "player": "nobody", "do": "hit"}, {"do": "timeout"}]

    assert [(row["step"], row["code"]) for row in result({"steps": steps})["refused"]] == [(3, "round_over"), (4, "round_over")]


def test_other_step_closes_the_window_even_when_it_is_refused():
    """Decision 14: the window closes at the first step that is not about insurance."""
    steps = [{"box": 1, "player": "bob", "do": "hit"}, {"box": 1, "player": "ann", "do": "insure"}]
    found = result({"cards": "8H AD 8S", "steps": steps})

    assert [(row["step"], row["code"]) for row in found["refused"]] == [(0, "not_decision_caller"), (1, "insurance_closed")]


def test_currency_without_decimals_has_whole_chips():
    """Decision 10: no chip is worth less than the currency's smallest unit; winnings are rounded up."""
    found = result(
        {
            "profile": "live",
            "options": {},
            "currency": "JPY",
            "cards": "AH 9D KS 8C",
            "boxes": [{"box": 1, "wagers": [{"player": "ann", "stake": "5"}]}],
            "steps": [],
        }
    )

    assert found["players"] == {"ann": {"staked": "5", "returned": "13", "net": "8"}}


def test_options_of_a_toml_file_are_dotted_keys():
    """Scenario page: a file may be TOML; its options are quoted keys."""
    text = """
    format = "feltlog-scenario/1"
    profile = "ontario"
    options = { "dealer.hits_soft_17" = false }
    currency = "CAD"
    cards = "TH AD TS 6C"
    steps = [ { do = "timeout" }, { do = "stand", box = 1, player = "ann" } ]
    expect = { players = { ann = { net = "4" } } }
    [[boxes]]
    box = 1
    wagers = [ { player = "ann", stake = "4.00" } ]
    """

    assert run("a file", text.encode(), read_toml, HERE).differences == ()
