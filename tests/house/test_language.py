"""The language: every message stands in the glossary, and each service's page says what the contracts say."""

import re
from pathlib import Path

import pytest

from shared.kernel.messages import Command, Event
from tests.house import published, tree

SERVICES = sorted(path.parent for path in tree.ROOT.glob("services/*/__main__.py"))
PAGES = sorted(tree.ROOT.glob("services/*/README.md"))


def _section(page: Path, heading: str) -> set[str]:
    match = re.search(rf"^## {heading}$(.*?)(?=^## |\Z)", page.read_text(), re.MULTILINE | re.DOTALL)
    return set(published.TAG.findall(match[1])) if match else set()


def test_every_message_stands_in_the_glossary():
    """The glossary's list of messages is the contracts' (`make glossary` writes it)."""
    assert published.written_section() == published.glossary_section()


@pytest.mark.parametrize("kind", [Command, Event])
def test_tag_is_the_owner_and_the_name_and_a_version(kind):
    """`table.WagerPlaced.v1`: what stands on the wire is found in the source by its name."""
    known = published.messages(kind)

    assert [tag for tag, message in known.items() if not re.fullmatch(rf"[a-z]+\.{message.__name__}\.v[0-9]+", tag)] == []


@pytest.mark.parametrize("service", SERVICES, ids=lambda path: path.name)
def test_service_has_a_page(service):
    """Every service that runs says on one page what it decides, hears and says, and what it never does."""
    page = (service / "README.md").read_text()

    assert re.findall(r"^## (Decides|Hears|Says|Streams|Never)$", page, re.MULTILINE) == ["Decides", "Hears", "Says", "Streams", "Never"]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.parent.name)
def test_page_says_what_the_service_says(page):
    """`Says` names the service's events, all of them; what it writes on its desk need not stand there."""
    said = {tag for tag in _section(page, "Says") if not tag.startswith("desk.")}

    assert said == published.owned(Event, page.parent.name)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.parent.name)
def test_page_names_every_command_that_the_service_hears(page):
    """`Hears` names the service's commands, all of them, and no other service's."""
    heard = {tag for tag in _section(page, "Hears") if not tag.startswith("desk.")}

    assert heard & published.messages(Command).keys() == published.owned(Command, page.parent.name)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.parent.name)
def test_page_hears_nothing_that_nobody_says(page):
    """What `Hears` names beside commands are events that another service says."""
    heard = _section(page, "Hears") - published.messages(Command).keys()

    assert heard - published.messages(Event).keys() == set()
