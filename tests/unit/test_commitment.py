"""The commitment, against the vectors of the certificate transparency project and against whoever would bend a proof."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from shared.contracts.shoe import Opening
from shared.kernel.cards import DECK
from shared.kernel.commitment import Tree, card_leaf, leaf, root, verify

DATA = ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
LEAVES = [leaf(bytes.fromhex(data)) for data in DATA]
ROOTS = (
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
"""The roots over the first 0 to 8 of `DATA`, as in the reference implementation's merkle tree tests."""

SALTS = st.binary(min_size=16, max_size=16).map(bytes.hex)
ORDERS = st.lists(st.tuples(st.sampled_from(DECK), SALTS), min_size=1, max_size=70)


def opened(cards: list[tuple[str, str]], index: int, shoe: str = "T7-S1") -> tuple[str, Opening]:
    """Return the root over salted cards and the opening of one of them."""
    leaves = [card_leaf(shoe, place, salt=salt, card=card) for place, (card, salt) in enumerate(cards)]
    card, salt = cards[index]
    return root(leaves), Opening(index=index, card=card, salt=salt, path=Tree(leaves).path(index))


def test_roots_are_those_of_certificate_transparency() -> None:
    """RFC 6962, 2.1: the roots over 0 to 8 leaves."""
    assert tuple(root(LEAVES[:size]) for size in range(9)) == ROOTS


def test_paths_are_those_of_certificate_transparency() -> None:
    """RFC 6962, 2.1.1: the reference implementation's audit paths of leaf 0 and 5 of 8, 2 of 3 and 1 of 5."""
    found = (Tree(LEAVES).path(0), Tree(LEAVES).path(5), Tree(LEAVES[:3]).path(2), Tree(LEAVES[:5]).path(1))

    assert found == (
        (
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ),
        (
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ),
        ("fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",),
        (
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        ),
    )


def test_a_cards_leaf_is_five_lines_of_text() -> None:
    """A stranger can hash a leaf by hand."""
    text = "feltlog card 1\nT7-S1\n17\n000102030405060708090a0b0c0d0e0f\n8H"

    assert card_leaf("T7-S1", 17, salt="000102030405060708090a0b0c0d0e0f", card="8H") == hashlib.sha256(b"\x00" + text.encode()).digest()


@given(ORDERS, st.data())
def test_every_opening_verifies(cards: list[tuple[str, str]], data: st.DataObject) -> None:
    """Each card is proved against the root alone."""
    found, opening = opened(cards, data.draw(st.integers(0, len(cards) - 1)))

    assert verify(found, len(cards), "T7-S1", opening, place=opening.index)


def test_a_salt_that_is_not_sixteen_bytes_proves_nothing() -> None:
    """Also where the house itself committed to it: a short salt could be guessed."""
    found, opening = opened([("8H", "00"), ("TD", "0" * 32)], 0)

    assert not verify(found, 2, "T7-S1", opening, place=0)


@given(ORDERS, st.data())
def test_no_bent_opening_verifies(cards: list[tuple[str, str]], data: st.DataObject) -> None:
    """Another card, salt, index, path, size of path, spelling, shoe or root proves nothing."""
    found, opening = opened(cards, data.draw(st.integers(0, len(cards) - 1)))
    other_card = DECK[DECK.index(opening.card) - 1]
    other_salt = bytes(byte ^ 1 for byte in bytes.fromhex(opening.salt)).hex()
    bent = [
        replace(opening, card=other_card),
        replace(opening, card="joker"),
        replace(opening, salt=other_salt),
        replace(opening, salt=opening.salt.upper() + " "),
        replace(opening, path=(*opening.path, ROOTS[1])),
        replace(opening, path=(*opening.path, "")),
        *(replace(opening, path=opening.path[:place] + opening.path[place + 1 :]) for place in range(len(opening.path))),
        *(replace(opening, path=(*opening.path[:place], ROOTS[1], *opening.path[place + 1 :])) for place in range(len(opening.path))),
    ]

    at = opening.index
    elsewhere = [place for place in (-1, at + 1, at + len(cards)) if verify(found, len(cards), "T7-S1", opening, place=place)]

    assert not [
        *elsewhere,
        *(each for each in bent if verify(found, len(cards), "T7-S1", each, place=at)),
        *(
            [opening]
            if verify(found, len(cards), "T7-S2", opening, place=at) or verify(ROOTS[1], len(cards), "T7-S1", opening, place=at)
            else []
        ),
    ]
