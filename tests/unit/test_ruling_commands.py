"""The commands of rulings: what a person types becomes a ruling, or is told what it lacks; and a round with rulings is told."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
import typer

from feltlog.client import Client, Watch
from feltlog.commands.rulings import Door, Said, asked, round_of, ruling_of, tell
from feltlog.commands.staff import member
from feltlog.felt_picture import ruled_lines
from feltlog.house import House
from feltlog.ruled import ruling_in_words
from feltlog.trouble import Trouble
from services.table.views import FeltProposal, felt
from shared.contracts.rulings import KINDS, AnyRuling, DeadHand, Misread, MissedBox, ProposeRuling, ReadAnew, VoidTheRound, WrongPosition
from shared.kernel.messages import Actor
from tests.rounds import ROUND_ID, begun, opened_table


@pytest.mark.parametrize(
    ("kind", "given", "ruling"),
    [
        ("void", {}, VoidTheRound()),
        ("dead_hand", {"box": 2}, DeadHand(box=2)),
        ("dead_hand", {"box": 2, "hand": 3}, DeadHand(box=2, hand=3)),
        ("missed_box", {"box": 2, "card": "2"}, MissedBox(box=2, card=2)),
        ("wrong_position", {"card": "TS", "found": 2, "box": 0}, WrongPosition(card="TS", found=2, box=0)),
        ("misread", {"cards": ["2=TD"]}, Misread(cards=(ReadAnew(index=2, card="TD"),))),
    ],
)
def test_what_is_typed_becomes_a_ruling(kind: str, given: dict[str, Any], ruling: AnyRuling):
    """Each kind takes its own options."""
    assert ruling_of(kind, given) == ruling


@pytest.mark.parametrize(
    ("kind", "given", "told"),
    [
        ("fire", {}, "There is no kind 'fire'"),
        ("void", {"box": 1}, "void takes no --box"),
        ("misread", {"cards": ["TD"]}, "'TD' says of no card what it is"),
        ("dead_hand", {}, "dead_hand takes --box, --hand: object missing required field `box`"),
        ("missed_box", {"box": 1, "card": "TS"}, "expected `int`, got `str`"),
        ("missed_box", {"box": 1, "card": "3"}, "invalid enum value 3"),
    ],
)
def test_what_is_no_ruling_is_told(kind: str, given: dict[str, Any], told: str):
    """A sentence says which kinds there are, or what this one takes."""
    with pytest.raises(Trouble) as trouble:
        ruling_of(kind, given)

    assert told in str(trouble.value)


def _open(number: int, round: str) -> FeltProposal:
    return FeltProposal(proposal=number, ruling=VoidTheRound(), by="pit", job="pit_boss", note="", round=round)


def test_number_names_the_round_of_its_proposal():
    """A proposal's number is enough, whether its round is played or over, as long as one round has it."""
    open_ = (_open(1, "T7.20261130-000001"), _open(2, "T7.20261130-000003"))

    assert [round_of(number, open_) for number in (1, 2, 3)] == ["T7.20261130-000001", "T7.20261130-000003", ""]


def test_number_of_two_rounds_is_asked_about():
    """Nobody approves something else than they mean: numbers count for each round anew."""
    with pytest.raises(Trouble) as trouble:
        round_of(1, (_open(1, "T7.20261130-000001"), _open(1, "T7.20261130-000003")))

    assert str(trouble.value) == "Proposals 1 are open for T7.20261130-000001 and T7.20261130-000003: say which with --round."


def test_only_staff_speak(tmp_path: Path):
    """A name that is none of the house's is told which are."""
    house = House(tmp_path)
    house.prepare()

    with pytest.raises(Trouble, match=r"names inspector \(inspector\), manager \(duty manager\), pit \(pit boss\), "):
        member(house, "ann")
    assert member(house, "supervisor") == "supervisor"


def test_a_refusal_ends_with_two(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """As JSON on standard output with exit status 2, or as a sentence."""
    refused = Said("refused", "own_proposal", "Nobody decides.", "T1.20261130-000001", 1)

    with pytest.raises(typer.Exit) as left:
        tell(Door(House(tmp_path), None, "pit", json=True), refused, "done")
    assert (left.value.exit_code, '"own_proposal"' in capsys.readouterr().out) == (2, True)
    with pytest.raises(Trouble, match=r"Nobody decides\. \(own_proposal\)"):
        tell(Door(House(tmp_path), None, "pit", json=False), refused, "done")


def test_every_kind_has_its_words():
    """What waits for a second person is said to whoever sits at the table."""
    samples: dict[str, dict[str, Any]] = {
        "missed_box": {"box": 1},
        "dead_hand": {"box": 1},
        "wrong_position": {"card": "TS", "found": 1, "box": 2},
        "misread": {"cards": ["2=TD", "T1-S1b:0=9H"]},
    }

    assert len({ruling_in_words(ruling_of(kind, samples.get(kind, {}))) for kind in KINDS}) == len(KINDS)


def test_a_proposal_is_seen_by_whoever_sits_there():
    """Number, name, job, and what it is about."""
    rehearsal = begun("live", "8S 6D 8H TC")
    rehearsal.tell(ProposeRuling(round=ROUND_ID, ruling=DeadHand(box=1)), Actor("staff", "dee", "dealer"))
    shown = felt(opened_table("live"), rehearsal.round)

    assert ruled_lines(shown) == ["Proposal 1 by dee, dealer: box 1, hand 1 is dead. It waits for another person."]


class Deaf:
    """A line on which nothing is ever sent."""

    async def request(self, subject: str, data: bytes, *, timeout_s: float) -> bytes | None:
        """Fail: nothing is to be sent."""
        raise AssertionError("what is no text is not sent")

    async def watch(self, subject: str) -> Watch:
        """Fail: nothing is to be watched."""
        raise AssertionError("nobody watches")

    async def close(self) -> None:
        """There is nothing to close."""


def test_what_a_shell_hands_over_and_is_no_text_is_told():
    """Errors are sentences: bytes that are no UTF-8 reach a command as lone surrogates."""
    command = ProposeRuling(round="T7.20261130-000001", ruling=VoidTheRound(), note="\udcff")

    with pytest.raises(Trouble, match="no text"):
        asyncio.run(asked(Client(Deaf(), role="staff", name="pit"), "T7", command))
