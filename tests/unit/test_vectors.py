"""The vectors of docs/shuffle.md: the house's code, the verifier for strangers and the page say the same."""

import hashlib
import importlib.util
from itertools import islice
from types import ModuleType
from typing import Any

import msgspec
import pytest

from services.shoe.domain.shuffle import leaves, order, salts, words
from shared.kernel.commitment import Tree
from shared.kernel.cutting import cut_and_marker, seal
from tests.house.tree import ROOT

FOLDER = ROOT / "docs" / "verifiers"
PAGE = (ROOT / "docs" / "shuffle.md").read_text()
VECTORS: dict[str, Any] = msgspec.json.decode((FOLDER / "vectors.json").read_bytes())
SEED, SHOE = bytes.fromhex(VECTORS["seed"]), VECTORS["shoe"]
TOLD = [(each["player"], each["secret"]) for each in VECTORS["contributions"]]
SHOES: list[dict[str, Any]] = VECTORS["shoes"]
NAMES = [f"{each['decks']} decks without {len(each['without'])}" for each in SHOES]


def stranger() -> ModuleType:
    """Return the verifier for Python, as a module."""
    spec = importlib.util.spec_from_file_location("verify_shoe", FOLDER / "verify_shoe.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


THEIRS = stranger()


def ours(row: dict[str, Any]) -> dict[str, Any]:
    """Return what the house's code says of a shoe."""
    cards = order(SEED, SHOE, row["decks"], row["without"])
    salted = salts(SEED, SHOE, len(cards))
    leaved = leaves(SHOE, cards, salted)
    tree = Tree(leaved)
    bounds = {"cut": tuple(row["cut_bounds"]), "cutting_card": tuple(row["cutting_card_bounds"])}
    return row | {
        "cards": len(cards),
        "first": list(cards[:8]),
        "order_sha256": hashlib.sha256(" ".join(cards).encode()).hexdigest(),
        "salt_of_first": salted[0],
        "leaf_of_first": leaved[0].hex(),
        "path_of_first": list(tree.path(0)),
        "root": tree.root,
        "cut_by_dealer": list(cut_and_marker(SHOE, tree.root, (), **bounds)),
        "cut_by_ann": list(cut_and_marker(SHOE, tree.root, TOLD[:1], **bounds)),
        "cut_by_ann_and_bob": list(cut_and_marker(SHOE, tree.root, TOLD, **bounds)),
    }


def theirs(row: dict[str, Any]) -> dict[str, Any]:
    """Return what the verifier says of it."""
    cards = THEIRS.shuffled(SEED, SHOE, row["decks"], row["without"])
    salted = [THEIRS.salt_at(SEED, SHOE, place) for place in range(len(cards))]
    leaved = [THEIRS.leaf(SHOE, place, salt, card) for place, (salt, card) in enumerate(zip(salted, cards, strict=True))]
    root = THEIRS.root_of(leaved)
    bounds = (row["cut_bounds"], row["cutting_card_bounds"])
    return row | {
        "cards": len(cards),
        "first": cards[:8],
        "order_sha256": hashlib.sha256(" ".join(cards).encode()).hexdigest(),
        "salt_of_first": salted[0],
        "leaf_of_first": leaved[0].hex(),
        "root": root if THEIRS.led_to(leaved[0], 0, len(cards), row["path_of_first"]) == root else "the path leads elsewhere",
        "cut_by_dealer": list(THEIRS.cut_of(SHOE, root, [], *bounds)),
        "cut_by_ann": list(THEIRS.cut_of(SHOE, root, TOLD[:1], *bounds)),
        "cut_by_ann_and_bob": list(THEIRS.cut_of(SHOE, root, TOLD, *bounds)),
    }


@pytest.mark.parametrize("row", SHOES, ids=NAMES)
def test_house_and_verifier_give_what_the_vectors_say(row: dict[str, Any]):
    """ADR 0018: the recipe is fixed; another one needs other labels."""
    assert [ours(row), theirs(row)] == [row, row]


def test_streams_and_seals_are_those_of_the_vectors():
    """The first words of the shuffle, and what players show."""
    shown = [seal(SHOE, player, secret) for player, secret in TOLD]

    assert ([f"{word:08x}" for word in islice(words(SEED, SHOE), 4)], shown) == (
        VECTORS["words"],
        [each["seal"] for each in VECTORS["contributions"]],
    )


def test_page_shows_the_vectors():
    """What a reader compares by eye is what a program compares."""
    first = SHOES[0]
    shown = (first["root"], first["order_sha256"], first["salt_of_first"], first["leaf_of_first"], VECTORS["contributions"][0]["seal"])

    assert [value for value in shown if value not in PAGE] == []
