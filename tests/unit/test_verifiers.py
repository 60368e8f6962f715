"""The verifiers of a retired shoe, as a stranger runs them: each alone, on a file that the house exported."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from feltlog.exported import text_of
from feltlog.trouble import Trouble
from shared.kernel.cutting import cut_and_marker, seal
from tests.house.tree import ROOT
from tests.shoes import SECRETS, exported

FOLDER = ROOT / "docs" / "verifiers"
NODE = shutil.which("node")
RUNS = [
    pytest.param([sys.executable, "-I", "-S", str(FOLDER / "verify_shoe.py")], id="python"),
    pytest.param(
        [str(NODE), str(FOLDER / "verify_shoe.js")], id="javascript", marks=pytest.mark.skipif(NODE is None, reason="there is no node")
    ),
]
Bend = Callable[[dict[str, Any]], None]


def verified(run: list[str], shoe: Any, folder: Path, *options: str) -> tuple[int, str]:
    """Return how a verifier ends, and what it says."""
    file = folder / "shoe.json"
    file.write_text(json.dumps(shoe))
    done = subprocess.run([*run, str(file), *options], capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout.strip()


def file_of(shoe: str) -> dict[str, Any]:
    """Return the file of a shoe, read as JSON."""
    read: dict[str, Any] = json.loads(text_of(exported(shoe)))
    return read


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_verifier_tells_how_it_is_used(option: str):
    """A stranger who asks gets the usage, and no complaint."""
    done = subprocess.run([sys.executable, "-I", "-S", str(FOLDER / "verify_shoe.py"), option], capture_output=True, text=True, check=False)

    assert (done.returncode, "python3 verify_shoe.py FILE" in done.stdout, done.stderr) == (0, True, "")


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize(("shoe", "by"), [("T1-S1", "cut by the dealer"), ("T1-S2", "cut by 2 players")])
def test_shoe_holds(run: list[str], shoe: str, by: str, tmp_path: Path):
    """One that nobody gave anything towards, and one that was cut by two while a third kept the secret."""
    status, said = verified(run, file_of(shoe), tmp_path)

    assert (status, said.startswith(f"{shoe} holds: 52 cards committed, {by}, ")) == (0, True)


def wrong_seed(shoe: dict[str, Any]) -> None:
    """Change a digit of the seed."""
    shoe["seed"] = ("0" if shoe["seed"][0] != "0" else "1") + shoe["seed"][1:]


def swapped_card(shoe: dict[str, Any]) -> None:
    """Exchange the first two open cards."""
    one, other = [card for card in shoe["drawn"] if "card" in card][:2]
    one["card"], other["card"] = other["card"], one["card"]


def wrong_path(shoe: dict[str, Any]) -> None:
    """Change a digit in a path."""
    card = next(card for card in shoe["drawn"] if "card" in card)
    card["path"][0] = ("0" if card["path"][0][0] != "0" else "1") + card["path"][0][1:]


def short_path(shoe: dict[str, Any]) -> None:
    """Leave the last step of a path out."""
    next(card for card in shoe["drawn"] if "card" in card)["path"].pop()


def moved_cut(shoe: dict[str, Any]) -> None:
    """Let the cut lie one card further."""
    shoe["cut_at"] += 1


def moved_marker(shoe: dict[str, Any]) -> None:
    """Let the cutting card lie one card further."""
    shoe["cards_behind"] += 1


def other_secret(shoe: dict[str, Any]) -> None:
    """Let a player have told another secret, everywhere."""
    for each in (*shoe["contributions"], *shoe["table_log"]["told"]):
        if each["player"] == "ann":
            each["secret"] = SECRETS["bob"]


def left_out(shoe: dict[str, Any]) -> None:
    """Leave out of the cut whose secret is missing."""
    shoe["contributions"] = [each for each in shoe["contributions"] if each["player"] != "cyd"]


def called_missing(shoe: dict[str, Any]) -> None:
    """Call a secret missing that was told."""
    for each in shoe["contributions"]:
        if each["player"] == "bob":
            each["secret"] = ""


def left_out_card(shoe: dict[str, Any]) -> None:
    """Leave out a card."""
    del shoe["drawn"][3]


def next_unnamed(shoe: dict[str, Any]) -> None:
    """Leave out which shoe replaced this one."""
    shoe["next"]["root"] = ""


def given_twice(shoe: dict[str, Any]) -> None:
    """Cut by a second secret of a player's, which the house chose when it knew all others."""
    name, secret = shoe["shoe"], "ee" * 32
    shoe["contributions"].insert(0, {"player": "ann", "seal": seal(name, "ann", secret), "secret": secret})
    told = [(each["player"], each["secret"]) for each in shoe["contributions"] if each["secret"]]
    bounds = {key: tuple(between) for key, between in shoe["bounds"].items()}
    shoe["cut_at"], shoe["cards_behind"] = cut_and_marker(name, shoe["root"], told, **bounds)
    shoe["drawn"] = [{"index": card["index"]} for card in shoe["drawn"]]


def sealed_twice(shoe: dict[str, Any]) -> None:
    """Let the table have taken another seal of a player as well."""
    shoe["table_log"]["sealed"].insert(0, {"player": "ann", "seal": "0" * 64})


def dealt_round_and_round(shoe: dict[str, Any]) -> None:
    """Deal on when the last card is out."""
    shoe["drawn"] += [{"index": index} for index in range(shoe["left"], 80)]
    shoe["left"] = 80


def marked_outside(shoe: dict[str, Any]) -> None:
    """Let the cutting card lie among more cards than there are."""
    shoe["bounds"]["cutting_card"] = [0, 2**40]


def no_decks(shoe: dict[str, Any]) -> None:
    """Make the shoe of more decks than anybody can lay out."""
    shoe["decks"] = 10**30


def half_a_card(shoe: dict[str, Any]) -> None:
    """Burn half a card."""
    shoe["burns"] = 1.5


BENT: list[tuple[Bend, str]] = [
    (wrong_seed, "The seed of T1-S2 does not give the order that was committed."),
    (swapped_card, "was dealt as"),
    (wrong_path, "does not lead from"),
    (short_path, "does not lead from"),
    (moved_cut, "The cut does not follow from the contributions:"),
    (moved_marker, "The cut does not follow from the contributions:"),
    (other_secret, "The secret of ann is not the one that was sealed."),
    (left_out, "cyd sealed something towards the cut of T1-S2, and it is recorded neither as told nor as missing."),
    (called_missing, "What bob gave at the table is not what T1-S2 was cut by."),
    (left_out_card, "left T1-S2 where card"),
    (next_unnamed, "the shoe that replaced it is not named."),
    (given_twice, "ann stands there more than once towards the cut of T1-S2."),
    (sealed_twice, "ann stands there more than once towards the cut of T1-S2."),
    (dealt_round_and_round, "T1-S2 holds 52 cards; 2 are said to have been burned, and 80 to have left it."),
    (marked_outside, "T1-S2 holds 52 cards, and was to be cut or marked between 0 and 1099511627776 of them."),
    (no_decks, "T1-S2 is "),
    (half_a_card, "T1-S2 is counted with numbers that count nothing."),
]


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize(("bend", "sentence"), BENT, ids=lambda each: getattr(each, "__name__", ""))
def test_what_does_not_hold_is_said_in_one_sentence(run: list[str], bend: Bend, sentence: str, tmp_path: Path):
    """ADR 0018: the verifiers say what is wrong, and end with another status."""
    shoe = file_of("T1-S2")
    bend(shoe)
    status, said = verified(run, shoe, tmp_path)

    assert (status, sentence in said, said.count("\n")) == (1, True, 0)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("shoe", [{}, [], {"format": "feltlog shoe 1"}, None])
def test_what_is_no_shoe_is_said_in_one_sentence(run: list[str], shoe: Any, tmp_path: Path):
    """Whatever stands in the file."""
    status, said = verified(run, shoe, tmp_path)

    assert (status, said.count("\n"), said.endswith((".", '"', "'")) or "does not say" in said) == (1, 0, True)


def test_player_can_ask_after_their_own_secret_and_the_root_that_they_saw(tmp_path: Path):
    """What a player noted down while the shoe was in play is the one thing that no house can change afterwards."""
    shoe = file_of("T1-S2")
    run = RUNS[0].values[0]
    assert isinstance(run, list)
    told = [
        verified(run, shoe, tmp_path, "--root", shoe["root"], "--mine", "ann", SECRETS["ann"])[0],
        verified(run, shoe, tmp_path, "--mine", "cyd", SECRETS["cyd"])[0],
        verified(run, shoe, tmp_path, "--root", "0" * 64)[0],
    ]

    assert told == [0, 1, 1]


def test_shoe_in_play_is_not_exported():
    """Its order is not open."""
    with pytest.raises(Trouble, match="The order of T1-S3 is not open yet"):
        exported("T1-S3")


def test_shoe_that_is_not_there_is_not_exported():
    """A sentence, and what to do."""
    with pytest.raises(Trouble, match="There is no shoe 'T9-S1'"):
        exported("T9-S1")
