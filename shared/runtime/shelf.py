"""The shelf: the rule books that this software brings along, as data in `shared/profiles`, and those that a house wrote itself.

A round carries its profile by value, so nothing on the shelf is ever looked at again once a table is open.
"""

from functools import cache
from importlib.resources import files
from pathlib import Path

from shared.contracts.subjects import TOKEN
from shared.kernel.profile import BadProfile, Profile, decode

ROOM = files("shared").joinpath("profiles")


@cache
def names() -> tuple[str, ...]:
    """Return the names of the built-in profiles."""
    return tuple(sorted(found.name.removesuffix(".toml") for found in ROOM.iterdir() if found.name.endswith(".toml")))


@cache
def profile(name: str) -> Profile:
    """Return the built-in profile of that name; raise `BadProfile` if there is none."""
    if name not in names():
        raise BadProfile(f"there is no profile {name!r}: use one of {', '.join(names())}")
    file_name = f"{name}.toml"
    return decode(ROOM.joinpath(file_name).read_text(encoding="utf-8"), file_name)


def own_profile(name: str, folder: Path) -> Profile:
    """Return a profile of the house's own `folder`, or else the built-in one; a house cannot rewrite a built-in one.

    Raise `BadProfile` if there is none of that name, or if its file holds no profile.
    """
    if name in names() or not TOKEN.fullmatch(name):
        return profile(name)
    path = folder / f"{name}.toml"
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadProfile(f"there is no profile {name!r}: use one of {', '.join(names())}, or write {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadProfile(f"{path} cannot be read: {error}") from error
    return decode(text, path.name)
