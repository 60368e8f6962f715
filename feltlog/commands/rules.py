"""`feltlog rules`: what a table plays by, what a house changed in it, and whether a file of the house's own holds together."""

import re
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from feltlog.commands.connection import DATA, DataOption, JsonOption
from feltlog.screen import plain_table, screen, write_json
from feltlog.trouble import Trouble
from services.table.notices import notices
from shared.kernel.profile import Profile
from shared.kernel.profile_text import BadProfile, flat
from shared.runtime import shelf

app = typer.Typer(no_args_is_help=True, help="See, check and compare the rule books that tables play by.")

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="A rule book, or a profile of the house's own in --data.")]
SAID = re.compile(r"(?P<key>\w+) = (?P<value>.+?) +# (?P<why>.+)")


@app.command("list")
def list_(data: DataOption = DATA, json: JsonOption = False) -> None:
    """List the rule books that come along and the profiles that this house wrote.  Exit 1 if one of those cannot be used."""
    found = {name: (shelf.profile(name), "rule book") for name in shelf.names()}
    broken: list[str] = []
    for path in sorted((data / shelf.OWN).glob("*.toml")):
        try:
            found.setdefault(path.stem, (shelf.read(path), str(path)))
        except BadProfile as error:
            broken.append(str(error))
    if json:
        for name, (profile, origin) in found.items():
            write_json({"name": name, "book": profile.book, "origin": origin, "decks": profile.decks, "notices": notices(profile)})
    else:
        screen().print(listing(found))
    for sentence in broken:
        typer.echo(f"{sentence}.", err=True)
    if broken:
        raise typer.Exit(1)


@app.command()
def show(name: NameArgument, data: DataOption = DATA, json: JsonOption = False) -> None:
    """Show every key of a profile with the clause that it comes from, and what its tables tell their players.

    docs/rules.md says what the clauses and the numbered decisions are.
    """
    profile = the_profile(name, data)
    if json:
        write_json({"profile": profile, "notices": notices(profile)})
        return
    console = screen()
    console.print(keys_of(profile))
    console.print("\nNotices at the table", style="bold")
    for sentence in notices(profile):
        console.print(f"  {sentence}")


@app.command()
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A profile that a house wrote, such as profiles/late.toml.")],
    json: JsonOption = False,
) -> None:
    """Read a profile of a house's own as a table would, and say what it changes.  Exit 1 with a sentence if it cannot be used."""
    try:
        profile = shelf.read(file)
    except FileNotFoundError:
        raise Trouble(f"There is no file {file}.") from None
    except BadProfile as error:
        typer.echo(f"{error}.", err=True)
        raise typer.Exit(1) from error
    book = next(shelf.profile(name) for name in shelf.names() if shelf.profile(name).book == profile.book)
    differences = apart(book, profile)
    if json:
        write_json({"name": profile.name, "book": profile.book, "changes": [key for key, _, _ in differences]})
        return
    screen().print(
        f"{file} holds together: {profile.name}, {len(differences)} {'key' if len(differences) == 1 else 'keys'} other than in {book.name}."
    )
    if differences:
        screen().print(side_by_side(book.name, profile.name, differences))


@app.command()
def diff(
    one: Annotated[str, typer.Argument(metavar="A", help="A profile's name.")],
    other: Annotated[str, typer.Argument(metavar="B", help="Another one's.")],
    data: DataOption = DATA,
    json: JsonOption = False,
) -> None:
    """Show the keys in which two profiles differ.  Exit 1 if there are any."""
    differences = apart(the_profile(one, data), the_profile(other, data))
    if json:
        for key, left, right in differences:
            write_json({"key": key, one: left, other: right})
    elif differences:
        screen().print(side_by_side(one, other, differences))
    else:
        screen().print(f"{one} and {other} play by the same rules.")
    if differences:
        raise typer.Exit(1)


def the_profile(name: str, data: Path) -> Profile:
    """Return a profile by name; raise `Trouble` if there is none or if it cannot be used."""
    try:
        return shelf.own_profile(name, data / shelf.OWN)
    except BadProfile as error:
        raise Trouble(f"{str(error)[:1].upper()}{str(error)[1:]}.") from error


def apart(one: Profile, other: Profile) -> list[tuple[str, object, object]]:
    """Return the keys, but for the name, in which two profiles differ, with both values."""
    left, right = flat(one), flat(other)
    return [(key, left[key], right[key]) for key in left if key != "name" and left[key] != right[key]]


def reasons(name: str) -> dict[str, str]:
    """Return what the file of a rule book says about each key: the clause or the decision that it comes from."""
    found: dict[str, str] = {}
    table = ""
    for line in shelf.text(name).splitlines():
        if line.startswith("["):
            table = line.strip("[]") + "."
        elif (said := SAID.fullmatch(line)) is not None:
            found[table + said["key"]] = said["why"]
    return found


def listing(found: dict[str, tuple[Profile, str]]) -> Table:
    """Return the profiles as a table for people."""
    table = plain_table()
    for heading in ("profile", "book", "decks", "dealer", "second card", "limits", "from"):
        table.add_column(heading, no_wrap=heading != "from")
    for name, (profile, origin) in found.items():
        table.add_row(
            name,
            profile.book,
            str(profile.decks),
            "hits soft 17" if profile.dealer.hits_soft_17 else "stands on all 17",
            "face down" if profile.dealer.hole_card else "after the players",
            f"{profile.minimum} to {profile.maximum}",
            origin,
        )
    return table


def keys_of(profile: Profile) -> Table:
    """Return every key of a profile as a table for people; what a house changed is said to be the house's."""
    book = next(name for name in shelf.names() if shelf.profile(name).book == profile.book)
    said, why = flat(shelf.profile(book)), reasons(book)
    table = plain_table()
    table.add_column("key", no_wrap=True)
    table.add_column("value")
    table.add_column("from")
    for key, value in flat(profile).items():
        own = profile.name != book and key != "name" and value != said[key]
        table.add_row(key, written(value), f"this house; the book: {written(said[key])}" if own else why.get(key, ""))
    return table


def side_by_side(one: str, other: str, differences: list[tuple[str, object, object]]) -> Table:
    """Return two profiles' differing keys as a table for people."""
    table = plain_table()
    for heading in ("key", one, other):
        table.add_column(heading)
    for key, left, right in differences:
        table.add_row(key, written(left), written(right))
    return table


def written(value: object) -> str:
    """Return a value as a profile's file writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return f"[{', '.join(written(each) for each in value)}]"
    return f'"{value}"' if isinstance(value, str) else str(value)
