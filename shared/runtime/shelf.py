"""The shelf: the rule books that this software brings along, as data in `shared/profiles`."""

from functools import cache
from importlib.resources import files

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
