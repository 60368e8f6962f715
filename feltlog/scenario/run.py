"""Running scenarios: from the text of each to its result, profiles taken from the shelf or from beside the file."""

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from msgspec import Struct, to_builtins

from feltlog.scenario.enactment import Enactment
from feltlog.scenario.expected import differences
from feltlog.scenario.result import Result, not_played, played
from feltlog.scenario.text import Invalid, Scenario, name_in
from shared.kernel.profile import Profile
from shared.kernel.profile_text import BadProfile, changed
from shared.runtime import shelf

Job = tuple[str, bytes, Callable[[bytes], Scenario], Path]
"""A name, a text, how it is read, and the folder in which its profiles are looked for."""


class Ran(Struct, frozen=True):
    """A scenario's result, and where it is not what was expected."""

    result: Result
    differences: tuple[str, ...] = ()

    @property
    def is_valid(self) -> bool:
        """Whether it was a scenario at all."""
        return self.result.outcome != "invalid"


def run(name: str, data: bytes, read: Callable[[bytes], Scenario], folder: Path) -> Ran:
    """Return how the scenario in `data` came out; `name` is its name if it gives itself none.  Never raises for what it says."""
    try:
        scenario = read(data)
        name = scenario.name or name
        enacted = Enactment(scenario, _profile(scenario, folder))
        enacted.play()
    except Invalid as why:
        return Ran(not_played(name_in(data) or name, why))
    result = played(name, enacted)
    return Ran(result, tuple(differences(scenario.expect, to_builtins(result))) if scenario.expect else ())


def unreadable(name: str, error: OSError | ValueError) -> Ran:
    """Return the result of a file that cannot be read."""
    return Ran(not_played(name, Invalid("unreadable", "$", f"{getattr(error, 'strerror', None) or error}.")))


def _profile(scenario: Scenario, folder: Path) -> Profile:
    """Return the profile that a scenario plays by."""
    if not scenario.options:
        return _named(scenario.profile, folder)
    return _changed(scenario.profile, folder, json.dumps(scenario.options, sort_keys=True))


@lru_cache(maxsize=64)
def _named(name: str, folder: Path) -> Profile:
    try:
        return shelf.profile(name) if name in shelf.names() else shelf.read(folder / name)
    except FileNotFoundError:
        known = ", ".join(shelf.names())
        raise Invalid("unknown_profile", "$.profile", f"There is no profile {name!r}: it is one of {known}, or a file's path.") from None
    except (BadProfile, ValueError) as error:
        raise Invalid("unknown_profile", "$.profile", f"{error}.") from error


@lru_cache(maxsize=256)
def _changed(name: str, folder: Path, options: str) -> Profile:
    try:
        return changed(_named(name, folder), json.loads(options), "options")
    except BadProfile as error:
        raise Invalid("bad_option", "$.options", f"{error}.") from error
