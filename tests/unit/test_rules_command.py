"""`feltlog rules`: the books, what a house changed, and whether its file holds together."""

import json

import pytest
from typer.testing import CliRunner

from feltlog.__main__ import app
from feltlog.commands.rules import reasons
from shared.kernel.profile_text import flat
from shared.runtime.shelf import names, profile

LATE = 'name = "late"\nbase = "live"\n\n[dealer]\nhits_soft_17 = true\n'


@pytest.fixture
def house(tmp_path):
    """Return a data directory with one profile in it."""
    folder = tmp_path / "profiles"
    folder.mkdir()
    (folder / "late.toml").write_text(LATE)
    return tmp_path


def asked(*words):
    """Return the exit status and what was printed."""
    result = CliRunner().invoke(app, ["rules", *map(str, words)], prog_name="feltlog")
    return result.exit_code, result.output


def test_list_names_the_books_and_the_house_s_own(house):
    """A house sees what its tables may be opened under."""
    code, said = asked("list", "--data", house, "--json")

    assert (code, [json.loads(line)["name"] for line in said.splitlines()]) == (0, ["floor", "live", "ontario", "late"])


def test_list_says_which_file_cannot_be_used(house):
    """Exit 1 and a sentence that names the file."""
    (house / "profiles" / "odd.toml").write_text('name = "odd"\nbase = "vegas"\n')
    code, said = asked("list", "--data", house)

    assert (code, "odd.toml: key base: 'vegas' is no rule book" in said) == (1, True)


def test_show_says_what_the_house_changed(house):
    """A key that a house changed is said to be the house's, with what the book says."""
    code, said = asked("show", "late", "--data", house)

    assert (code, [line.split() for line in said.splitlines() if "this house" in line]) == (
        0,
        [["dealer.hits_soft_17", "true", "this", "house;", "the", "book:", "false"]],
    )


@pytest.mark.parametrize("name", names())
def test_show_gives_every_key_a_source(name):
    """Clause catalogue: surveillance can point from a key to the clause."""
    assert flat(profile(name)).keys() - reasons(name).keys() == {"name", "book"}


def test_check_counts_the_changes(house):
    """A file is read as a table would read it."""
    code, said = asked("check", house / "profiles" / "late.toml", "--json")

    assert (code, json.loads(said)) == (0, {"name": "late", "book": "LV", "changes": ["dealer.hits_soft_17"]})


@pytest.mark.parametrize(("text", "words"), [("decks = ", "late.toml: "), ("", "late.toml: key "), ("\x00", "late.toml: ")])
def test_check_refuses_with_a_sentence(house, text, words):
    """Exit 1 and a sentence, never a traceback."""
    path = house / "profiles" / "late.toml"
    path.write_text(text)
    code, said = asked("check", path)

    assert (code, said.startswith(words)) == (1, True)


@pytest.mark.parametrize(("pair", "status"), [(("live", "live"), 0), (("live", "late"), 1)])
def test_diff_tells_by_its_exit_status(house, pair, status):
    """As other programs that compare: 0 for the same, 1 for different."""
    assert asked("diff", *pair, "--data", house)[0] == status
