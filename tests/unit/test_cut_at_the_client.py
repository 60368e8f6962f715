"""A client's part in the cut, and what is told of it: it seals or refuses once for each shoe, and everybody sees whose cut it is."""

from typing import Any

import pytest
from msgspec.structs import replace

from feltlog.client import Client, Watch
from feltlog.commands.cards import cut_sentences, reason_of
from feltlog.cutting import Cutting
from feltlog.felt_picture import cards_lines
from feltlog.trouble import Trouble
from services.table.views import Felt, FeltCut, felt
from shared.contracts.asking import RefuseCut
from shared.contracts.cutting import RevealCut, SealCut
from tests.rounds import opened_table

CUT = FeltCut(shoe="T7-S2", root="root 2", phase="sealing", sealed=(), told=(), until_ms=None, asked=True)


class Nobody:
    """A line on which nobody answers."""

    async def request(self, subject: str, data: bytes, *, timeout_s: float) -> bytes | None:
        """Return nothing."""

    async def watch(self, subject: str) -> Watch:
        """Nothing is shown."""
        raise NotImplementedError

    async def close(self) -> None:
        """There is nothing to close."""


def ann(**chosen: Any) -> Cutting:
    """Return ann's part in the cut."""
    return Cutting(Client(Nobody(), role="player", name="ann"), **chosen)


def showing(**changes: Any) -> Felt:
    """Return a felt whose next shoe is as far as this."""
    return replace(felt(opened_table("ontario"), None), cut=replace(CUT, **changes))


def test_client_seals_once_and_tells_its_secret():
    """ADR 0018: a secret for each shoe."""
    part = ann()
    said = [part.due(showing()), part.due(showing()), part.due(showing(phase="revealing", sealed=("ann",)))]

    assert [type(each) for each in said] == [SealCut, type(None), RevealCut]


def test_client_refuses_once():
    """ON-5.5, FL-4.3: whoever does not want to cut says so once for each shoe."""
    part = ann(refuses=True)
    said = [part.due(showing()), part.due(showing()), part.due(showing(root="root 3"))]

    assert said == [RefuseCut(shoe="T7-S2", root="root 2"), None, RefuseCut(shoe="T7-S2", root="root 3")]


@pytest.mark.parametrize(
    "cut", [{"asked": False}, {"refused": ("ann",)}, {"sealed": ("ann",)}, {"phase": "revealing"}, {"phase": "shuffled"}]
)
def test_client_refuses_nothing_that_it_is_not_asked(cut: Any):
    """LV-3.3: the dealer cuts; nor what was answered, or is too late, or is never cut."""
    assert ann(refuses=True).due(showing(**cut)) is None


@pytest.mark.parametrize(
    ("cut", "told"),
    [
        (None, []),
        (replace(CUT, phase="shuffling"), ["Shoe T7-S2 is shuffled."]),
        (replace(CUT, phase="shuffled"), ["Shoe T7-S2 is shuffled by the device, and nobody cuts it."]),
        (CUT, ["Shoe T7-S2 may be cut: nobody would."]),
        (replace(CUT, sealed=("ann",), refused=("bob", "cyd")), ["Shoe T7-S2 may be cut: ann would, bob, cyd would not."]),
        (replace(CUT, phase="revealing", turn=("ann", "bob")), ["Shoe T7-S2 is ann's to cut, as soon as the secret is told."]),
        (replace(CUT, phase="cutting"), ["Shoe T7-S2 is being cut."]),
    ],
)
def test_staff_see_whose_cut_it_is(cut: FeltCut | None, told: list[str]):
    """ON-5.3, FL-4.2: as far as anybody has answered."""
    assert cut_sentences(cut) == told


def test_felt_says_what_happens_to_the_cards():
    """ON-5.8, ON-6.2: whose cut it is, what was burned and shown, and that the cards are shuffled."""
    shown = replace(showing(phase="revealing", turn=("ann",)), burned_shown=("TS", "9H"), reshuffle=True)

    assert cards_lines(shown) == [
        "ann is asked to cut shoe T7-S2",
        "Burned: 10♠ 9♥",
        "The cards are shuffled after this round",
    ]


def test_unknown_reason_to_burn_is_told():
    """A sentence names those that there are."""
    with pytest.raises(Trouble) as trouble:
        reason_of("boredom")

    assert str(trouble.value) == "'boredom' is no reason to burn cards: it is one of new_dealer, game_error, house."
