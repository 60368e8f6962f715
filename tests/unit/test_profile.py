"""Profiles: the shelf's rule books, and sentences about texts that are none."""

import pytest

from shared.kernel.money import Ratio
from shared.kernel.profile_text import BadProfile, decode
from shared.runtime.shelf import ROOM, names, own_profile, profile

LIVE = ROOM.joinpath("live.toml").read_text(encoding="utf-8")


def test_shelf_holds_three_books():
    """Clause catalogue: ontario, floor and live."""
    assert names() == ("floor", "live", "ontario")


def test_unknown_profile_is_a_sentence():
    """Errors are sentences: what is wrong, and what to do."""
    with pytest.raises(BadProfile, match="there is no profile 'vegas': use one of floor, live, ontario"):
        profile("vegas")


def test_house_may_write_a_profile_of_its_own(tmp_path):
    """House page: a house and a rule book choose the rules; a table opens under what the house wrote down."""
    (tmp_path / "single.toml").write_text(LIVE.replace('"live"', '"single"').replace("decks = 8", "decks = 1"))

    assert (own_profile("single", tmp_path).decks, own_profile("live", tmp_path).decks) == (1, 8)


def test_house_cannot_rewrite_a_built_in_profile(tmp_path):
    """House page: the name of a rule book always means that rule book."""
    (tmp_path / "live.toml").write_text(LIVE.replace("decks = 8", "decks = 1"))

    assert own_profile("live", tmp_path) == profile("live")


@pytest.mark.parametrize("name", ["vegas", "../vegas", ""])
def test_profile_that_nobody_wrote_is_a_sentence(name, tmp_path):
    """Errors are sentences, and no name leads out of the folder."""
    (tmp_path / "vegas.toml").write_text("")
    with pytest.raises(BadProfile, match="there is no profile"):
        own_profile(name, tmp_path / "profiles")


@pytest.mark.parametrize(("name", "decks"), [("ontario", 6), ("floor", 8), ("live", 8)])
def test_book_has_its_decks(name, decks):
    """ON-2.1, FL-3.1, decision 8."""
    assert profile(name).decks == decks


def test_ontario_is_as_its_book_says():
    """ON-1.1, ON-1.2, ON-3.5, ON-6.3, ON-7.2, ON-7.5, ON-9.6, ON-10.1, ON-10.2."""
    book = profile("ontario")

    assert (
        book.minimum,
        book.maximum,
        book.blackjack_pays,
        book.dealer.hole_card,
        book.insurance.amount,
        book.insurance.even_money,
        book.split.hands_max,
        book.split.ace_hands_max,
        book.dealer.hits_soft_17,
    ) == ("1.00", "5.00", Ratio(3, 2), False, "exactly_half", True, 3, 2, True)


def test_live_is_as_its_book_says():
    """LV-0.1, LV-2.5.1, LV-2.6, LV-2.7, LV-3.8, LV-4.5, decision 2."""
    book = profile("live")

    assert (
        book.dealer.hole_card,
        book.dealer.peeks_under_ace,
        book.dealer.hits_soft_17,
        book.double.for_less,
        book.insurance.amount,
        book.split.hands_max,
        book.boxes_per_player_max,
    ) == (True, True, False, True, "up_to_half_rounded_up", 2, 1)


@pytest.mark.parametrize(
    ("name", "double", "split"), [("ontario", "all", "all"), ("live", "original", "all"), ("floor", "original", "original")]
)
def test_book_says_what_a_dealer_blackjack_takes(name, double, split):
    """Decision 3, ON-8.2, ON-9.5, LV-2.6."""
    book = profile(name)

    assert (book.double.dealer_blackjack_takes, book.split.dealer_blackjack_takes) == (double, split)


@pytest.mark.parametrize("name", names())
def test_every_key_names_its_source(name):
    """Clause catalogue: a rule key, a test and a line of documentation cite the same id."""
    text = ROOM.joinpath(f"{name}.toml").read_text(encoding="utf-8")
    keys = [line for line in text.splitlines() if " = " in line and not line.startswith(("name", "book"))]

    assert [line for line in keys if not any(word in line for word in ("# ON-", "# LV-", "# FL-", "# decision"))] == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("decks = 8", "dekcs = 8", "live.toml: key dekcs: no profile has this key"),
        ("decks = 8", 'decks = "8"', "live.toml: key decks: "),
        ("decks = 8", "decks = true", "live.toml: key decks: "),
        ("decks = 8", "decks = 9", "live.toml: key decks: 1 to 8 decks"),
        ("decks = 8", "# no decks", "live.toml: key decks: it is missing"),
        ("hole_card = true", "hole_card = false", "live.toml: key dealer.peeks_under_ace: "),
        ("pays = [2, 1]", "pays = [2]", "live.toml: key insurance.pays: "),
        ("pays = [2, 1]", "pays = [1, 2]", "live.toml: key insurance.pays: "),
        ('"up_to_half_rounded_up"', '"exactly_half"', "live.toml: key insurance.amount: "),
        ('"up_to_half_rounded_up"', '"all"', "live.toml: key insurance.amount: "),
        ('name = "live"', 'name = "life"', "live.toml: key name: "),
        ('book = "LV"', 'book = "XX"', "live.toml: key book: "),
        ("boxes_max = 7", "boxes_max = 8", "live.toml: key boxes_max: "),
        ("boxes_per_player_max = 1", "boxes_per_player_max = 8", "live.toml: key boxes_per_player_max: "),
        ('minimum = "1.00"', 'minimum = "0"', "live.toml: key minimum: "),
        ('maximum = "1000.00"', 'maximum = "0.50"', "live.toml: key maximum: "),
        ('chip_unit = "0.01"', 'chip_unit = "a cent"', "live.toml: key chip_unit: "),
        ("hands_max = 2", "hands_max = 9", "live.toml: key split."),
        ("cut = [[1, 8], [7, 8]]", "cut = [[7, 8], [1, 8]]", "live.toml: key shoe.cut: "),
        ("cut = [[1, 8], [7, 8]]", "cut = [[1, 0], [7, 8]]", "live.toml: key shoe.cut: "),
        ("burns_after_shuffle = 6", "burns_after_shuffle = 300", "live.toml: key shoe.burns_after_shuffle: "),
        ('name = "live"', "name = live", "live.toml: "),
    ],
)
def test_bad_profile_names_file_and_key(old, new, words):
    """Errors are sentences: what is wrong, where, what to do."""
    with pytest.raises(BadProfile) as caught:
        decode(LIVE.replace(old, new, 1), "live.toml")

    assert str(caught.value).startswith(words)


def test_floor_has_the_decks_of_its_book():
    """FL-3.1: 3, 4, 6 or 8 decks."""
    text = ROOM.joinpath("floor.toml").read_text(encoding="utf-8").replace("decks = 8", "decks = 5", 1)
    with pytest.raises(BadProfile) as caught:
        decode(text, "floor.toml")

    assert str(caught.value) == "floor.toml: key decks: 3, 4, 6 or 8 decks (FL-3.1)"
