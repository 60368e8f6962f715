"""The text of a scenario: what a file says, read strictly, before anything of it is played.

Whatever makes a file no scenario has a stable code, the path of the place, and a sentence.  What the rules forbid is not
looked at here: that is a refusal, and the scenario goes on.
"""

import re
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from shared.contracts.rulings import ReadAnew
from shared.kernel.cards import BadCard, cards
from shared.kernel.money import BadMoney, exponent

FORMAT = "feltlog-scenario/1"

CODES = {
    "unreadable": "The bytes are no JSON or TOML in UTF-8, or the file cannot be read.",
    "unknown_field": "A field that the format does not have.",
    "missing_field": "A field that must be there.",
    "bad_value": "A value of the wrong type, or one that the field cannot have.",
    "unknown_profile": "No built-in profile of that name, and no file that can be read as one.",
    "bad_option": "An option that no profile has, or a value that it cannot have.",
    "bad_card": "A text that is no card.",
    "too_many_of_a_card": "A card more often than there are decks.",
    "box_twice": "The same box stands twice.",
    "seated_twice": "Two seated players on one box.",
    "cards_exhausted": "The round needs a card behind the last one; the path says which.",
}
"""Why a file is no valid scenario."""

Name = Annotated[str, Meta(min_length=1, max_length=64)]
Amount = Annotated[str, Meta(pattern=r"^[0-9]+(\.[0-9]+)?$", max_length=64)]


class Invalid(Exception):
    """A file that is no scenario: a code of `CODES`, where, and a sentence."""

    def __init__(self, code: str, path: str, message: str) -> None:
        super().__init__(message)
        self.code, self.path, self.message = code, path, message


class Staked(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A wager on a box, as somebody wants to place it."""

    player: Name
    stake: Amount
    seated: bool = False
    side: dict[str, Amount] = {}


class Box(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A box and its wagers, nearest the dealer first."""

    box: int
    wagers: tuple[Staked, ...]


class Said(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="do"):
    """What a player says on a box."""

    box: int
    player: Name


class Hit(Said, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="hit"):
    """Draw a card."""


class Stand(Said, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="stand"):
    """Draw no more; or, of a joiner, do not join."""


class Split(Said, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="split"):
    """Make two hands of a pair."""


class DeclineInsurance(Said, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="decline_insurance"):
    """Go without insurance."""


class EvenMoney(Said, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="even_money"):
    """Take one to one at once."""


class Double(Said, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="double"):
    """Double; without a stake by the full wager."""

    stake: Amount | None = None


class Insure(Said, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="insure"):
    """Insure; without a stake for the largest amount allowed."""

    stake: Amount | None = None


class TimeOut(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="do", tag="timeout"):
    """The awaited clock runs out."""


class CloseInsurance(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="do", tag="close_insurance"):
    """Insurance is closed by the dealer."""


class Irregularity(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="do", tag="irregularity"):
    """Something that should not have happened: what kind, who says so, and who agrees.

    With `at_card` it happens just before the card with that index leaves the shoe, wherever the step stands.
    """

    kind: str
    by: Name
    approved_by: Name | None = None
    at_card: Annotated[int, Meta(ge=0)] | None = None
    box: int | msgspec.UnsetType = msgspec.UNSET
    hand: int | msgspec.UnsetType = msgspec.UNSET
    card: int | str | msgspec.UnsetType = msgspec.UNSET
    found: int | msgspec.UnsetType = msgspec.UNSET
    cards: tuple[ReadAnew, ...] | msgspec.UnsetType = msgspec.UNSET


Step = Hit | Stand | Split | DeclineInsurance | EvenMoney | Double | Insure | TimeOut | CloseInsurance | Irregularity


class Scenario(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A round written down.  Everything that happened stands here in the order in which it happened."""

    format: Literal["feltlog-scenario/1"]
    profile: Name
    cards: str
    boxes: tuple[Box, ...]
    currency: str
    name: str = ""
    options: dict[str, Any] = {}
    steps: tuple[Step, ...] = ()
    expect: dict[str, Any] = {}


def read_json(data: bytes) -> Scenario:
    """Return the scenario in a JSON text; raise `Invalid`."""
    try:
        return _checked(_JSON.decode(data))
    except msgspec.ValidationError as error:
        raise _invalid(error) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Invalid("unreadable", "$", f"{error}.") from error


def read_toml(data: bytes) -> Scenario:
    """Return the scenario in a TOML text; raise `Invalid`."""
    try:
        return _checked(msgspec.toml.decode(data, type=Scenario))
    except msgspec.ValidationError as error:
        raise _invalid(error) from error
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise Invalid("unreadable", "$", f"{error}.") from error


_JSON = msgspec.json.Decoder(Scenario)


def name_in(data: bytes) -> str:
    """Return the name that a text gives itself, however wrong the rest is; empty if it gives none."""
    try:
        name = msgspec.json.decode(data, type=_Named).name
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    return name if isinstance(name, str) else ""


class _Named(Struct):
    name: Any = ""


def _invalid(error: msgspec.ValidationError) -> Invalid:
    """Return what is wrong, with the path that the decoder names."""
    match = re.fullmatch(r"(.*?)(?: - at `(.*)`)?", str(error), re.DOTALL)
    assert match is not None, "every text matches"
    reason, path = match[1], match[2] or "$"
    code = "unknown_field" if "contains unknown field" in reason else "missing_field" if "missing required field" in reason else "bad_value"
    return Invalid(code, path, f"{reason}.")


def _checked(scenario: Scenario) -> Scenario:
    """Return the scenario if it can be played at all, whatever the rules say to it."""
    try:
        exponent(scenario.currency)
    except BadMoney as error:
        raise Invalid("bad_value", "$.currency", f"{error}.") from error
    seen: set[int] = set()
    for at, box in enumerate(scenario.boxes):
        if box.box in seen:
            raise Invalid("box_twice", f"$.boxes[{at}].box", f"Box {box.box} stands twice.")
        if sum(wager.seated for wager in box.wagers) > 1:
            raise Invalid("seated_twice", f"$.boxes[{at}].wagers", f"Two players are seated on box {box.box}.")
        seen.add(box.box)
    return scenario


def cards_of(scenario: Scenario, decks: int) -> tuple[str, ...]:
    """Return the cards in the order in which they leave the shoe; raise `Invalid` if so many decks do not hold them."""
    try:
        found = cards(scenario.cards)
    except BadCard as error:
        raise Invalid("bad_card", "$.cards", f"{error}.") from error
    for card, times in Counter(found).items():
        if times > decks:
            raise Invalid("too_many_of_a_card", "$.cards", f"{card} stands there {times} times; {decks} decks hold {decks} of them.")
    return found


def stake_minor(text: str, currency: str) -> int | None:
    """Return an amount in minor units, None where it is finer than the currency.

    Unlike a wager on the wire it may be of any size: what is above all limits is for the rules to refuse.
    """
    whole, _, fraction = text.partition(".")
    decimals = exponent(currency)
    fraction = fraction.rstrip("0")
    if len(fraction) > decimals:
        return None
    return int(whole + fraction.ljust(decimals, "0"))


def texts_of(path: Path, data: bytes) -> list[tuple[str, bytes]]:
    """Return the scenarios of a file as name and text: one for each line of `.jsonl`, else one.

    Standard input (`-`) holds one a line if its first line is a whole JSON text.
    """
    lines = data.split(b"\n")
    if path.suffix != ".jsonl" and not (str(path) == "-" and _is_whole(lines[0])):
        return [(str(path), data)]
    return [(f"{path}:{number}", line) for number, line in enumerate(lines, 1) if line.strip()]


def _is_whole(line: bytes) -> bool:
    """Return whether a line is a JSON text by itself."""
    try:
        msgspec.json.decode(line, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True
