"""`feltlog scenario run`: exit status, machine output, and standard input."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from feltlog.__main__ import app
from tests.unit.scenario.test_format import EIGHTS

GOOD = json.dumps(EIGHTS | {"expect": {"players": {"ann": {"net": "5"}}}})
WRONG = json.dumps(EIGHTS | {"expect": {"players": {"ann": {"net": "6"}}}})
INVALID = json.dumps(EIGHTS | {"mood": 1})


def asked(*words, input=None):
    """Return the exit status, standard output and standard error."""
    result = CliRunner().invoke(app, ["scenario", "run", *map(str, words)], input=input, prog_name="feltlog")
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize(
    ("lines", "status"), [([GOOD], 0), ([GOOD, WRONG], 1), ([WRONG, INVALID, GOOD], 2), ([INVALID], 2), ([GOOD, "{"], 2)]
)
def test_exit_status_says_the_worst(tmp_path: Path, lines, status):
    """Scenario page: 0 if all came out as expected, 1 if one did not, 2 if one is no scenario; 2 beats 1."""
    path = tmp_path / "all.jsonl"
    path.write_text("\n".join(lines))

    assert asked(path)[0] == status


def test_json_is_one_result_a_line_and_nothing_else(tmp_path: Path):
    """Scenario page: results in order on standard output, differences on standard error."""
    path = tmp_path / "all.jsonl"
    path.write_text("\n".join([GOOD, WRONG, INVALID]))
    _, out, err = asked(path, "--json")

    assert ([json.loads(line)["outcome"] for line in out.splitlines()], "expect.players.ann.net" in err) == (
        ["settled", "settled", "invalid"],
        True,
    )


@pytest.mark.parametrize("text", [GOOD, json.dumps(json.loads(GOOD), indent=2), f"{GOOD}\n{GOOD}\n"])
def test_dash_is_standard_input(text):
    """Scenario page: a file may be `-`; one text, or one a line."""
    assert asked("-", input=text)[0] == 0


def test_missing_file_is_told_and_the_others_still_run(tmp_path: Path):
    """Scenario page: the others still run."""
    path = tmp_path / "one.json"
    path.write_text(GOOD)
    status, out, _ = asked(tmp_path / "none.json", path, "--json")

    assert (status, [json.loads(line)["outcome"] for line in out.splitlines()]) == (2, ["invalid", "settled"])


def test_nameless_scenario_is_named_after_its_place(tmp_path: Path):
    """Scenario page: the name defaults to FILE, or FILE:LINE."""
    nameless = json.dumps({key: value for key, value in EIGHTS.items() if key != "name"})
    path = tmp_path / "all.jsonl"
    path.write_text(f"\n{nameless}\n")

    assert json.loads(asked(path, "--json")[1])["name"] == f"{path}:2"
