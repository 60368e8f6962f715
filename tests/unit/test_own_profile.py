"""Profiles of a house's own: a rule book with a few keys changed, and sentences about what cannot be changed like that."""

import pytest

from shared.kernel.profile_text import BadProfile, changed, decode, flat
from shared.runtime.shelf import books, profile

LATE = """
name = "late"
base = "live"
maximum = "200.00"

[dealer]
hits_soft_17 = true
"""


def late(text=LATE):
    """Return the house's own profile."""
    return decode(text, "late.toml", books())


def test_own_profile_is_its_book_but_for_what_it_says():
    """House page: a house changes a profile by a small file that names its base and overrides keys."""
    before, after = flat(profile("live")), flat(late())

    assert {key: value for key, value in after.items() if before[key] != value} == {
        "name": "late",
        "maximum": "200.00",
        "dealer.hits_soft_17": True,
    }


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('base = "live"', 'base = "vegas"', "late.toml: key base: 'vegas' is no rule book; it is one of floor, live, ontario"),
        ('base = "live"', "base = 3", "late.toml: key base: 3 is no rule book"),
        ('name = "late"', "", "late.toml: key name: it must be the file's own name"),
        ("hits_soft_17", "hits_soft_71", "late.toml: key dealer.hits_soft_71: no profile has this key"),
        ("hits_soft_17 = true", 'hits_soft_17 = "yes"', "late.toml: key dealer.hits_soft_17: "),
        ("[dealer]\nhits_soft_17 = true", "dealer = true", "late.toml: key dealer: "),
        ("hits_soft_17 = true", "hole_card = false", "late.toml: key dealer.peeks_under_ace: "),
        ('maximum = "200.00"', 'maximum = "0.50"', "late.toml: key maximum: "),
        ("[dealer]", "[dealer", "late.toml: "),
        ('maximum = "200.00"', 'maximum = "200.00"\nblackjack_pays = [1000000000000000000, 1]', "late.toml: key maximum: "),
        ('maximum = "200.00"', 'maximum = "1000000000000.00"', "late.toml: key maximum: "),
        (
            "[dealer]",
            "[side_bets]\nsuper_sevens = [3, 50, 100, 500, 90000000000]\noffered = ['super_sevens']\n[dealer]",
            "late.toml: key maximum: ",
        ),
        ('maximum = "200.00"', 'maximum = "200.00"\nchip_unit = "500.00"', "late.toml: key chip_unit: "),
    ],
)
def test_bad_change_names_file_and_key(old, new, words):
    """Errors are sentences: an unknown key, a wrong type or an impossible combination names key and file."""
    with pytest.raises(BadProfile) as caught:
        late(LATE.replace(old, new, 1))

    assert str(caught.value).startswith(words)


def test_option_changes_one_key():
    """Scenario files: dotted profile keys that one scenario overrides."""
    other = changed(profile("ontario"), {"dealer.hits_soft_17": False, "decks": 4}, "a scenario")

    assert (other.dealer.hits_soft_17, other.decks, other.dealer.hole_card) == (False, 4, False)


@pytest.mark.parametrize("key", ["dealer.mood", "mood", "dealer.hole_card.colour", "", ".", "dealer."])
def test_unknown_option_is_a_sentence(key):
    """Scenario files: an unknown key makes the file invalid."""
    with pytest.raises(BadProfile, match="a scenario: key "):
        changed(profile("ontario"), {key: True}, "a scenario")
