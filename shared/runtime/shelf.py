"""The shelf: the rule books that this software brings along, as data in `shared/profiles`, and those that a house wrote itself.

A round carries its profile by value, so nothing on the shelf is ever looked at again once a table is open.
"""

from functools import cache
from importlib.resources import files
from pathlib import Path

from shared.contracts.subjects import TOKEN
from shared.kernel.profile import Profile
from shared.kernel.profile_text import BadProfile, decode
from shared.kernel.toml import quoted

ROOM = files("shared").joinpath("profiles")
OWN = "profiles"
"""The folder of a house's own profiles, within its directory."""


@cache
def names() -> tuple[str, ...]:
    """Return the names of the built-in profiles."""
    return tuple(sorted(found.name.removesuffix(".toml") for found in ROOM.iterdir() if found.name.endswith(".toml")))


@cache
def profile(name: str) -> Profile:
    """Return the built-in profile of that name; raise `BadProfile` if there is none."""
    if name not in names():
        raise BadProfile(f"there is no profile {quoted(name)}: use one of {', '.join(names())}")
    return decode(text(name), f"{name}.toml")


def text(name: str) -> str:
    """Return what stands in the file of a built-in profile, clause ids and all."""
    return ROOM.joinpath(f"{name}.toml").read_text(encoding="utf-8")


def books() -> dict[str, Profile]:
    """Return the built-in profiles by name."""
    return {name: profile(name) for name in names()}


def own_profile(name: str, folder: Path) -> Profile:
    """Return a profile of the house's own `folder`, or else the built-in one; a house cannot rewrite a built-in one.

    Raise `BadProfile` if there is none of that name, or if its file holds no profile.
    """
    if name in names() or not TOKEN.fullmatch(name):
        return profile(name)
    path = folder / f"{name}.toml"
    try:
        return read(path)
    except FileNotFoundError:
        raise BadProfile(f"there is no profile {name!r}: use one of {', '.join(names())}, or write {path}") from None


def read(path: Path) -> Profile:
    """Return the profile in a file; raise `BadProfile` if it holds none, and `FileNotFoundError` if there is no file."""
    try:
        said = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise BadProfile(f"{path} cannot be read: {error}") from error
    return decode(said, path.name, books())
